"""Closed-loop templates in compiled code: M̄ and b̄ of the three approaches; see `visviva.control.templates`."""

from __future__ import annotations

import math
from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.control.dense import factor_reflections, solve_reflections
from visviva.kernels.control.pairs import Motion, Twist, add, bracket, rotation, subtract, twist
from visviva.kernels.functions import inner, woven
from visviva.kernels.multibody.algebra import Matrix, Vector, cross, matmul, minus, mul, mul_t, plus, times
from visviva.kernels.multibody.tables import Int

PARTICLE, BODY, ENERGY = range(3)  # approaches
TWIST, CENTRE, POINT, ROTATION, UNTIED = range(5)  # transport maps of pairs
COORDINATE, VELOCITY, TURNING, TIED = range(4)  # of a joint: places in q and v, whether it turns, and has a row
MASS, DAMPING, STIFFNESS = range(3)
FINE, SINGULAR = range(2)


class Gains(NamedTuple):
    """Gains of p pairs and c coordinates."""

    moments: Array  # (3 p, 4, 4) moment matrices of mass, damping and stiffness
    matrices: Array  # (3 p, 6, 6) on twists
    maps: Int  # (p,) transport maps
    centres: Array  # (p, 3) of stiffness
    joints: Int  # (c, 4)
    scalars: Array  # (c, 3)


class Template(NamedTuple):
    """M̄ and b̄, and memory."""

    M_bar: Array  # (n, n)
    b_bar: Array  # (n,)
    A: Array  # (rows, n) of the transport map
    beta: Array  # (2, n) its reflections
    rows: Array  # (3, rows) A_R v_R, A_R a_R + Ȧ_R v_R; memory
    Q: Array  # (2, n) Q v_R, Q a_R + Q̇ v_R
    v_E: Array  # (n,)
    wide: Array  # (6, n)


@woven
def apply(M: Array, V: Twist) -> Twist:
    """A matrix (6, 6) times a twist."""
    w, v = V
    return (
        (
            M[0, 0] * w[0] + M[0, 1] * w[1] + M[0, 2] * w[2] + M[0, 3] * v[0] + M[0, 4] * v[1] + M[0, 5] * v[2],
            M[1, 0] * w[0] + M[1, 1] * w[1] + M[1, 2] * w[2] + M[1, 3] * v[0] + M[1, 4] * v[1] + M[1, 5] * v[2],
            M[2, 0] * w[0] + M[2, 1] * w[1] + M[2, 2] * w[2] + M[2, 3] * v[0] + M[2, 4] * v[1] + M[2, 5] * v[2],
        ),
        (
            M[3, 0] * w[0] + M[3, 1] * w[1] + M[3, 2] * w[2] + M[3, 3] * v[0] + M[3, 4] * v[1] + M[3, 5] * v[2],
            M[4, 0] * w[0] + M[4, 1] * w[1] + M[4, 2] * w[2] + M[4, 3] * v[0] + M[4, 4] * v[1] + M[4, 5] * v[2],
            M[5, 0] * w[0] + M[5, 1] * w[1] + M[5, 2] * w[2] + M[5, 3] * v[0] + M[5, 4] * v[1] + M[5, 5] * v[2],
        ),
    )


@inner
def product(J: Array, x: Array) -> Twist:
    """J x of a Jacobian (6, n)."""
    w0, w1, w2, v0, v1, v2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(x.shape[0]):
        s = x[j]
        w0 += J[0, j] * s
        w1 += J[1, j] * s
        w2 += J[2, j] * s
        v0 += J[3, j] * s
        v1 += J[4, j] * s
        v2 += J[5, j] * s
    return (w0, w1, w2), (v0, v1, v2)


@inner
def pull(J: Array, F: Twist, out: Array) -> None:
    """out += Jᵀ F."""
    m, f = F
    for j in range(out.shape[0]):
        out[j] += J[0, j] * m[0] + J[1, j] * m[1] + J[2, j] * m[2] + J[3, j] * f[0] + J[4, j] * f[1] + J[5, j] * f[2]


@woven
def skew(w: Vector) -> Matrix:
    """ŵ."""
    return (0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0)


