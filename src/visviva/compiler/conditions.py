"""Conditions of a mechanism as blocks of its Model: constraints, the angles they follow, and what drives them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.embedding import AbstractSpace, Flat
from visviva.mechanism import Definition, Motion
from visviva.mechanism.conditions import AbstractCondition
from visviva.mechanism.coordinates import movers
from visviva.mechanism.coupling import Coupling
from visviva.mechanism.joint_coordinates import cos_sin, turn_name, turn_names
from visviva.mechanism.motion_laws import MotionLaw
from visviva.model import Model, Variable
from visviva.model.conditioned import Conditioned, DrivePort
from visviva.model.measured import MeasuredAngle
from visviva.model.structure import AbstractStructure
from visviva.model.turn import Turn


@final
class ConditionBlocks:
    """Variables `<joint>.angle` of angles that are followed, and `<condition>.shift` of s; spaces: of the bodies."""

    def __init__(self, m: Definition, spaces: Mapping[str, AbstractSpace]) -> None:
        self.spaces = spaces
        self.structures: list[AbstractStructure] = [self._constraint(part) for part in m.conditions]
        followed = {name for part in m.conditions for name in part.follows} | {*stacked_angles(m)}
        turns = {name: (joint, angle) for joint in m.joints for name, angle in turn_names(joint).items()}
        self.variables: list[Variable] = []
        for name, (joint, angle) in turns.items():
            if name in followed:
                variable, ends = angle_variable(name), movers(joint)
                reads, acts = (tuple(f"{end.name}.{letter}" for end in ends) for letter in "qv")
                turn = Turn(name, reads, cos_sin(joint, angle), tuple(spaces[end.name] for end in ends))
                self.structures.append(MeasuredAngle(joint.name, reads, (variable, *acts), turn))
                self.variables.append(Variable(variable, Flat(1)))
        for part in m.conditions:
            if part.shifted:
                self.variables.append(Variable(shift_variable(part), Flat(part.rows)))
            if part.law is not None:
                self.structures.append(DrivePort(part.name, (shift_variable(part), part.name), part))

    def _constraint(self, part: AbstractCondition) -> Conditioned:
        reads, acts = ([f"{mover.name}.{letter}" for mover in part.movers] for letter in "qv")
        reads += [angle_variable(name) for name in part.follows]
        reads += [shift_variable(part)] * part.shifted
        return Conditioned(
            part.name, tuple(reads), tuple(acts), part, tuple(self.spaces[mover.name] for mover in part.movers)
        )


def with_laws(model: Model, laws: Mapping[str, MotionLaw]) -> Model:
    """The model of a mechanism with other laws for some of its drives."""
    if not laws:
        return model
    assert model.definition is not None
    parts = dict(model.definition.parts)
    for name, law in laws.items():
        drive = parts[name]
        assert isinstance(drive, Coupling)
        parts[name] = dataclasses.replace(drive, law=law)
    m = model.definition.variant(parts=parts)
    structures = []
    for part in model.structures:
        if isinstance(part, Conditioned | DrivePort) and part.name in laws:
            condition = m.parts[part.name]
            assert isinstance(condition, Coupling)
            part = dataclasses.replace(part, condition=condition)
        structures.append(part)
    return dataclasses.replace(model, structures=tuple(structures), definition=m)


def stacked_angles(m: Definition) -> list[str]:
    """Angles among several coordinates that a spring acts along, by their turns: each is followed by itself."""
    stacks = [part.coordinates for part in m.joint_elements if part.energy is not None and len(part.coordinates) > 1]
    return list(dict.fromkeys(turn_name(one) for coordinates in stacks for one in coordinates if one.turns))


def angle_variable(turn: str) -> str:
    """The variable of an angle that is followed."""
    return f"{turn}.angle"


def shift_variable(part: AbstractCondition) -> str:
    """The variable of what a condition keeps its g at."""
    return f"{part.name}.shift"


def condition_values(m: Definition, motion: Motion) -> dict[str, Array]:
    """Start values of these variables at a motion: s as it is there, or as its law has it at the start."""
    values = {angle_variable(name): np.array([motion.angles[name]]) for name in stacked_angles(m)}
    for part in m.conditions:
        turned = np.array([motion.angles[name] for name in part.follows])
        values |= {angle_variable(name): np.array([motion.angles[name]]) for name in part.follows}
        if part.shifted:
            q = np.concatenate([motion.q[mover.name] for mover in part.movers])
            position = None if part.law is None else part.law.position
            values[shift_variable(part)] = part.value(q, turned) if position is None else np.array([position(0.0)])
    return values
