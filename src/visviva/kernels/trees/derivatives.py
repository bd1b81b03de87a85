"""Derivatives of forward dynamics of a tree by q, ξ and τ, from those of inverse dynamics.

In world axes about one origin, with unit velocities S_k, and inertia I, force f and 2B of everything behind a link,

    ψ̇ = v_P × S,  ψ̈ = a_P × S + v_P × ψ̇,  Ṡ = v × S,  2B = v ×* I - I v × + (I v) ×̄* = [[B11, 0], [-2 P̂, 0]]

    k on the path of j:   ∂τ_j/∂q_k = S_j·(2B ψ̇_k + I ψ̈_k),    ∂τ_j/∂ξ_k = S_j·(2B S_k + I (ψ̇_k + Ṡ_k))
    j behind k:           ∂τ_k/∂q_j = S_k·(2B ψ̇_j + I ψ̈_j + S_j ×* f),    ∂τ_k/∂ξ_j = S_k·(2B S_j + I (ψ̇_j + Ṡ_j))

and ∂ξ̇ = -M⁻¹ ∂τ. Derivatives by q are along ξ: of a rotation by the vector it is turned by, in link axes.
Source: Singh, Russo, Wensing (2022), IEEE Robot. Autom. Lett. 7, 1783-1790, with 2B in 12 numbers.
"""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.cache import inner, kernel, woven
from visviva.kernels.multibody.algebra import Place, Vector, cross, dot, matmul, minus, mul, mul_t, plus, times
from visviva.kernels.multibody.tables import Int, columns
from visviva.kernels.trees.field import Field, accelerate
from visviva.kernels.trees.kinematics import put_rotation
from visviva.kernels.trees.lanes import load_four, store_four
from visviva.kernels.trees.runs import Paths, factorise, solve

from visviva.kernels.trees.algebra import (  # isort: skip
    Six, matrix, put, put_matrix, put_six, six, sym, sym_turned, vector,
)  # fmt: skip
from visviva.kernels.trees.tables import (  # isort: skip
    ARM, AT_V, AXIS, COS, COUNT, DAMPING, HINGE, INERTIA, KIND, MASS, MOMENT, PARENT, R_PL, SIN, STIFFNESS,
)  # fmt: skip

# of a link: rotation and place; spatial velocity and acceleration; of all behind it m, h, J, (n, f), P, B11
ROT, PLACE, V, A, COMPOSITE_M, COMPOSITE_H, COMPOSITE_J, WRENCH, P, B11, SWEEP = columns(9, 3, 6, 6, 1, 3, 6, 6, 3, 9)
UNIT, RATE, SECOND, FIRST, ROWS = 0, 6, 12, 18, 21  # rows of Y: S, ψ̇ + Ṡ, ψ̈, angular part of ψ̇
Pair = tuple[Vector, Vector]


class Sweeps(NamedTuple):
    """Memory of the derivatives."""

    S: Array  # (n, 6)
    Z: Array  # (links + 1, SWEEP); the ground is the last row
    Y: Array  # (ROWS, n)
    M: Array  # (n, n) mass matrix, then its factors
    G: Array  # (n, 2 n) columns of X as rows
    B: Array  # (n, PANEL)
    X: Array  # (n, 3 n and up to a multiple of PANEL) -∂τ/∂q, -∂τ/∂ξ, 1; then M⁻¹ times that


@woven
def _motion_cross(a: Pair, b: Pair) -> Pair:
    return cross(a[0], b[0]), plus(cross(a[0], b[1]), cross(a[1], b[0]))


@woven
def _force_cross(a: Pair, f: Pair) -> Pair:
    return plus(cross(a[0], f[0]), cross(a[1], f[1])), cross(a[0], f[1])


@woven
def _momentum(J: Six, h: Vector, m: float, v: Pair) -> Pair:
    return plus(sym(J, v[0]), cross(h, v[1])), plus(times(m, v[1]), cross(v[0], h))


@woven
def _pair(T: Array, i: int, k: Place) -> Pair:
    return vector(T, i, k), vector(T, i, k + 3)


