"""What became of a flight by sensors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva._suggestions import suggesting
from visviva.copter.agent_loop import Record
from visviva.copter.agent_tick import LIMITED, LONGEST, NO_INPUTS, READY, STALE, Memory
from visviva.copter.estimation import Counts, counts
from visviva.copter.flight import figures_of, pose_errors, table
from visviva.copter.manoeuvres import Figures, Manoeuvre
from visviva.copter.plant import Q_AT, THETA_AT
from visviva.copter.sensors import Sensors
from visviva.copter.vehicle import Vehicle
from visviva.geometry.quaternion import matrix_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.copter.agent import Agent


@final
@suggesting
@dataclass(frozen=True, eq=False)
class AgentFlight:
    """True motion, estimates and commands at ticks; times t are those of the manoeuvre, which begins at 0.

    vehicle: that flew, with what the agent does not know.   memory: of the agent in the end.
    """

    plan: Manoeuvre
    vehicle: Vehicle
    agent: Agent
    sensors: Sensors
    record: Record
    memory: Memory
    settle: float

    @cached_property
    def t(self) -> Array:
        """Times of ticks [s], from the moment at which the agent is let go."""
        T = self.agent.period
        k = np.arange(len(self.record.x)) - round(self.memory.counts[READY] / T) - round(self.settle / T)
        return k * T

    @cached_property
    def _flown(self) -> slice:
        return slice(round(self.memory.counts[READY] / self.agent.period), None)

    @property
    def trace(self) -> tuple[Array, Array]:
        """True r (n, 3) and R (n, 3, 3) during the manoeuvre."""
        kept = self.t >= 0
        return self.record.x[kept, :3], matrix_of(self.record.x[kept, Q_AT:THETA_AT])

    @cached_property
    def errors(self) -> dict[str, Array]:
        """e_r [m], e_R and e_φ [rad] of the true pose over `t`, at ticks of the manoeuvre; (5.73)."""
        kept = (self.t >= -1e-9) & (self.t <= self.plan.duration + 1e-9)
        x = self.record.x[kept]
        return pose_errors(self.plan, self.t[kept], x[:, :3], matrix_of(x[:, Q_AT:THETA_AT]))

    @cached_property
    def figures(self) -> Figures:
        """Largest values of the reference and root mean squares of errors; (5.74), (5.75)."""
        return figures_of(self.plan, self.errors)

    @property
    def thrust_times(self) -> Array:
        """Of `thrusts` [s]."""
        return self.t[self._flown]

    @cached_property
    def thrusts(self) -> Array:
        """True ones of the rotors since the agent was let go [N], (n, k)."""
        kappa = np.array([rotor.kappa_F for rotor in self.vehicle.rotors])
        return kappa * self.record.x[self._flown, -len(kappa) :] ** 2

    @property
    def frames(self) -> Counts:
        """What became of frames."""
        return counts(self.memory.position)

    def __str__(self) -> str:
        how = f"sensors and agent at {1 / self.agent.period:.0f} Hz"
        lines = [f"{self.plan.name} of {self.vehicle.name!r}, {self.plan.duration:g} s, {how}"]
        lines += table(self.plan, self.figures)
        F, c = self.thrusts, self.memory.counts
        lines.append(f"  thrusts from {F.min():.2f} to {F.max():.2f} N")
        lines.append(f"  limits acted at {c[LIMITED]:.0f} ticks, no inputs at {c[NO_INPUTS]:.0f}, stale {c[STALE]:.0f}, {c[LONGEST]:.3f}")
        return "\n".join(lines)

    def plot(self) -> Figure:
        """The trace from beside with the attitude, errors over time, and thrusts."""
        from visviva.copter.plot_flight import plot_flight

        return plot_flight(self)
