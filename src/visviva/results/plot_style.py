"""What several pictures share: names as plain text, light axes, the closure of the steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.results.run import FIRST_LAW

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from visviva.results.run import Run


def closure(run: Run, axes: Axes) -> None:
    """How exactly each step closes, against the bound of the audit for schemes that claim to close it."""
    bounded(axes, run.t_mid, run["first_law"], FIRST_LAW if run.exact else None)
    axes.set_ylabel("first law,\nper step")


def bounded(axes: Axes, t: Array, values: Array, bound: float | None) -> None:
    """Small numbers on a logarithmic scale, with the bound that they must keep; zeros lie on the lower end."""
    floor, top = 1e-18, max(100 * (bound or FIRST_LAW), 10 * float(values.max(initial=0.0)))
    axes.semilogy(t, np.maximum(values, floor), ".", ms=2, color="black")
    if bound is not None:
        axes.axhline(bound, color="tab:red", lw=0.8)
        axes.annotate(
            "bound of the audit",
            (1, bound),
            xycoords=("axes fraction", "data"),
            ha="right",
            va="bottom",
            color="tab:red",
            fontsize="small",
        )
    axes.set_ylim(floor, top)
    ticks = 10.0 ** np.arange(-18, np.log10(top), 3)
    axes.set_yticks(ticks, [f"{tick:.0e}" for tick in ticks])
    axes.minorticks_off()


def name_axes(axes: Axes, title: str, beside: float = 0.0) -> None:
    """Title and legend as plain text: a user's name is no formula. `beside`: room for an axis on the right."""
    axes.set_title(title, loc="left", parse_math=False)
    legend = axes.legend(loc="upper left", bbox_to_anchor=(1.0 + beside, 1.0), frameon=False)
    for text in legend.get_texts():
        text.set_parse_math(False)


def lighten(axes: Axes) -> None:
    """Less ink for what is no data."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
