"""The border to rotation matrices that come from outside: check them, or project them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.geometry.linear import transpose

ORTHOGONAL = 1e-10  # largest entry of RᵀR - I that passes; products of rotations stay far below


def checked_rotation(R: ArrayLike, name: str, n: int) -> Array:
    """`R` as an array (..., n, n) of proper rotations, or an error that says by how much it fails."""
    R = finite_array(R, name, (n, n))
    defect = np.abs(transpose(R) @ R - np.eye(n)).max(axis=(-2, -1))
    if (defect > ORTHOGONAL).any():
        raise ModelError(
            f"{name}{_worst(defect)} is not a rotation: RᵀR differs from the identity by {defect.max():.1e},"
            f" {ORTHOGONAL:.0e} is allowed.\n"
            f"Look for a scaled or mistyped row; SO{n}.nearest(R) gives the closest rotation."
        )
    det = np.linalg.det(R)
    if (det < 0).any():
        raise ModelError(
            f"{name}{_worst(-det)} is a reflection: its determinant is -1, a rotation has +1.\n"
            "A left-handed frame becomes right-handed when one axis is negated;"
            f" SO{n}.nearest(R) gives the closest rotation."
        )
    return R


def checked_homogeneous(X: ArrayLike, name: str, n: int) -> tuple[Array, Array]:
    """R and r of [[R, r], [0, 1]] (..., n + 1, n + 1), or an error."""
    X = finite_array(X, name, (n + 1, n + 1))
    bottom = np.eye(n + 1)[n]
    if (X[..., n, :] != bottom).any():
        raise ModelError(
            f"{name} has the last row {X[..., n, :].tolist()}, a displacement has {bottom.tolist()}.\n"
            "The position belongs in the last column: transpose the matrix if it is in the last row."
        )
    return checked_rotation(X[..., :n, :n], f"rotation of {name}", n), X[..., :n, n]


def checked_parts(R: ArrayLike, r: ArrayLike, name: str, n: int) -> tuple[Array, Array]:
    """R (..., n, n) and r (..., n) with one batch shape, or an error."""
    R = checked_rotation(R, f"rotation of {name}", n)
    r = finite_array(r, f"position of {name}", (n,))
    shape = np.broadcast_shapes(R.shape[:-2], r.shape[:-1])
    return np.broadcast_to(R, (*shape, n, n)), np.broadcast_to(r, (*shape, n))


def nearest_rotation(R: ArrayLike, name: str, n: int) -> Array:
    """The rotation Q with the smallest |Q - R| (Frobenius): U diag(1, …, 1, ±1) Vᵀ of the SVD of R.

    Source: Kabsch, Acta Cryst. A32 (1976) 922. Not unique where R is a reflection or nearly singular.
    """
    R = finite_array(R, name, (n, n))
    U, sigma, Vt = np.linalg.svd(R)
    sign = np.sign(np.linalg.det(U @ Vt))
    margin = sigma[..., -2] + sign * sigma[..., -1]
    if (margin <= 1e-12 * sigma[..., 0]).any():
        raise ModelError(
            f"{name}{_worst(-margin)} has no single nearest rotation: its singular values are"
            f" {np.array2string(sigma.reshape(-1, n)[np.argmin(margin)], precision=3)}.\n"
            "It collapses or reflects a whole plane; give the columns as a right-handed, independent set."
        )
    U[..., -1] *= sign[..., None]
    return np.asarray(U @ Vt)


def _worst(defect: Array) -> str:
    """Index of the worst element of a batch, empty for a single matrix."""
    if defect.ndim == 0:
        return ""
    index = ", ".join(str(i) for i in np.unravel_index(np.argmax(defect), defect.shape))
    return f"[{index}]"
