"""Conditions that a user writes down: functions g of the placements of some parts, traced and differentiated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.language.discrete import FUNCTIONS, NoRule, discrete_gradient
from visviva.language.expression import numeric
from visviva.language.regularity import CONSTRAINT, require_regular
from visviva.language.slopes import slope
from visviva.language.trace import call, expressions
from visviva.mechanism.conditions import AbstractCondition, Kind
from visviva.mechanism.parts import Body, Particle
from visviva.mechanism.placements import Placements, check_arguments


@final
@dataclass(frozen=True, eq=False)
class PlacementFunction:
    """Expressions g in the entries y0, … of placements, with all that follows from them."""

    g: tuple[Any, ...]  # SymPy expressions
    size: int  # of y

    def __getstate__(self) -> dict[str, Any]:
        """Without compiled functions, so that it can be pickled."""
        return {part.name: getattr(self, part.name) for part in fields(self)}

    @cached_property
    def _y(self) -> list[Any]:
        return _symbols("y", self.size)

    @cached_property
    def _v(self) -> list[Any]:
        """Rates of y."""
        return _symbols("v", len(self._y))

    @cached_property
    def _rates(self) -> list[Any]:
        """ġ = ∇g v."""
        return [sum(slope(g, y) * v for y, v in zip(self._y, self._v, strict=True)) for g in self.g]

    @cached_property
    def value(self) -> Callable[[Array], Array]:
        """g of y."""
        return numeric(np.array(self.g, dtype=object), self._y, [], FUNCTIONS)

    @cached_property
    def gradient(self) -> Callable[[Array], Array]:
        """∂g/∂y of y."""
        return numeric(np.array([[slope(g, y) for y in self._y] for g in self.g], dtype=object), self._y, [], FUNCTIONS)

    @cached_property
    def secant(self) -> Callable[[Array], Array]:
        """Discrete gradients of (y0, y1)."""
        ends = _symbols("a", len(self._y)), _symbols("b", len(self._y))
        rows = [discrete_gradient(g, self._y, ends) for g in self.g]
        return numeric(np.array(rows, dtype=object), [*ends[0], *ends[1]], [], FUNCTIONS)

    @cached_property
    def rate_secant(self) -> Callable[[Array], Array]:
        """Those of ġ, of (y0, v0, y1, v1)."""
        ends = _symbols("a", 2 * len(self._y)), _symbols("b", 2 * len(self._y))
        rows = [discrete_gradient(rate, [*self._y, *self._v], ends) for rate in self._rates]
        return numeric(np.array(rows, dtype=object), [*ends[0], *ends[1]], [], FUNCTIONS)

    @cached_property
    def bend(self) -> Callable[[Array], Array]:
        """What g̈ has without accelerations, of (y, v)."""
        along = [sum(slope(r, y) * v for y, v in zip(self._y, self._v, strict=True)) for r in self._rates]
        return numeric(np.array(along, dtype=object), [*self._y, *self._v], [], FUNCTIONS)


@final
@dataclass(frozen=True, eq=False)
class FunctionCondition(AbstractCondition):
    """g(y) = 0 for expressions g in the placements y of some parts.

    Between the ends of a step its rows are discrete gradients, see `language.discrete`; they keep momentum where g is
    made of scalar products of vectors that move with the parts.
    """

    name: str
    placements: Placements
    function: PlacementFunction
    kind: Kind = field(default="holonomic", init=False)
    follows: tuple[str, ...] = field(default=(), init=False)
    shifted: bool = field(default=False, init=False)
    law: None = field(default=None, init=False)
    expects: Array = field(default_factory=lambda: np.zeros(0), init=False)
    force_unit: str = field(default="", init=False)

    @property
    def g(self) -> tuple[Any, ...]:
        """SymPy expressions in `placements.symbols()`."""
        return self.function.g

    @property
    def rows(self) -> int:  # type: ignore[override]
        """One for each value."""
        return len(self.g)

    @property
    def movers(self) -> tuple[Body | Particle, ...]:  # type: ignore[override]
        """What carries the parts."""
        return self.placements.movers

    # -- numbers --

    def value(self, q: Array, turned: Array) -> Array:  # noqa: D102
        return self.function.value(self.placements.y(q))

    def magnitude(self, q: Array, turned: Array) -> Array:
        """Σ |∂g/∂y| |y|."""
        y = self.placements.y(q)
        return np.maximum((np.abs(self.function.gradient(y)) * np.abs(y)[..., None, :]).sum(-1), 1e-30)

    def C(self, q0: Array, q1: Array) -> Array:  # noqa: D102
        ends = np.concatenate([self.placements.y(q0), self.placements.y(q1)], axis=-1)
        return self.function.secant(ends) @ self.placements.L

    def rate_secants(self, q0: Array, q1: Array, v0: Array, v1: Array) -> tuple[Array, Array]:  # noqa: D102
        L, y = self.placements.L, self.placements.y
        D = self.function.rate_secant(np.concatenate([y(q0), v0 @ L.T, y(q1), v1 @ L.T], axis=-1))
        n = len(L)
        return D[..., :n] @ L, D[..., n:] @ L

    def bend(self, q: Array, v: Array) -> Array:  # noqa: D102
        return self.function.bend(np.concatenate([self.placements.y(q), v @ self.placements.L.T], axis=-1))


def traced_function(name: str, placements: Placements, g: Callable[..., Any]) -> PlacementFunction:
    """A user's function of placements; errors say what it returned, or why it cannot be traced."""
    what, parts = f"g of constraint {name!r}", placements.parts
    check_arguments(g, parts, what)
    seen = placements.traced()
    found = call(lambda: g(*seen), {}, what)
    if found is None:
        raise ModelError(f"{what} returned nothing: it must return one number or several, e.g. a.r @ a.r - 1.0.")
    values = expressions(found, what).ravel()
    if not len(values):
        raise ModelError(f"{what} returned no number: it must return one or several.")
    constant = [k for k, value in enumerate(values) if not value.free_symbols]
    if constant:
        names = ", ".join(repr(part.name) for part in parts)
        raise ModelError(f"value {constant[0]} of {what} does not depend on the placement of {names}: it is constant.")
    named = placements.names()
    require_regular([v.xreplace(named) for v in values.ravel()], list(named.values()), {}, what, CONSTRAINT)
    function = PlacementFunction(tuple(values), len(placements.c))
    try:
        function.secant  # noqa: B018 - it is kept
        function.rate_secant  # noqa: B018
    except NoRule as reason:
        raise ModelError(
            f"{what} uses {reason}, which has no exact difference between the ends of a step. Write it with sums,\n"
            "products, powers, sqrt, exp, log, sin, cos, tan, sinh, cosh, tanh, arctan, abs, maximum, minimum, clip,\n"
            "where."
        ) from None
    return function


def _symbols(letter: str, n: int) -> list[Any]:
    import sympy

    return [sympy.Symbol(f"{letter}{k}", real=True) for k in range(n)]
