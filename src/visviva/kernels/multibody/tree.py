"""Elimination along a tree of joints that hold a point and forbid up to three rotations: from the leaves to the root.

A joint holds the point of child and parent together (impulse L) and may have rows on rotations (impulses μ):

    child:   K_vv δu + K_vw δω + δL = -r_v,      K_wv δu + K_ww δω + B δL + T δμ + K_bp δω_A = -r_w
    rows:    δu + D δω = e,  e = δu_A + D_A δω_A - g,      W δω + E δω_A = -γ

With δu = e - D δω and δL from the first row, what is left of the child is K_wu e + K δω + K_bp δω_A + T δμ = -r, and

    δω = y + Y_u e + Y_p δω_A,   δμ = z + E_u e + E_p δω_A,   y = -A r - G γ,   z = -Q (r + K y),
    Y_u = -A K_wu,   Y_p = -A K_bp - G E,   E_u = -Q (K_wu + K Y_u),   E_p = -Q (K_bp + K Y_p)

A ball joint has A = K⁻¹. A hinge has A = t ℓᵀ/κ, with t normal to both rows of W, ℓ to both columns of T and κ = ℓ·K t:
one angle, and nothing is inverted. Q is the inverse of T on what its columns span. The rest adds to the parent's rows;
all matrices are 3 x 3. They are Featherstone's articulated bodies, in absolute coordinates.
"""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.functions import inner, woven
from visviva.kernels.multibody.curvature import ACROSS, WW, curve_meet
from visviva.kernels.multibody.functions import back

from visviva.kernels.multibody.algebra import (  # isort: skip
    NOTHING, Matrix, Vector, add_matrix_to, add_outer, add_to, cross, dot, halfway, hat_hat, hat_mul, inverse, lowered,
    matminus, matmul, matplus, matrix, mattimes, minus, moment, moment_matrix, mul, mul_hat, mul_t, plus, put,
    put_matrix, times, vector,
)  # fmt: skip
from visviva.kernels.multibody.tables import (  # isort: skip
    ALONE, AM, AN, BM, BN, DU, DW, FORCE, KVV, KVW, KWV, KWW, MA, PLACE, SHARED_ON_CHILD, SHARED_ON_PARENT, SHRINK,
    TORQUE, TWIN, UM, UN, WM, WN, A, Int, columns,
)  # fmt: skip

# columns of a joint of the tree, in the letters above: ARM is B, LEVER is D, KUW = K_vw - K_vv D; DD, FF, GG for the
# parent
(
    ARM, ARM_A, LEVER, LEVER_A, KUW, A_, G_, Q_, QK, YU, YP, EU, EP, DD, FF, GG, KPB, TP, REST, MU, RHO, JOINT,
) = columns(9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 3, 3, 3)  # fmt: skip
BODY_B, BODY_A, POINT, FIRST_DOT, DOTS, PAIR = range(6)


class Tree(NamedTuple):
    """Joints in the order of elimination, children first; bodies that no joint of the tree holds are roots."""

    joints: Int  # (joints, 6) child, parent, function MEET, first DOT, number of them, row of Z
    roots: Int
    Y: Array  # (joints, JOINT)
    six: Array  # (8, 6) scratch: a matrix, a right-hand side and a solution


