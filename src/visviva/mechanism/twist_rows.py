"""Rows over the twists of bodies that depend on their placement, A(q) V, from traced functions.

V = (ω; v) of a body has the angular velocity and the velocity of the centre of mass, both in world axes; that of a
particle is its velocity. Over coordinates q = (φ, d1, d2, d3), which need not be orthonormal in the middle of a step,
a row (α; β) is

    α·ω + β·v = β·φ̇ + Σ ½ (α x dⁱ)·ḋ_i,        dⁱ: reciprocal directors

since ḋ_i = ω x d_i and Σ d_i x (α x dⁱ) = 2 α. A row that no rigid motion of all bodies changes adds no momentum.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry.linear import apply, transpose
from visviva.language.expression import numeric
from visviva.language.regularity import CONSTRAINT, require_regular
from visviva.language.tangents import Tangents, numeric_tangents, tangents
from visviva.language.trace import Pose, Traced, call, expressions
from visviva.mechanism.coordinates import space_of
from visviva.mechanism.parts import Body, Particle
from visviva.mechanism.placements import PlacementForm, Placements


@final
class TwistLaw:
    """The matrix A in coordinates x0, … of all movers and numbers p0, …; equal ones are one object, see `twist_law`."""

    def __init__(self, values: tuple[Any, ...], shape: tuple[int, int], size: int, width: int) -> None:
        self.values = values
        self.shape = shape
        self.size = size
        self.width = width

    def __reduce__(self) -> Any:
        return twist_law, (self.values, self.shape, self.size, self.width)

    @cached_property
    def tangents(self) -> Tangents:
        """A, and its derivative where x0, … change at the rates v0, …."""
        return tangents(self.values, dict(zip(_symbols("x", self.size), _symbols("v", self.size), strict=True)))

    @cached_property
    def matrix(self) -> Callable[[Array], Array]:
        """A of (coordinates, numbers)."""
        arguments = [*_symbols("x", self.size), *_symbols("p", self.width)]
        return numeric(np.array(self.values, dtype=object).reshape(self.shape), arguments, [])

    @cached_property
    def rate(self) -> Callable[[Array], Array]:
        """(dA/dt) of (coordinates, their rates, numbers), row by row."""
        arguments = [*_symbols("x", self.size), *_symbols("v", self.size), *_symbols("p", self.width)]
        return numeric_tangents(self.tangents, arguments)


@cache
def twist_law(values: tuple[Any, ...], shape: tuple[int, int], size: int, width: int) -> TwistLaw:
    """The law of a matrix; one object for equal ones."""
    return TwistLaw(values, shape, size, width)


@final
@dataclass(frozen=True, eq=False)
class TwistRows:
    """One instance of a law: the bodies and particles whose twists it is about, and its numbers."""

    movers: tuple[Body | Particle, ...]
    law: TwistLaw
    numbers: Array

    @property
    def rows(self) -> int:
        """How many."""
        return self.law.shape[0]

    def A(self, q: Array) -> Array:
        """Over the twists of all movers, (..., rows, 6 or 3 each)."""
        return self.law.matrix(self._with(q))

    def C(self, q: Array) -> Array:
        """The same over the rates of their coordinates, (..., rows, 12 or 3 each)."""
        A, parts = self.A(q), []
        for mover, at, columns in self._places:
            row = A[..., columns]
            parts.append(over_directors(row, q[..., at]) if isinstance(mover, Body) else row)
        return np.concatenate(parts, axis=-1)

    def drift(self, q: Array, q_dot: Array) -> Array:
        """(dC/dt) q_dot, (..., rows)."""
        A = self.A(q)
        A_dot = self.law.rate(np.concatenate([q, self._with(q_dot)], axis=-1)).reshape(A.shape)
        drift = np.zeros(A.shape[:-1])
        for mover, at, columns in self._places:
            x, x_dot, rows, rows_dot = q[..., at], q_dot[..., at], A[..., columns], A_dot[..., columns]
            if isinstance(mover, Body):
                drift = drift + apply(over_directors(rows_dot, x), x_dot) + _turning(rows, x, x_dot)
            else:
                drift = drift + apply(rows_dot, x_dot)
        return drift

    def _with(self, q: Array) -> Array:
        return np.concatenate([q, np.broadcast_to(self.numbers, (*q.shape[:-1], len(self.numbers)))], axis=-1)

    @cached_property
    def _places(self) -> list[tuple[Body | Particle, slice, slice]]:
        """Every mover with its coordinates and its columns."""
        sizes = itertools.accumulate((space_of(mover).size for mover in self.movers), initial=0)
        dims = itertools.accumulate((space_of(mover).dim for mover in self.movers), initial=0)
        at, columns = ([slice(a, b) for a, b in itertools.pairwise(ends)] for ends in (sizes, dims))
        return list(zip(self.movers, at, columns, strict=True))


def over_directors(rows: Array, q: Array) -> Array:
    """Rows (α; β) over (ω; v) as rows over φ̇, ḋ1, ḋ2, ḋ3, (..., m, 12)."""
    reciprocal = np.linalg.inv(_directors(q))[..., None, :, :]  # in rows
    turn = 0.5 * np.cross(rows[..., None, :3], reciprocal)
    return np.concatenate([rows[..., 3:], turn.reshape(*turn.shape[:-2], 9)], axis=-1)


def _turning(rows: Array, q: Array, q_dot: Array) -> Array:
    """Σ ½ (α x (d/dt) dⁱ)·ḋ_i, (..., m): zero where the motion is rigid."""
    reciprocal, D_dot = np.linalg.inv(_directors(q)), _directors(q_dot)
    turn = 0.5 * np.cross(rows[..., None, :3], -(reciprocal @ D_dot @ reciprocal)[..., None, :, :])
    return np.asarray((turn * transpose(D_dot)[..., None, :, :]).sum((-1, -2)))


def _directors(q: Array) -> Array:
    """In columns, (..., 3, 3)."""
    return transpose(q[..., 3:].reshape(*q.shape[:-1], 3, 3))


def rows_of_law(law: Callable[..., Any], movers: tuple[Body, ...], numbers: Array) -> TwistRows:
    """Rows that many instances share: a function of the principal frames of bodies, and of numbers, last."""
    return TwistRows(movers, _law_of(law, len(movers), len(numbers)), numbers)


@cache
def _law_of(law: Callable[..., Any], bodies: int, width: int) -> TwistLaw:
    q = np.array([Traced(symbol) for symbol in _symbols("x", 12 * bodies)], dtype=object).reshape(-1, 4, 3)
    numbers = np.array([Traced(symbol) for symbol in _symbols("p", width)], dtype=object)
    values = expressions(law(*(Pose(one[1:].T, one[0]) for one in q), numbers), law.__name__)
    return twist_law(tuple(values.ravel()), values.shape, 12 * bodies, width)


def traced_rows(A: Callable[..., Any], placements: Placements, what: str) -> Any:
    """Rows that a user gives, over the twists of parts, (ω; v) with the velocity v of the part's own r: expressions."""
    seen = placements.traced()
    result = call(lambda: A(*seen), {}, what)
    if result is None:
        raise ModelError(f"{what} returned nothing: it must return a matrix.")
    rows = [np.shape(row) for row in result] if isinstance(result, list | tuple) else []
    if len(set(rows)) > 1:
        raise ModelError(f"{what} returned rows of different lengths: all must have the same columns.")
    values = expressions(result, what)
    values = values[None] if values.ndim == 1 else values
    widths = [3 if isinstance(part, Particle) else 6 for part in placements.parts]
    if values.ndim != 2 or values.shape[1] != sum(widths) or not len(values):
        listed = " + ".join(f"{n} of {part.name!r}" for n, part in zip(widths, placements.parts, strict=True))
        raise ModelError(
            f"{what} returned an array of shape {np.shape(result)}. It must have one row per condition and "
            f"{sum(widths)} columns, {listed}:\n(ω; v) of every body or frame, v of every particle, in world axes."
        )
    empty = [k for k, row in enumerate(values) if all(value == 0 for value in row)]
    if empty:
        raise ModelError(f"row {empty[0]} of {what} is zero: it says nothing. Leave it out.")
    named = placements.names()
    require_regular([v.xreplace(named) for v in values.ravel()], list(named.values()), {}, what, CONSTRAINT)
    return values


