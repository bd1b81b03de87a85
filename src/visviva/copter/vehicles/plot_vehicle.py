"""A vehicle from above and from the side."""

from __future__ import annotations

import math
from itertools import combinations
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva._arrays import Array
from visviva._files import write_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.copter.vehicles.rotor import Rotor
    from visviva.copter.vehicles.vehicle import Vehicle

WIDE = 6.0  # [inch]
DISC = 0.35  # radius in arms, of rotors that tell none
APART = 0.45  # of the distance of two rotors beside each other, that it is at most
BESIDE = 0.1  # arms across their axes, by which rotors are
AXIS, PUSH, ROOM = 0.55, 0.5, 0.2  # arms, of axes of the body and of directions of thrust, and around everything
TURNS = {1: ("C0", "turns left"), -1: ("C3", "turns right")}
AXES = ("tab:red", "tab:green", "tab:purple")
ARC = np.linspace(math.radians(-60), math.radians(210), 60)  # of an arrow that turns


def plot_vehicle(vehicle: Vehicle, path: str | PathLike[str] | None = None) -> Figure:
    """Both views, to one scale."""
    import matplotlib.pyplot as plt

    reach = vehicle.arm
    ends = np.concatenate(
        [[vehicle.com], *(_ends(rotor, disc_radius(vehicle, rotor), reach) for rotor in vehicle.rotors)]
    )
    low = np.minimum(ends.min(axis=0), 0) - ROOM * reach
    high = np.maximum(ends.max(axis=0), AXIS * reach) + ROOM * reach
    size = high - low
    heights = size[1:] / size[0] * WIDE
    figure, views = plt.subplots(
        2, 1, figsize=(WIDE + 1.2, heights.sum() + 1.8), height_ratios=heights, sharex=True, layout="constrained"
    )
    for axes, kept, what in ((views[0], [0, 1], "from above"), (views[1], [0, 2], "from the side")):
        _view(axes, vehicle, kept, reach)
        axes.set(xlim=(low[0], high[0]), ylim=(low[kept[1]], high[kept[1]]), ylabel=f"{'xyz'[kept[1]]} [m]")
        axes.set_aspect("equal")
        axes.text(0.01, 0.98, what, transform=axes.transAxes, va="top", color="0.45")
    views[1].set_xlabel("x [m]")
    labelled = dict(sorted(zip(*views[0].get_legend_handles_labels()[::-1], strict=True)))
    figure.legend(labelled.values(), labelled, loc="outside lower center", ncols=4, frameon=False)
    figure.suptitle(f"{vehicle.name}, {vehicle.mass:.4g} kg", fontsize="medium")
    if path is not None:
        write_figure(path, figure, dpi=150)
    return figure


def disc_radius(vehicle: Vehicle, rotor: Rotor) -> float:
    """Of a rotor, or one with which discs stay apart [m]."""
    between = [
        float(np.linalg.norm(np.cross(a.axis, a.position - b.position))) for a, b in combinations(vehicle.rotors, 2)
    ]
    beside = [APART * x for x in between if x > BESIDE * vehicle.arm]
    return rotor.radius or min([DISC * vehicle.arm, *beside])


def _view(axes: Any, vehicle: Vehicle, kept: list[int], reach: float) -> None:
    """One projection; what is farther away is drawn first."""
    hidden = ({0, 1, 2} - set(kept)).pop()
    towards = 1 if hidden == 2 else -1  # the side is seen from -y
    labels = set[str]()
    for rotor in sorted(vehicle.rotors, key=lambda rotor: towards * float(rotor.position[hidden])):
        colour, label = TURNS[rotor.spin]
        axes.plot(
            *np.array([np.zeros(3), rotor.position])[:, kept].T, color="0.6", lw=4, solid_capstyle="round", zorder=1
        )
        radius = disc_radius(vehicle, rotor)
        u, v = _across(rotor.axis)
        disc = _circle(rotor, radius, u, v, np.linspace(0, 2 * math.pi, 60))
        axes.fill(*disc[:, kept].T, color=colour, alpha=0.25, zorder=2, label="" if label in labels else label)
        labels.add(label)
        axes.plot(*disc[:, kept].T, color=colour, lw=1, zorder=2)
        if abs(rotor.axis[hidden]) > 0.5:
            arc = _circle(rotor, 0.6 * radius, u, v, rotor.spin * ARC)
            axes.plot(*arc[:-3, kept].T, color=colour, lw=1.5, zorder=3)
            _arrow(axes, arc[-4], arc[-1], kept, colour, 1.5)
        else:
            _arrow(axes, rotor.position, rotor.position + PUSH * reach * rotor.axis, kept, "tab:orange", 1.5)
        if rotor.servo is not None:
            line = rotor.position + np.outer([-1.3 * radius, 1.3 * radius], rotor.servo.axis)
            axes.plot(*line[:, kept].T, "k-.", lw=1, zorder=4, label="" if "tilt" in labels else "tilt axis")
            labels.add("tilt")
    for place, names in _rotor_labels(vehicle, kept).items():
        axes.annotate(
            names, place, (0, -9), textcoords="offset points", ha="center", va="top", fontsize="small", zorder=6
        )
    for k, colour in enumerate(AXES):
        if k != hidden:
            tip = AXIS * reach * np.eye(3)[k]
            _arrow(axes, np.zeros(3), tip, kept, colour, 2)
            axes.annotate(
                "xyz"[k], tip[kept], (4, 4), textcoords="offset points", color=colour, weight="bold", zorder=6
            )
    axes.plot(*vehicle.com[kept], "o", color="k", mfc="gold", ms=7, zorder=7, label="centre of mass")


def _rotor_labels(vehicle: Vehicle, kept: list[int]) -> dict[tuple[float, ...], str]:
    """Names of rotors by where they are seen; those that hide each other share a place."""
    found: dict[tuple[float, ...], str] = {}
    for rotor in vehicle.rotors:
        place = rotor.position[kept]
        near = [other for other in found if np.linalg.norm(place - other) < BESIDE * vehicle.arm]
        key = near[0] if near else tuple(place.tolist())
        found[key] = f"{found[key]}, {rotor.name}" if near else rotor.name
    return found


def _arrow(axes: Any, start: Array, end: Array, kept: list[int], colour: str, width: float) -> None:
    drawn = {"arrowstyle": "-|>", "color": colour, "lw": width, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", end[kept], start[kept], arrowprops=drawn, zorder=5)


def _ends(rotor: Rotor, radius: float, reach: float) -> Array:
    """Points that are to be seen of a rotor, (n, 3)."""
    disc = _circle(rotor, radius, *_across(rotor.axis), np.linspace(0, 2 * math.pi, 12))
    return np.concatenate([disc, [rotor.position + PUSH * reach * rotor.axis]])


def _circle(rotor: Rotor, radius: float, u: Array, v: Array, angles: Array) -> Array:
    return np.asarray(rotor.position + radius * (np.outer(np.cos(angles), u) + np.outer(np.sin(angles), v)))


def _across(h: Array) -> tuple[Array, Array]:
    """u, v with u × v = h."""
    u = np.cross(np.eye(3)[np.argmin(np.abs(h))], h)
    u /= np.linalg.norm(u)
    return u, np.cross(h, u)
