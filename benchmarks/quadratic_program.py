"""Quadratic programmes of tracking control: a wanted input that moves, within bounds and other limits; DAQP beside us.

DAQP is called from Python, there is no other way into its wheel: `update` of what has changed, then `solve`, which
starts from its last working set. Three comparisons:

-   our kernels from a compiled loop, as laws of control call them, against these calls;
-   the same against these calls less what they cost for one input and one row, which is close to DAQP alone;
-   one call of ours from Python, with all checks, against these calls.

"H and W kept" is another wanted input in each call; "all new" are other weights, rows, limits and wanted inputs, so
that all is factored anew. All start from the working set before.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.row import Row, against, duration
from benchmarks.timing import Call, fastest
from visviva._arrays import Array
from visviva.control.quadratic_program import QuadraticProgram, solve_quadratic_program
from visviva.kernels import quadratic_program as kernels

INSTALLED = importlib.util.find_spec("daqp") is not None
SIZES = {4: 16, 6: 24, 12: 40, 30: 80}  # rows for inputs
LIMIT = 10_000


class Programs(NamedTuple):
    """Programmes with one H and W, and a wanted input that moves from each to the next."""

    H: Array  # (n, n)
    W: Array  # (m, n)
    l: Array  # (m,)
    U0: Array  # (count, n)


def programs(n: int, m: int, count: int) -> Programs:
    """|u_i| ≤ 1, and sums of inputs with random weights below a limit; about a third of the inputs is held back."""
    rng = np.random.default_rng(n)
    B = rng.normal(size=(n, n))
    sums = rng.normal(size=(max(0, m - 2 * n), n))
    W = np.vstack([np.eye(n), -np.eye(n), sums])[:m]
    l = np.append(np.ones(2 * n), np.sqrt(n) * rng.uniform(0.2, 1.0, len(sums)))[:m]
    phase = np.linspace(0.0, 0.02 * count, count)[:, None] + rng.uniform(0.0, 2 * np.pi, n)
    return Programs(B @ B.T + 0.1 * np.eye(n), W, l, 1.5 * np.sin(phase))


def rows(quick: bool = False) -> list[Row]:
    """Each size in a compiled loop and by calls."""
    count, repeats = (3, 1) if quick else (300, 25)
    found = list[Row]()
    for n, m in SIZES.items():
        found += _rows(n, m, count, repeats)
    return found


def _rows(n: int, m: int, count: int, repeats: int) -> list[Row]:
    given, one = programs(n, m, count), programs(1, 1, count)
    ours = {
        "compiled loop, H and W kept": _compiled(given, False),
        "compiled loop, all new": _compiled(given, True),
        "call from Python, H and W kept": lambda: _called(given, False),
        "call from Python, all new": lambda: _called(given, True),
    }
    theirs: list[Call] = [_daqp(p, new) for p in (given, one) for new in (False, True)] if INSTALLED else []
    if theirs:
        np.testing.assert_allclose(_solutions(given), theirs[0](), rtol=0, atol=1e-7)
    for call in ours.values():
        call()  # loads compiled code
    times = [t / count for t in fastest([*ours.values(), *theirs], repeats)]
    found = list[Row]()
    for k, (name, t) in enumerate(zip(ours, times, strict=False)):
        what = f"{n} inputs, {m} rows: {name}"
        if not theirs:
            found.append(Row(what, duration(t)))
            continue
        call, alone = times[4 + k % 2], times[6 + k % 2]
        found.append(against(what, t, "DAQP, calls from Python", call))
        if k < 2:
            found.append(against(what, t, "DAQP, net of the call", call - alone))
    return found


def _compiled(given: Programs, new: bool) -> Call:
    """All programmes in one call of compiled code."""
    import numba

    ours: Any = kernels
    prepare, solve = ours.prepare.meaning, ours.solve.meaning  # what Numba knows

    @numba.njit(nogil=True)
    def loop(H, W, l, U0, new, work, active, u, multipliers, report):  # type: ignore[no-untyped-def]
        for k in range(len(U0)):
            if new:
                prepare(H, W, work)
            solve(work, U0[k], l, active, LIMIT, u, multipliers, report)

    m, n = given.W.shape
    work = kernels.workspace(n, m)
    kernels.prepare(given.H, given.W, work)
    memory = np.full(n, -1), np.zeros(n), np.zeros(m), np.zeros(2)
    return lambda: loop(*given, new, work, *memory)


def _called(given: Programs, new: bool) -> None:
    """The same by one call each, from Python."""
    program, active = QuadraticProgram(given.H, given.W), None
    for u0 in given.U0:
        if new:
            found = solve_quadratic_program(given.H, u0, given.W, given.l, active)
        else:
            found = program.solve(u0, given.l, active)
        active = found.active


def _solutions(given: Programs) -> Array:
    program = QuadraticProgram(given.H, given.W)
    return np.array([program.solve(u0, given.l).u for u0 in given.U0])


def _daqp(given: Programs, new: bool) -> Callable[[], Array]:
    """The same by DAQP; f = -H u₀ is computed before."""
    import daqp

    m = len(given.l)
    F = [np.ascontiguousarray(-given.H @ u0) for u0 in given.U0]
    lower, model = np.full(m, -1e30), daqp.Model()
    model.setup(given.H, F[0], given.W, given.l, lower, np.zeros(m, dtype=np.int32))

    def run() -> Array:
        found = []
        for f in F:
            if new:
                model.update(H=given.H, f=f, A=given.W, bupper=given.l, blower=lower)
            else:
                model.update(f=f)
            u, _, flag, _ = model.solve()
            found.append(u)
            if flag <= 0:
                raise RuntimeError(f"DAQP ended with {flag}")
        return np.array(found)

    return run
