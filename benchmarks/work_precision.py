"""Work and precision: a line of 100 cells for 10 s, by schemes at many step sizes and by SciPy at many tolerances."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np

import visviva as vv
from benchmarks.cells import line, pattern, right_hand_side, start
from benchmarks.line import SCHEMES
from benchmarks.row import Row, against
from benchmarks.steps import Steps
from benchmarks.timing import fastest
from visviva._arrays import Array

ERROR = "largest error of a state at t = 10 s"
MAIN, GOALS = "EnergyCollocation", (1e-2, 1e-4, 1e-6, 1e-8)
FOUR = (10, 20, 50, 100, 200, 500, 1_000, 2_000)  # numbers of steps for schemes of order 4
STEPS = {"DiscreteGradient": (50, 100, 300, 1_000, 3_000, 10_000), "EnergyCollocation": FOUR, "Suzuki4": FOUR}
TOLERANCES = tuple(10.0**-k for k in range(2, 10))
PEERS: dict[str, dict[str, Any]] = {
    "Radau": {"method": "Radau"},
    "Radau, sparse Jacobian": {"method": "Radau", "jac_sparsity": True},
    "BDF, sparse Jacobian": {"method": "BDF", "jac_sparsity": True},
    "LSODA, banded": {"method": "LSODA", "lband": 4, "uband": 4},
    "DOP853": {"method": "DOP853"},
}
Solver = tuple[str, Callable[[], Array]]  # the name of its curve; the state at the end


@final
@dataclass(frozen=True)
class Curve:
    """Errors at the end and CPU times [s] of one scheme."""

    name: str
    errors: tuple[float, ...]
    times: tuple[float, ...]

    def time(self, error: float) -> float:
        """What an accuracy takes: on the line between neighbours, both scales logarithmic; nan beyond the ends."""
        points = sorted(zip(self.errors, self.times, strict=True))
        for (fine, slow), (coarse, fast) in itertools.pairwise(points):
            if fine <= error <= coarse:
                part = np.log(error / fine) / np.log(coarse / fine)
                return float(slow ** (1 - part) * fast**part)
        return np.nan


def rows(quick: bool = False) -> list[Row]:
    """The energy-preserving scheme of order 4 against each peer, at accuracies that both reach."""
    return table(curves(quick))


def curves(quick: bool = False) -> list[Curve]:
    """The error is the largest of any state at the end; the truth is DOP853 near its rounding."""
    from scipy.integrate import solve_ivp

    N, t_end, few, repeats = (3, 1.0, 5, 1) if quick else (100, 10.0, None, 3)
    x0 = start(N)
    truth = solve_ivp(right_hand_side, (0.0, t_end), x0, method="DOP853", rtol=3e-14, atol=1e-14).y[:, -1]
    solvers = [*ours(N, x0, t_end, few), *peers(N, x0, t_end, few)]
    errors = [float(np.abs(solve() - truth).max()) for _, solve in solvers]
    times = fastest([solve for _, solve in solvers], repeats)
    found = []
    for name in dict.fromkeys(name for name, _ in solvers):
        own = [k for k, (label, _) in enumerate(solvers) if label == name]
        found.append(Curve(name, tuple(errors[k] for k in own), tuple(times[k] for k in own)))
    return found


def ours(N: int, x0: Array, t_end: float, few: int | None) -> list[Solver]:
    """The steps alone of every scheme; for one, also all that `vv.simulate` does before, between and after them."""
    model = line(N)
    initial = {name: x0[at] for name, at in model.layout.x.items()}
    found = list[Solver]()

    def whole(n: int) -> Array:
        scheme = SCHEMES[MAIN]
        return vv.simulate(model, t_end, t_end / n, integrator=scheme, initial=initial, progress=False).final.x

    for name, scheme in SCHEMES.items():
        for n in STEPS[name][:few]:
            steps = Steps(model, scheme, initial, t_end / n)
            found.append((name, lambda steps=steps, n=n: steps(n).x[-1]))
    return [*found, *((f"simulate, {MAIN}", lambda n=n: whole(n)) for n in STEPS[MAIN][:few])]


def peers(N: int, x0: Array, t_end: float, few: int | None) -> list[Solver]:
    """`scipy.integrate.solve_ivp`, with an absolute tolerance that suits states near one."""
    from scipy.sparse import csc_array

    known = {"jac_sparsity": csc_array(pattern(N))}
    found = list[Solver]()
    for name, given in PEERS.items():
        options = {key: known.get(key, value) for key, value in given.items()}
        for tol in TOLERANCES[:few]:
            found.append((name, lambda tol=tol, options=options: _solved(x0, t_end, tol, options)))
    return found


def _solved(x0: Array, t_end: float, tol: float, options: Mapping[str, Any]) -> Array:
    from scipy.integrate import solve_ivp

    return solve_ivp(right_hand_side, (0.0, t_end), x0, rtol=tol, atol=0.1 * tol, **options).y[:, -1]


def table(found: list[Curve]) -> list[Row]:
    """Times at the same error."""
    curve = {each.name: each for each in found}
    cases = [(MAIN, peer, goal) for peer in PEERS for goal in GOALS]
    cases += [(MAIN, other, 1e-4) for other in SCHEMES if other != MAIN]
    cases += [(f"simulate, {MAIN}", peer, 1e-4) for peer in PEERS]
    times = [(own, peer, goal, curve[own].time(goal), curve[peer].time(goal)) for own, peer, goal in cases]
    return [
        against(f"{own}, error {goal:.0e}", t, peer, theirs)
        for own, peer, goal, t, theirs in times
        if np.isfinite(t) and np.isfinite(theirs)
    ]
