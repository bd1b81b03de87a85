"""Planes h = (n; d) of P³, n·x + d α = 0: the dual of points. The plane at infinity is (0, 0, 0, 1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.geometry.linear import dot
from visviva.geometry.projective.lines import checked_lines, passes_through
from visviva.geometry.projective.points import TOLERANCE, checked_points
from visviva.geometry.refusal import refuse


def plane(n: ArrayLike, r: ArrayLike) -> Array:
    """The plane through r with normal n, (n; -n·r), shape (..., 4)."""
    n, r = np.broadcast_arrays(finite_array(n, "normal", (3,)), finite_array(r, "point", (3,)))
    refuse(~n.any(axis=-1), "normal", "of the plane is zero; it must point somewhere.")
    return np.concatenate([n, -dot(n, r)[..., None]], axis=-1)


def checked_planes(h: ArrayLike, what: str = "plane") -> Array:
    """Plane coordinates (..., 4), or an error."""
    h = finite_array(h, what, (4,))
    refuse(~h.any(axis=-1), what, "is zero, which stands for no plane.")
    return h


def join_point(l: ArrayLike, p: ArrayLike) -> Array:
    """The plane through a line and a point beside it, (x × u - α m; x·m)."""
    l, p = checked_lines(l), checked_points(p)
    u, m, x, a = l[..., :3], l[..., 3:], p[..., :3], p[..., 3:]
    refuse(
        passes_through(l, p),
        "join of a line and a point",
        "does not exist: the point is on the line.\nMany planes pass through a line; give a point beside it.",
    )
    return np.concatenate([np.cross(x, u) - a * m, dot(x, m)[..., None]], axis=-1)


def meet_plane(l: ArrayLike, h: ArrayLike) -> Array:
    """The point (..., 4) of a line in a plane, (n × m - d u; n·u) up to its sign; infinite if both are parallel."""
    l, h = checked_lines(l), checked_planes(h)
    u, m, n, d = l[..., :3], l[..., 3:], h[..., :3], h[..., 3:]
    p = np.concatenate([np.cross(n, m) - d * u, dot(n, u)[..., None]], axis=-1)
    scale = np.linalg.norm(l, axis=-1) * np.linalg.norm(h, axis=-1)
    refuse(
        np.linalg.norm(p, axis=-1) <= TOLERANCE * scale,
        "meet of a line and a plane",
        "is no point: the line lies in the plane.\nMeet it with another plane, or with a line of that plane.",
    )
    parallel = np.abs(p[..., 3]) <= TOLERANCE * np.linalg.norm(n, axis=-1) * np.linalg.norm(u, axis=-1)
    p[..., 3] = np.where(parallel, 0.0, p[..., 3])
    return p


def meet_planes(g: ArrayLike, h: ArrayLike) -> Array:
    """The line of two planes, (n_g × n_h; d_g n_h - d_h n_g); at infinity if they are parallel."""
    g, h = checked_planes(g, "first plane"), checked_planes(h, "second plane")
    m = g[..., 3:] * h[..., :3] - h[..., 3:] * g[..., :3]
    line = np.concatenate([np.cross(g[..., :3], h[..., :3]), m], axis=-1)
    scale = np.linalg.norm(g, axis=-1) * np.linalg.norm(h, axis=-1)
    refuse(
        np.linalg.norm(line, axis=-1) <= TOLERANCE * scale,
        "meet of two planes",
        "is no line: both are the same plane.\nGive two different ones.",
    )
    return line