@woven
def _put_column(Y: Array, row: int, k: int, x: Vector) -> None:
    Y[row, k], Y[row + 1, k], Y[row + 2, k] = x[0], x[1], x[2]


@woven
def _column(Y: Array, row: int, k: int) -> Vector:
    return Y[row, k], Y[row + 1, k], Y[row + 2, k]


@inner
def _outwards(f: Field, s: Sweeps, xi: Array, xi_dot: Array) -> None:
    """Velocities, accelerations, unit velocities and their derivatives; inertia and force of each link alone.

    Where the joints are is in the memory of the accelerations, which come first.
    """
    Z, K = s.Z, f.K
    for i in range(K.shape[0]):
        p = K[i, PARENT]
        if K[i, KIND] == HINGE:
            put_rotation(f.C, f.W, i, f.W[i, COS], f.W[i, SIN])
        R_P = matrix(Z, p, ROT)
        R, x = matmul(R_P, matrix(f.W, i, R_PL)), plus(vector(Z, p, PLACE), mul(R_P, vector(f.W, i, ARM)))
        v_P, a_P = _pair(Z, p, V), _pair(Z, p, A)
        v, a = v_P, a_P
        for k in range(K[i, AT_V], K[i, AT_V] + K[i, COUNT]):
            e = mul(R, vector(s.S, k, 0))
            u = plus(mul(R, vector(s.S, k, 3)), cross(x, e))
            _put_column(s.Y, UNIT, k, e)
            _put_column(s.Y, UNIT + 3, k, u)
            v = plus(v[0], times(xi[k], e)), plus(v[1], times(xi[k], u))
        for k in range(K[i, AT_V], K[i, AT_V] + K[i, COUNT]):
            unit = _column(s.Y, UNIT, k), _column(s.Y, UNIT + 3, k)
            first, rate = _motion_cross(v_P, unit), _motion_cross(v, unit)
            other, again = _motion_cross(a_P, unit), _motion_cross(v_P, first)
            _put_column(s.Y, FIRST, k, first[0])
            _put_column(s.Y, RATE, k, plus(first[0], rate[0]))
            _put_column(s.Y, RATE + 3, k, plus(first[1], rate[1]))
            _put_column(s.Y, SECOND, k, plus(other[0], again[0]))
            _put_column(s.Y, SECOND + 3, k, plus(other[1], again[1]))
            x_dot, x_rate = xi_dot[k], xi[k]
            a = (
                plus(a[0], plus(times(x_dot, unit[0]), times(x_rate, rate[0]))),
                plus(a[1], plus(times(x_dot, unit[1]), times(x_rate, rate[1]))),
            )
        put_matrix(Z, i, ROT, R)
        put(Z, i, PLACE, x)
        put(Z, i, V, v[0])
        put(Z, i, V + 3, v[1])
        put(Z, i, A, a[0])
        put(Z, i, A + 3, a[1])
        m, h = f.C[i, MASS], mul(R, vector(f.C, i, MOMENT))
        J = _about_origin(sym_turned(R, six(f.C, i, INERTIA)), h, m, x)
        h = plus(h, times(m, x))
        _single(Z, i, J, h, m, v, a)
        if f.L.shape[0]:
            n, force = mul(R, vector(f.L, i, 0)), mul(R, vector(f.L, i, 3))
            put(Z, i, WRENCH, minus(vector(Z, i, WRENCH), plus(n, cross(x, force))))
            put(Z, i, WRENCH + 3, minus(vector(Z, i, WRENCH + 3), force))


@woven
def _about_origin(J: Six, h: Vector, m: float, x: Vector) -> Six:
    """Moments of inertia about a point at -x from the one they are given for."""
    square = 2.0 * dot(x, h) + m * dot(x, x)
    y = plus(h, times(m, x))
    return (
        J[0] + square - x[0] * h[0] - y[0] * x[0], J[1] - x[0] * h[1] - y[0] * x[1], J[2] - x[0] * h[2] - y[0] * x[2],
        J[3] + square - x[1] * h[1] - y[1] * x[1], J[4] - x[1] * h[2] - y[1] * x[2],
        J[5] + square - x[2] * h[2] - y[2] * x[2],
    )  # fmt: skip


