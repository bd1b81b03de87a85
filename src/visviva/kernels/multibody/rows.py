"""Rows over any number of bodies, from generated functions: rolling, blades, and what a user gives.

A function returns the rows A over the twists (ω; v) of its bodies between the ends of a step, and the value g at its
end, where there is one; with a direction in which the end moves also their derivatives along it. Rows are

    A V = 0 in the middle of the step,    or    g(q1)/h = 0 where there is a g, with A (q1 - q0) = g(q1) - g(q0),

and impulses Λ enter the balances with Λ v-part, N(a) Λ ω-part of A; N: see `bodies`.
"""

from __future__ import annotations

from visviva._arrays import Array, Mask
from visviva.kernels.calls import call_rows
from visviva.kernels.functions import inner
from visviva.kernels.multibody.bodies import spin
from visviva.kernels.multibody.functions import turned

from visviva.kernels.multibody.algebra import (  # isort: skip
    Vector, add_to, cross, dot, exceeds, minus, moment, plus, size_of, times, to_middle, vector,
)  # fmt: skip
from visviva.kernels.multibody.tables import (  # isort: skip
    ADDRESS, BODIES, FIRST, FORCE, HAS_G, MOVERS, NUMBERS, OWNER, PHI, ROT, ROWS, SHRINK, SIZE_R, SIZE_T, SPIN, TORQUE,
    VEL, A, GeneratedRows, U, W,
)  # fmt: skip

VALUES, RATES = 0, 1  # what a function is asked for
EXACT = 8.0  # weight of rows against balances, as for joints
AT_REST = 1e-3  # of lengths per step: speeds below do not count in the size of a row, where loops lock they round


@inner
def _director(B: Array, b: int, j: int) -> Vector:
    return (B[b, ROT + j], B[b, ROT + 3 + j], B[b, ROT + 6 + j])


@inner
def _put(q: Array, row: int, k: int, x: Vector) -> None:
    q[row, k], q[row, k + 1], q[row, k + 2] = x


@inner
def _place(B: Array, c: GeneratedRows, i: int, h: float) -> None:
    """Coordinates of the bodies of a function at both ends of a step."""
    for j in range(c.table[i, BODIES]):
        b = c.movers[c.table[i, MOVERS] + j]
        start = vector(B, b, PHI)
        _put(c.q, 0, 12 * j, start)
        _put(c.q, 1, 12 * j, plus(start, times(h, vector(B, b, U))))
        for d in range(3):
            x = _director(B, b, d)
            _put(c.q, 0, 12 * j + 3 + 3 * d, x)
            _put(c.q, 1, 12 * j + 3 + 3 * d, minus(times(2.0, turned(B, b, x)), x))


@inner
def _call(c: GeneratedRows, i: int, mode: int) -> None:
    call_rows(
        c.table[i, ADDRESS],
        (
            c.numbers[c.table[i, NUMBERS] :].ctypes.data, c.q[0].ctypes.data, c.q[1].ctypes.data, c.q[2].ctypes.data,
            mode, c.A.ctypes.data, c.dA.ctypes.data,
        ),
    )  # fmt: skip


@inner
def _along(B: Array, c: GeneratedRows, i: int, rows: Array, at: int) -> float:
    """A row times the velocities in the middle of the step."""
    total = 0.0
    for j in range(c.table[i, BODIES]):
        b = c.movers[c.table[i, MOVERS] + j]
        total += dot(vector_of(rows, at + 6 * j), vector(B, b, W)) + dot(
            vector_of(rows, at + 6 * j + 3), vector(B, b, U)
        )
    return total


