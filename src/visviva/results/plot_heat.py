"""The picture of heat: entropy produced by component, one on top of the other."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from visviva.errors import ModelError
from visviva.results.plot_style import lighten, name_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.results.run import Run

MOST = 9  # colours that can be told apart; smaller ones are put together


def plot_heat(run: Run) -> Figure:
    """Entropy since the start, stacked; the scale on the right is the exergy that it cost, θ0 S."""
    import matplotlib.pyplot as plt

    names = dict.fromkeys(part.name for part in run.model.dissipations)
    if not names:
        raise ModelError(f"nothing in {run.model.name!r} produces entropy: run.plot('heat') has nothing to show.")
    made = {name: run[f"entropy.{name}"] for name in sorted(names, key=lambda name: -run[f"entropy.{name}"][-1])}
    if len(made) > MOST:
        small = list(made)[MOST - 1 :]
        made[f"{len(small)} others"] = np.sum([made.pop(name) for name in small], axis=0)
    figure, axes = plt.subplots(figsize=(7.5, 4.0), layout="constrained")
    axes.stackplot(run.t, *made.values(), labels=list(made), lw=0, alpha=0.85)
    axes.plot(run.t, run["entropy"], color="black", lw=1.2)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("entropy produced [J/K]")
    name_axes(axes, f"{run.model.name}: entropy produced", beside=0.14)
    theta0 = run.model.theta0
    right = axes.secondary_yaxis("right", functions=(partial(np.multiply, theta0), partial(np.multiply, 1.0 / theta0)))
    right.set_ylabel(f"exergy destroyed at {theta0:g} K [J]")
    lighten(axes)
    return figure
