"""Springs and dampers of a mechanism as blocks of its Model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.traced import energy_of
from visviva.errors import AssemblyError
from visviva.geometry.embedding import AbstractSpace, Flat
from visviva.library.joints import Angle, Length
from visviva.mechanism import Definition, Motion
from visviva.mechanism.coordinates import movers, pair_functions
from visviva.mechanism.elements import Element, JointElement
from visviva.mechanism.joint_coordinates import cos_sin, turn_name
from visviva.mechanism.parts import Along, JointCoordinate, Pair, PairTwist
from visviva.mechanism.spring_slopes import measured
from visviva.model import Model, Variable
from visviva.model.measured import (
    Measured,
    MeasuredAngle,
    MeasuredDissipation,
    MeasuredLength,
    MeasuredStack,
    StackDissipation,
)
from visviva.model.storage import AbstractStorage
from visviva.model.structure import AbstractStructure
from visviva.model.turn import Turn, TurnFriction
from visviva.model.twists import MeasuredTwist


@final
class ElementBlocks:
    """Variables `<name>.y` and `<name>.angle`, their storages, and what they act on; spaces: of the bodies."""

    def __init__(self, m: Definition, spaces: Mapping[str, AbstractSpace]) -> None:
        self.variables: list[Variable] = []
        self.storages: list[AbstractStorage] = []
        self.structures: list[AbstractStructure] = []
        self.spaces = spaces
        self.theta0 = m.theta0
        for element in m.elements:
            self._element(element)
        for part in m.joint_elements:
            self._joint_element(part)

    def _element(self, part: Element) -> None:
        y, reads, acts, spaces = pair_functions(part, part.rows), *self._ends(part)
        if part.energy is not None:
            variable = f"{part.name}.y"
            self.variables.append(Variable(variable, Flat(y.m)))
            port = part.energy.interface["y"]
            self.storages.append(energy_of(part.name, variable, part.energy.H, port, self.theta0))
            self.structures.append(Measured(part.name, reads, (variable, *acts), y, spaces))
        if part.damping is not None:
            self.structures.append(MeasuredDissipation(part.name, reads, acts, y, spaces, part.damping, part.line))

    def _joint_element(self, part: JointElement) -> None:
        measure = self._measure(part)
        reads, acts = measure.reads, measure.acts[1:]
        if part.energy is not None:
            self.variables.append(Variable(part.variable, Flat(measure.rows)))
            port = part.energy.interface[part.port]
            self.storages.append(energy_of(part.name, part.variable, part.energy.H, port, self.theta0))
            self.structures.append(measure)
        if part.damping is None:
            return
        match measure:
            case MeasuredAngle():
                self.structures.append(TurnFriction(part.name, reads, acts, measure.turn, float(part.damping[0, 0])))
            case Measured():
                self.structures.append(
                    MeasuredDissipation(part.name, reads, acts, measure.y, measure.spaces, part.damping)
                )
            case MeasuredStack():
                self.structures.append(StackDissipation(part.name, reads, acts, measure, part.damping))

    def _measure(self, part: JointElement) -> Measured | MeasuredAngle | MeasuredStack:
        """Its coordinates: one of a joint, or several as one y."""
        parts = []
        for one in part.coordinates:
            reads, acts, spaces = self._ends(one.joint)
            parts.append(coordinate_measure(one, part.name, reads, (part.variable, *acts), spaces))
        if len(parts) == 1:
            return parts[0]
        reads = tuple(dict.fromkeys(name for one in parts for name in one.reads))
        acts = tuple(dict.fromkeys(name for one in parts for name in one.acts))
        spaces = tuple(self.spaces[name.removesuffix(".q")] for name in reads)
        return MeasuredStack(part.name, reads, acts, tuple(parts), spaces)

    def _ends(self, pair: Pair) -> tuple[tuple[str, ...], tuple[str, ...], tuple[AbstractSpace, ...]]:
        names = [end.name for end in movers(pair)]
        reads, acts = (tuple(f"{name}.{letter}" for name in names) for letter in "qv")
        return reads, acts, tuple(self.spaces[name] for name in names)


def measure_along(
    one: Along, name: str, reads: tuple[str, ...], acts: tuple[str, ...], spaces: tuple[AbstractSpace, ...]
) -> Measured | MeasuredAngle | MeasuredLength | MeasuredTwist:
    """A coordinate of a joint, or a displacement or twist of two frames, as what is measured; acts: as below."""
    if isinstance(one, JointCoordinate):
        return coordinate_measure(one, name, reads, acts, spaces)
    if isinstance(one, PairTwist):
        return MeasuredTwist(name, reads, acts, one.twist, pair_functions(one, one.twist.products), spaces)
    kind = MeasuredLength if isinstance(one.scalar, Length) else Measured
    return kind(name, reads, acts, pair_functions(one, (one.product,)), spaces)


def coordinate_measure(
    one: JointCoordinate, name: str, reads: tuple[str, ...], acts: tuple[str, ...], spaces: tuple[AbstractSpace, ...]
) -> Measured | MeasuredAngle:
    """A coordinate of a joint as what is measured; acts: what it is called, then velocities."""
    if isinstance(one.scalar, Angle):
        turn = Turn(turn_name(one), reads, cos_sin(one.joint, one.scalar), spaces)
        return MeasuredAngle(name, reads, acts, turn)
    return Measured(name, reads, acts, pair_functions(one.joint, (one.scalar,)), spaces)


def joint_element_values(m: Definition, motion: Motion) -> dict[str, Array]:
    """Start values of what springs along coordinates measure: angles may lie beyond one turn."""
    return {part.variable: measured(part, motion) for part in m.joint_elements if part.energy is not None}


def check_springs(model: Model, x: Array) -> None:
    """An error that names a spring which has no force at x."""
    for storage in model.storages:
        if storage.variable in model.measured:
            y = x[model.layout.x[storage.variable]]
            with np.errstate(all="ignore"):
                fits = np.isfinite(storage.H(y)) and np.isfinite(storage.mean_effort(y, y)).all()
            if not fits:
                raise AssemblyError(
                    f"the energy or force of spring {storage.name!r} is not finite in the initial configuration"
                    f"{_why_not(model, storage.name, y)}"
                )


def _why_not(model: Model, name: str, y: Array) -> str:
    """Where a spring is that has no force, and the way out."""
    assert model.definition is not None
    part = model.definition.parts[name]
    if isinstance(part, JointElement):
        shown = ", ".join(
            f"{value:.4g} {'rad' if one.turns else 'm'}" for one, value in zip(part.coordinates, y, strict=True)
        )
        return f", at the coordinates {shown}.\nStart inside the domain of its energy function."
    assert isinstance(part, Element)
    if part.line and y[0] > 0:
        return f", at the length {np.sqrt(2 * y[0]):.4g} m.\nStart inside the domain of its energy function."
    if part.line:
        return (
            ": its ends\ncoincide, where it has no direction. Move them apart, or use a natural length of zero and an "
            "energy\nthat is smooth there."
        )
    if not part.half_turn:
        return ".\nStart inside the domain of its energy function."
    return ": its frames\nare half a turn apart, where it has no direction. Turn one, or use m.trace_spring(...)."
