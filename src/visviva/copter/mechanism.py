"""The full model of a multicopter, Konz (5.8)-(5.9), as a mechanism: with audit, pictures, symbols and linearisation.

Propellers are bodies that turn. They are axisymmetric, so that their angles count for nothing and they are the spins of
gyrostats that (5.9) has. A servo is an arm on a hinge, its own rotor behind a gear, k_P as a spring and k_D as a
damper; its port gives the torque k_P θ_U of what is asked of it.

    port               of                    input
    rotor1_motor       each motor            its torque k_M i [N m] on the hinge of the propeller
    rotor1_servo       each servo            k_P θ_U [N m]
    rotor1_air         each propeller        (-ε κ_T ϖ²; κ_F ϖ²) along its axis
    craft_air          the body              drag and bias

What the air does is a law of speeds, `air(vehicle)`, for `inputs=`: it is solved inside of steps, in every scheme,
while currents and servos may come from a sampled controller.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva._suggestions import helpful
from visviva.copter.rotor import Rotor
from visviva.copter.vehicle import Vehicle
from visviva.geometry.hat import skew
from visviva.mechanism import Mechanism, friction

SHARE = 1e-3  # of the mass, which each arm, propeller and servo's rotor takes: it is in the whole either way
V_REG = 1.0  # [rad/s] below which the dry friction of a bearing creeps


@helpful
def mechanism(vehicle: Vehicle) -> Mechanism:
    """Body, arms that tilt, propellers that turn, motors and servos; see the module.

    Names are those of the rotors: rotor1 is a propeller, rotor1_spin its hinge, rotor1_arm and rotor1_tilt an arm and
    its hinge; the body is "craft", its frame that of the vehicle, built at the origin. Propellers have the inertia
    (Θ_P/2, Θ_P/2, Θ_P) and arms are such that both together have Θ_arm about every axis; what is left of mass and
    inertia is the body's.
    """
    m = Mechanism(vehicle.name, gravity=(0.0, 0.0, -vehicle.gravity))
    mass, com, inertia = _centre(vehicle)
    craft = m.body("craft", mass=mass, com=com, inertia=inertia)
    m.wrench("craft_air", craft, frame="body")
    for rotor in vehicle.rotors:
        _add_rotor(m, rotor, SHARE * vehicle.mass)
    return m


def _centre(vehicle: Vehicle) -> tuple[float, Array, Array]:
    """Mass, centre of mass and inertia about it of what is left for the body."""
    parts = [part for rotor in vehicle.rotors for part in _parts(rotor)]
    share = SHARE * vehicle.mass
    mass, moment, Theta = vehicle.mass - share * len(parts), vehicle.mass * vehicle.com, np.array(vehicle.inertia)
    for r, R, J in parts:
        moment = moment - share * r
        Theta -= R @ np.diag(J) @ R.T - share * skew(r) @ skew(r)
    s = moment / mass
    return mass, s, Theta + mass * skew(s) @ skew(s)


def _parts(rotor: Rotor) -> list[tuple[Array, Array, Array]]:
    """Position, axes and principal moments of propeller, arm and servo's rotor."""
    P = rotor.inertia
    found = [(rotor.position, _axes(rotor), np.array([P / 2, P / 2, P]))]
    if rotor.servo is not None:
        arm = rotor.servo.arm_inertia
        found.append((rotor.position, _axes(rotor), np.array([arm - P / 2, arm - P / 2, arm - P])))
        if rotor.servo.gear > 1:
            found.append((rotor.position, _axes(rotor), np.full(3, rotor.servo.rotor_inertia)))
    return found


def _axes(rotor: Rotor) -> Array:
    """Columns: tilt axis, or any across; the third; axis of the thrust."""
    if rotor.servo is not None:
        x = rotor.servo.axis
    else:
        x = np.cross(np.eye(3)[int(np.argmin(np.abs(rotor.axis)))], rotor.axis)
        x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(rotor.axis, x), rotor.axis])


def _add_rotor(m: Mechanism, rotor: Rotor, mass: float) -> None:
    name, r, R, servo = rotor.name, rotor.position, _axes(rotor), rotor.servo
    (_, _, J), *others = _parts(rotor)
    carrier = "craft"
    if servo is not None:
        carrier = f"{name}_arm"
        m.body(carrier, mass=mass, inertia=others[0][2], at=r, rotation=R)
        m.revolute(f"{name}_tilt", "craft", carrier, at=r, axis=servo.axis, friction=servo.k_D)
        m.joint_spring(f"{name}_spring", f"{name}_tilt", energy=partial(_spring, servo.k_P))
        m.torque(f"{name}_servo", f"{name}_tilt")
        if servo.gear > 1:
            m.body(f"{name}_shaft", mass=mass, inertia=others[1][2], at=r, rotation=R)
            m.revolute(f"{name}_turn", "craft", f"{name}_shaft", at=r, axis=servo.axis)
            m.gear(f"{name}_gear", f"{name}_turn", f"{name}_tilt", ratio=servo.gear)
    m.body(name, mass=mass, inertia=J, at=r, rotation=R)
    bearing = friction.coulomb(rotor.tau_MB, v_reg=V_REG) if rotor.tau_MB else 0.0
    m.revolute(f"{name}_spin", carrier, name, at=r, axis=rotor.spin * rotor.axis, friction=bearing)
    m.torque(f"{name}_motor", f"{name}_spin")
    m.wrench(f"{name}_air", name, frame="body")


def _spring(k: float, theta: Any) -> Any:
    return 0.5 * k * theta**2


@helpful
def air(vehicle: Vehicle) -> Callable[[Any], dict[str, Any]]:
    """Wrenches of the air at its ports as a law of motion: (5.3), (5.4) and the bias of (5.9e)."""
    D, bias, com = vehicle.drag.matrix, vehicle.bias, _centre(vehicle)[1]  # where wrench ports act

    def law(x: Any) -> dict[str, Any]:
        F = bias - D @ x["craft.twist"]
        found: dict[str, Any] = {"craft_air": [*(F[:3] - np.cross(com, F[3:])), *F[3:]]}
        for rotor in vehicle.rotors:
            w = x[f"{rotor.name}_spin.rate"]
            found[f"{rotor.name}_air"] = [0, 0, -rotor.spin * rotor.kappa_T * w**2, 0, 0, rotor.kappa_F * w**2]
        return found

    return law
