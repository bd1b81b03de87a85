"""Laws: what components of one type share. An instance of a law is a row of parameters.

A model with ten thousand springs has one law of springs and an array of stiffnesses; whatever evaluates a model can
take all instances of a law at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.model.storage import AbstractStorage


class AbstractEnergyLaw(ABC):
    """Energy H(q; p) of a state q with parameters p; both take any leading batch shapes that broadcast."""

    quadratic: bool  # homogeneous of second degree: H = 0 means something

    @abstractmethod
    def energy(self, q: Array, p: Array) -> Array:
        """H, shape (...)."""

    @abstractmethod
    def gradient(self, q: Array, p: Array) -> Array:
        """∂H/∂q, shape (..., size)."""

    @abstractmethod
    def magnitude(self, q: Array, p: Array) -> Array:
        """Sum of the moduli of the terms that H is made of, at least |H|, shape (...)."""

    @abstractmethod
    def secant(self, q0: Array, q1: Array, p: Array) -> Array:
        """Discrete gradient, shape (..., size): its product with q1 - q0 is H(q1) - H(q0)."""

    def change(self, q0: Array, q: Array, p: Array) -> tuple[Array, Array]:
        """H(q) - H(q0), and the size of the terms by which it rounds, shape (...) both.

        The secant between both states gives it without cancellation, and is taken where its terms are the smaller ones:
        U = c θ_ref exp(s/c) rounds by ε c θ, its change Δs (θ_ref exp(s̄/c) sinhc(Δs/2c)) by ε of itself.
        """
        H, size = self.energy(q, p) - self.energy(q0, p), self.magnitude(q, p)
        if self.quadratic:
            return H, size
        terms = self.secant(q0, q, p) * (q - q0)
        own = np.abs(terms).sum(-1)
        better = own < size
        return np.where(better, terms.sum(-1), H), np.where(better, own, size)


class AbstractMatrixLaw(ABC):
    """A matrix that depends on coordinates q, efforts e and parameters p, with any leading batch shapes."""

    shape: tuple[int, int]

    @abstractmethod
    def matrix(self, q: Array, e: Array, p: Array) -> Array:
        """Shape (..., *shape)."""


class AbstractRateLaw(ABC):
    """A force F(r, θ; p) against a rate r, with r F ≥ 0; all take any leading batch shapes that broadcast."""

    warm: bool  # whether it depends on the temperature θ [K]

    @abstractmethod
    def coefficient(self, r: Array, theta: Array, p: Array) -> Array:
        """F/r, with its limit where r = 0, shape (...)."""


@final
@dataclass(frozen=True, eq=False)
class LawEnergy(AbstractStorage):
    """A storage that is one instance of a law."""

    name: str
    variable: str
    law: AbstractEnergyLaw
    parameters: Array

    @property
    def has_zero(self) -> bool:  # type: ignore[override]
        """Whether the law is quadratic."""
        return self.law.quadratic

    def H(self, q: Array) -> Array:  # noqa: D102
        return self.law.energy(q, self.parameters)

    def dH(self, q: Array) -> Array:  # noqa: D102
        return self.law.gradient(q, self.parameters)

    def magnitude(self, q: Array) -> Array:  # noqa: D102
        return self.law.magnitude(q, self.parameters)

    def change(self, q0: Array, q: Array) -> tuple[Array, Array]:  # noqa: D102
        return self.law.change(q0, q, self.parameters)

    def mean_effort(self, q0: Array, q1: Array) -> Array:  # noqa: D102
        return self.law.secant(q0, q1, self.parameters)


@final
@dataclass(frozen=True, eq=False)
class LawMatrix:
    """The matrix of a structure that is one instance of a law, as a function of coordinates and efforts."""

    law: AbstractMatrixLaw
    parameters: Array
    NO_EFFORTS: ClassVar[Array] = np.zeros(0)

    def __call__(self, q: Array, e: Array = NO_EFFORTS) -> Array:
        """The matrix at coordinates and efforts."""
        return self.law.matrix(q, e, self.parameters)
