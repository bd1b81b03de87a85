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


@lru_cache(4096)  # a storage may fill many boxes
def _exergy(H: Expression, theta0: float, is_entropy: bool) -> tuple[EnergyLaw, Array]:
    states = next(iter(H.states.values()))
    value = H.values.item() - (H.theta0 * states[0] if is_entropy else 0)
    (value,), numbers = canonical([value], {"x": states}, _parameters(H, theta0))
    return energy_law(value, len(states), len(numbers)), np.array(numbers)


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


@lru_cache(4096)
def rate_law_of(law: FrictionLaw) -> tuple[RateLaw, Array]:
    """The law of a friction, and its parameters."""
    given = {"r": [rate_symbol()], "t": [temperature_symbol()]}
    (force,), numbers = canonical([law.force], given, law.parameters)
    return rate_law(force, len(numbers)), np.array(numbers)


def _parameters(expression: Expression, theta0: float) -> list[tuple[Any, float]]:
    return [(expression.theta0, theta0), *expression.parameters.values()]
