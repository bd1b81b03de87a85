"""Tracking laws in compiled code, called by address like laws of feedback: inputs(n, T, P, t, x, u).

P has a row with the addresses of all tables and of the memory of the law. What was computed last is kept: the laws of
several ports are asked at the same instant.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.control import template as templates
from visviva.kernels.control.dense import DEFINITE_RTOL, copy_matrix, factor_cholesky, solve_cholesky
from visviva.kernels.control.pairs import Frames, Motion, move_pairs, rotation
from visviva.kernels.control.redundant import (
    Redundant,
    approach,
    find_directions,
    invert_shares,
    is_costly,
    lighten,
    put_lightest,
)
from visviva.kernels.control.reference import give_velocities, interpolate
from visviva.kernels.functions import addressable, inner, kernel
from visviva.kernels.multibody.algebra import Matrix, cross, minus, mul, mul_t, plus
from visviva.kernels.multibody.tables import Int
from visviva.kernels.quadratic_program import INFEASIBLE_LEAST_VIOLATION, OPTIMAL, Workspace, prepare
from visviva.kernels.quadratic_program import solve as solve_program
from visviva.kernels.signatures import INPUTS
from visviva.kernels.stowed import carray, kind_of, stowed, taker
from visviva.kernels.trees.evaluation import GRAVITY, MOTION, PASSIVE, inverses, masses

COORDINATE, FLYING = range(2)  # of `sensed`: a coordinate and its rate; position, axes and twist of a body
THRUST, WRENCH, FORCE = range(3)  # of `acting`: actuators of a body, a wrench in world axes, a force
MOST_CHANGES = 1000  # of a working set
FEASIBLE = 1e-12  # an input this near to its limit is within it
SINGULAR_RTOL = 1e-10  # of a pivot of the desired inertia: as `control.allocation` refuses eigenvalues
DIRECT = -1  # of `given`: inputs as they are; else the frame whose axes a wrench is turned from
APPROACH, SENSED, INPUTS_COUNT, LIMITS, GIVEN = range(5)  # of `sizes`
UNKNOWN = 1 << 40  # length of an array of which only the address is known
ROW = 2  # where the row begins behind what P has of a port
FINE, NO_REFERENCE, TREE, TRANSPORT, INERTIA, INPUT_METRIC, LEAST_VIOLATION, PROGRAM = range(8)  # statuses


class Control(NamedTuple):
    """All tables and memory of a law."""

    sizes: Int  # approach, numbers that it reads, inputs, limits, numbers that it gives
    status: Int  # (3,) the last status, how often limits acted, how often they could not be kept
    tree: Int  # the row of a tree, see `trees.evaluation`
    sensed: Int  # (k, 5) kind, place in y, place in q, place in v, place of the rate in y
    bodies: Array  # (k, 24) of what flies: pose of the body in its link, pose of the joint in the world
    path: Int
    ends: Int
    X: Array
    pairs: Int
    K: Int
    R: Array
    r: Array
    J: Array
    J_dot: Array
    R_ab: Array
    r_ab: Array
    J_ab: Array
    J_ab_dot: Array
    V: Array
    R_ref: Array
    r_ref: Array
    J_ref: Array
    J_dot_ref: Array
    R_ab_ref: Array
    r_ab_ref: Array
    J_ab_ref: Array
    J_ab_dot_ref: Array
    V_ref: Array
    moments: Array
    matrices: Array
    maps: Int
    centres: Array
    joints: Int
    scalars: Array
    M_bar: Array
    b_bar: Array
    A: Array
    beta: Array
    rows: Array
    Q: Array
    v_E: Array
    wide: Array
    M: Array  # (1, n, n)
    b: Array  # (n,)
    B0: Array  # (n, nu) its constant part
    B: Array  # (n, nu)
    Y: Array  # (nu, n) rows M⁻¹ B
    Z: Array  # (nu, n) rows M̄ M⁻¹ B
    H: Array  # (nu, nu)
    u0: Array  # (nu,)
    u: Array  # (nu,)
    acting: Int  # (k, 4) kind, frame, first input, how many
    thrust: Array  # (nu, 6) wrench of each actuator in axes of its body
    given: Int  # (ports, 4) frame or DIRECT, first input, how many, first number that is given
    com: Array  # (ports, 3)
    W: Array  # (m, nu)
    l: Array  # (m,)
    qp_U: Array
    qp_W: Array
    qp_A: Array
    qp_scale: Array
    qp_d: Array
    qp_size: Array
    qp_rtol: Array
    qp_excess: Array
    qp_Q: Array
    qp_T: Array
    qp_kept: Int
    qp_lam: Array
    qp_y: Array
    qp_z: Array
    qp_r: Array
    active: Int
    multipliers: Array
    report: Array
    re_weight: Array  # of redundant inputs, and memory for them: see `Redundant`
    re_inverse: Array
    re_T: Array
    re_K: Array
    re_S: Array
    re_near: Array
    re_w: Array
    re_vectors: Array
    re_rows: Array
    re_room: Array
    re_active: Int
    y: Array  # what it reads
    q: Array
    v: Array
    still: Array
    q_R: Array
    v_R: Array
    a_R: Array
    rates: Array  # (2, nq)
    knots: Array
    clock: Array
    filler: Int  # (1,) address
    last: Array  # (1 + numbers read + numbers given,) of the last evaluation


LETTERS = (
    "i i i I F i i F I I P F P P P F P P F P F P P P F P P F P P i F I F F f F F F F f F P f F F F F F f f I F I F F f "
    "F F F f f f f f F F i f f f f i f f F F F F F F F F F f i f f f f f f f F F f i f"
)
take = taker(lambda: kind_of(Control, LETTERS))


def row_of(control: Control) -> Int:
    """As `track` takes it; valid as long as `control` lives."""
    return stowed([], control)


@inner
def nearest_rotation(R: Matrix) -> Matrix:
    """The orthogonal factor of a matrix near a rotation, by Newton's iteration R ← ½ (R + R⁻ᵀ)."""
    for _ in range(8):
        x, y, z = (R[0], R[3], R[6]), (R[1], R[4], R[7]), (R[2], R[5], R[8])
        a, b, c = cross(y, z), cross(z, x), cross(x, y)
        det = x[0] * a[0] + x[1] * a[1] + x[2] * a[2]
        other = (
            a[0] / det, b[0] / det, c[0] / det, a[1] / det, b[1] / det, c[1] / det, a[2] / det, b[2] / det, c[2] / det,
        )  # fmt: skip
        change = 0.0
        for k in range(9):
            change = max(change, abs(other[k] - R[k]))
        R = (
            0.5 * (R[0] + other[0]), 0.5 * (R[1] + other[1]), 0.5 * (R[2] + other[2]), 0.5 * (R[3] + other[3]),
            0.5 * (R[4] + other[4]), 0.5 * (R[5] + other[5]), 0.5 * (R[6] + other[6]), 0.5 * (R[7] + other[7]),
            0.5 * (R[8] + other[8]),
        )  # fmt: skip
        if change < 1e-8:
            break
    return R


