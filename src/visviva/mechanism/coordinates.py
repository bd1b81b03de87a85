"""Coordinates of a mechanism: per body the principal frame at the centre of mass, per particle its position.

A body is stored as q = (φ, d1, d2, d3): centre of mass and the three directors, in world axes. These are the twelve
coordinates of the director formulation, and at the same time the embedding of its pose, as an element of the direct
product SO(3) x R³: its velocity there is V = (ω; v) with ω in the principal axes and v in world axes. (Velocities of
the centre of mass in body axes, SE(3), would lose the angular momentum of jointed bodies in a midpoint step.)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3
from visviva.geometry.embedding import AbstractSpace, Flat, SO3xR3_SPACE
from visviva.geometry.quadratic import Affine, Quadratic, products
from visviva.library.joints import TURN, Product
from visviva.mechanism.parts import Body, Carrier, Frame, Ground, Joint, Pair, Particle

POSES = SO3xR3_SPACE


def space_of(carrier: Body | Particle) -> AbstractSpace:
    """Where its configuration lives."""
    return POSES if isinstance(carrier, Body) else Flat(3)


def as_built(carrier: Body | Particle) -> Array:
    """Its coordinates in the mechanism as built."""
    return POSES.point(carrier.R_WC, carrier.r_WC) if isinstance(carrier, Body) else carrier.r_W


def frame_in_body(part: Body | Frame) -> SE3:
    """X_CF: the frame of a body, or a named frame on one, in its principal axes."""
    if isinstance(part, Body):
        return SE3(part.R_BC, part.com).inverse()
    assert isinstance(part.carrier, Body)
    return SE3(part.carrier.R_WC, part.carrier.r_WC).inverse() @ SE3(part.R_WF, part.r_WF)


def movers(pair: Pair) -> tuple[Body | Particle, ...]:
    """The ends of a pair that can move, parent first: their coordinates are what its functions depend on."""
    return tuple(end for end in (pair.parent, pair.child) if not isinstance(end, Ground))


def joint_rows(joint: Joint) -> Quadratic:
    """The constraint functions of a joint, in the order of its rows, over the coordinates of its movers."""
    return pair_functions(joint, joint.joint.rows)


def pair_functions(pair: Pair, rows: Sequence[Product]) -> Quadratic:
    """Functions of the relative placement of two frames, in the order of the rows, over the coordinates of the movers.

    All are products of two vectors of the pair, see `library.joints.scalars`, each of them affine in the coordinates.
    """
    return _placed_functions(_Placed(pair, tuple(rows)))


@final
class _Placed:
    """A pair and its rows, equal to any other one of the same numbers."""

    def __init__(self, pair: Pair, rows: tuple[Product, ...]) -> None:
        self.pair, self.rows = pair, rows
        frames = (*pair.frame_on(pair.parent), *pair.frame_on(pair.child))
        ends = (pair.parent, pair.child)
        bodies = [array for end in ends if isinstance(end, Body) for array in (end.R_WC, end.r_WC)]
        self._key = (rows, type(ends[0]), type(ends[1]), *(array.tobytes() for array in (*frames, *bodies)))
        self._hash = hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Placed) and self._key == other._key


@lru_cache(1024)  # joints of mechanisms with other masses are the same
def _placed_functions(placed: _Placed) -> Quadratic:
    pair, rows = placed.pair, placed.rows
    blocks = sum(space_of(mover).size // 3 for mover in movers(pair))
    parent, child = _affine_frame(pair, pair.parent, blocks), _affine_frame(pair, pair.child, blocks)
    d_a, d_s = child.a[3] - parent.a[3], child.s[3] - parent.s[3]
    vectors = Affine(  # in the order of `Vector`
        np.concatenate([parent.a[:3], child.a[:3], [d_a], np.zeros((3, blocks))]),
        np.concatenate([parent.s[:3], child.s[:3], [d_s], np.eye(3)]),
    )
    u, w = vectors[[row.u for row in rows]], vectors[[row.w for row in rows]]
    factor = np.array([row.factor for row in rows])[:, None]
    return products(Affine(factor * u.a, factor * u.s), w, np.array([row.c for row in rows]))


def joint_angle(joint: Joint) -> Quadratic:
    """(cos θ, sin θ) of a joint that turns: x of the child against x and y of the parent."""
    return pair_functions(joint, (TURN.cos, TURN.sin))


@cache
def orthonormality() -> Quadratic:
    """The six internal constraints of the directors, ½(d_i·d_i - 1) and d_i·d_j, over q = (φ, d1, d2, d3).

    Order d1d1, d2d2, d3d3, d1d2, d1d3, d2d3; Latussek, Kinon, Betsch, eq. (26) (their (27) has a stray ½).
    """
    d = Affine(np.eye(4)[1:], np.zeros((3, 3)))
    left, right = d[[0, 1, 2, 0, 0, 1]], d[[0, 1, 2, 1, 2, 2]]
    half = np.array([0.5, 0.5, 0.5, 1.0, 1.0, 1.0])
    return products(Affine(half[:, None] * left.a, left.s), right, np.array([0.5, 0.5, 0.5, 0.0, 0.0, 0.0]))


def _affine_frame(pair: Pair, end: Carrier, blocks: int) -> Affine:
    """The axes x, y, z and the origin of the frame on one end; what does not turn has constant axes.

    On a body, with the principal axes R_WC as built: an axis is Σ (R_WCᵀ axis)_i d_i, the origin φ + Σ arm_i d_i.
    """
    R_WF, r_WF = pair.frame_on(end)
    a, s = np.zeros((4, blocks)), np.zeros((4, 3))
    first = 0 if end is movers(pair)[0] else blocks - (4 if isinstance(end, Body) else 1)
    if isinstance(end, Body):
        R_WC = end.R_WC
        a[:3, first + 1 : first + 4] = R_WF.T @ R_WC
        a[3, first] = 1.0
        a[3, first + 1 : first + 4] = (r_WF - end.r_WC) @ R_WC
        return Affine(a, s)
    s[:3] = R_WF.T
    if isinstance(end, Particle):
        a[3, first] = 1.0
    else:
        s[3] = r_WF
    return Affine(a, s)
