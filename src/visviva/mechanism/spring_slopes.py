"""Slopes dU of the energies of springs and end stops over what they measure, at a motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.mechanism.assembly import Motion
from visviva.mechanism.coordinates import pair_functions
from visviva.mechanism.elements import Element, JointElement, Stop
from visviva.mechanism.joint_coordinates import coordinate_values, pair_value, turn_name
from visviva.mechanism.parts import JointCoordinate, OneAlong
from visviva.mechanism.placement import coordinates_of
from visviva.mechanism.storage_states import energy_slope

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition


def measured(part: Element | JointElement | Stop, motion: Motion) -> Array:
    """What a spring or a stop measures: functions of two frames, or coordinates of joints, shape (k,)."""
    if isinstance(part, Element):
        return pair_functions(part, part.rows).value(coordinates_of(part, motion))
    coordinates = part.coordinates if isinstance(part, JointElement) else (part.at,)
    return np.array([coordinate_at(one, motion) for one in coordinates])


def coordinate_at(one: OneAlong, motion: Motion) -> float:
    """A coordinate of a joint, angles over many turns, or a displacement between two frames."""
    if not isinstance(one, JointCoordinate):
        return float(pair_value(one, coordinates_of(one, motion)))
    if one.turns:
        return motion.angles[turn_name(one)]
    return float(coordinate_values(one.joint, coordinates_of(one.joint, motion))[one.number])


def slopes_of(m: Definition, motion: Motion) -> dict[str, Array]:
    """dU by the name of every spring and stop that has an energy, (k,) each; exact."""
    stored: list[Element | JointElement | Stop] = [*m.elements, *m.joint_elements, *m.stops]
    return {
        part.name: energy_slope(part.energy, m.theta0)(measured(part, motion))
        for part in stored
        if part.energy is not None
    }