@woven
def _single(Z: Array, i: int, J: Six, h: Vector, m: float, v: Pair, a: Pair) -> None:
    """Inertia, I a + v ×* I v, P and B11 = ω̂ J - J ω̂ - (J ω)^ - 2 ĥ v̂ of one link."""
    moment, inertial = _momentum(J, h, m, v), _momentum(J, h, m, a)
    force = _force_cross(v, moment)
    w, u, Jw = v[0], v[1], sym(J, v[0])
    X = (
        w[1] * J[2] - w[2] * J[1], w[1] * J[4] - w[2] * J[3], w[1] * J[5] - w[2] * J[4],
        w[2] * J[0] - w[0] * J[2], w[2] * J[1] - w[0] * J[4], w[2] * J[2] - w[0] * J[5],
        w[0] * J[1] - w[1] * J[0], w[0] * J[3] - w[1] * J[1], w[0] * J[4] - w[1] * J[2],
    )  # fmt: skip
    hu, g = dot(h, u), times(2.0, h)
    B = (
        2.0 * (X[0] - u[0] * h[0] + hu), X[1] + X[3] + Jw[2] - u[0] * g[1], X[2] + X[6] - Jw[1] - u[0] * g[2],
        X[3] + X[1] - Jw[2] - u[1] * g[0], 2.0 * (X[4] - u[1] * h[1] + hu), X[5] + X[7] + Jw[0] - u[1] * g[2],
        X[6] + X[2] + Jw[1] - u[2] * g[0], X[7] + X[5] - Jw[0] - u[2] * g[1], 2.0 * (X[8] - u[2] * h[2] + hu),
    )  # fmt: skip
    Z[i, COMPOSITE_M] = m
    put(Z, i, COMPOSITE_H, h)
    put_six(Z, i, COMPOSITE_J, J)
    put(Z, i, WRENCH, plus(inertial[0], force[0]))
    put(Z, i, WRENCH + 3, plus(inertial[1], force[1]))
    put(Z, i, P, moment[1])
    put_matrix(Z, i, B11, B)


@inner
def _inwards(K: Int, s: Sweeps, t: Paths) -> None:
    """-∂τ/∂q, -∂τ/∂ξ and M, which are zero where they are not written."""
    Z, Y = s.Z, s.Y
    for i in range(K.shape[0] - 1, -1, -1):
        p = K[i, PARENT]
        first, last = K[i, AT_V], K[i, AT_V] + K[i, COUNT]
        m, h, J, B = Z[i, COMPOSITE_M], vector(Z, i, COMPOSITE_H), six(Z, i, COMPOSITE_J), matrix(Z, i, B11)
        P2, f = times(2.0, vector(Z, i, P)), _pair(Z, i, WRENCH)
        for j in range(first, last):
            S = _column(Y, UNIT, j), _column(Y, UNIT + 3, j)
            z = _momentum(J, h, m, S)
            b = plus(mul_t(B, S[0]), cross(P2, S[1]))
            g, f_j = _column(Y, FIRST, j), _force_cross(S, f)
            gq = _momentum(J, h, m, (_column(Y, SECOND, j), _column(Y, SECOND + 3, j)))
            gq = plus(plus(gq[0], mul(B, g)), f_j[0]), plus(minus(gq[1], cross(P2, g)), f_j[1])
            gv = _momentum(J, h, m, (_column(Y, RATE, j), _column(Y, RATE + 3, j)))
            gv = plus(gv[0], mul(B, S[0])), minus(gv[1], cross(P2, S[0]))
            _rows(s, j, first, last, z, b)
            for r in range(t.above_at[i], t.above_at[i + 1]):
                begin, end = t.above[r, 0], t.above[r, 1]
                _rows(s, j, begin, end, z, b)
                _columns(s, j, begin, end, gq, gv)
        if p < K.shape[0]:
            for k in range(COMPOSITE_M, SWEEP):
                Z[p, k] += Z[i, k]


