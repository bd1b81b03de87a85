"""Forces of vehicles whose rotors do not tilt, at ticks: a filter with the torques of rotors that speed up; Konz 5.3.4.

    f = B F - E ϖ̇,     F = κ_F ϖ²                                                       (5.34)
    d²/dt² B F + K_1 d/dt B F + K_0 (f - f_D) = 0                                        (5.35)
    Ḟ = B⁺ (h - K_1 B F) - k_N (1 - B⁺B) (F - F_N),     ϖ̇ = Ḟ/(2 κ_F ϖ),     ḣ = K_0 (f_D - f)    (5.36)

f are components of the wrench (m; f), E ϖ̇ is the moment ε Θ_P ϖ̇ about each axis. Steps are Euler's, (5.37). With more
rotors than components B⁺ is the inverse of least squares; what no component sees of F then comes to that of thrusts
F_N with k_N: those of a law that keeps all of them within limits, or none, so that Σ F² is least at rest. A state is
one array (n + r,): ϖ̂_D, then h.

Limits: speeds are cut off at those of the rotors, and h is set to what the rotors then do. Without that (the text does
not say) h grows as long as f_D is out of reach, and the filter comes back late.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import Array, finite_array, finite_number, finite_vector, frozen
from visviva._suggestions import helpful
from visviva.copter.force.wrench_rows import COMPONENTS, row_numbers, wrench_rows
from visviva.copter.vehicles.vehicle import Vehicle
from visviva.errors import ModelError

YAW = 2  # row of a wrench (m; f)
KIND = (1, 1, 2, 0, 0, 0)  # which cutoff a row has


class RotorForce(NamedTuple):
    """Constants of the filter, for r components and n rotors."""

    T_S: float  # [s]
    B: Array  # (r, n) by thrusts
    B_right: Array  # (n, r) of least squares, B B_right = 1
    rest: Array  # (n, n) k_N (1 - B⁺B) [1/s]
    E: Array  # (r, n) by ϖ̇ [kg m²]
    K0: Array  # (r,) [1/s²]
    K1: Array  # (r,) [1/s]
    kappa_F: Array  # (n,) [N s²/rad²]
    speed_min: Array  # (n,) [rad/s]
    speed_max: Array  # (n,)
    static: bool  # (5.42), which leaves E ϖ̇ out of the filter


@helpful
def rotor_force(
    vehicle: Vehicle,
    T_S: float = 0.005,
    *,
    cutoffs: ArrayLike = (8.0, 12.0, 4.0),
    heading: str = "dynamic",
    components: Sequence[str] | None = None,
) -> RotorForce:
    """Constants for a vehicle without servos; T_S: period [s].

    cutoffs:    [Hz] of forces, of roll and pitch, and of yaw. All are ours, the text gives none.
    heading:    "dynamic", K_1 = 1/p_4 of yaw: a pole cancels the zero of rotors that speed up at hover, (5.40c);
                "static", (5.42) with filters of Butterworth; "static, cancelled", (5.42) with the pole at that zero.
    components: of the wrench, "tau_x" to "F_z"; without, all that the rotors reach.

    Forces, roll and pitch have filters of Butterworth, K_0 = ω_c², K_1 = √2 ω_c. So has yaw where p_4 ≤ T_S: where
    oblique rotors turn the vehicle by their thrusts, its zero is too fast to matter, or on the wrong side to cancel.
    """
    if vehicle.tilting:
        named = ", ".join(repr(vehicle.rotors[i].name) for i in vehicle.tilting)
        raise ModelError(
            f"rotors {named} of vehicle {vehicle.name!r} tilt: use visviva.copter.force.tilt_force(vehicle)."
        )
    period = finite_number(T_S, "period T_S [s]", positive=True)
    w_c = 2 * math.pi * finite_vector(cutoffs, "cutoffs [Hz] of force, roll and pitch, yaw", 3)
    if not (w_c > 0).all():
        raise ModelError(f"cutoffs must be positive, got {w_c / (2 * math.pi)} Hz.")
    if heading not in ("dynamic", "static", "static, cancelled"):
        raise ModelError(f"heading is 'dynamic', 'static' or 'static, cancelled', got {heading!r}.")
    low, high = np.transpose([rotor.speeds for rotor in vehicle.rotors])
    if not low.min() > 0:
        stopped = [rotor.name for rotor in vehicle.rotors if rotor.speeds[0] <= 0]
        raise ModelError(
            f"rotors {', '.join(stopped)} of vehicle {vehicle.name!r} may stand still, where their thrust cannot be "
            "changed by their acceleration: the filter needs a lowest speed above zero, speeds=(low, high)."
        )
    rows = row_numbers(wrench_rows(vehicle, components))
    B = vehicle.allocation()[rows]
    E = np.zeros((6, len(vehicle.rotors)))
    E[:3] = np.transpose([rotor.spin * rotor.inertia * rotor.axis for rotor in vehicle.rotors])
    kappa, right = np.array([rotor.kappa_F for rotor in vehicle.rotors]), np.linalg.pinv(B)
    own = w_c[[KIND[row] for row in rows]]
    K0, K1 = own**2, math.sqrt(2) * own
    made = RotorForce(
        period, frozen(B), frozen(right), frozen(math.sqrt(2) * w_c[0] * (np.eye(len(kappa)) - right @ B)),
        frozen(E[rows]), K0, K1, frozen(kappa), frozen(low), frozen(high), heading != "dynamic",
    )  # fmt: skip
    if YAW in rows and heading != "static":
        yaw = rows.index(YAW)
        p_4 = float(lead(made, vehicle.hover_speed)[yaw, yaw])
        if p_4 > period:
            K0[yaw] = w_c[2] / p_4
            K1[yaw] = 1 / p_4 if heading == "dynamic" else w_c[2] + 1 / p_4
    made = made._replace(K0=frozen(K0), K1=frozen(K1))
    for speed in (vehicle.hover_speed, low, high):
        growth = float(np.abs(rotor_force_poles(made, speed)).max())
        if growth >= 1:
            wrong = [
                f"{COMPONENTS[row]!r} (p = {p:.2g} s)"
                for row, p in zip(rows, np.diag(lead(made, speed)), strict=True)
                if p < -period
            ]
            raise ModelError(
                f"the filter of forces on vehicle {vehicle.name!r} does not settle at {np.round(speed, 1)} rad/s: its "
                f"worst motion grows by {growth:.4g} per period of {period:g} s.\nLower the cutoffs, got "
                f"{w_c / (2 * math.pi)} Hz, or the period."
                + (f"\nRotors that speed up turn it the wrong way first in {', '.join(wrong)}." if wrong else "")
            )
    return made


def lead(p: RotorForce, speed: ArrayLike) -> Array:
    """P (r, r) = -E diag(1/(2 κ_F ϖ)) B⁺ [s] at speeds [rad/s]: Δf = (1 + P d/dt) B ΔF; p_1 to p_4 of (5.41)."""
    w = np.broadcast_to(finite_array(speed, "speed [rad/s]"), p.kappa_F.shape)
    return np.asarray(-(p.E / (2 * p.kappa_F * w)) @ p.B_right)


def rotor_force_poles(p: RotorForce, speed: ArrayLike) -> NDArray[np.complex128]:
    """Roots (2r,) z of the filter about speeds [rad/s] that stay: 1 + T λ of λ² + (K_1 + K_0 P) λ + K_0."""
    r = len(p.K0)
    P = np.zeros((r, r)) if p.static else lead(p, speed)
    A = np.block([[np.zeros((r, r)), np.eye(r)], [-np.diag(p.K0), -np.diag(p.K1) - p.K0[:, None] * P]])
    return np.asarray(1 + p.T_S * np.linalg.eigvals(A), dtype=np.complex128)


def rotor_force_start(p: RotorForce, speed: ArrayLike) -> Array:
    """State of the filter where rotors turn steadily at speeds [rad/s]."""
    w = np.clip(np.broadcast_to(finite_array(speed, "speed [rad/s]"), p.kappa_F.shape), p.speed_min, p.speed_max)
    return np.concatenate([w, p.K1 * (p.B @ (p.kappa_F * w**2))])


def filter_rotor_force(p: RotorForce, x: Array, wanted: Array) -> Array:
    """State at k + 1 by (5.36), (5.37) for f_D[k]; its first n numbers are the speeds ϖ̂_D[k+1] [rad/s]."""
    out = np.empty(len(x))
    put_rotor_force(p, x, wanted, np.zeros(len(p.kappa_F)), np.empty(len(x)), out)
    return out


def put_rotor_force(p: RotorForce, x: Array, wanted: Array, shared: Array, work: Array, out: Array) -> None:
    """The same into an array; shared: F_N (n,).   work: as long as the state, memory."""
    n, r = len(p.kappa_F), len(p.K0)
    for i in range(n):
        work[i] = p.kappa_F[i] * x[i] * x[i]
    for j in range(r):
        work[n + j] = 0.0
        for i in range(n):
            work[n + j] += p.B[j, i] * work[i]
    cut = False
    for i in range(n):
        change = 0.0
        for j in range(r):
            change += p.B_right[i, j] * (x[n + j] - p.K1[j] * work[n + j])
        for k in range(n):
            change -= p.rest[i, k] * (work[k] - shared[k])
        aim = x[i] + p.T_S * change / (2.0 * p.kappa_F[i] * x[i])
        out[i] = min(max(aim, p.speed_min[i]), p.speed_max[i])
        if out[i] != aim:
            cut = True
    for j in range(r):
        h, f = x[n + j], work[n + j]
        if cut:
            h = p.K1[j] * f
        for i in range(n):
            rate = (out[i] - x[i]) / p.T_S
            if cut:
                h += p.B[j, i] * 2.0 * p.kappa_F[i] * x[i] * rate
            if not p.static:
                f -= p.E[j, i] * rate
        out[n + j] = h + p.T_S * p.K0[j] * (wanted[j] - f)


def made_rotor_force(p: RotorForce, speeds: Array, rates: Array) -> Array:
    """Components f of the wrench by rotors at speeds [rad/s] that change by rates [rad/s²]; (5.34)."""
    return np.dot(p.B, p.kappa_F * speeds * speeds) - np.dot(p.E, rates)
