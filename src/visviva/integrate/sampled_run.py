"""A run under sampled laws: events end steps, laws are asked in compiled code where they can be, in Python else."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

from visviva._arrays import Array
from visviva.compiler.sampled_laws import written_ports
from visviva.errors import ModelError
from visviva.integrate.inputs import BadInput, refuse_held_sources
from visviva.integrate.interrupts import Interrupts
from visviva.integrate.joint_ranges import RangeWatch
from visviva.integrate.march import Wanted, recorder_of
from visviva.integrate.progress import Progress
from visviva.integrate.sampled import Now, PortOwners, Sampled, Values, declared_ports
from visviva.integrate.sampling import Sampling
from visviva.integrate.shown import is_to_stop
from visviva.integrate.stepped import SteppedLoop
from visviva.integrate.stopping import StopCondition
from visviva.integrate.ticks import CompiledTicks, compiled_ticks
from visviva.integrate.warn import warn
from visviva.model import Model
from visviva.model.control_law import AbstractControlLaw, Clock, asked_by_one
from visviva.results import Run
from visviva.results.notes import Caution

NEAR = 1e-9  # of a step: events this near to each other, or to a node, are one


def sampled_run(
    steps: SteppedLoop,
    values: Callable[[Values], Array | None],
    h: float,
    wanted: Wanted,
    laws: Sequence[Sampled],
) -> Run:
    """A run from where steps begin, of length h, under sampled laws; values: inputs by name as an array, checked."""
    for own in laws:
        if isinstance(own.law, AbstractControlLaw):
            own.law.check(steps.model, inside=False)
    run = _SampledRun(steps, values, h, Sampling(laws, steps.t, h, NEAR * h, _owners(steps.model, laws)))
    steps.sampled = tuple(
        (own.law, Clock(steps.t + own.offset, own.period, own.delay, own.jitter))
        for own in laws
        if isinstance(own.law, AbstractControlLaw)
    )
    with asked_by_one(law for law, _ in steps.sampled):
        return run.made(wanted)


def _owners(model: Model, laws: Sequence[Sampled]) -> PortOwners:
    """Of the ports, as far as laws say before they are asked: an error where a law inside of steps has one of them.

    And where one of them prescribes an effort.
    """
    inside = [part.port for part in model.feedback]
    owners = PortOwners(laws, inside)
    for k, own in enumerate(laws if inside or model.sources else ()):
        written = written_ports(model, own.law) if own.writes is None else ()
        refuse_held_sources(model, (*declared_ports(own), *written))
        if inside:
            owners.take(k, written)
    return owners


@final
@dataclass(frozen=True, eq=False)
class _SampledRun:
    steps: SteppedLoop
    values: Callable[[Values], Array | None]
    h: float
    sampling: Sampling

    def made(self, wanted: Wanted) -> Run:
        """The run."""
        if wanted.every > 1 or wanted.record is not None or wanted.t_end <= self.steps.t:
            return self._made(wanted)
        self.steps.reserve(math.ceil((wanted.t_end - self.steps.t) / self.h) + 1)
        try:
            return self._made(wanted)
        finally:
            self.steps.reserve(0)

    def _made(self, wanted: Wanted) -> Run:
        steps, near, now = self.steps, self.sampling.near, Now(self.steps)
        ticks, notes = self._compiled(wanted)
        condition = None if wanted.stop is None else StopCondition(wanted.stop, steps.model, steps.scheme)
        recorder = steps.nodes = recorder_of(steps.loop, wanted, steps.scheme)
        ranges = RangeWatch(steps.model)
        steps.looks = lambda logged: ranges.look(logged.record.t, logged.record.x)
        with Progress(steps.model.name, (steps.t, wanted.t_end), wanted.progress) as bar, Interrupts() as interrupts:
            while steps.t < wanted.t_end - near:
                if ticks is not None:
                    ticks = ticks if ticks.go_on(wanted.t_end) else None
                    self._look_up(interrupts, bar)
                    continue
                steps.inputs.hold(self._asked(now))
                self._go_on(min(self.sampling.next_event, wanted.t_end), one=condition is not None)
                if condition is not None and is_to_stop(steps, condition):
                    break
                self._look_up(interrupts, bar)
        steps.settle()
        run = steps.run_of(recorder, [*notes, *ranges.notes()])
        steps.nodes = steps.looks = None
        warn(run.warnings)
        return run

    def _look_up(self, interrupts: Interrupts, bar: Progress) -> None:
        """Show how far it is, and end it where the user wants that."""
        if interrupts.asked() is not None:
            self.steps.fail(KeyboardInterrupt())
        bar.update(self.steps.t)

    def _compiled(self, wanted: Wanted) -> tuple[CompiledTicks | None, list[str]]:
        """Laws and steps in compiled code, where that can be; and notes on why not, where a user did not mean it."""
        found = compiled_ticks(self.steps, self.sampling.laws, stops=wanted.stop is not None)
        if isinstance(found, str):
            laws = self.sampling.laws
            text = f"sampled laws were asked in Python, not in compiled code, which is slower: {found.rstrip('.')}."
            if any(law.compiled for law in laws):
                return None, [Caution(text)]
            own = [law.law for law in laws if law.compiled is None and isinstance(law.law, AbstractControlLaw)]
            return None, [Caution(law.fallback) for law in own if law.fallback]
        for k, ports in enumerate(found.ports):
            refuse_held_sources(self.steps.model, ports)
            self.sampling.owners.take(k, ports)
        held = self.values({})
        assert held is not None
        found.start(self.sampling, held)
        return found, []

    def _asked(self, now: Now) -> Array | None:
        """Inputs that hold now, after laws were asked whose tick it is."""
        try:
            self.sampling.look(now)
            held = self.sampling.held
            if not any(port in self.steps.model.sources for port in held):
                return self.values(held)
        except ModelError as error:
            self.steps.fail(BadInput(f"a sampled law at t = {now.t:g} s: {error}"))
        except Exception as error:
            failure = BadInput(f"a sampled law raised {type(error).__name__} at t = {now.t:g} s: {error}.")
            failure.__cause__ = error
            self.steps.fail(failure)
        refuse_held_sources(self.steps.model, held)
        return None

    def _go_on(self, event: float, *, one: bool) -> None:
        """Make steps until something happens, the last one shorter where it must be; or one of them."""
        steps = self.steps
        if not steps.scheme.fixed_step:
            steps.until(event)
            return
        n = int((event - steps.t + self.sampling.near) / self.h)
        steps.pace(self.h if n else event - steps.t)
        steps.make(1 if one else max(1, n))
