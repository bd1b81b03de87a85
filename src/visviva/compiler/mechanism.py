"""A mechanism as a Model, in two forms that share configuration, constraints, friction and ports.

"lie":        velocities are V = (ω; v) ∈ R⁶, ω in principal axes and v in world axes, M = diag(J, m I), gyroscopic J;
              the pose is in SO(3) x R³.
"directors":  velocities are those of centre of mass and directors, v ∈ R¹², M = diag(m I, E1 I, E2 I, E3 I) with
              E_i = ½ (J_j + J_k - J_i), no gyroscopic term, six internal constraints per body; Latussek, Kinon,
              Betsch, eqs. (24)-(31).
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry.embedding import AbstractSpace, Flat
from visviva.mechanism import Mechanism, Motion
from visviva.mechanism.assembly import mass_vector
from visviva.mechanism.coordinates import POSES, joint_angle, joint_rows, movers, orthonormality, space_of
from visviva.mechanism.parts import Body, Joint, Particle, Torque
from visviva.mechanism.parts import Port as MechanismPort
from visviva.model import Kinetic, Linear, Model, Port, Variable, canonical
from visviva.model.body import Gyroscopic, PosePort
from visviva.model.holonomic import Holonomic
from visviva.model.storage import AbstractStorage
from visviva.model.structure import AbstractStructure
from visviva.model.turn import Turn, TurnFriction, TurnPort

FORMS = ("lie", "directors")


def compile_mechanism(m: Mechanism, form: str = "lie") -> Model:
    """The Model of a mechanism. Variables are `<body>.q` and `<body>.v`, multipliers go by the joint's name."""
    if form not in FORMS:
        raise ModelError(f"a mechanism has no form {form!r}; there are {', '.join(FORMS)}.")
    if not m.bodies:
        raise ModelError(f"mechanism {m.name!r} has no bodies. Add one: m.body(...) or m.particle(...).")
    m = m.snapshot()
    spaces = {part.name: _space(part, form) for part in m.bodies}
    variables = [Variable(f"{name}.q", space) for name, space in spaces.items()]
    variables += [Variable(f"{name}.v", Flat(space.dim)) for name, space in spaces.items()]
    storages: list[AbstractStorage] = []
    structures: list[AbstractStructure] = []
    for part in m.bodies:
        space = spaces[part.name]
        M = np.diag(_director_masses(part) if form == "directors" else mass_vector(part))
        storages.append(Kinetic(part.name, f"{part.name}.v", M))
        if m.gravity.any():
            weight = np.zeros(space.size)
            weight[:3] = -part.mass * m.gravity
            storages.append(Linear(part.name, f"{part.name}.q", weight))
        structures.append(canonical(part.name, f"{part.name}.q", f"{part.name}.v", space.dim))
        if isinstance(part, Body):
            structures.append(_body_structure(part, space, M, form))
    turns = tuple(_turn(joint, spaces) for joint in m.joints if joint.joint.turns)
    structures += [_constraint(joint, spaces) for joint in m.joints]
    structures += [
        TurnFriction(joint.name, *_names(joint), _turn(joint, spaces), joint.friction)
        for joint in m.joints
        if joint.friction > 0
    ]
    structures += [_port(port, spaces) for port in m.ports]
    return Model(
        m.name,
        tuple(variables),
        tuple(storages),
        tuple(structures),
        theta0=m.theta0,
        turns=turns,
        mechanism=m,
    )


def initial_x(model: Model, motion: Motion) -> Array:
    """The state of a mechanism's model for a given motion."""
    values: dict[str, Array] = {}
    for name, q in motion.q.items():
        space = next(variable.space for variable in model.variables if variable.name == f"{name}.q")
        values[f"{name}.q"] = q
        lifted = isinstance(space, Flat) and space.n == POSES.size
        values[f"{name}.v"] = POSES.lift(q) @ motion.V[name] if lifted else motion.V[name]
    return model.pack(values)


def lie_state(model: Model, lie: Model, x: Array) -> Array:
    """Configurations of a state (in either form) as a state of the Lie form, with zero velocities; batches too."""
    result = np.zeros((*x.shape[:-1], lie.layout.size))
    for variable in lie.variables:
        if variable.name not in lie.kinetic:
            result[..., lie.layout.x[variable.name]] = x[..., model.layout.x[variable.name]]
    return result


def _space(part: Body | Particle, form: str) -> AbstractSpace:
    return Flat(space_of(part).size) if form == "directors" else space_of(part)


def _director_masses(part: Body | Particle) -> Array:
    if isinstance(part, Particle):
        return mass_vector(part)
    euler = 0.5 * part.J_C.sum() - part.J_C
    return np.repeat(np.append(part.mass, np.where(euler > 1e-12 * part.J_C.sum(), euler, 0.0)), 3)


def _body_structure(part: Body, space: AbstractSpace, M: Array, form: str) -> AbstractStructure:
    if form == "lie":
        return Gyroscopic(part.name, (f"{part.name}.v",), (f"{part.name}.v",), M)
    names = (f"{part.name}.q",), (f"{part.name}.v",)
    return Holonomic(f"{part.name}.directors", *names, orthonormality(), (space,), internal=True)


def _names(joint: Joint) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(f"{end.name}.q" for end in movers(joint)), tuple(f"{end.name}.v" for end in movers(joint))


def _constraint(joint: Joint, spaces: dict[str, AbstractSpace]) -> Holonomic:
    ends = tuple(spaces[end.name] for end in movers(joint))
    return Holonomic(joint.name, *_names(joint), joint_rows(joint), ends)


def _turn(joint: Joint, spaces: dict[str, AbstractSpace]) -> Turn:
    ends = tuple(spaces[end.name] for end in movers(joint))
    return Turn(joint.name, _names(joint)[0], joint_angle(joint), ends)


def _port(port: MechanismPort, spaces: dict[str, AbstractSpace]) -> AbstractStructure:
    if isinstance(port, Torque):
        return TurnPort(port.name, *_names(port.joint), _turn(port.joint, spaces))
    name = port.carrier.name
    if isinstance(port.carrier, Particle):
        return Port(port.name, (f"{name}.v",), 3, np.eye(3))
    return PosePort(port.name, (f"{name}.q",), (f"{name}.v",), spaces[name])
