"""Whether steps of one length are short enough: at some of them, one step against two of half its length."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import numpy as np

from visviva.forms.flows.flow import Flow, FlowState
from visviva.forms.flows.local import FlowStep, Local
from visviva.forms.flows.schemes import AbstractFlowScheme
from visviva.integrate.newton import NotConverged
from visviva.results.notes import TOO_LONG, Caution

PLACES, APART = 8, 4  # it looks at about so many steps in all, and at one in so many at most
GROWN = 2.0  # velocities that have become so much larger are a reason to look
NOTED = 1e-2  # what a step may be off without a word, in the units of `Local.sizes`
REFUSED = 1.0  # of explicit schemes: beyond it nothing of a step is right


@final
@dataclass(eq=False)
class Watch:
    """Compares steps with finer ones.

    It looks at the first step, at a few others that are evenly spread, and wherever velocities have grown. An explicit
    step that is off by all of its size is refused: such steps grow without bound. An implicit one may be meant so, as
    over the vibrations of a stiff spring.

    worst: largest difference so far, and where it was [s].
    """

    scheme: AbstractFlowScheme
    flow: Flow
    count: int
    worst: tuple[float, float] = (0.0, 0.0)
    _made: int = field(default=0, init=False)
    _fastest: float = field(default=0.0, init=False)

    def look(self, state: FlowState, step: FlowStep) -> None:
        """Raises `NotConverged` where a step is no step at all."""
        fastest = float(np.abs(step.end.xi).max(initial=0.0))
        due = self._made % max(APART, -(-self.count // PLACES)) == 0 or fastest > GROWN * self._fastest
        self._made += 1
        if not due:
            return
        self._fastest = max(fastest, self._fastest)
        error = self._difference(state, step)
        self.worst = max(self.worst, (error, state.t))
        if error > REFUSED and step.iterations == 0:
            raise NotConverged(f"it differs from two of half its length by {error:.2g} times its own size", -1, np.nan)

    def _difference(self, state: FlowState, step: FlowStep) -> float:
        try:
            with np.errstate(all="ignore"):  # what is not finite is no step
                middle = self.scheme.step(self.flow, state, 0.5 * step.h).end
                end = self.scheme.step(self.flow, middle, 0.5 * step.h).end
        except NotConverged:
            if step.iterations == 0:
                raise
            return np.inf
        local, n = Local(self.flow, state), self.flow.n
        units = local.sizes(step.h, local.rate(state.t, local.y0))
        change = np.concatenate([step.end.xi - end.xi, step.end.s - end.s]) / units[n:]
        moved = (step.end.q - end.q) / max(np.abs(step.end.q).max(initial=0.0), units[:n].max(initial=0.0), 1e-300)
        return float(np.abs(np.concatenate([change, moved])).max(initial=0.0))

    def notes(self, h: float) -> list[str]:
        """What a user should know about the length of the steps."""
        error, t = self.worst
        if error <= NOTED:
            return []
        return [
            Caution(
                f"{TOO_LONG} to be accurate: the one from t = {t:g} s with h = {h:g} s differs from two of "
                f"half its length by {100 * error:.2g} % of its size; reduce h"
            )
        ]
