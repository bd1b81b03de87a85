"""Elimination along a tree of joints, both levels at a time: that of `tree`, with 6 x 6 in place of 3 x 3 matrices.

Translations of a body are t = (u, v1), its rotations r = (ω, ψ), the impulses of a point L = (G, Λ), those of rows on
rotations μ. With the letters of `tree`, where K_tt ... have both levels,

    δt = e - D δr,  e = δt_A + D_A δr_A - g,      [K  T] [δr]     [r + K_wu e + K_bp δr_A]
                                                  [W  0] [δμ] = - [γ + E δr_A            ]

The last matrix is inverted by levels: those of the first, ω and the G of rows on rotations, then what is left of the
second, see `saddle`. The rest adds to the parent's rows.
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.kernels.functions import inner
from visviva.kernels.multibody.curvature import ACROSS, WW
from visviva.kernels.multibody.functions import back
from visviva.kernels.multibody.ggl_matrices import add_six, apply_six, invert_six, level, multiply_six, put_level, zero
from visviva.kernels.multibody.ggl_tables import (
    DV1,
    END,
    HALF,
    JOINT_SLOTS,
    KIN_T,
    MEAN,
    SCRATCH_SLOTS,
    W_,
    Blocks,
    RateTree,
)
from visviva.kernels.multibody.graph import PER_BODY, PER_PAIR
from visviva.kernels.multibody.saddle import saddle_inverse
from visviva.kernels.multibody.tree import BODY_A, BODY_B, DOTS, FIRST_DOT, PAIR, POINT

from visviva.kernels.multibody.algebra import (  # isort: skip
    ONE, cross, halfway, hat_mul, lowered, matminus, matmul, matplus, matrix, mattimes, minus,
    moment, mul, mul_hat, plus, times, vector,
)  # fmt: skip
from visviva.kernels.multibody.tables import DU, FORCE, PLACE, SHRINK, UM, UN, A, Int, Machine  # isort: skip

# slots of a joint, in the letters above and of `tree`; A_, G_, Q_, H_: the inverse of [K T; W 0]
(
    ARM, ARM_A, LEVER, LEVER_A, KUW, YU, DD, A_, G_, Q_, H_, YP, EU, EP, FF, GG, KPB, TP,
) = range(JOINT_SLOTS)  # fmt: skip
KWU, KRR, KBP, T_, W_ROWS, E_ROWS, REST_T = range(SCRATCH_SLOTS)  # slots that are used in one elimination only
TT_INVERSE, RR_INVERSE, LEFT, RIGHT = range(4)  # slots of a root
TT, TR, RT, RR = range(4)  # slots of a body
REST, MU, RHO = (np.int64(k) for k in (0, 6, 12))


@inner
def _invert(w: Blocks, y: Blocks, n: int) -> float:
    """The inverse of [K T; W 0] of both levels; returns 0, or not a number where it is singular.

    M = [M11 M12; M21 M22] by levels, with M12 = [K12 0; 0 0]; its Schur complement has the form of M22.
    """
    if n == 0:
        return invert_six(w[KRR], y[A_])
    K11, K12, K21, K22 = level(w[KRR], 0, 0), level(w[KRR], 0, 1), level(w[KRR], 1, 0), level(w[KRR], 1, 1)
    T0, T1, W0 = level(w[T_], 0, 0), level(w[T_], 1, 0), level(w[W_ROWS], 0, 0)
    W1, W2 = level(w[W_ROWS], 1, 0), level(w[W_ROWS], 1, 1)
    A1, G1, Q1, H1 = saddle_inverse(K11, T0, W0, n)
    x = matmul(A1, K12)
    z = matmul(Q1, K12)
    K22 = matminus(K22, matplus(matmul(K21, x), matmul(T1, z)))
    A2, G2, Q2, H2 = saddle_inverse(K22, T0, matminus(W2, matmul(W1, x)), n)
    R, S = matplus(matmul(K21, A1), matmul(T1, Q1)), matplus(matmul(K21, G1), matmul(T1, H1))
    WA, WG = matmul(W1, A1), matmul(W1, G1)
    low, rate = matplus(matmul(A2, R), matmul(G2, WA)), matplus(matmul(A2, S), matmul(G2, WG))
    put_level(y[A_], 0, 0, matplus(A1, matmul(x, low)))
    put_level(y[A_], 0, 1, mattimes(-1.0, matmul(x, A2)))
    put_level(y[A_], 1, 0, mattimes(-1.0, low))
    put_level(y[A_], 1, 1, A2)
    put_level(y[G_], 0, 0, matplus(G1, matmul(x, rate)))
    put_level(y[G_], 0, 1, mattimes(-1.0, matmul(x, G2)))
    put_level(y[G_], 1, 0, mattimes(-1.0, rate))
    put_level(y[G_], 1, 1, G2)
    put_level(y[Q_], 0, 0, matplus(Q1, matmul(z, low)))
    put_level(y[Q_], 0, 1, mattimes(-1.0, matmul(z, A2)))
    put_level(y[Q_], 1, 0, mattimes(-1.0, matplus(matmul(Q2, R), matmul(H2, WA))))
    put_level(y[Q_], 1, 1, Q2)
    put_level(y[H_], 0, 0, matplus(H1, matmul(z, rate)))
    put_level(y[H_], 0, 1, mattimes(-1.0, matmul(z, G2)))
    put_level(y[H_], 1, 0, mattimes(-1.0, matplus(matmul(Q2, S), matmul(H2, WG))))
    put_level(y[H_], 1, 1, H2)
    total = A2[0] + G2[0] + Q2[0] + A1[0] + G1[0]
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
    zero(X)
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
    put_level(arm, 0, 0, P)
    put_level(arm, 1, 1, P)
    put_level(arm, 1, 0, hat_mul(p0, mattimes(h, matmul(matrix(C, b, W_), low))))
    put_level(lever, 0, 0, mattimes(-1.0, mul_hat(C_, vector(X, i, UM + 3 * o))))
    put_level(lever, 1, 0, mattimes(-h, mul_hat(C_, vector(Y, i, HALF + 3 * o))))
    put_level(lever, 1, 1, mul_hat(matminus(ONE, mattimes(2.0, C_)), p0))


@inner
def _axis(
    B: Array, C: Array, X: Array, Y: Array, i: int, o: int, b: int, h: float, k: int, column: Array, row: Array
) -> None:
    """What a product of axes does to the body of one of them, object o: columns of its G and Λ, rows of both levels."""
    other = 1 - o
    a, p0, p, half = vector(B, b, A), vector(X, i, UN + 3 * o), vector(X, i, UM + 3 * o), vector(Y, i, HALF + 3 * o)
    f, rate, rate1 = vector(X, i, UM + 3 * other), vector(Y, i, MEAN + 3 * other), vector(Y, i, END + 3 * other)
    f1 = minus(times(2.0, f), vector(X, i, UN + 3 * other))
    f1_back = back(B, b, f1)
    push = moment(a, cross(p, f))
    bent = minus(cross(p0, mul(matrix(C, b, W_), minus(f, cross(a, f)))), moment(a, cross(p, rate)))
    slope, end = cross(p, f1_back), cross(p0, minus(times(2.0, f1_back), f1))
    turn = plus(cross(p, back(B, b, rate1)), cross(half, f1_back))
    for j in range(3):
        column[6 * j + k] = column[6 * (3 + j) + 3 + k] = push[j]
        column[6 * (3 + j) + k] = h * bent[j]
        row[6 * k + j], row[6 * (3 + k) + j], row[6 * (3 + k) + 3 + j] = slope[j], h * turn[j], end[j]


@inner
def _rotations(
    B: Array, C: Array, X: Array, Y: Array, first: int, n: int, b: int, p: int, h: float, w: Blocks, y: Blocks
) -> None:
    """Columns T and rows W of the child b, those of the parent p, of n products of axes on both levels."""
    for slot in (T_, W_ROWS, E_ROWS):
        zero(w[slot])
    zero(y[TP])
    for k in range(n):
        _axis(B, C, X, Y, first + k, 1, b, h, k, w[T_], w[W_ROWS])
        if p < B.shape[0] - 1:
            _axis(B, C, X, Y, first + k, 0, p, h, k, y[TP], w[E_ROWS])


@inner
def factor_rate_tree(M: Machine, t: RateTree, C: Array, Y: Array, V: Array, size: int, h: float) -> float:
    """Eliminate; returns 0, or not a number where a block is singular. C, Y: tables of the second level."""
    ground, K, w, total = M.B.shape[0] - 1, t.K, t.scratch, 0.0
    _own_blocks(V, ground, size, K)
    for j in range(t.joints.shape[0]):
        b, p, i, n = t.joints[j, BODY_B], t.joints[j, BODY_A], t.joints[j, POINT], t.joints[j, DOTS]
        y, own, held = t.Y[j], K[b], p == ground
        _point(M.B, C, M.X, Y, i, 3, b, h, y[ARM], y[LEVER])
        for slot in (KUW, YU, DD, YP, EU, EP, FF, GG):
            zero(y[slot])
        zero(w[KWU])
        zero(w[KRR])
        add_six(1.0, own[TR], y[KUW])
        multiply_six(-1.0, own[TT], y[LEVER], y[KUW], 6)
        add_six(1.0, own[RT], w[KWU])
        multiply_six(-1.0, y[ARM], own[TT], w[KWU], 3)
        add_six(1.0, own[RR], w[KRR])
        multiply_six(-1.0, y[ARM], own[TR], w[KRR], 3)
        multiply_six(-1.0, w[KWU], y[LEVER], w[KRR], 6)
        if n > 0:
            _rotations(M.B, C, M.X, Y, t.joints[j, FIRST_DOT], n, b, p, h, w, y)
        total += _invert(w, y, n)
        multiply_six(-1.0, y[A_], w[KWU], y[YU], 6)
        if n > 0:
            multiply_six(-1.0, y[Q_], w[KWU], y[EU], 6)
        add_six(1.0, own[TT], y[DD])
        multiply_six(1.0, y[KUW], y[YU], y[DD], 6)
        if held:
            continue
        _point(M.B, C, M.X, Y, i, 2, p, h, y[ARM_A], y[LEVER_A])
        above, pad = K[p], w[REST_T]
        add_six(1.0, y[DD], above[TT])
        zero(pad)
        multiply_six(1.0, y[DD], y[LEVER_A], pad, 6)
        multiply_six(1.0, y[ARM_A], y[DD], above[RT], 3)
        if n > 0:
            at = PER_BODY * ground + PER_PAIR * t.joints[j, PAIR] + WW
            _pair_block(V, size, at, y[KPB])
            _pair_block(V, size, at + ACROSS, w[KBP])
            multiply_six(-1.0, y[A_], w[KBP], y[YP], 6)
            multiply_six(-1.0, y[G_], w[E_ROWS], y[YP], 6)
            multiply_six(-1.0, y[Q_], w[KBP], y[EP], 6)
            multiply_six(-1.0, y[H_], w[E_ROWS], y[EP], 6)
            multiply_six(1.0, y[KUW], y[YP], y[FF], 6)
            add_six(1.0, y[FF], pad)
            multiply_six(1.0, y[KPB], y[YU], y[GG], 3)
            multiply_six(1.0, y[TP], y[EU], y[GG], 3)
            add_six(1.0, y[GG], above[RT])
            multiply_six(1.0, y[GG], y[LEVER_A], above[RR], 6)
            multiply_six(1.0, y[KPB], y[YP], above[RR], 3)
            multiply_six(1.0, y[TP], y[EP], above[RR], 3)
        add_six(1.0, pad, above[TR])
        multiply_six(1.0, y[ARM_A], pad, above[RR], 3)
    for k in range(t.roots.size):
        total += _factor_root(K[t.roots[k]], t.Y[t.joints.shape[0] + k])
    return total


@inner
def _gaps(K: Int, gap: Array, rate: Array, j: int, joints: Int, g: Array) -> None:
    """g[0:6]: gaps of the point on both levels, g[6:12]: those of rows on rotations."""
    k, n = K[joints[j, POINT], PLACE], joints[j, DOTS]
    for i in range(6, 12):
        g[i] = 0.0
    for i in range(3):
        g[i], g[3 + i] = gap[k + i], rate[k + i]
    if n > 0:
        k = K[joints[j, FIRST_DOT], PLACE]
        for i in range(n):
            g[6 + i], g[9 + i] = gap[k + i], rate[k + i]


@inner
def load_residual(M: Machine, t: RateTree, C: Array) -> None:
    """Rows of kinematics and momentum to t.r."""
    for b in range(t.r.shape[0]):
        for i in range(3):
            t.r[b, i], t.r[b, 3 + i] = C[b, KIN_T + i], M.B[b, FORCE + i]
            t.r[b, 6 + i], t.r[b, 9 + i] = C[b, KIN_T + 3 + i], M.B[b, FORCE + 3 + i]


@inner
def unload_increments(M: Machine, t: RateTree, C: Array) -> None:
    """Increments of the velocities from t.r."""
    for b in range(t.r.shape[0]):
        for i in range(3):
            M.B[b, DU + i], C[b, DV1 + i] = t.r[b, i], t.r[b, 3 + i]
            M.B[b, DU + 3 + i], C[b, DV1 + 3 + i] = t.r[b, 6 + i], t.r[b, 9 + i]


@inner
def sweep(K: Int, t: RateTree, gap: Array, rate: Array, dG: Array, dlam: Array) -> None:
    """Increments of all velocities from the residuals in t.r, in their place, and of the tree's G and Λ.

    gap, rate: what the constraints and their rates miss.
    """
    ground, r, g, e = t.r.shape[0], t.r, t.g[0], t.g[1]
    for j in range(t.joints.shape[0]):
        b, p, n = t.joints[j, BODY_B], t.joints[j, BODY_A], t.joints[j, DOTS]
        y, rest, own = t.Y[j], t.y[j], r[b]
        _gaps(K, gap, rate, j, t.joints, g)
        apply_six(-1.0, y[ARM], own, 0, own, 6)
        zero(rest)
        apply_six(-1.0, y[A_], own, 6, rest, REST)
        if n > 0:
            apply_six(-1.0, y[G_], g, 6, rest, REST)
            apply_six(-1.0, y[Q_], own, 6, rest, MU)
            apply_six(-1.0, y[H_], g, 6, rest, MU)
        for i in range(6):
            rest[RHO + i] = own[i]
        apply_six(1.0, y[KUW], rest, REST, rest, RHO)
        if p < ground:
            for i in range(6):
                e[i] = rest[RHO + i]
            apply_six(-1.0, y[DD], g, 0, e, 0)
            for i in range(6):
                r[p, i] += e[i]
            apply_six(1.0, y[ARM_A], e, 0, r[p], 6)
            if n > 0:
                apply_six(1.0, y[KPB], rest, REST, r[p], 6)
                apply_six(-1.0, y[GG], g, 0, r[p], 6)
                apply_six(1.0, y[TP], rest, MU, r[p], 6)
    for k in range(t.roots.size):
        _solve_root(t.Y[t.joints.shape[0] + k], r[t.roots[k]], e)
    for j in range(t.joints.shape[0] - 1, -1, -1):
        b, p, n = t.joints[j, BODY_B], t.joints[j, BODY_A], t.joints[j, DOTS]
        y, rest, own = t.Y[j], t.y[j], r[b]
        _gaps(K, gap, rate, j, t.joints, g)
        for i in range(6):
            e[i] = -g[i]
        if p < ground:
            for i in range(6):
                e[i] += r[p, i]
            apply_six(1.0, y[LEVER_A], r[p], 6, e, 0)
            if n > 0:
                apply_six(1.0, y[YP], r[p], 6, rest, REST)
                apply_six(1.0, y[FF], r[p], 6, rest, RHO)
                apply_six(1.0, y[EP], r[p], 6, rest, MU)
        if n > 0:
            apply_six(1.0, y[EU], e, 0, rest, MU)
        apply_six(1.0, y[YU], e, 0, rest, REST)
        apply_six(1.0, y[DD], e, 0, rest, RHO)
        for i in range(6):
            own[6 + i], own[i] = rest[REST + i], e[i]
        apply_six(-1.0, y[LEVER], own, 6, own, 0)
        k = K[t.joints[j, POINT], PLACE]
        for i in range(3):
            dG[k + i], dlam[k + i] = -rest[RHO + i], -rest[RHO + 3 + i]
        k = K[t.joints[j, FIRST_DOT], PLACE]
        for i in range(n):
            dG[k + i], dlam[k + i] = rest[MU + i], rest[MU + 3 + i]


@inner
def _factor_root(K: Blocks, y: Blocks) -> float:
    """A body that is held by no joint of the tree: translations first, then rotations."""
    total = invert_six(K[TT], y[TT_INVERSE])
    zero(y[LEFT])
    zero(y[RIGHT])
    multiply_six(1.0, K[RT], y[TT_INVERSE], y[LEFT], 6)
    multiply_six(1.0, y[TT_INVERSE], K[TR], y[RIGHT], 6)
    multiply_six(-1.0, y[LEFT], K[TR], K[RR], 6)
    return total + invert_six(K[RR], y[RR_INVERSE])


@inner
def _solve_root(y: Blocks, r: Array, rest: Array) -> None:
    """δr = -(RR)⁻¹ (r_r - LEFT r_t),  δt = -TT⁻¹ r_t - RIGHT δr."""
    for i in range(12):
        rest[i] = 0.0
    apply_six(-1.0, y[LEFT], r, 0, r, 6)
    apply_six(-1.0, y[RR_INVERSE], r, 6, rest, 6)
    apply_six(-1.0, y[TT_INVERSE], r, 0, rest, 0)
    apply_six(-1.0, y[RIGHT], rest, 6, rest, 0)
    for i in range(12):
        r[i] = rest[i]
