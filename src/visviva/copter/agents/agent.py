"""The agent of a multicopter: estimators, tracking law and force control at 200 Hz, the same for any plant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector, frozen
from visviva._suggestions import helpful
from visviva.copter.agents.agent_flight import AgentFlight
from visviva.copter.agents.agent_loop import Record, World, loops
from visviva.copter.agents.agent_tick import NEVER, READY, Goal, LawAccess, Memory, Parameters
from visviva.copter.agents.sensors import Sensors
from visviva.copter.estimation import (
    attitude_observer,
    compiled,
    force_bias,
    latency_estimator,
    position_observer,
    rate_observer,
)
from visviva.copter.flights.controller import APPROACH, POLES, controller
from visviva.copter.flights.demand import check_ground, check_thrust
from visviva.copter.flights.manoeuvres import Manoeuvre
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
from visviva.copter.models.plant import plant_start
from visviva.copter.vehicles.standard import quadcopter
from visviva.copter.vehicles.surroundings import Surroundings, WindCalls
from visviva.copter.vehicles.vehicle import Vehicle
from visviva.copter.vehicles.wind import WindLike
from visviva.errors import ModelError
from visviva.geometry.quaternion import matrix_of
from visviva.kernels.control.tracking import track_address

NEAR = 1e-9  # of a tick
START_UP = 0.5  # [s] in which two frames should arrive
BEFORE = 20  # ticks of hover with which tables of a manoeuvre begin: forces are asked for before it does


@final
@helpful
@dataclass(frozen=True, eq=False)
class Agent:
    """What flies a vehicle by its sensors; all gains of 5.3 and 5.4 have the defaults of their own functions.

        vv.copter.fly("looping", agent=vv.copter.Agent(vehicle))

    vehicle:  that it believes to fly, without its `bias`.
    approach, poles: of the tracking law, see `fly`.
    cutoffs:  [Hz] of forces, of roll and pitch, and of yaw; of rotors that do not tilt.   cutoff: of those that do.
    period:   T_S of a tick [s].
    mean_delay: T̄_D of frames, from `identify_delay` [s]; by default that of the sensors.
    patience: [s] without frames until they are called stale.
    ahead:    ticks from one until what it asks for is made, about: the law is asked for that time.
    """

    vehicle: Vehicle
    approach: str = APPROACH
    poles: Sequence[complex] = POLES
    cutoffs: tuple[float, float, float] = (8.0, 12.0, 4.0)
    cutoff: float = 12.0
    period: float = 5e-3
    mean_delay: float | None = None
    patience: float = 0.25
    ahead: int = 4

    def __post_init__(self) -> None:
        object.__setattr__(self, "vehicle", self.vehicle.without_bias())
        object.__setattr__(self, "period", finite_number(self.period, "period of an agent [s]", positive=True))
        object.__setattr__(self, "patience", finite_number(self.patience, "patience [s]", positive=True))
        if self.ahead not in range(BEFORE):
            raise ModelError(f"ahead is a whole number of ticks, 0 to {BEFORE - 1}, got {self.ahead!r}.")

    def parameters(self, sensors: Sensors) -> Parameters:
        """All that it knows before a flight, its sensors calibrated at rest."""
        own, T = self.vehicle, self.period
        found, gyro_bias = sensors.calibrate(1 / T, own.gravity)
        delay = sensors.delay if self.mean_delay is None else self.mean_delay
        tilts, cutoffs = bool(own.tilting), self.cutoffs
        forced: Any = tilt_force(own, T, cutoff=self.cutoff) if tilts else rotor_force(own, T, cutoffs=cutoffs)
        return Parameters(
            T, self.ahead * T, self.patience, np.array(found.R_B), np.concatenate([gyro_bias, found.a_B]),
            latency_estimator(delay, tick=T), attitude_observer(), position_observer(g=own.gravity),
            rate_observer(own.inertia_about_com, T), force_bias(own.mass),
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
            p.latency.start(), p.attitude.start(), p.position.start(), p.rate.start(), p.bias.start(),
            propellers_start(p.propellers, hover.speeds), servos_start(p.servos, tilts), force, i, tilts, i.copy(),
            tilts.copy(), wrench, counts,
        )  # fmt: skip

    def goals(self, p: Parameters, law: Any, plan: Manoeuvre) -> Goal:
        """The reference at ticks of a manoeuvre, and what its wrench will have changed by when filters have made it."""
        t, motion = _reference_rows(plan, self.period)
        wrench = _wrenches(p, law.code, motion)
        late = self._lags(p) - p.lead
        sooner = np.array([np.interp(t + late[i], t, wrench[:, i]) - wrench[:, i] for i in range(6)]).T
        return Goal(motion, np.ascontiguousarray(sooner))

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
        gust: Callable[[float], ArrayLike] | None = None,
        wind: WindLike = None,
        ground: float | None = None,
        settle: float = 4.0,
        after: float = 0.5,
    ) -> AgentFlight:
        """Fly a manoeuvre with a vehicle, about which it need not know everything; see `vv.copter.fly`.

        gust:   force [N] in world axes at the centre of mass, by the time of the manoeuvre; held between ticks.
        wind, ground: see `vv.copter.fly`; the agent knows of neither.
        settle, after: hover before and after the manoeuvre [s]; before it estimates settle.
        """
        T = self.period
        steps = round(T / finite_number(h, "step h [s]", positive=True))
        if steps < 1 or abs(steps * h - T) > NEAR * T:
            raise ModelError(f"a tick of {T:g} s is not a whole number of steps of {h:g} s.")
        if settle < BEFORE * T:
            raise ModelError(f"a flight settles for {BEFORE * T:g} s at least, got {settle:g} s.")
        if (len(vehicle.rotors), vehicle.tilting) != (len(self.vehicle.rotors), self.vehicle.tilting):
            raise ModelError(
                f"the agent believes to fly {self.vehicle.name!r}, which has other rotors or servos than "
                f"{vehicle.name!r}.\nNumbers may differ, their arrangement may not."
            )
        check_thrust(plan, self.vehicle)
        around = Surroundings(wind, ground)
        check_ground(around, vehicle, plan)
        p = self.parameters(sensors)
        s, law = self.memory(p), controller(
            self.vehicle, plan.path, approach=self.approach, poles=self.poles, damped=False, piloted=plan.piloted
        )  # fmt: skip
        goals, ticks = self.goals(p, law, plan), round((START_UP + settle + plan.duration + after) / T)
        measured = sensors.draw(ticks, T, h, settle)
        pushes = np.zeros((ticks, 3))
        if gust is not None:
            pushes[:] = [finite_vector(gust(k * T - measured.begin), "force of a gust [N]", 3) for k in range(ticks)]
        blows = WindCalls(around)
        world = World(
            gyrostat(vehicle), vehicle.gravity, float(h), steps, round(settle / T) - BEFORE, self.ahead, pushes,
            around.air, blows.address, blows.r, blows.w, measured.begin,
        )  # fmt: skip
        start, hover, tilting = plan.path.motion(0.0).X, self.vehicle.hover, list(vehicle.tilting)
        x = plant_start(start.r, start.R, hover.tilts[tilting], hover.speeds)
        widths = (len(x), 3, 4, 3, 3, 6, 6, p.split.shape[1], len(vehicle.rotors), len(tilting))
        kept = [np.full((ticks, width), np.nan) for width in widths]
        path, air = np.full((ticks, steps, len(x)), np.nan), np.full((ticks, steps, 4), np.nan)
        record = Record._make([*kept, path, pushes, air])
        access, alive = law_access(law)
        begun = perf_counter()
        compiled(loops[bool(tilting)])(p, s, access, world, measured, x, goals, record)
        elapsed = perf_counter() - begun
        del alive
        if blows.error is not None:
            raise blows.error
        flight = AgentFlight(plan, vehicle, self, sensors, record, s, settle, elapsed)
        around.warn(vehicle, plan.name, flight.t[flight.t >= 0], *flight.trace)
        return flight


@lru_cache(maxsize=16)
def _reference_rows(plan: Manoeuvre, T: float) -> tuple[Array, Array]:
    """Ticks of a manoeuvre, and (q_R, q̇_R, q̈_R) at them, (n, 3, 7), which are the same for all vehicles."""
    t = T * np.arange(-BEFORE, 1 + round(plan.duration / T))
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
    if code is None:
        raise ModelError(f"an agent needs a law in compiled code, and this one is not: {law.why_not}.")
    width = sum(law.widths)
    T = np.concatenate([[0, 0], np.arange(law.size)]).astype(np.int64)
    P, read, given = code.parameters(0, width), np.zeros(law.size), np.zeros(width)
    c = code.control
    access = LawAccess(
        track_address(), T.ctypes.data, P.ctypes.data, read.ctypes.data, given.ctypes.data, read, c.knots, c.clock,
        c.still, c.u, c.status,
    )  # fmt: skip
    return access, (law, T, P, read, given)
