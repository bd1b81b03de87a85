"""Snapshot: one node of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from visviva._arrays import Array

if TYPE_CHECKING:
    from visviva.results.run import Run


@final
class Snapshot:
    """One node of a run, as a stop condition sees it: `now.t`, `now["hinge.q"]`."""

    def __init__(self, run: Run, i: int) -> None:
        self._run = run
        self._i = i

    @property
    def t(self) -> float:
        """Time [s]."""
        return float(self._run.t[self._i])

    def __getitem__(self, name: str) -> Array:
        """Value of a quantity at this instant; those that live at midpoints belong to the step that ends here."""
        values = self._run[name]
        return values[self._i if len(values) == len(self._run.t) else self._i - 1]
