"""Quadcopters in RotorPy: one of ours under its law, timed at 1 kHz, and its own one, which other laws fly as well.

`RotorPy` has the body, the rotors and the path of ours, under its own geometric law.

Two loops: `fly` is path, law and step and nothing else, as short as it can be written with RotorPy's own classes, and
`simulate` the one that comes with it, which also keeps the motion and has sensors, an estimator and checks; neither
draws. Its rotors follow their speeds with a lag, which ours do not; drag of the air, which ours has not, is switched
off. Steps are those of its default, `solve_ivp` with RK45 over each millisecond.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array

INSTALLED = importlib.util.find_spec("rotorpy") is not None
THRUST = 5.57e-6  # of a rotor over the square of its speed, of the "Hummingbird" [N s²]


@final
class RotorPy:
    """A vehicle on the line x = amplitude · sin t at some height, from rest at the origin.

    points, drag, most: of rotors, places [m], torque over thrust with its sign [m], and most thrust [N].
    """

    def __init__(
        self,
        mass: float,
        inertia: ArrayLike,
        points: ArrayLike,
        drag: Array,
        most: float,
        amplitude: float,
        height: float,
        tick: float,
    ) -> None:
        from rotorpy.controllers.quadrotor_control import SE3Control
        from rotorpy.environments import Environment
        from rotorpy.trajectories.lissajous_traj import TwoDLissajous
        from rotorpy.vehicles.hummingbird_params import quad_params
        from rotorpy.vehicles.multirotor import Multirotor

        own = {
            "mass": mass,
            **dict(zip(("Ixx", "Iyy", "Izz"), np.asarray(inertia).tolist(), strict=True)),
            "rotor_pos": {f"r{k}": np.array(point, dtype=float) for k, point in enumerate(np.asarray(points))},
            "rotor_directions": np.sign(drag),
            "k_eta": THRUST,
            "k_m": THRUST * abs(drag[0]),
            "rotor_speed_max": np.sqrt(most / THRUST),
        }
        names = ("x", "v", "w", "wind")
        hover = np.full(len(drag), np.sqrt(mass * 9.81 / len(drag) / THRUST))
        self.start = {name: np.zeros(3) for name in names} | {"q": np.array([0, 0, 0, 1.0]), "rotor_speeds": hover}
        self.vehicle: Any = Multirotor({**quad_params, **own}, self.start, aero=False)
        self.law: Any = SE3Control({**quad_params, **own})
        self.path: Any = TwoDLissajous(A=amplitude, B=0, height=height)
        self.tick = tick
        self.environment: Any = Environment(self.vehicle, self.law, self.path, sim_rate=1 / tick)

    def fly(self, n: int) -> Array:
        """n steps; the position at their end [m]."""
        state = {name: value.copy() for name, value in self.start.items()}
        for k in range(n):
            t = k * self.tick
            state = self.vehicle.step(state, self.law.update(t, state, self.path.update(t)), self.tick)
        return np.asarray(state["x"])

    def simulate(self, n: int) -> Array:
        """n steps of its own loop, with the parts that its `Environment` has by default; the position at their end."""
        from rotorpy.simulate import simulate

        e = self.environment
        end = (n - 0.5) * self.tick  # it ends with the first step that comes to that time
        found = simulate(
            e.world, e.vehicle.initial_state, e.vehicle, e.controller, e.trajectory, e.wind_profile, e.imu, e.mocap,
            e.estimator, end, self.tick, e.safety_margin, False, terminate=False,
        )  # fmt: skip
        times, states = found[0], found[1]
        if len(times) != n + 1:
            raise RuntimeError(f"RotorPy made {len(times) - 1} of {n} steps: {found[8]}")
        return np.asarray(states["x"][-1])


@final
class Hummingbird:
    """RotorPy's own quadcopter, whose speeds have a lag, with all drag of its air."""

    def __init__(self) -> None:
        from rotorpy.vehicles.hummingbird_params import quad_params

        self.numbers: dict[str, Any] = dict(quad_params)

    def own_law(self, flat_output: Callable[[float], dict[str, Any]]) -> Callable[[float, dict[str, Any]], Array]:
        """Speeds that its `SE3Control` asks for [rad/s]."""
        from rotorpy.controllers.quadrotor_control import SE3Control

        law = SE3Control(self.numbers)
        return lambda t, state: np.asarray(law.update(t, state, flat_output(t))["cmd_motor_speeds"])

    def fly(
        self,
        speeds: Callable[[float, dict[str, Any]], Array],
        start: Any,
        lift: float,
        n: int,
        h: float,
        every: int = 1,
    ) -> Array:
        """Positions after n steps, (n, 3), under a law that is asked at some of them.

        start: pose X and twist V (ω, v), where rotors lift [m/s²].
        """
        from rotorpy.vehicles.multirotor import Multirotor
        from scipy.spatial.transform import Rotation

        q, r, R, V = self.numbers, start.X.r, start.X.R, start.V
        state = {"x": r, "v": R @ V[3:], "q": Rotation.from_matrix(R).as_quat(), "w": V[:3], "wind": np.zeros(3)}
        state["rotor_speeds"] = np.full(4, np.sqrt(q["mass"] * lift / 4 / q["k_eta"]))
        vehicle: Any = Multirotor(q, state, aero=True)
        found, asked = np.empty((n, 3)), {"cmd_motor_speeds": np.zeros(4)}
        for k in range(n):
            if k % every == 0:
                asked["cmd_motor_speeds"] = speeds(k * h, state)
            state = vehicle.step(state, asked, h)
            found[k] = state["x"]
        return found
