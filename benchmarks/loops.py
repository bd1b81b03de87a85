"""Loops, slides and springs: a step of PHMP against one of Exudyn, and against the same scheme in NumPy."""

from __future__ import annotations

from functools import partial

import visviva as vv
from benchmarks.against_exudyn import compare
from benchmarks.mechanisms import PUBLISHED, cylindrical_pair, four_bar, load, net, slider_crank, stewart
from benchmarks.row import Row, against
from benchmarks.steps import Steps
from benchmarks.timing import fastest

STEP = 1e-3


def rows(quick: bool = False) -> list[Row]:
    """Mechanisms in motion, of two bodies to 760."""
    n, repeats, nodes = (2, 1, 3) if quick else (500, 3, 20)
    cases = {
        "flying cylindrical pair": cylindrical_pair,
        "loop of four bars": partial(four_bar, thrown=True),
        "spatial slider-crank": slider_crank,
        "Stewart platform, 13 bodies": stewart,
        f"net of {2 * nodes * (nodes - 1)} rods": partial(net, nodes),
    }
    found = [row for what, build in cases.items() for row in compare(build(), STEP, n, repeats).rows(what)]
    return [*found, *against_numpy(n, repeats)]


def against_numpy(most: int, repeats: int) -> list[Row]:
    """The published examples with their published steps; the reference has dense matrices of all coordinates."""
    found = []
    for what, (build, h, t_end, loaded) in PUBLISHED.items():
        model, inputs = vv.compile(build(), vv.PHMP().form), {"load": load} if loaded else None
        compiled, reference = (Steps(model, vv.PHMP(compiled=own), None, h, inputs) for own in (True, False))
        compiled.last(2)  # loads compiled code
        n = min(most, round(t_end / h))
        ours, theirs = fastest([lambda steps=steps, n=n: steps.last(n) for steps in (compiled, reference)], repeats)
        found.append(against(f"{what}, h = {h:g} s: a step", ours / n, "the same in NumPy", theirs / n))
    return found
