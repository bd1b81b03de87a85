"""Matrices of elements: their inverses, and that no energy comes from nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.numerics.rank import rank

if TYPE_CHECKING:
    from visviva.bonds.formula import Formula
    from visviva.bonds.laws import Laws

SAMPLES = 24
ROUNDING = 1e-12  # relative


def inverse(values: Any) -> Any:
    """The inverse of a square object array."""
    import sympy

    n = len(values)
    if n == 1:
        return np.array([[1 / values[0, 0]]], dtype=object)
    if n > 3 and not any(entry.free_symbols for entry in values.ravel()):
        numbers = np.linalg.inv(np.array(values, dtype=float))
        return np.array([[sympy.Float(entry) for entry in row] for row in numbers], dtype=object)
    return np.array(sympy.Matrix(values.tolist()).inv().tolist(), dtype=object)


def least(laws: Laws, values: Any) -> float:
    """The least eigenvalue, zero if it is so to rounding."""
    numbers = _numbers(laws, values)
    found = np.linalg.eigvalsh((numbers + numbers.T) / 2)
    return 0.0 if abs(found[0]) <= 1e-14 * np.abs(found).max() else float(found[0])


def is_regular(laws: Laws, values: Any) -> bool:
    """Whether a square matrix has an inverse."""
    return rank(_numbers(laws, values)) == len(values)


def check_positive(laws: Laws, what: str, strict: bool, values: Any) -> None:
    """An error unless a matrix is symmetric and positive semidefinite, or positive."""
    numbers = _numbers(laws, values)
    lowest = least(laws, values)
    skew = np.abs(numbers - numbers.T).max() > ROUNDING * np.abs(numbers).max()
    if skew or lowest < 0 or (strict and lowest == 0):
        scalar = len(numbers) == 1
        rules = ("positive", "not negative") if scalar else ("positive definite", "positive semidefinite")
        rule, kind = rules[not strict], "" if scalar else "symmetric and "
        found = f"{numbers[0, 0]:g}" if len(numbers) == 1 else str(numbers.tolist())
        raise ModelError(f"{what} must be {kind}{rule}, or energy would come from nowhere: got {found}.")


def check_not_negative(laws: Laws, factor: Formula, own: list[Any]) -> None:
    """An error if a resistance, a function of what is received, is negative at one of some random points."""
    symbols = [*laws.scope.states, laws.t, *own]
    points = np.random.default_rng(0).uniform(-2.0, 2.0, (SAMPLES, len(symbols)))
    for point in points:
        at = dict(zip(symbols, point, strict=True)) | laws.parameters
        entries = [entry.subs(at) for entry in np.ravel(factor.values)]
        if not all(entry.is_real and entry.is_finite for entry in entries):
            continue  # outside the domain of the law; a run says so where it gets there
        size = len(own) if factor.values.ndim else 1
        numbers = np.array([float(entry) for entry in entries]).reshape(size, size)
        lowest = np.linalg.eigvalsh((numbers + numbers.T) / 2)[0]
        if lowest < -ROUNDING * np.abs(numbers).max():
            where = ", ".join(f"{symbol} = {at[symbol]:.3g}" for symbol in own)
            raise ModelError(
                f"{factor.what} must not be negative, or energy would come from nowhere: it is {lowest:.3g} at {where}."
            )


def _numbers(laws: Laws, values: Any) -> Array:
    known = laws.parameters
    return np.array([[float(e.xreplace({s: known[s] for s in e.free_symbols})) for e in row] for row in values])
