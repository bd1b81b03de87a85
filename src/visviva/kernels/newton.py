"""Newton's method for one step, to stagnation; see `visviva.integrate.newton` for the reasons."""

from __future__ import annotations

import math

from visviva._arrays import Array
from visviva.kernels.cache import kernel
from visviva.kernels.lu import Plan, factor, solve
from visviva.kernels.program import SOLVED, STAGES, Idle, Program, Work
from visviva.kernels.residual import evaluate

SOLVED_STEP, NOT_CONVERGED, NOT_FINITE, SINGULAR, FROZEN, BROKEN_ROW = range(6)
FLOOR, ACCEPT, SUSPECT = 4.440892098500626e-16, 1e-10, 1e-2
SLOW, STAGNANT = 0.1, 0.25
MOST = 40  # iterations
SHORTEST = 1.0 / 64.0  # part of a damped step


@kernel
def measure(prog: Program, work: Work) -> tuple[float, int]:
    """The largest scaled residual and its row; nan if a number is not finite."""
    largest, row, total = 0.0, -1, 0.0
    for k in range(prog.sizes[SOLVED] * prog.sizes[STAGES]):
        value = abs(work.r[k]) / work.size[prog.group[k]]
        total += value
        if value > largest:
            largest, row = value, k
    return largest + (total - total), row


@kernel
def _idle(idle: Idle, work: Work, mode: int) -> None:
    """Replace rows that are not solved by "unknown = 0", and keep what they leave."""
    for k in range(idle.rows.size):
        work.rest[k] = abs(work.r[idle.rows[k]]) / max(work.rs[idle.rows[k]], 1e-300)
        work.r[idle.rows[k]] = work.y[idle.rows[k]]
    if mode == 1:
        for k in range(idle.others.size):
            work.V[idle.others[k]] = 0.0
        for k in range(idle.diagonal.size):
            work.V[idle.diagonal[k]] = 1.0


@kernel
def _sizes(prog: Program, work: Work) -> None:
    """The size of each group of rows: that of its largest one."""
    most = 0.0
    for g in range(work.size.size):
        work.size[g] = 0.0
    for k in range(prog.sizes[SOLVED] * prog.sizes[STAGES]):
        g = prog.group[k]
        if work.rs[k] > work.size[g]:
            work.size[g] = work.rs[k]
            most = max(most, work.rs[k])
    for g in range(work.size.size):
        work.size[g] = max(work.size[g], max(1e-12 * most, 1e-300))


@kernel
def newton(
    prog: Program, plan: Plan, idle: Idle, work: Work, u: Array, t: float, h: float, shortest: float, report: Array
) -> int:
    """Solve the step for work.y from the value it has. report: iterations, residual, worst row, smallest pivot.

    shortest: 1 for full steps, less for steps that are halved while the residual grows.
    """
    n = prog.sizes[SOLVED] * prog.sizes[STAGES]
    r, row = _assemble(prog, idle, work, u, t, h, 1)
    best, worst, last, pivot = r, row, math.inf, 1.0
    ready, fresh = False, True
    _copy(work.y, work.best)
    for iteration in range(MOST + 1):
        if r <= best:
            best, worst = r, row
            _copy(work.y, work.best)
        report[0], report[1], report[2], report[3] = iteration, best, worst, pivot
        if not math.isfinite(r):
            return NOT_FINITE
        stagnant = r > STAGNANT * last
        if stagnant and best > ACCEPT and best < SUSPECT:  # what is left may be the rounding of the states
            _copy(work.best, work.y)
            r, row = _assemble(prog, idle, work, u, t, h, 3)
            best, fresh, ready = r, True, False
        if r <= FLOOR or (stagnant and best <= ACCEPT):
            if best < r:
                _copy(work.best, work.y)
                evaluate(prog, work, u, t, h, 0)
                _idle(idle, work, 0)
            report[1] = best
            return SOLVED_STEP
        if iteration == MOST:
            return NOT_CONVERGED
        if not ready or r > SLOW * last or shortest < 1.0:
            if not fresh:
                r, row = _assemble(prog, idle, work, u, t, h, 1)
                best = r
            pivot = factor(plan, work.V, work.LU, work.pad)
            if not pivot > 0.0:
                report[3] = pivot
                return SINGULAR
            ready = True
        _copy(work.r[:n], work.move)
        solve(plan, work.LU, work.move, work.pad)
        last, part = r, 1.0
        for k in range(n):
            work.y[k] -= work.move[k]
        while True:
            evaluate(prog, work, u, t, h, 0)
            _idle(idle, work, 0)
            r, row = measure(prog, work)
            if r <= last or part <= shortest or last <= ACCEPT:
                break
            part *= 0.5
            for k in range(n):
                work.y[k] += part * work.move[k]
        fresh = False
    return NOT_CONVERGED


@kernel
def _assemble(
    prog: Program, idle: Idle, work: Work, u: Array, t: float, h: float, mode: int
) -> tuple[float, int]:
    """Residual, matrix and sizes at work.y; returns the largest scaled residual and its row."""
    evaluate(prog, work, u, t, h, mode)
    _idle(idle, work, 1)
    _sizes(prog, work)
    return measure(prog, work)


@kernel
def _copy(source: Array, target: Array) -> None:
    for k in range(target.size):
        target[k] = source[k]
