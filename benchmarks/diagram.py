"""Work–precision diagrams as pictures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from benchmarks import accuracy, line
from benchmarks.work_precision import Curve

COLOURS = ("#2f4bc4", "#c2410c", "#0f766e", "#7c3aed", "#be185d", "#64748b", "#a16207", "#111827", "#0284c7")
OURS = {*line.SCHEMES, *accuracy.OURS}


def draw(found: list[Curve] | Mapping[str, list[Curve]], path: Path, error: str) -> None:
    """CPU time over error, both logarithmic; our steps are full lines, a whole run is dotted, peers are dashed.

    found: one panel, or several with their titles.
    """
    import matplotlib.pyplot as plt

    panels = found if isinstance(found, Mapping) else {"": found}
    names = dict.fromkeys(curve.name for curves in panels.values() for curve in curves)
    colours = dict(zip(names, COLOURS, strict=False))
    settings = {"svg.hashsalt": "visviva", "font.family": "sans-serif"}  # the same picture from the same numbers
    with plt.rc_context(settings):
        size = (8.0, 5.0) if len(panels) == 1 else (3.4 * len(panels), 4.2)
        figure, axes = plt.subplots(1, len(panels), figsize=size, layout="constrained", squeeze=False)
        for plane, (title, curves) in zip(axes[0], panels.items(), strict=True):
            for curve in curves:
                line = "-" if curve.name in OURS else ":" if curve.name.startswith("simulate") else "--"
                drawn = {"color": colours[curve.name], "markersize": 3.5, "label": curve.name}
                plane.loglog(curve.errors, curve.times, f"o{line}", **drawn)
            plane.set(title=title, xlabel=error, xlim=(1.0, 1e-9))
            plane.grid(alpha=0.3)
        axes[0, 0].set(ylabel="CPU time [s]")
        handles = {
            label: each for plane in axes[0] for each, label in zip(*plane.get_legend_handles_labels(), strict=True)
        }
        place = "outside right upper" if len(panels) == 1 else "outside lower center"
        figure.legend(handles.values(), handles.keys(), loc=place, frameon=False, ncols=1 if len(panels) == 1 else 5)
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)
