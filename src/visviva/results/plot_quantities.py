"""Quantities against time: one picture for each unit, below each other."""

from __future__ import annotations

import os
from dataclasses import dataclass
from os import PathLike
from typing import IO, TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array
from visviva._files import write_figure
from visviva.errors import ModelError
from visviva.results.plot_style import lighten, name_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.results.run import Run

Path = str | PathLike[str] | IO[bytes]


@final
@dataclass(frozen=True, eq=False)
class Line:
    """One number over time."""

    label: str
    unit: str
    t: Array
    values: Array


def names_and_path(names: tuple[Any, ...], path: Path | None, known: Any) -> tuple[tuple[str, ...], Path | None]:
    """Names of quantities, and where to write: the last name where it is a path, as `plot("energy", "energy.png")`."""
    if path is None and len(names) > 1 and _is_path(names[-1]) and names[-1] not in known:
        names, path = names[:-1], names[-1]
    odd = [name for name in names if not isinstance(name, str)]
    if odd:
        raise ModelError(
            f"run.plot() takes names of quantities, or 'energy', 'heat', 'audit', 'motion', got {odd[0]!r}.\n"
            "E.g. run.plot('hinge.q', 'hinge.rate'); a file to write to is path=..., run.names lists what there is."
        )
    return names, path


def _is_path(given: object) -> bool:
    """Whether it is no name: a path or an open file, or text that ends as a picture does."""
    if not isinstance(given, str):
        return isinstance(given, PathLike) or callable(getattr(given, "write", None))
    from matplotlib.backend_bases import FigureCanvasBase

    return os.path.splitext(given)[1][1:].lower() in FigureCanvasBase.get_supported_filetypes()


def unit_at(unit: str, at: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """The unit of one component: twists and wrenches have one for each half, "rad/s, m/s", planar joints three."""
    units = unit.split(", ")
    return units[at[0] * len(units) // shape[0]] if at else unit


def lines_of(run: Run, *patterns: str) -> list[Line]:
    """All components of what fits some patterns, with their names: `rod.r x`, `hinge.reaction f_z`, `rod.R[0,1]`."""
    lines = []
    for name, value in run.select(*patterns).items():
        t, shape = run.t if len(value) == len(run.t) else run.t_mid, value.shape[1:]
        components = run.components(name)
        for at in np.ndindex(shape):
            own = f" {components[at[0]]}" if components else f"[{','.join(map(str, at))}]" if at else ""
            own = "" if shape == (1,) else own
            lines.append(Line(name + own, unit_at(run.unit(name), at, shape), t, value[(slice(None), *at)]))
    return lines


def plot_lines(title: str, lines: list[Line], path: Path | None = None) -> Figure:
    """Lines of one unit share their axes; those of another go below, over the same time."""
    import matplotlib.pyplot as plt

    units = list(dict.fromkeys(line.unit for line in lines))
    height = 4.0 if len(units) == 1 else 0.8 + 2.4 * len(units)
    figure, grid = plt.subplots(len(units), 1, figsize=(7.5, height), sharex=True, squeeze=False, layout="constrained")
    for k, (unit, axes) in enumerate(zip(units, grid[:, 0], strict=True)):
        for line in lines:
            if line.unit == unit:
                axes.plot(line.t, line.values, lw=1.3, label=line.label)
        if unit:
            axes.set_ylabel(f"[{unit}]")
        name_axes(axes, title if k == 0 else "")
        lighten(axes)
    grid[-1, 0].set_xlabel("time [s]")
    if path is not None:
        write_figure(path, figure, dpi=150)
    return figure
