"""Flights by sensors with vehicles, noise and latency drawn at random, of which the agent knows nothing.

200 flights of each manoeuvre of Table 5.2 by `copter.spread`: mass, second moments of mass, κ_F of each rotor, drag and
mean latency within ±10 %, noise by other seeds. Errors are those of the true position.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.row import Row, three_digits
from visviva import copter

MANOEUVRES = ("tricopter transitions", "transitions", "looping", "flip")
FLIGHTS, BAND = 200, (0.05, 0.95)


def fly_all(quick: bool = False) -> list[copter.Spread]:
    """One spread for each manoeuvre; a few flights of one if it is quick."""
    names = MANOEUVRES[2:3] if quick else MANOEUVRES
    return [copter.spread(name, flights=4 if quick else FLIGHTS) for name in names]


def rows(quick: bool = False) -> list[Row]:
    """Errors, and what became of the flights."""
    return table(fly_all(quick))


def table(spreads: list[copter.Spread]) -> list[Row]:
    """Three rows for each."""
    found = list[Row]()
    for many in spreads:
        name, rms = many.nominal.plan.name, many.rms
        sizes = (many.nominal.figures.e_r, np.median(rms), np.quantile(rms, BAND[1]), rms.max())
        shown = " / ".join(three_digits(100 * x) for x in sizes)
        lost, largest, turn = len(many.lost), many.e_r.max(), np.degrees(many.e_R.max())
        found += [
            Row(f"{name}, rms e_r: as described, median, 95 %, worst", f"{shown} cm"),
            Row(f"{name}, largest e_r and e_R of all", f"{three_digits(100 * largest)} cm, {three_digits(turn)}°"),
            Row(f"{name}, further than 1 m; within twice the error as described",
                f"{lost} of {len(rms)}; {100 * many.within_twice:.0f} %"),
        ]  # fmt: skip
    return found


def draw(spreads: list[copter.Spread], path: Path) -> None:
    """Errors over time: bands of all flights, the worst at each time, and the vehicle as it is described."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    with mpl.rc_context({"svg.hashsalt": "visviva", "svg.fonttype": "none"}):
        figure, panels = plt.subplots(1, len(spreads), figsize=(2.6 * len(spreads), 2.6), layout="constrained")
        for axes, many in zip(np.atleast_1d(panels), spreads, strict=True):
            e, every = 100 * many.e_r, slice(None, None, 8)
            low, high = np.quantile(e, BAND, axis=0)
            t = many.t[every]
            axes.fill_between(t, low[every], high[every], color="C0", alpha=0.35, lw=0, label="90 % of flights")
            axes.plot(t, np.median(e, axis=0)[every], "C0", lw=1.2, label="median")
            axes.plot(t, e.max(axis=0)[every], "C3", lw=0.8, label="worst")
            own = many.nominal.errors
            axes.plot(own["t"][every], 100 * own["e_r"][every], "k", lw=0.8, label="as described")
            axes.set(title=many.nominal.plan.name, xlabel="t [s]", ylim=(0, None))
        np.atleast_1d(panels)[0].set_ylabel("error of position [cm]")
        np.atleast_1d(panels)[0].legend(frameon=False, fontsize="small")
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)
