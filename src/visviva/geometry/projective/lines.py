"""Lines of P³ by Plücker coordinates (u; m) = (u; r × u), up to a factor.

u is the direction and m the moment about the origin; lines at infinity are (0; n), where all planes normal to n meet.
(u; m) is a line when it lies on the Klein quadric u·m = 0; sums of lines are screws in general.
Source: Stramigioli, Maschke and Bidard, section 2.1.4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, Mask, finite_array
from visviva.geometry.linear import dot
from visviva.geometry.projective.points import TOLERANCE, checked_points, vanishes, wedge, with_last
from visviva.geometry.refusal import refuse

QUADRIC = 1e-9  # |u·m| / (u² + m²) of what still counts as a line


def join(p: ArrayLike, q: ArrayLike) -> Array:
    """The line through two points of any kind, (α_p y - α_q x; x × y), shape (..., 6).

    For finite points it is (y - x; x × y) of (4); for two infinite points it is a line at infinity.
    """
    p, q = checked_points(p, "first point"), checked_points(q, "second point")
    line = wedge(p, q)
    refuse(
        vanishes(line, p, q, TOLERANCE),
        "join of two points",
        "does not exist: both are the same point.\nMany lines pass through one point; give two different ones.",
    )
    return line


def line(r: ArrayLike, u: ArrayLike) -> Array:
    """The line through r along u, (u; r × u) of (5), shape (..., 6)."""
    r, u = np.broadcast_arrays(finite_array(r, "point", (3,)), finite_array(u, "direction", (3,)))
    refuse(~u.any(axis=-1), "direction", "of the line is zero; it must point somewhere.")
    return np.concatenate([u, np.cross(r, u)], axis=-1)


def line_at_infinity(n: ArrayLike) -> Array:
    """(0; n), the points at infinity of every plane with normal n."""
    n = finite_array(n, "normal", (3,))
    refuse(~n.any(axis=-1), "normal", "of the line at infinity is zero; it must point somewhere.")
    return np.concatenate([np.zeros_like(n), n], axis=-1)


def klein(k: ArrayLike, l: ArrayLike) -> Array:
    """u_k·m_l + m_k·u_l: for unit lines -d sin α; zero where they meet, also at infinity."""
    k, l = finite_array(k, "line", (6,)), finite_array(l, "line", (6,))
    return dot(k[..., :3], l[..., 3:]) + dot(k[..., 3:], l[..., :3])


def is_line(l: ArrayLike, tolerance: float = QUADRIC) -> Mask:
    """Whether a vector (..., 6) is a line: not zero, and u·m = 0."""
    l = finite_array(l, "line", (6,))
    square = dot(l, l)
    return np.asarray((np.abs(klein(l, l)) <= 2 * tolerance * square) & (square > 0))


def checked_lines(l: ArrayLike, what: str = "line") -> Array:
    """Plücker coordinates (..., 6), or an error."""
    l = finite_array(l, what, (6,))
    refuse(~l.any(axis=-1), what, "is zero, which stands for no line.")
    refuse(
        ~is_line(l),
        what,
        "is no line: its direction u and its moment m have u·m ≠ 0.\n"
        "A line has (u; r × u); for a screw take its axis, visviva.screws.chasles(s).line.",
    )
    return l


def is_at_infinity(l: ArrayLike) -> Mask:
    """Whether a line has no direction: all its points are infinite."""
    return np.asarray(~checked_lines(l)[..., :3].any(axis=-1))


def finite_lines(l: ArrayLike, what: str = "line") -> Array:
    """Plücker coordinates (..., 6) of lines that are not at infinity, or an error."""
    l = checked_lines(l, what)
    refuse(is_at_infinity(l), what, "is at infinity: it has no direction and no finite point.")
    return l


def foot(l: ArrayLike) -> Array:
    """u × m / u², the point (..., 3) of the line that is nearest to the origin."""
    l = finite_lines(l)
    u, m = l[..., :3], l[..., 3:]
    return np.cross(u, m) / dot(u, u)[..., None]


def passes_through(l: ArrayLike, p: ArrayLike, tolerance: float = TOLERANCE) -> Mask:
    """Whether each point lies on its line: α m = x × u and x·m = 0."""
    l, p = checked_lines(l), checked_points(p)
    u, m, x, a = l[..., :3], l[..., 3:], p[..., :3], p[..., 3:]
    gap = np.concatenate([a * m - np.cross(x, u), dot(x, m)[..., None]], axis=-1)
    scale = np.linalg.norm(p, axis=-1) * np.linalg.norm(l, axis=-1)
    return np.asarray(np.linalg.norm(gap, axis=-1) <= tolerance * scale)


def same_line(k: ArrayLike, l: ArrayLike, tolerance: float = TOLERANCE) -> Mask:
    """Whether k = α l for some α ≠ 0, to rounding."""
    k, l = checked_lines(k), checked_lines(l)
    a, b = k / np.linalg.norm(k, axis=-1, keepdims=True), l / np.linalg.norm(l, axis=-1, keepdims=True)
    nearer = np.where((dot(a, b) < 0)[..., None], -b, b)
    return np.asarray(np.linalg.norm(a - nearer, axis=-1) <= tolerance)


def point_on(l: ArrayLike, s: ArrayLike) -> Array:
    """Points (..., 4) of a line that are not at infinity: the foot, and s metres on along u."""
    l = finite_lines(l)
    u = l[..., :3]
    s = finite_array(s, "distance along the line")
    return with_last(foot(l) + s[..., None] * u / np.linalg.norm(u, axis=-1, keepdims=True), 1.0)
