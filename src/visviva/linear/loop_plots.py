"""Pictures for closed loops: Nyquist and Nichols plots, poles and zeros."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Mask
from visviva.linear.plots import finished, frequencies
from visviva.linear.responses import Complex, FrequencyResponse, frequency_response
from visviva.results.plot_style import name_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from visviva.linear.system import LinearSystem

CLOSED = (-12.0, -6.0, -3.0, 0.0, 1.0, 3.0, 6.0, 12.0)  # [dB] of closed loops in a Nichols plot
RATIOS = (0.2, 0.4, 0.6, 0.8)  # of damping, in a map of poles
WINDOW = 8.0  # times what nine of ten |G| are below: what is larger near an undamped pole runs out of a Nyquist plot
JUMP = 90.0  # [°] between neighbouring frequencies: no line is drawn
CIRCLE = np.exp(1j * np.linspace(0.0, 2 * np.pi, 361))


def nyquist(system: LinearSystem, w: ArrayLike | None = None, path: str | PathLike[str] | None = None) -> Figure:
    """G(iω) in the complex plane, dashed for ω < 0; the cross is -1.

    Closed by negative feedback, a loop is stable if G goes around -1 against the clock as often as it has poles on the
    right. Near undamped poles G runs out of the picture.
    """
    figure, axes = _axes(6.0, 5.5)
    response = frequency_response(system, frequencies(system) if w is None else w)
    axes.plot(CIRCLE.real, CIRCLE.imag, color="0.8", lw=0.8, zorder=1)
    shown = [np.array([-1.15, 0.15])]
    for k, (label, G) in enumerate(_each(response)):
        axes.plot(G.real, G.imag, color=f"C{k}", label=label)
        axes.plot(G.real, -G.imag, color=f"C{k}", lw=0.9, ls="--")
        _arrow(axes, G, f"C{k}")
        shown.append(G[_near(G)])
    axes.plot(-1.0, 0.0, "+", color="tab:red", ms=11, mew=1.8, zorder=5)
    points = np.concatenate(shown)
    (left, right), up = (points.real.min(), points.real.max()), float(np.abs(points.imag).max())
    margin = 0.05 * (right - left)
    up = max(up, 0.35 * (right - left)) + margin
    axes.set(xlabel="Re G", ylabel="Im G", xlim=(left - margin, right + margin), ylim=(-up, up))
    axes.set_aspect("equal")
    name_axes(axes, f"{system.name}: Nyquist plot")
    return finished(figure, path, axes)


def nichols(system: LinearSystem, w: ArrayLike | None = None, path: str | PathLike[str] | None = None) -> Figure:
    """|G| over its phase; the cross is -1, and the lines are those on which |G/(1 + G)| is constant."""
    from matplotlib.ticker import MultipleLocator

    figure, axes = _axes(7.0, 5.5)
    response = frequency_response(system, frequencies(system) if w is None else w)
    low, high, bottom, top = -360.0, 0.0, -40.0, 20.0
    for k, (label, G) in enumerate(_each(response)):
        phase, size = np.degrees(np.unwrap(np.angle(G))), 20 * np.log10(np.maximum(np.abs(G), 1e-300))
        phase -= 360.0 * np.ceil((phase[0] - 1e-6) / 360.0)  # starts between -360° and 0°
        jumps = 1 + np.flatnonzero(np.abs(np.diff(phase)) > JUMP)  # over undamped poles and zeros
        axes.plot(*(np.insert(part, jumps, np.nan) for part in (phase, size)), color=f"C{k}", label=label, zorder=3)
        low, high = min(low, float(phase.min())), max(high, float(phase.max()))
        bottom, top = min(bottom, max(float(size.min()), -120.0)), max(top, min(float(size.max()), 80.0))
    low, high = 180.0 * np.floor(low / 180.0), 180.0 * np.ceil(high / 180.0)
    for turn in np.arange(360.0 * np.ceil((low + 180.0) / 360.0) - 180.0, high, 360.0):
        axes.plot(turn, 0.0, "+", color="tab:red", ms=11, mew=1.8, zorder=5)
        for level in CLOSED:
            _closed_line(axes, level, turn)
    axes.set(xlabel="phase [°]", ylabel="magnitude [dB]", xlim=(low, high), ylim=(bottom, top + 5.0))
    axes.xaxis.set_major_locator(MultipleLocator(90))
    name_axes(axes, f"{system.name}: Nichols plot")
    return finished(figure, path, axes)


def pole_zero_map(system: LinearSystem, path: str | PathLike[str] | None = None) -> Figure:
    """Poles and zeros, with rays of equal damping ratio."""
    figure, axes = _axes(6.0, 5.0)
    poles = system.poles()
    zeros = system.zeros() if len(system.inputs) == len(system.outputs) > 0 else np.zeros(0, complex)
    every = np.concatenate([poles, zeros])
    up = 1.15 * max(float(np.abs(every.imag).max(initial=0.0)), 0.3 * float(np.abs(every.real).max(initial=0.0)), 1e-3)
    left, right = min(-0.3 * up, 1.15 * every.real.min(initial=0.0)), max(0.1 * up, 1.15 * every.real.max(initial=0.0))
    for ratio in RATIOS:
        slope = np.sqrt(1 - ratio**2) / ratio
        x = -min(-left, up / slope)
        axes.plot([x, 0.0, x], [-x * slope, 0.0, x * slope], color="0.85", lw=0.7, zorder=1)
        axes.annotate(f"{ratio:g}", (x, -x * slope), fontsize="x-small", color="0.5", ha="left", va="top")
    axes.axvline(0.0, color="tab:red", lw=0.8, zorder=1)
    axes.plot(zeros.real, zeros.imag, "o", mfc="none", mec="C0", ms=8, mew=1.5, ls="none", label="zeros")
    axes.plot(poles.real, poles.imag, "x", color="black", ms=7, mew=1.5, ls="none", label="poles")
    axes.set(xlabel="Re λ [1/s]", ylabel="Im λ [1/s]", xlim=(left, right), ylim=(-up, up))
    name_axes(axes, f"{system.name}: poles and zeros")
    return finished(figure, path, axes)


def _axes(width: float, height: float) -> tuple[Figure, Axes]:
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")


def _each(response: FrequencyResponse) -> Iterator[tuple[str, Complex]]:
    """Every response with its name."""
    for i, output in enumerate(response.outputs):
        for j, input in enumerate(response.inputs):  # noqa: A001
            yield f"{output} / {input}", response.G[:, i, j]


def _near(G: Complex) -> Mask:
    """Which values a Nyquist plot shows."""
    return np.asarray(np.abs(G) <= max(1.5, WINDOW * float(np.quantile(np.abs(G), 0.9))))


def _arrow(axes: Axes, G: Complex, colour: str) -> None:
    """Which way ω grows, in the middle of the longest visible stretch."""
    steps = np.where(_near(G)[:-1], np.abs(np.diff(G)), 0.0)
    k = int(np.searchsorted(np.cumsum(steps), 0.5 * steps.sum()))
    if 0 <= k < len(G) - 1 and steps[k] > 0:
        arrow = {"arrowstyle": "-|>", "color": colour, "mutation_scale": 14}
        axes.annotate("", (G[k + 1].real, G[k + 1].imag), (G[k].real, G[k].imag), arrowprops=arrow)


def _closed_line(axes: Axes, level: float, turn: float) -> None:
    """L with |L/(1 + L)| = M around the phase of -1: L = M e^{iα}/(1 - M e^{iα})."""
    T = 10 ** (level / 20) * CIRCLE[1:-1]
    L = T / (1 - T)
    phase = np.degrees(np.mod(np.angle(L), 2 * np.pi)) - 360.0 + (turn + 180.0)
    order = slice(None) if level > 0 else np.argsort(phase)
    axes.plot(phase[order], 20 * np.log10(np.abs(L))[order], color="0.85", lw=0.7, zorder=1)
