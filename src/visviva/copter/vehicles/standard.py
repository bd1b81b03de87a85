"""The two vehicles of Konz, Table 5.1, and a ring of rotors for one's own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from visviva._arrays import finite_array, finite_number
from visviva._suggestions import helpful
from visviva.copter.vehicles.rotor import Rotor, Servo
from visviva.copter.vehicles.units import check_unit
from visviva.copter.vehicles.vehicle import Drag, Vehicle
from visviva.errors import ModelError

ARM = 0.24  # l_A [m]
FASTEST = 2 * math.pi * 120  # [rad/s], 8.19 N
SLOWEST = math.sqrt(0.3 / 1.44e-5)  # [rad/s], of the least thrust of 0.3 N that section 5.3 asks for
PROPELLER: dict[str, Any] = {
    "kappa_F": 1.44e-5, "kappa_T": 2.45e-7, "inertia": 3.6e-5, "k_M": 0.0105, "tau_MB": 0.005,
    "speeds": (SLOWEST, FASTEST), "resistance": 0.1,
}  # fmt: skip


@helpful
def ring(
    like: Rotor, angles: Sequence[float], spins: Sequence[int], *, radius: float, height: float = 0.0
) -> tuple[Rotor, ...]:
    """Rotors like one, on a circle about z: at angles φ [rad] from x, named "rotor1", ...

    like:   a rotor as it would be at φ = 0, of which position and spin do not matter; its axis and that of its servo
            turn with φ.
    radius, height: of the circle [m].
    """
    r, h = finite_number(radius, "radius of a ring [m]", positive=True), finite_number(height, "height of a ring [m]")
    if not isinstance(like, Rotor):
        raise ModelError(f"a ring has rotors like one vv.copter.Rotor(...), got {like!r}.")
    turns = finite_array(angles, "angles of a ring [rad]", (None,))
    if np.ndim(spins) != 1 or len(turns) != len(spins):
        raise ModelError(f"a ring has one spin for each angle, got {len(turns)} angles and spins={spins!r}.")
    check_unit(r, "length", "radius of a ring")
    for phi in turns.tolist():
        check_unit(phi, "angle", "an angle of a ring")
    found = []
    for i, (phi, spin) in enumerate(zip(turns.tolist(), spins, strict=True), 1):
        c, s = math.cos(phi), math.sin(phi)
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        servo = like.servo and replace(like.servo, axis=R @ like.servo.axis)
        found.append(
            replace(
                like, name=f"rotor{i}", position=R @ [r, 0, 0] + [0, 0, h], axis=R @ like.axis, spin=spin, servo=servo
            )
        )
    return tuple(found)


def quadcopter() -> Vehicle:
    """The quadcopter of Table 5.1, with its rotors as (5.11) has them: φ = 0, 90°, 180°, 270°, ε = +, -, +, -.

    The table's Υ_x = -1.5e-3 N m s would make the air drive the vehicle: it is 0 here. Υ_z is taken about the centre
    of the drag. Speeds are ours: up to 120 Hz, which the text gives, and down to 0.3 N; and so are 0.1 Ω of a winding.
    """
    rotor = Rotor(name="rotor", position=np.zeros(3), axis=np.array([0.0, 0.0, 1.0]), spin=1, **PROPELLER)
    return Vehicle(
        name="quadcopter",
        mass=1.001,
        com=np.array([-1.8e-3, 0.6e-3, 0.0]),
        inertia=np.array([[17.9e-3, -0.7e-3, 0.2e-3], [-0.7e-3, 18.0e-3, 0.0], [0.2e-3, 0.0, 30.7e-3]]),
        rotors=ring(rotor, [0.5 * math.pi * i for i in range(4)], (1, -1, 1, -1), radius=ARM),
        drag=Drag(d=np.array([0.30, 0.30, 0.36]), centre=np.array([0, 0, 12e-3]), Upsilon=np.array([0, 0, 10e-3])),
        bias=np.array([0.049, -0.015, -0.012, 0.09, 0.02, -0.09]),
    )


def tricopter() -> Vehicle:
    """The tricopter with tilting rotors of Table 5.1 and (5.10): φ = 60°, 180°, 300°, ε = -, +, +.

    k_P = 1400 N m/rad and k_D = 66 N m s/rad, whose units are misprinted. Θ_A = 0.9 and Θ_AC = 0.002 kg m² with the
    gear 625 say what servo rotor, 2.3e-6 kg m², and what arm, 5.6e-4 kg m², there is.
    """
    servo = Servo(
        axis=np.array([1.0, 0.0, 0.0]), k_P=1400.0, k_D=66.0, inertia=0.9, coupling=0.002, gear=625.0,
        range=(-math.radians(75), math.radians(75)),
    )  # fmt: skip
    up = np.array([0.0, 0.0, 1.0])
    rotor = Rotor(name="rotor", position=np.zeros(3), axis=up, spin=1, servo=servo, **PROPELLER)
    return Vehicle(
        name="tricopter",
        mass=1.251,
        com=np.array([1.7e-3, 0.6e-3, 0.0]),
        inertia=np.array([[19.2e-3, -0.8e-3, -1.2e-3], [-0.8e-3, 19.2e-3, -2.1e-3], [-1.2e-3, -2.1e-3, 30.8e-3]]),
        rotors=ring(rotor, [math.pi / 3 * i for i in (1, 3, 5)], (-1, 1, 1), radius=ARM, height=-6e-3),
        drag=Drag(
            d=np.array([0.29, 0.29, 0.45]), centre=np.array([0, 0, 4e-3]), Upsilon=np.array([8.5e-3, 8.5e-3, 14e-3])
        ),
        bias=np.array([0.037, -0.024, -0.003, -0.21, -0.02, 0.03]),
    )
