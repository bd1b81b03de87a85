"""A mechanism as a Model, in two forms that share configuration, constraints, friction and ports.

"lie":        velocities are V = (ω; v) ∈ R⁶, ω in principal axes and v in world axes, M = diag(J, m I), gyroscopic J;
              the pose is in SO(3) x R³.
"directors":  velocities are those of centre of mass and directors, v ∈ R¹², M = diag(m I, E1 I, E2 I, E3 I) with
              E_i = ½ (J_j + J_k - J_i), no gyroscopic term, six internal constraints per body; Latussek, Kinon,
              Betsch, eqs. (24)-(31).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from visviva._arrays import Array
from visviva.compiler.boxes import BoxBlocks, box_states, turned_with
from visviva.compiler.conditions import ConditionBlocks, condition_values
from visviva.compiler.elements import ElementBlocks, check_springs, coordinate_measure, joint_element_values
from visviva.compiler.losses import LossBlocks, heated, loss_states, voltage_port
from visviva.errors import ModelError
from visviva.geometry.embedding import AbstractSpace, Flat
from visviva.library.joints import Angle
from visviva.mechanism import Definition, Mechanism, Motion, definition_of
from visviva.mechanism.coordinates import (
    POSES,
    many_pair_functions,
    movers,
    orthonormality,
    pair_functions,
    space_of,
)
from visviva.mechanism.joint_coordinates import turn_names
from visviva.mechanism.linkage import director_masses, mass_vector
from visviva.mechanism.parts import Body, Force, Joint, Motor, Particle, Torque
from visviva.mechanism.parts import Port as MechanismPort
from visviva.model import Kinetic, Linear, Model, Port, Variable, canonical
from visviva.model.body import Gyroscopic, PosePort
from visviva.model.holonomic import Holonomic
from visviva.model.measured import MeasuredAngle, MeasuredDissipation, MeasuredPort
from visviva.model.storage import AbstractStorage
from visviva.model.structure import AbstractDissipation, AbstractStructure
from visviva.model.turn import Turn, TurnFriction, TurnPort

FORMS = ("lie", "directors")


def compile_mechanism(m: Mechanism | Definition, form: str = "lie") -> Model:
    """The Model of a mechanism. Variables are `<body>.q` and `<body>.v`, multipliers go by the joint's name."""
    m = definition_of(m)
    if form not in FORMS:
        raise ModelError(f"a mechanism has no form {form!r}; there are {', '.join(FORMS)}.")
    if not m.bodies:
        raise ModelError(f"mechanism {m.name!r} has no bodies. Add one: m.body(...) or m.particle(...).")
    spaces = {part.name: _space(part, form) for part in m.bodies}
    variables = [Variable(f"{name}.q", space) for name, space in spaces.items()]
    variables += [Variable(f"{name}.v", Flat(space.dim)) for name, space in spaces.items()]
    storages: list[AbstractStorage] = []
    structures: list[AbstractStructure] = []
    for part in m.bodies:
        space = spaces[part.name]
        M = np.diag(director_masses(part) if form == "directors" else mass_vector(part))
        storages.append(Kinetic(part.name, f"{part.name}.v", M))
        if m.gravity.any():
            weight = np.zeros(space.size)
            weight[:3] = -part.mass * m.gravity
            storages.append(Linear(part.name, f"{part.name}.q", weight))
        structures.append(canonical(part.name, f"{part.name}.q", f"{part.name}.v", space.dim))
        if isinstance(part, Body):
            structures.append(_body_structure(part, space, M, form))
    angles = _turns(m, spaces)
    holding = [joint for joint in m.joints if joint.joint.rows]
    functions = many_pair_functions([(joint, joint.joint.rows) for joint in holding])
    structures += [
        Holonomic(joint.name, *_names(joint), g, _ends(joint, spaces))
        for joint, g in zip(holding, functions, strict=True)
    ]
    structures += [part for joint in m.joints for part in _frictions(joint, spaces, angles)]
    structures += [_port(port, spaces) for port in m.ports]
    springs, losses, conditions = ElementBlocks(m, spaces), LossBlocks(m, spaces), ConditionBlocks(m, spaces)
    boxes = BoxBlocks(m, spaces)
    acting = heated(m, [*structures, *springs.structures, *losses.structures])
    return Model(
        m.name,
        (*variables, *springs.variables, *losses.measured, *conditions.variables, *losses.others, *boxes.variables),
        (*storages, *springs.storages, *losses.storages, *boxes.storages),
        (*acting, *conditions.structures, *boxes.structures),
        junctions=tuple(boxes.junctions),
        reservoirs=(*losses.reservoirs, *boxes.reservoirs),
        theta0=m.theta0,
        turns=tuple(angles.values()),
        definition=m,
        form=form,
        laws=boxes.laws,
    )