@inner
def put_quaternion(R: Matrix, q: Array, at: int) -> None:
    """The quaternion (w, x, y, z) of a rotation, from its largest component."""
    trace = R[0] + R[4] + R[8]
    if trace > 0.0:
        s = 2.0 * math.sqrt(1.0 + trace)
        w, x, y, z = 0.25 * s, (R[7] - R[5]) / s, (R[2] - R[6]) / s, (R[3] - R[1]) / s
    elif R[0] > R[4] and R[0] > R[8]:
        s = 2.0 * math.sqrt(1.0 + R[0] - R[4] - R[8])
        w, x, y, z = (R[7] - R[5]) / s, 0.25 * s, (R[1] + R[3]) / s, (R[2] + R[6]) / s
    elif R[4] > R[8]:
        s = 2.0 * math.sqrt(1.0 + R[4] - R[0] - R[8])
        w, x, y, z = (R[2] - R[6]) / s, (R[1] + R[3]) / s, 0.25 * s, (R[5] + R[7]) / s
    else:
        s = 2.0 * math.sqrt(1.0 + R[8] - R[0] - R[4])
        w, x, y, z = (R[3] - R[1]) / s, (R[2] + R[6]) / s, (R[5] + R[7]) / s, 0.25 * s
    norm = math.sqrt(w * w + x * x + y * y + z * z)
    q[at], q[at + 1], q[at + 2], q[at + 3] = w / norm, x / norm, y / norm, z / norm