@woven
def _cross_blocks(
    B: Array, X: Array, K: Int, lam: Array, first: int, n: int, b: int, p: int, Z: Array, pair: int, h: float
) -> tuple[Matrix, Matrix]:
    """K_bp and K_pb: what elements add, and rows on rotations with their impulses μ; the bodies' own blocks too.

    K_pb = -½ h N(a_A) Σ μ û C_B ŵ,   K_bp = -½ h N(a_B) Σ μ ŵ C_A û;   see `curvature.curve`.
    """
    ab, ap = vector(B, b, A), vector(B, p, A)
    Cb, Cp = halfway(ab, B[b, SHRINK]), halfway(ap, B[p, SHRINK])
    Q_pb, Q_bp = NOTHING, NOTHING
    moving = p < B.shape[0] - 1
    twin = K[first, TWIN] if n > 1 else ALONE
    k = 0
    while k < n:
        i = first + k
        s = 0.5 * h * lam[K[i, PLACE]]
        u, w, un, wn = vector(X, i, UM), vector(X, i, WM), vector(X, i, UN), vector(X, i, WN)
        if k == 0 and twin == SHARED_ON_PARENT:  # two products with one axis are one product with the sum of the others
            t = 0.5 * h * lam[K[i + 1, PLACE]]
            w = plus(times(s, w), times(t, vector(X, i + 1, WM)))
            wn = plus(times(s, wn), times(t, vector(X, i + 1, WN)))
            k += 1
        elif k == 0 and twin == SHARED_ON_CHILD:
            t = 0.5 * h * lam[K[i + 1, PLACE]]
            u = plus(times(s, u), times(t, vector(X, i + 1, UM)))
            un = plus(times(s, un), times(t, vector(X, i + 1, UN)))
            k += 1
        else:
            w, wn = times(s, w), times(s, wn)
        k += 1
        add_matrix_to(B, b, KWW, hat_hat(wn, u))
        if moving:
            add_matrix_to(B, p, KWW, hat_hat(un, w))
            Q_pb = matminus(Q_pb, hat_mul(u, mul_hat(Cb, w)))
            Q_bp = matminus(Q_bp, hat_mul(w, mul_hat(Cp, u)))
    if not moving:
        return NOTHING, NOTHING
    Kpb = matplus(matrix(Z, pair, WW), matmul(moment_matrix(ap), Q_pb))
    Kbp = matplus(matrix(Z, pair, ACROSS + WW), matmul(moment_matrix(ab), Q_bp))
    return Kbp, Kpb


@inner
def _row_on_child(B: Array, X: Array, i: int, b: int) -> Vector:
    """A row of W: the derivative of a DOT at the end of the step by the child's ω."""
    u1 = minus(times(2.0, vector(X, i, UM)), vector(X, i, UN))
    return cross(vector(X, i, WM), back(B, b, u1))


@inner
def _row_on_parent(B: Array, X: Array, i: int, p: int) -> Vector:
    """A row of E."""
    w1 = minus(times(2.0, vector(X, i, WM)), vector(X, i, WN))
    return cross(vector(X, i, UM), back(B, p, w1))


@woven
def _hinge(
    B: Array, X: Array, j: int, first: int, b: int, p: int, Y: Array, K: Matrix, Kwu: Matrix, Kbp: Matrix, Kpb: Matrix
) -> float:
    """A joint with two rows on rotations: its one angle is solved."""
    W0, W1 = _row_on_child(B, X, first, b), _row_on_child(B, X, first + 1, b)
    ab = vector(B, b, A)
    T0, T1 = times(-1.0, moment(ab, vector(X, first, MA))), times(-1.0, moment(ab, vector(X, first + 1, MA)))
    t, l = cross(W0, W1), cross(T0, T1)
    tt, ll = 1.0 / dot(t, t), 1.0 / dot(l, l)
    P0, P1 = times(tt, cross(W1, t)), times(tt, cross(t, W0))
    Q0, Q1 = times(ll, cross(T1, l)), times(ll, cross(l, T0))
    k = mul_t(K, l)
    kappa = 1.0 / dot(k, t)
    G0, G1 = minus(P0, times(kappa * dot(k, P0), t)), minus(P1, times(kappa * dot(k, P1), t))
    tk = times(kappa, t)
    bu = mul_t(Kwu, l)
    Yu = add_outer(NOTHING, times(-1.0, tk), bu)
    K0, K1 = mul_t(K, Q0), mul_t(K, Q1)
    Eu0 = minus(times(dot(K0, tk), bu), mul_t(Kwu, Q0))
    Eu1 = minus(times(dot(K1, tk), bu), mul_t(Kwu, Q1))
    put_matrix(Y, j, A_, add_outer(NOTHING, tk, l))
    put_matrix(Y, j, G_, (G0[0], G1[0], 0.0, G0[1], G1[1], 0.0, G0[2], G1[2], 0.0))
    put_matrix(Y, j, Q_, (Q0[0], Q0[1], Q0[2], Q1[0], Q1[1], Q1[2], 0.0, 0.0, 0.0))
    put_matrix(Y, j, QK, (K0[0], K0[1], K0[2], K1[0], K1[1], K1[2], 0.0, 0.0, 0.0))
    put_matrix(Y, j, YU, Yu)
    put_matrix(Y, j, EU, (Eu0[0], Eu0[1], Eu0[2], Eu1[0], Eu1[1], Eu1[2], 0.0, 0.0, 0.0))
    if p < B.shape[0] - 1:
        E0, E1 = _row_on_parent(B, X, first, p), _row_on_parent(B, X, first + 1, p)
        ap = vector(B, p, A)
        Tp0, Tp1 = moment(ap, vector(X, first, MA)), moment(ap, vector(X, first + 1, MA))
        Yp = add_outer(NOTHING, times(-1.0, tk), mul_t(Kbp, l))
        Yp = add_outer(add_outer(Yp, times(-1.0, G0), E0), times(-1.0, G1), E1)
        Ep0 = times(-1.0, plus(mul_t(Kbp, Q0), mul_t(Yp, K0)))
        Ep1 = times(-1.0, plus(mul_t(Kbp, Q1), mul_t(Yp, K1)))
        put_matrix(Y, j, YP, Yp)
        put_matrix(Y, j, EP, (Ep0[0], Ep0[1], Ep0[2], Ep1[0], Ep1[1], Ep1[2], 0.0, 0.0, 0.0))
        put_matrix(Y, j, TP, (Tp0[0], Tp1[0], 0.0, Tp0[1], Tp1[1], 0.0, Tp0[2], Tp1[2], 0.0))
        put_matrix(Y, j, GG, add_outer(add_outer(matmul(Kpb, Yu), Tp0, Eu0), Tp1, Eu1))
    return kappa


