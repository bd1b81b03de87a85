"""advance: many steps of a compiled model without Python."""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.cache import kernel
from visviva.kernels.lu import Plan
from visviva.kernels.newton import BROKEN_ROW, FROZEN, SHORTEST, SOLVED_STEP, newton
from visviva.kernels.program import DIM, OUTPUTS, SOLVED, STAGES, X, Z, Idle, Program, Work
from visviva.kernels.residual import evaluate

NOTHING = -1
BROKEN = 1e-9  # largest part of its terms that a row which is not solved may miss


class Log(NamedTuple):
    """What every step leaves: states, unknowns, powers of all components, what reservoirs took, Newton's work."""

    x: Array  # (n + 1, X)
    y: Array  # (n, unknowns)
    out: Array  # (n, OUTPUTS) mean power into the junctions
    taken: Array  # (n, reservoirs)
    report: Array  # (n, 4) iterations, residual, worst row, smallest pivot


@kernel
def advance(
    prog: Program,
    plan: Plan,
    idle: Idle,
    work: Work,
    u: Array,
    clock: Array,
    history: Array,
    n: int,
    log: Log,
) -> tuple[int, int]:
    """n steps from work.x; returns the number of steps made and why it stopped.

    u: (n, stages, inputs).   clock: start of the run's clock, steps made on it, h.
    history: (3,) + two rows of unknowns: how many of them are known, then the last and the one before.
    """
    S, unknowns = prog.sizes[STAGES], prog.sizes[SOLVED] * prog.sizes[STAGES]
    t0, done, h = clock[0], clock[1], clock[2]
    known = int(history[0, 0])
    for k in range(prog.sizes[X]):
        log.x[0, k] = work.x[k]
    for step in range(n):
        t = t0 + (done + step) * h
        status = NOTHING
        for attempt in range(3):  # from the predictor, from the last values, and from those with damped steps
            if attempt == 0 and known < 2:
                continue
            for k in range(unknowns):
                last = history[1, k]
                work.y[k] = 2.0 * last - history[2, k] if attempt == 0 else last
            for k in range(idle.rows.size):
                work.y[idle.rows[k]] = 0.0
            status = newton(prog, plan, idle, work, u[step], t, h, SHORTEST if attempt == 2 else 1.0, log.report[step])
            if status == SOLVED_STEP:
                break
        if status != SOLVED_STEP:
            return step, status
        if _broken(idle, work):
            return step, BROKEN_ROW
        for k in range(prog.hot.size):
            for i in range(S):
                if not work.z[i, prog.hot[k]] + prog.theta0[0] > 0.0:
                    log.report[step, 2] = prog.hot[k]
                    log.report[step, 1] = work.z[i, prog.hot[k]] + prog.theta0[0]
                    return step, FROZEN
        _write(prog, work, u[step], t, h, step, log)
        for k in range(unknowns):
            history[2, k] = history[1, k]
            history[1, k] = work.y[k]
        known = min(2, known + 1)
        for k in range(prog.sizes[X]):
            work.x[k] = work.end[k]
    return n, SOLVED_STEP



@kernel
def _broken(idle: Idle, work: Work) -> bool:
    """Whether a row that was left out does not hold."""
    for k in range(idle.rows.size):
        if not work.rest[k] <= BROKEN:
            return True
    return False


@kernel
def _write(prog: Program, work: Work, u: Array, t: float, h: float, step: int, log: Log) -> None:
    """Powers and flows of the accepted step."""
    S = prog.sizes[STAGES]
    first, total = prog.sizes[SOLVED], prog.sizes[Z]
    for k in range(first, total):
        log.taken[step, k - first] = 0.0
        for i in range(S):
            log.taken[step, k - first] -= h * prog.tableau[S + i] * work.r[k * S + i]
    evaluate(prog, work, u, t, h, 2)
    for k in range(prog.sizes[OUTPUTS]):
        log.out[step, k] = 0.0
        for i in range(S):
            log.out[step, k] += prog.tableau[S + i] * work.out[i, k]
    for k in range(prog.sizes[X]):
        log.x[step + 1, k] = work.end[k]
    for k in range(prog.sizes[SOLVED] * S):
        log.y[step, k] = work.y[k]
