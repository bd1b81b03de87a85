"""Flights with perfect state: a manoeuvre, a tracking law, a rigid vehicle whose rotors push as they are told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, frozen
from visviva._suggestions import helpful, suggesting
from visviva.control import Controller, Gains, Thrusters, matching, moments, reference, tracking
from visviva.control import gains as gains_of
from visviva.copter.allotment import allot, limits
from visviva.copter.demand import warn_of_demand
from visviva.copter.energy_audit import EnergyAudit
from visviva.copter.gyrostat import air_twist
from visviva.copter.manoeuvres import Figures, Manoeuvre, manoeuvre, standard_vehicle
from visviva.copter.rigid_energies import rigid_audit
from visviva.copter.rigid_rotors import RigidRotors, has_effects
from visviva.copter.surroundings import Surroundings
from visviva.copter.vehicle import Vehicle
from visviva.copter.wind import WindLike
from visviva.errors import ModelError
from visviva.forms.flows.schemes import RK4
from visviva.integrate import Sampled, simulate
from visviva.mechanism import Mechanism
from visviva.results import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.control import TrackingRecord
    from visviva.copter.agent import Agent
    from visviva.copter.agent_flight import AgentFlight
    from visviva.copter.sensors import Sensors

POLES = (-6.0, -7.0, -8.0, -9.0)  # of both vertical planes, and for all manoeuvres
HEADING = (5.0, 0.9)  # [rad/s] and damping ratio
TURNING = (12.0, 0.9)  # the same of all turns, where a pilot cares for the position
APPROACH = "particle"  # errors of position keep to the inertial frame, however fast a reference turns (4.98)
CHECKED = 201  # instants at which the thrust of a reference is looked at
PERIOD, STEP, AFTER = 5e-3, 1e-3, 0.5  # [s] of the law (200 Hz), of a step, and of hovering in the end


@helpful
def rigid(vehicle: Vehicle, *, damped: bool = False) -> Mechanism:
    """A vehicle whose rotors are forces: Konz (5.16a,b), (5.17a,b), with the mass data of the description.

    Ports in axes of the body: "rotors", their wrench (m; f) about the origin of the frame, and "craft_air", what the
    air does, see `rigid_air`.   damped: in its place, what a law knows of it: the mean drag d at the origin, and Υ.
    """
    m = Mechanism(vehicle.name, gravity=(0.0, 0.0, -vehicle.gravity))
    craft = m.body("craft", mass=vehicle.mass, com=vehicle.com, inertia=vehicle.inertia_about_com)
    hub = m.body("hub", massless=True)  # wrench ports act at centres of mass, rotors do not
    m.fixed("mount", craft, hub)
    m.wrench("rotors", hub, frame="body")
    m.wrench("craft_air", craft, frame="body")
    drag = vehicle.drag
    if damped and drag.matrix.any():
        m.damper("drag", m.ground, craft, D=moments(drag.mean, Pi=drag.Upsilon), at=np.zeros(3))
    return m


def rigid_air(vehicle: Vehicle, *, wind: WindLike = None) -> Callable[[Any], dict[str, Any]]:
    """Drag (5.4) in the wind, and bias (5.9e), on a rigid vehicle as a law of its motion."""
    D, bias, com = vehicle.drag.matrix, vehicle.bias, vehicle.com
    if around := Surroundings(wind):
        return _windy_air(vehicle, around)

    def law(now: Any) -> dict[str, Any]:
        F = bias - D @ now["craft.twist"]
        return {"craft_air": [*(F[:3] - np.cross(com, F[3:])), *F[3:]]}

    return law


def _windy_air(vehicle: Vehicle, around: Surroundings) -> Callable[[Any], dict[str, Any]]:
    D, bias, com = vehicle.drag.matrix, vehicle.bias, vehicle.com

    def law(now: Any) -> dict[str, Any]:
        R = np.reshape(now["craft.R"], (3, 3))
        F = bias - D @ air_twist(R, now["craft.twist"], around.around(now.t, now["craft.r"]))
        return {"craft_air": [*(F[:3] - np.cross(com, F[3:])), *F[3:]]}

    return law


@helpful
def controller(
    vehicle: Vehicle,
    path: Any,
    *,
    approach: str = APPROACH,
    poles: Sequence[complex] = POLES,
    damped: bool = True,
    piloted: bool = False,
) -> Controller:
    """The tracking law of a vehicle on a path of poses: one set of gains, for what tilts and what does not.

    Gains are the matched ones of (4.148), from the poles of errors in a vertical plane. Inputs are thrusts within the
    ranges of the rotors; of those that tilt F cos θ and F sin θ, in a polygon inside their sector, (5.16d). Where
    inputs are more than the wrench they make, those of least squares; such a law is asked in Python, some times slower.

    damped: whether the law knows the drag; an agent tells it all that acts beside the rotors.
    piloted: whether a pilot cares for the position: F = m Rᵀ(r̈_R - a_G), (5.71), and nothing but the attitude is fed
             back, with a template of the vehicle's own inertia.
    """
    if piloted and approach != "particle":
        raise ModelError(
            f'remote control is flown by the approach "particle", whose forces do not ask where the vehicle is; '
            f"got approach={approach!r}."
        )
    m = rigid(vehicle, damped=damped and not piloted)
    if piloted:
        gains = _attitude_gains(vehicle)
    else:
        gains = matching.quadcopter(poles, heading=HEADING, g=vehicle.gravity).gains()
    actuators = Thrusters(vehicle.split_allocation, _names(vehicle))
    law = tracking(
        m, {("ground", "craft"): gains}, approach, actuators={"rotors": actuators}, inputs="rotors",
        limits=limits(vehicle), weight=np.ones(len(actuators.names)),
    )  # fmt: skip
    independent = np.linalg.matrix_rank(actuators.matrix) == len(actuators.names)  # what compiled laws take
    return law.at(_Remembered(reference(m, {"craft": path})), compiled=bool(independent))


def _attitude_gains(vehicle: Vehicle) -> Gains:
    """M̄ = M, and neither stiffness nor damping of the position."""
    (w, zeta), Theta = TURNING, vehicle.inertia
    return gains_of(
        mass=moments(vehicle.mass, vehicle.com, Theta),
        damping=moments(0.0, Pi=2 * zeta * w * Theta),
        stiffness=moments(0.0, Pi=w * w * Theta),
    )


def _names(vehicle: Vehicle) -> tuple[str, ...]:
    names = [rotor.name for rotor in vehicle.rotors]
    return (*names, *(f"{names[i]}_across" for i in vehicle.tilting))


@final
class _Remembered:
    """A reference that answers at once where it was asked before: laws ask for the same times in each run."""

    def __init__(self, goal: Any) -> None:
        self.dynamics, self.ends, self.breaks = goal.dynamics, goal.ends, goal.breaks
        self._goal = goal
        self._asked = lru_cache(maxsize=None)(goal)

    def __call__(self, t: float) -> Any:
        return self._asked(t)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Remembered, (self._goal,)


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
    gust: Callable[[float], ArrayLike] | None = None,
    wind: WindLike = None,
    ground: float | None = None,
) -> Flight | AgentFlight:
    """Fly a manoeuvre with perfect state and rotors that push at once; or, with sensors= or agent=, as in reality.

    Rotors that push late, drag of blades, ground effect and wind are options, of `Rotor` and here.

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
              bias of Table 5.1 if `vehicle` is not given; rotors must not be more than the wrench they make.
    agent:    that flies, by default one that knows the vehicle without its bias, with `approach`, `poles` and `period`;
              one of your own has them, and the vehicle it believes in, itself.
    gust:     force [N] in world axes at the centre of mass, by the time of the manoeuvre; for agents.
    wind:     of the air in world axes [m/s]: three numbers, a function wind(t, r) of the time of the manoeuvre, before
              it t < 0, and of the place, or a `Turbulence`. Drag and blades feel the velocity against it.
    ground:   height z [m] of the ground, that carries rotors which have a radius.
    """
    if sensors is not None or agent is not None:
        own_gains = {"approach": approach, "poles": poles, "period": period}
        asked: dict[str, Any] = {name: value for name, value in own_gains.items() if value is not None}
        outside: dict[str, Any] = {"gust": gust, "wind": wind, "ground": ground}
        return _fly_by_sensors(what, vehicle, believed, sensors, agent, asked, h, outside)
    if gust is not None:
        raise ModelError("gusts are for flights by sensors: give sensors=vv.copter.Sensors() as well.")
    own = _model_of(what, vehicle)
    model = own if believed is None else believed
    plan = manoeuvre(what, model) if isinstance(what, str) else what
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
    rotors = RigidRotors(own, law, T, h, around) if moved else None
    pushing = Sampled(law, period=T) if rotors is None else Sampled(rotors, period=h)
    run = simulate(
        rigid(own), t_end=plan.duration + (0.0 if plan.piloted else AFTER), h=h, integrator=RK4(), initial=_start(plan),
        sampled=[pushing, Sampled(rigid_air(own, wind=wind), period=h)],
    )  # fmt: skip
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
    from visviva.copter.agent import Agent
    from visviva.copter.sensors import Sensors

    if not isinstance(sensors, Sensors | None):
        raise ModelError(f"sensors= is vv.copter.Sensors(), or Sensors.ideal(), got {sensors!r}.")
    if not isinstance(agent, Agent | None):
        raise ModelError(f"agent= is vv.copter.Agent(vehicle), got {agent!r}.")
    given = [*gains, *(["believed"] if believed is not None else [])]
    if agent is not None and given:
        raise ModelError(
            f"{', '.join(f'{name}=' for name in given)} beside agent=: the agent has them itself.\n"
            "Say Agent(believed, approach=..., poles=..., period=...), or leave agent= out."
        )
    own = standard_vehicle(what) if vehicle is None else vehicle
    pilot = Agent(own if believed is None else believed, **gains) if agent is None else agent
    standard = vehicle is None and believed is None and agent is None
    plan = manoeuvre(what, None if standard else pilot.vehicle) if isinstance(what, str) else what
    return pilot.fly(plan, own, Sensors() if sensors is None else sensors, h=h, **outside)


def _model_of(what: str | Manoeuvre, vehicle: Vehicle | None) -> Vehicle:
    if vehicle is not None:
        return vehicle
    return manoeuvre(what).vehicle if isinstance(what, str) else what.vehicle


def _check_believed(own: Vehicle, model: Vehicle) -> None:
    """ModelError where thrusts of the believed vehicle are no thrusts of the one that flies."""
    B, other = own.split_allocation, model.split_allocation
    if B.shape != other.shape or np.abs(B - other).max() > 1e-12:
        raise ModelError(
            f"the vehicle that flies, {own.name!r}, and the believed one, {model.name!r}, have rotors at other places "
            "or of another κ_T/κ_F: the rigid vehicle takes the wrench that the law believes in.\n"
            "Give believed= the same rotors; mass, com, inertia, drag, gravity and speeds may differ."
        )


def check_thrust(plan: Manoeuvre, vehicle: Vehicle) -> None:
    """ModelError where a reference takes more than all rotors together can push, m |r̈ - a_G + (d/m) ṙ|."""
    most, d = sum(rotor.thrusts[1] for rotor in vehicle.rotors), vehicle.drag.mean
    needed = 0.0, 0.0
    for t in np.linspace(0.0, plan.duration, CHECKED):
        _, v, a = plan.path.position.derivatives(float(t), 2)
        force = vehicle.mass * (a + np.array([0.0, 0.0, vehicle.gravity])) + d * v
        needed = max(needed, (float(np.linalg.norm(force)), float(t)))
    if needed[0] > most:
        raise ModelError(
            f"{plan.name} cannot be flown by {vehicle.name!r}: at t = {needed[1]:.3g} s it takes a thrust of "
            f"{needed[0]:.4g} N, and all rotors together push with {most:.4g} N.\n"
            "Fly it slower, path.stretched(factor), or with stronger rotors."
        )


def check_ground(around: Surroundings, vehicle: Vehicle, plan: Manoeuvre) -> None:
    """ModelError where a reference goes through the ground."""
    t = np.linspace(0.0, plan.duration, CHECKED)
    poses = [plan.path(float(x)) for x in t]
    around.check_path(vehicle, plan.name, t, np.array([X.r for X in poses]), np.array([X.R for X in poses]))


def _start(plan: Manoeuvre) -> dict[str, Any]:
    now = plan.path.motion(0.0)
    return {"craft.r": now.X.r, "craft.R": now.X.R, "craft.twist": now.V}


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
    def thrust_times(self) -> Array:
        """Of `thrusts` [s]."""
        return self.run.t_mid

    @cached_property
    def thrusts(self) -> Array:
        """κ_F ϖ² of the rotors at the run's steps [N], (n, k); without options from the wrench at their port."""
        if self.rotors is not None:
            return np.array(self.rotors.thrusts[: len(self.run.t_mid)])
        x = allot(self.vehicle, self.run["rotors.u"])
        k = len(self.vehicle.rotors)
        F = np.array(x[:, :k])
        F[:, list(self.vehicle.tilting)] = np.hypot(F[:, list(self.vehicle.tilting)], x[:, k:])
        return F

    @cached_property
    def tracking(self) -> TrackingRecord:
        """`run.tracking`, with what the law does not know of the vehicle as a term: "estimation and model"."""
        from visviva.copter.template_energy import template_of_flight

        return template_of_flight(self)

    def audit(self, since: float = -np.inf, until: float = np.inf) -> EnergyAudit:
        """Where the electrical work went, step by step; between two times [s], or in the whole flight."""
        return self._audit.between(since, until)

    @cached_property
    def _audit(self) -> EnergyAudit:
        return rigid_audit(self)

    def __str__(self) -> str:
        title = f"{self.plan.name} of {self.vehicle.name!r}, {self.plan.duration:g} s, rigid, perfect state"
        lines = [title, *table(self.plan, self.figures)]
        F = self.thrusts
        lines.append(f"  thrusts from {F.min():.2f} to {F.max():.2f} N")
        if self.vehicle.battery is not None:
            lines.append(self.vehicle.battery.account(self.run.t, self.audit().supplied["battery"]))
        return "\n".join(lines)

    def plot(self) -> Figure:
        """The trace from beside with the attitude, errors over time, and thrusts."""
        from visviva.copter.plot_flight import plot_flight

        return plot_flight(self)


