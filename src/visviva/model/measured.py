"""Measured quantities: states y that follow the configuration, so that energies, dampers and inputs act through them.

y is quadratic in the coordinates (squared lengths, products of axes), hence exact at the mean of two states, or the
angle of a joint, which is made exact between them. Forces that act through functions of the relative placement of two
bodies add no momentum.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.geometry.embedding import AbstractSpace
from visviva.geometry.linear import transpose
from visviva.geometry.quadratic import Quadratic
from visviva.library.joints import SPIN_OF_CHILD
from visviva.library.quantities import momentum
from visviva.model.holonomic import lift_rows
from visviva.model.structure import AbstractDissipation, AbstractPort, AbstractRouting
from visviva.model.turn import Turn

Int = NDArray[np.intp]


class AbstractMeasured(AbstractRouting):
    """ẏ = C V, and the effort e of y acts back as the force -Cᵀ e; `acts` names y first, then the velocities V."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """Dimension of y."""

    @abstractmethod
    def C(self, q: Array) -> Array:
        """Shape (..., rows, k)."""

    @abstractmethod
    def value(self, q: Array) -> Array:
        """y at the coordinates of one instant, shape (..., rows)."""

    @abstractmethod
    def magnitude(self, q: Array) -> Array:
        """Size of the terms that y is the sum of, shape (..., rows)."""

    def follow(self, y0: Array, q0: Array, q1: Array) -> Array:
        """y at q1, where it was y0 at q0: angles go on from there over many turns, (..., rows)."""
        return self.value(q1)

    def between(self, q: Array) -> Array:
        """C between both ends q = (q0, q1) of a step: C times the increment is Δy."""
        q0, q1 = _ends(q)
        return self.C(q if self.two_ended else 0.5 * (q0 + q1))

    def J(self, q: Array) -> Array:  # noqa: D102
        C, m = self.C(q), self.rows
        n = m + C.shape[-1]
        J = np.zeros((*C.shape[:-2], n, n))
        J[..., :m, m:], J[..., m:, :m] = C, -transpose(C)
        return J


@final
@dataclass(frozen=True, eq=False)
class Measured(AbstractMeasured):
    """Functions y(q) of at most second degree: C = ∇y(q) N(q), and C at the mean gives the increment exactly."""

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    y: Quadratic
    spaces: tuple[AbstractSpace, ...]

    @property
    def rows(self) -> int:  # noqa: D102
        return self.y.m

    def C(self, q: Array) -> Array:  # noqa: D102
        return lift_rows(self.y.gradient(q), q, self.spaces)

    def value(self, q: Array) -> Array:  # noqa: D102
        return self.y.value(q)

    def magnitude(self, q: Array) -> Array:  # noqa: D102
        return self.y.magnitude(q)


@final
@dataclass(frozen=True, eq=False)
class MeasuredAngle(AbstractMeasured):
    """The angle of a joint, between both ends q = (q0, q1) of a step: C Δ = Δθ, see `Turn.rate_row`."""

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    turn: Turn
    two_ended: ClassVar[bool] = True

    @property
    def rows(self) -> int:  # noqa: D102
        return 1

    def C(self, q: Array) -> Array:  # noqa: D102
        return self.turn.rate_row(q)[..., None, :]

    def value(self, q: Array) -> Array:
        """θ in (-π, π]."""
        return self.turn.angle(q)[..., None]

    def magnitude(self, q: Array) -> Array:
        """1: it is read from products of unit vectors."""
        return np.ones((*q.shape[:-1], 1))

    def increment(self, q: Array) -> Array:
        """Δθ between two ends q = (q0, q1), in (-π, π], shape (..., 1)."""
        return self.turn.increment(q)[..., None]

    def follow(self, y0: Array, q0: Array, q1: Array) -> Array:  # noqa: D102
        return y0 + self.increment(np.concatenate([np.broadcast_to(q0, q1.shape), q1], axis=-1))


@final
@dataclass(frozen=True, eq=False)
class MeasuredLength(AbstractMeasured):
    """The distance l = √(2 y) of two points, y = ½ d·d, between both ends q = (q0, q1) of a step.

    C = ∇y(q̄) N(q̄)/l̄ with l̄ = ½ (l0 + l1), so that C Δ = Δy/l̄ = ½ (l1² - l0²)/l̄ = Δl.
    """

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    y: Quadratic
    spaces: tuple[AbstractSpace, ...]
    two_ended: ClassVar[bool] = True

    @property
    def rows(self) -> int:  # noqa: D102
        return 1

    def C(self, q: Array) -> Array:  # noqa: D102
        q0, q1 = _ends(q)
        mean = 0.5 * (q0 + q1)
        length = 0.5 * (self.value(q0) + self.value(q1))
        return lift_rows(self.y.gradient(mean), mean, self.spaces) / length[..., None]

    def value(self, q: Array) -> Array:  # noqa: D102
        return np.sqrt(2.0 * np.maximum(self.y.value(q), 0.0))

    def magnitude(self, q: Array) -> Array:
        """How it rounds: as y does, over l."""
        return self.y.magnitude(q) / self.value(q)


@final
@dataclass(frozen=True, eq=False)
class MeasuredStack(AbstractMeasured):
    """Several measured quantities of different joints as one y, one below the other.

    parts:   of which y is made.   spaces: of what is read, one for each name in `reads`.
    """

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    parts: tuple[Measured | MeasuredAngle, ...]
    spaces: tuple[AbstractSpace, ...]
    two_ended: ClassVar[bool] = True

    @property
    def rows(self) -> int:  # noqa: D102
        return sum(part.rows for part in self.parts)

    def C(self, q: Array) -> Array:  # noqa: D102
        q0, q1 = _ends(q)
        n, rows = sum(space.dim for space in self.spaces), []
        for part in self.parts:
            at, columns = self._places(part)
            row = np.zeros((*q.shape[:-1], part.rows, n))
            row[..., columns] = part.between(np.concatenate([q0[..., at], q1[..., at]], axis=-1))
            rows.append(row)
        return np.concatenate(rows, axis=-2)

    def value(self, q: Array) -> Array:
        """y at one instant, angles in (-π, π]."""
        return np.concatenate([part.value(q[..., self._places(part)[0]]) for part in self.parts], axis=-1)

    def magnitude(self, q: Array) -> Array:  # noqa: D102
        return np.concatenate([part.magnitude(q[..., self._places(part)[0]]) for part in self.parts], axis=-1)

    def follow(self, y0: Array, q0: Array, q1: Array) -> Array:  # noqa: D102
        found, first = [], 0
        for part in self.parts:
            at, rows = self._places(part)[0], slice(first, first := first + part.rows)
            found.append(part.follow(y0[..., rows], q0[..., at], q1[..., at]))
        return np.concatenate(found, axis=-1)

    def _places(self, part: Measured | MeasuredAngle) -> tuple[Int, Int]:
        """Where the coordinates that a part reads are among all, and its velocities."""
        sizes, dims = ([getattr(space, word) for space in self.spaces] for word in ("size", "dim"))
        found = []
        for widths in (sizes, dims):
            first = np.concatenate([[0], np.cumsum(widths)])
            numbers = [self.reads.index(name) for name in part.reads]
            found.append(np.concatenate([np.arange(first[k], first[k + 1]) for k in numbers]).astype(np.intp))
        return found[0], found[1]


@final
@dataclass(frozen=True, eq=False)
class MeasuredDissipation(AbstractDissipation):
    """The damper D ẏ: R = Cᵀ D C, heat ẏ·D ẏ.

    line: y = ½ d·d, and the damper is one of the length l = |d|: R = Cᵀ D C / (d·d), force D l_dot along d. Where
          the ends meet, d has no direction, and the force is zero.
    """

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    y: Quadratic
    spaces: tuple[AbstractSpace, ...]
    D: Array  # (k, k)
    line: bool = False

    def R(self, q: Array, z: Array) -> Array:  # noqa: D102
        C = lift_rows(self.y.gradient(q), q, self.spaces)
        R = transpose(C) @ self.D @ C
        if not self.line:
            return R
        square = 2.0 * self.y.value(q)[..., None]
        meet = square <= 0
        return np.where(meet, 0.0, R / np.where(meet, 1.0, square))


@final
@dataclass(frozen=True, eq=False)
class StackDissipation(AbstractDissipation):
    """The damper D ẏ of several measured quantities: R = Cᵀ D C with C between both ends of a step, heat ẏ·D ẏ ≥ 0."""

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    measure: MeasuredStack
    D: Array  # (k, k)
    two_ended: ClassVar[bool] = True

    def R(self, q: Array, z: Array) -> Array:  # noqa: D102
        C = self.measure.C(q)
        return transpose(C) @ self.D @ C


@final
@dataclass(frozen=True, eq=False)
class SpinDissipation(AbstractDissipation):
    """The torque -D ω against the angular velocity ω of a frame C against P, in axes of C: R = Cᵀ Wᵀ D W C, heat ω·D ω.

    measure: the nine products y_ij = P_i·C_j; ω follows from their rates by W at the middle of a step, of order two,
    and never negative.
    """

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    measure: Measured
    D: Array  # (3, 3)

    def R(self, q: Array, z: Array) -> Array:  # noqa: D102
        C = SPIN_OF_CHILD.matrix(self.measure.value(q)) @ self.measure.C(q)
        return np.asarray(transpose(C) @ self.D @ C)


@final
@dataclass(frozen=True, eq=False)
class MeasuredPort(AbstractPort):
    """Inputs u along y: B = Cᵀ, output ẏ."""

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    y: Quadratic
    spaces: tuple[AbstractSpace, ...]
    quantity: ClassVar[str] = momentum.name  # type: ignore[misc]

    @property
    def width(self) -> int:  # type: ignore[override]
        """One input per function."""
        return self.y.m

    def B(self, q: Array) -> Array:  # noqa: D102
        return transpose(lift_rows(self.y.gradient(q), q, self.spaces))


@final
@dataclass(frozen=True, eq=False)
class LengthPort(AbstractPort):
    """A force along the distance of two points: B = Cᵀ, output Δl/h."""

    name: str
    reads: tuple[str, ...]
    acts: tuple[str, ...]
    length: MeasuredLength
    width: int = 1
    two_ended: ClassVar[bool] = True
    quantity: ClassVar[str] = momentum.name  # type: ignore[misc]

    def B(self, q: Array) -> Array:  # noqa: D102
        return transpose(self.length.C(q))


def _ends(q: Array) -> tuple[Array, Array]:
    k = q.shape[-1] // 2
    return q[..., :k], q[..., k:]
