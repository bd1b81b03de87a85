"""Laws of feedback over a step: at its middle in time, at the mean of both ends, with secants Δ/h for rates."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.integrate.newton import Newton, NotConverged, Solution, difference_jacobian, difference_size
from visviva.model import Feedback, Model, State
from visviva.model.course import Span


@final
@dataclass(frozen=True, eq=False)
class StepLaws:
    """Inputs u = law(t̄, ȳ, Δy/h) of a step from a state, by its end; given: those that follow time alone.

    fixed: all inputs, where laws are so steep that these round by more than the balances do: those close with them.
    y are joint coordinates (angles continuous), points, axes and twists of frames, see `model.sensor`: the law is of
    second order, and u Δq is the work that the port of a joint does.
    """

    model: Model
    state: State
    h: float
    given: Array
    fixed: Array | None = None

    @property
    def t(self) -> float:
        """The middle of the step [s]."""
        return self.state.t + 0.5 * self.h

    def inputs(self, x1: Array, xm: Array | None = None, z: Array | None = None) -> Array:
        """All inputs, (..., inputs); xm, z: mean state and efforts, for laws that see them."""
        model, state = self.model, self.state
        if self.fixed is not None or not model.feedback:
            return self.given if self.fixed is None else self.fixed
        course = Span(model, state.x, x1, state.angles, self.h)
        nothing = np.zeros((*x1.shape[:-1], model.layout.total))
        return model.supplied(self.t, x1 if xm is None else xm, nothing if z is None else z, self.given, course)

    @cached_property
    def columns(self) -> list[int]:
        """Inputs that follow laws."""
        laws = self.model.feedback if self.fixed is None else ()
        places = [self.model.port_columns[part.port] for part in laws]
        return [k for at in places for k in range(at.start, at.stop)]

    def force_slope(self, force: Callable[[Array], Array], q0: Array, rate: Array) -> Array:
        """∂f/∂u ∂u/∂rate of a force f(u) that is affine in u, with q1 = q0 + h rate the first coordinates of x1.

        One row of zeros where no input follows a law.
        """
        if not self.columns:
            return np.zeros((1, len(rate)))
        u = self.inputs(q0 + self.h * rate)
        slope = difference_jacobian(lambda v: self.inputs(q0 + self.h * v), rate, difference_size(rate))
        units = np.eye(len(u))[self.columns]
        f_u = np.array([force(u + unit) - force(u) for unit in units]).T
        return f_u @ slope[self.columns]

    def held(self, u: Array) -> StepLaws:
        """The same step with its inputs held."""
        return dataclasses.replace(self, fixed=u)

    def rounds(self, solution: Solution, newton: Newton) -> bool:
        """Whether a solution is as good as its laws round, and not as its balances do."""
        return bool(self.columns) and solution.residual > newton.rounded

    def check(self, x1: Array, xm: Array | None = None, z: Array | None = None) -> None:
        """The failure of a step, where a law gives no number at an end that was expected."""
        check_laws(self.model, self.inputs(x1, xm, z), self.t)


def check_laws(model: Model, u: Array, t: float) -> None:
    """The failure of a step whose inputs u at t follow laws, where one of them is no number."""
    for part in model.feedback:
        if not np.isfinite(u[..., model.port_columns[part.port]]).all():
            raise law_failure(part, t) from part.law.failure


def law_failure(part: Feedback, t: float) -> NotConverged:
    """The failure of a step whose law gives no number."""
    raised = part.law.failure
    why = "" if raised is None else f": {type(raised).__name__}: {str(raised).rstrip('.')}"
    failure = NotConverged(f"the law of port {part.port!r} gives no finite number at t = {t:g} s{why}", -1, np.nan)
    if raised is not None:
        failure.way_out = (
            "The law, or the\nreference that it follows, has no value there: mend it, or end the run before."
        )
    return failure
