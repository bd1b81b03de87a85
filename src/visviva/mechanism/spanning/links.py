"""Kinds of links: how each one moves in its joint's frame, in redundant coordinates and minimal velocities."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry import SO3
from visviva.geometry.linear import identities
from visviva.geometry.quaternion import rate
from visviva.mechanism.spanning.tree import Link

SIZES = {"hinge": (1, 1), "slider": (1, 1), "ball": (4, 3), "free": (7, 6), "fixed": (0, 0)}  # of q and of ξ
STILL: Array = np.zeros((6, 0))


def subspace(link: Link) -> Array:
    """S with the twist (ω; v) = S ξ of the link against its joint's frame, in link axes at its origin, (6, n).

    It is constant: each velocity turns with the link.
    """
    match link.kind:
        case "hinge":
            return np.array([[0.0], [0.0], [1.0], [0.0], [0.0], [link.pitch]])
        case "slider":
            return np.eye(6)[:, 5:]
        case "ball":
            return np.eye(6)[:, :3]
        case "free":
            return np.eye(6)
        case "fixed":
            return STILL
    raise ModelError(f"link {link.name!r} has the kind {link.kind!r}; there are {', '.join(SIZES)}.")


def pose(link: Link, q: Array) -> tuple[Array, Array]:
    """Orientation (..., 3, 3) and origin (..., 3) of the link in its joint's frame; quaternions of any length."""
    R, r = identities(q.shape[:-1], 3), np.zeros((*q.shape[:-1], 3))
    match link.kind:
        case "hinge":
            R[..., 0, 0] = R[..., 1, 1] = np.cos(q[..., 0])
            R[..., 1, 0] = np.sin(q[..., 0])
            R[..., 0, 1] = -R[..., 1, 0]
            r[..., 2] = link.pitch * q[..., 0]
        case "slider":
            r[..., 2] = q[..., 0]
        case "ball":
            R = SO3.from_quat(q, f"quaternion of link {link.name!r}").R
        case "free":
            R, r = SO3.from_quat(q[..., 3:], f"quaternion of link {link.name!r}").R, q[..., :3]
    return R, r


def q_dot(kind: str, q: Array, xi: Array) -> Array:
    """Rates of the coordinates, A(q) ξ: of a quaternion ½ q ∘ (0, ω), of a free link's position R v."""
    if kind == "ball":
        return rate(q, xi)
    if kind == "free":
        return np.concatenate([SO3.from_quat(q[3:]).act(xi[3:]), rate(q[3:], xi[:3])])
    return xi
