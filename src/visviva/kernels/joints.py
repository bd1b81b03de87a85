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
from visviva.kernels.functions import addressable, inner
from visviva.kernels.multibody.turns import Turned, turned_by
from visviva.kernels.program import Int
from visviva.kernels.signatures import FLOW

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
def _rate_row(T: Int, P: Array, s: Array, end: Array) -> Turned:
    """The row a with a V = Δy/h over the step, of the one function y = g_0 or of the angle y = atan2(g_1, g_0).

    That of a function is its gradient at the mean, that of an angle D̄θ of `visviva.geometry.turning`. The scratch area
    holds the mean, G there, D, the row, room for their derivatives, and G at the end. Returns the weights of G in D.
    """
    nc, m, x = T[N], T[M], T[SCRATCH]
    G = x + nc
    D = G + m * nc
    f, E = D + nc, D + 4 * nc
    way = Turned(0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if m == 2:
        _gather(T, P, end, AT_X, D)
        _gradients(T, P, D, E)
        c1, s1 = _value(T, P, D, E, 0)[0], _value(T, P, D, E, 1)[0]
        _gather(T, P, s, AT_S, x)
        for i in range(nc):
            P[D + i] = 2.0 * P[x + i] - P[D + i]
        _gradients(T, P, D, G)
        way = turned_by(_value(T, P, D, G, 0)[0], _value(T, P, D, G, 1)[0], c1, s1)
    _gather(T, P, s, AT_S, x)
    _gradients(T, P, x, G)
    for i in range(nc):
        P[D + i] = way.by_c * P[G + i] + (way.by_s * P[G + nc + i] if m == 2 else 0.0)
    _pull(T, P, s, x, D, f)
    return way


@inner
def _row_slopes(
    T: Int, P: Array, s: Array, z: Array, dX: Array, cx: Array, way: Turned, force: float, d: float, first: int,
    V: Array,
) -> None:  # fmt: skip
    """Derivatives by all poses of -a F, with F the force along y: from a itself, and from F = -d (a V).

    first: of the places of blocks, those of the velocities of each body by all poses.
    """
    nc, m, x, bodies = T[N], T[M], T[SCRATCH], T[BODIES]
    G = x + nc
    D = G + m * nc
    f, dD, df, E = D + nc, D + 2 * nc, D + 3 * nc, D + 4 * nc
    for moved in range(bodies):
        o = HEAD + moved * BODY
        pose, begin = T[o + POSE] == 1, T[o + FIRST]
        columns, width = (6, 12) if pose else (3, 3)
        for c in range(columns):
            dc = ds = 0.0
            for j in range(width if m == 2 else 0):
                step = dX[T[o + AT_P] + j * 6 + c] if pose else (cx[1] if j == c else 0.0)
                dc += P[E + begin + j] * step
                ds += P[E + nc + begin + j] * step
            by_c, by_s = way.cc * dc + way.cs * ds, way.sc * dc + way.ss * ds
            for i in range(nc):
                P[dD + i] = by_c * P[G + i] + (by_s * P[G + nc + i] if m == 2 else 0.0)
            for e in range(T[N_A]):
                row, i, j = T[T[LISTS] + 3 * e], T[T[LISTS] + 3 * e + 1], T[T[LISTS] + 3 * e + 2] - begin
                if 0 <= j < width:
                    step = 0.5 * dX[T[o + AT_P] + j * 6 + c] if pose else (cx[0] if j == c else 0.0)
                    P[dD + i] += (way.by_c if row == 0 else way.by_s) * P[T[VALUES] + e] * step
            _pull(T, P, s, x, dD, df)
            at = df
            for b in range(bodies):
                if b == moved and pose:
                    _turned(T, P, s, dX, x, D, at, b, c)
                at += 6 if T[HEAD + b * BODY + POSE] == 1 else 3
            rate, at = 0.0, df
            for b in range(bodies):
                o_b = HEAD + b * BODY
                for i in range(6 if T[o_b + POSE] == 1 else 3):
                    rate += P[at] * z[T[o_b + AT_V] + i]
                    at += 1
            k = 0
            for b in range(bodies):
                for i in range(6 if T[HEAD + b * BODY + POSE] == 1 else 3):
                    V[T[first + b * bodies + moved] + i * columns + c] += d * rate * P[f + k] - force * P[df + k]
                    k += 1


@inner
def _rate(T: Int, P: Array, a: int, z: Array) -> float:
    """a V."""
    rate = 0.0
    for b in range(T[BODIES]):
        o = HEAD + b * BODY
        for i in range(6 if T[o + POSE] == 1 else 3):
            rate += P[a] * z[T[o + AT_V] + i]
            a += 1
    return rate


def friction(
    n: int, T: Int, P: Array, s: Array, end: Array, z: Array, u: Array, dE: Array, dX: Array, cx: Array, amp: Array,
    t: float, k: float, stage: int, mode: int, r: Array, rs: Array, V: Array, out: Array,
) -> None:  # fmt: skip
    """Torque or force -d Δy/h along a coordinate."""
    way, a, d, bodies = _rate_row(T, P, s, end), T[SCRATCH] + (T[M] + 2) * T[N], P[T[CONSTANT]], T[BODIES]
    rate = _rate(T, P, a, z)
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
    if mode == 1:
        _row_slopes(T, P, s, z, dX, cx, way, -d * rate, d, T[BLOCKS] + bodies * bodies, V)


def torque(
    n: int, T: Int, P: Array, s: Array, end: Array, z: Array, u: Array, dE: Array, dX: Array, cx: Array, amp: Array,
    t: float, k: float, stage: int, mode: int, r: Array, rs: Array, V: Array, out: Array,
) -> None:  # fmt: skip
    """A torque or force along a coordinate."""
    way, a, force = _rate_row(T, P, s, end), T[SCRATCH] + (T[M] + 2) * T[N], u[T[INPUT]]
    if mode == 2:
        out[T[OUT]] = force * _rate(T, P, a, z)
        return
    for b in range(T[BODIES]):
        o = HEAD + b * BODY
        for i in range(6 if T[o + POSE] == 1 else 3):
            r[T[o + AT_V] + i] -= force * P[a]
            if mode == 1:
                rs[T[o + AT_V] + i] += abs(force * P[a])
            a += 1
    if mode == 1:
        _row_slopes(T, P, s, z, dX, cx, way, force, 0.0, T[BLOCKS], V)


JOINTS: dict[str, Any] = {"holonomic": holonomic, "friction": friction, "torque": torque}


@cache
def joint_address(kind: str) -> int:
    """Address of one of `JOINTS`: compiled for models that have it, and once."""
    return addressable(FLOW, JOINTS[kind])
