"""What no multicopter has, and other units explain: a vehicle in millimetres or degrees flies too, but somewhere else.

Limits lie a factor of ten and more beyond vehicles from 20 g to some hundred kilograms.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError

if TYPE_CHECKING:
    from visviva.copter.vehicles.vehicle import Vehicle


class Limit(NamedTuple):
    """The most of a quantity, in its unit, and units in which more may have been given."""

    most: float
    unit: str
    others: dict[str, float]


LIMITS = {
    "angle": Limit(2 * math.pi * (1 + 1e-9), "rad", {"deg": math.pi / 180}),
    "length": Limit(20.0, "m", {"mm": 1e-3, "cm": 1e-2}),
    "radius": Limit(3.0, "m", {"inch of diameter": 0.0127, "mm": 1e-3}),
    "time": Limit(1.0, "s", {"ms": 1e-3}),
    "resistance": Limit(10.0, "Ω", {"mΩ": 1e-3}),
    "capacity": Limit(1000.0, "A h", {"mA h": 1e-3}),
    "mass": Limit(500.0, "kg", {"g": 1e-3}),
    "current": Limit(500.0, "A", {"mA": 1e-3}),
}
INERTIAS = {"kg cm²": 1e-4, "kg mm²": 1e-6, "g cm²": 1e-7, "g mm²": 1e-9}
SHARES = 1e-4, 1e2  # of mass × arm², between which the largest principal moment is
USUAL = 0.3  # of it
SMALL = 1e-3  # of the vehicle, the inertia of a propeller
AWAY = 10.0  # arms from all rotors, within which a centre of mass is
CURRENTS = 1e-3, 1e3  # [A] at hover, of the rotor that takes most
FEEBLE = 0.01  # of the weight: rotors that lift less are told a mass in grams


def check_unit(x: float, quantity: str, what: str) -> None:
    """ModelError where a number is beyond the limit of its quantity."""
    limit = LIMITS[quantity]
    if abs(x) <= limit.most:
        return
    ways = ", ".join(f"{x:g} {unit} are {x * factor:.4g} {limit.unit}" for unit, factor in limit.others.items())
    raise ModelError(
        f"{what} is {x:g} {limit.unit}, beyond all that flies, {limit.most:.4g} {limit.unit}.\nIn another unit? {ways}."
    )


def check_masses(vehicle: Vehicle) -> None:
    """ModelError where centre of mass and inertias do not fit the mass and the arms of a vehicle."""
    _check_com(vehicle)
    moments = np.linalg.eigvalsh(vehicle.inertia_about_com)
    if moments[0] >= 0:  # others are told by the laws of an inertia
        _check_inertias(vehicle, float(moments[2]))


def _check_com(vehicle: Vehicle) -> None:
    com, mass = vehicle.com, vehicle.mass
    away = min(float(np.linalg.norm(com - rotor.position)) for rotor in vehicle.rotors)
    moments, about_com = (np.linalg.eigvalsh(J) for J in (vehicle.inertia, vehicle.inertia_about_com))
    said = f"com of vehicle {vehicle.name!r} is {vector_text(com)} m"
    in_mm = f"In mm? {vector_text(com)} mm are {vector_text(1e-3 * com)} m"
    if away > AWAY * vehicle.arm:
        raise ModelError(f"{said}, {away:.3g} m from the nearest rotor, and arms are {vehicle.arm:.3g} m.\n{in_mm}.")
    if about_com[0] < 0 <= moments[0] and com.any():
        raise ModelError(
            f"{said}, and mass × |com|² = {mass * float(com @ com):.3g} kg m² is too much for the inertia, up to "
            f"{moments[2]:.3g} kg m² about the origin of the body's frame: it leaves a negative one about com.\n"
            f"{in_mm}. An inertia about com is taken to the origin by + mass (|com|² 1 - com comᵀ)."
        )


def _check_inertias(vehicle: Vehicle, largest: float) -> None:
    mass, arm = vehicle.mass, vehicle.arm
    share, usual = largest / (mass * arm**2), USUAL * mass * arm**2
    if any(rotor.position.any() for rotor in vehicle.rotors) and not SHARES[0] <= share <= SHARES[1]:
        raise ModelError(
            f"inertia of vehicle {vehicle.name!r} is up to {largest:.4g} kg m², {share:.2g} times mass × arm²; about "
            f"{USUAL:g} times, {usual:.2g} kg m², is usual.\n" + _likely(largest, usual, mass, arm)
        )
    for rotor in vehicle.rotors:
        if rotor.inertia > largest > 0:
            raise ModelError(
                f"inertia of rotor {rotor.name!r} is {rotor.inertia:g} kg m², and all of vehicle {vehicle.name!r} has "
                f"{largest:.3g} kg m² at most.\n" + _likely(rotor.inertia, SMALL * largest, mass, arm)
            )


def _likely(found: float, usual: float, mass: float, arm: float) -> str:
    """The unit in which an inertia would be nearest to what is usual [kg m²]."""
    if found < usual:
        return f"A mass of {mass:g} kg, {mass:g} g are {1e-3 * mass:g} kg? Arms of {arm:g} m?"
    unit = min(INERTIAS, key=lambda name: abs(math.log(found * INERTIAS[name] / usual)))
    return f"In {unit}? {found:g} {unit} are {found * INERTIAS[unit]:.4g} kg m²."


def vector_text(r: Array) -> str:
    """(x, y, z) as it is said."""
    return f"({', '.join(f'{x:.4g}' for x in r)})"


def check_currents(vehicle: Vehicle) -> None:
    """ModelError where motors take no current at hover, or one that melts them."""
    currents = vehicle.hover.currents
    k = int(np.argmax(currents))
    rotor, current = vehicle.rotors[k], float(currents[k])
    if current < CURRENTS[0]:
        raise ModelError(
            f"rotor {rotor.name!r} of vehicle {vehicle.name!r} takes {current:.2g} A at hover, by k_M = {rotor.k_M:g} "
            f"N m/A.\nOf a motor with KV in rpm/V it is 60/(2π KV): {rotor.k_M:g} rpm/V are "
            f"{30 / (math.pi * rotor.k_M):.4g} N m/A. And κ_T = {rotor.kappa_T:g} is in N m s²/rad²."
        )
    if current > CURRENTS[1]:
        raise ModelError(
            f"rotor {rotor.name!r} of vehicle {vehicle.name!r} takes {current:.4g} A at hover, by κ_T = "
            f"{rotor.kappa_T:g} N m s²/rad², τ_MB = {rotor.tau_MB:g} N m and k_M = {rotor.k_M:g} N m/A.\n"
            f"κ_T/κ_F is {rotor.drag_length:.3g} m, where about a tenth of the radius of the propeller is usual: a κ_T "
            f"in N mm is {1e-3 * rotor.kappa_T:.3g} in N m. k_M is 60/(2π KV), of KV in rpm/V."
        )


def hint_of_lift(vehicle: Vehicle, lift: float) -> str:
    """What may be wrong with a vehicle whose rotors lift too little or too much [N]."""
    if all(rotor.axis[2] <= 0 for rotor in vehicle.rotors):
        return "\nTheir axes point down: an axis is where a rotor pushes the vehicle to, (0, 0, 1) is up."
    if lift < FEEBLE * vehicle.weight:
        return f"\nThe mass is in kg: {vehicle.mass:g} g are {1e-3 * vehicle.mass:g} kg. κ_F is in N s²/rad²."
    return (
        "\nκ_F is in N s²/rad² of speeds in rad/s: multiply a value per rpm² by (60/2π)² = 91.19, per Hz² by "
        "(1/2π)² = 0.02533."
    )
