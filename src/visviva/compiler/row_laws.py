"""Conditions of a mechanism as generated functions for its compiled steps, see `kernels.multibody.rows`.

A law is written in coordinates a0, … at the start of a step and b0, … at its end, twelve per body (a particle has the
first three of them), and in numbers p0, …: its rows A over the twists (ω; v) of all bodies, then g at the end.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.flows import NotCompilable
from visviva.compiler.laws import canonical, symbols
from visviva.compiler.printing import HELPERS, text
from visviva.language.discrete import discrete_gradient
from visviva.language.tangents import tangents
from visviva.language.trace import Pose, Traced, expressions
from visviva.mechanism.conditions import AbstractCondition
from visviva.mechanism.contact_height import ContactHeight
from visviva.mechanism.contacts import HEIGHT_NUMBERS, height_on_body, height_on_ground
from visviva.mechanism.function_condition import FunctionCondition
from visviva.mechanism.parts import Body, Ground
from visviva.mechanism.placements import PlacementForm
from visviva.mechanism.twist_rows import TwistLaw
from visviva.mechanism.velocity_conditions import VelocityCondition


@final
class RowLaw:
    """values: A row by row, then g where there is one. Made by `row_law`."""

    def __init__(self, values: tuple[Any, ...], rows: int, bodies: int, width: int) -> None:
        self.values = values
        self.rows = rows
        self.bodies = bodies
        self.width = width

    @property
    def has_g(self) -> bool:
        """Whether there is a g."""
        return len(self.values) > 6 * self.bodies * self.rows


@cache
def row_law(values: tuple[Any, ...], rows: int, bodies: int, width: int) -> RowLaw:
    """The law with these values; one object for equal ones."""
    return RowLaw(values, rows, bodies, width)


def row_law_of(condition: AbstractCondition) -> tuple[RowLaw, Array]:
    """The law of a condition and its numbers; raises `NotCompilable` where it has none."""
    match condition:
        case VelocityCondition(twists=twists):
            solid = tuple(isinstance(mover, Body) for mover in twists.movers)
            return _filled(*_of_twists(twists.law, solid), twists.numbers)
        case ContactHeight():
            return _filled(*_of_height(isinstance(condition.parent, Ground)), condition.numbers)
        case FunctionCondition():
            placements = condition.placements
            solid = tuple(isinstance(mover, Body) for mover in placements.movers)
            return _filled(*_of_function(condition.g, placements.form, solid), placements.numbers)
    raise NotCompilable(f"{condition.name!r} has no compiled form")


def _filled(law: RowLaw, which: tuple[int, ...], literals: tuple[float, ...], numbers: Array) -> tuple[RowLaw, Array]:
    return law, np.append(numbers[list(which)], literals)


@cache
def _of_twists(law: TwistLaw, solid: tuple[bool, ...]) -> tuple[RowLaw, tuple[int, ...], tuple[float, ...]]:
    """Rows at the mean of both ends; solid: which of its movers are bodies."""
    places = [12 * k + j for k, body in enumerate(solid) for j in range(12 if body else 3)]
    columns = [6 * k + j for k, body in enumerate(solid) for j in range(0 if body else 3, 6)]
    a, b = symbols("a", 12 * len(solid)), symbols("b", 12 * len(solid))
    mean = {symbol: (a[at] + b[at]) / 2 for symbol, at in zip(symbols("x", law.size), places, strict=True)}
    A = np.full((law.shape[0], 6 * len(solid)), 0 * a[0], dtype=object)
    A[:, columns] = np.array([value.xreplace(mean) for value in law.values], dtype=object).reshape(law.shape)
    return _law(A.ravel().tolist(), law.shape[0], len(solid), law.width)


@cache
def _of_height(on_ground: bool) -> tuple[RowLaw, tuple[int, ...], tuple[float, ...]]:
    bodies = 1 if on_ground else 2
    a, b = (
        [Pose(one[1:].T, one[0]) for one in np.array([Traced(s) for s in every], dtype=object).reshape(-1, 4, 3)]
        for every in (symbols("a", 12 * bodies), symbols("b", 12 * bodies))
    )
    given = np.array([Traced(symbol) for symbol in symbols("p", HEIGHT_NUMBERS)], dtype=object)
    law = height_on_ground if on_ground else height_on_body
    return _law(expressions(law(a, b, given), "the height of a disc").tolist(), 1, bodies, HEIGHT_NUMBERS)


@lru_cache(64)
def _of_function(
    functions: tuple[Any, ...], form: PlacementForm, solid: tuple[bool, ...]
) -> tuple[RowLaw, tuple[int, ...], tuple[float, ...]]:
    """Discrete gradients D of a g by placements y = L q + c; over twists Σ d_i x (Dᵀ L)_i with mean directors d_i."""
    L, c = form.matrices()
    y = symbols("y", len(c))
    places = [12 * k + j for k, body in enumerate(solid) for j in range(12 if body else 3)]
    a, b = (np.array(symbols(letter, 12 * len(solid)), dtype=object)[places] for letter in "ab")
    start, end = (expressions(L @ np.array([Traced(s) for s in q], dtype=object) + c, "y") for q in (a, b))
    ends = symbols("s", len(y)), symbols("t", len(y))
    at = dict(zip((*ends[0], *ends[1]), (*start, *end), strict=True))
    values: list[Any] = []
    for g in functions:
        D = np.array([Traced(part.xreplace(at)) for part in discrete_gradient(g, y, ends)], dtype=object)
        row, first = expressions(D @ L, "a row"), 0
        for body in solid:
            size = 12 if body else 3
            own, mean = (part[first : first + size].reshape(-1, 3) for part in (row, (a + b) / 2))
            values += [*np.cross(mean[1:], own[1:]).sum(0), *own[0]] if body else [0 * a[0]] * 3 + [*own[0]]
            first += size
    values += [g.xreplace(dict(zip(y, end, strict=True))) for g in functions]
    return _law(values, len(functions), len(solid), form.width)


def _law(values: list[Any], rows: int, bodies: int, width: int) -> tuple[RowLaw, tuple[int, ...], tuple[float, ...]]:
    """A law in canonical symbols, which of the numbers p it has, and those that stood in the expressions."""
    ends, p = {letter: symbols(letter, 12 * bodies) for letter in "ab"}, symbols("p", width)
    used = set().union(*(value.free_symbols for value in values))
    which = tuple(k for k in range(width) if p[k] in used)
    given, numbers = canonical(values, ends, [(symbol, 0.0) for symbol in p])
    return row_law(given, rows, bodies, len(numbers)), which, tuple(numbers[len(which) :])


def row_source(law: RowLaw) -> str:
    """Source text of rows(P, q0, q1, dq1, mode, A, dA)."""
    n = 12 * law.bodies
    a, b, v = (symbols(letter, n) for letter in "abv")
    found = tangents(law.values, dict(zip(b, v, strict=True)))
    rates = {symbol for symbol, _ in found.lines if str(symbol).startswith("dw")}
    lines = [f"{symbol} = {array}[{k}]" for array, every in (("q0", a), ("q1", b)) for k, symbol in enumerate(every)]
    lines += [f"p{k} = P[{k}]" for k in range(law.width)]
    lines += [f"{symbol} = {text(value)}" for symbol, value in found.lines if symbol not in rates]
    lines += [f"A[{k}] = {text(value)}" for k, value in enumerate(found.values)]
    lines += ["if mode == 1:"]
    lines += [f"    {symbol} = dq1[{k}]" for k, symbol in enumerate(v)]
    lines += [f"    {symbol} = {text(value)}" for symbol, value in found.lines if symbol in rates]
    lines += [f"    dA[{k}] = {text(value)}" for k, value in enumerate(found.slopes)]
    used = [name for name in HELPERS if any(f"{name}(" in line for line in lines)]
    helpers = [f"from visviva.kernels.elementary import {', '.join(used)}"] if used else []
    head = ["import math", *helpers, "", "", "def law(P, q0, q1, dq1, mode, A, dA):"]
    return "\n".join([*head, *(f"    {line}" for line in lines), ""])
