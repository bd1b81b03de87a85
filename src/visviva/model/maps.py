"""Maps: several functions of one state, with the slopes that make a step exact."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

from visviva._arrays import Array


class AbstractMapLaw(ABC):
    """Functions f(q; p) of a state q with parameters p; both take any leading batch shapes that broadcast."""

    rows: int

    @abstractmethod
    def value(self, q: Array, p: Array) -> Array:
        """f, shape (..., rows)."""

    @abstractmethod
    def gradient(self, q: Array, p: Array) -> Array:
        """∂f/∂q, shape (..., rows, size)."""

    @abstractmethod
    def secant(self, q0: Array, q1: Array, p: Array) -> Array:
        """D with D (q1 - q0) = f(q1) - f(q0), which tends to the gradient, shape (..., rows, size)."""

    @abstractmethod
    def magnitude(self, q: Array, p: Array) -> Array:
        """Size of the terms that add up to f, shape (..., rows)."""


@final
@dataclass(frozen=True, eq=False)
class LawMap:
    """One instance of a law."""

    law: AbstractMapLaw
    parameters: Array

    @property
    def rows(self) -> int:
        """Number of functions."""
        return self.law.rows

    def value(self, q: Array) -> Array:
        """f(q)."""
        return self.law.value(q, self.parameters)

    def gradient(self, q: Array) -> Array:
        """∂f/∂q."""
        return self.law.gradient(q, self.parameters)

    def secant(self, q0: Array, q1: Array) -> Array:
        """The slope between two states."""
        return self.law.secant(q0, q1, self.parameters)

    def magnitude(self, q: Array) -> Array:
        """Size of the terms that add up to f."""
        return self.law.magnitude(q, self.parameters)
