"""Functions of the relative placement of many pairs of frames at once: values, gradients over velocities, drift.

The functions are products of two vectors of a pair, see `library.joints.scalars`. Their gradients are forces: a row
pulls the child's origin with f, the parent's with -f, and turns both by moments τ.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array, Mask
from visviva.geometry import SO3
from visviva.geometry.linear import apply, dot, transpose
from visviva.library.joints import Family, Product, Vector
from visviva.mechanism.coordinates import POSES, space_of
from visviva.mechanism.parts import Body, Ground, Pair, Particle

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Int = NDArray[np.intp]
WORLD, STILL = np.eye(3), np.zeros((3, 3))  # axes of the world, and their rates


@final
@dataclass(frozen=True, eq=False)
class Placement:
    """Where bodies and frames are, for any leading batch shape; the ground is the last of the bodies."""

    q: Array  # (..., size)
    R: Array  # (..., bodies + 1, 3, 3)
    axes: Array  # (..., pairs, 2, 3, 3): axes of the frames on parent and child, in rows
    lever: Array  # (..., pairs, 2, 3): their origins, from the centres of mass
    d: Array  # (..., pairs, 3)


@final
class Kinematics:
    """Rows over the velocities of all bodies: (ω; v) of a body, see `coordinates`, v of a particle.

    rigid:      which of the bodies have an orientation.
    n, size, m: number of velocities, coordinates and scalar rows.   columns, places: of each body in these.
    rows:       where the rows of each pair are.   ends: parent and child of each pair, as numbers of bodies.
    arms, axes: of the frames on parent and child, in principal axes, (pairs, 2, 3) and (pairs, 2, 3, 3), in rows.
    pair:       of each scalar row.   products: what each of them is.
    """

    def __init__(
        self, bodies: Sequence[Body | Particle], pairs: Sequence[Pair], rows: Sequence[Sequence[Product]]
    ) -> None:
        self.bodies = tuple(bodies)
        self.rigid: Mask = np.array([isinstance(body, Body) for body in bodies], dtype=bool)
        self.columns = _slices(np.where(self.rigid, 6, 3).tolist())
        self.places = _slices(np.where(self.rigid, 12, 3).tolist())
        self.n = int(np.where(self.rigid, 6, 3).sum())
        self.size = int(np.where(self.rigid, 12, 3).sum())
        number = {body.name: k for k, body in enumerate(bodies)}
        ends = [end for pair in pairs for end in (pair.parent, pair.child)]
        numbers = [len(bodies) if isinstance(end, Ground) else number[end.name] for end in ends]
        self.ends: Int = np.array(numbers, dtype=np.intp).reshape(-1, 2)
        frames = [pair.frame_on(end) for pair in pairs for end in (pair.parent, pair.child)]
        R_WF = np.array([frame[0] for frame in frames]).reshape(-1, 2, 3, 3)
        r_WF = np.array([frame[1] for frame in frames]).reshape(-1, 2, 3)
        R, r = self._poses(self.as_built)
        self.axes = transpose(R_WF) @ R[self.ends]
        is_point = np.array([isinstance(end, Particle) for end in ends], dtype=bool).reshape(-1, 2, 1)
        self.arms = np.where(is_point, 0.0, apply(transpose(R[self.ends]), r_WF - r[self.ends]))
        self.rows = _slices(map(len, rows))
        self.products = tuple(itertools.chain.from_iterable(rows))
        self.m = len(self.products)
        self.pair: Int = np.repeat(np.arange(len(rows)), [len(given) for given in rows])
        self._u, self._w = np.array([(one.u, one.w) for one in self.products], dtype=np.intp).reshape(-1, 2).T
        self._factor, self._c = np.array([(one.factor, one.c) for one in self.products]).reshape(-1, 2).T
        self._pull = np.array([one.pull for one in self.products], dtype=float).reshape(-1, 2)
        self._turn = np.array([one.turn for one in self.products], dtype=float).reshape(-1, 2)

    @cached_property
    def reaches(self) -> Mask:
        """Which rows depend on where origins are, (m,); the others are products of axes."""
        return np.array([one.reaches for one in self.products], dtype=bool)

    @cached_property
    def rods(self) -> Array:
        """Length of the rows that keep a distance [m], else zero, (m,)."""
        return np.array([one.length if one.family is Family.ROD else 0.0 for one in self.products])

    # -- configurations -----------------------------------------------------------------------------------------

    @cached_property
    def as_built(self) -> Array:
        """Coordinates of all bodies as built, (size,)."""
        q = np.zeros(self.size)
        solid = [body for body in self.bodies if isinstance(body, Body)]
        points = [body for body in self.bodies if isinstance(body, Particle)]
        R_WB = np.array([body.R_WB for body in solid]).reshape(-1, 3, 3)
        R_WC = R_WB @ np.array([body.R_BC for body in solid]).reshape(-1, 3, 3)
        com = apply(R_WB, np.array([body.com for body in solid]).reshape(-1, 3))
        r_WC = np.array([body.r_WB for body in solid]).reshape(-1, 3) + com
        q[self._numbers(self.rigid, 12)] = POSES.point(R_WC, r_WC)
        q[self._numbers(~self.rigid, 3)] = np.array([body.r_W for body in points]).reshape(-1, 3)
        return q

    def _numbers(self, which: Mask, width: int) -> Int:
        """Where the coordinates of some bodies are, one line each."""
        first = np.array([place.start for place in self.places], dtype=np.intp)
        return first[which, None] + np.arange(width)

    def _poses(self, q: Array) -> tuple[Array, Array]:
        """Rotations and centres of mass of all bodies, then of the ground."""
        count = len(self.bodies) + 1
        R = np.broadcast_to(np.eye(3), (*q.shape[:-1], count, 3, 3)).copy()
        r = np.zeros((*q.shape[:-1], count, 3))
        r[..., :-1, :] = q[..., self._numbers(np.ones(count - 1, dtype=bool), 3)]
        directors = q[..., self._numbers(self.rigid, 12)[:, 3:]]
        R[..., np.flatnonzero(self.rigid), :, :] = transpose(directors.reshape(*directors.shape[:-1], 3, 3))
        return R, r

    def place(self, q: Array) -> Placement:
        """Bodies and frames at the coordinates q, (..., size)."""
        R, r = self._poses(q)
        R_WC = R[..., self.ends, :, :]
        lever = apply(R_WC, self.arms)
        origin = r[..., self.ends, :] + lever
        return Placement(q, R, self.axes @ transpose(R_WC), lever, origin[..., 1, :] - origin[..., 0, :])

    def origins(self, q: Array) -> Array:
        """Origins of the frames on parent and child in the world, (..., pairs, 2, 3)."""
        R, r = self._poses(q)
        return r[..., self.ends, :] + apply(R[..., self.ends, :, :], self.arms)

    def retract(self, q: Array, delta: Array) -> Array:
        """The configuration reached from q by the increments Δ of all bodies, (..., n)."""
        reached = np.empty((*np.broadcast_shapes(q.shape[:-1], delta.shape[:-1]), self.size))
        for members in (np.flatnonzero(self.rigid), np.flatnonzero(~self.rigid)):
            if len(members):
                space = space_of(self.bodies[members[0]])
                at = np.array([self.places[k].start for k in members])[:, None] + np.arange(space.size)
                columns = np.array([self.columns[k].start for k in members])[:, None] + np.arange(space.dim)
                reached[..., at] = space.retract(q[..., at], delta[..., columns])
        return reached

    def orthonormal(self, q: Array) -> Array:
        """The same with the rounding of many increments removed from the rotations."""
        clean, at = q.copy(), self._numbers(self.rigid, 12)
        R = SO3.nearest(POSES.rotation(q[..., at])).R
        clean[..., at] = POSES.point(R, POSES.translation(q[..., at]))
        return clean

    # -- rows ---------------------------------------------------------------------------------------------------

    def value(self, place: Placement) -> Array:
        """g = u·w - c, shape (..., m)."""
        u, w = self._vectors(place.axes, place.d, WORLD)
        return self._factor * dot(u, w) - self._c

    def forces(self, place: Placement) -> tuple[Array, Array]:
        """f (..., m, 3) and τ of parent and child (..., m, 2, 3) of every row, in world axes."""
        u, w = self._vectors(place.axes, place.d, WORLD)
        f = self._pull[:, :1] * u + self._pull[:, 1:] * w
        return f, self._turn[:, :, None] * np.cross(u, w)[..., None, :]

    def blocks(self, place: Placement) -> Array:
        """Gradients over (ω; v) of parent and child, shape (..., m, 2, 6)."""
        f, moment = self.forces(place)
        pull = np.stack([-f, f], axis=-2)
        turn = np.cross(place.lever[..., self.pair, :, :], pull) + moment
        spin = apply(transpose(place.R[..., self.ends[self.pair], :, :]), turn)
        return np.concatenate([spin, pull], axis=-1)

    def drift(self, place: Placement, V: Array) -> Array:
        """The part of g_ddot that is there without accelerations, at the velocities V (..., n), shape (..., m)."""
        w, v = self._velocities(place, V)
        lever_dot = np.cross(w, place.lever)
        d_dot, d_ddot = (x[..., 1, :] - x[..., 0, :] for x in (v + lever_dot, np.cross(w, lever_dot)))
        spin = w[..., None, :]
        axes_dot = np.cross(spin, place.axes)
        axes_ddot = np.cross(spin, axes_dot)
        u, w = self._vectors(place.axes, place.d, WORLD)
        u1, w1 = self._vectors(axes_dot, d_dot, STILL)
        u2, w2 = self._vectors(axes_ddot, d_ddot, STILL)
        return self._factor * (dot(u2, w) + 2 * dot(u1, w1) + dot(u, w2))

    def _velocities(self, place: Placement, V: Array) -> tuple[Array, Array]:
        """Angular velocities and velocities of the centres of mass of parents and children, world axes."""
        count = len(self.bodies) + 1
        w, v = np.zeros((2, *V.shape[:-1], count, 3))
        last = np.array([part.stop for part in self.columns], dtype=np.intp)
        v[..., :-1, :] = V[..., last[:, None] + np.arange(-3, 0)]
        w[..., np.flatnonzero(self.rigid), :] = V[..., last[self.rigid, None] + np.arange(-6, -3)]
        return apply(place.R, w)[..., self.ends, :], v[..., self.ends, :]

    def _vectors(self, axes: Array, d: Array, world: Array) -> tuple[Array, Array]:
        """Both factors of every row, or their rates, from those of axes, of d and of the world, (..., m, 3)."""
        shape = (*d.shape[:-1], 3, 3)
        vectors = np.concatenate(
            [axes[..., 0, :, :], axes[..., 1, :, :], d[..., None, :], np.broadcast_to(world, shape)], axis=-2
        )
        return vectors[..., self.pair, self._u, :], vectors[..., self.pair, self._w, :]

    @property
    def table(self) -> NDArray[np.int64]:
        """Family, pair, axis of the parent and axis of the child of each row, as kernels have them, (m, 4).

        Where points meet, the component stands in place of the first axis.
        """
        first = [one.u - Vector.EX if one.family is Family.MEET else max(one.parent, 0) for one in self.products]
        second = [max(one.child, 0) for one in self.products]
        families = [one.family for one in self.products]
        return np.array([families, self.pair, first, second], dtype=np.int64).reshape(4, -1).T.copy()

    # -- matrices -----------------------------------------------------------------------------------------------

    @cached_property
    def _pattern(self) -> tuple[Int, Int, Int, Int]:
        """Of the sparse matrix: the entries of `blocks` that it has, in its order, their rows and columns, row ends."""
        count = len(self.bodies)
        first = np.append([part.stop - 6 for part in self.columns], 0).astype(np.intp)
        ends = self.ends[self.pair]  # (m, 2)
        exists = np.repeat((ends < count)[..., None], 6, axis=-1)
        exists[..., :3] &= np.append(self.rigid, False)[ends][..., None]
        columns = (first[ends][..., None] + np.arange(6)).reshape(self.m, 12)
        order = np.argsort(columns, axis=1, kind="stable")
        flat = (np.arange(self.m)[:, None] * 12 + order).ravel()
        kept = flat[exists.ravel()[flat]]
        bounds = np.concatenate([[0], np.cumsum(exists.reshape(self.m, 12).sum(1))])
        return kept, kept // 12, columns.ravel()[kept], bounds

    def matrix(self, blocks: Array) -> csr_array:
        """The rows of one configuration as a sparse matrix (m, n)."""
        import scipy.sparse

        kept, _, columns, bounds = self._pattern
        return scipy.sparse.csr_array((blocks.reshape(-1)[kept], columns, bounds), shape=(self.m, self.n))

    def transposed(self, blocks: Array, lam: Array) -> Array:
        """Cᵀλ for λ (..., m), shape (..., n)."""
        kept, rows, columns, _ = self._pattern
        values = blocks.reshape(*blocks.shape[:-3], -1)[..., kept] * lam[..., rows]
        total = np.zeros((*values.shape[:-1], self.n))
        np.add.at(np.moveaxis(total, -1, 0), columns, np.moveaxis(values, -1, 0))
        return total

    def dense(self, blocks: Array) -> Array:
        """The rows as full matrices (..., m, n)."""
        kept, rows, columns, _ = self._pattern
        C = np.zeros((*blocks.shape[:-3], self.m, self.n))
        C[..., rows, columns] = blocks.reshape(*blocks.shape[:-3], math.prod(blocks.shape[-3:]))[..., kept]
        return C


def _slices(widths: Iterable[int]) -> list[slice]:
    ends = itertools.accumulate(widths, initial=0)
    return [slice(a, b) for a, b in itertools.pairwise(ends)]
