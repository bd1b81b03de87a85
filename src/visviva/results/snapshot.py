"""Snapshot: one node of a run."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, final

from visviva._arrays import Array
from visviva.results.selection import RELATIVE

if TYPE_CHECKING:
    from visviva.results.run import Run


class Nodes(Protocol):
    """Where snapshots are read."""

    def value(self, name: str, i: int) -> Array:
        """A quantity at the node number i."""


@final
class Snapshots:
    """The nodes of some steps that were just made.

    recent: a run of them.   whole: the run from its start up to the last of them, for what is relative to all of it.
    sums:   values of quantities that add up, at the node before these steps, as far as they are known.
    """

    def __init__(self, recent: Callable[[], Run], whole: Callable[[], Run], sums: dict[str, Array]) -> None:
        self._made = recent, whole
        self._before = sums
        self._asked: set[str] = set()

    @cached_property
    def _recent(self) -> Run:
        return self._made[0]()

    @cached_property
    def _whole(self) -> Run:
        return self._made[1]()

    def value(self, name: str, i: int) -> Array:
        """A quantity at the node number i."""
        run = self._recent
        if name in RELATIVE:
            values, left = self._whole[name], len(run.t) - i  # counted from the end, which both have in common
            return values[len(values) - left]
        values = run[name]
        if not run.adds_up(name):
            return values[i - len(run.t)]
        if name not in self._before:
            so_far = self._whole[name]
            self._before[name] = so_far[len(so_far) - len(run.t)]
        self._asked.add(name)
        return self._before[name] + values[i]

    def sums(self, i: int) -> dict[str, Array]:
        """What was asked for of quantities that add up, at the node number i: known where it is asked for again."""
        return {name: self._before[name] + self._recent[name][i] for name in self._asked}


@final
class Snapshot:
    """One node of a run, as a stop condition sees it: `now.t`, `now["hinge.q"]`, to be read while it is called."""

    def __init__(self, t: float, i: int, steps: Nodes) -> None:
        self._t = t
        self._i = i
        self._steps = steps

    @property
    def t(self) -> float:
        """Time [s]."""
        return self._t

    def __getitem__(self, name: str) -> Array:
        """Value of a quantity at this instant; those that live at midpoints belong to the step that ends here."""
        return self._steps.value(name, self._i)
