"""What inputs reach, what outputs show, and which motions pass nothing on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.numerics.nullspace import split
from visviva.numerics.rank import TOLERANCE

if TYPE_CHECKING:
    from visviva.linear.system import LinearSystem

FAR = 1e8  # of the largest finite pole: what is farther is infinite


def controllable(system: LinearSystem) -> int:
    """Dimension of the states that inputs reach."""
    return _reached(*_balanced(system.A, system.B))


def observable(system: LinearSystem) -> int:
    """Dimension of the states that outputs tell apart."""
    return _reached(*_balanced(system.A.T, system.C.T))


def _balanced(A: Array, B: Array) -> tuple[Array, Array]:
    """The same states in units in which rows and columns of A are alike."""
    import scipy.linalg

    if not len(A):
        return A, B
    balanced, (scale, _) = scipy.linalg.matrix_balance(A, permute=False, separate=True)
    B = B / scale[:, None]
    length = np.linalg.norm(B, axis=0)
    return np.asarray(balanced), B / np.where(length > 0, length, 1.0)


def _reached(A: Array, B: Array) -> int:
    """Rank of (B, AB, A²B, …) by a staircase of orthogonal steps (Van Dooren, IEEE Trans. AC 26 (1981) 111)."""
    size, total = float(np.abs(A).max(initial=0.0)) or 1.0, 0
    while len(A) and B.size:
        terms = np.full(B.shape[1], float(np.linalg.norm(B, axis=0).max(initial=0.0)))
        parts = split(B.T, terms)
        if np.abs(B).max(initial=0.0) <= TOLERANCE * (1.0 if total == 0 else size) or not parts.rank:
            break
        total += parts.rank
        V, Z = parts.V, parts.Z
        A, B = Z.T @ A @ Z, Z.T @ A @ V
    return total


def zeros(system: LinearSystem) -> NDArray[np.complex128]:
    """Finite λ at which [[A - λ, B], [C, D]] loses rank: e^{λt} at the input and nothing at the output."""
    import scipy.linalg

    n, m = system.n, len(system.inputs)
    if m != len(system.outputs) or not m:
        raise ModelError(
            f"zeros are those between as many inputs as outputs; {system.name!r} has {m} and {len(system.outputs)}.\n"
            "Name one of each: zeros('arm.q', 'motor')."
        )
    pencil = np.block([[system.A, system.B], [system.C, system.D]])
    E = np.zeros_like(pencil)
    E[:n, :n] = np.eye(n)
    found = np.asarray(scipy.linalg.eig(pencil, E, right=False, homogeneous_eigvals=True))
    alpha, beta = found
    size = float(np.abs(system.A).max(initial=1.0))
    if (np.abs(alpha) + np.abs(beta) < 1e-13 * size).any():
        raise ModelError(f"the output of {system.name!r} shows nothing of its input: every number is a zero.")
    finite = np.abs(beta) * FAR * size > np.abs(alpha)
    values = alpha[finite] / beta[finite]
    return np.asarray(values[np.argsort(np.abs(values))], dtype=np.complex128)