@inner
def read_state(c: Control) -> None:
    """q and v from what is read."""
    for k in range(c.sensed.shape[0]):
        at, j, i = c.sensed[k, 1], c.sensed[k, 2], c.sensed[k, 3]
        y = c.y[at:]
        if c.sensed[k, 0] == COORDINATE:
            c.q[j], c.v[i] = y[0], c.y[c.sensed[k, 4]]
            continue
        X = c.bodies[k]
        R_LB, R_WJ = (
            (X[0], X[1], X[2], X[3], X[4], X[5], X[6], X[7], X[8]),
            (X[12], X[13], X[14], X[15], X[16], X[17], X[18], X[19], X[20]),
        )
        r_LB, r_WJ = (X[9], X[10], X[11]), (X[21], X[22], X[23])
        R_WB = nearest_rotation((y[3], y[4], y[5], y[6], y[7], y[8], y[9], y[10], y[11]))
        # R_JL = R_WJᵀ R_WB R_LBᵀ
        rows = (
            mul(R_LB, (R_WB[0], R_WB[1], R_WB[2])), mul(R_LB, (R_WB[3], R_WB[4], R_WB[5])),
            mul(R_LB, (R_WB[6], R_WB[7], R_WB[8])),
        )  # fmt: skip
        R_WL = (
            rows[0][0], rows[0][1], rows[0][2], rows[1][0], rows[1][1], rows[1][2], rows[2][0], rows[2][1], rows[2][2],
        )  # fmt: skip
        columns = (
            mul_t(R_WJ, (R_WL[0], R_WL[3], R_WL[6])), mul_t(R_WJ, (R_WL[1], R_WL[4], R_WL[7])),
            mul_t(R_WJ, (R_WL[2], R_WL[5], R_WL[8])),
        )  # fmt: skip
        R_JL = (
            columns[0][0], columns[1][0], columns[2][0], columns[0][1], columns[1][1], columns[2][1], columns[0][2],
            columns[1][2], columns[2][2],
        )  # fmt: skip
        r = mul_t(R_WJ, minus(minus((y[0], y[1], y[2]), mul(R_WL, r_LB)), r_WJ))
        c.q[j], c.q[j + 1], c.q[j + 2] = r[0], r[1], r[2]
        put_quaternion(R_JL, c.q, j + 3)
        w = mul(R_LB, (y[12], y[13], y[14]))
        v = minus(mul(R_LB, (y[15], y[16], y[17])), cross(w, r_LB))
        for d in range(3):
            c.v[i + d], c.v[i + 3 + d] = w[d], v[d]


@inner
def make_input_matrix(c: Control) -> None:
    """B at the poses and Jacobians of this state."""
    n = c.b.shape[0]
    copy_matrix(c.B0, c.B)
    for k in range(c.acting.shape[0]):
        kind, frame, first, count = c.acting[k, 0], c.acting[k, 1], c.acting[k, 2], c.acting[k, 3]
        J, R = c.J[frame], rotation(c.R[frame])
        for j in range(n):
            w, v = (J[0, j], J[1, j], J[2, j]), (J[3, j], J[4, j], J[5, j])
            if kind == THRUST:
                for i in range(first, first + count):
                    T = c.thrust[i]
                    c.B[j, i] = w[0] * T[0] + w[1] * T[1] + w[2] * T[2] + v[0] * T[3] + v[1] * T[4] + v[2] * T[5]
                continue
            w, v = mul(R, w), mul(R, v)
            for i in range(3):
                if kind == WRENCH:
                    c.B[j, first + i], c.B[j, first + 3 + i] = w[i], v[i]
                else:
                    c.B[j, first + i] = v[i]


@inner
def is_within(W: Array, l: Array, u: Array) -> bool:
    """Whether W u ≤ l, to rounding; as `control.allocation` has it."""
    for i in range(l.shape[0]):
        s = 0.0
        for k in range(u.shape[0]):
            s += W[i, k] * u[k]
        if not s <= l[i] + FEASIBLE * (1.0 + abs(l[i])):
            return False
    return True


@inner
def choose_inputs(c: Control) -> int:
    """u0 and H of Gauss' principle, and the inputs nearest to u0 within limits.

    Of redundant inputs the same of the directions in which they act.
    """
    n, nu, M = c.b.shape[0], c.u.shape[0], c.M[0]
    if not factor_cholesky(M, n, DEFINITE_RTOL):
        return TREE
    redundant = c.re_weight.shape[0] > 0
    if redundant:
        nu = find_directions(c.B, c.Z, c.u, c.Y, c.re_T)
    for i in range(nu):
        if not redundant:
            for j in range(n):
                c.Y[i, j] = c.B[j, i]
        solve_cholesky(M, n, c.Y[i])
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += c.M_bar[j, k] * c.Y[i, k]
            c.Z[i, j] = s
    solve_cholesky(M, n, c.b)
    for i in range(nu):
        s = 0.0
        for j in range(n):
            s += c.Z[i, j] * c.b[j] - c.Y[i, j] * c.b_bar[j]
        c.u0[i] = s
        for k in range(i + 1):
            s = 0.0
            for j in range(n):
                s += c.Y[i, j] * c.Z[k, j]
            c.H[i, k] = c.H[k, i] = s
    if not factor_cholesky(c.M_bar, n, SINGULAR_RTOL):  # it is not needed any more
        return INERTIA
    for i in range(nu):
        c.u[i] = c.H[i, i]
    if not factor_cholesky(c.H, nu, DEFINITE_RTOL):
        return INPUT_METRIC
    solve_cholesky(c.H, nu, c.u0)
    for i in range(nu):  # H again: its upper half and its diagonal
        c.H[i, i] = c.u[i]
        for k in range(i):
            c.H[i, k] = c.H[k, i]
    return share_inputs(c, nu) if redundant else limit_inputs(c)


