"""Loops, gears and rolling in the equations of a tree: velocities that they leave, and independent ones among them.

With rows Z of what the tree does not hold, Z ξ = 0 and Z ξ̇ = z, and independent velocities v among ξ,

    ξ = N v,    ξ̇ = N a + d,    Z N = 0,    Z d = z,    N = 1 and d = 0 in the rows of v.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.forms.dynamics.entries import Entries, Int, indices
from visviva.forms.minimal.closing import check_state
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.point import Point
from visviva.numerics.nullspace import split
from visviva.numerics.rank import pivots

SHARE = 0.1  # of the fastest velocity of a motion: those below are not named


@final
@dataclass(frozen=True, eq=False)
class Motion:
    """ξ = N v and ξ̇ = N a + drift at one state of a mechanism with loops."""

    point: Point
    N: Array  # (n, nv)
    drift: Array  # (n,)


@final
class Loops:
    """What rows beyond the tree leave of its velocities.

    independent: places of the independent velocities in ξ; None: all of them are kept, with their constraints.
    """

    def __init__(self, form: MinimalForm, entries: dict[str, Entries], independent: str | Sequence[Any] | None) -> None:
        self.form = form
        self.mobility = form.n - form.rank
        self.independent: Int | None = None
        if independent == "rank":
            self.independent = self._best(Point(form, form.initial.q, np.zeros(form.n), form.initial.s))
        elif independent is not None:
            names = (independent,) if isinstance(independent, str) else tuple(independent)
            self.independent = indices(form, entries, names)
            self._check_number(names)

    @cached_property
    def holonomic(self) -> bool:
        """Whether every row beyond the tree is the rate of a condition on positions."""
        return bool(self.form.open.has_g.all())

    def at(self, q: Array, v: Array, s: Array) -> Motion:
        """N and drift at a state, or an error that names what it violates, or the dead point that it is."""
        form = self.form
        point = Point(form, q, np.zeros(form.n), s)
        check_state(form, point, np.zeros(len(form.inputs.base)))
        if self.independent is None:
            point = Point(form, q, v, s)
            check_state(form, point, np.zeros(len(form.inputs.base)))
            return Motion(point, np.eye(form.n), np.zeros(form.n))
        I = self.independent
        D = np.setdiff1d(np.arange(form.n), I)
        unit = point.velocity_units
        parts = split(point.Z[:, D] * unit[D], np.linalg.norm(point.row_terms * unit, axis=1), len(D))
        if parts.rank < len(D):
            self._refuse(point, unit[D, None] * parts.Z, D)
        N, drift = np.zeros((form.n, len(I))), np.zeros(form.n)
        N[I, np.arange(len(I))] = 1.0
        N[D] = -unit[D, None] * parts.solve(point.Z[:, I])
        moving = Point(form, q, N @ v, s)
        drift[D] = unit[D] * parts.solve(moving.row_rates(np.zeros(len(form.inputs.base))))
        return Motion(moving, N, drift)

    def projector(self, q: Array, s: Array) -> Array:
        """P (n, n): the part of velocities that rows leave, nearest in units of their own inertia."""
        point = Point(self.form, q, np.zeros(self.form.n), s)
        unit = point.velocity_units
        Z = split(point.Z * unit, np.linalg.norm(point.row_terms * unit, axis=1), self.form.rank).Z
        return np.asarray(unit[:, None] * (Z @ Z.T) / unit)

    def _best(self, point: Point) -> Int:
        """Velocities that determine all others, the best conditioned ones, in the order of ξ."""
        form, unit = self.form, point.velocity_units
        Z = split(point.Z * unit, np.linalg.norm(point.row_terms * unit, axis=1), form.rank).Z
        return np.sort(pivots(Z.T)[: Z.shape[1]])

    def _check_number(self, names: Sequence[Any]) -> None:
        assert self.independent is not None
        if len(self.independent) != self.mobility:
            found = ", ".join(self.form.xi_names[k] for k in self.independent) or "none"
            best = self._best(Point(self.form, self.form.initial.q, np.zeros(self.form.n), self.form.initial.s))
            raise ModelError(
                f"mechanism {self.form.name!r} has {self.mobility} independent velocities, and "
                f"{len(self.independent)} are named: {found}.\nName as many as it has, e.g. "
                f"{', '.join(self.form.xi_names[k] for k in best)}, or say independent='rank'."
            )

    def _refuse(self, point: Point, motions: Array, D: Int) -> None:
        assert self.independent is not None
        form, assumed = self.form, [self.form.xi_names[k] for k in self.independent]
        motion = np.abs(motions[:, 0])
        moving = [form.xi_names[k] for k, part in zip(D, motion, strict=True) if part > SHARE * motion.max()]
        best = ", ".join(form.xi_names[k] for k in self._best(point))
        raise ModelError(
            f"mechanism {form.name!r} is at a dead point of {', '.join(assumed)}: {', '.join(moving)} can move while "
            f"{'it stands' if len(assumed) == 1 else 'they stand'} still.\nTake other independent velocities there, "
            f"e.g. {best}, or all of them: vv.dynamics(m)."
        )
