"""Where the electrical work of a flight with perfect state goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.copter.gyrostat import gyrostat

if TYPE_CHECKING:
    from visviva.copter.flight import Flight


def rigid_energies(flight: Flight) -> dict[str, Array]:
    """Rows of `vv.copter.energies` [J] at nodes, of rotors that turn steadily at each speed.

        electrical + wind = stored + wake + drag + bearings + winding,     battery = electrical + sag

    wake: what all rotors do to the air, along and across their axes. Inertia of propellers is in none of the rows.
    """
    run, p, own = flight.run, gyrostat(flight.vehicle), flight.vehicle
    h, w = np.diff(run.t), np.sqrt(flight.thrusts / p.kappa_F)
    i = (p.kappa_T * w * w + p.tau_MB) / p.k_M
    winding, turning = (p.resistance * i * i).sum(axis=1), (p.k_M * i * w).sum(axis=1)
    of_rotors, of_body = _wind_powers(flight)
    found = {
        "electrical": _sum(winding + turning, h),
        "wind": _sum(of_rotors + of_body, h),
        "stored": run["energy"] - run["energy"][0],
        "wake": _sum((p.kappa_T * w**3).sum(axis=1) + of_rotors, h) - run["rotors.work"],
        "drag": _sum(of_body, h) - run["craft_air.work"],
        "bearings": _sum((p.tau_MB * w).sum(axis=1), h),
        "winding": _sum(winding, h),
    }
    if own.battery is not None:
        I = own.battery.current(winding + turning)
        found["battery"] = _sum(own.battery.open_circuit * I, h)
        found["sag"] = _sum(own.battery.resistance * I * I, h)
    return found


def _wind_powers(flight: Flight) -> tuple[Array, Array]:
    """f·w of rotors and body in steps."""
    run, own, around = flight.run, flight.vehicle, flight.around
    if not around:
        return np.zeros(len(run.t_mid)), np.zeros(len(run.t_mid))
    r, R = run["craft.r"], run["craft.R"].reshape(-1, 3, 3)
    w = np.array([around.wind(float(t), x) for t, x in zip(run.t[:-1], r[:-1], strict=True)])
    wind = np.einsum("nij,ni->nj", 0.5 * (R[1:] + R[:-1]), w)  # in axes of the body
    body = run["craft_air.u"][:, 3:] - own.bias[3:]
    return (run["rotors.u"][:, 3:] * wind).sum(axis=1), (body * wind).sum(axis=1)


def _sum(power: Array, h: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(power * h)])
