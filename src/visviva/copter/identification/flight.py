"""What only a flight tells: centre of mass, products of inertia, drag, and forces that nothing explains; Konz 5.2.3.

The first six rows of (5.8) are linear in 17 unknowns, s, Θ_xy, Θ_xz, Θ_yz, d_x, d_z, l̃_z = d_x l_z,
Υ̃_x = Υ_x + d_x l_z², Υ_z, τ_B, F_B, where mass, diagonal of Θ, rotors and servos are known. With momenta p = (M ξ)_1..6
they are

    ṗ + [ω̂ v̂; 0 ω̂] p + D V - N (0; Rᵀa_G) = f^P + f^B ,     N the inertia of the whole on twists V = (ω; v)

of which ṗ is estimated by Savitzky and Golay and the rest is averaged as the estimate does: no acceleration is needed.
What is known comes from `copter.models.equations`, at zero unknowns; the unknowns add N_i, D_i and f^B_i to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.signal import savgol_filter

from visviva._arrays import Array, finite_array, finite_number
from visviva._suggestions import helpful
from visviva.copter.identification.derivatives import SavitzkyGolay
from visviva.copter.identification.drives import SPARE
from visviva.copter.identification.identified import Identified
from visviva.copter.identification.least_squares import Fit, fit
from visviva.copter.identification.samples import sample_times, signal, speeds_in_radians
from visviva.copter.models.equations import Equations
from visviva.copter.vehicles.vehicle import Drag, Vehicle
from visviva.errors import ModelError
from visviva.geometry import SE3
from visviva.geometry.hat import skew
from visviva.geometry.moments import body_moments, matrix_of_moments
from visviva.mechanism.names import unknown_name

UNITS = {
    "s_x": "m", "s_y": "m", "s_z": "m", "Theta_xy": "kg m²", "Theta_xz": "kg m²", "Theta_yz": "kg m²",
    "d_x": "kg/s", "d_z": "kg/s", "l_tilde_z": "kg m/s", "Upsilon_tilde_x": "N m s", "Upsilon_z": "N m s",
    "tau_B_x": "N m", "tau_B_y": "N m", "tau_B_z": "N m", "F_B_x": "N", "F_B_y": "N", "F_B_z": "N",
}  # fmt: skip
EQUATIONS = ("τ_x [N m]", "τ_y [N m]", "τ_z [N m]", "F_x [N]", "F_y [N]", "F_z [N]")
TURN = 1e-2  # what rotations may be off by
FASTER = 1.5  # times the highest speed of a rotor
HELD = 0.1  # of the weight: a force F_B above is told
LEFT = 0.5  # of what is measured: a part above that nothing explains is told
ASTRAY = 0.3  # of omega: how far R may turn otherwise
SLOW = 0.1  # [rad/s]: rates of R that are not judged, beside three times their noise


@helpful
def identify_flight(
    vehicle: Vehicle,
    t: ArrayLike,
    R: ArrayLike,
    omega: ArrayLike,
    v: ArrayLike,
    speeds: ArrayLike,
    tilts: ArrayLike | None = None,
    tilt_rates: ArrayLike | None = None,
    *,
    known: Mapping[str, float] | None = None,
    speed_unit: str | None = None,
    window: int = 51,
    order: int = 3,
) -> Identified:
    """17 unknowns of a vehicle from a flight; of `vehicle` mass, diagonal of Θ, rotors, servos and gravity are taken.

    t:      [s], n of equal steps.   R: (n, 3, 3) attitudes, columns are axes of the body in the world.
    omega, v: (n, 3) angular velocity [rad/s] and velocity [m/s] of the origin, both in axes of the body.
    speeds: (n, rotors) ϖ [rad/s] at the times t.
    tilts, tilt_rates: (n, servos) θ, θ̇ [rad, rad/s]; without rates, θ is derived.
    known:  values of unknowns that are not looked for, by name: {"s_z": 0.0}.
    speed_unit: "rad/s", "rpm" or "Hz" of `speeds`.
    window, order: of the derivatives by Savitzky and Golay, in samples.

    Drag has d_y = d_x, Υ_y = Υ_x and its centre on z, as (5.4). Without tilting rotors, the only force across them is
    drag: s_z and l_z then act alike, and known={"s_z": 0.0} counts heights from the centre of mass.

    Errors: R does not turn with omega.   Remarks: F_B is above 10 % of the weight, or half of a force is unexplained.
    """
    times, T = sample_times(t, SPARE + window)
    n, sigma, sg = len(times), len(vehicle.tilting), SavitzkyGolay(window, order, T, 1)
    turn = _rotations(R, n)
    V = np.concatenate([signal(omega, "omega [rad/s]", n, 3), signal(v, "v [m/s]", n, 3)], axis=1)
    _require_turning(sg, turn, V[:, :3])
    spins = _speeds(vehicle, speeds, speed_unit, n)
    if sigma and tilts is None:
        raise ModelError(f"{sigma} rotors of vehicle {vehicle.name!r} tilt: give tilts (n, {sigma}).")
    theta = np.zeros((n, 0)) if tilts is None else signal(tilts, "tilts [rad]", n, sigma)
    if tilt_rates is None:
        theta_dot = savgol_filter(theta, window, order, deriv=1, delta=T, axis=0) if sigma else theta
    else:
        theta_dot = signal(tilt_rates, "tilt_rates [rad/s]", n, sigma)
    held = _known(known)
    names = [name for name in UNITS if name not in held]
    gravity = np.array([0.0, 0.0, -vehicle.gravity])
    inertias, drags = _inertias(vehicle.mass), _drags()

    def terms(signals: Sequence[Array]) -> dict[str, Array]:
        V, down = signals[0], signals[1] @ gravity  # rows of Rᵀ are smoothed as the rest is
        cross, zero = -np.swapaxes(SE3.ad(V), -1, -2), np.zeros((n, 3))
        found = dict[str, Array]()
        for name, N in inertias.items():
            p = V @ N
            rest = np.einsum("tij,tj->ti", cross, p) - np.concatenate([zero, down], axis=1) @ N
            found[name] = sg.derivative(p) + sg.mean(rest)
        for name, D in drags.items():
            found[name] = sg.mean(V @ D)
        for j, name in enumerate(list(UNITS)[-6:]):
            found[name] = np.broadcast_to(-np.eye(6)[j], (n - window + 1, 6))
        return found

    signals = [V, np.swapaxes(turn, 1, 2)]
    momentum, rest = _explained(_without_unknowns(vehicle), turn, V, theta, theta_dot, spins)
    y = -(sg.derivative(momentum) + sg.mean(rest))
    own = terms(signals)
    y = y - sum((value * own[name] for name, value in held.items()), np.zeros_like(y))
    found = fit(
        lambda given: np.stack([terms(given)[name] for name in names], axis=-1),
        y, signals, [sg.noise(x) for x in signals], names, [UNITS[name] for name in names], window,
    )  # fmt: skip
    return _result(vehicle, names, held, found, sg.middle(times), y)


@helpful
def identified_vehicle(vehicle: Vehicle, flight: Identified) -> Vehicle:
    """The vehicle with what a flight told of it.

    A negative Υ_x, as in Table 5.1, would make the air drive the vehicle: it becomes 0.
    """
    missing = [name for name in (*UNITS, "l_z", "Upsilon_x") if name not in flight.values]
    if missing:
        raise ModelError(f"{flight.title!r} does not tell {', '.join(missing)}: it must be from identify_flight.")
    x = flight.values
    Theta = np.diag(np.diag(vehicle.inertia))
    for i, j, name in ((0, 1, "Theta_xy"), (0, 2, "Theta_xz"), (1, 2, "Theta_yz")):
        Theta[i, j] = Theta[j, i] = x[name]
    turning = max(x["Upsilon_x"], 0.0)
    return replace(
        vehicle,
        com=np.array([x["s_x"], x["s_y"], x["s_z"]]),
        inertia=Theta,
        drag=Drag(
            d=np.array([x["d_x"], x["d_x"], x["d_z"]]),
            centre=np.array([0.0, 0.0, x["l_z"]]),
            Upsilon=np.array([turning, turning, max(x["Upsilon_z"], 0.0)]),
        ),
        bias=np.array([x[name] for name in list(UNITS)[-6:]]),
    )


def _result(
    vehicle: Vehicle, names: Sequence[str], held: Mapping[str, float], found: Fit, at: Array, y: Array
) -> Identified:
    """Values of all unknowns, and l_z and Υ_x that follow from them."""
    values = dict(zip(names, map(float, found.x), strict=True)) | dict(held)
    half = dict(zip(names, map(float, found.half), strict=True)) | dict.fromkeys(held, 0.0)
    d, l, Y = (values[name] for name in ("d_x", "l_tilde_z", "Upsilon_tilde_x"))
    remarks = _remarks(vehicle, np.array([values[name] for name in list(UNITS)[-3:]]), found, y)
    if d > 0:
        C, bias = np.zeros((len(UNITS), len(UNITS))), np.zeros(len(UNITS))
        at_names = [list(UNITS).index(name) for name in names]
        C[np.ix_(at_names, at_names)], bias[at_names] = found.covariance, found.bias
        slopes = np.zeros((2, len(UNITS)))
        where = [list(UNITS).index(name) for name in ("d_x", "l_tilde_z", "Upsilon_tilde_x")]
        slopes[:, where] = [[-l / d**2, 1 / d, 0], [l**2 / d**2, -2 * l / d, 1]]
        values |= {"l_z": l / d, "Upsilon_x": Y - l**2 / d}
        own = found.quantile * np.sqrt(np.diag(slopes @ C @ slopes.T)) + np.abs(slopes @ bias)
        half |= {"l_z": float(own[0]), "Upsilon_x": float(own[1])}
        if values["Upsilon_x"] < 0:
            remarks.append("Υ_x < 0: the air would drive the vehicle. identified_vehicle() takes 0.")
    else:
        remarks.append("d_x is not positive: the air would drive the vehicle, and l_z and Υ_x have no meaning.")
    units = UNITS | {"l_z": "m", "Upsilon_x": "N m s"}
    order = [name for name in units if name in values]
    return Identified(
        f"flight of {vehicle.name}",
        {name: values[name] for name in order},
        {name: half[name] for name in order},
        {name: units[name] for name in order},
        at,
        "time [s]",
        EQUATIONS,
        y,
        found.residuals,
        tuple(remarks),
    )


def _remarks(vehicle: Vehicle, F_B: Array, found: Fit, y: Array) -> list[str]:
    """What speaks against units, axes or clocks of a recording."""
    remarks, weight, force = list[str](), vehicle.mass * vehicle.gravity, float(np.linalg.norm(F_B))
    if force > HELD * weight:
        remarks.append(
            f"F_B is {force:.3g} N of a weight of {weight:.3g} N: too much for what nothing explains. See whether "
            "speeds are in rad/s (speed_unit), whether mass and κ_F are those of this vehicle, and whether z of R and "
            "v is up (NED and FRD have it down)."
        )
    moving = y - y.mean(axis=0)
    left = np.mean(found.residuals[:, 3:] ** 2, axis=0) > LEFT**2 * np.mean(moving[:, 3:] ** 2, axis=0)
    if left.any():
        named = ", ".join(name for name, some in zip(EQUATIONS[3:], left, strict=True) if some)
        remarks.append(
            f"more than half of {named} is unexplained: noise, or v is not in axes of the body, or the signals are not "
            "on one clock."
        )
    return remarks


def _require_turning(sg: SavitzkyGolay, R: Array, omega: Array) -> None:
    """Ṙ = R ω̂, both averaged alike."""
    turning = sg.mean(R @ skew(omega))
    rates = [float(np.sqrt(np.sum(x**2, axis=(1, 2)).mean() / 2)) for x in (turning, sg.derivative(R) - turning)]
    noise = float(np.sqrt(np.sum(sg.derivative_noise(R) ** 2) / 2))
    if rates[1] > max(ASTRAY * rates[0], 3 * noise, SLOW):
        raise ModelError(
            f"attitudes R do not turn with omega: rates are off by {rates[1]:.3g} rad/s of {rates[0]:.3g} rad/s.\n"
            "Columns of R are axes of the body in the world; omega is in rad/s (np.deg2rad), in axes of the body and "
            "on the clock of R.\nLogs in NED and FRD are turned as a whole: T R T and T omega, T = diag(1, -1, -1)."
        )


def _explained(
    vehicle: Vehicle, R: Array, V: Array, theta: Array, theta_dot: Array, spins: Array
) -> tuple[Array, Array]:
    """Momenta (n, 6), and what else there is in the first six rows, without ṗ."""
    eqs = Equations(vehicle)
    xi = np.concatenate([V, theta_dot, spins], axis=1)
    momentum, rest = np.empty((len(V), 6)), np.empty((len(V), 6))
    none = np.zeros(spins.shape[1])
    for k, x in enumerate(xi):
        momentum[k] = (eqs.M(theta[k]) @ x)[:6]
        gyroscopic = eqs.c(theta[k], x) - eqs.M_rate(theta[k], x) @ x
        rest[k] = (gyroscopic - eqs.forces(R[k], theta[k], x, none, theta[k]))[:6]
    return momentum, rest


def _without_unknowns(vehicle: Vehicle) -> Vehicle:
    return replace(
        vehicle, com=np.zeros(3), inertia=np.diag(np.diag(vehicle.inertia)), bias=np.zeros(6),
        drag=Drag(np.zeros(3), np.zeros(3), np.zeros(3)),
    )  # fmt: skip


def _inertias(mass: float) -> dict[str, Array]:
    """∂N (6, 6) by components of s and by products of inertia."""
    none = matrix_of_moments(body_moments(mass, np.zeros(3), np.zeros((3, 3))))
    found = dict[str, Array]()
    for j, name in enumerate(("s_x", "s_y", "s_z")):
        found[name] = matrix_of_moments(body_moments(mass, np.eye(3)[j], np.zeros((3, 3)))) - none
    for i, j, name in ((0, 1, "Theta_xy"), (0, 2, "Theta_xz"), (1, 2, "Theta_yz")):
        Theta = np.zeros((3, 3))
        Theta[i, j] = Theta[j, i] = 1.0
        found[name] = matrix_of_moments(body_moments(mass, np.zeros(3), Theta)) - none
    return found


def _drags() -> dict[str, Array]:
    """∂D (6, 6) of (5.4), that of `Drag.matrix`, by the five unknowns in which it is linear."""
    across, up = np.diag([1.0, 1.0, 0.0]), np.diag([0.0, 0.0, 1.0])
    zero, lever = np.zeros((3, 3)), skew(np.array([0.0, 0.0, 1.0])) @ across
    return {
        "d_x": np.block([[zero, zero], [zero, across]]),
        "d_z": np.block([[zero, zero], [zero, up]]),
        "l_tilde_z": np.block([[zero, lever], [lever.T, zero]]),
        "Upsilon_tilde_x": np.block([[across, zero], [zero, zero]]),
        "Upsilon_z": np.block([[up, zero], [zero, zero]]),
    }


def _known(given: Mapping[str, float] | None) -> dict[str, float]:
    for name in given or {}:
        if name not in UNITS:
            raise unknown_name(name, UNITS, "the list of unknowns of a flight")
    return {name: finite_number(value, f"known {name} [{UNITS[name]}]") for name, value in (given or {}).items()}


def _rotations(R: ArrayLike, n: int) -> Array:
    turn = finite_array(R, "attitudes R", (3, 3))
    if turn.shape != (n, 3, 3):
        raise ModelError(f"attitudes R must have shape ({n}, 3, 3), one for each time, got {turn.shape}.")
    off = np.abs(np.swapaxes(turn, 1, 2) @ turn - np.eye(3)).max(axis=(1, 2))
    bad = int(np.argmax(off))
    if off[bad] > TURN or (np.linalg.det(turn) < 0).any():
        raise ModelError(f"attitudes R must be rotations, RᵀR = 1 and det R = 1: that of sample {bad} is\n{turn[bad]}.")
    return turn


def _speeds(vehicle: Vehicle, speeds: ArrayLike, unit: str | None, n: int) -> Array:
    spins = speeds_in_radians(signal(speeds, "speeds", n, len(vehicle.rotors)), unit, "speeds of the rotors")
    for j, rotor in enumerate(vehicle.rotors):
        if spins[:, j].max() > FASTER * rotor.speeds[1]:
            raise ModelError(
                f"rotor {rotor.name!r} turns with {spins[:, j].max():.4g} rad/s, and its highest speed is "
                f"{rotor.speeds[1]:.4g} rad/s.\nAre speeds in rpm? Say speed_unit='rpm'."
            )
        if spins[:, j].max() < rotor.speeds[0]:
            raise ModelError(
                f"rotor {rotor.name!r} turns with {spins[:, j].max():.4g} rad/s at most, and its lowest speed is "
                f"{rotor.speeds[0]:.4g} rad/s.\nAre speeds in Hz? Say speed_unit='Hz'."
            )
    return spins
