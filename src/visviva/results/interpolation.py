"""A quantity between the nodes of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array, finite_number
from visviva.errors import ModelError
from visviva.geometry import SO3
from visviva.geometry.embedding import Flat
from visviva.geometry.linear import apply

if TYPE_CHECKING:
    from visviva.results.run import Run


def value_at(run: Run, t: float, name: str) -> Array:
    """Cubic Hermite where the rate of the quantity is known at the nodes, else linear.

    Rates are known for the positions of bodies, frames and particles, for rotations, joint coordinates, coordinates of
    Lagrangian systems, and for flat state variables of models without algebraic unknowns.
    """
    t, values = finite_number(t, "the time of run.at [s]"), run[name]
    times = run.t if len(values) == len(run.t) else run.t_mid
    if not len(times) or not times[0] <= t <= times[-1]:
        known = f"from t = {times[0]:g} to {times[-1]:g} s" if len(times) else "for this run made no step"
        raise ModelError(f"run.at({t:g}, {name!r}) lies outside of what is known, {known}.")
    if len(times) == 1:
        return values[0]
    k = int(np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2))
    h = float(times[k + 1] - times[k])
    s = (t - float(times[k])) / h
    stem, _, what = name.rpartition(".")
    if what == "R" and f"{stem}.twist" in run:
        return _rotation(values[k : k + 2], h * run[f"{stem}.twist"][k : k + 2, :3], s)
    rates = _rates(run, name, k) if run.recorded is None else None
    if rates is None:
        return np.asarray((1 - s) * values[k] + s * values[k + 1])
    return _hermite(values[k], values[k + 1], h * rates[0], h * rates[1], s)


def _hermite(y0: Array, y1: Array, d0: Array, d1: Array, s: float) -> Array:
    """The cubic with values y0, y1 and slopes d0, d1 at s = 0 and 1."""
    rise = y1 - y0
    return np.asarray(y0 + s * s * (3 - 2 * s) * rise + s * (1 - s) ** 2 * d0 - s * s * (1 - s) * d1)


def _rotation(R: Array, w: Array, s: float) -> Array:
    """R0 exp(φ(s)) with cubic φ from 0 to log(R0ᵀ R1); its slopes are ω0 and dexp⁻¹(φ1) ω1, in body axes."""
    R0, R1 = SO3(R[0]), SO3(R[1])
    turn = (R0.inverse() @ R1).log()
    slope = apply(SO3.dexp_inv(turn), w[1])
    return (R0 @ SO3.exp(_hermite(np.zeros(3), turn, w[0], slope, s))).R


def _rates(run: Run, name: str, k: int) -> Array | None:
    """Rates of a quantity at the nodes k and k + 1, if they are known."""
    stem, _, what = name.rpartition(".")
    two = slice(k, k + 2)
    if what == "r" and f"{stem}.twist" in run:
        return apply(run[f"{stem}.R"][two], run[f"{stem}.twist"][two, 3:])
    if what == "r" and f"{stem}.v" in run:
        return run[f"{stem}.v"][two]
    if what == "q" and f"{stem}.rate" in run:
        return run[f"{stem}.rate"][two]
    if run.model.coordinates:
        rate = {"q": "v"} | {coordinate: f"{coordinate}.rate" for coordinate in run.model.coordinates}
        return run[rate[name]][two] if name in rate else None
    return None if run.motion is not None else _state_rate(run, name, two)


def _state_rate(run: Run, name: str, nodes: slice) -> Array | None:
    """ẋ = (J - R) z + B u of a flat state variable, if nothing in it is algebraic (E = 1, no unknowns w)."""
    model = run.model
    variable = next((part for part in model.variables if part.name == name), None)
    flat = variable is not None and isinstance(variable.space, Flat)
    if not flat or name in model.kinetic or model.layout.solved > model.layout.dim:
        return None
    x = run.record.x[nodes]
    return np.asarray(model.flow(x, model.z(x), run.record.u[nodes])[:, model.layout.z[name]])
