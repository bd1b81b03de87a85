"""Runs whose steps a stop condition is shown one by one, before inputs of the next one are asked for."""

from __future__ import annotations

from typing import final

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.integrate.interrupts import Interrupts
from visviva.integrate.loop import Logged
from visviva.integrate.march import Wanted, Watch, recorder_of
from visviva.integrate.progress import Progress
from visviva.integrate.stepped import SteppedLoop
from visviva.integrate.stopping import StopCondition
from visviva.integrate.warn import warn
from visviva.results import Run, Snapshot


@final
class LastNode:
    """The node that steps have come to, as a `Snapshot` reads it: the motion from the state alone.

    What else is asked for needs the accounts of the last step. Later nodes say nothing of this one.
    """

    def __init__(self, steps: SteppedLoop) -> None:
        self._steps = steps
        self._t = steps.t

    def value(self, name: str, i: int) -> Array:
        """A quantity there."""
        if self._steps.t != self._t:
            raise ModelError(
                f"the snapshot of t = {self._t:g} s is over, and {name!r} was not read in it: read what is wanted\n"
                "while stop is called, and keep the values."
            )
        return self._steps.read(name)


def is_to_stop(steps: SteppedLoop, condition: StopCondition) -> bool:
    """Whether a run is to end after the last step; the error of a condition that fails."""
    holds, failure = condition.at(Snapshot(steps.t, 0, LastNode(steps)))
    if failure is not None:
        steps.fail(failure)
    if holds:
        steps.notes.append(f"stopped by the stop condition at t = {steps.t:g} s")
    return holds


def shown_run(steps: SteppedLoop, n: int, condition: StopCondition, wanted: Wanted) -> Run:
    """A run of n steps from where steps begin, or fewer; what `march` makes of single steps, in a fraction of the time.

    Steps are accounted for many at a time, unless the condition asks for more than the motion.
    """
    loop, done = steps.loop, 0
    watch = Watch(steps.model, steps.scheme, steps.inputs, loop.state, n, one_by_one=True)

    def look(logged: Logged) -> None:
        nonlocal done
        watch.look(logged, logged.record, done)
        done += logged.record.steps

    recorder, steps.looks = recorder_of(loop, wanted, steps.scheme), look
    steps.nodes = recorder
    with Progress(steps.model.name, (steps.t, wanted.t_end), wanted.progress) as bar, Interrupts() as interrupts:
        for _ in range(n):
            try:
                steps.make(1)
            except KeyboardInterrupt:
                steps.fail(KeyboardInterrupt())
            if is_to_stop(steps, condition):
                break
            if interrupts.asked() is not None:
                steps.fail(KeyboardInterrupt())
            bar.update(steps.t)
    steps.leave()
    run = steps.run_of(recorder, watch.notes(loop.stepping, loop.state.t))
    steps.nodes = steps.looks = None
    warn(run.warnings)
    return run