@inner
def _one_or_three(
    B: Array, X: Array, j: int, first: int, n: int, b: int, p: int, Y: Array, K: Matrix, Kwu: Matrix, Kbp: Matrix,
    Kpb: Matrix,
) -> float:  # fmt: skip
    """A joint with one row on rotations, or with three."""
    ab, ap = vector(B, b, A), vector(B, p, A)
    W0, T0 = _row_on_child(B, X, first, b), times(-1.0, moment(ab, vector(X, first, MA)))
    W, T, E, Tp = NOTHING, NOTHING, NOTHING, NOTHING
    moving = p < B.shape[0] - 1
    for k in range(n):
        e = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        m = vector(X, first + k, MA)
        W = add_outer(W, e, _row_on_child(B, X, first + k, b))
        T = add_outer(T, times(-1.0, moment(ab, m)), e)
        if moving:
            E = add_outer(E, e, _row_on_parent(B, X, first + k, p))
            Tp = add_outer(Tp, moment(ap, m), e)
    if n == 1:
        Ki = inverse(K)
        t, w = mul(Ki, T0), mul_t(Ki, W0)
        s = 1.0 / dot(W0, t)
        Ai = add_outer(Ki, times(-s, t), w)
        G = add_outer(NOTHING, times(s, t), (1.0, 0.0, 0.0))
        Q = add_outer(NOTHING, (1.0, 0.0, 0.0), times(1.0 / dot(T0, T0), T0))
    else:
        Ai, G, Q = NOTHING, inverse(W), inverse(T)
    KQ = matmul(Q, K)
    Yu = mattimes(-1.0, matmul(Ai, Kwu))
    Eu = mattimes(-1.0, matplus(matmul(Q, Kwu), matmul(KQ, Yu)))
    put_matrix(Y, j, A_, Ai)
    put_matrix(Y, j, G_, G)
    put_matrix(Y, j, Q_, Q)
    put_matrix(Y, j, QK, KQ)
    put_matrix(Y, j, YU, Yu)
    put_matrix(Y, j, EU, Eu)
    if moving:
        Yp = mattimes(-1.0, matplus(matmul(Ai, Kbp), matmul(G, E)))
        put_matrix(Y, j, YP, Yp)
        put_matrix(Y, j, EP, mattimes(-1.0, matplus(matmul(Q, Kbp), matmul(KQ, Yp))))
        put_matrix(Y, j, TP, Tp)
        put_matrix(Y, j, GG, matplus(matmul(Kpb, Yu), matmul(Tp, Eu)))
    return Ai[0] + G[0] + Q[0]


