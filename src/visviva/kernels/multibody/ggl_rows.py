"""Rates of functions of two frames: rows of the second level, and the impulses of their multipliers.

An object is a point or a vector fixed in a body, with the arm p at the start of a step. With z = ψ × p its velocity is
Z p at the start, 2 C z - z at the end, and the mean of both in between; C, ψ, Z: see `bodies`, `ggl_bodies`. For the
functions of `functions`, g is bilinear in its objects: the forces f are the same function of them as f' of their rates.
"""

from __future__ import annotations

from visviva._arrays import Array, Mask
from visviva.kernels.functions import inner, woven
from visviva.kernels.multibody.functions import turned

from visviva.kernels.multibody.algebra import (  # isort: skip
    NOTHING, ZERO, Vector, add_matrix_to, add_outer, add_to, cross, dot, exceeds, matrix, minus, moment, mul, plus, put,
    size_of, times, vector,
)  # fmt: skip
from visviva.kernels.multibody.ggl_tables import (  # isort: skip
    END, END_D, HALF, MEAN, MEAN_D, OBJECTS, POINTS, PRESENT, PSI, PUSH, V1, Z0, Q,
)  # fmt: skip
from visviva.kernels.multibody.tables import (  # isort: skip
    ALONG, ALONG_CHILD, CHILD, DM, DN, DOT, FORCE, KIND, MEET, PARENT, PLACE, SIZE_G, SIZE_R, SIZE_T, TORQUE, UM, UN,
    VEL, WM, WN, A, Int,
)  # fmt: skip

CALM = 1e-3  # of the size of a function per step, added to the size of its rate: the rate of what rests has none


@inner
def body_of(K: Int, i: int, o: int) -> int:
    """The body that an object is fixed in."""
    return K[i, CHILD] if o % 2 else K[i, PARENT]


@inner
def forces(kind: int, u: Vector, w: Vector, d: Vector) -> tuple[Vector, Vector, Vector]:
    """∂g/∂u, ∂g/∂w, ∂g/∂d of a function that is no MEET; the same of rates."""
    if kind == DOT:
        return w, u, ZERO
    if kind == ALONG:
        return d, ZERO, u
    if kind == ALONG_CHILD:
        return ZERO, d, w
    return ZERO, ZERO, d


@inner
def force_on(o: int, f: tuple[Vector, Vector, Vector]) -> Vector:
    """The force on an object."""
    if o == 0:
        return f[0]
    if o == 1:
        return f[1]
    return f[2] if o == 3 else times(-1.0, f[2])


@inner
def middle_forces(X: Array, kind: int, i: int) -> tuple[Vector, Vector, Vector]:
    """f in the middle of a step."""
    return forces(kind, vector(X, i, UM), vector(X, i, WM), vector(X, i, DM))


@inner
def mean_rate_forces(Y: Array, kind: int, i: int) -> tuple[Vector, Vector, Vector]:
    """f' of the mean velocities."""
    return forces(kind, vector(Y, i, MEAN), vector(Y, i, MEAN + 3), vector(Y, i, MEAN_D))


@inner
def end_forces(X: Array, kind: int, i: int) -> tuple[Vector, Vector, Vector]:
    """f at the end of a step."""
    u1 = minus(times(2.0, vector(X, i, UM)), vector(X, i, UN))
    w1 = minus(times(2.0, vector(X, i, WM)), vector(X, i, WN))
    return forces(kind, u1, w1, minus(times(2.0, vector(X, i, DM)), vector(X, i, DN)))


@inner
def end_rate_forces(Y: Array, kind: int, i: int) -> tuple[Vector, Vector, Vector]:
    """f' at the end of a step."""
    return forces(kind, vector(Y, i, END), vector(Y, i, END + 3), vector(Y, i, END_D))


@inner
def follow(B: Array, C: Array, X: Array, K: Int, Y: Array, i: int) -> None:
    """Velocities of all objects of a function."""
    P, N = K[i, PARENT], K[i, CHILD]
    for o in range(OBJECTS):
        if PRESENT[K[i, KIND], o]:
            b, p = body_of(K, i, o), vector(X, i, UN + 3 * o)
            z = cross(vector(C, b, PSI), p)
            half = turned(B, b, z)
            put(Y, i, HALF + 3 * o, half)
            put(Y, i, MEAN + 3 * o, plus(half, times(0.5, minus(mul(matrix(C, b, Z0), p), z))))
            put(Y, i, END + 3 * o, minus(times(2.0, half), z))
    if K[i, KIND] != DOT:
        v1 = minus(vector(C, N, V1), vector(C, P, V1))
        v0 = minus(vector(B, N, VEL), vector(B, P, VEL))
        turning = minus(vector(Y, i, MEAN + 9), vector(Y, i, MEAN + 6))
        put(Y, i, MEAN_D, plus(times(0.5, plus(v0, v1)), turning))
        put(Y, i, END_D, plus(v1, minus(vector(Y, i, END + 9), vector(Y, i, END + 6))))


