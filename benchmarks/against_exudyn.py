"""A step of PHMP and one of Exudyn, on the same mechanism from the same motion, with steps of the same length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import visviva as vv
from benchmarks import peers_exudyn
from benchmarks.motion import check_same
from benchmarks.row import Row, against, duration
from benchmarks.steps import Steps
from benchmarks.timing import fastest


@final
@dataclass(frozen=True)
class Compared:
    """CPU times per step [s]: the compiled loop, all of `vv.simulate`, and Exudyn with its better linear solver."""

    loop: float
    whole: float
    exudyn: float | None

    def rows(self, what: str) -> list[Row]:
        """Two lines of a table."""
        return [self._row(f"{what}: a step", self.loop), self._row(f"{what}: one of simulate(every=n)", self.whole)]

    def _row(self, what: str, ours: float) -> Row:
        return Row(what, duration(ours)) if self.exudyn is None else against(what, ours, "Exudyn", self.exudyn)


def compare(m: vv.Mechanism, h: float, n: int, repeats: int) -> Compared:
    """n steps of length h; the preparation is no part of the loop, but of the two others, whose user waits for it."""
    steps = Steps(vv.compile(m, vv.PHMP().form), vv.PHMP(), None, h)
    peers = peers_exudyn.solvers(m) if peers_exudyn.INSTALLED else []
    steps.last(min(n, 2))  # loads compiled code
    for peer in peers:
        check_same(steps, peer, "Exudyn", min(n, 50))
    calls = [lambda: steps.last(n), lambda: vv.simulate(m, n * h, h, every=n, progress=False)]
    calls += [lambda peer=peer: peer(n, h) for peer in peers]
    loop, whole, *theirs = fastest(calls, repeats)
    return Compared(loop / n, whole / n, min(theirs) / n if theirs else None)
