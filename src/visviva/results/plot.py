"""Pictures of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva._files import write_figure
from visviva.errors import ModelError
from visviva.results.plot_quantities import Path, lines_of, names_and_path, plot_lines
from visviva.results.plot_style import closure, lighten, name_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from visviva.results.run import Run

MANY = 6  # more components than this would hide each other


def plot(run: Run, names: tuple[str, ...], path: Path | None = None) -> Figure:
    """One of the pictures "energy", "heat", "audit", "motion", "tracking", or quantities by name and pattern."""
    from visviva.results.plot_audit import plot_audit
    from visviva.results.plot_heat import plot_heat
    from visviva.results.plot_motion import plot_motion

    pictures: dict[str, Callable[[Run], Figure]] = {
        "energy": _energy, "heat": plot_heat, "audit": plot_audit, "motion": plot_motion, "tracking": _tracking,
    }  # fmt: skip
    names, path = names_and_path(names, path, run)
    names = names or ("energy",)
    alone = [name for name in names if name in pictures and name not in run]
    if alone and len(names) > 1:
        raise ModelError(
            f"run.plot({alone[0]!r}) is a picture of its own, and no quantity to plot with\n"
            f"{_others(names, alone[0])}. Make two figures: one for it, and one for the quantities."
        )
    stateless = run.recorded is not None and names[0] in ("energy", "motion")
    if stateless and names[0] not in run:
        raise ModelError(
            f"the picture {names[0]!r} needs the states of all nodes, but record= of simulate() kept only\n"
            f"{', '.join(run.names)}: plot these, run.plot({run.names[0]!r}), or leave record= out."
        )
    if len(names) > 1 or names[0] not in pictures or stateless:
        return plot_lines(f"{run.model.name}: {', '.join(names)}", lines_of(run, *names), path)
    figure = pictures[names[0]](run)
    if path is not None:
        write_figure(path, figure, dpi=150)
    return figure


def _tracking(run: Run) -> Figure:
    """That of the tracking law of the run."""
    figure: Figure = run.tracking.plot()
    return figure


def _others(names: tuple[str, ...], name: str) -> str:
    return ", ".join(repr(other) for other in names if other != name)


def _energy(run: Run) -> Figure:
    """Above: stored energy by component, heat and work. Below: how exactly each step closes."""
    import matplotlib.pyplot as plt

    figure, (top, low) = plt.subplots(
        2, 1, figsize=(7.5, 5.5), sharex=True, height_ratios=(3, 1.2), layout="constrained"
    )
    if run.model.is_thermal:
        _thermal_lines(run, top)
    else:
        _mechanical_lines(run, top)
    name_axes(top, f"{run.model.name}: energy")
    closure(run, low)
    low.set_xlabel("time [s]")
    lighten(top)
    lighten(low)
    return figure


def _mechanical_lines(run: Run, axes: Axes) -> None:
    """Kinetic and potential energy, components, heat and work."""
    if run.model.kinetic:
        moving, resting = run.kinetic_and_potential()
        axes.plot(run.t, moving, color="tab:blue", lw=1.3, label="kinetic")
        axes.plot(run.t, resting, color="tab:orange", lw=1.3, label="potential")
    names = [name.removeprefix("energy.") for name in run.match("energy.*")]
    if 1 < len(names) <= MANY and not run.model.coordinates:  # whose components are these two
        for name, shade in zip(names, np.linspace(0.35, 0.75, len(names)), strict=True):
            axes.plot(run.t, run[f"energy.{name}"], color=str(shade), lw=0.9, label=f"of {name}")
    axes.plot(run.t, run["energy"], color="black", lw=1.8, label="stored, total")
    heats, works = run["heat"][-1] > 0, np.abs(run["work"]).max(initial=0.0) > 0
    if heats:
        axes.plot(run.t, run["heat"], color="tab:red", ls="--", label="heat to the environment")
    if works:
        axes.plot(run.t, run["work"], color="tab:green", ls="-.", label="work of the inputs")
    if heats or works:
        axes.plot(run.t, run["energy"] + run["heat"] - run["work"], color="black", ls=":", label="stored + heat − work")
    axes.set_ylabel("energy [J]")


def _thermal_lines(run: Run, axes: Axes) -> None:
    """Changes since the start, by component and environment: internal energies are large and their zero is nobody's."""
    total = run["energy"] - run["energy"][0] - run["work"]
    changes = {name.removeprefix("energy."): run[name] - run[name][0] for name in run.match("energy.*")}
    for name, change in _largest(changes).items():
        axes.plot(run.t, change, lw=1.3, label=name)
    for reservoir in (part for part in run.model.reservoirs if part.entropy):
        taken = run.model.theta0 * run[reservoir.name].sum(-1)
        axes.plot(run.t, taken, lw=1.3, ls="-.", label=f"environment at {reservoir.name}")
        total = total + taken
    if np.abs(run["work"]).max(initial=0.0) > 0:
        axes.plot(run.t, -run["work"], color="tab:green", ls="-.", label="inputs (− work)")
    axes.plot(run.t, run["heat"], color="0.45", ls="--", label="exergy destroyed")
    axes.plot(run.t, total, color="black", ls=":", label="sum of all energies")
    axes.set_ylabel("energy since the start [J]")


def _largest(changes: dict[str, Array]) -> dict[str, Array]:
    """The energies that change most, in their order, and the sum of the others."""
    if len(changes) <= MANY:
        return changes
    ranked = sorted(changes, key=lambda name: -float(np.abs(changes[name]).max()))
    small = ranked[MANY - 1 :]
    rest = np.sum([changes[name] for name in small], axis=0)
    return {name: change for name, change in changes.items() if name not in small} | {f"{len(small)} others": rest}
