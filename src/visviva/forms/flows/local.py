"""One step of a flow in its local coordinates y = (δ, ξ, s), and what it leaves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ConvergenceError, ModelError, VisvivaError
from visviva.forms.flows.flow import Flow, FlowState
from visviva.integrate.jumps import rounded
from visviva.integrate.newton import NotConverged


def stage_times(t: float, h: float, c: Array) -> Array:
    """t + c h, but by a rounding inside of the step: what jumps at one of its ends has its value of inside there."""
    apart = rounded(t, t + h)
    return np.asarray(np.clip(t + c * h, t + apart, t + h - apart))


@final
@dataclass(frozen=True, eq=False)
class FlowStep:
    """What an accepted step leaves.

    end:      where it leads.   h: its length, which relaxation changes [s].
    Y:        (stages, 2n + extra) its stages in local coordinates, at the times t + c h.
    b:        (stages,) weights of the quadrature over the step, which sum up to 1.
    error:    estimated local error; zero where there is no estimate.   iterations, residual: of implicit schemes.
    balanced: whether its balance of energy is closed, for schemes that claim it.
    """

    end: FlowState
    h: float
    Y: Array
    b: Array
    c: Array
    error: float = 0.0
    iterations: int = 0
    residual: float = 0.0
    balanced: bool = True


@final
@dataclass(frozen=True, eq=False)
class Local:
    """A flow seen from the start of a step: ẏ = f(t, y) with y = (δ, ξ, s), y(0) = (0, ξ0, s0)."""

    flow: Flow
    start: FlowState
    y0: Array = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "y0", np.concatenate([np.zeros(self.flow.n), self.start.xi, self.start.s]))

    def parts(self, y: Array) -> tuple[Array, Array, Array]:
        """(q, ξ, s) at local coordinates."""
        n = self.flow.n
        try:
            return self.flow.advance_q(self.start.q, y[:n]), y[n : 2 * n], y[2 * n :]
        except (ConvergenceError, ModelError) as reason:
            raise _no_step(reason) from None

    def rate(self, t: float, y: Array) -> Array:
        """f(t, y)."""
        n = self.flow.n
        q, xi, s = self.parts(y)
        try:
            moved = self.flow.inverse_tangent(self.start.q, y[:n], xi)
            return np.concatenate([moved, *self.flow.rates(t, q, xi, s)])
        except ModelError as reason:
            raise _no_step(reason) from None

    def energy(self, y: Array) -> float:
        """Stored energy [J]."""
        return self.flow.energy(*self.parts(y))

    def power(self, t: float, y: Array) -> float:
        """Rate of the energy [W]."""
        return self.flow.power(t, *self.parts(y))

    def end(self, t: float, y: Array, memory: Array | None = None) -> FlowState:
        """The state at local coordinates, on the constraints; an error where it is not finite."""
        if not np.isfinite(y).all():
            raise NotConverged("its rates are not finite", -1, np.nan)
        try:
            q, xi, s = self.flow.projected(t, *self.parts(y))
        except ModelError as reason:
            raise _no_step(reason) from None
        kept = np.zeros(0) if memory is None else memory
        return FlowState(t, q, xi, s, memory=kept, momenta=self.flow.in_momenta)

    def sizes(self, h: float, k: Array) -> Array:
        """Units of y for errors and rounding: those of δ are the flow's; velocities follow from the fastest one.

        With δ in units L, ξ counts in L S with S² = max((ξ/L)², |ξ̇|/L): the fastest rate, or that of a fall through L.
        Other states count as the flow says. k: rates at the start.
        """
        n, L = self.flow.n, self.flow.sizes(self.start.q)
        xi, s = self.y0[n : 2 * n], self.y0[2 * n :]
        fastest = float(np.abs(xi / L).max(initial=0.0))
        fall = float(np.sqrt(np.abs(k[n : 2 * n] / L).max(initial=0.0)))
        others = self.flow.other_sizes(s, np.abs(h * k[2 * n :]))
        return np.concatenate([L, L * (max(fastest, fall) or 1.0), others])


def _no_step(reason: VisvivaError) -> NotConverged:
    """What equations do not have at a stage, they may have at those of a shorter step."""
    said, _, way_out = str(reason).partition("\n")
    failure = NotConverged(said.rstrip("."), -1, np.nan)
    failure.way_out = way_out
    return failure
