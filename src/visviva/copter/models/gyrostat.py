"""The equations of motion of a multicopter in plain functions of arrays: `Equations` in Python, plants compiled.

See `copter.models.equations` for the symbols. p are the constants of a vehicle.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.copter.vehicles.battery import supply
from visviva.copter.vehicles.blades import blade_effects
from visviva.copter.vehicles.vectors import cross
from visviva.copter.vehicles.vehicle import Vehicle


class Gyrostat(NamedTuple):
    """Constants of n rotors and s servos."""

    M: Array  # (6 + s + n, 6 + s + n) without the coupling of spins to the body
    com: Array  # (3,)
    weight: float  # [N]
    drag: Array  # (6, 6)
    bias: Array  # (6,)
    position: Array  # (n, 3)
    axis: Array  # (n, 3) of thrusts at θ = 0
    across: Array  # (n, 3) at θ = 90°; 0 without servo
    servo: NDArray[np.int64]  # (n,) number of the servo of each rotor, -1 of none
    momentum: Array  # (n,) Θ_P ε
    length: Array  # (n,) ε κ_T/κ_F
    kappa_F: Array  # (n,)
    kappa_T: Array  # (n,)
    k_M: Array  # (n,)
    tau_MB: Array  # (n,)
    k_P: Array  # (s,)
    k_D: Array  # (s,)
    blades: Array  # (n, 5) see `copter.vehicles.blades`
    resistance: Array  # (n,)
    supply: Array  # (2,) U_0 and R_B of the battery, inf of none


def gyrostat(vehicle: Vehicle) -> Gyrostat:
    """Constants of a vehicle."""
    rotors, tilting = vehicle.rotors, vehicle.tilting
    s, n, battery = len(tilting), len(rotors), vehicle.battery
    servos = [servo for rotor in rotors if (servo := rotor.servo) is not None]
    M, across, number = np.zeros((6 + s + n, 6 + s + n)), np.zeros((n, 3)), np.full(n, -1)
    M[:6, :6] = vehicle.inertia_matrix
    for j, (i, servo) in enumerate(zip(tilting, servos, strict=True)):
        M[:3, 6 + j] = M[6 + j, :3] = servo.coupling * servo.axis
        M[6 + j, 6 + j] = servo.inertia
        across[i], number[i] = rotors[i].direction(math.pi / 2), j
    for i, rotor in enumerate(rotors):
        M[6 + s + i, 6 + s + i] = rotor.inertia
    return Gyrostat(
        M, np.array(vehicle.com), vehicle.weight, vehicle.drag.matrix, np.array(vehicle.bias),
        np.array([rotor.position for rotor in rotors]), np.array([rotor.axis for rotor in rotors]), across, number,
        np.array([rotor.inertia * rotor.spin for rotor in rotors]),
        np.array([rotor.spin * rotor.drag_length for rotor in rotors]),
        np.array([rotor.kappa_F for rotor in rotors]), np.array([rotor.kappa_T for rotor in rotors]),
        np.array([rotor.k_M for rotor in rotors]), np.array([rotor.tau_MB for rotor in rotors]),
        np.array([servo.k_P for servo in servos]), np.array([servo.k_D for servo in servos]),
        np.array([[rotor.drag, rotor.inflow, rotor.flapping, rotor.hub, rotor.radius] for rotor in rotors]),
        np.array([rotor.resistance for rotor in rotors]),
        np.array([np.inf, 0.0] if battery is None else [battery.open_circuit, battery.resistance]),
    )  # fmt: skip


def directions(p: Gyrostat, theta: Array, H: Array, slopes: Array) -> None:
    """Thrust axes h (n, 3), and ∂h/∂θ, at tilts θ."""
    for i in range(len(p.servo)):
        j = p.servo[i]
        c, s = (np.cos(theta[j]), np.sin(theta[j])) if j >= 0 else (1.0, 0.0)
        for k in range(3):
            H[i, k] = c * p.axis[i, k] + s * p.across[i, k]
            slopes[i, k] = c * p.across[i, k] - s * p.axis[i, k] if j >= 0 else 0.0


def mass_matrix(p: Gyrostat, H: Array) -> Array:
    """M (5.9a) at thrust axes H."""
    M, n = p.M.copy(), len(p.servo)
    at = len(p.M) - n
    for i in range(n):
        for k in range(3):
            M[k, at + i] = M[at + i, k] = H[i, k] * p.momentum[i]
    return M


def coriolis(p: Gyrostat, M: Array, slopes: Array, xi: Array) -> Array:
    """c (5.9b): Coriolis, centrifugal and gyroscopic forces."""
    n = len(p.servo)
    at, c, a = len(M) - n, np.zeros(len(M)), np.empty(3)
    momentum = np.dot(M[:6], xi)
    cross(xi[:3], momentum[:3], c[:3])
    cross(xi[3:6], momentum[3:6], a)
    cross(xi[:3], momentum[3:6], c[3:6])
    for k in range(3):
        c[k] += a[k]
    for i in range(n):
        j = p.servo[i]
        if j < 0:
            continue
        L, turn, spin, along = p.momentum[i], xi[6 + j], xi[at + i], 0.0
        for k in range(3):
            c[k] += L * slopes[i, k] * turn * spin
            along += L * slopes[i, k] * xi[k]
        c[6 + j] -= along * spin
        c[at + i] += along * turn
    return c


def applied(
    p: Gyrostat, R: Array, H: Array, theta: Array, xi: Array, currents: Array, wanted: Array, around: Array
) -> Array:
    """f^P + f^U + f^B - D ξ - f^G at an attitude R; ξ against the air.

    around: (4,) wind in world axes at the origin of the body, and the height of that above the ground.
    """
    n = len(p.servo)
    at, f, a, g = len(xi) - n, np.zeros(len(xi)), np.empty(3), np.empty(3)
    through, flows = air_twist(R, xi, around), motor_currents(p, xi[at:], currents)
    f[:6] = p.bias - np.dot(p.drag, through)
    for k in range(3):
        g[k] = -p.weight * R[2, k]
        f[3 + k] += g[k]
    cross(p.com, g, a)
    for k in range(3):
        f[k] += a[k]
    add_thrusts(p, H, xi[at:] ** 2, f)
    for i in range(n):
        spin = xi[at + i]
        f[at + i] = p.k_M[i] * flows[i] - p.tau_MB[i] * np.sign(spin) - p.kappa_T[i] * spin * abs(spin)
        j = p.servo[i]
        if j >= 0:
            f[6 + j] = p.k_P[j] * (wanted[j] - theta[j]) - p.k_D[j] * xi[6 + j]
    add_blades(p, R, H, through, xi[at:], around[3], f)
    return f


def add_thrusts(p: Gyrostat, H: Array, squares: Array, f: Array) -> None:
    """The wrench κ_F ϖ² (r × h - ε κ_T/κ_F h; h) of rotors with squares ϖ², on f: (m; f) about the origin."""
    arm = np.empty(3)
    for i in range(len(p.servo)):
        F = p.kappa_F[i] * squares[i]
        cross(p.position[i], H[i], arm)
        for k in range(3):
            f[k] += F * (arm[k] - p.length[i] * H[i, k])
            f[3 + k] += F * H[i, k]


def motor_currents(p: Gyrostat, spins: Array, currents: Array) -> Array:
    """What flows of the currents that are wanted."""
    flows = currents.copy()
    if p.supply[0] < np.inf:
        supply(p.supply[0], p.supply[1], p.k_M, p.resistance, spins, currents, flows)
    return flows


def air_twist(R: Array, xi: Array, around: Array) -> Array:
    """(ω; v) of the body against the air, in its axes."""
    V = xi[:6].copy()
    V[3:] -= np.dot(around[:3], R)
    return V


def add_blades(p: Gyrostat, R: Array, H: Array, through: Array, spins: Array, height: float, f: Array) -> None:
    """What blades and ground add to κ_F ϖ² h, on f: (m; f) about the origin, and moments of tilts behind these."""
    force, moment, arm = np.empty(3), np.empty(3), np.empty(3)
    for i in range(len(p.servo)):
        if not np.any(p.blades[i]):
            continue
        more = rotor_effects(p, i, R, H[i], through, spins[i], height, force, moment)
        for k in range(3):
            force[k] += more * H[i, k]
        cross(p.position[i], force, arm)
        for k in range(3):
            f[k] += moment[k] + arm[k]
            f[3 + k] += force[k]
        j = p.servo[i]
        if 0 <= j < len(f) - 6:
            cross(p.axis[i], p.across[i], arm)  # the tilt axis
            f[6 + j] += np.dot(arm, moment)


def rotor_effects(
    p: Gyrostat, i: int, R: Array, h: Array, through: Array, spin: float, height: float, force: Array, moment: Array
) -> float:
    """More thrust of rotor i, force in the plane of its blades and moment about its centre, in axes of the body."""
    v = through[:3].copy()
    cross(v, p.position[i], v)
    for k in range(3):
        v[k] += through[3 + k]
    above = height + np.dot(R[2], p.position[i])
    return blade_effects(p.blades[i], p.kappa_F[i], h, spin, v, above, np.dot(R[2], h), force, moment)


def rates(
    p: Gyrostat, R: Array, theta: Array, xi: Array, currents: Array, wanted: Array, wrench: Array, around: Array
) -> Array:
    """ξ̇, where a wrench (m; f) of nobody else acts too, in axes of the body about its origin."""
    H, slopes = np.empty((len(p.servo), 3)), np.empty((len(p.servo), 3))
    directions(p, theta, H, slopes)
    M = mass_matrix(p, H)
    right = applied(p, R, H, theta, xi, currents, wanted, around) - coriolis(p, M, slopes, xi)
    right[:6] += wrench
    return np.asarray(np.linalg.solve(M, right))
