"""Laws of feedback in a step: inputs u = law(t, y(z)) that are solved together with the unknowns z of the step.

They are eliminated: the residual is r(z, u(z)). Its matrix A + B L has the matrix A of the step without laws, one
column of B = ∂r/∂u per input, and the slopes L = ∂u/∂z of the laws, so that with A factorised (Woodbury)

    δ = δ0 + V (I - L V)⁻¹ L δ0,        δ0 = -A⁻¹ r,   V = -A⁻¹ B

takes one more solution per input that follows a law. L is only ever applied to a direction, by a difference of the
laws along it: at a kink of a law it is one of its slopes there, or between them.
"""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.calls import call_inputs
from visviva.kernels.functions import inner
from visviva.kernels.lu import solve
from visviva.kernels.multibody.algebra import add_to, matrix, moment, mul, put, times, vector
from visviva.kernels.multibody.bodies import load_moment, turned
from visviva.kernels.multibody.border import solve_border
from visviva.kernels.multibody.elements import push_elements
from visviva.kernels.multibody.ggl_border import solve_rate_border
from visviva.kernels.multibody.ggl_graph import load_rates, unload_rates
from visviva.kernels.multibody.ggl_step import place_middle
from visviva.kernels.multibody.ggl_tables import DV1, KIN_T, Rates
from visviva.kernels.multibody.graph import load_graph, unload_graph
from visviva.kernels.multibody.sensors import Sensors, sense
from visviva.kernels.multibody.solver import Elimination, Sparse
from visviva.kernels.multibody.tables import DU, FORCE, TORQUE, A, Elements, Int, Losses, Machine, U
from visviva.kernels.multibody.tree import solve_dense, solve_tree

STEP = 1e-7  # of differences: of velocities, and of 1 m/s and 1 rad/s where these are smaller
ZERO = (0.0, 0.0, 0.0)


class Feedback(NamedTuple):
    """Laws, what they see, and the memory of their solution."""

    sensors: Sensors
    x: Array  # numbers of all sensors
    laws: Int  # (laws, 2) address, first place in `rows`
    rows: Int
    numbers: Array
    columns: Int  # (n,) inputs that follow laws
    clock: Array  # (2,) time of the run's start, and steps since then, where a call begins
    nodes: Array  # middles of the parts of a step
    V: Array  # (n + 1, unknowns) increments by unit inputs, then those by the residual
    L: Array  # (n, n) L V
    pad: Array  # (n + 1, n)
    z: Array  # (6 bodies,) velocities
    u: Array  # (inputs,)


@inner
def feed(M: Machine, f: Feedback, t: float, u: Array, h: float) -> None:
    """Inputs by laws of a step with its middle at t, at the unknowns as they are."""
    place_middle(M.B, h)
    sense(M.B, M.T, M.TK, f.sensors, f.x, h)
    for k in range(f.laws.shape[0]):
        call_inputs(
            f.laws[k, 0],
            (
                1, f.rows[f.laws[k, 1] :].ctypes.data, f.numbers.ctypes.data, t, f.x.ctypes.data, u.ctypes.data,
            ),
        )  # fmt: skip


@inner
def _push_unit(M: Machine, e: Elements, losses: Losses | None, level: Rates | None, i: int, h: float) -> None:
    """The residual ∂r/∂u of one input; it takes the place of the residual of the step."""
    for b in range(M.B.shape[0] - 1):
        put(M.B, b, FORCE, ZERO)
        put(M.B, b, TORQUE, ZERO)
    for k in range(M.gap.size):
        M.gap[k] = 0.0
    if level is not None:
        for b in range(M.B.shape[0] - 1):
            put(level.B, b, KIN_T, ZERO)
            put(level.B, b, KIN_T + 3, ZERO)
        for k in range(level.gap.size):
            level.gap[k] = 0.0
    for k in range(e.effort.size):
        e.effort[k] = 0.0
    for k in range(e.pushed.shape[0]):
        if e.pushed[k, 1] == i:
            e.effort[e.pushed[k, 0]] -= 1.0
    if losses is not None:
        for k in range(losses.motor.shape[0]):
            if losses.motor[k, 3] == i:
                R, L, K = losses.motor_numbers[k, 0], losses.motor_numbers[k, 1], losses.motor_numbers[k, 2]
                e.effort[losses.motor[k, 0]] -= K / (R + 2.0 * L / h)
    push_elements(M, e, h)
    for k in range(e.loads.shape[0]):
        b, at, own = e.loads[k, 0], i - e.loads[k, 1], e.loads[k, 3]
        if 0 <= at < e.loads[k, 2]:
            unit = (1.0 if at % 3 == 0 else 0.0, 1.0 if at % 3 == 1 else 0.0, 1.0 if at % 3 == 2 else 0.0)
            a = vector(M.B, b, A)
            if own >= 0:
                unit = turned(M.B, b, a, mul(matrix(e.axes, own, 0), unit))
            if e.loads[k, 2] == 6 and at < 3:
                add_to(M.B, b, TORQUE, times(-h, moment(a, load_moment(a, unit))))
            else:
                add_to(M.B, b, FORCE, times(-h, unit))