@woven
def moment_wrench(S: Matrix, s: Vector, P: Array) -> Twist:
    """(vee2(X); x) of the upper rows [X, x] = [S, s] P' of a product of 4×4 matrices, as a wrench (m; f)."""
    A = (P[0, 0], P[0, 1], P[0, 2], P[1, 0], P[1, 1], P[1, 2], P[2, 0], P[2, 1], P[2, 2])
    X, last = matmul(S, A), (P[3, 0], P[3, 1], P[3, 2])
    m = (
        X[7] + s[2] * last[1] - X[5] - s[1] * last[2],
        X[2] + s[0] * last[2] - X[6] - s[2] * last[0],
        X[3] + s[1] * last[0] - X[1] - s[0] * last[1],
    )
    return m, plus(mul(S, (P[0, 3], P[1, 3], P[2, 3])), times(P[3, 3], s))


@woven
def transposed(A: Matrix) -> Matrix:
    """Aᵀ."""
    return (A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8])


@woven
def difference(A: Matrix, B: Matrix) -> Matrix:
    """A - B."""
    return (
        A[0] - B[0], A[1] - B[1], A[2] - B[2], A[3] - B[3], A[4] - B[4], A[5] - B[5], A[6] - B[6], A[7] - B[7],
        A[8] - B[8],
    )  # fmt: skip


@woven
def total(A: Matrix, B: Matrix) -> Matrix:
    """A + B."""
    return (
        A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5], A[6] + B[6], A[7] + B[7],
        A[8] + B[8],
    )  # fmt: skip


@woven
def transport(R: Matrix, r: Vector, V: Twist) -> Twist:
    """Ad(G_E)⁻¹ V with the pose R, r of G_E⁻¹."""
    w = mul(R, V[0])
    return w, plus(cross(r, w), mul(R, V[1]))


@inner
def add_inertia(J: Array, M: Array, wide: Array, out: Array) -> None:
    """out += Jᵀ M J, symmetric M (6, 6)."""
    n = out.shape[0]
    for j in range(n):
        for i in range(6):
            s = 0.0
            for k in range(6):
                s += M[i, k] * J[k, j]
            wide[i, j] = s
    for i in range(n):
        for j in range(i + 1):
            s = 0.0
            for k in range(6):
                s += J[k, i] * wide[k, j]
            out[i, j] += s
            if i != j:
                out[j, i] += s


@inner
def make_template(
    approach: int, g: Gains, x: Motion, ref: Motion, q: Array, v: Array, q_R: Array, v_R: Array, a_R: Array, t: Template
) -> int:
    """M̄ and b̄ at a state and a reference; SINGULAR where a transport map is."""
    p, f = g.maps.shape[0], t.b_bar
    f[:] = 0.0
    t.M_bar[:] = 0.0
    for k in range(p):
        add_inertia(x.J_ab[k], g.matrices[3 * k + MASS], t.wide, t.M_bar)
        R, r = rotation(x.R_ab[k]), (x.r_ab[k, 0], x.r_ab[k, 1], x.r_ab[k, 2])
        R_R, r_R = rotation(ref.R_ab[k]), (ref.r_ab[k, 0], ref.r_ab[k, 1], ref.r_ab[k, 2])
        turn, arm = matmul(transposed(R), R_R), mul_t(R, minus(r_R, r))  # G_E⁻¹ = G⁻¹ G_R
        unit = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
        F = moment_wrench(difference(unit, turn), (-arm[0], -arm[1], -arm[2]), g.moments[3 * k + STIFFNESS])
        if approach != ENERGY:
            V, V_R = twist(x.V[k]), twist(ref.V[k])
            drift, V_R_dot = product(x.J_ab_dot[k], v), add(product(ref.J_ab[k], a_R), product(ref.J_ab_dot[k], v_R))
            if approach == BODY:
                F = add(F, body_wrench(g, k, turn, arm, V, V_R, drift, V_R_dot))
            else:
                F = add(F, particle_wrench(g, k, turn, V, V_R, drift, V_R_dot))
        pull(x.J_ab[k], F, f)
    add_joints(approach, g, q, v, q_R, v_R, a_R, t)
    if approach == ENERGY:
        return add_energy(g, x, ref, v, v_R, a_R, t)
    return FINE


@woven
def body_wrench(
    g: Gains, k: int, turn: Matrix, arm: Vector, V: Twist, V_R: Twist, drift: Twist, V_R_dot: Twist
) -> Twist:
    """M (J̇v - A V̇_R + ad(V_E) A V_R) - ad(V_E)ᵀ M V_E + D V_E."""
    moved = transport(turn, arm, V_R)
    V_E = subtract(V, moved)
    drift = add(subtract(drift, transport(turn, arm, V_R_dot)), bracket(V_E, moved))
    L, P = apply(g.matrices[3 * k + MASS], V_E)
    gyroscopic = plus(cross(V_E[0], L), cross(V_E[1], P)), cross(V_E[0], P)
    return add(add(apply(g.matrices[3 * k + MASS], drift), gyroscopic), apply(g.matrices[3 * k + DAMPING], V_E))


