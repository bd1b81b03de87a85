"""Springs and dampers of a mechanism as blocks of its Model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.traced import energy_of
from visviva.errors import AssemblyError
from visviva.geometry.embedding import AbstractSpace, Flat
from visviva.library.joints import TURN
from visviva.mechanism import Mechanism
from visviva.mechanism.coordinates import movers, pair_functions
from visviva.mechanism.elements import Element, Torsion
from visviva.mechanism.joint_coordinates import cos_sin
from visviva.mechanism.parts import Pair
from visviva.model import Model, Variable
from visviva.model.measured import Measured, MeasuredAngle, MeasuredDissipation
from visviva.model.storage import AbstractStorage
from visviva.model.structure import AbstractStructure
from visviva.model.turn import Turn, TurnFriction


@final
class ElementBlocks:
    """Variables `<name>.y` and `<name>.angle`, their storages, and what they act on; spaces: of the bodies."""

    def __init__(self, m: Mechanism, spaces: Mapping[str, AbstractSpace]) -> None:
        self.variables: list[Variable] = []
        self.storages: list[AbstractStorage] = []
        self.structures: list[AbstractStructure] = []
        self.spaces = spaces
        self.theta0 = m.theta0
        for element in m.elements:
            self._element(element)
        for torsion in m.torsions:
            self._torsion(torsion)

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

    def _torsion(self, part: Torsion) -> None:
        reads, acts, spaces = self._ends(part.joint)
        turn = Turn(part.joint.name, reads, cos_sin(part.joint, TURN), spaces)
        if part.energy is not None:
            variable = f"{part.name}.angle"
            self.variables.append(Variable(variable, Flat(1)))
            port = part.energy.interface["angle"]
            self.storages.append(energy_of(part.name, variable, part.energy.H, port, self.theta0))
            self.structures.append(MeasuredAngle(part.name, reads, (variable, *acts), turn))
        if part.damping > 0:
            self.structures.append(TurnFriction(part.name, reads, acts, turn, part.damping))

    def _ends(self, pair: Pair) -> tuple[tuple[str, ...], tuple[str, ...], tuple[AbstractSpace, ...]]:
        names = [end.name for end in movers(pair)]
        reads, acts = (tuple(f"{name}.{letter}" for name in names) for letter in "qv")
        return reads, acts, tuple(self.spaces[name] for name in names)


def torsion_angles(m: Mechanism, angles: Mapping[str, float]) -> dict[str, Array]:
    """Start values of `<name>.angle`, which may lie beyond one turn, from the angles of the joints."""
    return {f"{part.name}.angle": np.array([angles[part.joint.name]]) for part in m.torsions if part.energy is not None}


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
    assert model.mechanism is not None
    part = model.mechanism.parts[name]
    if isinstance(part, Torsion):
        return f", at the angle {y[0]:.4g} rad.\nStart inside the domain of its energy function."
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
