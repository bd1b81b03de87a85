"""What of some equations is expanded and simplified: quantities that are short, and short entries of long ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from visviva.forms.symbols.steps import Steps, entries_of, matrix_of
from visviva.forms.symbols.trigonometry import shortest

AMOUNTS = {"kg", "kg m²", "N/m", "N m/rad", "N s/m", "N m s/rad"}  # units of what terms are put together by
SHORT = 700  # terms that a quantity may have to be expanded and simplified
FEW = 10  # terms that an entry of a longer one may have


@final
@dataclass(frozen=True, eq=False)
class Shortening:
    """simplify: whether all is expanded, or nothing; None: what is short."""

    steps: Steps
    units: Mapping[Any, str]
    simplify: bool | None

    def matrix(self, values: Any, most: int = SHORT) -> Any:
        """A SymPy matrix, simplified where it is short."""
        array = np.asarray(values, dtype=object)
        entries = np.array(self.listed(array.ravel(), most), dtype=object)
        return matrix_of(entries.reshape(array.shape))

    def listed(self, values: Any, most: int = SHORT) -> list[Any]:
        """All of them shortened where they are short together, else those that are by themselves."""
        listed = entries_of(values)
        short = [True] * len(listed) if self.expands(listed, most) else [self.expands([one], FEW) for one in listed]
        full = self.steps.expanded((one for one, yes in zip(listed, short, strict=True) if yes), keep=True)
        brief = iter([shortest(value, self._amounts) for value in full])
        return [next(brief) if yes else one for one, yes in zip(listed, short, strict=True)]

    def expands(self, listed: list[Any], most: int = SHORT) -> bool:
        """Whether it is asked for, or worth it: few terms, and exact numbers, so that all that cancels does."""
        import sympy

        if self.simplify is not None:
            return self.simplify
        if self.steps.operations(listed, most + 1) > most:
            return False
        return not any(value.has(sympy.Float) for value in (*listed, *self.steps.needed(listed).values()))

    @cached_property
    def _amounts(self) -> frozenset[Any]:
        """Masses and other parameters that equations are linear in."""
        return frozenset(symbol for symbol, unit in self.units.items() if unit in AMOUNTS)
