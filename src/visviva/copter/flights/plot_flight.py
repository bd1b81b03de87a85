"""Pictures of a flight."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva._arrays import Array
from visviva._files import write_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from visviva.copter.agents.agent_flight import AgentFlight
    from visviva.copter.flights.flight import Flight
    from visviva.copter.flights.manoeuvres import Manoeuvre

SHOWN = 17  # attitudes along a trace
THIN = 0.15  # of the largest extent, below which a path does not extend along an axis
STILL = 0.01  # [m], and the same of any path
WIDE = 2.2  # width over height of a trace that gets a row of its own
SPACE = 2.6  # the same of a trace in space
ROW = 13.0  # [pt] of a row of a legend


def plot_flight(flight: Flight | AgentFlight, path: str | PathLike[str] | None = None) -> Figure:
    """Trace and attitude, errors, thrusts."""
    import matplotlib.pyplot as plt

    r, R = flight.trace
    known = np.isfinite(r).all(axis=1)
    r, R, arm = r[known], R[known], flight.vehicle.arm
    wanted = reference(flight.plan)
    ends = np.concatenate(
        [wanted, r, r + 0.5 * arm * R[:, :, 2], *(r + side * arm * R[:, :, k] for k in (0, 1) for side in (1, -1))]
    )
    kept = seen_axes(np.concatenate([wanted, r]), r + arm * R[:, :, 2])
    size = np.ptp(ends, axis=0) + arm
    shape = SPACE if len(kept) == 3 else float(size[kept[0]] / size[kept[1]])
    if shape > WIDE:
        top = max(9.0 / shape, 1.2)
        figure = plt.figure(figsize=(9, 4.6 + top), layout="constrained")
        grid = figure.add_gridspec(2, 2, height_ratios=(top, 2.8))
        places = (grid[0, :], grid[1, 0], grid[1, 1])
    else:
        figure = plt.figure(figsize=(11, 3.8), layout="constrained")
        grid = figure.add_gridspec(1, 3, width_ratios=(max(0.6, min(shape, 1.2)), 1, 1))
        places = (grid[0], grid[1], grid[2])
    trace = trace_axes(figure, places[0], kept)
    trace.plot(*wanted[:, kept].T, "k:", lw=1.3, zorder=4, label="reference")
    trace.plot(*r[:, kept].T, "C3", lw=1.5, zorder=3, label="flown")
    _plot_attitudes(trace, r, R, arm, kept)
    set_limits(trace, ends, kept, 0.3 * arm)
    set_head(trace, flight.plan.name, 4 if shape > WIDE else 2)
    errors = figure.add_subplot(places[1])
    _plot_errors(errors, flight)
    _plot_thrusts(figure.add_subplot(places[2], sharex=errors), flight)
    return saved(figure, path)


def seen_axes(*traces: Array) -> list[int]:
    """Numbers of the axes along which traces (n, 3) extend: those of a plane, or all three."""
    size = np.max([np.ptp(r, axis=0) for r in traces], axis=0)
    thin = size <= max(THIN * size.max(), STILL)
    if thin[1]:
        return [0, 2]
    if thin[0]:
        return [1, 2]
    return [0, 1] if thin[2] else [0, 1, 2]


def trace_axes(figure: Figure, place: Any, kept: list[int]) -> Any:
    """Axes for a trace, in a plane or in space, with labels."""
    names = [f"{'xyz'[k]} [m]" for k in kept]
    axes: Any = figure.add_subplot(place, projection="3d" if len(kept) == 3 else None)
    axes.set(xlabel=names[0], ylabel=names[1])
    if len(kept) == 3:
        axes.set_zlabel(names[2])
    return axes


def set_limits(axes: Any, points: Array, kept: list[int], room: float, zoom: float = 1.1) -> None:
    """All points (n, 3) and some room [m], equal scales; zoom: of axes in space, whose labels lie outside."""
    low, high = points.min(axis=0) - room, points.max(axis=0) + room
    for name, k in zip("xyz", kept, strict=False):
        getattr(axes, f"set_{name}lim")(low[k], high[k])
    axes.set_aspect("equal", adjustable="box")
    if len(kept) == 3:
        extent = high - low
        axes.set_box_aspect(extent, zoom=zoom)
        axes.xaxis.labelpad = axes.yaxis.labelpad = 8
        for name, size in zip("xyz", extent, strict=True):
            axes.locator_params(name, nbins=1 + round(4 * size / extent.max()))


def set_head(axes: Axes, title: str, columns: int) -> None:
    """Above the axes the legend, and above that the title."""
    count = len(axes.get_legend_handles_labels()[1])
    rows = -(-count // columns)
    axes.legend(
        loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns, frameon=False, fontsize="small",
        handlelength=1.4, columnspacing=1.0, borderaxespad=0.2, labelspacing=0.2,
    )  # fmt: skip
    axes.set_title(title, pad=8 + ROW * rows)


def saved(figure: Figure, path: str | PathLike[str] | None) -> Figure:
    """The figure, written where a path is given."""
    if path is not None:
        write_figure(path, figure, dpi=150)
    return figure


def reference(plan: Manoeuvre) -> Array:
    """Positions along the path, (n, 3) [m]."""
    return np.asarray(plan.path.position(np.linspace(0, plan.duration, 400)), dtype=np.float64)


def _plot_attitudes(axes: Any, r: Array, R: Array, arm: float, kept: list[int]) -> None:
    """Axes of the body that lie in the picture, and the direction of thrust."""
    across = [k for k in (0, 1) if k in kept]
    for n, i in enumerate(_evenly(r, R, arm)):
        for k in across:
            ends = np.array([r[i] - arm * R[i, :, k], r[i] + arm * R[i, :, k]])
            axes.plot(*ends[:, kept].T, "C0", lw=2, label="" if n or k != across[0] else "vehicle")
        thrust = np.array([r[i], r[i] + 0.5 * arm * R[i, :, 2]])
        axes.plot(*thrust[:, kept].T, "C1", lw=1.2, label="" if n else "its z axis")


def _plot_errors(axes: Axes, flight: Flight | AgentFlight) -> None:
    e = flight.errors
    axes.plot(e["t"], 100 * e["e_r"], label="position")
    axes.plot(e["t"], np.degrees(e["e_R"]), label="attitude")
    axes.plot(e["t"], np.degrees(e["e_phi"]), label="heading")
    axes.set(xlabel="t [s]", ylabel="position [cm], angles [°]")
    set_head(axes, "errors", 3)


def _plot_thrusts(axes: Axes, flight: Flight | AgentFlight) -> None:
    """In the manoeuvre, over the times of the errors."""
    t, names = flight.thrust_times, [rotor.name for rotor in flight.vehicle.rotors]
    kept = (t >= 0) & (t <= flight.plan.duration)
    axes.plot(t[kept], flight.thrusts[kept], lw=1, label=names)
    axes.set(xlabel="t [s]", ylabel="thrust [N]", xlim=(0, flight.plan.duration))
    set_head(axes, "thrusts", 4)


def _evenly(r: Array, R: Array, arm: float) -> list[int]:
    """Nodes at equal steps of the ends of the arms, so that attitudes do not pile up where a vehicle hovers."""
    ends = np.concatenate([r, arm * R[:, :, 0], arm * R[:, :, 2]], axis=1)
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(ends, axis=0), axis=1))])
    return [int(k) for k in np.unique(np.searchsorted(way, np.linspace(0.0, way[-1], SHOWN)))]
