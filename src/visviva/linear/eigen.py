"""Eigenvalues of matrices whose rows differ by many orders of magnitude, with chains of the eigenvalue zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.numerics.rank import independent_columns, significant, unit_rows

Complex = NDArray[np.complex128]
Step = tuple[NDArray[np.intp], NDArray[np.intp], Array, Array]  # P, N, X and A_PN
ZERO = 1e-13  # singular values of rows of length one that are zero
ROUNDING = 1e-15
DEFECTIVE = 1e-8  # cosine between left and right vectors: below it rounding moves values by its root
CLOSE = 1e-9  # of a value: what derivatives by differences leave uncertain


@final
@dataclass(frozen=True, eq=False)
class Eigen:
    """values λ (n,), vectors v and participations |w v| of the states, in columns.

    errors: how far rounding may have moved each value.
    """

    values: Complex
    vectors: Complex
    parts: Array
    errors: Array


def eigen(A: Array) -> Eigen:
    """All eigenvalues, those of free motions exactly zero.

    What moves freely has the eigenvalue zero, in chains that rounding would spread to 1e-8 and more. They are taken out
    first, one link after the other. With A V = 0, where V is the identity in the rows P and X in the others N, states
    x = V a + b with b in N alone have

        ȧ = A_PN b,    ḃ = (A_NN - X A_PN) b

    so that slow states stay apart from fast ones. Vectors of a chain are those that make it up.
    """
    n = len(A)
    values, vectors, parts = np.zeros(n, complex), np.zeros((n, n), complex), np.zeros((n, n))
    errors, steps, core, first = np.zeros(n), list[Step](), A, 0
    while len(core):
        P, N, X = kernel(core)
        if not len(P):
            break
        found = slice(first, first + len(P))
        V = np.zeros((len(core), len(P)))
        V[P], V[N] = np.eye(len(P)), X
        vectors[:, found] = _lifted(V.astype(np.complex128), steps, None)
        parts[:, found] = np.abs(vectors[:, found]) ** 2
        above = core[np.ix_(P, N)]
        rest = core[np.ix_(N, N)]
        terms = np.abs(rest) + np.abs(X) @ np.abs(above)
        rest = rest - X @ above
        core, first = np.where(np.abs(rest) > 10 * ROUNDING * terms, rest, 0.0), found.stop
        steps.append((P, N, X, above))
    if len(core):
        rates, left, right, errors[first:] = _regular(core)
        values[first:], vectors[:, first:] = rates, _lifted(right, steps, rates)
        parts[:, first:] = np.abs(_lifted(left.conj(), steps, None) * _lifted(right, steps, None))
    return Eigen(values, vectors, parts, np.maximum(errors, CLOSE * np.abs(values)))


def _balance(A: Array) -> Array:
    """Sizes of the states in which rows and columns are alike."""
    import scipy.linalg

    return np.asarray(scipy.linalg.matrix_balance(A, permute=False, separate=True)[1][0])


def kernel(A: Array, C: Array | None = None) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
    """P, N and X with A V = 0 and C V = 0 for V_P = I, V_N = X, whatever the units of states, rates and outputs."""
    sizes = _balance(A)
    rows = (A if C is None else np.vstack([A, C])) * sizes
    _, s, Vt = np.linalg.svd(unit_rows(rows, np.linalg.norm(rows, axis=1))[0])  # small rows count: units are a user's
    null = Vt[~significant(s, ZERO)]  # as many values as vectors: there are no fewer rows
    count, every = len(null), np.arange(len(A))
    if not count:
        return every[:0], every, np.zeros((len(A), 0))
    P = independent_columns(null, count)
    N = np.setdiff1d(every, P)
    X = np.linalg.solve(null[:, P], null[:, N]).T
    X = np.where(np.abs(X) > 10 * ZERO, X, 0.0)
    return P, N, sizes[N, None] * X / sizes[P]


def _regular(A: Array) -> tuple[Complex, Complex, Complex, Array]:
    """λ, w, v and errors |w|ᵀ|A||v| ε/|wᴴv| of a matrix without the eigenvalue zero."""
    import scipy.linalg

    sizes = _balance(A)
    balanced = A * sizes / sizes[:, None]
    solution: Any = scipy.linalg.eig(balanced, left=True)
    values, left, right = solution
    angle = np.maximum(np.abs((left.conj() * right).sum(axis=0)), DEFECTIVE)
    errors = ROUNDING * (np.abs(left) * (np.abs(balanced) @ np.abs(right))).sum(axis=0) / angle
    return values, left / sizes[:, None], right * sizes[:, None], errors


def _lifted(v: Complex, steps: list[Step], rates: Complex | None) -> Complex:
    """Vectors over what is left, over all states; with rates, the motions of the chain that they bring about."""
    for P, N, X, above in reversed(steps):
        x = np.zeros((len(P) + len(N), v.shape[1]), complex)
        if rates is not None:
            x[P] = above @ v / rates
        x[N] = X @ x[P] + v
        v = x
    return v
