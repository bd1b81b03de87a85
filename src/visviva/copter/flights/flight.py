"""Flights with perfect state: a manoeuvre, a tracking law, a rigid vehicle whose rotors push as they are told."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from os import PathLike
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array, frozen
from visviva._suggestions import suggesting
from visviva.control import Controller
from visviva.copter.energy.energy_audit import EnergyAudit
from visviva.copter.energy.rigid_audit import rigid_audit
from visviva.copter.flights.demand import CHECKED, too_much
from visviva.copter.flights.manoeuvres import Figures, Manoeuvre
from visviva.copter.models.rigid_rotors import RigidRotors
from visviva.copter.vehicles.allotment import allot
from visviva.copter.vehicles.surroundings import Surroundings
from visviva.copter.vehicles.vehicle import Vehicle
from visviva.results import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.control import TrackingRecord


BOX, TURNED = 1.0, np.pi / 2  # [m] about the reference, and by which attitude [rad], where control is lost


@final
@suggesting
@dataclass(frozen=True, eq=False)
class Flight:
    """A run, and what it was to be.   around: wind and ground.   rotors: what these did, where they have options."""

    plan: Manoeuvre
    vehicle: Vehicle
    run: Run
    law: Controller
    around: Surroundings
    rotors: RigidRotors | None = None

    @cached_property
    def errors(self) -> dict[str, Array]:
        """e_r [m], e_R and e_φ [rad] over `t`, at ticks while it lasts; (5.73)."""
        kept = np.flatnonzero(self.run.t <= self.plan.duration + 1e-9)
        kept = kept[:: max(1, len(kept) // 1000)]
        R = self.run["craft.R"][kept].reshape(-1, 3, 3)
        return pose_errors(self.plan, self.run.t[kept], self.run["craft.r"][kept], R)

    @cached_property
    def figures(self) -> Figures:
        """Largest values of the reference and root mean squares of errors; (5.74), (5.75)."""
        return figures_of(self.plan, self.errors)

    @property
    def trace(self) -> tuple[Array, Array]:
        """r (n, 3) and R (n, 3, 3) of all steps."""
        return self.run["craft.r"], self.run["craft.R"].reshape(-1, 3, 3)

    @property
    def trace_times(self) -> Array:
        """Of `trace` [s]."""
        return np.asarray(self.run.t)

    @property
    def thrust_times(self) -> Array:
        """Of `thrusts` and `tilts` [s]."""
        return self.run.t_mid

    @cached_property
    def thrusts(self) -> Array:
        """κ_F ϖ² of the rotors at the run's steps [N], (n, k); without options from the wrench at their port."""
        if self.rotors is not None:
            return self.rotors.thrusts[: len(self.run.t_mid)]
        x = allot(self.vehicle, self.run["rotors.u"])
        k = len(self.vehicle.rotors)
        F = np.array(x[:, :k])
        F[:, list(self.vehicle.tilting)] = np.hypot(F[:, list(self.vehicle.tilting)], x[:, k:])
        return F

    @cached_property
    def tilts(self) -> Array:
        """Of the rotors that have servos, as the law asks for them [rad], (n, s)."""
        k, tilting = len(self.vehicle.rotors), list(self.vehicle.tilting)
        wrenches = self.run["rotors.u"] if self.rotors is None else np.array(self.rotors.asked[: len(self.run.t_mid)])
        if not tilting:
            return np.zeros((len(wrenches), 0))
        x = allot(self.vehicle, wrenches)
        return np.arctan2(x[:, k:], x[:, tilting])

    @cached_property
    def tracking(self) -> TrackingRecord:
        """`run.tracking`, with what the law does not know of the vehicle as a term: "estimation and model"."""
        from visviva.copter.flights.template_energy import template_of_flight

        return template_of_flight(self)

    def audit(self, since: float = -np.inf, until: float = np.inf) -> EnergyAudit:
        """Where the electrical work went, step by step; between two times [s], or in the whole flight."""
        return self._audit.between(since, until)

    @cached_property
    def _audit(self) -> EnergyAudit:
        return rigid_audit(self)

    @cached_property
    def cautions(self) -> tuple[str, ...]:
        """What the reference takes beyond rotors, ground that is too near, notes of the run, and where it was lost."""
        times = np.linspace(0.0, self.plan.duration, CHECKED)
        wanting = too_much(self.plan, self.vehicle, self.law, times)
        low = self.around.too_low(self.vehicle, self.plan.name, self.run.t, *self.trace)
        return (*filter(None, (wanting, low)), *self.run.warnings, *losses(self.plan, self.errors))

    def __str__(self) -> str:
        return "\n".join([*self.lines, *(f"  {line}" for line in self.cautions)])

    @property
    def lines(self) -> list[str]:
        """A title, the figures, and what is left in the battery."""
        title = f"{self.plan.name} of {self.vehicle.name!r}, {self.plan.duration:g} s, rigid, perfect state"
        lines = [title, *table(self.plan, self.figures)]
        F = self.thrusts
        lines.append(f"  thrusts from {F.min():.2f} to {F.max():.2f} N")
        if self.vehicle.battery is not None:
            lines.append(self.vehicle.battery.account(self.run.t, self.audit().supplied["battery"]))
        return lines

    def sankey(self, path: str | PathLike[str] | None = None) -> Figure:
        """Ribbons from where energy came from to where it went; path: of a picture."""
        return self.audit().sankey(path)

    def plot(self, path: str | PathLike[str] | None = None) -> Figure:
        """Trace and attitude in the plane of the path or in space, errors, and thrusts; path: of a picture."""
        from visviva.copter.flights.plot_flight import plot_flight

        return plot_flight(self, path)

    def page(self, path: str | PathLike[str]) -> None:
        """Write one web page that plays the flight, with pictures, figures and audit; it opens without a network."""
        from visviva.copter.flights.flight_page import write_flight_page

        write_flight_page(self, path)


