"""What the derivatives of a tree are made of, velocity by velocity, in world axes about one origin.

With the unit velocity S of a joint, velocity v and acceleration a of its link, v_P and a_P of the parent, and inertia
I, force f and 2B of everything behind the link,

    ψ̇ = v_P × S,  ψ̈ = a_P × S + v_P × ψ̇,  Ṡ = v × S,  2B = v ×* I - I v × + (I v) ×̄* = [[B11, 0], [-2 P̂, 0]] .

Only places, velocities and accelerations go from link to link; the rest is made for four velocities at once. A link
with several velocities is there as often.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from visviva._arrays import Array
from visviva.kernels.functions import inner, woven
from visviva.kernels.multibody.algebra import Matrix, Place, Vector, cross, dot, matmul, minus, mul, mul_t, plus, times
from visviva.kernels.multibody.tables import Int, columns
from visviva.kernels.trees.kinematics import turn_by_hinge
from visviva.kernels.trees.lanes import load_four, store_four

from visviva.kernels.trees.algebra import Six, matrix, six, sym, sym_turned, vector  # isort: skip
from visviva.kernels.trees.tables import (  # isort: skip
    ARM, AT_V, AXIS, BALL, COS, COUNT, COUPLING, HINGE, INVERSE, JI, KIND, MI, ORIGIN, PARENT, R_PL, SIN, UV, UW,
)  # fmt: skip

# Rows of Y. First of a link: rotation and place; v_P, a_P, v, a. Then S, ψ̇ + Ṡ, ψ̈, the angular part of ψ̇; of all behind
# the link m, h, J, (n, f), P, B11. At last I S, b = Sᵀ 2B, and the columns of ∂τ/∂q and ∂τ/∂ξ as wrenches. What is no
# longer needed is overwritten: all has to stay in the fastest memory. ELIMINATED: e of `columns`. LOAD: wrench.
UNIT, ELIMINATED, LOAD, ROT, PLACE, V_P, A_P, V, A, _ = columns(6, 6, 6, 9, 3, 6, 6, 6, 6)
RATE, SECOND, FIRST, TOTAL_M, TOTAL_H, TOTAL_J, WRENCH, P, B11, ROWS = ROT + np.array(
    columns(6, 6, 3, 1, 3, 6, 6, 3, 9)
)
MOMENTUM, B, BY_Q, BY_XI, _ = TOTAL_M + np.array(columns(6, 3, 6, 6))
BODY_M, BODY_H, BODY_J, BODY = columns(1, 3, 6)  # rows of the bodies, in their axes
Pair = tuple[Vector, Vector]


class Evaluated(NamedTuple):
    """A tree and the memory of its accelerations at one state."""

    sizes: Int  # (4,)
    C: Array
    K: Int
    E: Array
    L: Array  # (links, 6) wrenches, or an array without rows
    W: Array


class Sweeps(NamedTuple):
    """Memory of the derivatives; columns of velocities go up to a multiple of four, the last one is the ground."""

    S: Array  # (n, 6)
    bodies: Array  # (BODY, n up to a multiple of 4)
    Y: Array  # (ROWS, the same + 1)
    D: Array  # (n, 6) inverse inertia of each joint, by rows


@woven
def motion_cross(a: Pair, b: Pair) -> Pair:
    """a × b of twists."""
    return cross(a[0], b[0]), plus(cross(a[0], b[1]), cross(a[1], b[0]))


@woven
def _force_cross(a: Pair, f: Pair) -> Pair:
    return plus(cross(a[0], f[0]), cross(a[1], f[1])), cross(a[0], f[1])


@woven
def _momentum(J: Six, h: Vector, m: float, v: Pair) -> Pair:
    return plus(sym(J, v[0]), cross(h, v[1])), plus(times(m, v[1]), cross(v[0], h))


@woven
def column(Y: Array, row: Place, k: int) -> Vector:
    """Three numbers of velocity k."""
    return Y[row, k], Y[row + 1, k], Y[row + 2, k]


@woven
def pair(Y: Array, row: Place, k: int) -> Pair:
    """Six numbers of velocity k."""
    return column(Y, row, k), column(Y, row + 3, k)


@woven
def _put(Y: Array, row: Place, k: int, x: Vector) -> None:
    Y[row, k], Y[row + 1, k], Y[row + 2, k] = x[0], x[1], x[2]


@woven
def _put_pair(Y: Array, row: Place, k: int, x: Pair) -> None:
    _put(Y, row, k, x[0])
    _put(Y, row + 3, k, x[1])


@woven
def _turn_of(Y: Array, k: int) -> Matrix:
    a, b, c = column(Y, ROT, k), column(Y, ROT + 3, k), column(Y, ROT + 6, k)
    return (a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2])


@inner
def move_out(f: Evaluated, s: Sweeps, xi: Array, xi_dot: Array) -> None:
    """Places, velocities and accelerations; where the joints are is in the memory of the accelerations."""
    Y, K, ground = s.Y, f.K, s.Y.shape[1] - 1
    for i in range(K.shape[0]):
        p, k = K[i, PARENT], K[i, AT_V]
        carrier = K[p, AT_V] if p < K.shape[0] else ground
        if K[i, KIND] == HINGE:
            R, x = _turn_of(Y, carrier), column(Y, PLACE, carrier)
            x = plus(x, mul(R, vector(f.C, i, ORIGIN)))
            R = turn_by_hinge(f.C, f.K, i, R, f.W[i, COS], f.W[i, SIN])
            e = (R[2], R[5], R[8])
            S, v_P, a_P = (e, cross(x, e)), pair(Y, V, carrier), pair(Y, A, carrier)
            v, change = _along(v_P, xi[k], S), motion_cross(v_P, S)
            a = _along(_along(a_P, xi_dot[k], S), xi[k], change)
            _put_pair(Y, UNIT, k, S)
            _put_link(Y, k, R, x, v_P, a_P, v, a)
        else:
            _move_joint_out(f, s, i, carrier, xi, xi_dot)
        if f.L.shape[0]:
            R, x = _turn_of(Y, k), column(Y, PLACE, k)
            force = mul(R, vector(f.L, i, 3))
            _put_pair(Y, LOAD, k, (plus(mul(R, vector(f.L, i, 0)), cross(x, force)), force))
        _eliminated(f, s, i)


@inner
def _move_joint_out(f: Evaluated, s: Sweeps, i: int, carrier: int, xi: Array, xi_dot: Array) -> None:
    """A link that is no hinge."""
    Y, first, last = s.Y, f.K[i, AT_V], f.K[i, AT_V] + f.K[i, COUNT]
    R, x = _turn_of(Y, carrier), column(Y, PLACE, carrier)
    x = plus(x, mul(R, vector(f.W, i, ARM)))
    R = matmul(R, matrix(f.W, i, R_PL))
    v_P, a_P = pair(Y, V, carrier), pair(Y, A, carrier)
    v, a = v_P, a_P
    for k in range(first, last):
        e = mul(R, vector(s.S, k, 0))
        S = e, plus(mul(R, vector(s.S, k, 3)), cross(x, e))
        _put_pair(Y, UNIT, k, S)
        v, a = _along(v, xi[k], S), _along(a, xi_dot[k], S)
    a = _along(a, 1.0, motion_cross(v_P, v))  # Σ ξ Ṡ
    for k in range(first, last):
        _put_link(Y, k, R, x, v_P, a_P, v, a)


@woven
def _along(a: Pair, s: float, b: Pair) -> Pair:
    """a + s b."""
    return plus(a[0], times(s, b[0])), plus(a[1], times(s, b[1]))


@woven
def _put_link(Y: Array, k: int, R: Matrix, x: Vector, v_P: Pair, a_P: Pair, v: Pair, a: Pair) -> None:
    _put(Y, ROT, k, (R[0], R[1], R[2]))
    _put(Y, ROT + 3, k, (R[3], R[4], R[5]))
    _put(Y, ROT + 6, k, (R[6], R[7], R[8]))
    _put(Y, PLACE, k, x)
    _put_pair(Y, V_P, k, v_P)
    _put_pair(Y, A_P, k, a_P)
    _put_pair(Y, V, k, v)
    _put_pair(Y, A, k, a)


@woven
def _eliminated(f: Evaluated, s: Sweeps, i: int) -> None:
    """D⁻¹ of the joint, and D⁻¹ Uᵀ in link axes, from articulated inertias: what the joint takes from accelerations."""
    W, Y, D, k = f.W, s.Y, s.D, f.K[i, AT_V]
    if f.K[i, KIND] <= AXIS:
        x = W[i, INVERSE]
        D[k, 0] = x
        z = 1.0 if f.K[i, KIND] == HINGE else x * W[i, UW + 2]
        _put(Y, ELIMINATED, k, (x * W[i, UW], x * W[i, UW + 1], z))
        _put(Y, ELIMINATED + 3, k, times(x, vector(W, i, UV)))
    else:
        _eliminated_ball(f, s, i)


@inner
def _eliminated_ball(f: Evaluated, s: Sweeps, i: int) -> None:
    """Of a ball D = J, Uᵀ = (J, H); of a free link both are the articulated inertia."""
    W, first = f.W, f.K[i, AT_V]
    J = six(W, i, JI)
    I = (J[0], J[1], J[2], J[1], J[3], J[4], J[2], J[4], J[5])
    G = matmul(I, matrix(W, i, COUPLING))  # J⁻¹ H
    for r in range(3):
        k = first + r
        for c in range(6):
            s.Y[ELIMINATED + c, k] = 1.0 if c == r else 0.0
        if f.K[i, KIND] == BALL:
            for c in range(3):
                s.D[k, c] = I[3 * r + c]
                s.Y[ELIMINATED + 3 + c, k] = G[3 * r + c]
    if f.K[i, KIND] == BALL:
        return
    M = six(W, i, MI)
    GM = matmul(G, (M[0], M[1], M[2], M[1], M[3], M[4], M[2], M[4], M[5]))
    GMG = matmul(GM, (G[0], G[3], G[6], G[1], G[4], G[7], G[2], G[5], G[8]))
    N = (M[0], M[1], M[2], M[1], M[3], M[4], M[2], M[4], M[5])
    for r in range(3):
        for c in range(6):
            s.Y[ELIMINATED + c, first + 3 + r] = 1.0 if c == r + 3 else 0.0
        for c in range(3):
            s.D[first + r, c] = I[3 * r + c] + GMG[3 * r + c]
            s.D[first + r, 3 + c] = -GM[3 * r + c]
            s.D[first + 3 + r, c] = -GM[3 * c + r]
            s.D[first + 3 + r, 3 + c] = N[3 * r + c]


@woven
def _fours(Y: Array, row: Place, k: int) -> Vector:
    return load_four(Y, row, k), load_four(Y, row + 1, k), load_four(Y, row + 2, k)


@woven
def _pair_fours(Y: Array, row: Place, k: int) -> Pair:
    return _fours(Y, row, k), _fours(Y, row + 3, k)


@woven
def _six_fours(Y: Array, row: Place, k: int) -> Six:
    a, b = _fours(Y, row, k), _fours(Y, row + 3, k)
    return (a[0], a[1], a[2], b[0], b[1], b[2])


@woven
def _matrix_fours(Y: Array, row: Place, k: int) -> Matrix:
    a, b, c = _fours(Y, row, k), _fours(Y, row + 3, k), _fours(Y, row + 6, k)
    return (a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2])


@woven
def _put_fours(Y: Array, row: Place, k: int, x: Vector) -> None:
    store_four(Y, row, k, x[0])
    store_four(Y, row + 1, k, x[1])
    store_four(Y, row + 2, k, x[2])


@woven
def _put_pair_fours(Y: Array, row: Place, k: int, x: Pair) -> None:
    _put_fours(Y, row, k, x[0])
    _put_fours(Y, row + 3, k, x[1])


@inner
def describe(s: Sweeps) -> None:
    """Derivatives of S; inertia, force and 2B of each link alone."""
    Y = s.Y
    for k in range(0, s.bodies.shape[1], 4):
        S, v_P, a_P, v, a = (
            _pair_fours(Y, UNIT, k), _pair_fours(Y, V_P, k), _pair_fours(Y, A_P, k), _pair_fours(Y, V, k),
            _pair_fours(Y, A, k),
        )  # fmt: skip
        R, x, e = _matrix_fours(Y, ROT, k), _fours(Y, PLACE, k), _pair_fours(Y, ELIMINATED, k)  # all is read by here
        force = mul(R, e[1])
        _put_pair_fours(Y, ELIMINATED, k, (plus(mul(R, e[0]), cross(x, force)), force))
        first, rate = motion_cross(v_P, S), motion_cross(v, S)
        other, again = motion_cross(a_P, S), motion_cross(v_P, first)
        _put_pair_fours(Y, RATE, k, (plus(first[0], rate[0]), plus(first[1], rate[1])))
        _put_pair_fours(Y, SECOND, k, (plus(other[0], again[0]), plus(other[1], again[1])))
        _put_fours(Y, FIRST, k, first[0])
        m, h = load_four(s.bodies, BODY_M, k), mul(R, _fours(s.bodies, BODY_H, k))
        J = _about_origin(sym_turned(R, _six_fours(s.bodies, BODY_J, k)), h, m, x)
        _alone(Y, k, J, plus(h, times(m, x)), m, v, a)


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
def _alone(Y: Array, k: int, J: Six, h: Vector, m: float, v: Pair, a: Pair) -> None:
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
    store_four(Y, TOTAL_M, k, m)
    _put_fours(Y, TOTAL_H, k, h)
    _put_pair_fours(Y, TOTAL_J, k, ((J[0], J[1], J[2]), (J[3], J[4], J[5])))
    _put_pair_fours(Y, WRENCH, k, (plus(inertial[0], force[0]), plus(inertial[1], force[1])))
    _put_fours(Y, P, k, moment[1])
    _put_fours(Y, B11, k, (
        2.0 * (X[0] - u[0] * h[0] + hu), X[1] + X[3] + Jw[2] - u[0] * g[1], X[2] + X[6] - Jw[1] - u[0] * g[2],
    ))  # fmt: skip
    _put_fours(Y, B11 + 3, k, (
        X[3] + X[1] - Jw[2] - u[1] * g[0], 2.0 * (X[4] - u[1] * h[1] + hu), X[5] + X[7] + Jw[0] - u[1] * g[2],
    ))  # fmt: skip
    _put_fours(Y, B11 + 6, k, (
        X[6] + X[2] + Jw[1] - u[2] * g[0], X[7] + X[5] - Jw[0] - u[2] * g[1], 2.0 * (X[8] - u[2] * h[2] + hu),
    ))  # fmt: skip


@inner
def gather(K: Int, loaded: bool, Y: Array) -> None:
    """Sums of inertia, force and 2B over all behind each link; loaded: whether wrenches act on links."""
    for i in range(K.shape[0] if loaded else 0):
        k = K[i, AT_V]
        f, load = pair(Y, WRENCH, k), pair(Y, LOAD, k)
        _put_pair(Y, WRENCH, k, (minus(f[0], load[0]), minus(f[1], load[1])))
    for i in range(K.shape[0] - 1, -1, -1):
        p, first = K[i, PARENT], K[i, AT_V]
        for k in range(first + 1, first + K[i, COUNT]):
            for row in range(TOTAL_M, ROWS):
                Y[row, k] = Y[row, first]
        if p < K.shape[0]:
            k = K[p, AT_V]
            for row in range(TOTAL_M, ROWS):
                Y[row, k] += Y[row, first]


@inner
def combine(s: Sweeps) -> None:
    """I S and b, with which rows of the derivatives are dot products, and the wrenches of columns.

    ∂τ_k/∂q_j = S_k·(2B ψ̇_j + I ψ̈_j + S_j ×* f),   ∂τ_k/∂ξ_j = S_k·(2B S_j + I (ψ̇_j + Ṡ_j)),   j behind k
    """
    Y = s.Y
    for k in range(0, s.bodies.shape[1], 4):
        m, h, J = load_four(Y, TOTAL_M, k), _fours(Y, TOTAL_H, k), _six_fours(Y, TOTAL_J, k)
        B2, P2, S = _matrix_fours(Y, B11, k), times(2.0, _fours(Y, P, k)), _pair_fours(Y, UNIT, k)
        g, f = _fours(Y, FIRST, k), _force_cross(S, _pair_fours(Y, WRENCH, k))
        x, y = _momentum(J, h, m, _pair_fours(Y, SECOND, k)), _momentum(J, h, m, _pair_fours(Y, RATE, k))
        _put_pair_fours(Y, MOMENTUM, k, _momentum(J, h, m, S))  # all is read by here
        _put_fours(Y, B, k, plus(mul_t(B2, S[0]), cross(P2, S[1])))
        x = plus(plus(x[0], mul(B2, g)), f[0]), plus(minus(x[1], cross(P2, g)), f[1])
        _put_pair_fours(Y, BY_Q, k, x)
        _put_pair_fours(Y, BY_XI, k, (plus(y[0], mul(B2, S[0])), minus(y[1], cross(P2, S[0]))))
