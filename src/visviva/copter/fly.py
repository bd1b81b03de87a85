"""Flights of manoeuvres, with perfect state or by sensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from visviva._arrays import finite_number
from visviva._suggestions import helpful
from visviva.copter.agents.agent import Agent
from visviva.copter.agents.agent_flight import AgentFlight
from visviva.copter.agents.sensors import Sensors
from visviva.copter.flights.controller import APPROACH, PERIOD, POLES, STEP, controller
from visviva.copter.flights.demand import CHECKED, check_ground, check_thrust, warn_of_demand
from visviva.copter.flights.flight import Flight
from visviva.copter.flights.manoeuvres import Manoeuvre, planned, standard_vehicle
from visviva.copter.models.craft_law import CraftAir
from visviva.copter.models.rigid import rigid
from visviva.copter.models.rigid_rotors import RigidRotors, has_effects
from visviva.copter.vehicles.surroundings import Surroundings
from visviva.copter.vehicles.units import check_unit
from visviva.copter.vehicles.vehicle import Vehicle, check_vehicle
from visviva.copter.vehicles.wind import GustLike, WindLike
from visviva.errors import ModelError
from visviva.forms.flows.schemes import RK4
from visviva.integrate import Sampled, simulate
from visviva.mechanism import Mechanism

AFTER = 0.5  # [s] of hovering in the end
NEAR = 1e-9  # of a period


@helpful
def fly(
    what: str | Manoeuvre,
    vehicle: Vehicle | None = None,
    *,
    approach: str | None = None,
    believed: Vehicle | None = None,
    poles: Sequence[complex] | None = None,
    period: float | None = None,
    h: float = STEP,
    sensors: Sensors | None = None,
    agent: Agent | None = None,
    gust: GustLike = None,
    wind: WindLike = None,
    ground: float | None = None,
) -> Flight | AgentFlight:
    """Fly a manoeuvre with perfect state and rotors that push at once; or, with sensors= or agent=, as in reality.

    Rotors that push late, drag of blades, ground effect and wind are options, of `Rotor` and here. All of it runs in
    compiled code, but for a wind that is a function, which is asked in each step.

        flight = vv.copter.fly("looping")
        print(flight)
        flight.plot()
        print(vv.copter.fly("looping", sensors=vv.copter.Sensors()))

    what:     "looping", "flip", "transitions", "tricopter transitions", or a `Manoeuvre`, such as `remote` makes.
    vehicle:  that flies; by default that of the manoeuvre, without the bias of Table 5.1, which nobody would know.
    believed: the vehicle that the law and the reference are made for, by default the one that flies: give
              vehicle.simplified() or another mass to see what errors cost.
    approach: of the law, see `vv.control.tracking`, by default "particle".   poles: of its gains, -6, -7, -8, -9.
    period:   of the law, by default 5 ms, h: of the steps [s].
    sensors:  by which an `Agent` flies: IMU and late frames. Propellers and servos are then in the plant, and so is the
              bias of Table 5.1 if `vehicle` is not given.
    agent:    that flies, by default one that knows the vehicle without its bias, with `approach`, `poles` and `period`;
              one of your own has them, and the vehicle it believes in, itself.
    gust:     force [N] in world axes at the centre of mass, three numbers or a function of the time of the manoeuvre;
              for agents.
    wind:     of the air in world axes [m/s]: three numbers, a function wind(t, r) of the time of the manoeuvre, before
              it t < 0, and of the place, or a `Turbulence`. Drag and blades feel the velocity against it.
    ground:   height z [m] of the ground, that carries rotors which have a radius.
    """
    for given, said in ((vehicle, "vehicle="), (believed, "believed=")):
        if given is not None:
            check_vehicle(given, said)
    if sensors is not None or agent is not None:
        outside: dict[str, Any] = {"gust": gust, "wind": wind, "ground": ground}
        own_gains = {"approach": approach, "poles": poles, "period": period}
        asked: dict[str, Any] = {name: value for name, value in own_gains.items() if value is not None}
        return _fly_by_sensors(what, vehicle, believed, sensors, agent, asked, h, outside)
    if gust is not None:
        raise ModelError("gusts are for flights by sensors: give sensors=vv.copter.Sensors() as well.")
    own = planned(what).vehicle if vehicle is None else vehicle
    model = own if believed is None else believed
    plan = planned(what, model)
    _check_believed(own, model)
    T = finite_number(PERIOD if period is None else period, "period of the law [s]", positive=True)
    check_thrust(plan, model)
    around = Surroundings(wind, ground)
    check_ground(around, own, plan)
    law = controller(
        model, plan.path, approach=approach or APPROACH, poles=POLES if poles is None else poles, piloted=plan.piloted
    )
    warn_of_demand(plan, model, law, np.linspace(0.0, plan.duration, CHECKED))
    moved = ground is not None or has_effects(own)
    t_end = plan.duration + (0.0 if plan.piloted else AFTER)
    rotors = RigidRotors(own, law, T, h, around, math.ceil(t_end / h) + 1) if moved else None
    laws = [Sampled(law, period=T), Sampled(CraftAir(own, around), period=h)]
    if rotors is not None:
        laws = [Sampled(rotors, period=h)]
    with law.at_ticks(T, math.floor(t_end / T + NEAR) + 1):
        run = simulate(_plant(own), t_end=t_end, h=h, integrator=RK4(), initial=_start(plan), sampled=laws)
    flight = Flight(plan, own, run, law, around, rotors)
    around.warn(own, plan.name, run.t, *flight.trace)
    return flight


def _fly_by_sensors(
    what: str | Manoeuvre,
    vehicle: Vehicle | None,
    believed: Vehicle | None,
    sensors: Sensors | None,
    agent: Agent | None,
    gains: dict[str, Any],
    h: float,
    outside: dict[str, Any],
) -> AgentFlight:
    check_pilot(sensors, agent)
    given = [*gains, *(["believed"] if believed is not None else [])]
    if agent is not None and given:
        raise ModelError(
            f"{', '.join(f'{name}=' for name in given)} beside agent=: the agent has them itself.\n"
            "Say Agent(believed, approach=..., poles=..., period=...), or leave agent= out."
        )
    own = standard_vehicle(what) if vehicle is None else vehicle
    pilot = Agent(own if believed is None else believed, **gains) if agent is None else agent
    standard = vehicle is None and believed is None and agent is None
    plan = planned(what, None if standard else pilot.vehicle)
    return pilot.fly(plan, own, Sensors() if sensors is None else sensors, h=h, **outside)


def check_pilot(sensors: object, agent: object) -> None:
    """ModelError where these are something else, or frames later than any."""
    if not isinstance(sensors, Sensors | None):
        raise ModelError(f"sensors= is vv.copter.Sensors(), or Sensors.ideal(), got {sensors!r}.")
    if sensors is not None:
        check_unit(sensors.delay, "time", "delay of sensors")
    if not isinstance(agent, Agent | None):
        raise ModelError(f"agent= is vv.copter.Agent(vehicle), got {agent!r}.")


def _check_believed(own: Vehicle, model: Vehicle) -> None:
    """ModelError where thrusts of the believed vehicle are no thrusts of the one that flies."""
    B, other = own.split_allocation, model.split_allocation
    if B.shape != other.shape or np.abs(B - other).max() > 1e-12:
        raise ModelError(
            f"the vehicle that flies, {own.name!r}, and the believed one, {model.name!r}, have rotors at other places "
            "or of another κ_T/κ_F: the rigid vehicle takes the wrench that the law believes in.\n"
            "Give believed= the same rotors; mass, com, inertia, drag, gravity and speeds may differ."
        )


@lru_cache(maxsize=16)
def _plant(vehicle: Vehicle) -> Mechanism:
    """Of all flights of a vehicle: what is compiled of it is found again."""
    return rigid(vehicle)


def _start(plan: Manoeuvre) -> dict[str, Any]:
    now = plan.path.motion(0.0)
    return {"craft.r": now.X.r, "craft.R": now.X.R, "craft.twist": now.V}
