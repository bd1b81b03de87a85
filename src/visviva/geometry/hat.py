"""Skew matrices: the isomorphisms R³ ≅ so(3) and R ≅ so(2), and matrices built from one vector.

Every function takes any leading batch shape.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.errors import ModelError


def skew(w: ArrayLike) -> Array:
    """ŵ with ŵ u = w × u, shape (..., 3, 3)."""
    w = np.asarray(w, dtype=np.float64)
    if w.shape[-1:] != (3,):
        raise ModelError(f"skew takes vectors of 3 numbers in the last axis, got shape {w.shape}.")
    W = np.zeros((*w.shape, 3))
    W[..., 2, 1] = w[..., 0]
    W[..., 0, 2] = w[..., 1]
    W[..., 1, 0] = w[..., 2]
    W[..., 1, 2] = -w[..., 0]
    W[..., 2, 0] = -w[..., 1]
    W[..., 0, 1] = -w[..., 2]
    return W


def vee(W: ArrayLike) -> Array:
    """Inverse of `skew`, shape (..., 3); of any other matrix, the vector of its skew part (W - Wᵀ)/2."""
    W = np.asarray(W, dtype=np.float64)
    if W.shape[-2:] != (3, 3):
        raise ModelError(f"vee takes matrices (..., 3, 3), got shape {W.shape}.")
    twice = [W[..., 2, 1] - W[..., 1, 2], W[..., 0, 2] - W[..., 2, 0], W[..., 1, 0] - W[..., 0, 1]]
    return np.stack(twice, axis=-1) / 2


def skew2(w: ArrayLike) -> Array:
    """w J with J = [[0, -1], [1, 0]], the quarter turn of the plane, shape (..., 2, 2)."""
    return isotropic2(0.0, np.asarray(w, dtype=np.float64))


def vee2(W: ArrayLike) -> Array:
    """Inverse of `skew2`, shape (...); of any other matrix, the number of its skew part."""
    W = np.asarray(W, dtype=np.float64)
    if W.shape[-2:] != (2, 2):
        raise ModelError(f"vee2 takes matrices (..., 2, 2), got shape {W.shape}.")
    return np.asarray((W[..., 1, 0] - W[..., 0, 1]) / 2)


def isotropic2(a: Array | float, b: Array | float) -> Array:
    """a I + b J, shape (..., 2, 2): the complex number a + i b as a matrix."""
    a, b = np.broadcast_arrays(a, b)
    M = np.empty((*a.shape, 2, 2))
    M[..., 0, 0] = M[..., 1, 1] = a
    M[..., 1, 0] = b
    M[..., 0, 1] = -b
    return M


def isotropic(a: Array | float, b: Array | float, c: Array | float, w: Array) -> Array:
    """a I + b ŵ + c w wᵀ, shape (..., 3, 3).

    Every matrix function of w that commutes with rotations has this form: exp, the Cayley map, their
    derivatives and the inverses of these. Written by components, small entries keep their relative accuracy.
    """
    x, y, z = w[..., 0], w[..., 1], w[..., 2]
    bx, by, bz = b * x, b * y, b * z
    cxy, cxz, cyz = c * x * y, c * x * z, c * y * z
    M = np.empty((*w.shape, 3))
    M[..., 0, 0] = a + c * x * x
    M[..., 1, 1] = a + c * y * y
    M[..., 2, 2] = a + c * z * z
    M[..., 0, 1] = cxy - bz
    M[..., 1, 0] = cxy + bz
    M[..., 0, 2] = cxz + by
    M[..., 2, 0] = cxz - by
    M[..., 1, 2] = cyz - bx
    M[..., 2, 1] = cyz + bx
    return M
