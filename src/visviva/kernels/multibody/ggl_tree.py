"""Elimination along a tree of joints, both levels at a time: that of `tree`, with 6 x 6 in place of 3 x 3 matrices.

Translations of a body are t = (u, v1), its rotations r = (ω, ψ), the impulses of a point L = (G, Λ), those of rows on
rotations μ. With the letters of `tree`, where K_tt ... have both levels,

    δt = e - D δr,  e = δt_A + D_A δr_A - g,      [K  T] [δr]     [r + K_wu e + K_bp δr_A]
                                                  [W  0] [δμ] = - [γ + E δr_A            ]

the last matrix is inverted with pivots, and what is left adds to the parent's rows.
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.kernels.cache import inner
from visviva.kernels.multibody.curvature import ACROSS, WW, columns_of
from visviva.kernels.multibody.ggl_curvature import rate_columns_of
from visviva.kernels.multibody.ggl_tables import DV1, HALF, JOINT_SLOTS, KIN_T, W_, Blocks, RateTree
from visviva.kernels.multibody.graph import PER_BODY, PER_PAIR
from visviva.kernels.multibody.tree import BODY_A, BODY_B, DOTS, FIRST_DOT, PAIR, POINT, solve_dense

from visviva.kernels.multibody.algebra import (  # isort: skip
    ONE, Matrix, Place, halfway, hat_mul, lowered, matminus, matmul, matrix, mattimes, mul_hat, vector,
)  # fmt: skip
from visviva.kernels.multibody.tables import DU, FORCE, PLACE, SHRINK, UM, UN, A, Int, Machine  # isort: skip

# slots of a joint, in the letters above and of `tree`; A_, G_, Q_, H_: the inverse of [K T; W 0]
(
    ARM, ARM_A, LEVER, LEVER_A, KUW, KWU, KRR_, A_, G_, Q_, H_, YU, YP, EU, EP, DD, FF, GG, KBP, KPB, T_, TP, W_ROWS,
    E_ROWS, PAD,
) = range(JOINT_SLOTS)  # fmt: skip
TT, TR, RT, RR = range(4)  # slots of a body
REST, MU, RHO = (np.int64(k) for k in (0, 6, 12))


@inner
def _zero(X: Array) -> None:
    for i in range(X.size):
        X[i] = 0.0


@inner
def _add(s: float, X: Array, Y: Array) -> None:
    """Y += s X."""
    for i in range(36):
        Y[i] += s * X[i]


@inner
def _multiply(s: float, X: Array, Y: Array, Z: Array, p: int, q: int) -> None:
    """Z += s X Y of the first p rows and q columns of X; rows of six."""
    for i in range(p):
        k = 6 * i
        z0, z1, z2, z3, z4, z5 = Z[k], Z[k + 1], Z[k + 2], Z[k + 3], Z[k + 4], Z[k + 5]
        for j in range(q):
            x, l = s * X[k + j], 6 * j
            z0 += x * Y[l]
            z1 += x * Y[l + 1]
            z2 += x * Y[l + 2]
            z3 += x * Y[l + 3]
            z4 += x * Y[l + 4]
            z5 += x * Y[l + 5]
        Z[k], Z[k + 1], Z[k + 2], Z[k + 3], Z[k + 4], Z[k + 5] = z0, z1, z2, z3, z4, z5


@inner
def _apply(s: float, X: Array, x: Array, at: Place, z: Array, to: Place, p: int, q: int) -> None:
    """z += s X x, from and to these places."""
    for i in range(p):
        total = 0.0
        for j in range(q):
            total += X[6 * i + j] * x[at + j]
        z[to + i] += s * total


@inner
def _block(X: Array, row: int, col: int, A: Matrix) -> None:
    """Write a matrix (3, 3) to one of the four places in a matrix of both levels."""
    for i in range(3):
        k = 6 * (3 * row + i) + 3 * col
        X[k], X[k + 1], X[k + 2] = A[3 * i], A[3 * i + 1], A[3 * i + 2]


@inner
def invert(n: int, S: Array) -> float:
    """S⁻¹ in place of S (n, n), by elimination with pivots; returns 0, or not a number where S is singular.

    The last row of S, of which only n places are used, keeps the exchanges of rows.
    """
    order = S[S.shape[0] - 1]
    total = 0.0
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(S[i, k]) > abs(S[pivot, k]):
                pivot = i
        order[k] = pivot
        if pivot != k:
            for j in range(n):
                S[k, j], S[pivot, j] = S[pivot, j], S[k, j]
        s = 1.0 / S[k, k]
        total += s
        S[k, k] = 1.0
        for j in range(n):
            S[k, j] *= s
        for i in range(n):
            l = S[i, k]
            if i != k and l != 0.0:
                S[i, k] = 0.0
                for j in range(n):
                    S[i, j] -= l * S[k, j]
    for k in range(n - 1, -1, -1):
        pivot = int(order[k])
        if pivot != k:
            for i in range(n):
                S[i, k], S[i, pivot] = S[i, pivot], S[i, k]
    return total - total


@inner
def _own_blocks(V: Array, n: int, size: int, K: Blocks) -> None:
    """Blocks of the bodies of both levels from the values of the matrix."""
    for b in range(n):
        for row in range(2):
            for col in range(2):
                block = 3 if col > row else row + col
                at = block * size + PER_BODY * b
                for part in range(4):
                    X = K[b, part]
                    for i in range(3):
                        k, l = 6 * (3 * row + i) + 3 * col, at + 9 * part + 3 * i
                        X[k], X[k + 1], X[k + 2] = V[l], V[l + 1], V[l + 2]


@inner
def _pair_block(V: Array, size: int, at: int, X: Array) -> None:
    """The rotational block between two bodies, of both levels."""
    _zero(X)
    for row in range(2):
        for col in range(row + 1):
            l = (row + col) * size + at
            for i in range(3):
                k = 6 * (3 * row + i) + 3 * col
                X[k], X[k + 1], X[k + 2] = V[l + 3 * i], V[l + 3 * i + 1], V[l + 3 * i + 2]


@inner
def _point(B: Array, C: Array, X: Array, Y: Array, i: int, o: int, b: int, h: float, arm: Array, lever: Array) -> None:
    """Arms and levers of a point that a joint holds: object o of the function i, on body b; their zeros stay."""
    a, p0 = vector(B, b, A), vector(X, i, UN + 3 * o)
    low, C_ = lowered(a), halfway(a, B[b, SHRINK])
    P = hat_mul(p0, low)
    _block(arm, 0, 0, P)
    _block(arm, 1, 1, P)
    _block(arm, 1, 0, hat_mul(p0, mattimes(h, matmul(matrix(C, b, W_), low))))
    _block(lever, 0, 0, mattimes(-1.0, mul_hat(C_, vector(X, i, UM + 3 * o))))
    _block(lever, 1, 0, mattimes(-h, mul_hat(C_, vector(Y, i, HALF + 3 * o))))
    _block(lever, 1, 1, mul_hat(matminus(ONE, mattimes(2.0, C_)), p0))


@inner
def _rotations(M: Machine, C: Array, Y: Array, first: int, n: int, h: float, y: Blocks, q: Array, held: bool) -> None:
    """Columns T and rows W of the child, those of the parent, of n products of axes on both levels."""
    one, two, end = q[0], q[1], q[2]
    for slot in (T_, TP, W_ROWS, E_ROWS):
        _zero(y[slot])
    for k in range(n):
        columns_of(M.B, M.X, M.K, first + k, 0, one)
        rate_columns_of(M.B, C, M.X, Y, M.K, first + k, 0, h, two, end)
        for side in range(2):
            if side == 0 and held:
                continue
            column, row = y[T_ if side else TP], y[W_ROWS if side else E_ROWS]
            f, g = 3 + 6 * side, 15 + 6 * side
            for j in range(3):
                column[6 * j + k] = column[6 * (3 + j) + n + k] = one[f + j]
                column[6 * (3 + j) + k] = two[f + j]
                row[6 * k + j], row[6 * (n + k) + j], row[6 * (n + k) + 3 + j] = one[g + j], two[g + j], end[g + j]


@inner
def factor_rate_tree(M: Machine, t: RateTree, C: Array, Y: Array, V: Array, size: int, h: float) -> float:
    """Eliminate; returns 0, or not a number where a block is singular. C, Y: tables of the second level."""
    ground, K, big, total = M.B.shape[0] - 1, t.K, t.big, 0.0
    _own_blocks(V, ground, size, K)
    for j in range(t.joints.shape[0]):
        b, p, i, n = t.joints[j, BODY_B], t.joints[j, BODY_A], t.joints[j, POINT], t.joints[j, DOTS]
        y, own, rows, held = t.Y[j], K[b], 6 + 2 * n, p == ground
        _point(M.B, C, M.X, Y, i, 3, b, h, y[ARM], y[LEVER])
        for slot in (KUW, KWU, KRR_, YU, YP, EU, EP, DD, FF, GG):
            _zero(y[slot])
        _add(1.0, own[TR], y[KUW])
        _multiply(-1.0, own[TT], y[LEVER], y[KUW], 6, 6)
        _add(1.0, own[RT], y[KWU])
        _multiply(-1.0, y[ARM], own[TT], y[KWU], 6, 6)
        _add(1.0, own[RR], y[KRR_])
        _multiply(-1.0, y[ARM], own[TR], y[KRR_], 6, 6)
        _multiply(-1.0, y[KWU], y[LEVER], y[KRR_], 6, 6)
        if n > 0:
            _rotations(M, C, Y, t.joints[j, FIRST_DOT], n, h, y, t.q, held)
        _to_big(y, 2 * n, big)
        total += invert(rows, big)
        _from_big(y, 2 * n, big)
        _multiply(-1.0, y[A_], y[KWU], y[YU], 6, 6)
        _multiply(-1.0, y[Q_], y[KWU], y[EU], 2 * n, 6)
        _add(1.0, own[TT], y[DD])
        _multiply(1.0, y[KUW], y[YU], y[DD], 6, 6)
        if held:
            continue
        _point(M.B, C, M.X, Y, i, 2, p, h, y[ARM_A], y[LEVER_A])
        above, pad = K[p], y[PAD]
        _add(1.0, y[DD], above[TT])
        _zero(pad)
        _multiply(1.0, y[DD], y[LEVER_A], pad, 6, 6)
        _multiply(1.0, y[ARM_A], y[DD], above[RT], 6, 6)
        if n > 0:
            at = PER_BODY * ground + PER_PAIR * t.joints[j, PAIR] + WW
            _pair_block(V, size, at, y[KPB])
            _pair_block(V, size, at + ACROSS, y[KBP])
            _multiply(-1.0, y[A_], y[KBP], y[YP], 6, 6)
            _multiply(-1.0, y[G_], y[E_ROWS], y[YP], 6, 2 * n)
            _multiply(-1.0, y[Q_], y[KBP], y[EP], 2 * n, 6)
            _multiply(-1.0, y[H_], y[E_ROWS], y[EP], 2 * n, 2 * n)
            _multiply(1.0, y[KUW], y[YP], y[FF], 6, 6)
            _add(1.0, y[FF], pad)
            _multiply(1.0, y[KPB], y[YU], y[GG], 6, 6)
            _multiply(1.0, y[TP], y[EU], y[GG], 6, 2 * n)
            _add(1.0, y[GG], above[RT])
            _multiply(1.0, y[GG], y[LEVER_A], above[RR], 6, 6)
            _multiply(1.0, y[KPB], y[YP], above[RR], 6, 6)
            _multiply(1.0, y[TP], y[EP], above[RR], 6, 2 * n)
        _add(1.0, pad, above[TR])
        _multiply(1.0, y[ARM_A], pad, above[RR], 6, 6)
    return total


@inner
def _to_big(y: Blocks, m: int, big: Array) -> None:
    """[K T; W 0]."""
    for i in range(6):
        for j in range(6):
            big[i, j] = y[KRR_, 6 * i + j]
        for j in range(m):
            big[i, 6 + j], big[6 + j, i] = y[T_, 6 * i + j], y[W_ROWS, 6 * j + i]
    for i in range(m):
        for j in range(m):
            big[6 + i, 6 + j] = 0.0


@inner
def _from_big(y: Blocks, m: int, big: Array) -> None:
    """The four blocks of its inverse."""
    for i in range(6):
        for j in range(6):
            y[A_, 6 * i + j] = big[i, j]
        for j in range(m):
            y[G_, 6 * i + j], y[Q_, 6 * j + i] = big[i, 6 + j], big[6 + j, i]
    for i in range(m):
        for j in range(m):
            y[H_, 6 * i + j] = big[6 + i, 6 + j]


@inner
def _gaps(M: Machine, gap: Array, j: int, joints: Int, g: Array) -> None:
    """g[0:6]: gaps of the point on both levels, g[6:12]: those of rows on rotations."""
    k, n = M.K[joints[j, POINT], PLACE], joints[j, DOTS]
    for i in range(3):
        g[i], g[3 + i] = M.gap[k + i], gap[k + i]
    if n > 0:
        k = M.K[joints[j, FIRST_DOT], PLACE]
        for i in range(n):
            g[6 + i], g[6 + n + i] = M.gap[k + i], gap[k + i]


@inner
def solve_rate_tree(M: Machine, t: RateTree, C: Array, gap: Array, dG: Array) -> None:
    """Increments of all unknowns from the residuals of both levels; gap: rates of the constraints."""
    ground, r, g, e = M.B.shape[0] - 1, t.r, t.q[0], t.q[1]
    for b in range(ground):
        for i in range(3):
            r[b, i], r[b, 3 + i] = C[b, KIN_T + i], M.B[b, FORCE + i]
            r[b, 6 + i], r[b, 9 + i] = C[b, KIN_T + 3 + i], M.B[b, FORCE + 3 + i]
    for j in range(t.joints.shape[0]):
        b, p, m = t.joints[j, BODY_B], t.joints[j, BODY_A], 2 * t.joints[j, DOTS]
        y, rest, own = t.Y[j], t.y[j], r[b]
        _gaps(M, gap, j, t.joints, g)
        _apply(-1.0, y[ARM], own, 0, own, 6, 6, 6)
        _zero(rest)
        _apply(-1.0, y[A_], own, 6, rest, REST, 6, 6)
        _apply(-1.0, y[G_], g, 6, rest, REST, 6, m)
        _apply(-1.0, y[Q_], own, 6, rest, MU, m, 6)
        _apply(-1.0, y[H_], g, 6, rest, MU, m, m)
        for i in range(6):
            rest[RHO + i] = own[i]
        _apply(1.0, y[KUW], rest, REST, rest, RHO, 6, 6)
        if p < ground:
            for i in range(6):
                e[i] = rest[RHO + i]
            _apply(-1.0, y[DD], g, 0, e, 0, 6, 6)
            for i in range(6):
                r[p, i] += e[i]
            _apply(1.0, y[ARM_A], e, 0, r[p], 6, 6, 6)
            if m > 0:
                _apply(1.0, y[KPB], rest, REST, r[p], 6, 6, 6)
                _apply(-1.0, y[GG], g, 0, r[p], 6, 6, 6)
                _apply(1.0, y[TP], rest, MU, r[p], 6, 6, m)
    for k in range(t.roots.size):
        _solve_root(t.K[t.roots[k]], r[t.roots[k]], t.big)
    for j in range(t.joints.shape[0] - 1, -1, -1):
        b, p, n = t.joints[j, BODY_B], t.joints[j, BODY_A], t.joints[j, DOTS]
        y, rest, own = t.Y[j], t.y[j], r[b]
        _gaps(M, gap, j, t.joints, g)
        for i in range(6):
            e[i] = -g[i]
        if p < ground:
            for i in range(6):
                e[i] += r[p, i]
            _apply(1.0, y[LEVER_A], r[p], 6, e, 0, 6, 6)
            if n > 0:
                _apply(1.0, y[YP], r[p], 6, rest, REST, 6, 6)
                _apply(1.0, y[FF], r[p], 6, rest, RHO, 6, 6)
                _apply(1.0, y[EP], r[p], 6, rest, MU, 2 * n, 6)
        _apply(1.0, y[EU], e, 0, rest, MU, 2 * n, 6)
        _apply(1.0, y[YU], e, 0, rest, REST, 6, 6)
        _apply(1.0, y[DD], e, 0, rest, RHO, 6, 6)
        for i in range(6):
            own[6 + i], own[i] = rest[REST + i], e[i]
        _apply(-1.0, y[LEVER], own, 6, own, 0, 6, 6)
        k = M.K[t.joints[j, POINT], PLACE]
        for i in range(3):
            dG[k + i], M.dlam[k + i] = -rest[RHO + i], -rest[RHO + 3 + i]
        k = M.K[t.joints[j, FIRST_DOT], PLACE]
        for i in range(n):
            dG[k + i], M.dlam[k + i] = rest[MU + i], rest[MU + n + i]
    for b in range(ground):
        for i in range(3):
            M.B[b, DU + i], C[b, DV1 + i] = r[b, i], r[b, 3 + i]
            M.B[b, DU + 3 + i], C[b, DV1 + 3 + i] = r[b, 6 + i], r[b, 9 + i]


@inner
def _solve_root(K: Blocks, r: Array, big: Array) -> None:
    """A body that is held by no joint of the tree."""
    for i in range(6):
        for j in range(6):
            k = 6 * i + j
            big[i, j], big[i, 6 + j], big[6 + i, j], big[6 + i, 6 + j] = K[TT, k], K[TR, k], K[RT, k], K[RR, k]
        big[12, i], big[12, 6 + i] = -r[i], -r[6 + i]
    solve_dense(12, big, big[12])
    for i in range(12):
        r[i] = big[12, i]
