"""Products of screws s = (ω; v), in the order of twists, on batches (..., 6).

Wrenches (m; f) become screws (f; m) by `as_twist`, so that all products apply to them as well.
Source: Stramigioli, Maschke and Bidard, sections 2.4.3 and 2.5.4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.geometry.linear import dot


def parts(s: ArrayLike, what: str = "screw") -> tuple[Array, Array]:
    """ω and v, each (..., 3)."""
    s = finite_array(s, what, (6,))
    return s[..., :3], s[..., 3:]


def reciprocal(s: ArrayLike, t: ArrayLike) -> Array:
    """s∘t = sᵀ H̄ t = ω_s·v_t + v_s·ω_t: the power of t, read as a wrench, on the twist s."""
    (w_s, v_s), (w_t, v_t) = parts(s), parts(t)
    return dot(w_s, v_t) + dot(v_s, w_t)


def perpendicular(s: ArrayLike, t: ArrayLike) -> Array:
    """s◇t = sᵀ K̄ t = ω_s·ω_t; with 𝔎 in the place of K̄, as printed, it would be -4 times this."""
    return dot(parts(s)[0], parts(t)[0])


def bracket(s: ArrayLike, t: ArrayLike) -> Array:
    """s∧t = [s, t] = (ω_s × ω_t; ω_s × v_t - ω_t × v_s), the Lie bracket, shape (..., 6).

    Printed with a plus, which is not antisymmetric. It is `SE3.ad(s)` applied to t.
    """
    (w_s, v_s), (w_t, v_t) = parts(s), parts(t)
    return np.concatenate([np.cross(w_s, w_t), np.cross(w_s, v_t) - np.cross(w_t, v_s)], axis=-1)


def polar(s: ArrayLike) -> Array:
    """s' = H̄⁻¹ K̄ s = (0; ω): the translation along the axis."""
    w, _ = parts(s)
    return np.concatenate([np.zeros_like(w), w], axis=-1)


def polar_wrench(F: ArrayLike) -> Array:
    """K̄ H̄⁻¹ F = (f; 0): the couple along the line of a wrench (m; f)."""
    _, f = parts(F, "wrench")
    return np.concatenate([f, np.zeros_like(f)], axis=-1)


def as_wrench(s: ArrayLike) -> Array:
    """H̄ s: the wrench (m; f) = (v; ω) with ⟨H̄ s, t⟩ = s∘t for all t; source: (14).

    Limits:  units of length mix and reflections change its sign: no metric, and no pseudo-inverse, comes from it.
    """
    w, v = parts(s)
    return np.concatenate([v, w], axis=-1)


def as_twist(F: ArrayLike) -> Array:
    """H̄⁻¹ F: the screw (f; m) of a wrench (m; f)."""
    m, f = parts(F, "wrench")
    return np.concatenate([f, m], axis=-1)
