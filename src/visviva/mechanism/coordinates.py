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
from visviva.geometry.linear import transpose
from visviva.geometry.quadratic import Affine, Quadratic, many_products
from visviva.library.joints import TURN, Product
from visviva.mechanism.parts import Body, Carrier, Frame, Ground, Joint, Pair, Particle

POSES = SO3xR3_SPACE
MANY = 200  # pairs, from which on it pays to take them together


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
    vectors = _affine_vectors([placed.pair])
    u, w = _factors(Affine(vectors.a[0], vectors.s[0]), placed.rows)
    return Quadratic(u, w, np.array([row.c for row in placed.rows]))


def many_pair_functions(given: Sequence[tuple[Pair, tuple[Product, ...]]]) -> list[Quadratic]:
    """`pair_functions` of many pairs, all those at once that have the same rows between ends of the same kinds."""
    if len(given) < MANY:
        return [pair_functions(pair, rows) for pair, rows in given]
    kinds: dict[object, list[int]] = {}
    for k, (pair, rows) in enumerate(given):
        factors = tuple((row.u, row.w) for row in rows)
        kinds.setdefault((factors, type(pair.parent), type(pair.child)), []).append(k)
    found: dict[int, Quadratic] = {}
    for numbers in kinds.values():
        alike, rows = [given[k][0] for k in numbers], given[numbers[0]][1]
        u, w = _factors(_affine_vectors(alike), rows)
        offset = np.array([[row.c for row in given[k][1]] for k in numbers])
        found |= zip(numbers, many_products(u, w, offset), strict=True)
    return [found[k] for k in range(len(given))]


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
    return Quadratic(Affine(half[:, None] * left.a, left.s), right, np.array([0.5, 0.5, 0.5, 0.0, 0.0, 0.0]))


def _factors(vectors: Affine, rows: Sequence[Product]) -> tuple[Affine, Affine]:
    """Both factors of products of vectors, (..., m), as affine functions."""
    first, second, factor = [row.u for row in rows], [row.w for row in rows], np.array([row.factor for row in rows])
    u = Affine(factor[:, None] * vectors.a[..., first, :], factor[:, None] * vectors.s[..., first, :])
    return u, Affine(vectors.a[..., second, :], vectors.s[..., second, :])


def _affine_vectors(pairs: Sequence[Pair]) -> Affine:
    """The vectors of pairs between ends of the same kinds, in the order of `Vector`, (N, 10)."""
    blocks = sum(space_of(mover).size // 3 for mover in movers(pairs[0]))
    parents, children = [pair.parent for pair in pairs], [pair.child for pair in pairs]
    first = blocks - (4 if isinstance(children[0], Body) else 1)
    parent, child = _affine_frames(pairs, parents, blocks, 0), _affine_frames(pairs, children, blocks, first)
    a, s = np.zeros((len(pairs), 10, blocks)), np.zeros((len(pairs), 10, 3))
    a[:, 0:3], a[:, 3:6], a[:, 6] = parent.a[:, :3], child.a[:, :3], child.a[:, 3] - parent.a[:, 3]
    s[:, 0:3], s[:, 3:6], s[:, 6] = parent.s[:, :3], child.s[:, :3], child.s[:, 3] - parent.s[:, 3]
    s[:, 7:10] = np.eye(3)
    return Affine(a, s)


def _affine_frames(pairs: Sequence[Pair], ends: Sequence[Carrier], blocks: int, first: int) -> Affine:
    """Axes x, y, z and origins of the frames on one end of pairs, (N, 4); what does not turn has constant axes.

    On a body, with the principal axes R_WC as built: an axis is Σ (R_WCᵀ axis)_i d_i, the origin φ + Σ arm_i d_i.
    first: place of φ among the 3-vectors of the movers.
    """
    frames = [pair.frame_on(end) for pair, end in zip(pairs, ends, strict=True)]
    R_WF, r_WF = np.array([R for R, _ in frames]), np.array([r for _, r in frames])
    a, s = np.zeros((len(pairs), 4, blocks)), np.zeros((len(pairs), 4, 3))
    if isinstance(ends[0], Body):
        bodies = [end for end in ends if isinstance(end, Body)]
        R_WC, r_WC = np.array([body.R_WC for body in bodies]), np.array([body.r_WC for body in bodies])
        a[:, :3, first + 1 : first + 4] = transpose(R_WF) @ R_WC
        a[:, 3, first] = 1.0
        a[:, 3, first + 1 : first + 4] = ((r_WF - r_WC)[:, None] @ R_WC)[:, 0]
        return Affine(a, s)
    s[:, :3] = transpose(R_WF)
    if isinstance(ends[0], Particle):
        a[:, 3, first] = 1.0
    else:
        s[:, 3] = r_WF
    return Affine(a, s)
