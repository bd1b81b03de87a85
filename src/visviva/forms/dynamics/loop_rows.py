"""Rows Z ξ = 0 of what the tree of a mechanism does not hold, at a configuration, with their rates.

Rows of joints are products u·w - c = 0 of two vectors that are affine in centres and axes of bodies, u = Σ a_i y_i + s.
With u_b the part of u that turns with a body b, and a_b the weight of its centre of mass, over spins ω and velocities v
of these centres in world axes,

    d/dt u·w = Σ_b (u_b × w + w_b × u)·ω_b + (a_b w + a'_b u)·v_b = C V,    Z = C J,    Ż = Ċ J + C J̇,

where V = J ξ are rows of compiled Jacobians of the tree. Gears, rolling and conditions of users are rows of the Model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property, partial
from typing import NamedTuple, final

import numpy as np

from visviva._arrays import Array
from visviva.forms.dynamics.evaluator import Evaluator
from visviva.forms.dynamics.frames import PlacedFrame, PlacedFrames
from visviva.forms.dynamics.jacobian_rate import cross_columns, path_order, world_jacobian_rate
from visviva.forms.dynamics.state_cache import StateCache
from visviva.forms.minimal.closing import SMALL
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.point import Point
from visviva.geometry.embedding import Flat, SO3xR3_SPACE
from visviva.kernels.trees.frames import WORLD
from visviva.model.holonomic import Holonomic
from visviva.model.row_units import row_units
from visviva.numerics.rank import velocity_units

VECTORS = 4  # of a body: its centre of mass and three axes


class AbstractRowsAt(ABC):
    """Rows at a configuration (q, s)."""

    g: Array  # (k,) what is left of conditions on positions, zero for other rows
    scale: Array  # (k,) sizes of the terms that cancel in g
    Z: Array  # (k, n)
    terms: Array  # (k, n) sizes of the terms of each entry of Z
    units: Array  # (n,) of velocities, in which the inertia of each is one

    @abstractmethod
    def rates(self, xi: Array) -> Array:
        """What Z ξ̇ must be at velocities ξ, (k,)."""

    @abstractmethod
    def Z_dot(self, xi: Array) -> Array | None:
        """Ż (k, n) at velocities ξ, where it is known in closed form."""


class AbstractLoopRows(ABC):
    """Rows of a mechanism; those of the last configurations are kept."""

    @abstractmethod
    def at(self, q: Array, s: Array) -> AbstractRowsAt:
        """The rows at a configuration."""


def loop_rows(form: MinimalForm, tree: Evaluator, frames: PlacedFrames) -> AbstractLoopRows:
    """By compiled Jacobians where all rows are products, by the Model else."""
    if all(_is_product(part, form) for part in form.open.constraints):
        return ProductRows(form, tree, frames)
    return ModelRows(form)


# -- by the Model -------------------------------------------------------------------------------------------------


@final
class ModelRowsAt(AbstractRowsAt):
    """Rows of the Model, over velocities of the tree."""

    def __init__(self, form: MinimalForm, q: Array, s: Array) -> None:
        self._form, self._s = form, s
        self._point = Point(form, q, np.zeros(form.n), s)

    @cached_property
    def g(self) -> Array:  # type: ignore[override]  # noqa: D102
        return self._form.open.g(self._point.x)

    @cached_property
    def scale(self) -> Array:  # type: ignore[override]  # noqa: D102
        return np.maximum(self._form.open.g_scale(self._point.x), SMALL)

    @property
    def Z(self) -> Array:  # type: ignore[override]  # noqa: D102
        return self._point.Z

    @property
    def terms(self) -> Array:  # type: ignore[override]  # noqa: D102
        return self._point.row_terms

    @property
    def units(self) -> Array:  # type: ignore[override]  # noqa: D102
        return self._point.velocity_units

    def rates(self, xi: Array) -> Array:  # noqa: D102
        form = self._form
        return Point(form, self._point.q, xi, self._s).row_rates(np.zeros(len(form.inputs.base)))

    def Z_dot(self, xi: Array) -> Array | None:  # noqa: D102
        return None


@final
class ModelRows(AbstractLoopRows):
    """Of any mechanism."""

    def __init__(self, form: MinimalForm) -> None:
        self._recent = StateCache(partial(ModelRowsAt, form))

    def at(self, q: Array, s: Array) -> AbstractRowsAt:  # noqa: D102
        return self._recent(q, s)


# -- products -----------------------------------------------------------------------------------------------------


def _is_product(part: object, form: MinimalForm) -> bool:
    """Whether a constraint is a product of vectors of bodies."""
    if not isinstance(part, Holonomic):
        return False
    poses = {f"{body.name}.q" for body in form.definition.bodies}
    known = all(space in (SO3xR3_SPACE, Flat(3)) for space in part.spaces)
    return known and all(name in poses for name in part.reads)


@final
class ProductRows(AbstractLoopRows):
    """Rows u·w - c of bodies on a tree: a (2k, b, 4) and s (2k, 3) of all u, then of all w; c (k,)."""

    def __init__(self, form: MinimalForm, tree: Evaluator, frames: PlacedFrames) -> None:
        parts = [part for part in form.open.constraints if isinstance(part, Holonomic)]
        names = list(dict.fromkeys(name for part in parts for name in part.reads))
        self.form, self.tree = form, tree
        self.frames: list[PlacedFrame] = [frames.principal(name.removesuffix(".q")) for name in names]
        self.order = np.stack([path_order(frame.path, tree.dynamics.parts.tables.K, form.n) for frame in self.frames])
        self.k = sum(part.g.m for part in parts)
        counts = [part.g.m for part in parts]
        starts = np.cumsum([0, *counts])[:-1]
        a, s, c = np.zeros((2, self.k, len(names), VECTORS)), np.zeros((2, self.k, 3)), np.zeros(self.k)
        for part, at in zip(parts, starts, strict=True):
            own, column = slice(at, at + part.g.m), 0
            u, w, c[own] = part.g.u, part.g.w, part.g.offset
            s[0, own], s[1, own] = u.s, w.s
            for name, space in zip(part.reads, part.spaces, strict=True):
                count, body = space.size // 3, names.index(name)
                a[0, own, body, :count] += u.a[:, column : column + count]
                a[1, own, body, :count] += w.a[:, column : column + count]
                column += count
        b = len(names)
        self.a = a.reshape(2 * self.k, b * VECTORS)
        self.at_centre, self.at_axes = a.reshape(2 * self.k, b, VECTORS)[..., 0], a.reshape(-1, b, VECTORS)[..., 1:]
        self.row_units = row_units([part.degrees for part in parts])
        self.s, self.c = s.reshape(2 * self.k, 3), c
        self.a_size, self.s_size, self.c_size = np.abs(self.a), np.abs(self.s), np.abs(c)
        self.others = np.roll(np.arange(2 * self.k), self.k)  # all w, then all u
        self._recent = StateCache(partial(ProductRowsAt, self))

    def at(self, q: Array, s: Array) -> AbstractRowsAt:  # noqa: D102
        return self._recent(q, s)


class RowParts(NamedTuple):
    """What rows of products are made of, at a configuration."""

    other: Array  # (2k, 1, 3) all w, then all u
    turning: Array  # (2k, b, 3) u_b and w_b
    J: Array  # (b, 6, n) of (ω; v) of the centres of mass, in world axes
    C: Array  # (k, 6 b) over (ω; v) of the bodies


@final
class ProductRowsAt(AbstractRowsAt):
    """Rows at a configuration: what is not asked for is not computed."""

    def __init__(self, rows: ProductRows, q: Array, s: Array) -> None:
        self._rows, self._q = rows, q
        y = np.empty((len(rows.frames), VECTORS, 3))
        for k, frame in enumerate(rows.frames):
            R, y[k, 0] = rows.tree.pose(frame.path, frame.X, q)
            y[k, 1:] = R.T
        self._y = y
        self._both = rows.a @ y.reshape(-1, 3) + rows.s  # all u, then all w
        self.g = (self._both[: rows.k] * self._both[rows.k :]).sum(1) - rows.c

    @cached_property
    def scale(self) -> Array:  # type: ignore[override]  # noqa: D102
        rows, k = self._rows, self._rows.k
        sizes = rows.a_size @ np.abs(self._y).reshape(-1, 3) + rows.s_size
        terms = (np.abs(self._both) * sizes[rows.others]).sum(1)
        return np.maximum(rows.row_units.sizes(terms[:k] + terms[k:] + rows.c_size), SMALL)

    @cached_property
    def _parts(self) -> RowParts:
        rows, other = self._rows, self._both[self._rows.others, None]
        turning = np.einsum("kbi,bij->kbj", rows.at_axes, self._y[:, 1:])
        J = np.array([rows.tree.jacobian(frame.path, frame.X, WORLD, self._q) for frame in rows.frames])
        C = self._sums(_cross(turning, other), rows.at_centre[..., None] * other)
        return RowParts(other, turning, J, C)

    def _sums(self, angular: Array, linear: Array) -> Array:
        """Rows (k, 6 b) from those of both factors, (2k, b, 3) each."""
        k = self._rows.k
        both = np.concatenate([angular, linear], axis=-1)
        return np.asarray((both[:k] + both[k:]).reshape(k, -1))

    @cached_property
    def Z(self) -> Array:  # type: ignore[override]  # noqa: D102
        J = self._parts.J
        return np.asarray(self._parts.C @ J.reshape(-1, J.shape[-1]))

    @cached_property
    def terms(self) -> Array:  # type: ignore[override]  # noqa: D102
        J, C = self._parts.J, self._parts.C
        blocks, arms = C.reshape(self._rows.k, -1, 3), J.reshape(-1, 3, J.shape[-1])
        return np.asarray(np.sqrt(np.einsum("kbi,kbi->kb", blocks, blocks)) @ np.sqrt((arms * arms).sum(1)))

    @cached_property
    def units(self) -> Array:  # type: ignore[override]  # noqa: D102
        return velocity_units(np.diagonal(self._rows.tree.mass_matrix(self._q)), sizes=self._rows.form.lengths)

    def rates(self, xi: Array) -> Array:  # noqa: D102
        return -self.Z_dot(xi) @ xi

    def Z_dot(self, xi: Array) -> Array:  # noqa: D102
        rows, (own_other, own_turning, J, C) = self._rows, self._parts
        V = J @ xi
        turning = _cross(V[:, :3], own_turning)
        both = turning.sum(1) + rows.at_centre @ V[:, 3:]
        other = both[rows.others, None]
        angular = _cross(turning, own_other) + _cross(own_turning, other)
        C_dot = self._sums(angular, rows.at_centre[..., None] * other)
        J_dot, n = world_jacobian_rate(J, rows.order, xi), J.shape[-1]
        return np.asarray(C_dot @ J.reshape(-1, n) + C @ J_dot.reshape(-1, n))


def _cross(a: Array, b: Array) -> Array:
    """a × b over the last axis."""
    return cross_columns(a[..., None], b[..., None])[..., 0]