def pose_errors(plan: Manoeuvre, t: Array, r: Array, R: Array) -> dict[str, Array]:
    """e_r [m], e_R and e_φ [rad] of poses at times of a manoeuvre, and these times; (5.73)."""
    r_R, R_R = _poses(plan, tuple(t.tolist()))
    E = np.swapaxes(R_R, 1, 2) @ R
    turn = np.stack([E[:, 2, 1] - E[:, 1, 2], E[:, 0, 2] - E[:, 2, 0], E[:, 1, 0] - E[:, 0, 1]], axis=1)
    e_R = np.arctan2(np.linalg.norm(turn, axis=1), np.trace(E, axis1=1, axis2=2) - 1)
    e_phi = np.abs(np.arctan2(E[:, 1, 0] - E[:, 0, 1], E[:, 0, 0] + E[:, 1, 1]))
    return {"t": t, "e_r": np.linalg.norm(r - r_R, axis=1), "e_R": e_R, "e_phi": e_phi}


@lru_cache(maxsize=8)
def _poses(plan: Manoeuvre, times: tuple[float, ...]) -> tuple[Array, Array]:
    """r_R (n, 3) and R_R (n, 3, 3), for all flights of a manoeuvre."""
    poses = [plan.path(t) for t in times]
    return frozen(np.reshape([X.r for X in poses], (-1, 3))), frozen(np.reshape([X.R for X in poses], (-1, 3, 3)))


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
