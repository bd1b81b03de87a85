"""Selection: a run that keeps some quantities by name and adds up the rest, so that its memory is bounded."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.results.quantities import no_such_quantity
from visviva.results.record import Record, Recorder, joined, thin

if TYPE_CHECKING:
    from visviva.results.run import Run

RELATIVE = ("first_law",)  # to a scale that is known only in the end; the audit has it


def patterns_of(record: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """Names or patterns to record; None for everything."""
    if record is None:
        return None
    patterns = (record,) if isinstance(record, str) else tuple(record)
    if not all(isinstance(name, str) for name in patterns):
        raise ModelError(f"record takes names or patterns such as 'rod.r' or 'energy.*', got {record!r}.")
    return patterns


@final
class Selection:
    """Collects steps as a `Recorder` does, but keeps only some quantities at the kept nodes.

    read: makes a Run of a record, to read the quantities from.
    """

    def __init__(self, start: Record, every: int, patterns: tuple[str, ...], read: Callable[[Record], Run]) -> None:
        self._every = every
        self._read = read
        self._recorder = Recorder(start, every)
        self._total = start
        run = read(start)
        self._names = _names(run, patterns)
        self._sums = {name for name in self._names if run.adds_up(name)}
        self._chunks: dict[str, list[Array]] = {name: [run[name]] for name in ("t", *self._names)}
        self._mid: list[Array] = [start.t_mid]

    def add(self, fresh: Record) -> None:
        """Append steps that follow on the last ones."""
        self._recorder.add(fresh)
        kept = self._recorder.take()
        if kept.steps:
            self._keep(kept)

    def _keep(self, kept: Record) -> None:
        run = self._read(kept)
        for name, chunks in self._chunks.items():
            values = run[name]
            if name in self._sums:
                values = values + chunks[-1][-1]
            chunks.append(np.array(values[1:] if len(values) == len(kept.t) else values))
        self._mid.append(kept.t_mid)
        self._total = thin(joined(self._total, kept), self._total.steps + kept.steps)

    def record(self) -> Record:
        """The accounts of all steps, as one interval."""
        waiting = self._recorder.record()
        whole = joined(self._total, waiting)
        return thin(whole, max(1, whole.steps))

    def values(self) -> dict[str, Array]:
        """What was recorded, up to the last node."""
        self._recorder.close()
        last = self._recorder.take()
        if last.steps:
            self._keep(last)
        values = {name: np.concatenate(chunks) for name, chunks in self._chunks.items()}
        return values | {"t_mid": np.concatenate(self._mid)}


def _names(run: Run, patterns: tuple[str, ...]) -> list[str]:
    names: list[str] = []
    for pattern in patterns:
        found = fnmatch.filter(run.names, pattern)
        if not found:
            raise no_such_quantity(run, pattern, run.names)
        names += [name for name in found if name not in RELATIVE or name == pattern]
    relative = [name for name in names if name in RELATIVE]
    if relative:
        raise ModelError(
            f"{relative[0]!r} is relative to a scale of the whole run and cannot be recorded: see run.audit()."
        )
    return [name for name in dict.fromkeys(names) if name != "t"]
