"""Coordinates of a mechanism: per body the principal frame at the centre of mass, per particle its position.

A body is stored as q = (φ, d1, d2, d3): centre of mass and the three directors, in world axes. These are the twelve
coordinates of the director formulation, and at the same time the embedding of its pose, as an element of the direct
product SO(3) x R³: its velocity there is V = (ω; v) with ω in the principal axes and v in world axes. (Velocities of
the centre of mass in body axes, SE(3), would lose the angular momentum of jointed bodies in a midpoint step.)
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.geometry.embedding import AbstractSpace, Flat, SO3xR3_SPACE
from visviva.geometry.quadratic import Affine, Quadratic, coincidence, product
from visviva.library.joints import Dot, Meet
from visviva.mechanism.parts import Body, Carrier, Ground, Joint, Particle

POSES = SO3xR3_SPACE


def space_of(carrier: Body | Particle) -> AbstractSpace:
    """Where its configuration lives."""
    return POSES if isinstance(carrier, Body) else Flat(3)


def as_built(carrier: Body | Particle) -> Array:
    """Its coordinates in the mechanism as built."""
    return POSES.point(carrier.R_WC, carrier.r_WC) if isinstance(carrier, Body) else carrier.r_W


def movers(joint: Joint) -> tuple[Body | Particle, ...]:
    """The ends of a joint that can move, parent first: their coordinates are what the joint's rows depend on."""
    return tuple(end for end in (joint.parent, joint.child) if not isinstance(end, Ground))


def joint_rows(joint: Joint) -> Quadratic:
    """The constraint functions of a joint, in the order of its rows, over the coordinates of its movers."""
    rows: list[Quadratic] = []
    for row in joint.joint.rows:
        match row:
            case Meet():
                rows.append(coincidence(_origin(joint, joint.child) - _origin(joint, joint.parent)))
            case Dot(parent, child):
                rows.append(product(_axis(joint, joint.parent, parent), _axis(joint, joint.child, child)))
    return sum(rows[1:], rows[0])


def joint_angle(joint: Joint) -> Quadratic:
    """(cos θ, sin θ) of a joint that turns: x of the child against x and y of the parent."""
    x_child = _axis(joint, joint.child, 0)
    return product(_axis(joint, joint.parent, 0), x_child) + product(_axis(joint, joint.parent, 1), x_child)


def orthonormality() -> Quadratic:
    """The six internal constraints of the directors, ½(d_i·d_i - 1) and d_i·d_j, over q = (φ, d1, d2, d3).

    Order d1d1, d2d2, d3d3, d1d2, d1d3, d2d3; Latussek, Kinon, Betsch, eq. (26) (their (27) has a stray ½).
    """
    d = [Affine(np.kron(np.eye(4)[1 + i], np.eye(3)), np.zeros(3)) for i in range(3)]
    squares = [product(d[i], d[i], 1.0) for i in range(3)]
    halved = [Quadratic(0.5 * g.A, g.b, 0.5 * g.c) for g in squares]
    rows = [*halved, *(product(d[i], d[j]) for i, j in ((0, 1), (0, 2), (1, 2)))]
    return sum(rows[1:], rows[0])


def _origin(joint: Joint, end: Carrier) -> Affine:
    if isinstance(end, Ground):
        return _constant(joint, joint.r_W)
    arm = end.to_principal(joint.r_W) if isinstance(end, Body) else np.zeros(3)
    return _material(joint, end, 1.0, arm)


def _axis(joint: Joint, end: Carrier, i: int) -> Affine:
    axis = joint.R_W[:, i]
    if isinstance(end, Body):
        return _material(joint, end, 0.0, end.R_WC.T @ axis)
    return _constant(joint, axis)


def _material(joint: Joint, end: Body | Particle, weight: float, arm: Array) -> Affine:
    """weight φ + Σ arm_i d_i of one end, as a function of the coordinates of both."""
    blocks = []
    for mover in movers(joint):
        weights = (
            np.append(weight, arm)[: space_of(mover).size // 3] if mover is end else np.zeros(space_of(mover).size // 3)
        )
        blocks.append(np.kron(weights, np.eye(3)))
    return Affine(np.hstack(blocks), np.zeros(3))


def _constant(joint: Joint, value: Array) -> Affine:
    return Affine(np.zeros((3, sum(space_of(mover).size for mover in movers(joint)))), value)
