"""Derivatives of forward dynamics of a tree by q, ξ and τ, from those of inverse dynamics.

In the letters of `sweeps`,

    k on the path of j:   ∂τ_j/∂q_k = S_j·(2B ψ̇_k + I ψ̈_k),    ∂τ_j/∂ξ_k = S_j·(2B S_k + I (ψ̇_k + Ṡ_k))
    j behind k:           ∂τ_k/∂q_j = S_k·(2B ψ̇_j + I ψ̈_j + S_j ×* f),    ∂τ_k/∂ξ_j = S_k·(2B S_j + I (ψ̇_j + Ṡ_j))

and ∂ξ̇ = -M⁻¹ ∂τ. Derivatives by q are along ξ: of a rotation by the vector it is turned by, in link axes.
Source: Singh, Russo, Wensing (2022), IEEE Robot. Autom. Lett. 7, 1783-1790, with 2B in 12 numbers.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.cache import inner, kernel, woven
from visviva.kernels.multibody.algebra import Place, Vector
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.field import Field, accelerate
from visviva.kernels.trees.lanes import load_four, store_four
from visviva.kernels.trees.runs import ABOVE, BEHIND, Paths, solve

from visviva.kernels.trees.sweeps import (  # isort: skip
    BY_Q, BY_XI, ELIMINATED, FIRST, MOMENTUM, RATE, SECOND, UNIT, B, Pair, Sweeps, column, combine, describe, gather,
    move_out, pair,
)  # fmt: skip
from visviva.kernels.trees.tables import AT_V, AXIS, COUNT, DAMPING, KIND, STIFFNESS  # isort: skip


@woven
def _three(Y: Array, row: Place, k: int, x: Vector) -> float:
    return x[0] * load_four(Y, row, k) + x[1] * load_four(Y, row + 1, k) + x[2] * load_four(Y, row + 2, k)


@woven
def _six(Y: Array, row: Place, k: int, x: Pair) -> float:
    return _three(Y, row, k, x[0]) + _three(Y, row + 3, k, x[1])


@woven
def _fill(
    Y: Array, t: Paths, i: int, j: int, rows: tuple[Place, Place, Place], z: Pair, b: Vector, S: Pair, X: Array, at: int
) -> None:
    """Row j of -∂τ/∂q or -∂τ/∂ξ, from column `at` on, four entries at a time.

    Segments go up: what is written beyond the end of one is written again by the next.
    """
    path, turn, behind = rows
    for r in range(t.row_at[i], t.row_at[i + 1]):
        begin, end, what = t.row[r, 0], t.row[r, 1], t.row[r, 2]
        if what == ABOVE:
            for k in range(begin, end, 4):
                store_four(X, j, at + k, -(_six(Y, path, k, z) + _three(Y, turn, k, b)))
        elif what == BEHIND:
            for k in range(begin, end, 4):
                store_four(X, j, at + k, -_six(Y, behind, k, S))
        else:
            for k in range(begin, end, 4):
                store_four(X, j, at + k, 0.0)


@inner
def _enter(K: Int, s: Sweeps, t: Paths, block: int, E: Array, L: Array, X: Array) -> None:
    """Rows of a block: L; -∂τ/∂q, -∂τ/∂ξ and the identity side by side, in columns of the block."""
    Y = s.Y
    from_link, to_link, start, end = t.blocks[block]
    n = end - start
    for i in range(from_link, to_link):
        for j in range(K[i, AT_V], K[i, AT_V] + K[i, COUNT]):
            z, b, S, e = pair(Y, MOMENTUM, j), column(Y, B, j), pair(Y, UNIT, j), pair(Y, ELIMINATED, j)
            for r in range(t.above_at[i], t.above_at[i + 1]):
                for k in range(t.above[r, 0], t.above[r, 1], 4):
                    store_four(L, j, k - start, _six(Y, UNIT, k, e))
            _fill(Y, t, i, j, (SECOND, FIRST, BY_Q), z, b, S, X, -start)
            _fill(Y, t, i, j, (RATE, UNIT, BY_XI), z, b, S, X, n - start)
            for k in range(2 * n, 3 * n, 4):
                store_four(X, j, k, 0.0)
            X[j, 2 * n + j - start] = 1.0
            X[j, n + j - start] -= E[j, DAMPING]
            if K[i, KIND] <= AXIS:
                X[j, j - start] -= E[j, STIFFNESS]


@woven
def _hand_over(X: Array, at: int, start: int, end: int, out: Array) -> None:
    """Some columns of the rows of a block; those of other blocks are zero."""
    n = end - start
    for j in range(start, end):
        if n < out.shape[1]:
            for k in range(out.shape[1]):
                out[j, k] = 0.0
        if n < 4:
            for k in range(n):
                out[j, start + k] = X[j, at + k]
        else:
            for k in range(0, n, 4):  # the last four overlap those before
                first = min(k, n - 4)
                store_four(out, j, start + first, load_four(X, j, at + first))


@kernel
def differentiate(
    f: Field, s: Sweeps, t: Paths, M: tuple[Array, Array, Array], Q: Array, XI: Array, TAU: Array, L: Array,
    xi_dot: Array, by_q: Array, by_xi: Array, by_tau: Array,
) -> int:  # fmt: skip
    """ξ̇[b] and its derivatives, (n, n) each; a link whose joint has no inertia, or -1.

    M: L (n, n and a few more of the largest block), right-hand sides (n, PANELs), scratch of `runs.solve`.
    """
    K, n = f.K, XI.shape[1]
    for b in range(Q.shape[0]):
        for k in range(n):
            f.tau[k] = TAU[b, k]
        for i in range(L.shape[1]):
            for k in range(6):
                f.L[i, k] = L[b, i, k]
        singular = accelerate(f, Q[b], XI[b], xi_dot[b])
        if singular >= 0:
            return singular
        move_out(f, s, XI[b], xi_dot[b])
        describe(s)
        gather(K, f.L.shape[0] > 0, s.Y)
        combine(s)
        for block in range(t.blocks.shape[0]):
            start, end = t.blocks[block, 2], t.blocks[block, 3]
            _enter(K, s, t, block, f.E, M[0], M[1])
            solve(K, t, block, M[0], s.D, M[1], M[2])
            _hand_over(M[1], 0, start, end, by_q[b])
            _hand_over(M[1], end - start, start, end, by_xi[b])
            _hand_over(M[1], 2 * (end - start), start, end, by_tau[b])
    return -1
