"""A mechanism as a structure of ports and screws, at a state."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from visviva._arrays import Array
from visviva.geometry.hat import skew
from visviva.mechanism.losses import ENTROPY, FRICTION, HEAT, LOSS, rubbing
from visviva.mechanism.parts import Force, Torque
from visviva.model.inner import instant_efforts
from visviva.numerics.rank import significant, unit_rows
from visviva.results.boxes import port_force
from visviva.results.kinestatics import kinestatics as network_of
from visviva.testing.laws import require
from visviva.testing.readings.instant import Instant


def implicit(now: Instant) -> None:
    """Rates, efforts and flows of the Model satisfy the implicit port-Hamiltonian system, and its power balance."""
    m = now.case.mechanism
    network = m.kinestatics(now.motion)
    system = network.implicit()
    reactions = now.form.reactions(now.q, now.xi, now.s)
    inputs = now.case.constant_inputs | {part.name: reactions[part.name] for part in m.conditions if part.law}
    z = instant_efforts(now.model, now.x[None], now.u[None])
    for box in m.boxes:
        inputs |= {box.variable(port): port_force(now.model, box, port, z, (now.x[None],) * 2)[0] for port in box.along}
    V_dot = dict(zip((body.name for body in m.bodies), now.split_by_body(now.v_dot), strict=True))
    x_dot, dH = network.x_dot(V_dot, inputs), network.dH()
    f, e = network.flows(), network.efforts(inputs)
    sides = ((system.F1, x_dot, True), (system.E1, dH, False), (system.F2, f, True), (system.E2, e, False))
    terms = sum(np.abs(matrix) @ _sizes(now, values, flows) for matrix, values, flows in sides)
    apart = max(now.units.length, 1 / now.units.length)  # it is composed of turns and shifts in SI units
    require("equations", system.residual(x_dot, dH, f, e) / terms, 0.0, 1e-11 * apart, 1.0)
    stored = [float(dH[name] @ x_dot[name]) for name in system.states]
    supplied = [float(e[name] @ f[name]) for name in system.ports]
    size = max(now.units.power, *(abs(part) for part in (*stored, *supplied)))
    require("power", sum(stored), sum(supplied), 1e-9, size)


def _sizes(now: Instant, values: Mapping[str, Array], flows: bool) -> Array:
    """How large values at ports are, one after the other: no less than one unit, where that is known."""
    units, sizes = now.units, [np.zeros(0)]
    twist = np.array(3 * [1.0] + 3 * [units.length]) / units.time
    heats = {f"{node.name}{word}": word == ENTROPY for node in now.case.mechanism.thermals for word in (ENTROPY, HEAT)}
    arms = _arms(now)
    for name, value in values.items():
        if name in heats:  # temperatures, which are differences, and entropies
            theta0 = now.model.theta0
            unit = np.array([units.power / theta0 if heats[name] == flows else theta0])
        elif name in arms:
            unit = arms[name] / units.time if flows else units.energy / arms[name]
        elif len(value) in (3, 6):  # momenta have wrenches as rates
            unit = twist if flows != name.endswith((".P", ".p")) else units.power / twist
            unit = unit[-len(value) :]
        else:  # of motors and drives, which may be anything
            rates, forces = min(1.0, units.length) / units.time, units.energy * min(1.0, 1 / units.length)
            unit = np.full(len(value), rates if flows else forces)
        sizes.append(np.maximum(np.abs(value), unit))
    return np.concatenate(sizes)


def _arms(now: Instant) -> dict[str, Array]:
    """Units of the coordinates of joints at which something acts, by its port: 1 of angles, the length of others."""
    m, found = now.case.mechanism, dict[str, Array]()
    of = {joint.name: now.units.coordinates(joint) for joint in m.joints}
    for joint in m.joints:
        if rubbing(joint):
            found[f"{joint.name}{FRICTION}"] = of[joint.name] if len(joint.friction) else np.ones(3)
    for part in m.joint_elements:
        arms = np.array([of[one.joint.name][one.number] for one in part.coordinates])
        found[part.name] = found[f"{part.name}{LOSS}"] = arms
    for stop in m.stops:
        found[stop.name] = found[f"{stop.name}{LOSS}"] = of[stop.joint.name][stop.at.number :][:1]
    for port in m.ports:
        if isinstance(port, Torque | Force):
            found[port.name] = of[port.joint.name][port.at.number :][:1]
    return found


def world_twists(now: Instant) -> Array:
    """Twists of all bodies in the world at its origin over the velocities of the Model, (6 or 3 per body, m)."""
    from scipy.linalg import block_diag

    blocks = []
    for body in now.case.mechanism.bodies:
        q = now.motion.q[body.name]
        if len(q) == 3:
            blocks.append(np.eye(3))
            continue
        R = q[3:].reshape(3, 3).T
        blocks.append(np.block([[R, np.zeros((3, 3))], [skew(q[:3]) @ R, np.eye(3)]]))
    return block_diag(*blocks)


def admissible(now: Instant) -> Array:
    """Velocities that the rows of the Model allow, drives at rest: a basis, orthonormal in units of the mechanism."""
    unit = now.units.body_velocities(now.form)
    C = unit_rows(now.model.C(now.x)[:, now.form.at_z] * unit)[0]
    if not len(C):
        return unit[:, None] * np.eye(C.shape[1])
    _, sizes, Vt = np.linalg.svd(C)
    return unit[:, None] * Vt[int(significant(sizes).sum()) :].T


def kinestatics(now: Instant) -> None:
    """The twists that the network allows are those of the null space of the Model's constraint rows."""
    network = network_of(now.case.mechanism, now.motion)
    N = admissible(now)
    require("mobility", network.mobility(), N.shape[1], 0.0)
    G, twists = network.kinestatics.constraints(), world_twists(now) @ N
    sizes = np.abs(G) @ np.abs(world_twists(now)) @ now.units.body_velocities(now.form)  # of motions without joints
    require("allowed twists", G @ twists / np.where(sizes > 0, sizes, 1.0)[:, None], 0.0, 1e-10, 1.0)
    require("rank", network.rank(), len(N) - N.shape[1], 0.0)


def interconnection(now: Instant) -> None:
    """The velocities that ports admit, and those that pairs admit, are those of the Model."""
    from scipy.linalg import block_diag

    joined = now.case.mechanism.interconnection(now.motion)
    bodies = now.case.mechanism.bodies
    spaces = (now.model.spaces[f"{body.name}.q"] for body in bodies)
    lifts = [space.lift(q) for space, q in zip(spaces, now.motion.q.values(), strict=True)]
    Q = np.linalg.qr(block_diag(*lifts) @ admissible(now))[0]
    for found in (joined.admissible(), joined.admissible_by_pairs()):
        require("dimension", found.shape, Q.shape, 0.0)
        require("admissible velocities", found @ found.T, Q @ Q.T, 1e-9, 1.0)