@inner
def programme(c: Control) -> Workspace:
    """Memory of the quadratic programme."""
    return Workspace(
        c.qp_U, c.qp_W, c.qp_A, c.qp_scale, c.qp_d, c.qp_size, c.qp_rtol, c.qp_excess, c.qp_Q, c.qp_T, c.qp_kept,
        c.qp_lam, c.qp_y, c.qp_z, c.qp_r,
    )  # fmt: skip


@inner
def is_free(c: Control) -> bool:
    """Whether u0 is within the limits: then it is u."""
    if not is_within(c.W, c.l, c.u0):
        return False
    for i in range(c.u.shape[0]):
        c.u[i] = c.u0[i]
        c.active[i] = -1
    return True


@inner
def limit_inputs(c: Control) -> int:
    """u from u0 and H; a status."""
    if is_free(c):
        return FINE
    work = programme(c)
    if prepare(c.H, c.W, work) != OPTIMAL:
        return INPUT_METRIC
    status = solve_program(work, c.u0, c.l, c.active, MOST_CHANGES, c.u, c.multipliers, c.report)
    for k in range(c.multipliers.shape[0]):
        if c.multipliers[k] > 0.0:
            c.status[1] += 1
            break
    return outcome(c, status)


@inner
def share_inputs(c: Control, r: int) -> int:
    """u of redundant inputs, where u0 and H are those of the r directions in which they act; a status."""
    p = Redundant(
        c.re_weight, c.re_inverse, c.re_T, c.re_K, c.re_S, c.re_near, c.re_w, c.re_vectors, c.re_rows, c.re_room,
        c.re_active,
    )  # fmt: skip
    if not invert_shares(p, r):
        return INPUT_METRIC
    for k in range(r):
        c.re_w[0, k] = c.u0[k]
    put_lightest(p, r, c.re_w[0], c.u0)
    if is_free(c):
        return FINE
    work = programme(c)
    status = approach(
        p, r, c.H, c.W, c.l, work, c.u0, MOST_CHANGES, c.active, c.u, c.multipliers, c.report
    )  # fmt: skip
    if is_costly(p, r, c.H, c.u):
        c.status[1] += 1
    if status == OPTIMAL and not lighten(p, r, c.W, c.l, work, MOST_CHANGES, c.u, c.multipliers, c.report):
        return PROGRAM
    return outcome(c, status)


@inner
def outcome(c: Control, status: int) -> int:
    """The status of inputs by that of their programme."""
    if status == INFEASIBLE_LEAST_VIOLATION:
        c.status[2] += 1
        return LEAST_VIOLATION
    return FINE if status == OPTIMAL else PROGRAM


@inner
def evaluate(c: Control, t: float) -> int:
    """Inputs u at what is read and the reference at t."""
    read_state(c)
    if not interpolate(c.knots, c.clock, c.filler[0], t, c.q_R, c.rates[0], c.rates[1]):
        return NO_REFERENCE
    give_velocities(c.K, c.q_R, c.rates[0], c.rates[1], c.v_R, c.a_R)
    frames = Frames(c.path, c.ends, c.X, c.pairs, c.K)
    x = Motion(c.R, c.r, c.J, c.J_dot, c.R_ab, c.r_ab, c.J_ab, c.J_ab_dot, c.V)
    ref = Motion(c.R_ref, c.r_ref, c.J_ref, c.J_dot_ref, c.R_ab_ref, c.r_ab_ref, c.J_ab_ref, c.J_ab_dot_ref, c.V_ref)
    if move_pairs(c.tree, frames, c.q, c.v, x) != 0 or move_pairs(c.tree, frames, c.q_R, c.v_R, ref) != 0:
        return TREE
    gains = templates.Gains(c.moments, c.matrices, c.maps, c.centres, c.joints, c.scalars)
    wanted = templates.Template(c.M_bar, c.b_bar, c.A, c.beta, c.rows, c.Q, c.v_E, c.wide)
    approach = c.sizes[APPROACH]
    if templates.make_template(approach, gains, x, ref, c.q, c.v, c.q_R, c.v_R, c.a_R, wanted) != 0:
        return TRANSPORT
    if inverses(c.tree, MOTION | GRAVITY | PASSIVE, c.q, c.v, c.still, c.b) != 0 or masses(c.tree, c.q, c.M) != 0:
        return TREE
    make_input_matrix(c)
    return choose_inputs(c)


