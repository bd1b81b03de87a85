"""Seventeen parameters of springs, read backwards: where they have their minimum, and springs that have them.

With the centre h of K', P_s = K'_s R_Rᵀ and p = X_R h, where K'_s is the second moment about h,

    V = ½ k |X h - p|² - tr(P_s R) + tr K'_s + V_0:

a distance of two points and a function of the rotation alone. Source: Konz (3.63)-(3.70), the way back is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.forms.rigid.moments import Moments
from visviva.geometry.se3 import SE3
from visviva.geometry.trace_function import CriticalSet, TraceFunction

ZERO = 1e-12  # of the largest moment: what is smaller is rounding


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Minimum:
    """The lowest energy of springs.

    pose:      a pose at which they have it.   value: the energy left there [J].
    rotations: all rotations at which they have it.   unique: whether `pose` is the only one.
    """

    pose: SE3
    value: float
    rotations: CriticalSet
    unique: bool


def minimum_of(moments: Moments, rest: SE3, V_0: float, what: str) -> Minimum:
    """The global minimum of ½ tr((X - X_R) K' (X - X_R)ᵀ) + V_0; an error if the energy has no lower bound."""
    k, scale = moments.total, float(np.abs(moments.matrix).max())
    held = k > ZERO * scale
    if k < -ZERO * scale or (not held and np.abs(moments.first).max() > ZERO * scale):
        raise ModelError(
            f"{what} have no minimum: the total stiffness is {k:g} N/m, with the first moment"
            f" {moments.first.round(6).tolist()} N.\n"
            "The energy falls without end along some translation. Springs with a minimum have a positive total\n"
            "stiffness, or none at all together with no first moment."
        )
    h = moments.first / k if held else np.zeros(3)
    rotations = _of_rotation(moments, rest, V_0, h).minimum()
    R = rest.R if rotations.kind == "constant" else rotations.rotation()
    r = rest.act(h) - R @ h if held else rest.r
    return Minimum(SE3(R, r), rotations.value, rotations, held and rotations.strict)


def springs_with(moments: Moments, rest: SE3, V_0: float, what: str) -> tuple[Array, Array, Array]:
    """k (8,), p (8, 3) on frame a and h (8, 3) on frame b, of springs with this energy at every pose.

    Six of equal stiffness lie in pairs about the centre of stiffness, on the principal axes of K'_s, and two more keep
    the energy that is left at the minimum. Where an eigenvalue of K'_s is negative a pair is crossed.

    Limits:  the total stiffness is positive, and the energy at the minimum is at least twice the sum of the moduli of
             negative eigenvalues of K'_s: no springs have less.
    """
    lowest, k = minimum_of(moments, rest, V_0, what), moments.total
    if not k > ZERO * float(np.abs(moments.matrix).max()):
        raise ModelError(
            f"{what} have no total stiffness, which springs between points have.\n"
            "A stiffness of rotations alone is a ChordEnergy, or a set of springs with some stiffness added."
        )
    h, X = moments.first / k, lowest.pose
    S = _of_rotation(moments, rest, V_0, h).P @ X.R
    s, axes = np.linalg.eigh((S + S.T) / 2)
    crossed = 2 * float(np.maximum(-s, 0).sum())
    left = lowest.value - crossed
    if left < -ZERO * max(float(np.abs(s).max()), abs(lowest.value)):
        raise ModelError(
            f"{what} would keep {lowest.value:.6g} J at their minimum, but no springs with these moments keep less than"
            f" {crossed:.6g} J.\nAdd {-left:.6g} J to V_0: a constant changes no force."
        )
    a = np.append(np.sqrt(4 * np.abs(s) / k), np.sqrt(8 * max(left, 0.0) / k))
    b = np.append(np.sign(s), 0.0) * a
    along = np.vstack([axes.T, axes[:, 0]])
    on_b = np.concatenate([h + a[:, None] * along, h - a[:, None] * along])
    on_a = np.concatenate([h + b[:, None] * along, h - b[:, None] * along])
    return np.full(8, k / 8), X.act(on_a), on_b


def points_with(moments: Moments) -> tuple[Array, Array]:
    """Weights (6,) and points (6, 3) with these moments, such as dampers of a damping D; an error if there are none."""
    w, scale = moments.total, float(np.abs(moments.matrix).max())
    if not w > ZERO * scale:
        raise ModelError(f"points with these moments need a positive total, got {w:g}.")
    h = moments.first / w
    s, axes = np.linalg.eigh(moments.matrix[:3, :3] - w * np.outer(h, h))
    if s[0] < -ZERO * scale:
        raise ModelError(
            f"no points of positive weight have these moments: the second moment about the centre has the eigenvalue"
            f" {s[0]:.3g}.\nPoints fulfil the triangle inequality: no principal moment exceeds the sum of the others."
        )
    offsets = np.sqrt(3 * np.maximum(s, 0.0) / w)[:, None] * axes.T
    return np.full(6, w / 6), np.concatenate([h + offsets, h - offsets])


def _of_rotation(moments: Moments, rest: SE3, V_0: float, h: Array) -> TraceFunction:
    """What depends on R where the centres of stiffness meet."""
    S = moments.matrix[:3, :3] - moments.total * np.outer(h, h)
    return TraceFunction(S @ rest.R.T, float(np.trace(S)) + V_0)
