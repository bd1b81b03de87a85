"""The full model of a multicopter, Konz (5.8)-(5.9), as a mechanism: with audit, pictures, symbols and linearisation.

Propellers are bodies that turn. They are axisymmetric, so that their angles count for nothing and they are the spins of
gyrostats that (5.9) has. A servo is an arm on a hinge, its own rotor behind a gear, k_P as a spring and k_D as a
damper; its port gives the torque k_P θ_U of what is asked of it.

    port               of                    input
    rotor1_motor       each motor            its torque k_M i [N m] on the hinge of the propeller
    rotor1_servo       each servo            k_P θ_U [N m]
    rotor1_air         each propeller        (-ε κ_T ϖ²; κ_F ϖ²) along its axis
    rotor1_blades      what carries each     of options of rotors: force across the axis and moment, in axes of that
    craft_air          the body              drag and bias

What the air does is a law of speeds, `air(vehicle)`, for `inputs=`: it is solved inside of steps, in every scheme,
while currents and servos may come from a sampled controller.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_vector
from visviva._suggestions import helpful
from visviva.copter.models.gyrostat import air_twist, directions, gyrostat, motor_currents, rotor_effects
from visviva.copter.vehicles.blades import RADIUS
from visviva.copter.vehicles.rotor import Rotor
from visviva.copter.vehicles.surroundings import Surroundings
from visviva.copter.vehicles.vectors import row_of, vector_at
from visviva.copter.vehicles.vehicle import Vehicle, check_vehicle
from visviva.copter.vehicles.wind import WindLike
from visviva.errors import ModelError
from visviva.geometry.hat import skew
from visviva.integrate.sampled import Now
from visviva.mechanism import Mechanism, friction

SHARE = 1e-3  # of the mass, which each arm and servo's rotor takes: it is in the whole either way
MOST = 1e-2  # of the mass, which a propeller takes at most
APART = 0.45  # of the distance to the nearest rotor: discs that do not overlap
V_REG = 1.0  # [rad/s] below which the dry friction of a bearing creeps


@helpful
def mechanism(vehicle: Vehicle) -> Mechanism:
    """Body, arms that tilt, propellers that turn, motors and servos; see the module.

    Names are those of the rotors: rotor1 is a propeller, rotor1_spin its hinge, rotor1_arm and rotor1_tilt an arm and
    its hinge; the body is "craft", its frame that of the vehicle, built at the origin. Propellers are even discs of
    their radius, or of one that leaves room to the next, with the inertia (Θ_P/2, Θ_P/2, Θ_P); arms are such that both
    together have Θ_arm about every axis; what is left of mass and inertia is the body's.
    """
    check_vehicle(vehicle)
    m = Mechanism(vehicle.name, gravity=(0.0, 0.0, -vehicle.gravity))
    mass, com, inertia = _centre(vehicle)
    craft = m.body("craft", mass=mass, com=com, inertia=inertia)
    m.wrench("craft_air", craft, frame="body")
    for rotor in vehicle.rotors:
        _add_rotor(m, vehicle, rotor)
    return m


def _centre(vehicle: Vehicle) -> tuple[float, Array, Array]:
    """Mass, centre of mass and inertia about it of what is left for the body."""
    mass, moment, Theta = vehicle.mass, vehicle.mass * vehicle.com, np.array(vehicle.inertia)
    for rotor in vehicle.rotors:
        r, R = rotor.position, _axes(rotor)
        for m, J in _parts(vehicle, rotor):
            mass, moment = mass - m, moment - m * r
            Theta -= R @ np.diag(J) @ R.T - m * skew(r) @ skew(r)
    s = moment / mass
    return mass, s, Theta + mass * skew(s) @ skew(s)


def _parts(vehicle: Vehicle, rotor: Rotor) -> list[tuple[float, Array]]:
    """Mass and principal moments of propeller, arm and servo's rotor, all at the rotor's centre."""
    P, share = rotor.inertia, SHARE * vehicle.mass
    found = [(min(2 * P / _radius(vehicle, rotor) ** 2, MOST * vehicle.mass), np.array([P / 2, P / 2, P]))]
    if rotor.servo is not None:
        arm = rotor.servo.arm_inertia
        found.append((share, np.array([arm - P / 2, arm - P / 2, arm - P])))
        if rotor.servo.gear > 1:
            found.append((share, np.full(3, rotor.servo.rotor_inertia)))
    return found


def _radius(vehicle: Vehicle, rotor: Rotor) -> float:
    """Of a propeller [m]; rotors one above the other are no neighbours."""
    apart = [float(np.linalg.norm(np.cross(rotor.axis, other.position - rotor.position))) for other in vehicle.rotors]
    neighbours = [distance for distance in apart if distance > 0.05 * vehicle.arm]
    return rotor.radius or APART * min(neighbours, default=vehicle.arm)


def _axes(rotor: Rotor) -> Array:
    """Columns: tilt axis, or any across; the third; axis of the thrust."""
    if rotor.servo is not None:
        x = rotor.servo.axis
    else:
        x = np.cross(np.eye(3)[int(np.argmin(np.abs(rotor.axis)))], rotor.axis)
        x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(rotor.axis, x), rotor.axis])


def _add_rotor(m: Mechanism, vehicle: Vehicle, rotor: Rotor) -> None:
    name, r, R, servo = rotor.name, rotor.position, _axes(rotor), rotor.servo
    (mass, J), *others = _parts(vehicle, rotor)
    carrier = "craft"
    if servo is not None:
        carrier = f"{name}_arm"
        m.body(carrier, mass=others[0][0], inertia=others[0][1], at=r, rotation=R)
        m.revolute(f"{name}_tilt", "craft", carrier, at=r, axis=servo.axis, friction=servo.k_D)
        m.joint_spring(f"{name}_spring", f"{name}_tilt", energy=partial(_spring, servo.k_P))
        m.torque(f"{name}_servo", f"{name}_tilt")
        if servo.gear > 1:
            m.body(f"{name}_shaft", mass=others[1][0], inertia=others[1][1], at=r, rotation=R)
            m.revolute(f"{name}_turn", "craft", f"{name}_shaft", at=r, axis=servo.axis)
            m.gear(f"{name}_gear", f"{name}_turn", f"{name}_tilt", ratio=servo.gear)
    m.body(name, mass=mass, inertia=J, at=r, rotation=R)
    bearing = friction.coulomb(rotor.tau_MB, v_reg=V_REG) if rotor.tau_MB else 0.0
    m.revolute(f"{name}_spin", carrier, name, at=r, axis=rotor.spin * rotor.axis, friction=bearing)
    m.torque(f"{name}_motor", f"{name}_spin")
    m.wrench(f"{name}_air", name, frame="body")
    if has_blades(rotor):
        m.wrench(f"{name}_blades", carrier, frame="body")


def has_blades(rotor: Rotor) -> bool:
    """Whether air moves it across its axis."""
    return any((rotor.drag, rotor.flapping, rotor.hub))


def _spring(k: float, theta: Any) -> Any:
    return 0.5 * k * theta**2


@helpful
def air(vehicle: Vehicle, *, wind: WindLike = None, ground: float | None = None) -> Callable[..., dict[str, Any]]:
    """Wrenches of the air at its ports as a law of motion: (5.3), (5.4) and the bias of (5.9e).

    wind, ground: see `vv.copter.fly`. A wind that changes with time or place is asked at ticks,
                  sampled=vv.Sampled(air, period=h), and held for a step.
    """
    around = Surroundings(wind, ground)
    around.check(vehicle)
    if around or gyrostat(vehicle).blades[:, :4].any():
        return _moving_air(vehicle, around)
    D, bias, com = vehicle.drag.matrix, vehicle.bias, _centre(vehicle)[1]  # where wrench ports act

    def law(x: Any) -> dict[str, Any]:
        F = bias - D @ x["craft.twist"]
        found: dict[str, Any] = {"craft_air": [*(F[:3] - np.cross(com, F[3:])), *F[3:]]}
        for rotor in vehicle.rotors:
            w = x[f"{rotor.name}_spin.rate"]
            found[f"{rotor.name}_air"] = [0, 0, -rotor.spin * rotor.kappa_T * w**2, 0, 0, rotor.kappa_F * w**2]
        return found

    return law


def _moving_air(vehicle: Vehicle, around: Surroundings) -> Callable[..., dict[str, Any]]:
    """The same with blades, wind and ground, by the functions of `copter.models.gyrostat`."""
    p, com, n = gyrostat(vehicle), _centre(vehicle)[1], len(vehicle.rotors)
    tilts = [f"{vehicle.rotors[i].name}_tilt.q" for i in vehicle.tilting]
    if around.ground is None:
        p.blades[:, RADIUS] = 0.0

    def law(x: Any) -> dict[str, Any]:
        if around.law is not None and not isinstance(x, Now):
            raise ModelError(
                "a wind that changes with time or place is asked at ticks, and held for a step:\n"
                "vv.simulate(..., h=h, sampled=vv.Sampled(air, period=h)). Inside of steps it is three numbers."
            )
        R, H, V = np.reshape(x["craft.R"], (3, 3)), _empty(n, 3), _empty(6)
        wind = around.wind(x.t, np.asarray(x["craft.r"])) if isinstance(x, Now) else around.steady
        height = 0.0 if around.ground is None else x["craft.r"][2] - around.ground
        V[:] = x["craft.twist"]
        V[:] = air_twist(R, V, wind)
        turn, v = vector_at(V, 0), vector_at(V, 3)
        theta = _empty(len(tilts))
        theta[:] = [x[name] for name in tilts]
        directions(p, theta, H, _empty(n, 3))
        F = p.bias - p.drag @ V
        found: dict[str, Any] = {"craft_air": [*(F[:3] - np.cross(com, F[3:])), *F[3:]]}
        for i, rotor in enumerate(vehicle.rotors):
            w = x[f"{rotor.name}_spin.rate"]
            own = rotor_effects(p, i, R, row_of(H, i), turn, v, w, height)
            f, m = (np.array(vector, dtype=object) for vector in (own.force, own.moment))
            thrust = rotor.kappa_F * w**2 + own.more
            found[f"{rotor.name}_air"] = [0, 0, -rotor.spin * rotor.kappa_T * w**2, 0, 0, thrust]
            if not has_blades(rotor):
                continue
            if rotor.servo is None:
                found[f"{rotor.name}_blades"] = [*(m + np.cross(rotor.position - com, f)), *f]
            else:
                arm = carrier_axes(rotor, H[i])
                found[f"{rotor.name}_blades"] = [*(m @ arm), *(f @ arm)]
        return found

    return law


def _empty(*shape: int) -> Any:
    """For numbers, or what laws of motion are traced with."""
    return np.empty(shape, dtype=object)


def carrier_axes(rotor: Rotor, h: Array) -> Array:
    """Of an arm whose rotor pushes along h: columns in axes of the body."""
    x = _axes(rotor)[:, 0]
    return np.column_stack([x, np.cross(h, x), h])


@helpful
def motors(vehicle: Vehicle) -> Callable[[Any, ArrayLike], dict[str, float]]:
    """Torques of the motors, of currents [A] that are wanted, as far as the battery goes; at ticks.

    sampled=vv.Sampled(lambda now: motors(now, currents), period=h).
    """
    p = gyrostat(vehicle)

    def law(x: Any, currents: ArrayLike) -> dict[str, float]:
        spins = np.array([float(x[f"{rotor.name}_spin.rate"]) for rotor in vehicle.rotors])
        flows = motor_currents(p, spins, finite_vector(currents, "currents [A]", len(spins)))
        return {f"{rotor.name}_motor": rotor.k_M * i for rotor, i in zip(vehicle.rotors, flows.tolist(), strict=True)}

    return law