@inner
def factor_tree(B: Array, X: Array, K: Int, lam: Array, joints: Int, Y: Array, Z: Array, h: float) -> float:
    """Eliminate; returns 0, or not a number where a block is singular.

    Bodies' own blocks hold what bodies, elements and joints outside of the tree add; Z the same between bodies.
    """
    total = 0.0
    for j in range(joints.shape[0]):
        b, p, i, n = joints[j, BODY_B], joints[j, BODY_A], joints[j, POINT], joints[j, DOTS]
        first, k, held = joints[j, FIRST_DOT], K[i, PLACE], p == B.shape[0] - 1
        curve_meet(B, X, K, i, (lam[k], lam[k + 1], lam[k + 2]), h)
        Kbp, Kpb = NOTHING, NOTHING
        if n > 0:
            Kbp, Kpb = _cross_blocks(B, X, K, lam, first, n, b, p, Z, joints[j, PAIR], h)
        ab = vector(B, b, A)
        arm = hat_mul(vector(X, i, BN), lowered(ab))
        lever = mattimes(-1.0, mul_hat(halfway(ab, B[b, SHRINK]), vector(X, i, BM)))
        Kvv, Kvw = matrix(B, b, KVV), matrix(B, b, KVW)
        Kwu = matminus(matrix(B, b, KWV), matmul(arm, Kvv))
        Kuw = matminus(Kvw, matmul(Kvv, lever))
        Kw = matminus(matminus(matrix(B, b, KWW), matmul(arm, Kvw)), matmul(Kwu, lever))
        put_matrix(Y, j, ARM, arm)
        put_matrix(Y, j, LEVER, lever)
        put_matrix(Y, j, KUW, Kuw)
        if n == 0:
            Ki = inverse(Kw)
            total += Ki[0] + Ki[4] + Ki[8]
            put_matrix(Y, j, A_, Ki)
            put_matrix(Y, j, YU, mattimes(-1.0, matmul(Ki, Kwu)))
        elif n == 2:
            total += _hinge(B, X, j, first, b, p, Y, Kw, Kwu, Kbp, Kpb)
        else:
            total += _one_or_three(B, X, j, first, n, b, p, Y, Kw, Kwu, Kbp, Kpb)
        D = matplus(Kvv, matmul(Kuw, matrix(Y, j, YU)))
        put_matrix(Y, j, DD, D)
        if held:
            continue
        aA = vector(B, p, A)
        arm_A = hat_mul(vector(X, i, AN), lowered(aA))
        lever_A = mattimes(-1.0, mul_hat(halfway(aA, B[p, SHRINK]), vector(X, i, AM)))
        put_matrix(Y, j, ARM_A, arm_A)
        put_matrix(Y, j, LEVER_A, lever_A)
        Dl, BD = matmul(D, lever_A), matmul(arm_A, D)
        if n == 0:
            add_matrix_to(B, p, KVW, Dl)
            add_matrix_to(B, p, KWV, BD)
            add_matrix_to(B, p, KWW, matmul(BD, lever_A))
        else:
            Yp, G = matrix(Y, j, YP), matrix(Y, j, GG)
            F = matmul(Kuw, Yp)
            Dl = matplus(Dl, F)
            H = matplus(matmul(Kpb, Yp), matmul(matrix(Y, j, TP), matrix(Y, j, EP)))
            add_matrix_to(B, p, KVW, Dl)
            add_matrix_to(B, p, KWV, matplus(BD, G))
            add_matrix_to(B, p, KWW, matplus(matplus(matmul(arm_A, Dl), matmul(G, lever_A)), H))
            put_matrix(Y, j, FF, F)
            put_matrix(Y, j, KPB, Kpb)
        add_matrix_to(B, p, KVV, D)
    return total - total


