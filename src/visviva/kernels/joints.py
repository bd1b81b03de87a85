"""Holonomic constraints, friction and torques of joints in a midpoint step, for any quadratic functions of poses.

    g(q) = ½ q·A q + b·q + c,   G = A q + b,   forces on coordinates D pull back to (Qᵀ Σ d_i x D_i, D_r) on velocities

They have the signature of a law and are called for one joint at a time, because joints differ in size. Whole numbers of
a joint, in this order: see `HEAD`, then per body `BODY`, then places of blocks in the matrix, then the places (r, i, j)
of A and (r, i) of b that are not zero. P holds their values, then c, then a scratch area.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from visviva._arrays import Array
from visviva.kernels.cache import addressable, inner
from visviva.kernels.calls import FLOW
from visviva.kernels.multibody.turns import turned_by
from visviva.kernels.program import Int

# numbers of a joint: functions, bodies, scratch, place of its power, of its inputs, of its multipliers, of the lists,
# entries of A, of b, place of their values, of a constant, number of coordinates, and where the blocks begin
M, BODIES, SCRATCH, OUT, INPUT, LAMBDA, LISTS, N_A, N_B, VALUES, CONSTANT, N, BLOCKS = range(13)
HEAD = 13
# numbers of a body: whether it is a pose, places in s, x, of its velocity in z and in dE, in dX, first coordinate
POSE, AT_S, AT_X, AT_V, AT_DE, AT_P, FIRST = range(7)
BODY = 7


@inner
def _gather(T: Int, P: Array, source: Array, place: int, x: int) -> None:
    """Coordinates of all bodies, from s or from the states at the end, into P[x ...]."""
    for b in range(T[BODIES]):
        o = HEAD + b * BODY
        for i in range(12 if T[o + POSE] == 1 else 3):
            P[x + T[o + FIRST] + i] = source[T[o + place] + i]


@inner
def _gradients(T: Int, P: Array, x: int, G: int) -> None:
    """G(q) of all functions into P[G ...], row by row."""
    n, values, lists = T[N], T[VALUES], T[LISTS]
    for k in range(T[M] * n):
        P[G + k] = 0.0
    for k in range(T[N_A]):
        r, i, j = T[lists + 3 * k], T[lists + 3 * k + 1], T[lists + 3 * k + 2]
        P[G + r * n + i] += P[values + k] * P[x + j]
    lists += 3 * T[N_A]
    values += T[N_A]
    for k in range(T[N_B]):
        P[G + T[lists + 2 * k] * n + T[lists + 2 * k + 1]] += P[values + k]


@inner
def _value(T: Int, P: Array, x: int, G: int, r: int) -> tuple[float, float]:
    """g_r(q) = ½ (G + b)·q + c, and the size of its terms."""
    n, lists, values = T[N], T[LISTS] + 3 * T[N_A], T[VALUES] + T[N_A]
    total = P[values + T[N_B] + r]
    size = abs(total)
    for i in range(n):
        term = 0.5 * P[G + r * n + i] * P[x + i]
        total += term
        size += abs(term)
    for k in range(T[N_B]):
        if T[lists + 2 * k] == r:
            term = 0.5 * P[values + k] * P[x + T[lists + 2 * k + 1]]
            total += term
            size += abs(term)
    return total, size


@inner
def _pull(T: Int, P: Array, s: Array, x: int, D: int, f: int) -> None:
    """Forces on the coordinates P[D ...] as forces on the velocities P[f ...], six or three per body."""
    at = f
    for b in range(T[BODIES]):
        o = HEAD + b * BODY
        d, g = x + T[o + FIRST], D + T[o + FIRST]
        if T[o + POSE] == 0:
            for i in range(3):
                P[at + i] = P[g + i]
            at += 3
            continue
        m0 = m1 = m2 = 0.0
        for i in range(3, 12, 3):
            m0 += P[d + i + 1] * P[g + i + 2] - P[d + i + 2] * P[g + i + 1]
            m1 += P[d + i + 2] * P[g + i] - P[d + i] * P[g + i + 2]
            m2 += P[d + i] * P[g + i + 1] - P[d + i + 1] * P[g + i]
        for j in range(3):
            q = T[o + AT_S] + 12 + 3 * j
            P[at + j] = s[q] * m0 + s[q + 1] * m1 + s[q + 2] * m2
            P[at + 3 + j] = P[g + j]
        at += 6


@inner
def _turned(T: Int, P: Array, s: Array, dX: Array, x: int, D: int, f: int, body: int, c: int) -> None:
    """What the turning of one body with its rate c adds to its own pulled-back moment: from d̄ and from Q."""
    o = HEAD + body * BODY
    d, g, p = x + T[o + FIRST], D + T[o + FIRST], T[o + AT_P] + c
    m0 = m1 = m2 = t0 = t1 = t2 = 0.0
    for i in range(3, 12, 3):
        e0, e1, e2 = 0.5 * dX[p + i * 6], 0.5 * dX[p + (i + 1) * 6], 0.5 * dX[p + (i + 2) * 6]
        t0 += e1 * P[g + i + 2] - e2 * P[g + i + 1]
        t1 += e2 * P[g + i] - e0 * P[g + i + 2]
        t2 += e0 * P[g + i + 1] - e1 * P[g + i]
        m0 += P[d + i + 1] * P[g + i + 2] - P[d + i + 2] * P[g + i + 1]
        m1 += P[d + i + 2] * P[g + i] - P[d + i] * P[g + i + 2]
        m2 += P[d + i] * P[g + i + 1] - P[d + i + 1] * P[g + i]
    for j in range(3):
        q, w = T[o + AT_S] + 12 + 3 * j, p + (12 + 3 * j) * 6
        P[f + j] += s[q] * t0 + s[q + 1] * t1 + s[q + 2] * t2 + dX[w] * m0 + dX[w + 6] * m1 + dX[w + 12] * m2


def holonomic(
    n: int, T: Int, P: Array, s: Array, end: Array, z: Array, u: Array, dE: Array, dX: Array, cx: Array, amp: Array,
    t: float, k: float, stage: int, mode: int, r: Array, rs: Array, V: Array, out: Array,
) -> None:  # fmt: skip
    """Rows g(x1)/h = 0, and the reaction -Nᵀ Gᵀ λ at the mean."""
    nc, m, lam = T[N], T[M], T[LAMBDA]
    x = T[SCRATCH]
    G = x + nc
    D = G + m * nc
    f = D + nc
    dD = f + nc
    _gather(T, P, s, AT_S, x)
    _gradients(T, P, x, G)
    for i in range(nc):
        P[D + i] = 0.0
        for row in range(m):
            P[D + i] -= z[lam + row] * P[G + row * nc + i]
    _pull(T, P, s, x, D, f)
    power, at = 0.0, f
    for b in range(T[BODIES]):
        o = HEAD + b * BODY
        for i in range(6 if T[o + POSE] == 1 else 3):
            power += z[T[o + AT_V] + i] * P[at]
            if mode != 2:
                r[T[o + AT_V] + i] -= P[at]
            if mode == 1:
                rs[T[o + AT_V] + i] += abs(P[at])
            at += 1
    if mode == 2:
        out[T[OUT]] = power
        return
    if mode == 1:
        _reactions(T, P, s, dX, cx, x, G, D, dD, z, V)
    _gather(T, P, end, AT_X, x)
    _gradients(T, P, x, G)
    for row in range(m):
        g, size = _value(T, P, x, G, row)
        r[lam + row] -= k * g
        if mode == 1:
            rs[lam + row] += abs(k) * size
    if mode == 1:
        place = T[BLOCKS] + T[BODIES]
        for b in range(T[BODIES]):
            o = HEAD + b * BODY
            for row in range(m):
                g = G + row * nc + T[o + FIRST]
                if T[o + POSE] == 0:
                    for c in range(3):
                        V[T[place + b] + row * 3 + c] -= k * P[g + c] * cx[1]
                    continue
                for c in range(6):
                    total = 0.0
                    for i in range(12):
                        total += P[g + i] * dX[T[o + AT_P] + i * 6 + c]
                    V[T[place + b] + row * 6 + c] -= k * total


@inner
def _reactions(
    T: Int, P: Array, s: Array, dX: Array, cx: Array, x: int, G: int, D: int, dD: int, z: Array, V: Array
) -> None:
    """Derivatives of the reactions by multipliers and by the poses of all bodies."""
    nc, m, bodies = T[N], T[M], T[BODIES]
    df = dD + nc
    for row in range(m):
        _pull(T, P, s, x, G + row * nc, df)
        at = df
        for b in range(bodies):
            width = 6 if T[HEAD + b * BODY + POSE] == 1 else 3
            for i in range(width):
                V[T[T[BLOCKS] + b] + i * m + row] += P[at]
                at += 1
    place = T[BLOCKS] + 2 * bodies
    for moved in range(bodies):
        o = HEAD + moved * BODY
        pose = T[o + POSE] == 1
        columns = 6 if pose else 3
        first, width = T[o + FIRST], 12 if pose else 3
        for c in range(columns):
            for i in range(nc):
                P[dD + i] = 0.0
            for e in range(T[N_A]):
                row, i, j = T[T[LISTS] + 3 * e], T[T[LISTS] + 3 * e + 1], T[T[LISTS] + 3 * e + 2] - first
                if 0 <= j < width:
                    step = 0.5 * dX[T[o + AT_P] + j * 6 + c] if pose else (cx[0] if j == c else 0.0)
                    P[dD + i] -= z[T[LAMBDA] + row] * P[T[VALUES] + e] * step
            _pull(T, P, s, x, dD, df)
            at = df
            for b in range(bodies):
                rows = 6 if T[HEAD + b * BODY + POSE] == 1 else 3
                if b == moved and pose:
                    _turned(T, P, s, dX, x, D, at, b, c)
                for i in range(rows):
                    V[T[place + b * bodies + moved] + i * columns + c] -= P[at]
                    at += 1


@inner
def _rate_row(T: Int, P: Array, s: Array, end: Array) -> int:
    """a with a V = Δq/h over the step, of the one function g_0 or of the angle atan2(g_1, g_0); its place in P.

    That of a function is its gradient at the mean, that of an angle D̄θ of `visviva.geometry.turning`.
    """
    nc, x = T[N], T[SCRATCH]
    G = x + nc
    D = G + T[M] * nc
    f = D + nc
    _gather(T, P, s, AT_S, x)
    if T[M] == 1:
        _gradients(T, P, x, G)
        _pull(T, P, s, x, G, f)
        return f
    _gather(T, P, end, AT_X, D)
    _gradients(T, P, D, G)
    c1, s1 = _value(T, P, D, G, 0)[0], _value(T, P, D, G, 1)[0]
    for i in range(nc):
        P[D + i] = 2.0 * P[x + i] - P[D + i]
    _gradients(T, P, D, G)
    c0, s0 = _value(T, P, D, G, 0)[0], _value(T, P, D, G, 1)[0]
    _gradients(T, P, x, G)
    moved = turned_by(c0, s0, c1, s1)
    for i in range(nc):
        P[D + i] = moved.by_c * P[G + i] + moved.by_s * P[G + nc + i]
    _pull(T, P, s, x, D, f)
    return f


def friction(
    n: int, T: Int, P: Array, s: Array, end: Array, z: Array, u: Array, dE: Array, dX: Array, cx: Array, amp: Array,
    t: float, k: float, stage: int, mode: int, r: Array, rs: Array, V: Array, out: Array,
) -> None:  # fmt: skip
    """Torque or force -d q_dot along a coordinate; the matrix leaves out how the axis turns."""
    a, d, bodies = _rate_row(T, P, s, end), P[T[CONSTANT]], T[BODIES]
    rate, at = 0.0, a
    for b in range(bodies):
        o = HEAD + b * BODY
        for i in range(6 if T[o + POSE] == 1 else 3):
            rate += P[at] * z[T[o + AT_V] + i]
            at += 1
    if mode == 2:
        out[T[OUT]] = -d * rate * rate
        return
    at = a
    for b in range(bodies):
        o = HEAD + b * BODY
        rows = 6 if T[o + POSE] == 1 else 3
        for i in range(rows):
            r[T[o + AT_V] + i] += d * P[at + i] * rate
        if mode == 1:
            other = a
            for c in range(bodies):
                q = HEAD + c * BODY
                columns = 6 if T[q + POSE] == 1 else 3
                for i in range(rows):
                    for j in range(columns):
                        w = d * P[at + i] * P[other + j]
                        rs[T[o + AT_V] + i] += abs(w) * amp[T[q + AT_V] + j]
                        for v in range(columns):
                            gain = dE[T[q + AT_DE] + j * columns + v]
                            V[T[T[BLOCKS] + b * bodies + c] + i * columns + v] += w * gain
                other += columns
        at += rows


def torque(
    n: int, T: Int, P: Array, s: Array, end: Array, z: Array, u: Array, dE: Array, dX: Array, cx: Array, amp: Array,
    t: float, k: float, stage: int, mode: int, r: Array, rs: Array, V: Array, out: Array,
) -> None:  # fmt: skip
    """A torque or force along a coordinate; the matrix leaves out how the axis turns."""
    at, power = _rate_row(T, P, s, end), 0.0
    for b in range(T[BODIES]):
        o = HEAD + b * BODY
        for i in range(6 if T[o + POSE] == 1 else 3):
            f = P[at] * u[T[INPUT]]
            power += z[T[o + AT_V] + i] * f
            if mode != 2:
                r[T[o + AT_V] + i] -= f
            if mode == 1:
                rs[T[o + AT_V] + i] += abs(f)
            at += 1
    if mode == 2:
        out[T[OUT]] = power


@cache
def joint_address(kind: str) -> int:
    """Address of one of them: compiled for models that have it, and once."""
    functions: dict[str, Any] = {"holonomic": holonomic, "friction": friction, "torque": torque}
    return int(addressable(FLOW, functions[kind]).address)