@inner
def hold(B: Array, c: GeneratedRows, lam: Array, gap: Array, active: Mask, h: float) -> tuple[float, int]:
    """All rows, and their impulses on the bodies; the largest scaled row, and its place."""
    worst, at = 0.0, -1
    for i in range(c.table.shape[0]):
        n, m, first = c.table[i, BODIES], c.table[i, ROWS], c.table[i, FIRST]
        _place(B, c, i, h)
        _call(c, i, VALUES)
        for r in range(m):
            k, row = first + r, 6 * n * r
            gap[k] = _along(B, c, i, c.A, row)
            length, speed = 1e-30, 0.0
            for j in range(n):
                b = c.movers[c.table[i, MOVERS] + j]
                turn, pull = vector_of(c.A, row + 6 * j), vector_of(c.A, row + 6 * j + 3)
                length += size_of(turn) + size_of(pull) * size_of(vector(B, b, PHI))
                speed += size_of(turn) * size_of(vector(B, b, W)) + size_of(pull) * size_of(vector(B, b, U))
                torque = moment(vector(B, b, A), times(lam[k], turn))
                add_to(B, b, FORCE, times(lam[k], pull))
                add_to(B, b, TORQUE, torque)
                B[b, SIZE_T] += abs(lam[k]) * size_of(pull)
                B[b, SIZE_R] += size_of(torque)
            if c.table[i, HAS_G]:
                gap[k] = c.A[6 * n * m + r] / h
                c.size[k] = length + abs(h) * speed
            else:
                c.size[k] = AT_REST * length + abs(h) * speed
            scaled = EXACT * abs(h * gap[k]) / c.size[k] if active[k] else 0.0
            if exceeds(scaled, worst):
                worst, at = scaled, k
    return worst, at


@inner
def vector_of(x: Array, k: int) -> Vector:
    """Three numbers from place k on."""
    return (x[k], x[k + 1], x[k + 2])


@inner
def _move_end(B: Array, c: GeneratedRows, i: int, j: int, k: int, h: float) -> None:
    """How the end of a step moves with one of the six velocities of one body: u by h e_k, ω by h C (e_k × d)."""
    n, b = c.table[i, BODIES], c.movers[c.table[i, MOVERS] + j]
    for l in range(12 * n):
        c.q[2, l] = 0.0
    if k < 3:
        c.q[2, 12 * j + k] = h
        return
    e = (1.0 if k == 3 else 0.0, 1.0 if k == 4 else 0.0, 1.0 if k == 5 else 0.0)
    for d in range(3):
        x = turned(B, b, _director(B, b, d))
        _put(c.q, 2, 12 * j + 3 + 3 * d, times(h, to_middle(vector(B, b, A), B[b, SHRINK], cross(e, x))))


@inner
def slopes_of_rows(B: Array, c: GeneratedRows, lam: Array, active: Mask, V: Array, first: int, h: float) -> None:
    """Their part of the matrix, from a place of its values on.

    Per function: how its impulses change, (6 bodies)², impulses of its rows (6 bodies each), their slopes (6 bodies
    each), and their diagonal. Velocities of a body are (u; ω).
    """
    at = first
    for i in range(c.table.shape[0]):
        n, m = c.table[i, BODIES], c.table[i, ROWS]
        columns, rows = at + 36 * n * n, at + 36 * n * n + 6 * n * m
        _place(B, c, i, h)
        for j in range(n):
            for k in range(6):
                _move_end(B, c, i, j, k, h)
                _call(c, i, RATES)
                _bend(B, c, i, j, k, lam, h)
                for l in range(6 * n):
                    V[at + 6 * n * l + 6 * j + k] = c.push[l]
                for r in range(m):
                    slope = 0.0
                    if c.table[i, HAS_G]:
                        slope = c.dA[6 * n * m + r] / h
                    else:
                        slope = _along(B, c, i, c.dA, 6 * n * r) + c.A[6 * n * r + 6 * j + (k + 3) % 6]
                    V[rows + 6 * n * r + 6 * j + k] = slope if active[c.table[i, FIRST] + r] else 0.0
        for r in range(m):
            on = 1.0 if active[c.table[i, FIRST] + r] else 0.0
            for j in range(n):
                b = c.movers[c.table[i, MOVERS] + j]
                turn = moment(vector(B, b, A), vector_of(c.A, 6 * n * r + 6 * j))
                for l in range(3):
                    V[columns + 6 * n * r + 6 * j + l] = on * c.A[6 * n * r + 6 * j + 3 + l]
                    V[columns + 6 * n * r + 6 * j + 3 + l] = on * turn[l]
            V[rows + 6 * n * m + r] = 1.0 - on
        at = rows + 6 * n * m + m


