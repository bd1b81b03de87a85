"""Pictures of linear systems: Bode plots, root loci and Campbell diagrams."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva._files import write_figure
from visviva.errors import ModelError
from visviva.linear.responses import frequency_response
from visviva.results.plot_style import lighten, name_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from visviva.linear.locus import RootLocus
    from visviva.linear.responses import StepResponse
    from visviva.linear.system import LinearSystem

POINTS = 600


def bode(system: LinearSystem, w: ArrayLike | None = None, path: str | PathLike[str] | None = None) -> Figure:
    """Magnitude and phase of every response over frequency, one line for each pair of output and input."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import MultipleLocator

    response = frequency_response(system, frequencies(system) if w is None else w)
    if (response.w <= 0).any():
        raise ModelError(
            f"a Bode plot is over logarithms of frequencies: they must be positive, got {response.w.min():g}."
        )
    figure, (top, low) = plt.subplots(2, 1, figsize=(7.5, 5.0), sharex=True, layout="constrained")
    for i, output in enumerate(system.outputs):
        for j, input in enumerate(system.inputs):  # noqa: A001
            label = f"{output} / {input}"
            top.loglog(response.w, np.maximum(response.magnitude[:, i, j], 1e-300), label=label)
            low.semilogx(response.w, np.degrees(response.phase[:, i, j]), label=label)
    top.set_ylabel(f"magnitude{_unit(system)}")
    low.set(ylabel="phase [°]", xlabel="angular frequency [rad/s]")
    low.yaxis.set_major_locator(MultipleLocator(90 if np.ptp(low.get_ylim()) > 400 else 45))
    name_axes(top, f"{system.name}: frequency response")
    return finished(figure, path, top, low)


def plot_steps(response: StepResponse, path: str | PathLike[str] | None = None) -> Figure:
    """Outputs over time after unit steps: one picture above the other for each unit of the outputs."""
    import matplotlib.pyplot as plt

    units = list(dict.fromkeys(response.units.get(name, "") for name in response.outputs))
    size = (7.5, 1.2 + 2.4 * len(units))
    figure, rows = plt.subplots(len(units), 1, figsize=size, sharex=True, layout="constrained", squeeze=False)
    for axes, unit in zip(rows[:, 0], units, strict=True):
        for i, output in enumerate(response.outputs):
            if response.units.get(output, "") == unit:
                for j, input in enumerate(response.inputs):  # noqa: A001
                    axes.plot(response.t, response.y[:, i, j], label=f"{output} / {input}")
        axes.set_ylabel(f"[{unit}]" if unit else "output")
        name_axes(axes, f"{response.name}: step response" if axes is rows[0, 0] else "")
    rows[-1, 0].set_xlabel("time [s]")
    return finished(figure, path, *rows[:, 0])


def plot_locus(locus: RootLocus, path: str | PathLike[str] | None = None) -> Figure:
    """Branches in the complex plane, coloured by the parameter, with a cross where they start."""
    import matplotlib.pyplot as plt
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    figure, axes = plt.subplots(figsize=(6.5, 5.0), layout="constrained")
    norm = Normalize(float(locus.values.min()), float(locus.values.max()))
    for branch in locus.roots.T:
        axes.plot(branch.real, branch.imag, color="0.75", lw=0.8, zorder=1)
        axes.scatter(branch.real, branch.imag, c=locus.values, cmap="viridis", norm=norm, s=9, zorder=2)
        axes.plot(branch[0].real, branch[0].imag, "x", color="black", ms=6, zorder=3)
    axes.axvline(0.0, color="tab:red", lw=0.8)
    figure.colorbar(ScalarMappable(norm, "viridis"), ax=axes, label=locus.parameter)
    axes.set(xlabel="Re λ [1/s]", ylabel="Im λ [1/s]")
    axes.set_title(f"{locus.name}: root locus", loc="left", parse_math=False)
    return finished(figure, path, axes)


def plot_campbell(locus: RootLocus, orders: ArrayLike = (1.0,), path: str | PathLike[str] | None = None) -> Figure:
    """Frequencies over the parameter, which is a speed [rad/s]; dashed: multiples of that speed that excite."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.5, 4.5), layout="constrained")
    for k, branch in enumerate(locus.frequencies.T):
        axes.plot(locus.values, branch, lw=1.5, color=f"C{k}")
    top = 1.1 * float(locus.frequencies.max(initial=0.0))
    for order in np.atleast_1d(finite_array(orders, "orders of a Campbell diagram")).tolist():
        axes.plot(locus.values, order * np.abs(locus.values), color="0.4", ls="--", lw=0.9)
        axes.annotate(
            f"{order:g} x speed",
            *_end(locus.values, order, top),
            fontsize="small",
            color="0.4",
            ha="right",
            va="bottom",
        )
    unit = "" if "[" in locus.parameter else " [rad/s]"
    axes.set(xlabel=f"{locus.parameter}{unit}", ylabel="|Im λ| [rad/s]", ylim=(0.0, top))
    axes.set_title(f"{locus.name}: Campbell diagram", loc="left", parse_math=False)
    return finished(figure, path, axes)


def _end(values: Array, order: float, top: float) -> tuple[tuple[float, float]]:
    """Where a line of excitation leaves the picture."""
    last = float(values.max())
    x = min(last, 0.95 * top / order if order else last)
    return ((x * 0.97, order * x * 0.97),)


def frequencies(system: LinearSystem) -> Array:
    """A decade and a half on either side of the poles, closer where they resonate, without undamped ones themselves."""
    poles = system.poles()[np.abs(system.poles()) > 0]
    found = np.abs(poles)
    low, high = (float(found.min()), float(found.max())) if len(found) else (1.0, 1.0)
    steps = np.geomspace(1e-3, 10.0, 40)
    close = [pole.imag + abs(pole.real) * np.r_[-steps, steps] for pole in poles if pole.imag > abs(pole.real) > 0]
    w = np.sort(np.concatenate([np.geomspace(low / 30, high * 30, POINTS), *close]))
    w = w[w >= low / 30]
    near = np.abs(w[:, None] - found[None]).min(axis=1, initial=np.inf) < 1e-9 * w
    return np.where(near, w * (1 + 1e-6), w)


def _unit(system: LinearSystem) -> str:
    """Of all responses, where they have one in common."""
    units = {(system.units.get(y, ""), system.units.get(u, "")) for y in system.outputs for u in system.inputs}
    (both, *others) = units
    per = f"({both[1]})" if " " in both[1] else both[1]
    return f" [{both[0]}/{per}]" if not others and all(both) else ""


def finished(figure: Figure, path: str | PathLike[str] | None, *axes: object) -> Figure:
    """The figure with light axes, written to a file as well if there is a path."""
    for part in axes:
        lighten(part)  # type: ignore[arg-type]
    if path is not None:
        write_figure(path, figure, dpi=150)
    return figure
