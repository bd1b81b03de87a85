"""Loops, gears and rolling in the equations of a tree: velocities that they leave, and independent ones among them.

With rows Z of what the tree does not hold, Z ξ = 0 and Z ξ̇ = z, and independent velocities v among ξ,

    ξ = N v,    ξ̇ = N a + d,    Z N = 0,    Z d = z,    N = 1 and d = 0 in the rows of v.

Hence Z Ṅ = -Ż N. Where Ż is not at hand, drift d(v) = Ṅ(v) v gives the symmetric part of the bilinear Ṅ(v) w by
polarisation, and velocities that are rates of holonomic motions the skew part: with the structure coefficients c of the
tree's velocities,

    Ṅ(v) w - Ṅ(w) v = N c_I - c,     c = c(N v, N w),     c_I its rows of the independent velocities.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.forms.dynamics.entries import Entries, Int, indices
from visviva.forms.dynamics.loop_rows import AbstractLoopRows, AbstractRowsAt, ModelRowsAt
from visviva.forms.dynamics.state_cache import StateCache
from visviva.forms.minimal.closing import ON_ROWS, check_state
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.point import Point
from visviva.geometry import SE3
from visviva.numerics.nullspace import Inclusion, split
from visviva.numerics.rank import independent_columns

SHARE = 0.1  # of the fastest velocity of a motion: those below are not named


@final
class Closure:
    """A configuration of a mechanism with loops that are closed, and how its other velocities follow independent ones.

    rows: Z.   N: (n, nv).   dependent: places of the other velocities in ξ.
    """

    def __init__(self, loops: Loops, q: Array, s: Array) -> None:
        form, self.loops, self.q, self.s = loops.form, loops, q, s
        self.rows: AbstractRowsAt = loops.rows.at(q, s)
        if not (np.abs(self.rows.g) <= ON_ROWS * self.rows.scale).all():
            check_state(form, Point(form, q, np.zeros(form.n), s), np.zeros(len(form.inputs.base)))
        assert loops.independent is not None
        rows, D = self.rows, loops.dependent
        terms = np.linalg.norm(rows.terms * rows.units, axis=1)
        self._inclusion = Inclusion(rows.Z, loops.independent, rows.units, terms)
        if self._inclusion.parts.rank < len(D):
            loops.refuse(rows, rows.units[D, None] * self._inclusion.parts.Z)
        self.N = self._inclusion.N

    def following(self, z: Array) -> Array:
        """Of rates with Z ξ̇ = z, (k,) or (k, m), the part of the dependent velocities, where others are zero."""
        return self._inclusion.following(z)


@final
class Motion:
    """ξ = N v and ξ̇ = N a + drift at one state of a mechanism with loops."""

    def __init__(self, loops: Loops, q: Array, v: Array, s: Array) -> None:
        self._loops, self.q, self.v, self.s = loops, q, v, s
        self._closure: Closure | None = None
        if loops.independent is None:
            check_state(loops.form, self.point, np.zeros(len(loops.form.inputs.base)))
        else:
            self._closure = loops.closure(q, s)

    @cached_property
    def N(self) -> Array:
        """(n, nv)."""
        return np.eye(self._loops.form.n) if self._closure is None else self._closure.N

    @cached_property
    def xi(self) -> Array:
        """(n,)."""
        return self.v if self._closure is None else self.N @ self.v

    @cached_property
    def drift(self) -> Array:
        """(n,)."""
        if self._closure is None:
            return np.zeros(len(self.N))
        if self._Z_dot is None:
            return self._closure.following(self._closure.rows.rates(self.xi))
        return self._closure.following(-self._Z_dot @ self.xi)

    @cached_property
    def row_rates(self) -> Array:
        """What Z ξ̇ must be, (k,)."""
        if self._closure is None:
            return self._loops.rows.at(self.q, self.s).rates(self.xi)
        return self._closure.rows.rates(self.xi) if self._Z_dot is None else -self._Z_dot @ self.xi

    @cached_property
    def _Z_dot(self) -> Array | None:
        assert self._closure is not None
        return self._closure.rows.Z_dot(self.xi)

    @cached_property
    def N_dot(self) -> Array:
        """Ṅ (n, nv), of holonomic loops with independent velocities."""
        assert self._closure is not None
        if self._Z_dot is not None:
            return self._closure.following(-self._Z_dot @ self.N)
        loops, N, v = self._loops, self.N, self.v
        rate, size = np.empty_like(N), max(1.0, float(np.abs(v).max(initial=0.0)))
        for k, w in enumerate(np.eye(len(v))):  # both of one size: the difference is exact to rounding
            more, less = (loops.at(self.q, v + sign * size * w, self.s).drift for sign in (1, -1))
            c = structure(loops.blocks, self.xi, N @ w)
            rate[:, k] = (more - less) / (4 * size) + (N @ c[loops.independent] - c) / 2
        return rate

    @cached_property
    def point(self) -> Point:
        """The same state of the minimal form."""
        return Point(self._loops.form, self.q, self.xi, self.s)


@final
class Loops:
    """What rows beyond the tree leave of its velocities.

    independent: places of the independent velocities in ξ; None: all of them are kept, with their constraints.
    """

    def __init__(
        self,
        form: MinimalForm,
        entries: dict[str, Entries],
        independent: str | Sequence[Any] | None,
        rows: AbstractLoopRows,
    ) -> None:
        self.form, self.rows = form, rows
        self.mobility = form.n - form.rank
        self.independent: Int | None = None
        as_built = ModelRowsAt(form, form.initial.q, form.initial.s)  # whatever rows are: it decides ties by rounding
        if independent == "rank":
            self.independent = self._best(as_built)
        elif independent is not None:
            names = (independent,) if isinstance(independent, str) else tuple(independent)
            self.independent = indices(form, entries, names)
            self._check_number(names, as_built)
        kept = np.zeros(0, dtype=np.intp) if self.independent is None else self.independent
        self.dependent: Int = np.setdiff1d(np.arange(form.n), kept)
        self.blocks = [(str(kind), own) for kind, _, own in form.configuration.places]
        self.closure = StateCache(partial(Closure, self))
        self._motions = StateCache(partial(Motion, self))

    @cached_property
    def holonomic(self) -> bool:
        """Whether every row beyond the tree is the rate of a condition on positions."""
        return bool(self.form.open.has_g.all())

    def at(self, q: Array, v: Array, s: Array) -> Motion:
        """N and drift at a state, or an error that names what it violates, or the dead point that it is."""
        return self._motions(q, v, s)

    def projector(self, q: Array, s: Array) -> Array:
        """P (n, n): the part of velocities that rows leave, nearest in units of their own inertia."""
        unit, Z = self._free(self.rows.at(q, s))
        return np.asarray(unit[:, None] * (Z @ Z.T) / unit)

    def _free(self, rows: AbstractRowsAt) -> tuple[Array, Array]:
        """Units of velocities, and a basis of what rows leave of them in these units, (n, mobility)."""
        unit = rows.units
        return unit, split(rows.Z * unit, np.linalg.norm(rows.terms * unit, axis=1), self.form.rank).Z

    def _best(self, rows: AbstractRowsAt) -> Int:
        """Velocities that determine all others, the best conditioned ones, in the order of ξ."""
        Z = self._free(rows)[1]
        return independent_columns(Z.T, Z.shape[1])

    def _check_number(self, names: Sequence[Any], as_built: AbstractRowsAt) -> None:
        assert self.independent is not None
        if len(self.independent) != self.mobility:
            found = ", ".join(self.form.xi_names[k] for k in self.independent) or "none"
            best = self._best(as_built)
            raise ModelError(
                f"mechanism {self.form.name!r} has {self.mobility} independent velocities, and "
                f"{len(self.independent)} are named: {found}.\nName as many as it has, e.g. "
                f"{', '.join(self.form.xi_names[k] for k in best)}, or say independent='rank'."
            )

    def refuse(self, rows: AbstractRowsAt, motions: Array) -> None:
        """The error at a dead point; motions: of dependent velocities, (n - nv, m)."""
        assert self.independent is not None
        form, assumed = self.form, [self.form.xi_names[k] for k in self.independent]
        motion = np.abs(motions[:, 0])
        moving = [
            form.xi_names[k] for k, part in zip(self.dependent, motion, strict=True) if part > SHARE * motion.max()
        ]
        best = ", ".join(form.xi_names[k] for k in self._best(rows))
        raise ModelError(
            f"mechanism {form.name!r} is at a dead point of {', '.join(assumed)}: {', '.join(moving)} can move while "
            f"{'it stands' if len(assumed) == 1 else 'they stand'} still.\nTake other independent velocities there, "
            f"e.g. {best}, or all of them: vv.dynamics(m)."
        )


def structure(blocks: Sequence[tuple[str, slice]], xi: Array, eta: Array) -> Array:
    """c(ξ, η) (n,): the commutator of two velocity fields with constant coefficients, by joints that are groups."""
    c = np.zeros(len(xi))
    for kind, own in blocks:
        if kind == "ball":
            c[own] = np.cross(xi[own], eta[own])
        elif kind == "free":
            c[own] = SE3.ad(xi[own]) @ eta[own]
    return c
