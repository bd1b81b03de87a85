"""Bodies, particles and the ground as boxes with the junctions q_<name> and p_<name>."""

from __future__ import annotations

from typing import TYPE_CHECKING

from visviva.language import Composite
from visviva.library.multibody import ground, massless_body, particle, rigid_body
from visviva.mechanism.composite.wiring import GROUND, Wiring
from visviva.mechanism.parts import Body, Ground, Pair, Particle

if TYPE_CHECKING:
    from visviva._arrays import Array
    from visviva.mechanism.definition import Definition

GROUP = "SO3xR3"


def add_carriers(net: Wiring, shows_ground: bool) -> None:
    """The ground where something holds to it, or it is shown; then all that moves."""
    carriers: dict[str, Composite] = {}
    if shows_ground or has_ground(net.m):
        carriers[GROUND] = ground(GROUP)
    carriers |= {net.names[body.name]: _body(body, net.m.gravity) for body in net.m.bodies}
    for name, system in carriers.items():
        net.add(name, system, {port: f"{port}_{name}" for port in system.interface})


def has_ground(m: Definition) -> bool:
    """Whether a joint, a spring or a port of a box ends at the ground."""
    pairs: list[Pair] = [*(part for part in m.joints if part.joint.rows or part.joint.sums), *m.elements]
    pairs += [one for box in m.boxes for one in box.pairs.values()]
    return any(isinstance(end, Ground) for pair in pairs for end in (pair.parent, pair.child))


def _body(body: Body | Particle, gravity: Array) -> Composite:
    if isinstance(body, Particle):
        return particle(body.mass, gravity)
    return rigid_body(body.mass, body.J_C, gravity, GROUP) if body.mass else massless_body()
