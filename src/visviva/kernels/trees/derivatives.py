"""Derivatives of forward dynamics of a tree by q, ξ and τ, from those of inverse dynamics.

In the letters of `sweeps`,

    k on the path of j:   ∂τ_j/∂q_k = S_j·(2B ψ̇_k + I ψ̈_k),    ∂τ_j/∂ξ_k = S_j·(2B S_k + I (ψ̇_k + Ṡ_k))
    j behind k:           ∂τ_k/∂q_j = S_k·(2B ψ̇_j + I ψ̈_j + S_j ×* f),    ∂τ_k/∂ξ_j = S_k·(2B S_j + I (ψ̇_j + Ṡ_j))

and ∂ξ̇ = -M⁻¹ ∂τ. Derivatives by q are along ξ: of a rotation by the vector it is turned by, in link axes.
Source: Singh, Russo, Wensing (2022), IEEE Robot. Autom. Lett. 7, 1783-1790, with 2B in 12 numbers.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.calls import call_accelerate
from visviva.kernels.functions import inner, kernel, woven
from visviva.kernels.multibody.algebra import Place, Vector
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.columns import solve_by_links
from visviva.kernels.trees.lanes import load_four, store_four
from visviva.kernels.trees.runs import ABOVE, BEHIND, Memory, Paths, solve_by_rows

from visviva.kernels.trees.sweeps import (  # isort: skip
    BY_Q, BY_XI, ELIMINATED, FIRST, MOMENTUM, RATE, SECOND, UNIT, B, Evaluated, Pair, Sweeps, column, combine, describe,
    gather, move_out, pair,
)  # fmt: skip
from visviva.kernels.trees.tables import AT_V, AXIS, COUNT, DAMPING, KIND, STIFFNESS  # isort: skip


@woven
def _three(Y: Array, row: Place, k: int, x: Vector) -> float:
    return x[0] * load_four(Y, row, k) + x[1] * load_four(Y, row + 1, k) + x[2] * load_four(Y, row + 2, k)


@woven
def _six(Y: Array, row: Place, k: int, x: Pair) -> float:
    return _three(Y, row, k, x[0]) + _three(Y, row + 3, k, x[1])


@woven
def _fill(Y: Array, t: Paths, i: int, j: int, start: int, along_xi: int, X: Array) -> None:
    """Row j of -∂τ/∂q and -∂τ/∂ξ, four entries at a time.

    Segments go up: what is written beyond the end of one is written again by the next, and what is written beyond the
    last one is in the columns of the identity, or behind all.
    """
    z, b, S = pair(Y, MOMENTUM, j), column(Y, B, j), pair(Y, UNIT, j)
    for r in range(t.row_at[i], t.row_at[i + 1]):
        begin, end, what = t.row[r, 0], t.row[r, 1], t.row[r, 2]
        if what == ABOVE:
            for k in range(begin, end, 4):
                store_four(X, j, k - start, -(_six(Y, SECOND, k, z) + _three(Y, FIRST, k, b)))
                store_four(X, j, k - start + along_xi, -(_six(Y, RATE, k, z) + _three(Y, UNIT, k, b)))
        elif what == BEHIND:
            for k in range(begin, end, 4):
                store_four(X, j, k - start, -_six(Y, BY_Q, k, S))
                store_four(X, j, k - start + along_xi, -_six(Y, BY_XI, k, S))
        else:
            for k in range(begin, end, 4):
                store_four(X, j, k - start, 0.0)
                store_four(X, j, k - start + along_xi, 0.0)


@inner
def _enter(K: Int, s: Sweeps, t: Paths, block: int, E: Array, L: Array, X: Array) -> None:
    """Rows of a block: -∂τ/∂q, the identity and -∂τ/∂ξ side by side; L where paths are short."""
    Y = s.Y
    from_link, to_link, start, end = t.blocks[block, 0], t.blocks[block, 1], t.blocks[block, 2], t.blocks[block, 3]
    deep = t.blocks[block, 4]
    n = end - start
    for i in range(from_link, to_link):
        for j in range(K[i, AT_V], K[i, AT_V] + K[i, COUNT]):
            e = pair(Y, ELIMINATED, j)
            for r in range(t.above_at[i], t.above_at[i] if deep else t.above_at[i + 1]):
                for k in range(t.above[r, 0], t.above[r, 1], 4):
                    store_four(L, j, k - start, _six(Y, UNIT, k, e))
            _fill(Y, t, i, j, start, 2 * n, X)
            _clear(X, j, n, 2 * n)
            X[j, n + j - start] = 1.0
            X[j, 2 * n + j - start] -= E[j, DAMPING]
            if K[i, KIND] <= AXIS:
                X[j, j - start] -= E[j, STIFFNESS]


@woven
def _clear(X: Array, j: int, begin: int, end: int) -> None:
    """Zeros in some columns of row j."""
    if end - begin < 4:
        for k in range(begin, end):
            X[j, k] = 0.0
    else:
        for k in range(begin, end, 4):  # the last four overlap those before
            store_four(X, j, min(k, end - 4), 0.0)


@woven
def _hand_over(X: Array, at: int, start: int, end: int, out: Array) -> None:
    """Some columns of the rows of a block; those of other blocks are zero."""
    n = end - start
    for j in range(start, end):
        _clear(out, j, 0, start)
        _clear(out, j, end, out.shape[1])
        if n < 4:
            for k in range(n):
                out[j, start + k] = X[j, at + k]
        else:
            for k in range(0, n, 4):
                first = min(k, n - 4)
                store_four(out, j, start + first, load_four(X, j, at + first))


@kernel
def differentiate(
    address: int, f: Evaluated, s: Sweeps, t: Paths, m: Memory, Q: Array, XI: Array, TAU: Array, L: Array,
    xi_dot: Array, by_q: Array, by_xi: Array, by_tau: Array,
) -> int:  # fmt: skip
    """ξ̇[b] and its derivatives, (n, n) each; a link whose joint has no inertia, or -1."""
    K, X = f.K, m.X
    for b in range(Q.shape[0]):
        for i in range(L.shape[1]):
            for k in range(6):
                f.L[i, k] = L[b, i, k]
        singular = call_accelerate(
            address,
            (
                f.sizes.ctypes.data, f.C.ctypes.data, f.K.ctypes.data, f.E.ctypes.data, Q[b].ctypes.data,
                XI[b].ctypes.data, TAU[b].ctypes.data, f.L.ctypes.data, xi_dot[b].ctypes.data, f.W.ctypes.data,
            ),
        )  # fmt: skip
        if singular >= 0:
            return singular
        move_out(f, s, XI[b], xi_dot[b])
        describe(s)
        gather(K, f.L.shape[0] > 0, s.Y)
        combine(s)
        for block in range(t.blocks.shape[0]):
            start, end = t.blocks[block, 2], t.blocks[block, 3]
            _enter(K, s, t, block, f.E, m.L, X)
            if t.blocks[block, 4]:
                solve_by_links(K, t, block, s.Y, UNIT, ELIMINATED, s.D, m)
            else:
                solve_by_rows(K, t, block, s.D, m)
            _hand_over(X, 0, start, end, by_q[b])
            _hand_over(X, 2 * (end - start), start, end, by_xi[b])
            _hand_over(X, end - start, start, end, by_tau[b])
    return -1