@woven
def _rows(s: Sweeps, j: int, begin: int, end: int, z: Pair, b: Vector) -> None:
    """Entries of row j, of velocities on its path: M, -∂τ/∂ξ, -∂τ/∂q; the last four of a run overlap those before."""
    Y, n = s.Y, s.M.shape[0]
    if end - begin < 4:
        for k in range(begin, end):
            s.M[j, k] = _six(Y, 0, k, z)
            s.X[j, n + k] = -(_six(Y, RATE, k, z) + dot(_column(Y, UNIT, k), b))
            s.X[j, k] = -(_six(Y, SECOND, k, z) + dot(_column(Y, FIRST, k), b))
        return
    for start in range(begin, end, 4):
        k = min(start, end - 4)
        store_four(s.M, j, k, _six_fours(Y, 0, k, z))
        store_four(s.X, j, n + k, -(_six_fours(Y, RATE, k, z) + _three_fours(Y, UNIT, k, b)))
        store_four(s.X, j, k, -(_six_fours(Y, SECOND, k, z) + _three_fours(Y, FIRST, k, b)))


@woven
def _columns(s: Sweeps, j: int, begin: int, end: int, gq: Pair, gv: Pair) -> None:
    """Entries of column j, of velocities between its link and the ground, by way of a row of G."""
    Y, n = s.Y, s.M.shape[0]
    if end - begin < 4:
        for k in range(begin, end):
            s.X[k, j], s.X[k, n + j] = -_six(Y, UNIT, k, gq), -_six(Y, UNIT, k, gv)
        return
    for start in range(begin, end, 4):
        k = min(start, end - 4)
        store_four(s.G, j, k, -_six_fours(Y, UNIT, k, gq))
        store_four(s.G, j, n + k, -_six_fours(Y, UNIT, k, gv))
    for k in range(begin, end):
        s.X[k, j], s.X[k, n + j] = s.G[j, k], s.G[j, n + k]


@woven
def _three_fours(Y: Array, row: int, k: int, x: Vector) -> float:
    return x[0] * load_four(Y, row, k) + x[1] * load_four(Y, row + 1, k) + x[2] * load_four(Y, row + 2, k)


@woven
def _six_fours(Y: Array, row: int, k: int, x: Pair) -> float:
    return _three_fours(Y, row, k, x[0]) + _three_fours(Y, row + 3, k, x[1])


@woven
def _six(Y: Array, row: int, k: int, x: Pair) -> float:
    return dot(_column(Y, row, k), x[0]) + dot(_column(Y, row + 3, k), x[1])


@kernel
def differentiate(
    f: Field, s: Sweeps, t: Paths, Q: Array, XI: Array, TAU: Array, L: Array, xi_dot: Array, by_q: Array, by_xi: Array,
    by_tau: Array,
) -> int:  # fmt: skip
    """ξ̇[b] and its derivatives, (n, n) each; a link whose joint has no inertia, or -1."""
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
        _outwards(f, s, XI[b], xi_dot[b])
        for k in range(n):
            for l in range(s.X.shape[1]):
                s.X[k, l] = 0.0
        _inwards(K, s, t)
        for k in range(n):
            s.X[k, n + k] -= f.E[k, DAMPING]
            s.X[k, 2 * n + k] = 1.0
        for i in range(K.shape[0]):
            if K[i, KIND] <= AXIS:
                s.X[K[i, AT_V], K[i, AT_V]] -= f.E[K[i, AT_V], STIFFNESS]
        factorise(K, t, s.M)
        solve(K, t, s.M, s.X, s.B)
        for k in range(n):
            for l in range(n):
                by_q[b, k, l], by_xi[b, k, l], by_tau[b, k, l] = s.X[k, l], s.X[k, n + l], s.X[k, 2 * n + l]
    return -1
