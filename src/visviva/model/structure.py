"""Structures: how power is routed (J), destroyed (R) or supplied (B), and what is constrained.

A structure reads embedding coordinates of some state variables and acts on the efforts of some variables; it sees
both as one local array, in the order of its names. All methods take any leading batch shape.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array, freeze
from visviva.errors import ModelError
from visviva.model.row_units import UNKNOWN
from visviva.model.rows import RowKind


class AbstractStructure(ABC):
    """Something that routes power. `name` is the component's name in audits and errors.

    two_ended: what depends on both ends of a step: it sees the coordinates at its start, then those at its end. At
               one instant both are the same.
    """

    two_ended: ClassVar[bool] = False
    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]


class AbstractRouting(AbstractStructure):
    """A skew matrix over the efforts it acts on."""

    @abstractmethod
    def J(self, q: Array) -> Array:
        """Skew, shape (..., k, k)."""


class AbstractDissipation(AbstractStructure):
    """A symmetric positive semidefinite matrix over the efforts it acts on; what it destroys is heat.

    Over a step it sees the efforts z of the step (velocities, mean forces and temperatures), and the coordinates q at
    the mean of both ends, q̄ = (q0 + q1)/2, or if it is `two_ended` those of both: a function y is y(q̄), not the mean
    of its values. What acts along a coordinate acts along its secant, R = Cᵀ D C with C Δ = Δy: its rate is Δy/h.
    """

    @abstractmethod
    def R(self, q: Array, z: Array) -> Array:
        """Symmetric ⪰ 0, shape (..., k, k)."""


class AbstractConstraint(AbstractStructure):
    """Rows C(x) z = 0 with multipliers, routed without power: J has C below and -Cᵀ beside the diagonal."""

    kind: RowKind
    rows: int
    internal: bool  # part of how a single body is described, not a joint

    @property
    def has_g(self) -> bool:
        """Whether its rows keep a function of the state at zero; else they speak of velocities alone."""
        return self.kind is RowKind.HOLONOMIC

    @abstractmethod
    def C(self, q: Array) -> Array:
        """Shape (..., rows, k)."""

    @abstractmethod
    def bias(self, q: Array, z: Array) -> Array:
        """(dC/dt) z along the motion with velocities z, shape (..., rows)."""

    @abstractmethod
    def value(self, q: Array) -> Array:
        """g(q) of holonomic rows; zero for rows that have no g, shape (..., rows)."""

    @abstractmethod
    def magnitude(self, q: Array) -> Array:
        """Size of the terms that cancel in g(q), shape (..., rows)."""

    @property
    def degrees(self) -> NDArray[np.intp]:
        """Powers of a length that are the units of g, shape (rows,): see `row_units`."""
        return np.full(self.rows, UNKNOWN, dtype=np.intp)


class AbstractPort(AbstractStructure):
    """An input u of some width, entering through B(x); its output is y = Bᵀ z.

    quantity: what u changes, by the name that it has in the language, such as "angular momentum"; empty: unknown.
    """

    width: int
    quantity: str = ""

    @abstractmethod
    def B(self, q: Array) -> Array:
        """Shape (..., k, width)."""


@final
@dataclass(frozen=True, eq=False)
class Routing(AbstractRouting):
    """A given skew matrix, constant or a function of the coordinates read."""

    name: str
    acts: tuple[str, ...]
    matrix: Array | Callable[[Array], Array]
    reads: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        freeze(self, "matrix")

    def J(self, q: Array) -> Array:  # noqa: D102
        return self.matrix(q) if callable(self.matrix) else self.matrix


@final
@dataclass(frozen=True, eq=False)
class Dissipation(AbstractDissipation):
    """A given symmetric ⪰ 0 matrix, constant or a function of the coordinates read and the efforts acted on.

    v_reg: the speed below which a dry friction is regularised, if it is one: a run says if its steps jump over it.
    """

    name: str
    acts: tuple[str, ...]
    matrix: Array | Callable[[Array, Array], Array]
    reads: tuple[str, ...] = ()
    v_reg: float | None = None

    def __post_init__(self) -> None:
        freeze(self, "matrix")

    def R(self, q: Array, z: Array) -> Array:  # noqa: D102
        return self.matrix(q, z) if callable(self.matrix) else self.matrix


@final
@dataclass(frozen=True, eq=False)
class Port(AbstractPort):
    """A given input matrix, constant or a function of the coordinates read."""

    name: str
    acts: tuple[str, ...]
    width: int
    matrix: Array | Callable[[Array], Array]
    reads: tuple[str, ...] = ()
    quantity: str = ""

    def __post_init__(self) -> None:
        freeze(self, "matrix")

    def B(self, q: Array) -> Array:  # noqa: D102
        return self.matrix(q) if callable(self.matrix) else self.matrix


@final
@dataclass(frozen=True, eq=False)
class Rows(AbstractConstraint):
    """Given rows C e = 0 on the level of velocities, constant or a function of the coordinates read.

    Where a port acts on the rows (kind "driven"), they say C e + B u = 0: an input prescribes a velocity, and its
    output is the force that this takes.
    """

    name: str
    acts: tuple[str, ...]
    rows: int
    matrix: Array | Callable[[Array], Array]
    reads: tuple[str, ...] = ()
    kind: RowKind = RowKind.NONHOLONOMIC
    internal: bool = False

    def __post_init__(self) -> None:
        freeze(self, "matrix")

    def C(self, q: Array) -> Array:  # noqa: D102
        return self.matrix(q) if callable(self.matrix) else self.matrix

    def bias(self, q: Array, z: Array) -> Array:  # noqa: D102
        if callable(self.matrix):
            raise ModelError(f"the rows of {self.name!r} are given on the level of velocities only: no accelerations.")
        return np.zeros((*np.shape(z)[:-1], self.rows))

    def value(self, q: Array) -> Array:  # noqa: D102
        return np.zeros((*q.shape[:-1], self.rows))

    def magnitude(self, q: Array) -> Array:  # noqa: D102
        return np.ones((*q.shape[:-1], self.rows))


def canonical(name: str, position: str, velocity: str, n: int) -> Routing:
    """q_dot follows the velocity's effort, and the force of the position's effort acts back on it."""
    return Routing(name, (position, velocity), _symplectic(n))


@cache
def _symplectic(n: int) -> Array:
    J = np.zeros((2 * n, 2 * n))
    J[:n, n:], J[n:, :n] = np.eye(n), -np.eye(n)
    J.flags.writeable = False
    return J
