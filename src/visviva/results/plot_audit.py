"""The picture of the audit: both laws, the constraints and the work of Newton, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.results.audit import CONSTRAINT
from visviva.results.plot_style import bounded, closure, lighten
from visviva.results.run import FIRST_LAW

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from visviva.results.run import Run


def plot_audit(run: Run) -> Figure:
    """One row for each figure of the audit; what is not measured is left out."""
    import matplotlib.pyplot as plt

    rows = [closure]
    if run.model.dissipations:
        rows.append(_second_law)
    if run.model.has_g.any() or run.model.closures:
        rows.append(_constraints)
    rows.append(_newton)
    figure, axes = plt.subplots(
        len(rows), 1, figsize=(7.5, 1.0 + 1.4 * len(rows)), sharex=True, squeeze=False, layout="constrained"
    )
    for row, place in zip(rows, axes[:, 0], strict=True):
        row(run, place)
        lighten(place)
    axes[0, 0].set_title(f"{run.model.name}: audit of every step", loc="left", parse_math=False)
    axes[-1, 0].set_xlabel("time [s]")
    return figure


def _second_law(run: Run, axes: Axes) -> None:
    """Entropy of all components per step, and the steps in which one component destroyed entropy."""
    made, worst = run.record.heat.sum(-1) / run.model.theta0, run["second_law"]
    _dots(axes, run.t_mid, made, "black", "produced by all")
    backwards = worst < -FIRST_LAW * run.energy_unit / run.model.theta0
    if backwards.any():
        _dots(axes, run.t_mid[backwards], -worst[backwards], "tab:red", "destroyed by one ✗")
        axes.legend(loc="best", frameon=False, fontsize="small")
    axes.set_ylabel("entropy\nper step [J/K]")


def _constraints(run: Run, axes: Axes) -> None:
    """Largest violation of a constraint at the end of each step, relative to the terms that cancel in it."""
    bounded(axes, run.t_mid, run.record.g, CONSTRAINT if run.model.has_g.any() else None)
    axes.set_ylabel("constraints,\nper step")


def _newton(run: Run, axes: Axes) -> None:
    axes.plot(run.t_mid, run.record.iterations / run.record.count, ".", ms=2, color="black")
    axes.set_ylim(bottom=0)
    axes.set_ylabel("Newton\niterations")


def _dots(axes: Axes, t: Array, values: Array, colour: str, label: str) -> None:
    """Positive values on a logarithmic scale; zeros lie on its lower end."""
    least = float(values[values > 0].min(initial=np.inf))
    floor = max(least, 1e-18 * float(values.max(initial=0.0))) if np.isfinite(least) else 1e-18
    axes.semilogy(t, np.maximum(values, floor), ".", ms=2, color=colour, label=label)
