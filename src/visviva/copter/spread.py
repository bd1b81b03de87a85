"""Many flights of one manoeuvre with vehicles, noise and latency drawn at random, of which the agent knows nothing."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array, finite_number
from visviva._suggestions import helpful, suggesting
from visviva.copter.agents.agent import Agent
from visviva.copter.agents.agent_flight import AgentFlight
from visviva.copter.agents.sensors import Sensors
from visviva.copter.flights.controller import PERIOD, STEP
from visviva.copter.flights.flight import BOX
from visviva.copter.flights.manoeuvres import Manoeuvre, standard_vehicle
from visviva.copter.flights.plot_flight import reference, saved, seen_axes, set_head, set_limits, trace_axes
from visviva.copter.fly import check_pilot, fly
from visviva.copter.vehicles.vehicle import Vehicle, check_vehicle
from visviva.errors import ModelError
from visviva.geometry.hat import skew

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TWICE = 2.0  # nominal errors


@helpful
def spread(
    what: str | Manoeuvre,
    vehicle: Vehicle | None = None,
    *,
    flights: int = 200,
    share: float = 0.10,
    seed: int = 0,
    sensors: Sensors | None = None,
    agent: Agent | None = None,
    workers: int = 1,
) -> Spread:
    """Fly a manoeuvre by sensors many times, each with a vehicle of its own.

        many = vv.copter.spread("looping", flights=200)
        print(many)
        many.plot()

    what, vehicle, sensors, agent: see `fly`; the agent knows the vehicle as it is described, without its bias.
    share:   mass, second moments of mass about the three axes, κ_F of each rotor, drag along each axis and the mean
             latency are drawn evenly within ± this share, noise, jitter and losses of frames by another seed each.
    seed:    of all that is drawn.
    workers: threads.
    """
    flights, workers = _count(flights, "flights"), _count(workers, "workers")
    share = finite_number(share, "share by which vehicles vary", minimum=0.0)
    if share >= 1:
        raise ModelError(f"share is how far parameters vary, below 1, got {share:g}: a mass would be zero.")
    own = standard_vehicle(what) if vehicle is None else vehicle
    check_vehicle(own)
    around = Sensors() if sensors is None else sensors
    check_pilot(around, agent)
    pilot = Agent(own, mean_delay=around.mean_delay(PERIOD, STEP)) if agent is None else agent
    nominal = fly(what, own, sensors=around, agent=pilot)
    assert isinstance(nominal, AgentFlight)
    once = partial(_fly_one, nominal.plan, own, pilot, around, share, seed)
    with ThreadPoolExecutor(workers) as threads:
        found = list(threads.map(once, range(flights)))
    e, e_R, r = zip(*found, strict=True)
    n = min(map(len, e))
    return Spread(nominal, *(np.array([row[:n] for row in rows]) for rows in (e, e_R, r)))


def varied(vehicle: Vehicle, share: float, rng: np.random.Generator) -> Vehicle:
    """Mass, second moments of mass about the centre, κ_F of each rotor and drag, each within ± a share."""

    def factors(n: int) -> Array:
        return 1 + share * rng.uniform(-1, 1, n)

    def by_axis(matrix: Array) -> Array:
        scale = np.sqrt(factors(3))
        return np.asarray(np.outer(scale, scale) * matrix)

    mass, about, s = float(vehicle.mass * factors(1)[0]), vehicle.inertia_about_com, skew(vehicle.com)
    second = by_axis(0.5 * np.trace(about) * np.eye(3) - about)
    inertia = np.trace(second) * np.eye(3) - second + mass * s @ s.T
    pushes = factors(len(vehicle.rotors))
    rotors = [replace(rotor, kappa_F=rotor.kappa_F * x) for rotor, x in zip(vehicle.rotors, pushes, strict=True)]
    drag = replace(vehicle.drag, d=by_axis(vehicle.drag.d), Upsilon=by_axis(vehicle.drag.Upsilon))
    return replace(vehicle, mass=mass, inertia=inertia, rotors=tuple(rotors), drag=drag)


def _count(given: int, name: str) -> int:
    number = finite_number(given, name)
    if number != int(number) or number < 1:
        raise ModelError(f"{name} is a whole number from 1 on, got {given!r}.")
    return int(number)


def _fly_one(
    plan: Manoeuvre, vehicle: Vehicle, agent: Agent, sensors: Sensors, share: float, seed: int, k: int
) -> tuple[Array, Array, Array]:
    """e_r, e_R and r at ticks of flight k."""
    rng = np.random.default_rng([seed, k])
    own = varied(vehicle, share, rng)
    delay = sensors.delay * (1 + share * rng.uniform(-1, 1))
    flight = agent.fly(plan, own, replace(sensors, delay=max(delay, sensors.jitter), seed=int(rng.integers(1 << 31))))
    e, r = flight.errors, flight.trace[0]
    n = len(e["t"])
    return e["e_r"], e["e_R"], r[:n]


@final
@suggesting
@dataclass(frozen=True, eq=False)
class Spread:
    """Errors of n flights over the ticks of a manoeuvre, and the flight of the vehicle as it is described.

    e_r: (n, ticks) [m].   e_R: (n, ticks) [rad].   r: (n, ticks, 3) where they flew [m].
    """

    nominal: AgentFlight
    e_r: Array
    e_R: Array
    r: Array

    @property
    def t(self) -> Array:
        """Times of ticks of the manoeuvre [s], to within one."""
        return np.asarray(self.nominal.agent.period * np.arange(self.e_r.shape[1]), dtype=np.float64)

    @property
    def rms(self) -> Array:
        """Root mean squares of e_r, (n,) [m]."""
        return np.asarray(np.sqrt(np.mean(self.e_r**2, axis=1)))

    @property
    def lost(self) -> NDArray[np.int64]:
        """Numbers of flights that were ever more than 1 m from the reference."""
        return np.flatnonzero(~(self.e_r <= BOX).all(axis=1))

    @property
    def within_twice(self) -> float:
        """Share of flights whose root mean square of e_r is at most twice the nominal one."""
        return float(np.mean(self.rms <= TWICE * self.nominal.figures.e_r))

    def __str__(self) -> str:
        return "\n".join(self._lines(self.nominal.plan, self.rms))

    def _lines(self, plan: Manoeuvre, rms: Array) -> Iterator[str]:
        yield f"{len(rms)} flights of {plan.name} of {self.nominal.vehicle.name!r} by sensors"
        middle, high = np.nanquantile(rms, [0.5, 0.95])
        own = self.nominal.figures.e_r
        sizes = (f"{100 * x:.2f} cm" for x in (own, middle, high, np.nanmax(rms)))
        yield "  rms e_r   nominal {}, median {}, 95 % below {}, worst {}".format(*sizes)
        yield f"  max e_r   {100 * np.nanmax(self.e_r):.1f} cm at worst"
        yield f"  {100 * self.within_twice:.0f} % within twice the nominal error"
        lost = self.lost
        yield f"  {'none' if not len(lost) else len(lost)} lost: further than {BOX:g} m from the reference"

    def plot(self, path: str | PathLike[str] | None = None) -> Figure:
        """All traces, in the plane of the path or in space, and their errors over time; path: of a picture."""
        import matplotlib.pyplot as plt

        plan, t, own = self.nominal.plan, self.t, self.nominal.errors
        wanted, flown = reference(plan), self.r[np.isfinite(self.r).all(axis=2)]
        kept = seen_axes(np.concatenate([wanted, flown]))
        figure = plt.figure(figsize=(9, 3.8), layout="constrained")
        grid = figure.add_gridspec(1, 2)
        left, right = trace_axes(figure, grid[0], kept), figure.add_subplot(grid[1])
        left.plot(*wanted[:, kept].T, "k:", lw=1.3, zorder=4, label="reference")
        for k, r in enumerate(self.r):
            left.plot(*r[:, kept].T, "C0", lw=0.5, label="" if k else "flown")
        set_limits(left, np.concatenate([wanted, flown]), kept, self.nominal.vehicle.arm, zoom=0.85)
        set_head(left, plan.name, 2)
        right.plot(t, 100 * self.e_r.T, "C0", lw=0.5, label=["each flight"] + [""] * (len(self.r) - 1))
        right.plot(own["t"], 100 * own["e_r"], "k", lw=1.3, label="as described")
        right.set(xlabel="t [s]", ylabel="error of position [cm]", xlim=(0, plan.duration))
        set_head(right, f"{len(self.r)} flights", 2)
        return saved(figure, path)
