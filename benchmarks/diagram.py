"""The work–precision diagram as a picture."""

from __future__ import annotations

from pathlib import Path

from benchmarks.line import SCHEMES
from benchmarks.work_precision import Curve

COLOURS = ("#2f4bc4", "#c2410c", "#0f766e", "#7c3aed", "#be185d", "#64748b", "#a16207", "#111827", "#0284c7")


def draw(found: list[Curve], path: Path) -> None:
    """CPU time over error, both logarithmic; our steps are full lines, a whole run is dotted, peers are dashed."""
    import matplotlib.pyplot as plt

    settings = {"svg.hashsalt": "visviva", "font.family": "sans-serif"}  # the same picture from the same numbers
    with plt.rc_context(settings):
        figure, axes = plt.subplots(figsize=(8.0, 5.0), layout="constrained")
        for curve, colour in zip(found, COLOURS, strict=True):
            line = "-" if curve.name in SCHEMES else ":" if curve.name.startswith("simulate") else "--"
            axes.loglog(curve.errors, curve.times, f"o{line}", color=colour, markersize=3.5, label=curve.name)
        axes.invert_xaxis()
        axes.set(xlabel="largest error of a state at t = 10 s", ylabel="CPU time [s]", xlim=(1.0, 1e-9))
        axes.grid(alpha=0.3)
        figure.legend(loc="outside right upper", frameon=False)
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)
