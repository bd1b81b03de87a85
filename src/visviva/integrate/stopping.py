"""Where a run is to end: a condition of the user on what each step leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from visviva._arrays import Array
from visviva.integrate.failure import StopFailed
from visviva.integrate.integrator import AbstractIntegrator
from visviva.model import Model, State
from visviva.results import Run, Snapshot
from visviva.results.record import Record, joined
from visviva.results.snapshot import Snapshots

Stop = Callable[[Snapshot], bool]


@final
class StopCondition:
    """The condition, and what is kept from step to step so that a snapshot is cheap.

    Runs of the last steps are made where one is read, of the same tables. Sums from the start of a run, such as work,
    are continued from step to step as long as they are asked for.
    """

    def __init__(self, stop: Stop, model: Model, scheme: AbstractIntegrator) -> None:
        self._stop = stop
        self._model = model
        self._scheme = scheme
        self._run: Run | None = None
        self._sums: dict[str, Array] = {}

    def first(
        self, before: Callable[[], Record], fresh: Record, final: State
    ) -> tuple[int | None, BaseException | None]:
        """The first of the fresh steps at which it holds, or at which it failed, and how; final: after the last."""
        steps = Snapshots(
            lambda: self._recent(fresh, final),
            lambda: Run(self._model, joined(before(), fresh), final, self._scheme, ()),
            self._sums,
        )
        for i in range(1, fresh.steps + 1):
            holds, failure = self.at(Snapshot(float(fresh.t[i]), i, steps))
            if holds or failure is not None:
                return i, failure
        self._sums = steps.sums(fresh.steps)
        return None, None

    def at(self, now: Snapshot) -> tuple[bool, BaseException | None]:
        """Whether it holds at a node, or how it failed there."""
        try:
            return bool(self._stop(now)), None
        except KeyboardInterrupt as error:
            return False, error
        except Exception as error:
            failure = StopFailed(f"the stop condition raised {type(error).__name__}: {error}")
            failure.__cause__ = error
            return False, failure

    def _recent(self, fresh: Record, final: State) -> Run:
        if self._run is None:
            self._run = Run(self._model, fresh, final, self._scheme, ())
            return self._run
        return self._run.over(fresh, final)
