"""Work and precision on chains: errors after one second by PHMP, its composition of order 4, Exudyn and MuJoCo."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

import visviva as vv
from benchmarks import peers_exudyn, peers_mujoco
from benchmarks.mechanisms import chain
from benchmarks.motion import centres, distance
from benchmarks.row import Row, against
from benchmarks.steps import Steps
from benchmarks.timing import fastest
from benchmarks.work_precision import Curve
from visviva._arrays import Array

T_END = 1.0
ERROR = "error at t = 1 s [m]"
GOALS = (1e-3, 1e-4, 1e-5, 1e-6)
CASES = {"10 ball joints": (10, "spherical"), "10 hinges": (10, "revolute"), "100 ball joints": (100, "spherical")}
OURS: dict[str, vv.AbstractIntegrator] = {"PHMP": vv.PHMP(), "Suzuki4": vv.Suzuki4(vv.PHMP())}
WHOLE = "simulate, Suzuki4"
EXUDYN, MUJOCO = "Exudyn", "MuJoCo, RK4"
STEPS = {"PHMP": (32, 8192), "Suzuki4": (16, 1024), WHOLE: (16, 1024), EXUDYN: (32, 8192), MUJOCO: (32, 2048)}
TRUTH = 4096  # steps of Suzuki4
MOST = 300_000  # links times steps of a peer
Solver = tuple[str, Callable[[], Array]]  # the name of its curve; the centres of mass at the end


def rows(quick: bool = False) -> list[Row]:
    """Our schemes against each peer, at errors that both reach."""
    return table(curves(quick))


def curves(quick: bool = False) -> dict[str, list[Curve]]:
    """One list for each chain; the error is the root of the mean square of the centres of mass at the end.

    The truth is our composition with many steps. MuJoCo, which shares nothing with it, comes as near to it as its order
    lets it: that is the check of both.
    """
    if quick:
        return {"2 ball joints": _curves(2, "spherical", 0.2, 0, 128, 1)}
    return {case: _curves(N, joint, T_END, TRUTH, TRUTH, 3) for case, (N, joint) in CASES.items()}


def _curves(N: int, joint: str, t_end: float, most: int, truth: int, repeats: int) -> list[Curve]:
    m = chain(N, joint)
    exact = _last(m, OURS["Suzuki4"], truth, t_end)()
    found = [(name, solve, distance(solve(), exact)) for name, solve in _solvers(m, t_end, most)]
    found = [each for each in found if each[2] < 1.0]  # explicit steps may be too large for anything to come out
    times = fastest([solve for _, solve, _ in found], repeats)
    points = [(name, error, t) for (name, _, error), t in zip(found, times, strict=True)]
    grouped = itertools.groupby(points, key=lambda point: point[0])
    return [Curve(name, *zip(*((e, t) for _, e, t in own), strict=True)) for name, own in grouped]


def _solvers(m: vv.Mechanism, t_end: float, most: int) -> Iterator[Solver]:
    """The steps alone of our schemes, a whole run of the better one, and the peers that are installed."""
    for name, scheme in OURS.items():
        yield from ((name, _last(m, scheme, n, t_end)) for n in _counts(name, most))
    yield from ((WHOLE, _run(m, OURS["Suzuki4"], n, t_end)) for n in _counts(WHOLE, most))
    most = min(most, MOST // len(m.bodies))
    if peers_exudyn.INSTALLED:
        exudyn = peers_exudyn.Exudyn(m, "EigenSparse")  # the faster one for ten bodies and more
        yield from ((EXUDYN, lambda n=n: exudyn(n, t_end / n)) for n in _counts(EXUDYN, most))
    if peers_mujoco.INSTALLED:
        mujoco = peers_mujoco.MuJoCo(m)
        yield from ((MUJOCO, lambda n=n: mujoco(n, t_end / n)) for n in _counts(MUJOCO, most))


def _counts(name: str, most: int) -> list[int]:
    """Numbers of steps, doubled each time, two at least."""
    first, last = STEPS[name]
    return [n for n in (2**k for k in range(20)) if first <= n <= max(2 * first, min(last, most))]


def _last(m: vv.Mechanism, scheme: vv.AbstractIntegrator, n: int, t_end: float) -> Callable[[], Array]:
    model = vv.compile(m, scheme.form)
    steps = Steps(model, scheme, None, t_end / n)
    return lambda: centres(model, steps.last(n).x)


def _run(m: vv.Mechanism, scheme: vv.AbstractIntegrator, n: int, t_end: float) -> Callable[[], Array]:
    def run() -> Array:
        found = vv.simulate(m, t_end, t_end / n, integrator=scheme, every=n, progress=False)
        return centres(found.model, found.final.x)

    return run


def table(found: dict[str, list[Curve]]) -> list[Row]:
    """Times at the same error, of our faster scheme and of a whole run; and how near all come to the truth."""
    result = []
    for case, each in found.items():
        curve = {one.name: one for one in each}
        for name, one in curve.items():
            least = f"{min(one.errors):.1e} m"
            peer = name in (EXUDYN, MUJOCO)
            what = f"{case}, least error" if peer else f"{case}, least error, {name}"
            result.append(Row(what, "" if peer else least, f"{name}: {least}" if peer else ""))
        for goal, peer in itertools.product(GOALS, [name for name in (EXUDYN, MUJOCO) if name in curve]):
            scheme = min(OURS, key=lambda name: np.nan_to_num(curve[name].time(goal), nan=np.inf))
            for name in (scheme, WHOLE):
                ours, theirs = curve[name].time(goal), curve[peer].time(goal)
                if np.isfinite(ours) and np.isfinite(theirs):
                    result.append(against(f"{case}, error {goal:.0e}, {name}", ours, peer, theirs))
    return result