@woven
def particle_wrench(g: Gains, k: int, turn: Matrix, V: Twist, V_R: Twist, drift: Twist, V_R_dot: Twist) -> Twist:
    """vee2((V^ - G_E⁻¹ V_R^) D') + vee2(((J̇v)^ + V^² - G_E⁻¹(V̇_R^ + V_R^²)) M')."""
    w, w_R = skew(V[0]), skew(V_R[0])
    damped = moment_wrench(difference(w, matmul(turn, w_R)), minus(V[1], mul(turn, V_R[1])), g.moments[3 * k + DAMPING])
    own = total(skew(drift[0]), matmul(w, w))
    other = total(skew(V_R_dot[0]), matmul(w_R, w_R))
    a, a_R = plus(drift[1], cross(V[0], V[1])), plus(V_R_dot[1], cross(V_R[0], V_R[1]))
    inertial = moment_wrench(difference(own, matmul(turn, other)), minus(a, mul(turn, a_R)), g.moments[3 * k + MASS])
    return add(damped, inertial)


@inner
def add_joints(approach: int, g: Gains, q: Array, v: Array, q_R: Array, v_R: Array, a_R: Array, t: Template) -> None:
    """Coordinates with gains of their own; of the energy-based template stiffness and inertia alone."""
    for c in range(g.joints.shape[0]):
        at, j, turning = g.joints[c, COORDINATE], g.joints[c, VELOCITY], g.joints[c, TURNING] == 1
        m, d, k = g.scalars[c, MASS], g.scalars[c, DAMPING], g.scalars[c, STIFFNESS]
        e = q[at] - q_R[at]
        cos, sin = (math.cos(e), math.sin(e)) if turning else (1.0, 0.0)
        t.M_bar[j, j] += m
        t.b_bar[j] += k * (sin if turning else e)
        if approach == BODY:
            t.b_bar[j] += d * (v[j] - v_R[j]) - m * a_R[j]
        elif approach == PARTICLE:
            t.b_bar[j] += d * (v[j] - v_R[j] * cos) - m * (a_R[j] * cos + v_R[j] * v_R[j] * sin)


@inner
def add_energy(g: Gains, x: Motion, ref: Motion, v: Array, v_R: Array, a_R: Array, t: Template) -> int:
    """C̄ v_E + D̄ v_E - M̄ (Q a_R + Q̇ v_R), with the transport map solved for Q v_R and Q a_R + Q̇ v_R alone."""
    n, m = v.shape[0], t.A.shape[0]
    first = 0
    for k in range(g.maps.shape[0]):
        first = put_rows(g, k, x, ref, v_R, a_R, t, first)
    for c in range(g.joints.shape[0]):
        j = g.joints[c, VELOCITY]
        if g.joints[c, TIED] == 0:
            continue
        for i in range(n):
            t.A[first, i] = 1.0 if i == j else 0.0
        t.rows[0, first], t.rows[1, first] = v_R[j], a_R[j]
        first += 1
    for i in range(m):  # Ȧ Q v_R needs A: it is factorised in place
        t.rows[2, i] = t.rows[0, i]
    if not factor_reflections(t.A, m, n, t.beta):
        return SINGULAR
    solve_reflections(t.A, m, n, t.beta, t.rows[2], t.Q[0])
    first = 0
    for k in range(g.maps.shape[0]):
        first = subtract_rates(g, k, x, t, first)
    solve_reflections(t.A, m, n, t.beta, t.rows[1], t.Q[1])
    for j in range(n):
        t.v_E[j] = v[j] - t.Q[0, j]
    for k in range(g.maps.shape[0]):
        V_E, V = product(x.J_ab[k], t.v_E), twist(x.V[k])
        F = apply(g.matrices[3 * k + MASS], product(x.J_ab_dot[k], t.v_E))
        F = add(F, coriolis_wrench(g.moments[3 * k + MASS], V[0], V_E))
        pull(x.J_ab[k], add(F, apply(g.matrices[3 * k + DAMPING], V_E)), t.b_bar)
    for c in range(g.joints.shape[0]):
        j = g.joints[c, VELOCITY]
        t.b_bar[j] += g.scalars[c, DAMPING] * t.v_E[j]
    for i in range(n):
        for j in range(n):
            t.b_bar[i] -= t.M_bar[i, j] * t.Q[1, j]
    return FINE


