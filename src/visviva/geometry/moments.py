"""Moment matrices: 4×4 matrices X' = Σ w [h; 1][h; 1]ᵀ of weighted points, and the 6×6 matrices they stand for.

Inertia, damping and stiffness of a body have the same structure (Konz, section 3.3.5). Twists are (ω; v) here, the
dissertation's are (v; ω): blocks are exchanged. On 3×3 matrices its Vee(M) = tr(M) I - M and Wed(M) = ½ tr(M) I - M are
`inertia_tensor` and `euler_tensor`, which take matrices without symmetry too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.geometry.hat import skew, vee
from visviva.geometry.inertia.euler import euler_tensor, inertia_tensor

STRUCTURE = 1e-9  # of the largest entry: to how many digits a matrix has the structure of moments


def axial2(M: ArrayLike) -> Array:
    """(M - Mᵀ)ᵛ, shape (..., 3), so that tr(M ŵᵀ) = w·axial2(M); vee2 of Konz (2.51).

    Laws:    axial2(b̂ M) = (tr(M) I - M) b,   axial2(M b̂) = (tr(M) I - M)ᵀ b.
    """
    return 2 * vee(M)


def moment_matrix(weights: ArrayLike, points: ArrayLike) -> Array:
    """Σ w_p [h_p; 1][h_p; 1]ᵀ, shape (4, 4), of points (p, 3); Konz (3.88), blocks corrected."""
    h = finite_array(points, "points", (None, 3))
    w = finite_array(weights, "weights", (len(h),))
    h1 = np.concatenate([h, np.ones((len(h), 1))], axis=1)
    X: Array = (h1.T * w) @ h1
    return X


def body_moments(mass: float, com: ArrayLike, inertia: ArrayLike) -> Array:
    """[[∫ x xᵀ dm, m c], [m cᵀ, m]], shape (4, 4), of a body with the inertia tensor about the *frame's origin*."""
    X = np.empty((4, 4))
    X[:3, :3] = euler_tensor(finite_array(inertia, "inertia", (3, 3)))
    X[:3, 3] = X[3, :3] = mass * finite_array(com, "com", (3,))
    X[3, 3] = mass
    return X


def matrix_of_moments(X: Array) -> Array:
    """[[Vee(A), ĉ], [b̂ᵀ, d I]], shape (6, 6), of X' = [[A, b], [cᵀ, d]]; Vee of Konz (3.81), for (ω; v).

    Law:     tr(ξ̂ X' η̂ᵀ) = ηᵀ matrix_of_moments(X') ξ.
    """
    M = np.zeros((6, 6))
    M[:3, :3] = inertia_tensor(X[:3, :3])
    M[:3, 3:] = skew(X[3, :3])
    M[3:, :3] = skew(X[:3, 3]).T
    M[3:, 3:] = X[3, 3] * np.eye(3)
    return M


def moments_of_matrix(M: Array) -> Array:
    """The moment matrix (4, 4) of a 6×6 matrix that has the structure of one; Wed of Konz (3.82)."""
    X, defect = _nearest(M)
    if not defect <= STRUCTURE:
        raise ModelError(
            f"the 6×6 matrix differs from the structure [[Vee(A), ĉ], [b̂ᵀ, d I]] by {defect * np.abs(M).max():.1e}.\n"
            "Only matrices of weighted points have a moment matrix; check the order (ω; v) of the twist."
        )
    return X


def has_moments(M: Array) -> bool:
    """Whether a 6×6 matrix has the structure of a moment matrix: ten numbers if it is symmetric, where 21 could be."""
    return bool(_nearest(M)[1] <= STRUCTURE)


def _nearest(M: Array) -> tuple[Array, float]:
    """A moment matrix, and how far the 6×6 matrix is from what it stands for, relative to its largest entry."""
    X = np.empty((4, 4))
    X[:3, :3] = euler_tensor(M[:3, :3])
    X[3, :3], X[:3, 3] = vee(M[:3, 3:]), vee(M[3:, :3].T)
    X[3, 3] = np.trace(M[3:, 3:]) / 3
    largest = float(np.abs(M).max())
    return X, float(np.abs(matrix_of_moments(X) - M).max()) / largest if largest else 0.0


def moment_wrench(X: Array) -> Array:
    """(axial2(A); b), shape (..., 6), of [[A, b], [*, *]] (..., 4, 4); vee2 of Konz (3.80), for wrenches (m; f).

    Law:     tr(X ξ̂ᵀ) = ξ·moment_wrench(X).
    """
    return np.concatenate([axial2(X[..., :3, :3]), X[..., :3, 3]], axis=-1)
