"""The part of a step's matrix that couples velocities: how the impulses of functions and elements turn with the bodies.

Blocks (T, R) x (u, ω) of a body with itself are added to the body's own; those between the two bodies of a pair go to a
row of Z: parent by child, then child by parent, each as four matrices (3, 3).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from visviva._arrays import Array
from visviva.kernels.functions import inner, woven
from visviva.kernels.multibody.functions import back, end_slope, turned

from visviva.kernels.multibody.algebra import (  # isort: skip
    NOTHING, ONE, ZERO, Matrix, Place, Vector, add_matrix_to, add_outer, cross, halfway, hat_hat, hat_mul, lowered,
    matmul, mattimes, minus, moment, mul_hat, plus, times, vector,
)  # fmt: skip
from visviva.kernels.multibody.tables import (  # isort: skip
    ALONG, AM, AN, BEND, BM, BN, CHILD, COS, COS1, DM, DOT, F1, KIND, KVV, KWW, MA, MA1, MB, MB1, MEET, PARENT, PLACE,
    RATIO, ROD, SECANT, SHRINK, SIN, SIN1, UM, UN, WM, WN, XN, YN, ZN, A, Elements, F, Int, Machine,
)  # fmt: skip

VV, VW, WV, WW, ACROSS = (np.int64(k) for k in (0, 9, 18, 27, 36))
ON_PARENT, ON_CHILD = np.int64(0), np.int64(1)  # sides of a pair, typed for the reason that columns are
FIRST = np.int64(0)  # of the three functions of a MEET
VECTOR, POINT = np.int64(0), np.int64(1)  # what a force acts on


class Across(NamedTuple):
    """Stiffness between coordinates of several joints, or of one, that act together; see `Elements.stacks`."""

    members: Int  # (k, 3) turn or -1, function or -1, first member of its stack
    q: Array  # (k, 24) see `columns_of` and `turn_columns`
    blocks: Int  # (n, 8) slope, member of row and column, side of both, body or -1; row of Z, and whether it is flipped


@inner
def add_block(B: Array, Z: Array, pair: int, P: int, C: int, row: Place, col: Place, at: Place, K: Matrix) -> None:
    """Add a matrix to the block (row side, column side); sides: 0 parent, 1 child. Nothing moves the ground."""
    b = P if row == 0 else C
    if b == B.shape[0] - 1 or (P if col == 0 else C) == B.shape[0] - 1:
        return
    if row == col:
        add_matrix_to(B, b, KVV + at, K)
    else:
        add_matrix_to(Z, pair, ACROSS * row + at, K)


@inner
def _own(B: Array, b: int, arm: Vector, f: Vector, s: float) -> None:
    """s p̂(0) f̂: the moment of a constant force, as its arm turns."""
    if b < B.shape[0] - 1:
        add_matrix_to(B, b, KWW, mattimes(s, hat_hat(arm, f)))


@inner
def _couple(
    B: Array, Z: Array, pair: int, P: int, C: int, row: Place, row_arm: Vector, row_point: Place,
    col: Place, col_arm: Vector, col_point: Place, s: float,
) -> None:  # fmt: skip
    """How the force on one object changes with another: δf = α δy, with s = ½ h Λ α.

    row_arm: at the start of the step, col_arm: in the middle.   point: 1 for points, 0 for vectors.
    """
    b = P if col == 0 else C
    Y = mattimes(-s, mul_hat(halfway(vector(B, b, A), B[b, SHRINK]), col_arm))
    N = hat_mul(row_arm, lowered(vector(B, P if row == 0 else C, A)))
    add_block(B, Z, pair, P, C, row, col, WW, matmul(N, Y))
    if row_point:
        add_block(B, Z, pair, P, C, row, col, VW, Y)
    if col_point:
        add_block(B, Z, pair, P, C, row, col, WV, mattimes(s, N))
    if row_point and col_point:
        add_block(B, Z, pair, P, C, row, col, VV, mattimes(s, ONE))


@inner
def _coupled_vectors(B: Array, b: int, arm: Vector, c: int, other: Vector, s: float) -> Matrix:
    """The same for vectors on two bodies b and c."""
    Y = mattimes(-s, mul_hat(halfway(vector(B, c, A), B[c, SHRINK]), other))
    return matmul(hat_mul(arm, lowered(vector(B, b, A))), Y)


@woven
def curve_meet(B: Array, X: Array, K: Int, i: int, L: Vector, h: float) -> None:
    """That of the impulse L of a MEET."""
    _own(B, K[i, CHILD], vector(X, i, BN), L, 0.5 * h)
    _own(B, K[i, PARENT], vector(X, i, AN), L, -0.5 * h)


@inner
def curve(B: Array, X: Array, K: Int, Z: Array, pair: int, i: int, impulse: float, h: float) -> None:
    """That of the impulse of any other function."""
    kind, P, C = K[i, KIND], K[i, PARENT], K[i, CHILD]
    s = 0.5 * h * impulse
    if kind == DOT:
        un, wn, u, w = vector(X, i, UN), vector(X, i, WN), vector(X, i, UM), vector(X, i, WM)
        _own(B, P, un, w, s)
        _own(B, C, wn, u, s)
        _couple(B, Z, pair, P, C, ON_PARENT, un, VECTOR, ON_CHILD, w, VECTOR, s)
        _couple(B, Z, pair, P, C, ON_CHILD, wn, VECTOR, ON_PARENT, u, VECTOR, s)
        return
    an, bn, a, b = vector(X, i, AN), vector(X, i, BN), vector(X, i, AM), vector(X, i, BM)
    f, d = vector(X, i, F), vector(X, i, DM)
    _own(B, C, bn, f, s)
    _own(B, P, an, f, -s)
    if kind == ROD:
        _couple(B, Z, pair, P, C, ON_PARENT, an, POINT, ON_PARENT, a, POINT, s)
        _couple(B, Z, pair, P, C, ON_CHILD, bn, POINT, ON_CHILD, b, POINT, s)
        _couple(B, Z, pair, P, C, ON_PARENT, an, POINT, ON_CHILD, b, POINT, -s)
        _couple(B, Z, pair, P, C, ON_CHILD, bn, POINT, ON_PARENT, a, POINT, -s)
        return
    side = ON_PARENT if kind == ALONG else ON_CHILD
    vn, v = (vector(X, i, UN), vector(X, i, UM)) if kind == ALONG else (vector(X, i, WN), vector(X, i, WM))
    _own(B, P if side == 0 else C, vn, d, s)
    _couple(B, Z, pair, P, C, side, vn, VECTOR, ON_PARENT, a, POINT, -s)
    _couple(B, Z, pair, P, C, side, vn, VECTOR, ON_CHILD, b, POINT, s)
    _couple(B, Z, pair, P, C, ON_PARENT, an, POINT, side, v, VECTOR, -s)
    _couple(B, Z, pair, P, C, ON_CHILD, bn, POINT, side, v, VECTOR, s)


@inner
def columns_of(B: Array, X: Array, K: Int, i: int, part: Place, q: Array) -> None:
    """q[0:6], q[6:12]: impulse of the function on parent and child, q[12:18], q[18:24]: derivative of g(q1)/h by their
    velocities. part: which of the three functions of a MEET.
    """
    P, C = K[i, PARENT], K[i, CHILD]
    aA, aB = vector(B, P, A), vector(B, C, A)
    if K[i, KIND] == MEET:
        e = (1.0 if part == 0 else 0.0, 1.0 if part == 1 else 0.0, 1.0 if part == 2 else 0.0)
        f = f1 = e
        mA, mB = cross(vector(X, i, AM), times(-1.0, e)), cross(vector(X, i, BM), e)
        mA1 = cross(vector(X, i, AM), times(-1.0, back(B, P, e)))
        mB1 = cross(vector(X, i, BM), back(B, C, e))
    else:
        end_slope(B, X, K, i)
        mA, mA1, mB1 = vector(X, i, MA), vector(X, i, MA1), vector(X, i, MB1)
        mB = times(-1.0, mA) if K[i, KIND] == DOT else vector(X, i, MB)
        f, f1 = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if K[i, KIND] != DOT:
            f, f1 = vector(X, i, F), vector(X, i, F1)
    mA, mB = moment(aA, mA), moment(aB, mB)
    for k in range(3):
        q[k], q[3 + k], q[6 + k], q[9 + k] = -f[k], mA[k], f[k], mB[k]
        q[12 + k], q[15 + k], q[18 + k], q[21 + k] = -f1[k], mA1[k], f1[k], mB1[k]


@inner
def rank_one(B: Array, Z: Array, pair: int, P: int, C: int, q: Array, t: Array) -> None:
    """Add the product of an impulse q[0:12] and a linear form t (12,) over the velocities of both bodies."""
    for row in range(2):
        for col in range(2):
            for m in range(2):
                for n in range(2):
                    i, j = 6 * row + 3 * m, 6 * col + 3 * n
                    K = add_outer(NOTHING, (q[i], q[i + 1], q[i + 2]), (t[j], t[j + 1], t[j + 2]))
                    add_block(B, Z, pair, P, C, row, col, 18 * m + 9 * n, K)


@woven
def _turned_end(B: Array, b: int, own: Vector, other: Vector, other_n: Vector) -> Vector:
    """p̄ × Cᵀf1 of a vector p on body b with the force f at the end: both in the middle, f at the start as well."""
    return cross(own, back(B, b, minus(times(2.0, other), other_n)))


@inner
def turn_columns(B: Array, T: Array, TK: Int, t: int, q: Array) -> None:
    """The same as `columns_of` for an angle: parent is the body of its axes x and y, child that of z."""
    P, C, axis = TK[t, 0], TK[t, 1], vector(T, t, SECANT)
    xn, yn, zn = vector(T, t, XN), vector(T, t, YN), vector(T, t, ZN)
    x, y, z = turned(B, P, xn), turned(B, P, yn), turned(B, C, zn)
    c1, s1 = T[t, COS1], T[t, SIN1]
    end, end_n = minus(times(c1, y), times(s1, x)), minus(times(c1, yn), times(s1, xn))
    unit = 1.0 / (c1 * c1 + s1 * s1)
    mA, mB = times(-1.0, moment(vector(B, P, A), axis)), moment(vector(B, C, A), axis)
    mA1, mB1 = times(unit, _turned_end(B, P, end, z, zn)), times(unit, _turned_end(B, C, z, end, end_n))
    for k in range(24):
        q[k] = 0.0
    for k in range(3):
        q[3 + k], q[9 + k], q[15 + k], q[21 + k] = mA[k], mB[k], mA1[k], mB1[k]


@woven
def _curve_turn(
    B: Array, T: Array, TK: Int, Z: Array, pair: int, flipped: int, t: int, impulse: float, stiffness: float, h: float
) -> None:
    """That of an impulse Λ along an angle, with stiffness = ∂Λ/∂θ1.

    It is the impulse Λ along the product w·z, w = (Δθ/X) (c̄ y - s̄ x), which changes with θ1, on c1² + s1² = 1:

        ∂w/∂θ1 = (Δθ/X)' (c̄ y - s̄ x) - ½ (Δθ/X) (c1 x + s1 y)
        ∂θ1/∂ω_xy = h (c1 ȳ - s1 x̄) × Cᵀz1,   ∂θ1/∂ω_z = h z̄ × Cᵀ(c1 y1 - s1 x1)

    flipped: whether x and y are on the child of the pair.
    """
    P, C, ground = TK[t, 0], TK[t, 1], B.shape[0] - 1
    xn, yn, zn = vector(T, t, XN), vector(T, t, YN), vector(T, t, ZN)
    x, y, z = turned(B, P, xn), turned(B, P, yn), turned(B, C, zn)
    c1, s1, ratio = T[t, COS1], T[t, SIN1], T[t, RATIO]
    c, s = 0.5 * (T[t, COS] + c1), 0.5 * (T[t, SIN] + s1)
    way = minus(times(c, y), times(s, x))
    w, wn = times(ratio, way), times(ratio, minus(times(c, yn), times(s, xn)))
    end, end_n = minus(times(c1, y), times(s1, x)), minus(times(c1, yn), times(s1, xn))
    D, k, half = stiffness * ratio + impulse * T[t, BEND], 0.5 * impulse * ratio, 0.5 * h * impulse
    m = cross(minus(times(D, way), plus(times(k * c1, x), times(k * s1, y))), z)
    unit = h / (c1 * c1 + s1 * s1)
    nP, nC, by_P, by_C = ZERO, ZERO, ZERO, ZERO
    if ground > P:
        by_P = times(unit, _turned_end(B, P, end, z, zn))
        nP = moment(vector(B, P, A), m)
        add_matrix_to(B, P, KWW, add_outer(mattimes(half, hat_hat(wn, z)), nP, by_P))
    if ground > C:
        by_C = times(unit, _turned_end(B, C, z, end, end_n))
        nC = times(-1.0, moment(vector(B, C, A), m))
        add_matrix_to(B, C, KWW, add_outer(mattimes(half, hat_hat(zn, w)), nC, by_C))
    if ground > C and ground > P:
        on_P, on_C = _coupled_vectors(B, P, wn, C, z, half), _coupled_vectors(B, C, zn, P, w, half)
        add_matrix_to(Z, pair, ACROSS * flipped + WW, add_outer(on_P, nP, by_C))
        add_matrix_to(Z, pair, ACROSS * (1 - flipped) + WW, add_outer(on_C, nC, by_P))


@inner
def _curve_across(B: Array, X: Array, K: Int, T: Array, TK: Int, slope: Array, a: Across, Z: Array, h: float) -> None:
    """Stiffness of coordinates by each other: efforts along one that change with another."""
    for k in range(a.members.shape[0]):
        if a.members[k, 0] >= 0:
            turn_columns(B, T, TK, a.members[k, 0], a.q[k])
        else:
            columns_of(B, X, K, a.members[k, 1], FIRST, a.q[k])
    for n in range(a.blocks.shape[0]):
        row, col, body, pair = a.blocks[n, 1], a.blocks[n, 2], a.blocks[n, 5], a.blocks[n, 6]
        first, second = 6 * a.blocks[n, 3], 12 + 6 * a.blocks[n, 4]
        for i in range(6):
            force = h * h * slope[a.blocks[n, 0]] * a.q[row, first + i]
            for j in range(6):
                value, at = force * a.q[col, second + j], WV * (i // 3) + VW * (j // 3) + 3 * (i % 3) + j % 3
                if body >= 0:
                    B[body, KVV + at] += value
                else:
                    Z[pair, ACROSS * a.blocks[n, 7] + at] += value


@woven
def curve_elements(
    M: Machine, e: Elements, Z: Array, pairs: Int, twist_pairs: Int, q: Array, across: Across, h: float
) -> None:
    """All elements: their efforts on turning bodies, and their stiffness.

    pairs: (functions,) rows of Z.   twist_pairs: (twists, 2) the same, and whether its bodies are told the other way.
    q:     scratch, (at least functions of one element, 36).
    """
    B, X, K = M.B, M.X, M.K
    for i in range(M.sizes[1], X.shape[0]):
        curve(B, X, K, Z, pairs[i], i, h * e.effort[K[i, PLACE]], h)
    for i in range(e.element.shape[0]):
        n, s, first = e.element[i, 1], e.element[i, 2], e.element[i, 5]
        P, C = K[first, PARENT], K[first, CHILD]
        for k in range(n):
            columns_of(B, X, K, first + k, FIRST, q[k])
        for k in range(n):
            for j in range(12):
                t = 0.0
                for l in range(n):
                    t += e.slope[s + k * n + l] * q[l, 12 + j]
                q[k, 24 + j] = h * h * t
            rank_one(B, Z, pairs[first], P, C, q[k], q[k, 24:])
    for k in range(e.twists.shape[0]):
        impulse, stiffness = h * e.effort[e.twists[k, 1]], h * e.slope[e.twists[k, 2]]
        if impulse == 0.0 and stiffness == 0.0:
            continue
        _curve_turn(B, M.T, M.TK, Z, twist_pairs[k, 0], twist_pairs[k, 1], e.twists[k, 0], impulse, stiffness, h)
    if across.members.shape[0] > 0:
        _curve_across(B, X, K, M.T, M.TK, e.slope, across, Z, h)
