"""Snapshot: one node of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, final

from visviva._arrays import Array
from visviva.results.selection import RELATIVE

if TYPE_CHECKING:
    from visviva.results.run import Run


@final
class Snapshot:
    """One node of a run, as a stop condition sees it: `now.t`, `now["hinge.q"]`.

    recent: a run of the last steps, and i the node of it.   whole: the run from its start up to the same last step,
    made where a quantity is a sum from there or relative to all of it.
    """

    def __init__(self, recent: Run, i: int, whole: Callable[[], Run]) -> None:
        self._recent = recent
        self._i = i
        self._whole = whole

    @property
    def t(self) -> float:
        """Time [s]."""
        return float(self._recent.t[self._i])

    def __getitem__(self, name: str) -> Array:
        """Value of a quantity at this instant; those that live at midpoints belong to the step that ends here."""
        sums = name in RELATIVE or (name in self._recent and self._recent.adds_up(name))
        run = self._whole() if sums else self._recent
        values, left = run[name], len(self._recent.t) - self._i  # counted from the end, which both have in common
        return values[len(values) - left]
