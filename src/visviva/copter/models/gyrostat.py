"""The equations of motion of a multicopter in plain functions of arrays: `Equations` in Python, plants compiled.

See `copter.models.equations` for the symbols. p are the constants of a vehicle. What ends in a result takes memory for
it as its last argument: steps of a plant make no arrays.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.copter.vehicles.battery import supply
from visviva.copter.vehicles.blades import BladeEffects, blade_effects
from visviva.copter.vehicles.vectors import (
    Vector,
    add_vector,
    cross,
    dot,
    minus,
    plus,
    put_product,
    put_vector,
    row_of,
    times,
    turned_back,
    vector_at,
)
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


def put_mass_matrix(p: Gyrostat, H: Array, M: Array) -> None:
    """M (5.9a) at thrust axes H."""
    n = len(p.servo)
    at = len(p.M) - n
    for i in range(len(p.M)):
        for j in range(len(p.M)):
            M[i, j] = p.M[i, j]
    for i in range(n):
        for k in range(3):
            M[k, at + i] = M[at + i, k] = H[i, k] * p.momentum[i]


def put_momentum(p: Gyrostat, H: Array, xi: Array, out: Array) -> None:
    """M ξ."""
    n = len(p.servo)
    at, w = len(p.M) - n, vector_at(xi, 0)
    put_product(p.M, xi, out)
    for i in range(n):
        h = row_of(H, i)
        add_vector(out, 0, times(p.momentum[i] * xi[at + i], h))
        out[at + i] += p.momentum[i] * dot(h, w)


def put_coriolis(p: Gyrostat, momentum: Array, slopes: Array, xi: Array, c: Array) -> None:
    """c (5.9b): Coriolis, centrifugal and gyroscopic forces; momentum: M ξ."""
    n = len(p.servo)
    at, w, v = len(xi) - n, vector_at(xi, 0), vector_at(xi, 3)
    turning, moving = vector_at(momentum, 0), vector_at(momentum, 3)
    put_vector(c, 0, plus(cross(w, turning), cross(v, moving)))
    put_vector(c, 3, cross(w, moving))
    for i in range(6, len(c)):
        c[i] = 0.0
    for i in range(n):
        j = p.servo[i]
        if j >= 0:
            slope, spin = row_of(slopes, i), xi[at + i]
            along = p.momentum[i] * dot(slope, w)
            add_vector(c, 0, times(p.momentum[i] * xi[6 + j] * spin, slope))
            c[6 + j] -= along * spin
            c[at + i] += along * xi[6 + j]


def put_applied(
    p: Gyrostat, R: Array, H: Array, theta: Array, xi: Array, currents: Array, wanted: Array, around: Array, f: Array
) -> None:  # fmt: skip
    """f^P + f^U + f^B - D ξ - f^G at an attitude R; ξ against the air.

    around: (4,) wind in world axes at the origin of the body, and the height of that above the ground.
    """
    n = len(p.servo)
    at, w, v = len(xi) - n, vector_at(xi, 0), moving_air(R, xi, around)
    weight = -p.weight * R[2, 0], -p.weight * R[2, 1], -p.weight * R[2, 2]
    put_air_drag(p, w, v, f)
    add_vector(f, 0, cross(vector_at(p.com, 0), weight))
    add_vector(f, 3, weight)
    for i in range(6, at):
        f[i] = 0.0
    put_motor_currents(p, xi, currents, f)
    for i in range(n):
        spin, j = xi[at + i], p.servo[i]
        f[at + i] = p.k_M[i] * f[at + i] - p.tau_MB[i] * np.sign(spin) - p.kappa_T[i] * spin * abs(spin)
        if j >= 0:
            f[6 + j] += p.k_P[j] * (wanted[j] - theta[j]) - p.k_D[j] * xi[6 + j]
        add_thrust(p, i, H, spin * spin, f)
        add_blade(p, i, R, H, w, v, spin, around[3], f)


def put_air_drag(p: Gyrostat, w: Vector, v: Vector, f: Array) -> None:
    """The bias less the drag of a body that turns with ω and moves with v against the air, (6,)."""
    for i in range(6):
        f[i] = p.bias[i] - dot(row_of(p.drag, i), w)
        f[i] -= p.drag[i, 3] * v[0] + p.drag[i, 4] * v[1] + p.drag[i, 5] * v[2]


def add_thrusts(p: Gyrostat, H: Array, squares: Array, f: Array) -> None:
    """Those of all rotors with squares ϖ², on f: (m; f) about the origin."""
    for i in range(len(p.servo)):
        add_thrust(p, i, H, squares[i], f)


def add_thrust(p: Gyrostat, i: int, H: Array, square: float, f: Array) -> None:
    """The wrench κ_F ϖ² (r × h - ε κ_T/κ_F h; h) of rotor i, on f: (m; f) about the origin."""
    F, h = p.kappa_F[i] * square, row_of(H, i)
    arm = cross(row_of(p.position, i), h)
    add_vector(f, 0, times(F, minus(arm, times(p.length[i], h))))
    add_vector(f, 3, times(F, h))


def motor_currents(p: Gyrostat, xi: Array, currents: Array) -> Array:
    """What flows of the currents that are wanted, at ξ."""
    f = np.empty(len(xi))
    put_motor_currents(p, xi, currents, f)
    return f[len(xi) - len(currents) :]


def put_motor_currents(p: Gyrostat, xi: Array, currents: Array, f: Array) -> float:
    """What flows of the currents that are wanted, at the places of f where ξ has the speeds; I of a battery."""
    n = len(currents)
    at = len(xi) - n
    if p.supply[0] < np.inf:
        return supply(p.supply[0], p.supply[1], p.k_M, p.resistance, xi[at:], currents, f[at:])[1]
    for i in range(n):
        f[at + i] = currents[i]
    return 0.0


def moving_air(R: Array, xi: Array, around: Array) -> Vector:
    """v of the body against the air, in its axes."""
    return minus(vector_at(xi, 3), turned_back(R, vector_at(around, 0)))


def air_twist(R: Array, xi: Array, around: Array) -> Array:
    """(ω; v) of the body against the air, in its axes."""
    V = xi[:6].copy()
    put_vector(V, 3, moving_air(R, xi, around))
    return V


def add_blades(p: Gyrostat, R: Array, H: Array, through: Array, spins: Array, height: float, f: Array) -> None:
    """What blades and ground add to κ_F ϖ² h, on f: (m; f) about the origin, and moments of tilts behind these."""
    w, v = vector_at(through, 0), vector_at(through, 3)
    for i in range(len(p.servo)):
        add_blade(p, i, R, H, w, v, spins[i], height, f)


def add_blade(
    p: Gyrostat, i: int, R: Array, H: Array, w: Vector, v: Vector, spin: float, height: float, f: Array
) -> None:  # fmt: skip
    """The same of rotor i."""
    b = p.blades
    if b[i, 0] == 0 and b[i, 1] == 0 and b[i, 2] == 0 and b[i, 3] == 0 and b[i, 4] == 0:
        return
    own, h = rotor_effects(p, i, R, row_of(H, i), w, v, spin, height), row_of(H, i)
    force, j = plus(own.force, times(own.more, h)), p.servo[i]
    add_vector(f, 0, plus(own.moment, cross(row_of(p.position, i), force)))
    add_vector(f, 3, force)
    if 0 <= j < len(f) - 6:
        tilt_axis = cross(row_of(p.axis, i), row_of(p.across, i))
        f[6 + j] += dot(tilt_axis, own.moment)


def rotor_effects(
    p: Gyrostat, i: int, R: Array, h: Vector, w: Vector, v: Vector, spin: float, height: float
) -> BladeEffects:
    """Of rotor i, in axes of the body, whose origin moves with v against the air."""
    r, up = row_of(p.position, i), row_of(R, 2)
    own = plus(v, cross(w, r))
    return blade_effects(p.blades[i], p.kappa_F[i], h, spin, own, height + dot(up, r), dot(up, h))


# ---- the same with arrays of their own


def mass_matrix(p: Gyrostat, H: Array) -> Array:
    """M (5.9a) at thrust axes H."""
    M = np.empty_like(p.M)
    put_mass_matrix(p, H, M)
    return M


def coriolis(p: Gyrostat, H: Array, slopes: Array, xi: Array) -> Array:
    """c (5.9b)."""
    momentum, c = np.empty(len(xi)), np.empty(len(xi))
    put_momentum(p, H, xi, momentum)
    put_coriolis(p, momentum, slopes, xi, c)
    return c


def applied(
    p: Gyrostat, R: Array, H: Array, theta: Array, xi: Array, currents: Array, wanted: Array, around: Array
) -> Array:
    """See `put_applied`."""
    f = np.empty(len(xi))
    put_applied(p, R, H, theta, xi, currents, wanted, around, f)
    return f
