"""What became of a flight by sensors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva._suggestions import suggesting
from visviva.copter.agents.agent_loop import Record
from visviva.copter.agents.agent_tick import LIMITED, LONGEST, NEVER, NO_INPUTS, READY, STALE, Memory
from visviva.copter.agents.sensors import Sensors
from visviva.copter.energy.energy_account import account
from visviva.copter.energy.energy_audit import EnergyAudit
from visviva.copter.energy.flown_steps import FlownSteps, flown_steps
from visviva.copter.energy.powers import put_step_works
from visviva.copter.estimation import Counts, counts
from visviva.copter.flights.flight import figures_of, losses, pose_errors, table
from visviva.copter.flights.manoeuvres import Figures, Manoeuvre
from visviva.copter.models.plant import Q_AT, THETA_AT
from visviva.copter.vehicles.vehicle import Vehicle
from visviva.errors import ModelError
from visviva.geometry.quaternion import matrix_of
from visviva.kernels.twins import kernel_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.control import TrackingRecord
    from visviva.copter.agents.agent import Agent

AVERAGE = 0.3  # [s] at the end, of what is unexplained
WEAK, ALIKE = 0.08, 0.35  # share of a thrust that is told; of the wrench, that one rotor may leave unexplained
AMISS = 0.25  # share of the weight that is told
NEAR = 1e-9  # of a thrust: rotors that explain as much are alike


@final
@suggesting
@dataclass(frozen=True, eq=False)
class AgentFlight:
    """True motion, estimates and commands at ticks; times t are those of the manoeuvre, which begins at 0.

    vehicle: that flew, with what the agent does not know.   memory: of the agent in the end.   settle: hover before the
    manoeuvre [s].
    """

    plan: Manoeuvre
    vehicle: Vehicle
    agent: Agent
    sensors: Sensors
    record: Record
    memory: Memory
    settle: float
    elapsed: float  # [s] that plant and agent took, sensors included; the first flight in a process loads code too

    @cached_property
    def t(self) -> Array:
        """Times of ticks [s]; not numbers where it never flew."""
        T, n = self.agent.period, len(self.record.x)
        if not self.flew:
            return np.full(n, np.nan)
        return (np.arange(n) - self._flown.start - round(self.settle / T)) * T

    @property
    def flew(self) -> bool:
        """Whether the agent was let go: it never is where frames do not arrive."""
        return bool(self.memory.counts[READY] != NEVER)

    @cached_property
    def _flown(self) -> slice:
        return slice(round(self.memory.counts[READY] / self.agent.period) if self.flew else len(self.record.x), None)

    @property
    def trace(self) -> tuple[Array, Array]:
        """True r (n, 3) and R (n, 3, 3) during the manoeuvre."""
        kept = self.t >= 0
        return self.record.x[kept, :3], matrix_of(self.record.x[kept, Q_AT:THETA_AT])

    @property
    def trace_times(self) -> Array:
        """Of `trace` [s]."""
        return self.t[self.t >= 0]

    @cached_property
    def errors(self) -> dict[str, Array]:
        """e_r [m], e_R and e_φ [rad] of the true pose over `t`, at ticks of the manoeuvre; (5.73)."""
        kept = (self.t >= -1e-9) & (self.t <= self.plan.duration + 1e-9)
        x = self.record.x[kept]
        return pose_errors(self.plan, self.t[kept], x[:, :3], matrix_of(x[:, Q_AT:THETA_AT]))

    @cached_property
    def figures(self) -> Figures:
        """Largest values of the reference and root mean squares of errors, NaN if it never flew; (5.74), (5.75)."""
        if not self.flew:
            return Figures(*self.plan.largest(), np.nan, np.nan, np.nan)
        return figures_of(self.plan, self.errors)

    @property
    def thrust_times(self) -> Array:
        """Of `thrusts` and `tilts` [s]."""
        return self.t[self._flown]

    @cached_property
    def thrusts(self) -> Array:
        """True ones of the rotors since the agent was let go [N], (n, k)."""
        kappa = np.array([rotor.kappa_F for rotor in self.vehicle.rotors])
        return kappa * self.record.x[self._flown, -len(kappa) :] ** 2

    @property
    def tilts(self) -> Array:
        """True ones of the rotors that have servos [rad], (n, s)."""
        return self.record.x[self._flown, THETA_AT : THETA_AT + len(self.vehicle.tilting)]

    @property
    def frames(self) -> Counts:
        """What became of frames."""
        by_place, by_turn = counts(self.memory.position), counts(self.memory.attitude)  # the second decides first
        return Counts(
            by_place.taken, by_place.too_old + by_turn.too_old, by_place.future + by_turn.future,
            by_place.not_newer + by_turn.not_newer, by_place.unusable + by_turn.unusable, by_place.skipped,
        )  # fmt: skip

    def __str__(self) -> str:
        return "\n".join([*self.lines, *(f"  {line}" for line in self.cautions)])

    @property
    def lines(self) -> list[str]:
        """A title, and the figures and what is left in the battery, if it flew."""
        how = f"sensors and agent at {1 / self.agent.period:.0f} Hz"
        lines = [f"{self.plan.name} of {self.vehicle.name!r}, {self.plan.duration:g} s, {how}"]
        if self.flew:
            F = self.thrusts
            lines += [*table(self.plan, self.figures), f"  thrusts from {F.min():.2f} to {F.max():.2f} N"]
            if self.vehicle.battery is not None and np.isfinite(self.record.between[-1]).all():
                audit = self.audit()
                lines.append(self.vehicle.battery.account(audit.t, audit.supplied["battery"]))
        return lines

    @cached_property
    def cautions(self) -> tuple[str, ...]:
        """What the agent has to say, by its own estimates; where it has lost the vehicle, and what is not flown."""
        c, T, found = self.memory.counts, self.agent.period, list[str]()
        if not self.flew:
            return (self._why_it_stayed(),)
        if c[STALE]:
            found.append(f"frames were missing for up to {c[LONGEST]:.2f} s: it went on by the IMU alone.")
        if c[LIMITED]:
            found.append(f"limits of thrusts acted for {c[LIMITED] * T:.2f} s.")
        if c[NO_INPUTS]:
            found.append(f"the law had no inputs for {c[NO_INPUTS] * T:.2f} s: it held what it had asked for.")
        if weak := self._weakest():
            found.append(weak)
        if late := [rotor for rotor in self.vehicle.rotors if rotor.lag]:
            others = f" and {len(late) - 1} more" if late[1:] else ""
            found.append(
                f"lag={late[0].lag:g} s of {late[0].name}{others} is for flights with perfect state and not used: here "
                "inertia= and currents make rotors late. Leave lag= out, or give another inertia=."
            )
        if abs(share := self._share()) > AMISS:
            found.append(
                f"thrust over mass seems {100 * abs(share):.0f} % {'more' if share > 0 else 'less'} than it should be, "
                "unless wind or a load pushes."
            )
        return (*found, *losses(self.plan, self.errors))

    def _share(self) -> float:
        """What is missing at hover, of the weight."""
        b, gamma = self.memory.scale[:2]
        return float(gamma + b / (self.agent.vehicle.mass * self.agent.vehicle.gravity))

    def _why_it_stayed(self) -> str:
        """What became of the frames of a flight that never was."""
        T, waited, old = self.agent.period, len(self.record.x) * self.agent.period, counts(self.memory.attitude).too_old
        said = "it never flew: two frames within a second are needed to know where it is"
        if old:
            p = self.agent.parameters(self.sensors)
            return (
                f"{said}. In {waited:.3g} s {old} were too old: by its clock, with a mean delay of "
                f"{p.latency.mean_delay:.3g} s, they are from before the {p.attitude.rows} samples that it keeps, "
                f"{p.attitude.rows * T:.3g} s."
            )
        return f"{said}, and in {waited:.3g} s they did not arrive."

    def _weakest(self) -> str:
        """Whether what it does not explain in the end is what one rotor does not push."""
        own = self.agent.vehicle
        last = self.record.bias[-round(AVERAGE / self.agent.period) :].mean(axis=0)
        wrench = np.concatenate([last[:3] + np.cross(own.com, last[3:]), last[3:]])[[0, 1, 5]]
        if not np.isfinite(wrench).all():
            return ""
        arm = max(float(np.linalg.norm(rotor.position)) for rotor in own.rotors)
        columns = own.allocation(own.hover.tilts)[[0, 1, 5]] * [[1 / arm], [1 / arm], [1.0]]
        wrench = wrench / [arm, arm, 1.0]
        lost = -(wrench @ columns) / (columns**2).sum(axis=0)
        left = np.linalg.norm(wrench[:, None] + columns * lost, axis=0)
        i = int(np.argmin(left))
        pushed = own.rotors[i].kappa_F * self.memory.propellers[i] ** 2
        if lost[i] < WEAK * pushed or left[i] > ALIKE * float(np.linalg.norm(wrench)):
            return ""
        alike = np.flatnonzero(left < (1 + NEAR) * left[i] + NEAR * abs(lost[i]))  # one above the other
        names = " or ".join(own.rotors[k].name for k in alike)
        missing = 100 * min(lost[i] / pushed, 1.0)
        return f"{names} seems to push {missing:.0f} % less than it should, unless wind or a load turns the vehicle."

    @cached_property
    def steps(self) -> FlownSteps:
        """All steps of the plant since the agent was let go."""
        self._check_flown()
        found = flown_steps(self.record, self._flown.start, self.t)
        if not (finite := np.isfinite(found.x).all(axis=1)).all():
            raise ModelError(
                f"{self.plan.name} of {self.vehicle.name!r} has no motion from t = {found.t[~finite][0]:.4g} s on: "
                "numbers overflowed.\nControl was lost before; see flight.cautions."
            )
        return found

    def _check_flown(self) -> None:
        if not self.flew:
            raise ModelError(f"{self.plan.name} was not flown: {self.cautions[0]}")

    def audit(self, since: float = -np.inf, until: float = np.inf) -> EnergyAudit:
        """Where the electrical work went, step by step; between times of the manoeuvre [s], or of the whole flight."""
        return self._audit.between(since, until)

    @cached_property
    def _audit(self) -> EnergyAudit:
        flown = self.steps
        how = f"{len(flown.h)} steps of {self.vehicle.name!r} by sensors"
        return account(self.plan.name, how, self.vehicle, flown, kernel_of(put_step_works))

    @cached_property
    def tracking(self) -> TrackingRecord:
        """The law on the true state in the manoeuvre, and the balance of the energy of its errors; some seconds."""
        from visviva.copter.flights.template_energy import template_of_agent

        self._check_flown()
        return template_of_agent(self)

    def sankey(self, path: str | PathLike[str] | None = None) -> Figure:
        """Ribbons from where energy came from to where it went; path: of a picture."""
        return self.audit().sankey(path)

    def plot(self, path: str | PathLike[str] | None = None) -> Figure:
        """Trace and attitude in the plane of the path or in space, errors, and thrusts; path: of a picture."""
        from visviva.copter.flights.plot_flight import plot_flight

        self._check_flown()
        return plot_flight(self, path)

    def page(self, path: str | PathLike[str]) -> None:
        """Write one web page that plays the flight, with pictures, figures and audit; it opens without a network."""
        from visviva.copter.flights.flight_page import write_flight_page

        self._check_flown()
        write_flight_page(self, path)
