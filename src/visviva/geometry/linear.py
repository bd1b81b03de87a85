"""Linear algebra on stacks of small matrices: the last axes are rows and columns, the others a batch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visviva._arrays import Array

_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])  # components, round and round
MANY = 9 * 16  # numbers of matrices beyond which NumPy's own inverse takes longer


def transpose(M: Array) -> Array:
    """Mᵀ, a view."""
    return np.swapaxes(M, -1, -2)


def apply(M: Array, v: Array) -> Array:
    """M v with v (..., n)."""
    return np.asarray(np.einsum("...ij,...j->...i", M, v))


def dot(u: Array, v: Array) -> Array:
    """u · v over the last axis."""
    return np.asarray(np.einsum("...i,...i->...", u, v))


def cross(a: Array, b: Array) -> Array:
    """a × b over the last axis, without the checks of NumPy, which take longer."""
    return a.take(_NEXT, -1) * b.take(_LAST, -1) - a.take(_LAST, -1) * b.take(_NEXT, -1)


def inverse_transposed(R: Array) -> Array:
    """R⁻ᵀ of 3x3 matrices: of many by their cofactors, columns that are normal to the two others."""
    if R.size <= MANY:
        return np.swapaxes(np.linalg.inv(R), -1, -2)
    D = transpose(R)
    normals = cross(D.take(_NEXT, -2), D.take(_LAST, -2))
    determinant = dot(D[..., 0, :], normals[..., 0, :])
    if not np.all(determinant):
        raise np.linalg.LinAlgError("Singular matrix")
    return transpose(normals / determinant[..., None, None])


def identities(shape: tuple[int, ...], n: int) -> Array:
    """A batch of identity matrices, shape (*shape, n, n)."""
    M = np.zeros((*shape, n * n))
    M[..., :: n + 1] = 1.0
    return M.reshape(*shape, n, n)


def lower_block(A: Array, B: Array, D: Array) -> Array:
    """[[A, 0], [B, D]]: the shape of everything that acts on twists (ω; v), since v never turns a body."""
    m, n = A.shape[-1], D.shape[-1]
    M = np.zeros((*A.shape[:-2], m + n, m + n))
    M[..., :m, :m] = A
    M[..., m:, :m] = B
    M[..., m:, m:] = D
    return M


def homogeneous(R: Array, r: Array, corner: float) -> Array:
    """[[R, r], [0, corner]]: corner 1 for a displacement, 0 for its velocity."""
    n = r.shape[-1]
    M = np.zeros((*r.shape[:-1], n + 1, n + 1))
    M[..., :n, :n] = R
    M[..., :n, n] = r
    M[..., n, n] = corner
    return M


def block_diagonal(blocks: Sequence[Array]) -> Array:
    """The blocks along the diagonal; their batch shapes broadcast."""
    batch = np.broadcast_shapes(*(block.shape[:-2] for block in blocks))
    n = sum(block.shape[-1] for block in blocks)
    M, start = np.zeros((*batch, n, n)), 0
    for block in blocks:
        stop = start + block.shape[-1]
        M[..., start:stop, start:stop] = block
        start = stop
    return M