def pose_errors(plan: Manoeuvre, t: Array, r: Array, R: Array) -> dict[str, Array]:
    """e_r [m], e_R and e_φ [rad] of poses at times of a manoeuvre, and these times; (5.73)."""
    r_R, R_R = _poses(plan, tuple(t.tolist()))
    E = np.swapaxes(R_R, 1, 2) @ R
    turn = np.stack([E[:, 2, 1] - E[:, 1, 2], E[:, 0, 2] - E[:, 2, 0], E[:, 1, 0] - E[:, 0, 1]], axis=1)
    e_R = np.arctan2(np.linalg.norm(turn, axis=1), np.trace(E, axis1=1, axis2=2) - 1)
    e_phi = np.abs(np.arctan2(E[:, 1, 0] - E[:, 0, 1], E[:, 0, 0] + E[:, 1, 1]))
    return {"t": t, "e_r": np.linalg.norm(r - r_R, axis=1), "e_R": e_R, "e_phi": e_phi}


def losses(plan: Manoeuvre, errors: dict[str, Array]) -> list[str]:
    """Where control was lost; a pilot cares for the position himself."""
    found, t = list[str](), errors["t"]
    if not plan.piloted and (outside := ~(errors["e_r"] <= BOX)).any():
        found.append(f"control was lost: more than {BOX:g} m from the reference at t = {t[outside][0]:.2f} s.")
    if (turned := ~(errors["e_R"] <= TURNED)).any():
        found.append(f"control was lost: turned by more than 90° at t = {t[turned][0]:.2f} s.")
    return found


@lru_cache(maxsize=8)
def _poses(plan: Manoeuvre, times: tuple[float, ...]) -> tuple[Array, Array]:
    """r_R (n, 3) and R_R (n, 3, 3), for all flights of a manoeuvre."""
    r, R = plan.path.poses(times)
    return frozen(r), frozen(R)


def figures_of(plan: Manoeuvre, errors: dict[str, Array]) -> Figures:
    """Largest values of the reference and root mean squares of errors; (5.74), (5.75)."""
    r, R, phi = (float(np.sqrt(np.mean(errors[name] ** 2))) for name in ("e_r", "e_R", "e_phi"))
    return Figures(*plan.largest(), r, float(np.degrees(R)), float(np.degrees(phi)))


def table(plan: Manoeuvre, figures: Figures) -> list[str]:
    """Lines of figures, beside those that were flown in reality, if they were."""
    units = ("m/s", "m/s²", "°/s", "°/s²", "m", "°", "°")
    names = ("max |v_R|", "max |v̇_R|", "max |ω_R|", "max |ω̇_R|", "rms e_r", "rms e_R", "rms e_φ")
    if plan.flown is None:
        return [f"  {name:12} {x:10.4g}  {unit}" for name, x, unit in zip(names, figures, units, strict=True)]
    lines = [f"  {'':12} {'here':>10} {'Table 5.2':>10}"]
    for name, x, real, unit in zip(names, figures, plan.flown, units, strict=True):
        lines.append(f"  {name:12} {x:10.4g} {real:10.4g}  {unit}")
    return lines
