"""Points of the projective space P³: rays p = (x, y, z, α) of R⁴, finite ones and those at infinity.

The polarity P sees α alone, its adjoint Q the other three: points with α = 0 form the improper hyperplane I³.
Source: Stramigioli, Maschke and Bidard, sections 2.1.1 to 2.1.3.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, Mask, finite_array
from visviva.geometry.refusal import refuse

TOLERANCE = 1e-12  # relative: what rounding leaves of two things that are one


def polarity(epsilon: float = 0.0) -> Array:
    """P = diag(0, 0, 0, 1), or with ε for the zeros; source: (2)."""
    return np.diag([epsilon, epsilon, epsilon, 1.0])


def adjoint_polarity(epsilon: float = 0.0) -> Array:
    """Q = diag(1, 1, 1, 0), or with ε for the zero, so that Q_ε P_ε = ε I; source: (2) and its footnote."""
    return np.diag([1.0, 1.0, 1.0, epsilon])


def point(r: ArrayLike) -> Array:
    """The finite point (r, 1), shape (..., 4), of Cartesian coordinates (..., 3)."""
    return with_last(finite_array(r, "point", (3,)), 1.0)


def infinite_point(u: ArrayLike) -> Array:
    """The point (u, 0) where all lines along u meet, shape (..., 4)."""
    u = finite_array(u, "direction", (3,))
    refuse(~u.any(axis=-1), "direction", "is zero; it must point somewhere.")
    return with_last(u, 0.0)


def checked_points(p: ArrayLike, what: str = "point") -> Array:
    """Representatives (..., 4), or an error."""
    p = finite_array(p, what, (4,))
    refuse(~p.any(axis=-1), what, "is the zero of R⁴, which stands for no point of P³.")
    return p


def finite_points(p: ArrayLike, what: str = "point") -> Array:
    """Representatives (..., 4) of finite points, or an error."""
    p = checked_points(p, what)
    refuse(p[..., 3] == 0, what, "is at infinity: its last coordinate is 0.\nGive a finite point, or a direction.")
    return p


def p_norm(p: ArrayLike) -> Array:
    """√(pᵀ P p) = |α|, zero at infinity."""
    return np.abs(checked_points(p)[..., 3])


def sigma(p: ArrayLike) -> Array:
    """The sign of α: 1 or -1 on either side of the improper hyperplane, 0 in it; source: (1)."""
    return np.sign(checked_points(p)[..., 3])


def is_infinite(p: ArrayLike) -> Mask:
    """Whether pᵀ P p = 0."""
    return np.asarray(checked_points(p)[..., 3] == 0)


def normalised(p: ArrayLike) -> Array:
    """p / (‖p‖ σ(p)), the representative (x, y, z, 1) of a finite point."""
    p = finite_points(p)
    return p / p[..., 3:]


def cartesian(p: ArrayLike) -> Array:
    """Coordinates (..., 3) of a finite point."""
    return normalised(p)[..., :3]


def difference(p: ArrayLike, q: ArrayLike) -> Array:
    """p/(‖p‖σ(p)) - q/(‖q‖σ(q)), the free vector (..., 4) from q to p; source: (3)."""
    return normalised(p) - normalised(q)


def same_point(p: ArrayLike, q: ArrayLike, tolerance: float = TOLERANCE) -> Mask:
    """Whether p = α q for some α ≠ 0, to rounding."""
    p, q = checked_points(p), checked_points(q)
    return vanishes(wedge(p, q), p, q, tolerance)


def wedge(p: Array, q: Array) -> Array:
    """p ∧ q = (α_p y - α_q x; x × y), shape (..., 6), zero where both are one point."""
    u = p[..., 3:] * q[..., :3] - q[..., 3:] * p[..., :3]
    return np.concatenate([u, np.cross(p[..., :3], q[..., :3])], axis=-1)


def vanishes(line: Array, p: Array, q: Array, tolerance: float) -> Mask:
    """Whether p ∧ q is rounding: of finite points the distance counts, of two infinite ones the angle."""
    x, y = (np.linalg.norm(a[..., :3], axis=-1) for a in (p, q))
    a, b = np.abs(p[..., 3]), np.abs(q[..., 3])
    u, m = (np.linalg.norm(half, axis=-1) for half in (line[..., :3], line[..., 3:]))
    return np.asarray((u <= tolerance * (a * y + b * x)) & ((a > 0) & (b > 0) | (m <= tolerance * x * y)))


def with_last(x: Array, last: float) -> Array:
    """(x, last), shape (..., 4)."""
    return np.concatenate([x, np.full((*x.shape[:-1], 1), last)], axis=-1)
