"""advance: many steps of a compiled model without Python."""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.functions import inner, kernel
from visviva.kernels.lu import Plan
from visviva.kernels.newton import BROKEN_ROW, FROZEN, SOLVED_STEP, newton
from visviva.kernels.program import DIM, OUTPUTS, SOLVED, STAGES, Idle, Program, Work, X

NOTHING = -1
SHORTEST = 1.0 / 64.0  # part of a damped iteration
BROKEN = 1e-9  # largest part of its terms that a row which is not solved may miss


class Log(NamedTuple):
    """What every step leaves: states, unknowns, powers of all components, what reservoirs took, Newton's work."""

    x: Array  # (n + 1, X)
    y: Array  # (n, unknowns) of its last part
    before: Array  # (n, unknowns) of the part before
    w: Array  # (n, SOLVED - DIM) mean algebraic unknowns
    out: Array  # (n, OUTPUTS) mean power into the junctions
    taken: Array  # (n, reservoirs)
    report: Array  # (n, 4) iterations, residual, worst row, smallest pivot


@kernel
def advance(
    prog: Program,
    plan: Plan,
    idle: Idle,
    work: Work,
    settings: Array,
    parts: Array,
    u: Array,
    clock: Array,
    history: Array,
    n: int,
    log: Log,
) -> tuple[int, int]:
    """n steps from work.x; returns the number of steps made and why it stopped.

    settings: of Newton's method.
    parts:   (2, parts) lengths of the parts of a step, as fractions of h; for each, how far the line through the last
             two solutions is to be followed, in units of their distance.
    u:       (n, parts * stages, inputs).   clock: start of the run's clock, steps made on it, h.
    history: (3, unknowns) how many solutions are known (first entry), then the last and the one before.
    """
    S, unknowns = prog.sizes[STAGES], prog.sizes[SOLVED] * prog.sizes[STAGES]
    t0, done, h = clock[0], clock[1], clock[2]
    known = int(history[0, 0])
    for k in range(prog.sizes[X]):
        log.x[0, k] = work.x[k]
    for step in range(n):
        _clear(log, step)
        begin = 0.0
        for part in range(parts.shape[1]):
            length = parts[0, part] * h
            t = t0 + (done + step + begin) * h
            inputs = u[step, part * S : (part + 1) * S]
            status = _solve(
                prog, plan, idle, work, settings, inputs, t, length, parts[1, part], history, known, log.report[step]
            )
            if status != SOLVED_STEP:
                return step, status
            _write(prog, work, length, parts[0, part], step, log)
            for k in range(unknowns):
                history[2, k] = history[1, k]
                history[1, k] = work.y[k]
            known = min(2, known + 1)
            for k in range(prog.sizes[X]):
                work.x[k] = work.end[k]
            begin += parts[0, part]
        for k in range(prog.sizes[X]):
            log.x[step + 1, k] = work.end[k]
        for k in range(unknowns):
            log.y[step, k] = history[1, k]
            log.before[step, k] = history[2, k]
    return n, SOLVED_STEP


@inner
def _solve(
    prog: Program,
    plan: Plan,
    idle: Idle,
    work: Work,
    settings: Array,
    u: Array,
    t: float,
    h: float,
    ahead: float,
    history: Array,
    known: int,
    report: Array,
) -> int:
    """One part of a step: from the predictor, from the last values, and from those with damped iterations."""
    iterations, residual, status = report[0], report[1], NOTHING
    for attempt in range(3):
        if attempt == 0 and known < 2:
            continue
        for k in range(history.shape[1]):
            last = history[1, k]
            work.y[k] = last + ahead * (last - history[2, k]) if attempt == 0 else last
        for k in range(idle.rows.size):
            work.y[idle.rows[k]] = 0.0
        status = newton(prog, plan, idle, work, settings, u, t, h, SHORTEST if attempt == 2 else 1.0, report)
        iterations += report[0]
        if status == SOLVED_STEP:
            break
    if status != SOLVED_STEP:
        return status
    broken, gap = _broken(prog, idle, work)
    if broken >= 0:
        report[1], report[2] = gap, broken
        return BROKEN_ROW
    for k in range(prog.hot.size):
        for i in range(prog.sizes[STAGES]):
            if not work.z[i, prog.hot[k]] + prog.theta0[0] > 0.0:
                report[1], report[2] = work.z[i, prog.hot[k]] + prog.theta0[0], prog.hot[k]
                return FROZEN
    report[0], report[1] = iterations, max(residual, report[1])
    return SOLVED_STEP


@inner
def _broken(prog: Program, idle: Idle, work: Work) -> tuple[int, float]:
    """The row that was left out and holds worst, if that is too bad, else -1; and what it misses of its size.

    Rows whose terms are all small are measured by the others: as small as 1e-6 of those they count as zero.
    """
    largest = 0.0
    if idle.rows.size:
        for k in range(prog.sizes[DIM] * prog.sizes[STAGES], prog.sizes[SOLVED] * prog.sizes[STAGES]):
            largest = max(largest, work.size[prog.group[k]])
    worst, most = -1, BROKEN
    for k in range(idle.rows.size):
        gap = work.rest[k] / max(work.size[prog.group[idle.rows[k]]], max(1e-6 * largest, 1e-300))
        if not gap <= most:
            worst, most = idle.rows[k], gap
    return worst, most


@inner
def _clear(log: Log, step: int) -> None:
    for k in range(log.w.shape[1]):
        log.w[step, k] = 0.0
    for k in range(log.out.shape[1]):
        log.out[step, k] = 0.0
    for k in range(log.taken.shape[1]):
        log.taken[step, k] = 0.0
    log.report[step, 0] = 0.0
    log.report[step, 1] = 0.0


@inner
def _write(prog: Program, work: Work, h: float, share: float, step: int, log: Log) -> None:
    """Flows and powers of a part of a step that was accepted; share: its length as a fraction of the step."""
    S, dim, first = prog.sizes[STAGES], prog.sizes[DIM], prog.sizes[SOLVED]
    for i in range(S):
        b = prog.tableau[S + i]
        for k in range(log.taken.shape[1]):
            log.taken[step, k] -= h * b * work.r[(first + k) * S + i]
        for k in range(log.w.shape[1]):
            log.w[step, k] += share * b * work.y[(dim + k) * S + i]
        for k in range(prog.sizes[OUTPUTS]):
            log.out[step, k] += share * b * work.out[i, k]
