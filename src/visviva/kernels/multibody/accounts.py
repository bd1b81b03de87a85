"""What a run records of every step of a mechanism: energies, heat, work, and how well constraints and rates hold."""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import inner, woven
from visviva.kernels.multibody.algebra import Vector, cross, dot, matrix, minus, mul, plus, size_of, vector
from visviva.kernels.multibody.bodies import kinetic, load_work, potential, turned

from visviva.kernels.multibody.tables import (  # isort: skip
    ALONG, ALONG_CHILD, AN, BN, CHILD, DN, DOT, FIRST, H_START, KIND, MASS, MEET, PARENT, PHI, PLACE, ROT, ROWS, SIZE_G,
    SPIN, UN, VEL, WN, XA, XB, XU, XW, A, Conditions, Couplings, Elements, G, Int, Losses, Machine,
)  # fmt: skip

BY_LOAD, BY_PUSH, BY_VOLTAGE, BY_COUPLING, INTO_BOX = range(5)  # who did work


@woven
def work_of(
    M: Machine, e: Elements, losses: Losses | None, conditions: Conditions | None, k: int, u: Array, h: float
) -> float:
    """Work of a port over the step; boxes account for theirs."""
    which, i = e.works[k, 0], e.works[k, 1]
    if which == INTO_BOX:
        return 0.0
    if losses is not None and which == BY_VOLTAGE:
        return h * u[losses.motor[i, 3]] * losses.motor_numbers[i, 3]
    if which == BY_PUSH:
        y = e.pushed[i, 0]
        return h * u[e.pushed[i, 1]] * e.y[2, y]
    if conditions is not None and which == BY_COUPLING:
        couplings = conditions.couplings
        return -M.lam[couplings.rows[i, 0]] * u[couplings.shifts[couplings.rows[i, 3], 1]]
    b, at, own = e.loads[i, 0], e.loads[i, 1], e.loads[i, 3]
    if e.loads[i, 2] == 3:
        return load_work(M.B, b, (u[at], u[at + 1], u[at + 2]), (0.0, 0.0, 0.0), h)
    f, m = (u[at + 3], u[at + 4], u[at + 5]), (u[at], u[at + 1], u[at + 2])
    if own >= 0:
        R, a = matrix(e.axes, own, 0), vector(M.B, b, A)
        f, m = turned(M.B, b, a, mul(R, f)), turned(M.B, b, a, mul(R, m))
    return load_work(M.B, b, f, m, h)


@inner
def energies(B: Array, lie: int, gravity: Array, out: Array) -> None:
    """Kinetic energy, potential energy of gravity, Σ|H - H(start of the run)|, and the terms of both energies.

    The terms are 2 T, since velocities round as well, and m |g_i φ_i|.
    """
    out[0] = out[1] = out[2] = out[3] = 0.0
    for b in range(B.shape[0] - 1):
        T, V = kinetic(B, lie, b), potential(B, gravity, b)
        out[0] += T
        out[1] += V
        out[2] += abs(T - B[b, H_START]) + abs(V - B[b, H_START + 1])
        weights = 0.0
        for i in range(3):
            weights += abs(gravity[i] * B[b, PHI + i])
        out[3] += 2.0 * T + B[b, MASS] * weights


@woven
def terms_of_rows(
    X: Array, K: Int, rows: int, lam: Array, e: Elements, conditions: Conditions | None, h: float
) -> float:
    """|force| times the size of what it acts through, for all joints, elements and conditions of a step that was made.

    Places round, and what holds or pulls there does work on it: ε times this is what is left of the balance of energy,
    see `results.rounding`.
    """
    total = 0.0
    for i in range(rows):
        k = K[i, PLACE]
        force = abs(lam[k])
        if K[i, KIND] == MEET:
            force = size_of((lam[k], lam[k + 1], lam[k + 2]))
        total += force / abs(h) * X[i, SIZE_G]
    for i in range(rows, X.shape[0]):
        total += abs(e.effort[K[i, PLACE]]) * X[i, SIZE_G]
    for k in range(e.twists.shape[0]):
        y = e.twists[k, 1]
        total += abs(e.effort[y]) * max(1.0, abs(e.y[1, y]))
    if conditions is not None:
        couplings, generated = conditions.couplings, conditions.generated
        for r in range(couplings.rows.shape[0]):
            total += abs(lam[couplings.rows[r, 0]] / h) * couplings.size[r]
        for i in range(generated.table.shape[0]):
            for k in range(generated.table[i, FIRST], generated.table[i, FIRST] + generated.table[i, ROWS]):
                total += abs(lam[k] / h) * generated.size[k]
    return total


@inner
def worst_gap(X: Array, K: Int, rows: int) -> float:
    """Largest |g| of a joint at the node, relative to the size of its terms."""
    worst = 0.0
    for i in range(rows):
        g = size_of(vector(X, i, G)) if K[i, KIND] == MEET else abs(X[i, G])
        worst = max(worst, g / X[i, SIZE_G])
    return worst


