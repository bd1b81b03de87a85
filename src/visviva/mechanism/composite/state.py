"""Values of the variables of a composite at a motion of its mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.geometry.embedding import origin
from visviva.library.multibody.body import heavy_axes
from visviva.mechanism.assembly import StateLike, motion_of
from visviva.mechanism.composite.boxes import box_values
from visviva.mechanism.composite.carriers import has_ground
from visviva.mechanism.composite.closure import counter_box
from visviva.mechanism.composite.wiring import GROUND, Wiring
from visviva.mechanism.coordinates import POSES
from visviva.mechanism.coupling import Coupling
from visviva.mechanism.linkage import mass_vector
from visviva.mechanism.other_states import entropy_at, flux_at
from visviva.mechanism.parts import Body, Particle
from visviva.mechanism.spring_slopes import measured

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition


def state_of(m: Definition, at: StateLike | None = None, *, ground: bool = False) -> dict[str, Array]:
    """Values of the variables of `composite_of(m)` at a motion, as assembled by default.

    ground: whether it is one of them, where nothing of the mechanism holds to it.
    """
    motion = motion_of(m, at)
    net = Wiring(m)
    names = net.names
    values: dict[str, Array] = {}
    if ground or has_ground(m):
        values[f"q_{GROUND}"] = origin(POSES)
    for body in m.bodies:
        values[f"q_{names[body.name]}"] = motion.q[body.name]
        if body.mass:
            name, axes = momentum_variable(body, names[body.name])
            values[name] = axes.T @ (mass_vector(body) * motion.V[body.name])
    for element in m.elements:
        values[f"{names[element.name]}.y"] = measured(element, motion)
    for along in m.joint_elements:
        if along.energy is not None:
            values[f"{names[along.name]}.{along.port}"] = measured(along, motion)
    for stop in m.stops:
        values[f"{names[stop.name]}.y"] = measured(stop, motion)
    for part in m.conditions:
        if isinstance(part, Coupling) and part.name in names and part.law is None:
            for k, term in enumerate(part.terms):
                if term.turns:
                    values[f"{names[part.name]}.{counter_box(k)}"] = np.array([motion.angles[term.angle]])
    for motor in m.motors:
        values[f"flux_{names[motor.name]}"] = np.array([flux_at(motor, motion.others)])
    for node in m.thermals:
        values[f"s_{names[node.name]}"] = np.array([entropy_at(node, motion.others)])
    return values | box_values(net, motion)


def momentum_variable(body: Body | Particle, box: str) -> tuple[str, Array]:
    """The variable of its momentum, and the axes (6, k) or (3, k) of those that it has: a thin rod has not all."""
    if isinstance(body, Particle):
        return f"p_{box}", np.eye(3)
    moments, E = heavy_axes(np.diag(body.J_C))
    return (f"p_{box}", np.eye(6)) if len(moments) == 3 else (f"{box}.p_k", E)