@inner
def solve_tree(
    B: Array, K: Int, gap: Array, dlam: Array, joints: Int, Y: Array, roots: Int, six: Array, column: bool
) -> None:
    """Increments of all velocities and of the tree's impulses from the residual in FORCE, TORQUE and gap.

    column: whether the residual is one of forces on few bodies, without gaps: nothing comes from those below.
    """
    for j in range(joints.shape[0]):
        b, p, n = joints[j, BODY_B], joints[j, BODY_A], joints[j, DOTS]
        f = vector(B, b, FORCE)
        if column and is_zero(f) and is_zero(vector(B, b, TORQUE)):
            put(Y, j, REST, f)
            put(Y, j, RHO, f)
            put(Y, j, MU, f)
            continue
        r = minus(vector(B, b, TORQUE), mul(matrix(Y, j, ARM), f))
        y = times(-1.0, mul(matrix(Y, j, A_), r))
        if n > 0:
            k = K[joints[j, FIRST_DOT], PLACE]
            gamma = (gap[k], gap[k + 1] if n > 1 else 0.0, gap[k + 2] if n > 2 else 0.0)
            y = minus(y, mul(matrix(Y, j, G_), gamma))
            put(Y, j, MU, times(-1.0, plus(mul(matrix(Y, j, Q_), r), mul(matrix(Y, j, QK), y))))
        rho = plus(f, mul(matrix(Y, j, KUW), y))
        put(Y, j, REST, y)
        put(Y, j, RHO, rho)
        if p < B.shape[0] - 1:
            g = vector_of(gap, K[joints[j, POINT], PLACE])
            f = minus(rho, mul(matrix(Y, j, DD), g))
            m = mul(matrix(Y, j, ARM_A), f)
            if n > 0:
                m = minus(plus(m, mul(matrix(Y, j, KPB), y)), mul(matrix(Y, j, GG), g))
                m = plus(m, mul(matrix(Y, j, TP), vector(Y, j, MU)))
            add_to(B, p, FORCE, f)
            add_to(B, p, TORQUE, m)
    for k in range(roots.size):
        _solve_root(B, roots[k], six)
    for j in range(joints.shape[0] - 1, -1, -1):
        b, p, n = joints[j, BODY_B], joints[j, BODY_A], joints[j, DOTS]
        k = K[joints[j, POINT], PLACE]
        e = times(-1.0, vector_of(gap, k))
        y, rho, mu = vector(Y, j, REST), vector(Y, j, RHO), vector(Y, j, MU)
        if p < B.shape[0] - 1:
            w = vector(B, p, DW)
            e = plus(e, plus(vector(B, p, DU), mul(matrix(Y, j, LEVER_A), w)))
            if n > 0:
                y = plus(y, mul(matrix(Y, j, YP), w))
                rho = plus(rho, mul(matrix(Y, j, FF), w))
                mu = plus(mu, mul(matrix(Y, j, EP), w))
        if n > 0:
            mu = plus(mu, mul(matrix(Y, j, EU), e))
            at = K[joints[j, FIRST_DOT], PLACE]
            for i in range(n):
                dlam[at + i] = mu[i]
        y = plus(y, mul(matrix(Y, j, YU), e))
        L = plus(rho, mul(matrix(Y, j, DD), e))
        dlam[k], dlam[k + 1], dlam[k + 2] = -L[0], -L[1], -L[2]
        put(B, b, DW, y)
        put(B, b, DU, minus(e, mul(matrix(Y, j, LEVER), y)))


@inner
def is_zero(x: Vector) -> bool:
    """Whether all three numbers are zero."""
    return x[0] == 0.0 and x[1] == 0.0 and x[2] == 0.0


@inner
def vector_of(x: Array, k: int) -> Vector:
    """Three numbers from place k on."""
    return (x[k], x[k + 1], x[k + 2])


@inner
def _solve_root(B: Array, b: int, six: Array) -> None:
    """A body that is held by no joint of the tree."""
    for i in range(3):
        for c in range(3):
            six[i, c], six[i, 3 + c] = B[b, KVV + 3 * i + c], B[b, KVW + 3 * i + c]
            six[3 + i, c], six[3 + i, 3 + c] = B[b, KWV + 3 * i + c], B[b, KWW + 3 * i + c]
        six[6, i], six[6, 3 + i] = -B[b, FORCE + i], -B[b, TORQUE + i]
    solve_dense(six.shape[1], six, six[6])
    for i in range(3):
        B[b, DU + i], B[b, DW + i] = six[6, i], six[6, 3 + i]


@inner
def solve_dense(n: int, S: Array, r: Array) -> None:
    """Solve S x = r in place of r by elimination with pivots; S is destroyed."""
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(S[i, k]) > abs(S[pivot, k]):
                pivot = i
        if pivot != k:
            for j in range(k, n):
                S[k, j], S[pivot, j] = S[pivot, j], S[k, j]
            r[k], r[pivot] = r[pivot], r[k]
        for i in range(k + 1, n):
            l = S[i, k] / S[k, k]
            if l != 0.0:
                for j in range(k + 1, n):
                    S[i, j] -= l * S[k, j]
                r[i] -= l * r[k]
    for i in range(n - 1, -1, -1):
        x = r[i]
        for j in range(i + 1, n):
            x -= S[i, j] * r[j]
        r[i] = x / S[i, i]