@woven
def coriolis_wrench(P: Array, w: Vector, V: Twist) -> Twist:
    """C(ω) V = ((Wed(Θ) ω) × w + m s × (ω × u); -ω × (m s × w) + m ω × u) of V = (w; u)."""
    A = (P[0, 0], P[0, 1], P[0, 2], P[1, 0], P[1, 1], P[1, 2], P[2, 0], P[2, 1], P[2, 2])
    s, turned = (P[0, 3], P[1, 3], P[2, 3]), cross(w, V[1])
    m = plus(cross(mul(A, w), V[0]), cross(s, turned))
    return m, minus(times(P[3, 3], turned), cross(w, cross(s, V[0])))


@inner
def put_rows(g: Gains, k: int, x: Motion, ref: Motion, v_R: Array, a_R: Array, t: Template, first: int) -> int:
    """Rows A of a pair, and A_R v_R, A_R a_R + Ȧ_R v_R; the row after them."""
    if g.maps[k] == UNTIED:
        return first
    n, J = v_R.shape[0], x.J_ab[k]
    h = (g.centres[k, 0], g.centres[k, 1], g.centres[k, 2])
    R, R_R = rotation(x.R_ab[k]), rotation(ref.R_ab[k])
    r, r_R = (x.r_ab[k, 0], x.r_ab[k, 1], x.r_ab[k, 2]), (ref.r_ab[k, 0], ref.r_ab[k, 1], ref.r_ab[k, 2])
    V, V_R = twist(x.V[k]), twist(ref.V[k])
    V_R_dot = add(product(ref.J_ab[k], a_R), product(ref.J_ab_dot[k], v_R))
    turn, arm = matmul(transposed(R), R_R), mul_t(R, minus(r_R, r))
    count = 6 if g.maps[k] == TWIST or g.maps[k] == CENTRE else 3
    for j in range(n):
        w, u = (J[0, j], J[1, j], J[2, j]), (J[3, j], J[4, j], J[5, j])
        if g.maps[k] != TWIST:
            u = plus(u, cross(w, h))
        if g.maps[k] == POINT:
            w = mul(R, u)
        for i in range(3):
            t.A[first + i, j] = w[i]
            if count == 6:
                t.A[first + 3 + i, j] = u[i]
    if g.maps[k] == POINT:
        shifted = plus(V_R[1], cross(V_R[0], h))
        value = mul(R_R, shifted)
        rate = mul(R_R, plus(plus(V_R_dot[1], cross(V_R_dot[0], h)), cross(V_R[0], shifted)))
        for i in range(3):
            t.rows[0, first + i], t.rows[1, first + i] = value[i], rate[i]
        return first + 3
    V_E = subtract(V, transport(turn, arm, V_R))
    if g.maps[k] == TWIST:
        moved = transport(turn, arm, V_R)
        moved_rate = subtract(transport(turn, arm, V_R_dot), bracket(V_E, moved))
    else:
        shifted = plus(V_R[1], cross(V_R[0], h))
        moved = mul(turn, V_R[0]), mul(turn, shifted)
        later = mul(turn, V_R_dot[0]), mul(turn, plus(V_R_dot[1], cross(V_R_dot[0], h)))
        moved_rate = minus(later[0], cross(V_E[0], moved[0])), minus(later[1], cross(V_E[0], moved[1]))
    for i in range(3):
        t.rows[0, first + i], t.rows[1, first + i] = moved[0][i], moved_rate[0][i]
        if count == 6:
            t.rows[0, first + 3 + i], t.rows[1, first + 3 + i] = moved[1][i], moved_rate[1][i]
    return first + count


@inner
def subtract_rates(g: Gains, k: int, x: Motion, t: Template, first: int) -> int:
    """Ȧ Q v_R from the second row of a pair; the row after them."""
    if g.maps[k] == UNTIED:
        return first
    count = 6 if g.maps[k] == TWIST or g.maps[k] == CENTRE else 3
    h = (g.centres[k, 0], g.centres[k, 1], g.centres[k, 2])
    w, u = product(x.J_ab_dot[k], t.Q[0])
    if g.maps[k] != TWIST:
        u = plus(u, cross(w, h))
    if g.maps[k] == POINT:
        own = product(x.J_ab[k], t.Q[0])
        turned = cross((x.V[k, 0], x.V[k, 1], x.V[k, 2]), plus(own[1], cross(own[0], h)))
        w = mul(rotation(x.R_ab[k]), plus(u, turned))
    for i in range(3):
        t.rows[1, first + i] -= w[i]
        if count == 6:
            t.rows[1, first + 3 + i] -= u[i]
    return first + count
