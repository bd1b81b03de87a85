"""Numbers of a mechanism as symbols: masses, lengths, stiffnesses by the names of their parts."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva.forms.symbols.steps import Steps
from visviva.views.equations_names import Label

NOISE = 1e-13  # of the largest of some numbers: less is rounding of how they were computed


@final
class Parameters:
    """Hands out a symbol for each number that is not zero, with its unit; with `numeric` the numbers themselves.

    A symbol stands for the size of its number: signs are written out.
    """

    def __init__(self, steps: Steps, numeric: bool) -> None:
        self.steps, self.numeric = steps, numeric
        self.values: dict[Any, float] = {}
        self.units: dict[Any, str] = {}

    def number(self, value: float, label: Label, unit: str) -> Any:
        """One of them."""
        if value == 0 or self.numeric:
            return exact(value)
        symbol = self.steps.symbol(label)
        self.values[symbol], self.units[symbol] = abs(float(value)), unit
        return symbol if value > 0 else -symbol

    def signed(self, value: float, label: Label, unit: str) -> Any:
        """The same where the symbol stands for the number with its sign."""
        if self.numeric:
            return exact(value)
        symbol = self.steps.symbol(label)
        self.values[symbol], self.units[symbol] = float(value), unit
        return symbol

    def vector(self, values: ArrayLike, label: Label, unit: str, scale: float = 0.0) -> Any:
        """A vector; its components are numbered by axes, unless only one is not zero."""
        numbers = tidy(values, scale)
        alone = np.count_nonzero(numbers) == 1
        named = [self.number(v, label if alone else label.at(a), unit) for v, a in zip(numbers, "xyz", strict=True)]
        return np.array(named, dtype=object)

    def inertia(self, J: ArrayLike, label: Label) -> Any:
        """A symmetric matrix (3, 3)."""
        numbers = tidy(J)
        found = np.empty((3, 3), dtype=object)
        for i in range(3):
            for j in range(i, 3):
                found[i, j] = found[j, i] = self.number(numbers[i, j], label.at("xyz"[i] + "xyz"[j]), "kg m²")
        return found


def tidy(values: ArrayLike, scale: float = 0.0) -> Any:
    """Without what is zero but for rounding."""
    array = np.array(values, dtype=np.float64)
    return np.where(np.abs(array) <= NOISE * max(scale, float(np.abs(array).max(initial=0.0))), 0.0, array)


def directions(values: ArrayLike) -> Any:
    """Cosines as numbers: those within rounding of 0 and 1 are meant so, others are rounded, and not exact."""
    import sympy

    array = np.asarray(values, dtype=np.float64)
    nearest = np.round(array)
    found = exacts(nearest)
    for at in np.ndindex(array.shape):
        if abs(array[at] - nearest[at]) > NOISE:
            found[at] = sympy.Float(float(array[at]))
    return found


def exacts(values: ArrayLike) -> Any:
    """An object array of numbers."""
    array = np.asarray(values, dtype=np.float64)
    found = np.empty(array.shape, dtype=object)
    for at in np.ndindex(array.shape):
        found[at] = exact(float(array[at]))
    return found


def exact(value: float) -> Any:
    """A number as a fraction, so that all that cancels does: the short one it is meant as, else what the float is."""
    from fractions import Fraction

    import sympy

    whole = Fraction(float(value))
    near = whole.limit_denominator(10**5)
    meant = near if float(near) == float(value) else whole
    return sympy.Rational(meant.numerator, meant.denominator)
