"""Coordinates of a mechanism: per body the principal frame at the centre of mass, per particle its position.

A body is stored as q = (φ, d1, d2, d3): centre of mass and the three directors, in world axes. These are the twelve
coordinates of the director formulation, and at the same time the embedding of its pose, as an element of the direct
product SO(3) x R³: its velocity there is V = (ω; v) with ω in the principal axes and v in world axes. (Velocities of
the centre of mass in body axes, SE(3), would lose the angular momentum of jointed bodies in a midpoint step.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visviva._arrays import Array
from visviva.geometry.embedding import AbstractSpace, Flat, SO3xR3_SPACE
from visviva.geometry.quadratic import Affine, Quadratic, coincidence, product
from visviva.library.joints import Along, AlongChild, Dot, Meet, Rod, Row
from visviva.mechanism.parts import Body, Carrier, Ground, Joint, Pair, Particle

POSES = SO3xR3_SPACE


def space_of(carrier: Body | Particle) -> AbstractSpace:
    """Where its configuration lives."""
    return POSES if isinstance(carrier, Body) else Flat(3)


def as_built(carrier: Body | Particle) -> Array:
    """Its coordinates in the mechanism as built."""
    return POSES.point(carrier.R_WC, carrier.r_WC) if isinstance(carrier, Body) else carrier.r_W


def movers(pair: Pair) -> tuple[Body | Particle, ...]:
    """The ends of a pair that can move, parent first: their coordinates are what its functions depend on."""
    return tuple(end for end in (pair.parent, pair.child) if not isinstance(end, Ground))


def joint_rows(joint: Joint) -> Quadratic:
    """The constraint functions of a joint, in the order of its rows, over the coordinates of its movers."""
    return pair_functions(joint, joint.joint.rows)


def pair_functions(pair: Pair, rows: Sequence[Row]) -> Quadratic:
    """Functions of the relative placement of two frames, in the order of the rows, over the coordinates of the movers.

    d: origin of the child's frame less that of the parent's.
    """
    n = sum(space_of(mover).size for mover in movers(pair))
    found = Quadratic(np.zeros((0, n, n)), np.zeros((0, n)), np.zeros(0))
    d = _origin(pair, pair.child) - _origin(pair, pair.parent)
    for row in rows:
        match row:
            case Meet():
                found = found + coincidence(d)
            case Dot(parent, child):
                found = found + product(_axis(pair, pair.parent, parent), _axis(pair, pair.child, child))
            case Along(axis):
                found = found + product(_axis(pair, pair.parent, axis), d)
            case AlongChild(axis):
                found = found + product(_axis(pair, pair.child, axis), d)
            case Rod(length):
                whole = product(d, d, length**2)
                found = found + Quadratic(0.5 * whole.A, 0.5 * whole.b, 0.5 * whole.c)
    return found


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


def _origin(pair: Pair, end: Carrier) -> Affine:
    point = pair.frame_on(end)[1]
    if isinstance(end, Ground):
        return _constant(pair, point)
    arm = end.to_principal(point) if isinstance(end, Body) else np.zeros(3)
    return _material(pair, end, 1.0, arm)


def _axis(pair: Pair, end: Carrier, i: int) -> Affine:
    axis = pair.frame_on(end)[0][:, i]
    if isinstance(end, Body):
        return _material(pair, end, 0.0, end.R_WC.T @ axis)
    return _constant(pair, axis)


def _material(pair: Pair, end: Body | Particle, weight: float, arm: Array) -> Affine:
    """weight φ + Σ arm_i d_i of one end, as a function of the coordinates of both."""
    blocks = []
    for mover in movers(pair):
        weights = (
            np.append(weight, arm)[: space_of(mover).size // 3] if mover is end else np.zeros(space_of(mover).size // 3)
        )
        blocks.append(np.kron(weights, np.eye(3)))
    return Affine(np.hstack(blocks), np.zeros(3))


def _constant(pair: Pair, value: Array) -> Affine:
    return Affine(np.zeros((3, sum(space_of(mover).size for mover in movers(pair)))), value)
