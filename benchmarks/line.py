"""A line of N cells: what a component costs in a step of 1 ms."""

from __future__ import annotations

import numpy as np

import visviva as vv
from benchmarks.cells import components, line, start
from benchmarks.row import Row, against, duration
from benchmarks.steps import Steps
from benchmarks.timing import fastest, seconds

STEP = 1e-3
WORK = 600_000  # components times steps in one timed call
SCHEMES = {
    "DiscreteGradient": vv.DiscreteGradient(),
    "EnergyCollocation": vv.EnergyCollocation(),
    "Suzuki4": vv.Suzuki4(vv.DiscreteGradient(), allow_dissipation=True),
}


def rows(quick: bool = False) -> list[Row]:
    """Steps alone, the same scheme in NumPy, whole runs, and what is done before the first step."""
    sizes, repeats = ((2, 4), 1) if quick else ((10, 100, 1_000, 10_000), 5)
    references, whole = ((2,), 4) if quick else ((10, 30), 100)
    return [
        *steps_alone(sizes, repeats),
        *order_four(whole, repeats),
        *against_numpy(references, repeats),
        *whole_runs(whole, repeats),
        *preparation(sizes[-2]),
    ]


def steps_alone(sizes: tuple[int, ...], repeats: int) -> list[Row]:
    ready = [(N, _steps(N), _prepared(N, vv.DiscreteGradient())) for N in sizes]
    iterations = [steps(n).iterations.mean() for _, n, steps in ready]
    times = fastest([lambda steps=steps, n=n: steps(n) for _, n, steps in ready], 3 * repeats)
    each = [t / n for t, (_, n, _) in zip(times, ready, strict=True)]
    long = slice(len(sizes) // 3, None)  # the shortest lines show the fixed cost of a step instead
    exponent = np.polyfit(np.log(sizes[long]), np.log(each[long]), 1)[0]
    return [
        *(
            Row(f"N = {N}: a component in a step ({k:.2f} Newton iterations)", duration(t / components(N)))
            for N, k, t in zip(sizes, iterations, each, strict=True)
        ),
        Row(f"growth of a step with N from N = {sizes[long][0]}, exponent", f"{exponent:.2f}"),
    ]


def order_four(N: int, repeats: int) -> list[Row]:
    """Two stages, and five substeps: what a step of the schemes of order 4 costs in steps of order 2."""
    n = _steps(N)
    steps = [_prepared(N, scheme) for scheme in SCHEMES.values()]
    first, *others = fastest([lambda step=step: step(n) for step in steps], repeats)
    names = list(SCHEMES)
    return [
        against(f"N = {N}: a step of {name}", t / n, f"one of {names[0]}", first / n)
        for name, t in zip(names[1:], others, strict=True)
    ]


def against_numpy(sizes: tuple[int, ...], repeats: int) -> list[Row]:
    few, found = 5, []
    for N in sizes:
        n = _steps(N)
        compiled, reference = _prepared(N, vv.DiscreteGradient()), _prepared(N, vv.DiscreteGradient(compiled=False))
        ours, theirs = fastest([lambda c=compiled, n=n: c(n), lambda r=reference: r(few)], repeats)
        found.append(against(f"N = {N}: a step", ours / n, "the same in NumPy", theirs / few))
    return found


def whole_runs(N: int, repeats: int) -> list[Row]:
    """`vv.simulate` of a model: with its preparation, the books of every step, and the record of what is kept."""
    n, model, initial, steps = _steps(N), line(N), _initial(N), _prepared(N, vv.DiscreteGradient())

    def run(every: int) -> vv.Run:
        scheme = vv.DiscreteGradient()
        return vv.simulate(model, n * STEP, STEP, integrator=scheme, initial=initial, every=every, progress=False)

    alone, *runs = fastest([lambda: steps(n), lambda: run(1), lambda: run(100)], repeats)
    peer, each = "the steps alone", n * components(N)
    return [
        against(f"N = {N}: a component in a step of simulate(every={every}), {n} steps", t / each, peer, alone / each)
        for every, t in zip((1, 100), runs, strict=True)
    ]


def preparation(N: int) -> list[Row]:
    """Once per model and once per run, with all laws compiled."""
    each, model, initial = components(N), line(N), _initial(N)
    ready = seconds(lambda: Steps(model, vv.DiscreteGradient(), initial, STEP))
    return [
        Row(f"N = {N}: compose and compile, per component", duration(seconds(lambda: line(N)) / each)),
        Row(f"N = {N}: begin a run, per component", duration(ready / each)),
    ]


def _prepared(N: int, scheme: vv.AbstractIntegrator) -> Steps:
    steps = Steps(line(N), scheme, _initial(N), STEP)
    steps(2)  # loads compiled code
    return steps


def _initial(N: int) -> dict[str, float]:
    names = [f"{letter}{i}" for i in range(N) for letter in "qps"]
    return dict(zip(names, start(N).tolist(), strict=True))


def _steps(N: int) -> int:
    return max(10, min(2_000, WORK // components(N)))
