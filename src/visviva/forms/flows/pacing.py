"""How long steps of flows are: all alike, as an error estimate allows, or as relaxation makes them."""

from __future__ import annotations

import dataclasses
from typing import final

import numpy as np

from visviva.forms.flows.flow import Flow, FlowState
from visviva.forms.flows.local import FlowStep
from visviva.forms.flows.schemes import AbstractFlowScheme
from visviva.integrate.newton import NotConverged
from visviva.kernels.step_control import LEAST, MEMORY, MOST, SHORTEST
from visviva.numerics.step_control import StepController, fitted

HALVINGS = 8  # a step without a solution is divided into at most 2^8
FITTED = 1e-13  # how near a relaxed step must end to where the run ends, relative
TRIES = 6
CONTROLLER = StepController(power=8, least=LEAST, most=MOST, memory=MEMORY)


@final
class Pacer:
    """Makes the steps of a scheme over a flow.

    h:        length of all steps, or of the longest [s].
    t_end:    where the last step ends [s], for steps of various lengths.
    halvings: how often a step that has no solution may be divided in two.
    """

    def __init__(self, scheme: AbstractFlowScheme, flow: Flow, h: float, t_end: float = np.inf) -> None:
        scheme.check(flow)
        self.scheme = scheme
        self.flow = flow
        self.h = h
        self.t_end = t_end
        self.halvings = HALVINGS

    def steps(self, state: FlowState) -> list[FlowStep]:
        """The next step; several where it had to be divided. Raises `NotConverged`."""
        with np.errstate(all="ignore"):  # what is not finite is no step
            if self.scheme.tolerance is not None:
                return [self._accurate(state, self.scheme.tolerance)]
            if not self.scheme.fixed_step:
                return [self._relaxed(state)]
            return self._divided(state, self.h, self.halvings)

    def _divided(self, state: FlowState, h: float, halvings: int) -> list[FlowStep]:
        try:
            return [self.scheme.step(self.flow, state, h)]
        except NotConverged:
            if halvings == 0:
                raise
        first = self._divided(state, 0.5 * h, halvings - 1)
        return [*first, *self._divided(first[-1].end, 0.5 * h, halvings - 1)]

    def _relaxed(self, state: FlowState) -> FlowStep:
        """What is left is shared out evenly; the last step is made until it ends at t_end."""
        left = self.t_end - state.t
        count = max(1, round(left / self.h)) if np.isfinite(left) else 1
        h = left / count if np.isfinite(left) else self.h
        step = self.scheme.step(self.flow, state, h)
        if count > 1 or not np.isfinite(left):
            return step
        for _ in range(TRIES):
            if abs(step.h - left) <= FITTED * max(left, abs(self.t_end)):
                return dataclasses.replace(step, end=dataclasses.replace(step.end, t=self.t_end))
            h *= left / step.h
            step = self.scheme.step(self.flow, state, h)
        raise NotConverged("relaxation changes its length too much to end where the run ends", -1, np.nan)

    def _accurate(self, state: FlowState, tolerance: float) -> FlowStep:
        """A step whose error is below the tolerance, and the length of the next; the last two are of one length."""
        wanted = min(state.h or self.h, self.h)
        left = self.t_end - state.t
        h, last = fitted(left, wanted)
        clipped, most = h < wanted, MOST
        before = float(state.memory[0]) if len(state.memory) == 1 else 1.0
        while True:
            step, failure = None, None
            try:
                step = self.scheme.step(self.flow, state, h)
            except NotConverged as error:
                failure = error
            size = step.error / tolerance if step is not None else np.inf
            if step is not None and size <= 1.0:
                break
            h *= CONTROLLER.refused(size)
            last, clipped, most = False, False, 1.0
            if h < SHORTEST * self.h:
                raise failure or self._too_fine(size * tolerance, tolerance)
        length = h * CONTROLLER.kept(size, before, most)
        length = min(max(length, wanted) if clipped else length, self.h)
        t = self.t_end if last else step.end.t
        end = dataclasses.replace(step.end, t=t, h=length, memory=np.array([max(size, 1e-4)]))
        return dataclasses.replace(step, end=end)

    def _too_fine(self, error: float, tolerance: float) -> NotConverged:
        failure = NotConverged(
            f"with steps of {SHORTEST * self.h:.2g} s the local error is {error:.2g}, above the tolerance of "
            f"{tolerance:g}",
            -1,
            np.nan,
        )
        failure.way_out = "Take a larger tolerance; forces with corners are for vv.RK4()."
        return failure