@inner
def _bend(B: Array, c: GeneratedRows, i: int, j: int, k: int, lam: Array, h: float) -> None:
    """How the impulses on all bodies change with one velocity of one of them."""
    n, m, first = c.table[i, BODIES], c.table[i, ROWS], c.table[i, FIRST]
    for l in range(n):
        b = c.movers[c.table[i, MOVERS] + l]
        pull, turn, now = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for r in range(m):
            s, place = lam[first + r], 6 * n * r + 6 * l
            turn, pull = plus(turn, times(s, vector_of(c.dA, place))), plus(pull, times(s, vector_of(c.dA, place + 3)))
            now = plus(now, times(s, vector_of(c.A, place)))
        a = vector(B, b, A)
        turn = moment(a, turn)
        if l == j and k > 2:  # N(a) m = m - a × m + a (a·m)
            s = 0.5 * h
            da = (s if k == 3 else 0.0, s if k == 4 else 0.0, s if k == 5 else 0.0)
            turn = plus(turn, minus(plus(times(dot(a, now), da), times(dot(da, now), a)), cross(da, now)))
        for d in range(3):
            c.push[6 * l + d], c.push[6 * l + 3 + d] = pull[d], turn[d]


@inner
def broken_row(c: GeneratedRows, gap: Array, active: Mask, h: float, most: float) -> tuple[int, float]:
    """The row that was left out and holds worst, if worse than `most`, else -1; and what it misses of its size."""
    worst = -1
    for i in range(c.table.shape[0]):
        for r in range(c.table[i, ROWS]):
            k = c.table[i, FIRST] + r
            missing = abs(h * gap[k]) / c.size[k]
            if not active[k] and exceeds(missing, most):
                worst, most = k, missing
    return worst, most


@inner
def rows_at_node(B: Array, c: GeneratedRows, lie: int, out: Array) -> float:
    """Per constraint of the model: largest |C v|, |C| |v| and |C| at a node; returns the largest |g| of its size."""
    worst = 0.0
    for i in range(c.table.shape[0]):
        n, m, k = c.table[i, BODIES], c.table[i, ROWS], c.table[i, OWNER]
        length = 1e-30
        for j in range(n):
            b = c.movers[c.table[i, MOVERS] + j]
            w = spin(B, lie, b)
            for row in range(2):
                _put(c.q, row, 12 * j, vector(B, b, PHI))
            _put(c.q, 2, 12 * j, vector(B, b, VEL))
            for d in range(3):
                x = _director(B, b, d)
                moves = cross(w, x) if lie else (B[b, SPIN + d], B[b, SPIN + 3 + d], B[b, SPIN + 6 + d])
                for row in range(2):
                    _put(c.q, row, 12 * j + 3 + 3 * d, x)
                _put(c.q, 2, 12 * j + 3 + 3 * d, moves)
        _call(c, i, RATES)
        for r in range(m):
            rate = size = largest = 0.0
            for j in range(n):
                b = c.movers[c.table[i, MOVERS] + j]
                turn, pull = vector_of(c.A, 6 * n * r + 6 * j), vector_of(c.A, 6 * n * r + 6 * j + 3)
                w, v = spin(B, lie, b), vector(B, b, VEL)
                rate += dot(turn, w) + dot(pull, v)
                for l in range(3):
                    size += abs(turn[l] * w[l]) + abs(pull[l] * v[l])
                largest = max(largest, max(size_of(turn), size_of(pull)))
                length += size_of(turn) + size_of(pull) * size_of(vector(B, b, PHI))
            if c.table[i, HAS_G]:
                rate = c.dA[6 * n * m + r]
                worst = max(worst, abs(c.A[6 * n * m + r]) / length)
            out[k, 0], out[k, 1], out[k, 2] = max(out[k, 0], abs(rate)), max(out[k, 1], size), max(out[k, 2], largest)
    return worst
