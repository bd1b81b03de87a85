"""What the wind does on a vehicle in a run of its mechanism."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.copter.models.mechanism import carrier_axes, has_blades
from visviva.copter.vehicles.surroundings import Surroundings
from visviva.copter.vehicles.vehicle import Vehicle
from visviva.results import Run


def wind_powers(run: Run, vehicle: Vehicle, around: Surroundings) -> dict[str, Array]:
    """f·w [W] of each port of the air in steps."""
    r, R = _middle(run["craft.r"]), _middle(run["craft.R"].reshape(-1, 3, 3))
    w = np.array([around.wind(float(t), x) for t, x in zip(run.t_mid, r, strict=True)])
    wind = np.einsum("nij,ni->nj", R, w)  # in axes of the body
    found = {"craft_air": ((run["craft_air.u"][:, 3:] - vehicle.bias[3:]) * wind).sum(axis=1)}
    for rotor in vehicle.rotors:
        tilt = _middle(np.ravel(run[f"{rotor.name}_tilt.q"])) if rotor.servo is not None else np.zeros(len(w))
        h = np.array([rotor.direction(float(x)) for x in tilt])
        found[f"{rotor.name}_air"] = run[f"{rotor.name}_air.u"][:, 5] * (h * wind).sum(axis=1)
        if not has_blades(rotor):
            continue
        f = run[f"{rotor.name}_blades.u"][:, 3:]
        if rotor.servo is not None:
            f = np.einsum("nij,nj->ni", np.array([carrier_axes(rotor, each) for each in h]), f)
        found[f"{rotor.name}_blades"] = (f * wind).sum(axis=1)
    return found


def _middle(x: Array) -> Array:
    return np.asarray(0.5 * (x[1:] + x[:-1]))