def initial_x(model: Model, motion: Motion, *, inside: bool = True) -> Array:
    """The state of a mechanism's model for a given motion; inside: an error where a joint is beyond its stops."""
    values = {f"{name}.q": q for name, q in motion.q.items()} | {f"{name}.v": V for name, V in motion.V.items()}
    lifted = [name for name, q in motion.q.items() if len(q) == 12] if model.form == "directors" else []
    if lifted:
        q, V = (np.array([given[name] for name in lifted]) for given in (motion.q, motion.V))
        rates = POSES.push(q, V) if V.any() else np.zeros_like(q)
        values |= dict(zip((f"{name}.v" for name in lifted), rates, strict=True))
    assert model.definition is not None
    if _has_others(model.definition):
        values |= joint_element_values(model.definition, motion) | condition_values(model.definition, motion)
        values |= loss_states(model.definition, motion, inside) | box_states(model.definition, motion)
    x = model.pack(values)
    if model.definition.boxes:
        x = turned_with(model, motion, x)
    check_springs(model, x)
    return x


def _has_others(m: Definition) -> bool:
    """Whether it has variables beside those of its bodies that follow from a motion; kept with it."""
    made = m.made
    if _has_others not in made:
        made[_has_others] = bool(m.joint_elements or m.conditions or m.motors or m.thermals or m.stops or m.boxes)
    return bool(made[_has_others])


def lie_state(model: Model, lie: Model, x: Array) -> Array:
    """Configurations of a state (in either form) as a state of the Lie form, with zero velocities; batches too."""
    result = np.zeros((*x.shape[:-1], lie.layout.size))
    for variable in lie.variables:
        if variable.name not in lie.kinetic:
            result[..., lie.layout.x[variable.name]] = x[..., model.layout.x[variable.name]]
    return result


def _space(part: Body | Particle, form: str) -> AbstractSpace:
    return Flat(space_of(part).size) if form == "directors" else space_of(part)


def _body_structure(part: Body, space: AbstractSpace, M: Array, form: str) -> AbstractStructure:
    if form == "lie":
        return Gyroscopic(part.name, (f"{part.name}.v",), (f"{part.name}.v",), M)
    names = (f"{part.name}.q",), (f"{part.name}.v",)
    return Holonomic(f"{part.name}.directors", *names, orthonormality(), (space,), internal=True)


def _names(joint: Joint) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(f"{end.name}.q" for end in movers(joint)), tuple(f"{end.name}.v" for end in movers(joint))


def _ends(joint: Joint, spaces: dict[str, AbstractSpace]) -> tuple[AbstractSpace, ...]:
    return tuple(spaces[end.name] for end in movers(joint))


def _turns(m: Definition, spaces: dict[str, AbstractSpace]) -> dict[tuple[str, Angle], Turn]:
    """All angles that a run follows, by joint."""
    followed = [(joint, name, angle) for joint in m.joints for name, angle in turn_names(joint).items()]
    functions = many_pair_functions([(joint, (angle.cos, angle.sin)) for joint, _, angle in followed])
    return {
        (joint.name, angle): Turn(name, _names(joint)[0], cos_sin, _ends(joint, spaces))
        for (joint, name, angle), cos_sin in zip(followed, functions, strict=True)
    }


def _frictions(
    joint: Joint, spaces: dict[str, AbstractSpace], angles: dict[tuple[str, Angle], Turn]
) -> Iterator[AbstractDissipation]:
    """One for each coordinate that has some; they go by the joint's name."""
    for part, d in zip(joint.joint.coordinates, joint.friction, strict=True):
        if not d > 0:
            continue
        if isinstance(part, Angle):
            turn = dataclasses.replace(angles[joint.name, part], name=joint.name)
            yield TurnFriction(joint.name, *_names(joint), turn, float(d))
        else:
            y = pair_functions(joint, (part,))
            yield MeasuredDissipation(joint.name, *_names(joint), y, _ends(joint, spaces), np.array([[d]]))


def _port(port: MechanismPort, spaces: dict[str, AbstractSpace]) -> AbstractStructure:
    if isinstance(port, Torque | Force):
        ends = _names(port.joint)
        measure = coordinate_measure(port.at, port.name, *ends, _ends(port.joint, spaces))
        if isinstance(measure, MeasuredAngle):
            return TurnPort(port.name, *ends, measure.turn)
        return MeasuredPort(port.name, *ends, measure.y, measure.spaces)
    if isinstance(port, Motor):
        return voltage_port(port)
    name = port.carrier.name
    if isinstance(port.carrier, Particle):
        return Port(port.name, (f"{name}.v",), 3, np.eye(3))
    return PosePort(port.name, (f"{name}.q",), (f"{name}.v",), spaces[name], axes=port.R_CB)
