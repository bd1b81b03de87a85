"""Sampled control: laws in any Python, asked at ticks and held between them, late by a delay."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number
from visviva.errors import ModelError
from visviva.integrate.inputs import BadInput, port_name
from visviva.integrate.interrupts import Interrupts
from visviva.integrate.march import Wanted, recorder_of
from visviva.integrate.progress import Progress
from visviva.integrate.shown import is_to_stop
from visviva.integrate.stepped import SteppedLoop
from visviva.integrate.stopping import StopCondition
from visviva.integrate.warn import warn
from visviva.results import Run

Values = Mapping[str, ArrayLike]
NEAR = 1e-9  # of a step: events this near to each other, or to a node, are one


@final
class Now:
    """What a law sees at a tick: the time, and quantities by the names of a run."""

    def __init__(self, steps: SteppedLoop) -> None:
        self._steps = steps

    @property
    def t(self) -> float:
        """Time [s]."""
        return self._steps.t

    def __getitem__(self, name: str) -> Array:
        """The value of a quantity at this instant; those that live at midpoints belong to the step that ends here."""
        return self._steps.read(name)


Law = Callable[[Now], Values]


@final
@dataclass(frozen=True)
class Sampled:
    """A control law that is asked every period [s], and whose inputs are held until the next ones arrive.

        vv.simulate(m, t_end=5, h=1e-3, sampled=vv.Sampled(law, period=5e-3, delay=2e-3))

    law:    a function of what is seen at a tick, law(now) -> {"motor": value}, with now["hinge.q"] and now.t; or an
            object with `update(now)`, and `reset()` where it remembers something.
    period: between ticks.   offset: of the first one.   delay: from a tick until its values act.
    jitter: a tick comes late by up to so much, uniformly distributed; seed: of the dice.

    Ticks that fall between steps end a step, and so do values that arrive there. Until the first values arrive, inputs
    are as given in `inputs`, else zero.
    """

    law: Law | Any
    period: float
    delay: float = 0.0
    offset: float = 0.0
    jitter: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not callable(self.law) and not callable(getattr(self.law, "update", None)):
            raise ModelError(
                f"a sampled law is a function law(now) -> {{'motor': value}}, or an object with update(now); "
                f"got {self.law!r}."
            )
        finite_number(self.period, "period of a sampled law [s]", positive=True)
        for name in ("delay", "offset", "jitter"):
            if finite_number(getattr(self, name), f"{name} of a sampled law [s]") < 0:
                raise ModelError(f"the {name} of a sampled law is no negative time, got {getattr(self, name):g} s.")
        if self.jitter >= self.period:
            raise ModelError(f"ticks come every {self.period:g} s and cannot be late by {self.jitter:g} s, jitter=.")

    def ask(self, now: Now) -> Values:
        """What the law says."""
        values: Values = self.law(now) if callable(self.law) else self.law.update(now)
        return values


@final
@dataclass
class Sampling:
    """Sampled laws in a run: which values hold, and when something happens next. near: see NEAR [s]."""

    laws: Sequence[Sampled]
    start: float
    near: float
    held: dict[str, ArrayLike] = field(default_factory=dict)
    _arriving: list[tuple[float, int, Values]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._dice = [np.random.default_rng(law.seed) for law in self.laws]
        self._count = [0] * len(self.laws)
        self._next = [self._tick(k) for k in range(len(self.laws))]
        self._order = 0
        for law in self.laws:
            reset = getattr(law.law, "reset", None)
            if callable(reset):
                reset()

    def _tick(self, k: int) -> float:
        """When a law is asked next."""
        law = self.laws[k]
        late = float(self._dice[k].uniform(0.0, law.jitter)) if law.jitter else 0.0
        return self.start + law.offset + self._count[k] * law.period + late

    def look(self, now: Now) -> None:
        """Ask the laws whose tick this is, and let values act that have arrived."""
        for k, law in enumerate(self.laws):
            if self._next[k] <= now.t + self.near:
                values = law.ask(now)
                if not isinstance(values, Mapping):
                    raise ModelError(
                        f"a sampled law returns inputs by port name, e.g. {{'motor': 0.1}}; got {values!r} "
                        f"at t = {now.t:g} s."
                    )
                copies = {port_name(port): np.array(value) for port, value in values.items()}
                heapq.heappush(self._arriving, (now.t + law.delay, self._order, copies))
                self._order += 1
                self._count[k] += 1
                self._next[k] = self._tick(k)
        while self._arriving and self._arriving[0][0] <= now.t + self.near:
            self.held.update(heapq.heappop(self._arriving)[2])

    @property
    def next_event(self) -> float:
        """The time of the next tick, or of the next arrival [s]."""
        return min([math.inf, *self._next, *(time for time, _, _ in self._arriving[:1])])


def sampled_laws(given: Sampled | Sequence[Sampled]) -> tuple[Sampled, ...]:
    """One law or several, checked."""
    laws = (given,) if isinstance(given, Sampled) else tuple(given) if isinstance(given, Sequence) else (given,)
    for law in laws:
        if not isinstance(law, Sampled):
            raise ModelError(f"sampled= takes vv.Sampled(law, period=...), or a list of them; got {law!r}.")
    return laws


def sampled_run(
    steps: SteppedLoop,
    values: Callable[[Values], Array | None],
    h: float,
    wanted: Wanted,
    laws: Sequence[Sampled],
) -> Run:
    """A run from where steps begin, of length h, under sampled laws; values: inputs by name as an array, checked."""
    run = _SampledRun(steps, values, h, Sampling(laws, steps.t, NEAR * h))
    return run.made(wanted)


@final
@dataclass(frozen=True, eq=False)
class _SampledRun:
    steps: SteppedLoop
    values: Callable[[Values], Array | None]
    h: float
    sampling: Sampling

    def made(self, wanted: Wanted) -> Run:
        """The run."""
        steps, near, now = self.steps, self.sampling.near, Now(self.steps)
        condition = None if wanted.stop is None else StopCondition(wanted.stop, steps.model, steps.scheme)
        recorder = steps.nodes = recorder_of(steps.loop, wanted, steps.scheme)
        with Progress(steps.model.name, (steps.t, wanted.t_end), wanted.progress) as bar, Interrupts() as interrupts:
            while steps.t < wanted.t_end - near:
                steps.inputs.hold(self._asked(now))
                self._go_on(min(self.sampling.next_event, wanted.t_end), one=condition is not None)
                if condition is not None and is_to_stop(steps, condition):
                    break
                if interrupts.asked() is not None:
                    steps.fail(KeyboardInterrupt())
                bar.update(steps.t)
        steps.settle()
        run = steps.run_of(recorder)
        steps.nodes = None
        warn(run.warnings)
        return run

    def _asked(self, now: Now) -> Array | None:
        """Inputs that hold now, after laws were asked whose tick it is."""
        try:
            self.sampling.look(now)
            return self.values(self.sampling.held)
        except ModelError as error:
            self.steps.fail(BadInput(f"{str(error).rstrip('.')}, from a sampled law at t = {now.t:g} s."))
        except Exception as error:
            failure = BadInput(f"a sampled law raised {type(error).__name__} at t = {now.t:g} s: {error}.")
            failure.__cause__ = error
            self.steps.fail(failure)

    def _go_on(self, event: float, *, one: bool) -> None:
        """Make steps until something happens, the last one shorter where it must be; or one of them."""
        steps = self.steps
        if not steps.scheme.fixed_step:
            steps.until(event)
            return
        n = int((event - steps.t + self.sampling.near) / self.h)
        steps.pace(self.h if n else event - steps.t)
        steps.make(1 if one else max(1, n))
