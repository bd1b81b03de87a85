"""Blocks of a Model made from traced expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.discrete import FUNCTIONS, NoRule, discrete_gradient
from visviva.language.expression import Expression, numeric
from visviva.language.quantity import Port
from visviva.model import Energy
from visviva.model.storage import AbstractStorage


@final
@dataclass(frozen=True, eq=False)
class TracedEnergy(AbstractStorage):
    """An energy whose gradient and discrete gradient were derived from its expression."""

    name: str
    variable: str
    energy: Callable[[Array], Array]
    gradient: Callable[[Array], Array]
    secant: Callable[[Array], Array]  # of both ends in one array
    has_zero: bool = False  # type: ignore[misc]

    def H(self, q: Array) -> Array:  # noqa: D102
        return self.energy(q)

    def dH(self, q: Array) -> Array:  # noqa: D102
        return self.gradient(q)

    def mean_effort(self, q0: Array, q1: Array) -> Array:  # noqa: D102
        return self.secant(np.concatenate(np.broadcast_arrays(q0, q1), axis=-1))


def energy_of(name: str, variable: str, H: Expression, port: Port, theta0: float) -> AbstractStorage:
    """The storage of an energy; for entropy the exergy U(s) - θ0 s, whose effort is θ - θ0."""
    import sympy

    symbols = next(iter(H.states.values()))
    values = H.values.item() - (H.theta0 * symbols[0] if port.quantity.is_entropy else 0)
    constants = [theta0, *(number for _, number in H.parameters.values())]
    rest = H.arguments[len(symbols) :]
    energy = numeric(np.array(values, dtype=object), [*symbols, *rest], constants)
    slopes = np.array([sympy.diff(values, symbol) for symbol in symbols], dtype=object)
    gradient = numeric(slopes, [*symbols, *rest], constants)
    ends = tuple([sympy.Symbol(f"{symbol}_{side}", real=True) for symbol in symbols] for side in ("start", "end"))
    try:
        D = discrete_gradient(values, symbols, (ends[0], ends[1]))
    except NoRule:
        return Energy(name, variable, energy, gradient)
    secant = numeric(np.array(D, dtype=object), [*ends[0], *ends[1], *rest], constants, FUNCTIONS)
    return TracedEnergy(name, variable, energy, gradient, secant, _is_quadratic(values, symbols))


def _is_quadratic(values: Any, symbols: list[Any]) -> bool:
    import sympy

    try:
        polynomial = sympy.Poly(values, *symbols)
    except sympy.PolynomialError:
        return False
    return all(sum(powers) == 2 for powers in polynomial.monoms())


def reads_of(expression: Expression) -> list[str]:
    """The ports whose states an expression depends on."""
    used = set().union(*(value.free_symbols for value in expression.values.ravel()))
    return [port for port, symbols in expression.states.items() if used & set(symbols)]


def matrix_of(expression: Expression, reads: list[str], theta0: float) -> Callable[[Array], Array]:
    """A matrix as a function of (the states of some ports, the efforts of all power ports) in one array."""
    symbols = [symbol for port in reads for symbol in expression.states[port]]
    symbols += [symbol for port in expression.efforts.values() for symbol in port]
    constants = [theta0, *(number for _, number in expression.parameters.values())]
    rest = [expression.theta0, *(symbol for symbol, _ in expression.parameters.values())]
    return numeric(expression.values, [*symbols, *rest], constants)
