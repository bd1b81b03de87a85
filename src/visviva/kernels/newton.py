"""Newton's method for one step, to stagnation; see `visviva.integrate.newton` for the reasons."""

from __future__ import annotations

import math

from visviva._arrays import Array
from visviva.kernels.functions import inner
from visviva.kernels.lu import Plan, factor, solve
from visviva.kernels.program import SOLVED, STAGES, Idle, Program, Work
from visviva.kernels.residual import MATRIX, POWERS, RESIDUAL, ROUNDING, evaluate

SOLVED_STEP, NOT_CONVERGED, NOT_FINITE, SINGULAR, FROZEN, BROKEN_ROW = range(6)
FLOOR, ROUNDED, ACCEPT, SLOW, MOST = range(5)  # places of the settings, see `visviva.integrate.newton`
STAGNANT = 0.25


@inner
def newton(
    prog: Program,
    plan: Plan,
    idle: Idle,
    work: Work,
    settings: Array,
    u: Array,
    t: float,
    h: float,
    shortest: float,
    report: Array,
) -> int:
    """Solve the step for work.y from the value it has, and evaluate its powers.

    shortest: 1 for full steps, less for steps that are halved while the residual grows.
    report:   iterations, residual, worst row, smallest pivot.

    There is one call of `evaluate`, in a loop that decides what to evaluate next: each call would be compiled again.
    """
    n, accept = prog.sizes[SOLVED] * prog.sizes[STAGES], settings[ACCEPT]
    best, worst, last, part, pivot = math.inf, -1, math.inf, 1.0, 1.0
    iteration, stalls, ready, fresh, reverted, mode = 0, 0, False, False, False, MATRIX
    while True:
        r, row = evaluate(prog, idle, work, u, t, h, mode)
        if mode == POWERS:
            return SOLVED_STEP
        if mode == RESIDUAL and not reverted and not r <= last and part > shortest and last > accept:
            part *= 0.5
            for k in range(n):
                work.y[k] += part * work.move[k]
            continue
        if reverted or r <= best or mode != RESIDUAL:  # with another scale the residual before does not compare
            best, worst = r, row
            for k in range(n):
                work.best[k] = work.y[k]
        report[0], report[1], report[2], report[3] = iteration, best, worst, pivot
        if not math.isfinite(r):
            return NOT_FINITE
        # with the matrix of an earlier iterate the residual may fall slowly without being rounding
        slow = mode == RESIDUAL and not reverted and r > STAGNANT * last
        stagnant = mode == ROUNDING or (slow and (fresh or best <= settings[ROUNDED]))
        if reverted or r <= settings[FLOOR] or (stagnant and best <= accept):
            reverted = best < r
            mode = POWERS
            if reverted:
                mode = RESIDUAL
                for k in range(n):
                    work.y[k] = work.best[k]
            continue
        if slow and fresh:  # sizes were those of another iterate; if that was not it, count the rounding of the states
            stalls += 1
            mode = ROUNDING if stalls > 1 else MATRIX
            continue
        if iteration >= settings[MOST]:
            return NOT_CONVERGED
        if mode == RESIDUAL and (not ready or r > settings[SLOW] * last or shortest < 1.0):
            mode = MATRIX
            continue
        if mode != RESIDUAL:
            pivot = factor(plan, work.V, work.LU, work.pad)
            if not pivot > 0.0:
                report[3] = pivot
                return SINGULAR
            ready = True
        fresh = mode != RESIDUAL
        for k in range(n):
            work.move[k] = work.r[k]
        solve(plan, work.LU, work.move, work.pad)
        for k in range(n):
            work.y[k] -= work.move[k]
        last, part, mode = r, 1.0, RESIDUAL
        iteration += 1
