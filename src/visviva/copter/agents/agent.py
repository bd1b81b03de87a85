"""The agent of a multicopter: estimators, tracking law and force control at 200 Hz, the same for any plant."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import Any, final

import numpy as np

from visviva._arrays import Array, finite_number, finite_vector, frozen
from visviva._suggestions import helpful
from visviva.control.tracking import check_approach
from visviva.copter.agents.agent_flight import AgentFlight
from visviva.copter.agents.agent_loop import Record, World, loops, progress
from visviva.copter.agents.agent_tick import NEVER, READY, Goal, LawAccess, Memory, Parameters, scratch
from visviva.copter.agents.lean import shares
from visviva.copter.agents.sensors import Sensors
from visviva.copter.estimation import (
    attitude_observer,
    force_bias,
    latency_estimator,
    position_observer,
    rate_observer,
    thrust_scale,
)
from visviva.copter.flights.controller import APPROACH, PERIOD, POLES, STEP, controller
from visviva.copter.flights.demand import check_ground, check_thrust
from visviva.copter.flights.manoeuvres import Manoeuvre, planned
from visviva.copter.force import (
    propellers,
    propellers_start,
    rotor_force,
    rotor_force_start,
    servos,
    servos_start,
    tilt_force,
    tilt_force_start,
    wrench_rows,
)
from visviva.copter.force.wrench_rows import row_numbers
from visviva.copter.models.gyrostat import gyrostat
from visviva.copter.models.plant import plant_memory, plant_start
from visviva.copter.vehicles.standard import quadcopter
from visviva.copter.vehicles.surroundings import Surroundings, WindCalls
from visviva.copter.vehicles.vehicle import Vehicle, check_vehicle
from visviva.copter.vehicles.wind import GustLike, WindLike
from visviva.errors import ModelError
from visviva.geometry.quaternion import matrix_of
from visviva.kernels.control.tracking import track_address
from visviva.kernels.twins import kernel_of, prepare

NEAR = 1e-9  # of a tick
START_UP = 5.0  # [s] in which two frames should arrive
HOVER = 0.1  # [s] of hover with which tables of a manoeuvre begin: forces are asked for before it does
TEN_HZ, POLES_AT_10_HZ = 0.1, (0.0, 0.5, 0.9)  # of frames [s], and of `position_observer`; Konz 5.4.5
SHORTEST = 0.005  # [s] between frames, or half of their period
ROWS = 64  # samples at least that observers keep


@final
@helpful
@dataclass(frozen=True, eq=False)
class Agent:
    """What flies a vehicle by its sensors; all gains of 5.3 and 5.4 have the defaults of their own functions.

        vv.copter.fly("looping", agent=vv.copter.Agent(vehicle))

    vehicle:  that it believes to fly, without its `bias`. Rotors that are more than the wrench they make share it as
              its law does, by least squares within their ranges.
    approach, poles: of the tracking law, see `fly`.
    cutoffs:  [Hz] of forces, of roll and pitch, and of yaw; of rotors that do not tilt.   cutoff: of those that do.
    period:   T_S of a tick [s].
    mean_delay: T̄_D of frames, from `identify_delay` with times of arrival at ticks [s]; by default that of the sensors.
    patience: [s] without frames until they are called stale.
    ahead:    [s] from a tick until what it asks for is made, about: the law is asked for that time, rounded to ticks.
    frame_poles, attitude_gain: of `position_observer` and `attitude_observer`, for each frame; by default those of the
              text for frames at 10 Hz, and for others such that errors fade as fast, see `poles_of_frames`.
    rate_gains: L_ω and L_τ of `rate_observer`.   force_memory: l_F of `force_bias`.
    thrust_share: how far thrust over mass may be from what it believes, a standard deviation, see `thrust_scale`; zero:
              what is missing is taken for a force that stays.
    lean:     whether its reference leans into forces that its rotors do not make and that stay, such as those of wind;
              without, upright rotors hold a place some centimetres aside. A pilot leans for himself.
    """

    vehicle: Vehicle
    approach: str = APPROACH
    poles: Sequence[complex] = POLES
    cutoffs: tuple[float, float, float] = (8.0, 12.0, 4.0)
    cutoff: float = 12.0
    period: float = PERIOD
    mean_delay: float | None = None
    patience: float = 0.25
    ahead: float = 0.02
    frame_poles: Sequence[float] | None = None
    attitude_gain: float | None = None
    rate_gains: tuple[float, float] = (0.2, 0.01)
    force_memory: float = 0.98
    lean: bool = True
    thrust_share: float = 0.15

    def __post_init__(self) -> None:
        check_vehicle(self.vehicle, "vehicle of an agent")
        check_approach(self.approach)
        object.__setattr__(self, "vehicle", self.vehicle.without_bias())
        for name in ("period", "patience", "cutoff"):
            object.__setattr__(self, name, finite_number(getattr(self, name), f"{name} of an agent", positive=True))
        if (finite_vector(self.cutoffs, "cutoffs of an agent [Hz]", 3) <= 0).any():
            raise ModelError(f"cutoffs of an agent [Hz] must be positive, got {self.cutoffs!r}.")
        if not isinstance(self.lean, bool):
            raise ModelError(f"lean of an agent is True or False, got {self.lean!r}.")
        finite_number(self.thrust_share, "thrust_share of an agent", minimum=0.0)
        if self.mean_delay is not None:
            finite_number(self.mean_delay, "mean_delay of an agent [s]", minimum=0.0)
        object.__setattr__(self, "ahead", finite_number(self.ahead, "ahead of an agent [s]", minimum=0.0))
        if self.ahead > HOVER:
            raise ModelError(f"ahead is a time [s] of at most {HOVER:g} s, that of filters, got {self.ahead:g} s.")

    @property
    def ticks_ahead(self) -> int:
        """`ahead`, in ticks."""
        return round(self.ahead / self.period)

    def parameters(self, sensors: Sensors, h: float = STEP) -> Parameters:
        """All that it knows before a flight, its sensors calibrated at rest.   h: step of the plant [s]."""
        own, T = self.vehicle, self.period
        found, gyro_bias = sensors.calibrate(1 / T, own.gravity)
        if sensors.frame_period < (1 - NEAR) * T:
            raise ModelError(
                f"frames every {sensors.frame_period:g} s are more than ticks of {T:g} s: it takes one per tick.\n"
                "Give it a shorter period, or sensors with a longer frame_period."
            )
        delay = sensors.mean_delay(T, h) if self.mean_delay is None else self.mean_delay
        rows = max(ROWS, 2 + math.ceil((delay + sensors.jitter) / T))
        poles = poles_of_frames(sensors.frame_period) if self.frame_poles is None else self.frame_poles
        gain = gain_of_frames(sensors.frame_period) if self.attitude_gain is None else self.attitude_gain
        shortest = min(SHORTEST, 0.5 * sensors.frame_period)
        placed = position_observer(poles, g=own.gravity, rows=rows, shortest=shortest)
        tilts, cutoffs, (L_w, L_tau) = bool(own.tilting), self.cutoffs, self.rate_gains
        forced: Any = tilt_force(own, T, cutoff=self.cutoff) if tilts else rotor_force(own, T, cutoffs=cutoffs)
        return Parameters(
            T, self.ticks_ahead * T, self.patience, np.array(found.R_B), np.concatenate([gyro_bias, found.a_B]),
            latency_estimator(delay), attitude_observer(gain, rows), placed,
            rate_observer(own.inertia_about_com, T, L_omega=L_w, L_tau=L_tau),
            force_bias(own.mass, l_F=self.force_memory),
            thrust_scale(own.mass, l_F=self.force_memory, share=self.thrust_share, T_S=T),
            propellers(own.rotors, T), servos(own.rotors, T), forced, gyrostat(own)._replace(weight=0.0),
            np.asarray(np.linalg.inv(own.inertia_matrix)),
            np.array(own.split_allocation), np.array(row_numbers(wrench_rows(own)), dtype=np.int64),
        )  # fmt: skip

    def memory(self, p: Parameters) -> Memory:
        """Before the first tick, rotors at hover."""
        hover, tilting = self.vehicle.hover, list(self.vehicle.tilting)
        tilts = np.array(hover.tilts[tilting])
        force = tilt_force_start(p.force, hover.thrusts) if tilting else rotor_force_start(p.force, hover.speeds)
        wrench = np.zeros(6)
        split = np.concatenate([hover.thrusts * np.cos(hover.tilts), (hover.thrusts * np.sin(hover.tilts))[tilting]])
        wrench[:] = p.split @ split
        counts = np.zeros(6)
        counts[READY] = NEVER
        i = np.array(hover.currents)
        return Memory(
            p.latency.start(), p.attitude.start(), p.position.start(), p.rate.start(), p.bias.start(), p.scale.start(),
            np.zeros(2), propellers_start(p.propellers, hover.speeds), servos_start(p.servos, tilts), force, i, tilts,
            i.copy(), tilts.copy(), split, wrench, counts, scratch(p, force),
        )  # fmt: skip

    def goals(self, p: Parameters, law: Any, plan: Manoeuvre) -> Goal:
        """The reference at ticks of a manoeuvre, and what its wrench will have changed by when filters have made it."""
        t, motion = _reference_rows(plan, self.period)
        wrench = _wrenches(p, law.code, motion)
        late = self._lags(p) - p.lead
        sooner = np.array([np.interp(t + late[i], t, wrench[:, i]) - wrench[:, i] for i in range(6)]).T
        leans = self.lean and not plan.piloted and not {"F_x", "F_y"} & set(wrench_rows(self.vehicle))
        lean = shares(wrench[:, -1] * leans, self.vehicle.mass * self.vehicle.gravity, self.period)
        n = self.ticks_ahead
        later = _with_end(wrench[:, 5], n)
        thrust = np.stack([np.concatenate([np.repeat(later[:1], n), wrench[:, 5]]), later], axis=1)
        return Goal(_with_end(motion, n), _with_end(np.ascontiguousarray(sooner), n), _with_end(lean, n), thrust)

    def _lags(self, p: Parameters) -> Array:
        """Mean times [s] until components of the wrench are made, as filters and servos have them at hover."""
        T, n, lag = self.period, len(p.propellers.p_P1), np.zeros(6)
        if not self.vehicle.tilting:
            lag[p.rows] = p.force.K1 / p.force.K0
            return lag
        thrust, tilt = 2 * T + T * p.force.c_F / (1 - p.force.c_F), T + float(np.max(p.servos.p_S1 / p.servos.p_S0))
        across, whole = (p.split[:, n:] ** 2).sum(axis=1), (p.split**2).sum(axis=1)
        share = across / np.where(whole > 0, whole, 1.0)
        return np.asarray(thrust + share * (tilt - thrust))

    def fly(
        self,
        plan: Manoeuvre,
        vehicle: Vehicle,
        sensors: Sensors,
        *,
        h: float = 1e-3,
        gust: GustLike = None,
        wind: WindLike = None,
        ground: float | None = None,
        settle: float = 4.0,
        after: float = 0.5,
    ) -> AgentFlight:
        """Fly a manoeuvre with a vehicle, about which it need not know everything; see `vv.copter.fly`.

        gust:   force [N] in world axes at the centre of mass, three numbers or a function of the time of the
                manoeuvre; held between ticks.
        wind, ground: see `vv.copter.fly`; the agent knows of neither.
        settle, after: hover before and after the manoeuvre [s]; before it estimates settle.
        """
        check_vehicle(vehicle)
        plan = planned(plan, self.vehicle)
        T, push = self.period, _push(gust)
        steps = round(T / finite_number(h, "step h [s]", positive=True))
        if steps < 1 or abs(steps * h - T) > NEAR * T:
            raise ModelError(f"a tick of {T:g} s is not a whole number of steps of {h:g} s.")
        lead = _lead(T)
        if settle < lead * T:
            raise ModelError(f"a flight settles for {lead * T:g} s at least, got {settle:g} s.")
        if (len(vehicle.rotors), vehicle.tilting) != (len(self.vehicle.rotors), self.vehicle.tilting):
            raise ModelError(
                f"the agent believes to fly {self.vehicle.name!r}, which has other rotors or servos than "
                f"{vehicle.name!r}.\nNumbers may differ, their arrangement may not."
            )
        check_thrust(plan, self.vehicle)
        around = Surroundings(wind, ground)
        check_ground(around, vehicle, plan)
        law = controller(
            self.vehicle, plan.path, approach=self.approach, poles=self.poles, damped=False, piloted=plan.piloted
        )  # fmt: skip
        access, alive = law_access(law)
        p = self.parameters(sensors, h)
        s, goals, quiet = self.memory(p), self.goals(p, law, plan), round(settle / T)
        flown = quiet + round((plan.duration + after) / T)
        ticks, pushes = round(START_UP / T) + flown, np.zeros((flown, 3))
        measured = sensors.draw(ticks, T, h, len(vehicle.rotors))
        if gust is not None:
            pushes[:] = [push((k - quiet) * T) for k in range(flown)]
        blows = WindCalls(around)
        world = World(
            gyrostat(vehicle), vehicle.gravity, float(h), steps, quiet, lead, self.ticks_ahead, pushes,
            around.air, blows.address, blows.r, blows.w, np.zeros(3), plant_memory(gyrostat(vehicle)),
        )  # fmt: skip
        start, hover, tilting = plan.path.motion(0.0).X, self.vehicle.hover, list(vehicle.tilting)
        x = plant_start(start.r, start.R, hover.tilts[tilting], hover.speeds)
        widths = (len(x), 3, 4, 3, 3, 6, 6, p.split.shape[1], len(vehicle.rotors), len(tilting))
        kept = [np.full((ticks, width), np.nan) for width in widths]
        path, air = np.full((ticks, steps, len(x)), np.nan), np.full((ticks, steps, 4), np.nan)
        record = Record._make([*kept, path, np.zeros((ticks, 3)), air])
        run, now = kernel_of(loops[bool(tilting)]), progress(measured, hover.speeds)
        given = (p, s, access, world, measured, x, goals, now, record)
        prepare(run, given, "flights by sensors")
        begun = perf_counter()
        made = run(*given)
        elapsed = perf_counter() - begun
        del alive
        record = Record._make(part[:made] for part in record)
        if blows.error is not None:
            raise blows.error
        flight = AgentFlight(plan, vehicle, self, sensors, record, s, settle, elapsed)
        if flight.flew:
            around.warn(vehicle, plan.name, flight.t[flight.t >= 0], *flight.trace)
        return flight


def _push(gust: GustLike) -> Callable[[float], Array]:
    """Force [N] by time; ModelError where it is none."""

    def push(t: float) -> Array:
        try:
            found: Any = gust(t) if callable(gust) else gust
        except TypeError as cause:
            raise ModelError(
                f"gust= is a force (0, 3, 0) [N] or a function gust(t) of time; this one fails at t = {t:g}: {cause}."
            ) from cause
        return finite_vector(found, "force of a gust [N]", 3)

    if gust is not None:
        push(0.0)
    return push


def poles_of_frames(frame_period: float) -> tuple[float, float, float]:
    """Of errors of the position from frame to frame, which fade in time as the poles (0, 0.5, 0.9) at 10 Hz do."""
    _, middle, slow = POLES_AT_10_HZ
    r = frame_period / TEN_HZ
    return max(0.0, 1.0 - r), middle**r, slow**r


def gain_of_frames(frame_period: float) -> float:
    """Part of the way to the attitude of a frame: 1 at 10 Hz, less where frames are more, whose noise is averaged."""
    return min(1.0, frame_period / TEN_HZ)


def _lead(T: float) -> int:
    """Ticks of `HOVER`."""
    return math.ceil(HOVER / T - NEAR)


def _with_end(rows: Array, n: int) -> Array:
    """Rows, and n times the last one after them."""
    return np.concatenate([rows, np.repeat(rows[-1:], n, axis=0)])


@lru_cache(maxsize=16)
def _reference_rows(plan: Manoeuvre, T: float) -> tuple[Array, Array]:
    """Ticks of a manoeuvre, and (q_R, q̇_R, q̈_R) at them, (n, 3, 7), which are the same for all vehicles."""
    t = T * np.arange(-_lead(T), 1 + round(plan.duration / T))
    law: Any = controller(quadcopter(), plan.path)
    return frozen(t), frozen(law.code.tabulate(t.clip(0.0, plan.duration)))


def _wrenches(p: Parameters, code: Any, motion: Array) -> Array:
    """What a law asks for on the reference itself, whose rows (q_R, q̇_R, q̈_R) are `motion`; (instants, 6)."""
    q, q_dot, R = motion[:, 0, 3:], motion[:, 1, 3:], matrix_of(motion[:, 0, 3:])
    w = 2 * (q[:, :1] * q_dot[:, 1:] - q_dot[:, :1] * q[:, 1:] - np.cross(q[:, 1:], q_dot[:, 1:]))
    V = np.concatenate([w, np.einsum("tji,tj->ti", R, motion[:, 1, :3])], axis=1)
    y = np.concatenate([motion[:, 0, :3], R.reshape(-1, 9), V], axis=1)
    still, asked = V @ (p.inverse @ p.model.drag).T, np.empty((len(motion), 6))
    for k in range(len(motion)):
        code.control.still[:], code.control.knots[:3], code.control.clock[:] = still[k], motion[k], (k, 1.0, k)
        code.evaluate(float(k), y[k])
        asked[k] = p.split @ code.control.u
    return asked


def law_access(law: Any) -> tuple[LawAccess, tuple[Any, ...]]:
    """The compiled law for a tick, and what must live as long as it is called."""
    code = law.code
    width = sum(law.widths)
    T = np.concatenate([[0, 0], np.arange(law.size)]).astype(np.int64)
    P, read, given = code.parameters(0, width), np.zeros(law.size), np.zeros(width)
    c = code.control
    access = LawAccess(
        track_address(), T.ctypes.data, P.ctypes.data, read.ctypes.data, given.ctypes.data, read, c.knots, c.clock,
        c.still, c.u, c.status,
    )  # fmt: skip
    return access, (law, T, P, read, given)