def rows_over_movers(values: Any, placements: Placements) -> TwistRows:
    """The same over the twists of bodies at their centres of mass: ω and v - ω x (r - φ) make (α + (r - φ) x β; β)."""
    law = _over_movers(tuple(values.ravel()), values.shape, placements.form)
    return TwistRows(placements.movers, law, placements.numbers)


@lru_cache(256)
def _over_movers(given: tuple[Any, ...], shape: tuple[int, int], form: PlacementForm) -> TwistLaw:
    values, (L, c) = np.array(given, dtype=object).reshape(shape), form.matrices()
    x = np.array([Traced(symbol) for symbol in _symbols("x", form.size)], dtype=object)
    y = expressions(L @ x + c, "a placement")
    at_y = dict(zip(_symbols("y", len(y)), y, strict=True))
    values = np.vectorize(lambda value: value.xreplace(at_y), otypes=[object])(values)
    columns: dict[int, Any] = {}
    at = first = 0
    for kind, mover in form.parts:
        if kind == "ground":  # it has no twist, and no columns
            first += 12
            continue
        rows, r = values[:, at : at + 6], y[first : first + 3]
        if kind == "particle":
            rows = rows[:, :3]
        else:
            start = form.starts[mover]
            arm = r - expressions(x[start : start + 3], "a centre")
            rows = np.concatenate([rows[:, :3] + np.cross(arm, rows[:, 3:]), rows[:, 3:]], axis=1)
        columns[mover] = columns.get(mover, 0) + rows
        at, first = at + rows.shape[1], first + (3 if kind == "particle" else 12)
    merged = np.concatenate([columns[mover] for mover in range(len(form.starts))], axis=1)
    return twist_law(tuple(merged.ravel()), merged.shape, form.size, form.width)


def _symbols(letter: str, n: int) -> list[Any]:
    import sympy

    return [sympy.Symbol(f"{letter}{k}", real=True) for k in range(n)]
