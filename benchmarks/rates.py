"""What it costs to keep the rates of constraints: a step of PHMP against one of PHMPGGL."""

from __future__ import annotations

from functools import partial

import visviva as vv
from benchmarks.mechanisms import JOINTS, chain, four_bar, slider_crank, stewart
from benchmarks.row import Row, against
from benchmarks.steps import Steps
from benchmarks.timing import fastest

STEP = 1e-3


def rows(quick: bool = False) -> list[Row]:
    """Chains, and mechanisms with loops."""
    sizes, most, repeats = ((1, 2), 2, 1) if quick else ((1, 10, 100), 1_000, 5)
    cases = {f"{joint}, N = {N}": (partial(chain, N, joint), max(2, most // N)) for joint in JOINTS for N in sizes}
    cases |= {
        "loop of four bars": (partial(four_bar, thrown=True), most),
        "spatial slider-crank": (slider_crank, most),
        "Stewart platform, 13 bodies": (stewart, max(2, most // 10)),
    }
    return [compared(what, build(), n, repeats) for what, (build, n) in cases.items()]


def compared(what: str, m: vv.Mechanism, n: int, repeats: int) -> Row:
    """Both from the same start, each with its own elimination."""
    model = vv.compile(m, vv.PHMP().form)
    plain, kept = (Steps(model, scheme, None, STEP) for scheme in (vv.PHMP(), vv.PHMPGGL()))
    for steps in (plain, kept):
        steps.last(2)  # loads compiled code
    one, other = fastest([lambda: plain.last(n), lambda: kept.last(n)], repeats)
    return against(f"{what}: a step of PHMP", one / n, "PHMPGGL", other / n)