@inner
def _moving(B: Array, lie: int, b: int, x_body: Vector, x: Vector) -> Vector:
    """Velocity of a vector that is fixed in a body."""
    if lie:
        return cross(mul(matrix(B, b, ROT), vector(B, b, SPIN)), x)
    return mul(matrix(B, b, SPIN), x_body)


@woven
def rate_at_node(B: Array, X: Array, K: Int, lie: int, i: int) -> tuple[float, float, float]:
    """C v, |C| |v| and |C| of a function that is no MEET."""
    kind, P, C = K[i, KIND], K[i, PARENT], K[i, CHILD]
    u, w, d = vector(X, i, UN), vector(X, i, WN), vector(X, i, DN)
    du, dw = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if kind in (DOT, ALONG):
        du = _moving(B, lie, P, vector(X, i, XU), u)
    if kind in (DOT, ALONG_CHILD):
        dw = _moving(B, lie, C, vector(X, i, XW), w)
    if kind == DOT:
        return dot(du, w) + dot(u, dw), size_of(du) + size_of(dw), 1.0
    apart, size, row = _parting(B, X, K, lie, i)
    if kind == ALONG:
        return dot(u, apart) + dot(du, d), size + size_of(du) * size_of(d), row
    if kind == ALONG_CHILD:
        return dot(w, apart) + dot(dw, d), size + size_of(dw) * size_of(d), row
    return dot(d, apart), size * size_of(d), row * size_of(d)


@woven
def _parting(B: Array, X: Array, K: Int, lie: int, i: int) -> tuple[Vector, float, float]:
    """The velocity with which the points of a function part, the size of its terms, and of its row."""
    P, C = K[i, PARENT], K[i, CHILD]
    va = plus(vector(B, P, VEL), _moving(B, lie, P, vector(X, i, XA), vector(X, i, AN)))
    vb = plus(vector(B, C, VEL), _moving(B, lie, C, vector(X, i, XB), vector(X, i, BN)))
    row = max(1.0, max(size_of(vector(X, i, AN)), size_of(vector(X, i, BN))))
    return minus(vb, va), size_of(va) + size_of(vb), row


@inner
def coupling_rates(B: Array, X: Array, K: Int, lie: int, c: Couplings, out: Array) -> None:
    """The same as `rates` of couplings; of those that are driven C v with its sign."""
    for r in range(c.rows.shape[0]):
        value, size, row = 0.0, 0.0, 0.0
        for t in range(c.rows[r, 1], c.rows[r, 2]):
            i, a = c.terms[t, 3], c.coefficients[t]
            speed, terms, length = rate_at_node(B, X, K, lie, i)
            if c.terms[t, 2] >= 0:
                sine, more, _ = rate_at_node(B, X, K, lie, i + 1)
                speed = X[i, G] * sine - X[i + 1, G] * speed
                terms = max(terms, more)
            value += a * speed
            size += abs(a) * terms
            row = max(row, abs(a) * length)
        at, k = c.rows[r, 3], c.rows[r, 6]
        driven = at >= 0 and c.shifts[at, 1] >= 0
        out[k, 0], out[k, 1], out[k, 2] = value if driven else abs(value), size, row


@inner
def rates(B: Array, X: Array, K: Int, rows: int, lie: int, owner: Int, directors: Int, out: Array) -> None:
    """Per constraint of the model: largest |C v|, |C| |v| and |C|, with the velocities as the scheme has them.

    owner: (functions,) constraint of each row.   directors: (bodies,) that of its directors, or -1.
    """
    for k in range(out.shape[0]):
        out[k, 0] = out[k, 1] = out[k, 2] = 0.0
    for i in range(rows):
        k = owner[i]
        if K[i, KIND] == MEET:
            apart, size, row = _parting(B, X, K, lie, i)
            value = max(abs(apart[0]), max(abs(apart[1]), abs(apart[2])))
        else:
            value, size, row = rate_at_node(B, X, K, lie, i)
        value = abs(value)
        out[k, 0], out[k, 1], out[k, 2] = max(out[k, 0], value), max(out[k, 1], size), max(out[k, 2], row)
    for b in range(directors.size):
        k = directors[b]
        if k >= 0:
            for i in range(3):
                for j in range(i, 3):
                    value = 0.0
                    for l in range(3):
                        R, V = ROT + 3 * l, SPIN + 3 * l
                        value += B[b, R + i] * B[b, V + j] + B[b, R + j] * B[b, V + i]
                    value *= 0.5 if i == j else 1.0
                    out[k, 0] = max(out[k, 0], abs(value))
            fastest = 0.0
            for j in range(9):
                fastest = max(fastest, abs(B[b, SPIN + j]))
            out[k, 1], out[k, 2] = 2.0 * fastest, 1.0
