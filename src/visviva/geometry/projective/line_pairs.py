"""Two lines: where they meet, how far apart and how inclined they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, Mask
from visviva.geometry.linear import dot
from visviva.geometry.projective.lines import checked_lines, finite_lines, foot, klein, same_line
from visviva.geometry.projective.points import TOLERANCE, with_last
from visviva.geometry.refusal import refuse

COPLANAR = 1e-9  # |k∘l| / (|k| |l|) of lines that still meet


def meet(k: ArrayLike, l: ArrayLike) -> Array:
    """The point (..., 4) where two lines of a plane meet; infinite if they are parallel.

    With w = u_k × u_l it is (½(m_k·u_l - m_l·u_k) w + (w·m_l) u_k - (w·m_k) u_l; w²), the middle of the common
    perpendicular where rounding leaves one.
    """
    k, l = np.broadcast_arrays(checked_lines(k, "first line"), checked_lines(l, "second line"))
    _refuse_skew(k, l)
    refuse(same_line(k, l), "meet of two lines", "is no point: both are the same line.\nEvery point of it is on both.")
    (u_k, m_k), (u_l, m_l) = (np.split(a, 2, axis=-1) for a in (k, l))
    p_k, p_l = feet(k, l)
    infinite = _parallel(k, l)
    finite_k, finite_l = (np.any(u, axis=-1, keepdims=True) for u in (u_k, u_l))
    direction = np.where(finite_k, u_k, np.where(finite_l, u_l, np.cross(m_k, m_l)))
    p = with_last(np.where(infinite[..., None], direction, (p_k + p_l) / 2), 1.0)
    p[..., 3] = np.where(infinite, 0.0, 1.0)
    return p


def join_lines(k: ArrayLike, l: ArrayLike) -> Array:
    """The plane (..., 4) of two lines that meet: the dual of `meet`, where directions and moments change places."""
    k, l = checked_lines(k, "first line"), checked_lines(l, "second line")
    return meet(np.roll(k, 3, axis=-1), np.roll(l, 3, axis=-1))


def feet(k: Array, l: Array) -> tuple[Array, Array]:
    """The ends (..., 3) of the common perpendicular, on k and on l; zero where the lines are parallel.

    p_k = ((m_k·u_l) w - (w·m_k) u_l + (w·m_l) u_k) / w²,   p_l with -(m_l·u_k) in the first term.
    """
    (u_k, m_k), (u_l, m_l) = (np.split(a, 2, axis=-1) for a in (k, l))
    w = np.cross(u_k, u_l)
    square = dot(w, w)[..., None]
    square = np.where(square > 0, square, np.inf)
    common = dot(w, m_l)[..., None] * u_k - dot(w, m_k)[..., None] * u_l
    return (common + dot(m_k, u_l)[..., None] * w) / square, (common - dot(m_l, u_k)[..., None] * w) / square


def common_perpendicular(k: ArrayLike, l: ArrayLike) -> Array:
    """The line (..., 6) that meets both at right angles, its direction u_k × u_l."""
    k, l = np.broadcast_arrays(finite_lines(k, "first line"), finite_lines(l, "second line"))
    refuse(_parallel(k, l), "common perpendicular of two lines", "is not unique: they are parallel.")
    w = np.cross(k[..., :3], l[..., :3])
    return np.concatenate([w, np.cross(feet(k, l)[0], w)], axis=-1)


def distance(k: ArrayLike, l: ArrayLike) -> Array:
    """The shortest way between two lines, |k∘l| / |u_k × u_l|, and between the feet of parallel ones."""
    k, l = finite_lines(k, "first line"), finite_lines(l, "second line")
    w = np.linalg.norm(np.cross(k[..., :3], l[..., :3]), axis=-1)
    parallel = _parallel(k, l)
    apart = np.linalg.norm(foot(k) - foot(l), axis=-1)
    return np.where(parallel, apart, np.abs(klein(k, l)) / np.where(parallel, 1.0, w))


def angle(k: ArrayLike, l: ArrayLike) -> Array:
    """Between the directions of two lines, in [0, π]."""
    k, l = finite_lines(k, "first line"), finite_lines(l, "second line")
    u, v = k[..., :3], l[..., :3]
    return np.arctan2(np.linalg.norm(np.cross(u, v), axis=-1), dot(u, v))


def are_coplanar(k: ArrayLike, l: ArrayLike, tolerance: float = COPLANAR) -> Mask:
    """Whether two lines meet, also at infinity: the Klein form of both is zero."""
    k, l = checked_lines(k), checked_lines(l)
    scale = np.linalg.norm(k, axis=-1) * np.linalg.norm(l, axis=-1)
    return np.asarray(np.abs(klein(k, l)) <= tolerance * scale)


def _parallel(k: Array, l: Array) -> Mask:
    u, v = k[..., :3], l[..., :3]
    w = np.linalg.norm(np.cross(u, v), axis=-1)
    return np.asarray(w <= TOLERANCE * np.linalg.norm(u, axis=-1) * np.linalg.norm(v, axis=-1))


def _refuse_skew(k: Array, l: Array) -> None:
    refuse(
        ~are_coplanar(k, l),
        "meet of two lines",
        "does not exist: they are skew.\nFor the points where they are nearest use `common_perpendicular` or `feet`.",
    )
