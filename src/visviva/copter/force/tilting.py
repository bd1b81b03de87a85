"""Forces of vehicles whose rotors tilt, at ticks: the inverse with its limits, and a filter of thrusts; Konz 5.3.3.

    F^VH = B⁺ f_D + (1 - B⁺B) F_N,     F_D = |(F^V, F^H)|,     θ_D = atan2(F^H, F^V)    (5.28)
    F̂_D[k+1] = c_F F̂_D[k] + (1 - c_F) F_D[k],     ϖ̂_D = √(F̂_D/κ_F)                     (5.29)

f_D are chosen components of the wrench (m; f); B has a column for F cos θ of every rotor and one for F sin θ of every
servo. With six components and three rotors B⁺ is the inverse; where there are more inputs than components it is the
one of least squares, min Σ F², and what no component sees is that of thrusts F_N, those of a law that keeps all of them
within limits, or none. Rotors without servo push along their axes alone.

Torques of rotors that speed up are left out: yaw comes from tilts. `visviva.copter.force.fixed` has them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import Array, finite_array, finite_number, finite_vector, frozen
from visviva._suggestions import helpful
from visviva.copter.force.wrench_rows import row_numbers, wrench_rows
from visviva.copter.vehicles.vectors import put_product
from visviva.copter.vehicles.vehicle import Vehicle
from visviva.errors import ModelError

NO_SERVO = -1


class TiltForce(NamedTuple):
    """Constants of the inverse and of its filter, for r components, n rotors and s servos."""

    T_S: float  # [s]
    c_F: float
    B: Array  # (r, n + s)
    B_right: Array  # (n + s, r) of least squares, B B_right = 1
    rest: Array  # (n + s, n + s) 1 - B⁺B
    kappa_F: Array  # (n,) [N s²/rad²]
    F_min: Array  # (n,) [N]
    F_max: Array  # (n,) [N]
    tilt_min: Array  # (n,) [rad], 0 without servo
    tilt_max: Array  # (n,) [rad]
    servo: NDArray[np.int64]  # (n,) number of the servo of each rotor, -1 of none


@helpful
def tilt_force(
    vehicle: Vehicle,
    T_S: float = 0.005,
    *,
    cutoff: float = 12.0,
    tilt_limit: float = math.pi / 4,
    thrust_limits: ArrayLike | None = None,
    components: Sequence[str] | None = None,
) -> TiltForce:
    """Constants for a vehicle of which at least one rotor tilts; T_S: period [s].

    cutoff:     frequency [Hz] at which the filter of thrusts has lost 3 dB, c_F = exp(-2π cutoff T_S) but for sampling.
    tilt_limit: largest |θ_D| [rad], within the ranges of the servos.
    thrust_limits: least and largest thrust [N], within what the rotors' speeds make, which are the limits without.
    components: of the wrench, "tau_x" to "F_z"; without, all that the rotors reach.

    The cutoff is ours, the text gives no c_F.
    """
    if not vehicle.tilting:
        raise ModelError(f"no rotor of vehicle {vehicle.name!r} tilts: use visviva.copter.force.rotor_force(vehicle).")
    period = finite_number(T_S, "period T_S [s]", positive=True)
    frequency = finite_number(cutoff, "cutoff [Hz]", positive=True)
    if 2 * frequency * period >= 1:
        raise ModelError(f"a cutoff of {frequency:g} Hz is above half of the rate of ticks, {0.5 / period:g} Hz.")
    limit = finite_number(tilt_limit, "tilt_limit [rad]", positive=True)
    if limit >= math.pi / 2:
        raise ModelError(
            f"tilt_limit must be below a right angle, got {limit:g} rad: a rotor that lies on its side lifts nothing.\n"
            "It is in radian: np.deg2rad(45)."
        )
    rows = row_numbers(wrench_rows(vehicle, components))
    B = vehicle.split_allocation[rows]
    servo, low, high = (
        np.full(len(vehicle.rotors), NO_SERVO),
        np.zeros(len(vehicle.rotors)),
        np.zeros(len(vehicle.rotors)),
    )
    for number, i in enumerate(vehicle.tilting):
        own = vehicle.rotors[i].servo
        assert own is not None
        servo[i], low[i], high[i] = number, max(own.range[0], -limit), min(own.range[1], limit)
    F_min, F_max = np.transpose([rotor.thrusts for rotor in vehicle.rotors])
    if thrust_limits is not None:
        least, largest = finite_vector(thrust_limits, "thrust_limits [N]", 2)
        F_min, F_max = np.maximum(F_min, least), np.minimum(F_max, largest)
        if not (F_min < F_max).all():
            raise ModelError(
                f"thrust_limits must be (least, largest) and meet what the rotors of vehicle {vehicle.name!r} make, "
                f"{vehicle.rotors[0].thrusts} N, got ({least:g}, {largest:g}) N."
            )
    right = np.linalg.pinv(B)
    return TiltForce(
        period, math.exp(-2 * math.pi * frequency * period), frozen(B), frozen(right),
        frozen(np.eye(len(right)) - right @ B), frozen([rotor.kappa_F for rotor in vehicle.rotors]), frozen(F_min),
        frozen(F_max), frozen(low), frozen(high), servo,
    )  # fmt: skip


def invert_tilt_force(p: TiltForce, wanted: Array) -> tuple[Array, Array]:
    """Thrusts F_D [N] of all rotors and tilts θ_D [rad] of all servos for f_D, within their limits; (5.28).

    Limits: where a servo cannot turn far enough, its thrust is what is nearest to (F^V, F^H) in the direction that it
    reaches. Cut off one by one, as in the text, a wish to be pulled down would be answered by a push up.
    """
    n = len(p.kappa_F)
    split, thrusts, tilts = np.empty(len(p.B_right)), np.empty(n), np.empty(len(p.B_right) - n)
    put_inverse(p, wanted, np.zeros(len(split)), split, thrusts, tilts)
    return thrusts, tilts


def put_inverse(p: TiltForce, wanted: Array, shared: Array, split: Array, thrusts: Array, tilts: Array) -> None:
    """The same into arrays; shared: F_N (n + s,).   split: (n + s,) memory."""
    n = len(p.kappa_F)
    put_product(p.B_right, wanted, split)
    for i in range(len(split)):
        for k in range(len(split)):
            split[i] += p.rest[i, k] * shared[k]
    for i in range(n):
        F, j = split[i], p.servo[i]
        if j >= 0:
            V, H = split[i], split[n + j]
            aim = math.atan2(H, V)
            theta = min(max(aim, p.tilt_min[i]), p.tilt_max[i])
            tilts[j] = theta
            F = math.sqrt(V * V + H * H) * (1.0 if theta == aim else math.cos(aim - theta))
        thrusts[i] = min(max(F, p.F_min[i]), p.F_max[i])


def tilt_force_start(p: TiltForce, thrusts: ArrayLike) -> Array:
    """State (n,) of the filter where rotors push steadily with thrusts [N]: F̂_D."""
    return np.array(np.broadcast_to(finite_array(thrusts, "thrusts [N]"), p.kappa_F.shape))


def filter_tilt_force(p: TiltForce, x: Array, wanted: Array) -> tuple[Array, Array]:
    """State at k + 1 by (5.29), and tilts θ_D[k] [rad] that servos are told at once, for f_D[k]."""
    n = len(p.kappa_F)
    split, out, tilts = np.empty(len(p.B_right)), x + 0.0, np.empty(len(p.B_right) - n)
    advance_tilt_force(p, out, wanted, np.zeros(len(split)), split, np.empty(n), tilts)
    return out, tilts


def advance_tilt_force(
    p: TiltForce, x: Array, wanted: Array, shared: Array, split: Array, thrusts: Array, tilts: Array
) -> None:  # fmt: skip
    """The same, the state in place; shared: F_N (n + s,).   split (n + s,) and thrusts (n,) are memory."""
    put_inverse(p, wanted, shared, split, thrusts, tilts)
    for i in range(len(x)):
        x[i] = p.c_F * x[i] + (1.0 - p.c_F) * thrusts[i]


def tilt_force_speeds(p: TiltForce, x: Array) -> Array:
    """Speeds ϖ̂_D [rad/s] of a state of the filter."""
    out = np.empty(len(x))
    put_tilt_force_speeds(p, x, out)
    return out


def put_tilt_force_speeds(p: TiltForce, x: Array, out: Array) -> None:
    """The same into an array."""
    for i in range(len(x)):
        out[i] = math.sqrt(x[i] / p.kappa_F[i])


def made_tilt_force(p: TiltForce, speeds: Array, tilts: Array) -> Array:
    """Components f of the wrench by rotors at speeds [rad/s] and servos at tilts [rad]; (5.16c), (5.16d)."""
    n = len(p.kappa_F)
    split = np.empty(n + len(tilts))
    split[:n] = p.kappa_F * speeds * speeds
    for i in range(n):
        j = p.servo[i]
        if j >= 0:
            F = split[i]
            split[i], split[n + j] = F * math.cos(tilts[j]), F * math.sin(tilts[j])
    return np.dot(p.B, split)
