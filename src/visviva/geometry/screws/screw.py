"""Screws as values: with a magnitude, and up to a factor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from visviva._arrays import Array, finite_direction, finite_number, finite_vector
from visviva.errors import ModelError
from visviva.geometry.projective.lines import checked_lines, foot, line
from visviva.geometry.screws import products
from visviva.geometry.screws.decomposition import Decomposition, chasles
from visviva.geometry.screws.kinds import Kind, kind
from visviva.geometry.se3 import SE3

FREE = 1e-9  # [1/m] |ω|/|v| of what is shown as a free vector


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Screw:
    """A screw vector (ω; v): a twist, or a wrench read as (f; m).

    `Screw.about(axis, at, pitch)` and `Screw.along(direction)` build one from geometry. `s @ t` is the reciprocal
    product, `s ^ t` the Lie bracket; screws add, and have real multiples.
    """

    vector: Array  # (6,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "vector", finite_vector(self.vector, "screw", 6))

    @classmethod
    def about(cls, axis: ArrayLike, at: ArrayLike = (0.0, 0.0, 0.0), pitch: float = 0.0) -> Self:
        """Turning about the line through `at` along `axis`, and shifting `pitch` [m/rad] along it: l + h p(l)."""
        l = line(finite_vector(at, "point of the axis", 3), finite_direction(axis, "axis"))
        return cls(l + finite_number(pitch, "pitch") * products.polar(l))

    @classmethod
    def along(cls, direction: ArrayLike) -> Self:
        """The free vector (0; v): a translation, or a couple."""
        return cls(np.concatenate([np.zeros(3), finite_direction(direction, "direction")]))

    @classmethod
    def of_wrench(cls, F: ArrayLike) -> Self:
        """The screw (f; m) of a wrench (m; f)."""
        return cls(products.as_twist(finite_vector(F, "wrench", 6)))

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self.vector, dtype=dtype)  # functions of vectors take screws

    def as_wrench(self) -> Array:
        """(m; f) with f = ω, m = v."""
        return products.as_wrench(self.vector)

    @property
    def kind(self) -> Kind:
        """Zero, free vector, bound line vector or screw."""
        return kind(self.vector)

    @property
    def axis(self) -> Decomposition:
        """Direction, point, pitch and magnitude; an error for zero."""
        return chasles(self.vector, FREE)

    @property
    def pitch(self) -> float:
        """ω·v/ω² [m/rad]."""
        return float(self.axis.pitch)

    @property
    def magnitude(self) -> float:
        """|ω|, or |v| of a free vector."""
        return float(np.linalg.norm(self.vector)) if self.kind is Kind.ZERO else float(self.axis.magnitude)

    def __matmul__(self, other: Self) -> float:
        """s∘t, zero for reciprocal screws."""
        return float(products.reciprocal(self.vector, other.vector))

    def __xor__(self, other: Self) -> Self:
        """s∧t, the Lie bracket."""
        return type(self)(products.bracket(self.vector, other.vector))

    def perpendicular(self, other: Self) -> float:
        """s◇t = ω_s·ω_t."""
        return float(products.perpendicular(self.vector, other.vector))

    def polar(self) -> Self:
        """s' = (0; ω)."""
        return type(self)(products.polar(self.vector))

    def __add__(self, other: Self) -> Self:
        return type(self)(self.vector + other.vector)

    def __sub__(self, other: Self) -> Self:
        return type(self)(self.vector - other.vector)

    def __neg__(self) -> Self:
        return type(self)(-self.vector)

    def __mul__(self, factor: float) -> Self:
        return type(self)(factor * self.vector)

    __rmul__ = __mul__

    def moved(self, X: SE3) -> Self:
        """Ad_X s: the screw carried along by a displacement; its axis moves, its pitch stays."""
        return type(self)(X.Ad() @ self.vector)

    def geometric(self) -> GeometricScrew:
        """Line and pitch alone."""
        axis = self.axis
        return GeometricScrew(axis.line, float(axis.pitch))

    def __str__(self) -> str:
        if self.kind is Kind.ZERO:
            return "zero screw"
        return f"{self.magnitude:.6g} × {self.geometric()}"


@final
@dataclass(frozen=True, eq=False)
class GeometricScrew:
    """A line and a pitch [m/rad]: a screw up to a factor. `pitch=math.inf` is a direction of translation.

    The line is kept as a unit line, at infinity for infinite pitch.
    """

    line: Array  # (6,)
    pitch: float = 0.0

    def __post_init__(self) -> None:
        l = checked_lines(finite_vector(self.line, "line of the screw", 6), "line of the screw")
        if math.isnan(self.pitch):
            raise ModelError("pitch of the screw is not a number.\nGive metres per radian, or math.inf.")
        direction, moment = l[:3], l[3:]
        if not direction.any():
            l, pitch = l / np.linalg.norm(moment), math.inf
        elif math.isinf(self.pitch):
            l, pitch = products.polar(l) / np.linalg.norm(direction), math.inf
        else:
            l, pitch = l / np.linalg.norm(direction), float(self.pitch)
        object.__setattr__(self, "line", l)
        object.__setattr__(self, "pitch", pitch)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        return np.array(self.screw().vector, dtype=dtype)  # functions of vectors take it with magnitude 1

    def screw(self, magnitude: float = 1.0) -> Screw:
        """The screw vector of a magnitude."""
        shift = 0.0 if math.isinf(self.pitch) else self.pitch
        return magnitude * Screw(self.line + shift * products.polar(self.line))

    def same_as(self, other: Self, tolerance: float = 1e-9) -> bool:
        """Whether both are one geometric screw: their vectors are multiples of each other, to rounding."""
        s, t = self.screw().vector, other.screw().vector
        s, t = s / np.linalg.norm(s), t / np.linalg.norm(t)
        return bool(min(np.linalg.norm(s - t), np.linalg.norm(s + t)) <= tolerance)

    def __str__(self) -> str:
        if math.isinf(self.pitch):
            return f"free vector along {triple(self.line[3:])}"
        what = "line" if abs(self.pitch) <= 1e-12 else f"screw of pitch {self.pitch:.6g} m/rad"
        return f"{what} through {triple(foot(self.line))} along {triple(self.line[:3])}"


def triple(x: Array) -> str:
    """(1, 0, -0.5): six digits, and no rounding shown as numbers."""
    shown = np.where(np.abs(x) > 1e-12 * max(1.0, float(np.abs(x).max())), x, 0.0)
    return "(" + ", ".join(f"{a:.6g}" for a in shown) + ")"
