"""The picture of the energy of a flight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.results.plot_style import bounded, lighten, name_axes
from visviva.results.run import FIRST_LAW

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.copter.energy.energy_audit import EnergyAudit

AVERAGED = 0.02  # [s], shorter than anything that a vehicle does
SMALL = 5e-3  # of the largest power: what is not drawn
COLOURS = {
    "motors": "tab:blue", "battery": "tab:blue", "servos": "tab:cyan", "bias": "0.5", "gust": "tab:olive",
    "wind": "turquoise", "wake": "tab:brown", "blades": "chocolate", "drag": "tab:green", "bearings": "tab:red",
    "windings": "tab:orange", "battery resistance": "gold", "servo dampers": "tab:pink", "stored": "tab:purple",
}  # fmt: skip


def plot_energies(audit: EnergyAudit) -> Figure:
    """Powers over time, what is spent below each other, and how exactly each step closes."""
    import matplotlib.pyplot as plt

    figure, (powers, closure) = plt.subplots(
        2, 1, figsize=(8.0, 5.0), sharex=True, layout="constrained", height_ratios=(3, 1)
    )
    every = max(1, round(AVERAGED / float(np.diff(audit.t).mean())))
    t = _means(0.5 * (audit.t[1:] + audit.t[:-1]), every)
    h = _means(np.diff(audit.t), every)
    drawn = {name: _means(work, every) / h for name, work in audit.supplied.items()}
    drawn |= {name: -_means(work, every) / h for name, work in audit.spent.items()}
    drawn["stored"] = -_means(np.diff(audit.energy), every) / h
    largest = max(float(np.abs(power).max()) for power in drawn.values())
    for name, power in drawn.items():
        if np.abs(power).max() > SMALL * largest:
            powers.plot(t, power, color=COLOURS[name], lw=1.0, label=name)
    powers.axhline(0.0, color="0.5", lw=0.8)
    powers.set_ylabel("supplied (+), taken (-) [W]")
    name_axes(powers, f"{audit.name}: {audit.how}")
    bounded(closure, audit.t[1:], np.abs(audit.closure) / audit.scale, FIRST_LAW)
    closure.set(xlabel="time [s]", ylabel="first law,\nper step")
    for axes in (powers, closure):
        lighten(axes)
    return figure


def _means(values: Array, every: int) -> Array:
    """Of so many in a row; the last ones that are fewer are left out."""
    count = max(1, len(values) // every)
    return np.asarray(values[: count * every].reshape(count, -1).mean(axis=1))