@inner
def give_inputs(c: Control, out: Array) -> None:
    """Inputs of ports: as they are, or wrenches of actuators in world axes at the centre of mass."""
    for k in range(c.given.shape[0]):
        frame, first, count, at = c.given[k, 0], c.given[k, 1], c.given[k, 2], c.given[k, 3]
        if frame == DIRECT:
            for i in range(count):
                out[at + i] = c.u[first + i]
            continue
        m, f = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for i in range(first, first + count):
            T, s = c.thrust[i], c.u[i]
            m = (m[0] + s * T[0], m[1] + s * T[1], m[2] + s * T[2])
            f = (f[0] + s * T[3], f[1] + s * T[4], f[2] + s * T[5])
        R = rotation(c.R[frame])
        m = mul(R, plus(m, cross(f, (c.com[k, 0], c.com[k, 1], c.com[k, 2]))))
        f = mul(R, f)
        for i in range(3):
            out[at + i], out[at + 3 + i] = m[i], f[i]


@inner
def track_control(c: Control, t: float) -> int:
    """Inputs at t and what is read, written behind it in `last`; a status."""
    n = c.sizes[SENSED]
    same = c.last[0] == t and (
        c.status[0] == FINE or c.status[0] == LEAST_VIOLATION
    )  # a failure may be another one now
    for i in range(n):
        same = same and c.last[1 + i] == c.y[i]
    if same:
        return int(c.status[0])
    status = evaluate(c, t)
    out = c.last[1 + n :]
    if status in (FINE, LEAST_VIOLATION):
        give_inputs(c, out)
    else:
        for i in range(c.sizes[GIVEN]):
            out[i] = math.nan
    c.last[0] = t
    for i in range(n):
        c.last[1 + i] = c.y[i]
    c.status[0] = status
    return status


@kernel
def reference_at(row: Int, t: Array, Q: Array, V: Array, A: Array) -> int:
    """The reference at times t, a row each of Q, V, A; how many times have one, up to the first that has none."""
    c = take(row, 0)
    for k in range(t.shape[0]):
        if not interpolate(c.knots, c.clock, c.filler[0], t[k], c.q_R, c.rates[0], c.rates[1]):
            return k
        give_velocities(c.K, c.q_R, c.rates[0], c.rates[1], c.v_R, c.a_R)
        for i in range(c.q_R.shape[0]):
            Q[k, i] = c.q_R[i]
        for i in range(c.v_R.shape[0]):
            V[k, i], A[k, i] = c.v_R[i], c.a_R[i]
    return int(t.shape[0])


@kernel
def track_at(row: Int, t: float) -> int:
    """`track_control` of a row."""
    return track_control(take(row, 0), t)


@kernel
def track_many(row: Int, t: Array, y: Array, out: Array) -> int:
    """Inputs at many instants, up to the first that has none: its number, else how many there are."""
    c = take(row, 0)
    n = c.sizes[SENSED]
    for b in range(t.shape[0]):
        for i in range(n):
            c.y[i] = y[b, i]
        status = track_control(c, t[b])
        if status not in (FINE, LEAST_VIOLATION):
            return b
        for i in range(c.sizes[GIVEN]):
            out[b, i] = c.last[1 + n + i]
    return int(t.shape[0])


@inner
def track_port(T: Int, P: Array, t: float, x: Array, u: Array) -> None:
    """Some inputs of a tracking law. P: which is the first of them, how many, and the row of the law, bit by bit."""
    own = T[0]
    c = take(P, own + ROW)
    for i in range(c.sizes[SENSED]):
        c.y[i] = x[T[2 + i]]
    track_control(c, t)
    first = 1 + c.sizes[SENSED] + int(P[own])
    for i in range(int(P[own + 1])):
        u[T[1] + i] = c.last[first + i]


def track(n: int, T: Int, P: Array, t: float, x: Array, u: Array) -> None:
    """`track_port` as C calls it."""
    track_port(carray(T, (UNKNOWN,)), carray(P, (UNKNOWN,)), t, carray(x, (UNKNOWN,)), carray(u, (UNKNOWN,)))


@cache
def track_address() -> int:
    """The address of `track`."""
    return addressable(INPUTS, track)
