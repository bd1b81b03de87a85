"""Storages: where energy is. A storage knows its energy, its effort, and the effort that makes a step exact."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array, freeze

EPS = float(np.finfo(np.float64).eps)


class AbstractStorage(ABC):
    """Energy of one state variable. All methods take any leading batch shape; q are embedding coordinates.

    Contract (checked by `visviva.testing.check_storage`):
    1. dH is the gradient of H in embedding coordinates.
    2. mean_effort(q0, q1)·(q1 - q0) = H(q1) - H(q0) to rounding, and it tends to dH as q1 tends to q0.
    """

    name: str
    variable: str
    has_zero: ClassVar[bool] = False  # whether H = 0 means something, as for kinetic energy; heights have no such zero

    @property
    def reads(self) -> tuple[str, ...]:
        """The variables whose coordinates q are: its own, unless it says otherwise."""
        return (self.variable,)

    @abstractmethod
    def H(self, q: Array) -> Array:
        """Stored energy [J], shape (...)."""

    @abstractmethod
    def dH(self, q: Array) -> Array:
        """Gradient in embedding coordinates, shape (..., size)."""

    @abstractmethod
    def mean_effort(self, q0: Array, q1: Array) -> Array:
        """Discrete gradient between two states, shape (..., size)."""

    def magnitude(self, q: Array) -> Array:
        """Sum of the moduli of the terms that H is made of, by which it rounds [J], shape (...)."""
        return np.abs(self.H(q))

    def change(self, q0: Array, q: Array) -> tuple[Array, Array]:
        """H(q) - H(q0) [J], and the size of the terms by which it rounds, shape (...) both."""
        return self.H(q) - self.H(q0), self.magnitude(q)


@final
@dataclass(frozen=True, eq=False)
class Kinetic(AbstractStorage):
    """H(v) = ½ vᵀ M v of a velocity variable. Its row of E is M and its effort is v itself, so M may be singular."""

    name: str
    variable: str
    M: Array  # (n, n)
    has_zero: ClassVar[bool] = True

    def __post_init__(self) -> None:
        freeze(self, "M")

    def H(self, q: Array) -> Array:  # noqa: D102
        return 0.5 * (q * self.dH(q)).sum(-1)

    def dH(self, q: Array) -> Array:  # noqa: D102
        return q @ self.M

    def mean_effort(self, q0: Array, q1: Array) -> Array:  # noqa: D102
        return self.dH(0.5 * (q0 + q1))


@final
@dataclass(frozen=True, eq=False)
class Linear(AbstractStorage):
    """H(q) = c·q, e.g. weight: -m γ·φ with the acceleration of gravity γ."""

    name: str
    variable: str
    c: Array  # (n,)

    def __post_init__(self) -> None:
        freeze(self, "c")

    def H(self, q: Array) -> Array:  # noqa: D102
        return q @ self.c

    def dH(self, q: Array) -> Array:  # noqa: D102
        return np.broadcast_to(self.c, q.shape)

    def mean_effort(self, q0: Array, q1: Array) -> Array:  # noqa: D102
        return self.dH(q0)


@final
@dataclass(frozen=True, eq=False)
class QuadraticEnergy(AbstractStorage):
    """H(q) = ½ qᵀ K q, e.g. a spring; K symmetric."""

    name: str
    variable: str
    K: Array  # (n, n)
    has_zero: ClassVar[bool] = True

    def __post_init__(self) -> None:
        freeze(self, "K")

    def H(self, q: Array) -> Array:  # noqa: D102
        return 0.5 * (q * self.dH(q)).sum(-1)

    def dH(self, q: Array) -> Array:  # noqa: D102
        return q @ self.K

    def mean_effort(self, q0: Array, q1: Array) -> Array:  # noqa: D102
        return self.dH(0.5 * (q0 + q1))


@final
@dataclass(frozen=True, eq=False)
class Energy(AbstractStorage):
    """Any energy, given with its gradient; both take a leading batch shape.

    The discrete gradient is Gonzalez's (1996), one per storage, so that |q1 - q0|² mixes no units across storages
    and the rounding of H has a scale: the correction is dropped where it would only be that rounding.
    """

    name: str
    variable: str
    energy: Callable[[Array], Array]
    gradient: Callable[[Array], Array]

    def H(self, q: Array) -> Array:  # noqa: D102
        return np.array(self.energy(q), dtype=np.float64)

    def dH(self, q: Array) -> Array:  # noqa: D102
        return np.array(self.gradient(q), dtype=np.float64)

    def mean_effort(self, q0: Array, q1: Array) -> Array:  # noqa: D102
        return secant_of_gonzalez(self.H, self.dH, q0, q1)


def secant_of_gonzalez(H: Callable[[Array], Array], dH: Callable[[Array], Array], q0: Array, q1: Array) -> Array:
    """The gradient at the mean, corrected along q1 - q0 so that its product with it is H(q1) - H(q0)."""
    H0, H1, dq = H(q0), H(q1), q1 - q0
    e = dH(0.5 * (q0 + q1))
    gap = H1 - H0 - (e * dq).sum(-1)
    square = (dq * dq).sum(-1)
    noise = 8 * EPS * np.maximum(np.abs(H0), np.abs(H1))
    matters = (np.abs(gap) > noise) & (square > 0)
    factor = np.where(matters, gap / np.where(matters, square, 1.0), 0.0)
    return e + factor[..., None] * dq