@inner
def _pull(B: Array, C: Array, b: int, o: int, p0: Vector, f: Vector) -> None:
    """Add a force G f on an object to the kinematics of its body."""
    if b < B.shape[0] - 1:
        add_matrix_to(C, b, Q, add_outer(NOTHING, f, p0))
        if o >= POINTS:
            add_to(C, b, PUSH, f)


@inner
def _push(B: Array, b: int, o: int, p: Vector, r: Vector) -> None:
    """Add an impulse on an object to the balances of momentum of its body."""
    if b < B.shape[0] - 1:
        m = moment(vector(B, b, A), cross(p, r))
        add_to(B, b, TORQUE, m)
        B[b, SIZE_R] += size_of(m)
        if o >= POINTS:
            add_to(B, b, FORCE, r)
            B[b, SIZE_T] += size_of(r)


@inner
def _speed(B: Array, C: Array, Y: Array, K: Int, i: int) -> float:
    """Sum of the velocities of all objects at the end of a step."""
    total = 0.0
    for o in range(OBJECTS):
        if PRESENT[K[i, KIND], o]:
            total += size_of(vector(Y, i, END + 3 * o))
            if o >= POINTS:
                total += size_of(vector(C, body_of(K, i, o), V1))
    return total


@woven
def end_rate(X: Array, Y: Array, K: Int, i: int) -> tuple[float, float]:
    """The rate of a function that is no MEET at the end of a step, and what the size of velocities there is worth."""
    kind = K[i, KIND]
    f1 = end_forces(X, kind, i)
    rate = dot(f1[2], vector(Y, i, END_D)) if kind != DOT else 0.0
    for o in range(POINTS):
        if PRESENT[kind, o]:
            rate += dot(force_on(o, f1), vector(Y, i, END + 3 * o))
    return rate, 1.0 if kind == DOT else size_of(f1[2]) + size_of(f1[0]) + size_of(f1[1])


@inner
def rate_with_size(B: Array, C: Array, X: Array, Y: Array, K: Int, i: int) -> tuple[float, float]:
    """Follow the objects of a function that is no MEET; its rate at the end of a step, and the size of its terms."""
    follow(B, C, X, K, Y, i)
    rate, longest = end_rate(X, Y, K, i)
    return rate, longest * _speed(B, C, Y, K, i)


@woven
def push_rate(B: Array, C: Array, X: Array, Y: Array, K: Int, i: int, g: float, h: float) -> None:
    """What a multiplier g of the rate of a function that is no MEET does to kinematics and momentum."""
    kind = K[i, KIND]
    f, f_rate = middle_forces(X, kind, i), mean_rate_forces(Y, kind, i)
    for o in range(OBJECTS):
        if PRESENT[kind, o]:
            b = body_of(K, i, o)
            _pull(B, C, b, o, vector(X, i, UN + 3 * o), times(g, force_on(o, f)))
            _push(B, b, o, vector(X, i, UM + 3 * o), times(-h * g, force_on(o, f_rate)))


@inner
def rate_rows(
    B: Array, C: Array, X: Array, Y: Array, K: Int, rows: int, G: Array, gap: Array, active: Mask, h: float
) -> tuple[float, int]:
    """Rates of all rows of joints at the end of a step, and what their G do; the largest scaled rate, and its place.

    C, Y: tables of the second level.   gap: (m,) the rates.
    """
    worst, at = 0.0, -1
    for i in range(rows):
        kind, k = K[i, KIND], K[i, PLACE]
        follow(B, C, X, K, Y, i)
        size = _speed(B, C, Y, K, i)
        if kind == MEET:
            push, rate = (G[k], G[k + 1], G[k + 2]), vector(Y, i, END_D)
            for o in range(POINTS, OBJECTS):
                f = push if o == 3 else times(-1.0, push)
                _pull(B, C, body_of(K, i, o), o, vector(X, i, UN + 3 * o), f)
            gap[k], gap[k + 1], gap[k + 2] = rate
            r = 0.0
            for j in range(3):
                if active[k + j]:
                    r = max(r, abs(rate[j]))
        else:
            gap[k], longest = end_rate(X, Y, K, i)
            push_rate(B, C, X, Y, K, i, G[k], h)
            size *= longest
            r = abs(gap[k]) if active[k] else 0.0
        r /= size + CALM * X[i, SIZE_G] / abs(h)
        if exceeds(r, worst):
            worst, at = r, k
    return worst, at
