"""Blocks of a Model made from traced expressions of the language."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.compiler.laws import EnergyLaw, MatrixLaw, RateLaw, canonical, energy_law, matrix_law, rate_law
from visviva.language.expression import Expression
from visviva.language.quantity import Port
from visviva.mechanism.friction import FrictionLaw, rate_symbol, temperature_symbol
from visviva.model.law import LawEnergy, LawMatrix


def energy_of(name: str, variable: str, H: Expression, port: Port, theta0: float) -> LawEnergy:
    """The storage of an energy; for entropy the exergy U(s) - θ0 s, whose effort is θ - θ0."""
    return LawEnergy(name, variable, *_exergy(H, theta0, port.quantity.is_entropy))


def _exergy(H: Expression, theta0: float, is_entropy: bool) -> tuple[EnergyLaw, Array]:
    parameters = _parameters(H, theta0)
    states, symbols = tuple(next(iter(H.states.values()))), tuple(symbol for symbol, _ in parameters)
    law, which, literals = _energy_law(H.values.item(), states, symbols, is_entropy)
    return law, np.array([*(parameters[k][1] for k in which), *literals])


@lru_cache(4096)  # one law serves all numbers
def _energy_law(
    value: Any, states: tuple[Any, ...], symbols: tuple[Any, ...], is_entropy: bool
) -> tuple[EnergyLaw, tuple[int, ...], tuple[float, ...]]:
    """The law, which of the parameters it has, and the numbers that stand in the expression; θ0 is the first one."""
    value = value - (symbols[0] * states[0] if is_entropy else 0)
    which = tuple(k for k, symbol in enumerate(symbols) if symbol in value.free_symbols)
    (given,), numbers = canonical([value], {"x": states}, [(symbol, 0.0) for symbol in symbols])
    return energy_law(given, len(states), len(numbers)), which, tuple(numbers[len(which) :])


def reads_of(expression: Expression) -> list[str]:
    """The ports whose states an expression depends on."""
    used = set().union(*(value.free_symbols for value in expression.values.ravel()))
    return [port for port, states in expression.states.items() if used & set(states)]


def matrix_of(expression: Expression, reads: list[str], theta0: float, *, over_theta0: bool = False) -> LawMatrix:
    """A matrix as a function of the states of some ports and of the efforts of all power ports."""
    return LawMatrix(*_matrix(expression, tuple(reads), theta0, over_theta0))


@lru_cache(4096)
def _matrix(
    expression: Expression, reads: tuple[str, ...], theta0: float, over_theta0: bool
) -> tuple[MatrixLaw, Array]:
    states = [symbol for port in reads for symbol in expression.states[port]]
    efforts = [symbol for port in expression.efforts.values() for symbol in port]
    values = [value / expression.theta0 if over_theta0 else value for value in expression.values.ravel()]
    given, numbers = canonical(values, {"x": states, "e": efforts}, _parameters(expression, theta0))
    rows, columns = expression.shape
    return matrix_law(given, (rows, columns), (len(states), len(efforts), len(numbers))), np.array(numbers)


def rate_law_of(law: FrictionLaw) -> tuple[RateLaw, Array]:
    """The law of a friction, and its parameters."""
    found, which, literals = _rate_law(law.force, tuple(symbol for symbol, _ in law.parameters))
    return found, np.array([*(law.parameters[k][1] for k in which), *literals])


@lru_cache(4096)
def _rate_law(force: Any, symbols: tuple[Any, ...]) -> tuple[RateLaw, tuple[int, ...], tuple[float, ...]]:
    given = {"r": [rate_symbol()], "t": [temperature_symbol()]}
    which = tuple(k for k, symbol in enumerate(symbols) if symbol in force.free_symbols)
    (value,), numbers = canonical([force], given, [(symbol, 0.0) for symbol in symbols])
    return rate_law(value, len(numbers)), which, tuple(numbers[len(which) :])


def _parameters(expression: Expression, theta0: float) -> list[tuple[Any, float]]:
    return [(expression.theta0, theta0), *expression.parameters.values()]