@inner
def _solve_again(M: Machine, s: Elimination, sparse: Sparse | None, level: Rates | None) -> None:
    """Increments from a residual, with the factors that are there."""
    if level is not None:
        if sparse is None:
            solve_rate_border(M, level)
        else:
            load_rates(M, level)
            solve(level.plan, level.LU, level.b, level.pad)
            unload_rates(M, level)
    elif sparse is not None:
        load_graph(M, sparse.graph)
        solve(sparse.plan, sparse.graph.LU, sparse.graph.b, sparse.graph.pad)
        unload_graph(M, sparse.graph)
    elif s.border.rows.shape[0] > 0:
        solve_border(M, s.tree, s.border)
    else:
        solve_tree(M.B, M.K, M.gap, M.dlam, s.tree.joints, s.tree.Y, s.tree.roots, s.tree.six, False)


@inner
def _keep_increments(M: Machine, level: Rates | None, y: Array) -> None:
    n, m = M.B.shape[0] - 1, M.dlam.size
    for b in range(n):
        for j in range(6):
            y[6 * b + j] = M.B[b, DU + j]
    for k in range(m):
        y[6 * n + k] = M.dlam[k]
    if level is not None:
        first = 6 * n + m
        for b in range(n):
            for j in range(6):
                y[first + 6 * b + j] = level.B[b, DV1 + j]
        for k in range(m):
            y[first + 6 * n + k] = level.dG[k]


@inner
def _put_increments(M: Machine, level: Rates | None, y: Array) -> None:
    n, m = M.B.shape[0] - 1, M.dlam.size
    for b in range(n):
        for j in range(6):
            M.B[b, DU + j] = y[6 * b + j]
    for k in range(m):
        M.dlam[k] = y[6 * n + k]
    if level is not None:
        first = 6 * n + m
        for b in range(n):
            for j in range(6):
                level.B[b, DV1 + j] = y[first + 6 * b + j]
        for k in range(m):
            level.dG[k] = y[first + 6 * n + k]


@inner
def _slope(M: Machine, f: Feedback, t: float, u: Array, h: float, y: Array, out: Array) -> None:
    """L y of a direction y of the unknowns, of which laws see the velocities in the middle of the step."""
    n, largest, size = M.B.shape[0] - 1, 1.0, 0.0
    for b in range(n):
        for j in range(6):
            f.z[6 * b + j] = M.B[b, U + j]
            largest = max(largest, abs(M.B[b, U + j]))
            size = max(size, abs(y[6 * b + j]))
    eps = STEP * largest / size if size > 0.0 else 1.0
    for b in range(n):
        for j in range(6):
            M.B[b, U + j] += eps * y[6 * b + j]
    for k in range(u.size):
        f.u[k] = u[k]
    feed(M, f, t, f.u, h)
    for k in range(f.columns.size):
        out[k] = (f.u[f.columns[k]] - u[f.columns[k]]) / eps
    for b in range(n):
        for j in range(6):
            M.B[b, U + j] = f.z[6 * b + j]


@inner
def close_loop(
    M: Machine, e: Elements, losses: Losses | None, s: Elimination, sparse: Sparse | None, level: Rates | None,
    f: Feedback, t: float, u: Array, h: float, fresh: bool,
) -> None:  # fmt: skip
    """From the increments δ0 at constant inputs to those with the laws; fresh: the matrix of the step is a new one."""
    n = f.columns.size
    _keep_increments(M, level, f.V[n])
    if fresh:
        for j in range(n):
            _push_unit(M, e, losses, level, f.columns[j], h)
            _solve_again(M, s, sparse, level)
            _keep_increments(M, level, f.V[j])
        for j in range(n):
            _slope(M, f, t, u, h, f.V[j], f.L[j])
    _slope(M, f, t, u, h, f.V[n], f.pad[n])
    for i in range(n):
        for j in range(n):
            f.pad[i, j] = (1.0 if i == j else 0.0) - f.L[j, i]
    solve_dense(n, f.pad, f.pad[n])
    for j in range(n):
        for k in range(f.V.shape[1]):
            f.V[n, k] += f.pad[n, j] * f.V[j, k]
    _put_increments(M, level, f.V[n])
