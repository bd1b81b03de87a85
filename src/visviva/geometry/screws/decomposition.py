"""The theorems of Chasles and Poinsot: every twist is a turn about a line and a shift along it, every wrench a force
along a line and a couple about it. Also: translations as pairs of turns, couples as pairs of forces.

Source: Stramigioli, Maschke and Bidard, theorems 4 to 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.geometry.linear import dot
from visviva.geometry.refusal import refuse
from visviva.geometry.screws.kinds import is_free
from visviva.geometry.screws.products import as_twist, as_wrench, parts

FAR = 1e-150  # |ω|/|v| below which the axis is out of reach of floating point


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Decomposition:
    """s = magnitude (l + pitch p(l)) with the unit line l = (û; r × û); for infinite pitch s = magnitude (0; û)."""

    magnitude: Array  # (...) |ω| or |f|; |v| or |m| where the pitch is infinite
    direction: Array  # (..., 3) û
    point: Array  # (..., 3) r, the point of the axis nearest to the origin; zero where the pitch is infinite
    pitch: Array  # (...) [m/rad], infinite for translations and couples

    @property
    def line(self) -> Array:
        """The axis (..., 6) as a unit line (û; r × û); the line at infinity (0; û) where the pitch is infinite."""
        u, free = self.direction, np.isinf(self.pitch)[..., None]
        return np.concatenate([np.where(free, 0.0, u), np.where(free, u, np.cross(self.point, u))], axis=-1)

    def twist(self) -> Array:
        """(ω; v) (..., 6)."""
        l = self.line
        shift = np.where(np.isinf(self.pitch), 0.0, self.pitch)[..., None] * self.direction
        return self.magnitude[..., None] * np.concatenate([l[..., :3], l[..., 3:] + shift], axis=-1)

    def wrench(self) -> Array:
        """(m; f) (..., 6)."""
        return as_wrench(self.twist())


def chasles(T: ArrayLike, tolerance: float = 0.0) -> Decomposition:
    """Axis, pitch and magnitude of twists (..., 6).

    ω ≠ 0:   pitch ω·v/ω²,   point r = ω × v/ω² (others differ by multiples of ω),   magnitude |ω|
    ω = 0:   infinite pitch,   direction v/|v|,   magnitude |v|

    T = |ω| (û; r × û) + (û·v) (0; û), where |v| is printed for û·v.

    tolerance: |ω|/|v| [1/m] up to which a twist counts as a translation, for data with noise.
    Source:  theorem 4 and (15).
    """
    return _decompose(*parts(T, "twist"), tolerance, "twist", "at rest it has no axis")


def poinsot(F: ArrayLike, tolerance: float = 0.0) -> Decomposition:
    """Line of action, pitch and magnitude of wrenches (m; f) (..., 6): pitch m·f/f², point f × m/f².

    tolerance: |f|/|m| [1/m] up to which a wrench counts as a couple, for data with noise.
    Source:  theorem 6 and (17).
    """
    return _decompose(*parts(as_twist(F), "wrench"), tolerance, "wrench", "without load it has no line of action")


def turns_of(a: ArrayLike) -> tuple[Array, Array]:
    """A translation (0; v) as the difference l₁ - l₂ of two turns of rate 1 about parallel axes, each (..., 6).

    With ω ⊥ v: r₁ - r₂ = ω × v/ω². Any ω normal to v serves; the origin is half-way between the axes.
    Source:  theorem 5, by which lines span se(3).
    """
    _, v = parts(a, "translation")
    refuse(~v.any(axis=-1), "translation", "is zero, which no two different turns give.")
    refuse(~is_free(a), "twist", "is no translation: ω ≠ 0.\nTake its axis and pitch by `chasles`.")
    return _parallel_pair(v)


def forces_of(c: ArrayLike) -> tuple[Array, Array]:
    """A couple (m; 0) as the difference of two unit forces along parallel lines, each (..., 6) in L*; theorem 7."""
    m, _ = parts(c, "couple")
    refuse(~m.any(axis=-1), "couple", "is zero, which no two different forces give.")
    refuse(~is_free(as_twist(c)), "wrench", "is no couple: f ≠ 0.\nTake its line and pitch by `poinsot`.")
    first, second = _parallel_pair(m)
    return as_wrench(first), as_wrench(second)


def _parallel_pair(v: Array) -> tuple[Array, Array]:
    """Unit lines (ω; ± v/2) with ω ⊥ v: r × ω = ± v/2 for r = ± ½ ω × v."""
    w = np.cross(v, np.eye(3)[np.argmin(np.abs(v), axis=-1)])
    w = w / np.linalg.norm(w, axis=-1, keepdims=True)
    return np.concatenate([w, v / 2], axis=-1), np.concatenate([w, -v / 2], axis=-1)


def _decompose(w: Array, v: Array, tolerance: float, what: str, why: str) -> Decomposition:
    scale = np.maximum(np.abs(w).max(axis=-1), np.abs(v).max(axis=-1))
    refuse(scale == 0, what, f"is zero: {why}.\nLeave it out, or take another instant.")
    w, v = w / scale[..., None], v / scale[..., None]  # squares of the smallest numbers would vanish
    rate, speed = np.sqrt(dot(w, w)), np.sqrt(dot(v, v))
    free = rate <= max(tolerance, FAR) * speed
    size = np.where(free, speed, rate)
    u = np.where(free[..., None], v, w) / size[..., None]
    divisor = np.where(free, np.inf, rate)
    r = np.cross(u, v) / divisor[..., None]
    return Decomposition(scale * size, u, r, np.where(free, np.inf, dot(u, v) / divisor))
