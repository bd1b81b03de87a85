"""Adaptive: steps of any scheme, as long as an error estimate allows."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import ClassVar, final

import numpy as np

from visviva._arrays import finite_number
from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.integrate.chunk import Chunk, Pace, joined
from visviva.integrate.integrator import AbstractIntegrator, AbstractOuter, AbstractStepper, Advancing, Inputs
from visviva.integrate.jumps import JumpFinder
from visviva.integrate.local_error import Distance
from visviva.integrate.newton import NotConverged
from visviva.integrate.phmp import PHMP
from visviva.kernels.step_control import FAILED
from visviva.model import Model, State
from visviva.numerics.step_control import StepController, fitted

FINEST = 1e-11  # tolerances below are rounding
SHORTEST = 1e-7  # of the longest step, where no other bound is given
LEAST, MOST = 0.2, 2.0  # by how much the length of a step changes at a time
KEPT = (0.95, 1.25)  # changes in between are not worth it: start values follow from steps of one length


@final
@helpful
@dataclass(frozen=True)
class Adaptive(AbstractOuter):
    """Pairs of equal steps of an inner scheme, compared with one step of their length together.

    For a scheme of order p the local error of the pair is

        err = |x(h, h) - x(2h)| / (2ᵖ - 1),

    measured as in `visviva.integrate.local_error`. A pair with err > tolerance is made again with smaller steps; the
    next one has the length h (tolerance/err)^(1/(p + 1)), but for a safety factor (Hairer, Nørsett, Wanner (1993),
    section II.4). The pair itself is kept, not extrapolated: every step is one of the inner scheme and keeps what
    that keeps. What is lost is the symmetry of steps of one length, and with it the bounds on what the scheme does
    not keep exactly, over long times.

    The `h` of `simulate` is the longest step, and the first that is tried. Pairs end where an input jumps, see
    `visviva.integrate.jumps`: the estimate compares values at three times and could not see it. `Jumping` says where.

    tolerance: largest local error of a pair of steps, relative. Errors of many pairs add up: the error at a fixed
               time falls with tolerance^(p/(p + 1)).
    h_min:     shortest step [s]; default: h times 1e-7. Where a shorter one would be needed the run ends with an error.
    """

    inner: AbstractIntegrator = field(default_factory=PHMP)
    tolerance: float = 1e-5
    h_min: float | None = None
    fixed_step: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not isinstance(self.inner, AbstractIntegrator) or not self.inner.fixed_step:
            raise ModelError(f"Adaptive chooses the steps of an integrator such as vv.PHMP(), got {self.inner!r}.")
        if finite_number(self.tolerance, "tolerance", positive=True) < FINEST:
            raise ModelError(f"tolerance must be at least {FINEST:g}, got {self.tolerance:g}: less is rounding.")
        if self.h_min is not None:
            finite_number(self.h_min, "h_min [s]", positive=True)

    @property
    def order(self) -> int:  # type: ignore[override]
        """Order of the inner scheme."""
        return self.inner.order

    @property
    def feedback(self) -> bool:  # type: ignore[override]
        """Whether the inner scheme solves inputs that depend on states and efforts inside a step."""
        return self.inner.feedback

    def prepare(self, model: Model) -> AbstractStepper:  # noqa: D102
        return self.inner.prepare(model)

    def stepping(self, model: Model, inputs: Inputs, state: State, h: float) -> AdaptiveStepping:  # noqa: D102
        h_min = SHORTEST * h if self.h_min is None else self.h_min
        if h_min > h:
            raise ModelError(f"the shortest step, h_min = {h_min:g} s, is longer than the longest, h = {h:g} s.")
        inner = self.inner.stepping(model, inputs, state, h)
        inner.halvings = 0  # a step without a solution is too long
        return AdaptiveStepping(self, model, inner, Distance(model, state.x), JumpFinder(inputs), h, h_min)


@final
class AdaptiveStepping:
    """Makes pairs of steps whose lengths follow from an error estimate.

    t_end: where the last step ends [s]; the steps before it are fitted.
    """

    halvings = 0
    compiled = False  # as the inner scheme: see `engine`

    def __init__(
        self,
        scheme: Adaptive,
        model: Model,
        inner: Advancing,
        distance: Distance,
        jumps: JumpFinder,
        h_max: float,
        h_min: float,
    ) -> None:
        self.scheme = scheme
        self.model = model
        self.inner = inner
        self.width = inner.width
        self.t_end = np.inf
        self._distance = distance
        self._jumps = jumps
        self._h_max = h_max
        self._h_min = h_min

    def advance(self, state: State, n: int) -> Chunk:
        """Steps until there are at least n, or until t_end."""
        pairs: list[Chunk] = []
        while 2 * len(pairs) < n and state.t < self.t_end:
            pair = self._pair(state)
            pairs.append(pair)
            if pair.failure is not None:
                break
            state = _after(self.model, pair, state)
        return joined(pairs, pairs[-1].failure) if pairs else self.inner.advance(state, 0)

    def alone(self, state: State) -> Chunk:
        """A pair of shorter steps."""
        return self.advance(dataclasses.replace(state, t0=state.t, steps=0, h=FAILED * state.h), 1)

    def notes(self) -> list[str]:
        """Those of the inner scheme."""
        return self.inner.notes()

    def _pair(self, state: State) -> Chunk:
        """Two steps that are accurate enough; none, and why, where even the shortest ones are not."""
        h, end = self._fitted(state)
        controller, clipped = StepController(self.scheme.order + 1, LEAST, MOST), h < state.h
        while True:
            start = dataclasses.replace(
                state, t0=state.t, steps=0, h=h, rate=state.rate if h == state.h else state.rate[:1]
            )
            pair = steps_of(self.model, self.inner, start, 2)
            error, failure = (self._error(start, pair), None) if pair.steps == 2 else (np.inf, pair.failure)
            if failure is not None and not isinstance(failure, NotConverged):
                return pair.first(0, failure)
            if error <= self.scheme.tolerance:
                break
            h, end, clipped = h * controller.refused(error / self.scheme.tolerance), None, False
            if h < self._h_min:
                return pair.first(0, failure or self._too_fine(error))
        factor = controller.kept(error / self.scheme.tolerance)
        length = h * (1.0 if KEPT[0] < factor < KEPT[1] else factor)
        length = min(max(length, state.h) if clipped else length, self._h_max)
        t = state.t + h * np.arange(3.0)
        if end is not None:
            t[-1] = end
        return dataclasses.replace(
            pair, failure=None, pace=Pace(t, np.full(2, h), np.array([h, length]), np.full(2, 0.5 * error))
        )

    def _fitted(self, state: State) -> tuple[float, float | None]:
        """Length of the next steps, and where two of them end, if that is t_end or a jump; the last ones are alike."""
        pair, last = fitted(self.t_end - state.t, 2.0 * state.h)
        h, end = 0.5 * pair, self.t_end if last else None
        jump = self._jumps.first(state.t, state.t + 2.0 * h)
        if jump is None:
            return h, end
        h = 0.5 * (jump - state.t)
        while state.t + 2.0 * h < jump:  # by rounding: inputs at the end are those after the jump, as for the next step
            h = float(np.nextafter(h, np.inf))
        return h, jump

    def _error(self, start: State, pair: Chunk) -> float:
        """Local error of a pair; infinite where one step of twice the length has no solution."""
        whole = steps_of(
            self.model, self.inner, dataclasses.replace(start, h=2.0 * start.h, rate=(pair.rate.mean(0),)), 1
        )
        if not whole.steps:
            return np.inf
        distance = self._distance(start.x, pair.x[2], whole.x[1], 2.0 * start.h)
        return distance / (2.0**self.scheme.order - 1.0)

    def _too_fine(self, error: float) -> NotConverged:
        if not np.isfinite(error):
            return NotConverged("a step of twice the length has no solution to compare with", -1, np.nan)
        failure = NotConverged(
            f"with steps of h_min = {self._h_min:g} s the local error is {error:.2g}, above the tolerance of "
            f"{self.scheme.tolerance:g}",
            -1,
            np.nan,
        )
        failure.way_out = "Take a larger tolerance or a smaller h_min."
        return failure


def steps_of(model: Model, stepping: Advancing, state: State, n: int) -> Chunk:
    """n steps of one length, or as many as can be solved; what is made in compiled code may come in parts."""
    chunk = stepping.advance(state, n)
    while chunk.steps < n and chunk.failure is None:
        more = stepping.advance(_after(model, chunk, state), n - chunk.steps)
        chunk = joined([chunk, more], more.failure)
    return chunk


def _after(model: Model, chunk: Chunk, state: State) -> State:
    """The state after a chunk that started at a state, as far as the next steps ask for it."""
    angles = state.angles
    if chunk.tallies is not None:
        angles = chunk.tallies.angles[-1]
    elif model.feedback:
        for x in chunk.x[1:]:
            angles = model.followed_angles(x, angles)
    return chunk.state(state, chunk.steps, state.taken, angles)
