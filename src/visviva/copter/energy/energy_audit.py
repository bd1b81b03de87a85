"""The audit of a flight: what was supplied, what it went into, and how exactly that closes in each step."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array, finite_number
from visviva._suggestions import suggesting
from visviva.errors import ModelError
from visviva.results.rounding import EPS, ROUNDINGS
from visviva.results.sankey import Panel, draw_panels
from visviva.results.shares import ROUNDING, Share, two_sides

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH = 78
NO_VERDICT = f"{'  no verdict':<31}steps are not made to keep energy: this is their error"


@final
@suggesting
@dataclass(frozen=True, eq=False)
class EnergyAudit:
    """Works in each step and energies at nodes [J], by name.

        Σ supplied = Σ spent + change of Σ stored

    supplied, spent: (N,) each.   stored: (N + 1,) each.   air: work of the air on each propeller, (N,) each, which is
    part of the wake.   exact: whether steps claim to close.   ok: they do, and nowhere beyond the model, of which
    `warnings` tell.
    """

    name: str
    how: str
    t: Array
    supplied: dict[str, Array]
    spent: dict[str, Array]
    stored: dict[str, Array]
    air: dict[str, Array]
    exact: bool = True

    @property
    def energy(self) -> Array:
        """Σ stored [J], (N + 1,)."""
        return np.sum(list(self.stored.values()), axis=0)

    @property
    def closure(self) -> Array:
        """What is missing in each step [J], (N,)."""
        changes = np.sum([np.diff(energy) for energy in self.stored.values()], axis=0)
        return np.asarray(changes + _sum(self.spent) - _sum(self.supplied))

    @property
    def scale(self) -> float:
        """The largest of Σ|stored|, heights from the start, and of Σ|work| of a step [J]."""
        moved = sum(np.abs(E - (E[0] if name in ("height", "potential") else 0)) for name, E in self.stored.items())
        return max(float(np.max(moved)), float(self._works.max(initial=0.0))) or 1.0

    @property
    def rounding(self) -> float:
        """ε times the terms that are added and subtracted in a step, the largest of all [J]."""
        terms = np.sum(np.abs(list(self.stored.values())), axis=0)
        return EPS * float(terms.max() + self._works.max(initial=0.0))

    @property
    def _works(self) -> Array:
        return np.sum(np.abs([*self.spent.values(), *self.supplied.values()]), axis=0)

    @property
    def first_law(self) -> float:
        """Largest of `closure`, relative to `scale`."""
        return float(np.abs(self.closure).max(initial=0.0)) / self.scale

    @property
    def is_closed(self) -> bool:
        """Whether each step is closed to rounding."""
        return self._roundings <= ROUNDINGS

    @property
    def _roundings(self) -> float:
        return float(np.abs(self.closure).max(initial=0.0)) / self.rounding

    @property
    def _drift(self) -> float:
        return abs(float(self.closure.sum())) / self.scale

    @property
    def warnings(self) -> tuple[str, ...]:
        """Where the model ends."""
        return driven_by_air(self.air, self.t)

    @property
    def ok(self) -> bool:
        """Whether all steps that claim it are closed, within the model."""
        return (self.is_closed or not self.exact) and not self.warnings

    @property
    def duration(self) -> float:
        """[s]."""
        return float(self.t[-1] - self.t[0])

    @property
    def power(self) -> dict[str, float]:
        """Mean powers of what was supplied and spent [W]."""
        return {name: float(work.sum()) / self.duration for name, work in (self.supplied | self.spent).items()}

    def between(self, since: float, until: float) -> EnergyAudit:
        """The same of the steps between two times [s]."""
        for name, given in (("since", since), ("until", until)):
            if not (isinstance(given, float) and np.isinf(given)):
                finite_number(given, f"{name} of an audit [s]")
        kept = np.flatnonzero((self.t >= since - ROUNDING) & (self.t <= until + ROUNDING))
        if len(kept) < 2:
            raise ModelError(
                f"{self.name} lasts from {self.t[0]:g} to {self.t[-1]:g} s; there is no step between {since:g} and "
                f"{until:g} s."
            )
        steps, nodes = slice(kept[0], kept[-1]), slice(kept[0], kept[-1] + 1)
        works = (self.supplied, self.spent, self.air)
        supplied, spent, air = ({name: work[steps] for name, work in part.items()} for part in works)
        stored = {name: energy[nodes] for name, energy in self.stored.items()}
        return replace(self, t=self.t[nodes], supplied=supplied, spent=spent, stored=stored, air=air)

    def __str__(self) -> str:
        mark = "✓" if self.is_closed else "✗" if self.exact else " "
        lines = [
            f"Energy of {self.name}: {self.how}, t = {self.t[0]:g} … {self.t[-1]:g} s",
            "─" * WIDTH,
            f"{'first law':<16}{self.first_law:>11.2e}  {mark} largest |Δstored + spent − supplied| of a step / scale",
            f"{'  drift':<16}{self._drift:>11.2e}    the same, summed over all steps",
            f"{'  rounding':<16}{self.rounding:>11.2e}    [J] of a step; {self._roundings:.2g} missed, "
            f"{ROUNDINGS:.0f} allowed",
            *([] if self.is_closed or self.exact else [NO_VERDICT]),
            f"{'scale':<16}{self.scale:>11.4g}  J",
            "─" * WIDTH,
            f"{'':<24}{'work [J]':>18}{'mean power [W]':>20}",
            *self._rows("supplied by", self.supplied),
            *self._rows("went into", self.spent),
        ]
        changes = {name: energy[-1:] - energy[:1] for name, energy in self.stored.items()}
        lines += [*self._rows("stored more in", changes), "─" * WIDTH]
        for text in self.warnings:
            lines += textwrap.wrap(f"note: {text}", WIDTH, subsequent_indent="      ")
        return "\n".join([*lines, self._verdict()])

    def _verdict(self) -> str:
        if not self.is_closed and self.exact:
            return "NOT CLOSED: a term is missing, or the step is too long"
        off = "" if self.is_closed else f" but {self._drift:.1e} of the scale: steps keep energy to their accuracy only"
        return f"every joule accounted for{off}{'; beyond the model, see the note' if self.warnings else ''}"

    def _rows(self, title: str, works: Mapping[str, Array]) -> list[str]:
        """Lines of what has done or taken work."""
        sums = {name: float(work.sum()) for name, work in works.items() if work.any()}
        rows = [f"  {name:<22}{work:>18.9g}{work / self.duration:>20.4g}" for name, work in sums.items()]
        whole = sum(sums.values())
        return [f"{title:<24}{whole:>18.9g}{whole / self.duration:>20.4g}", *rows]

    def plot(self) -> Figure:
        """Powers over time, and how exactly each step closes."""
        from visviva.copter.energy.plot_energies import plot_energies

        return plot_energies(self)

    def sankey(self, path: str | PathLike[str] | None = None) -> Figure:
        """Ribbons from where energy came from to where it went; path: of a picture."""
        gains = [Share(name, "input", -float(work.sum())) for name, work in self.supplied.items()]
        for name, work in self.spent.items():
            sink = "environment" if name in ("wake", "drag", "blades") else "heat"
            gains.append(Share(name, sink, float(work.sum())))
        gains += [Share(name, "stored", float(energy[-1] - energy[0])) for name, energy in self.stored.items()]
        panel = Panel(self.name, "energy", *two_sides(gains, ROUNDING * self.scale), narrow=False)
        return draw_panels(self.name, [panel] if panel.total > 0 else [], path)


def driven_by_air(work: Mapping[str, Array], t: Array) -> tuple[str, ...]:
    """What to say where (5.3) makes air drive a propeller: it climbs faster than κ_T ϖ/κ_F, where the law ends.

    work: of the air on each rotor in each step [J] between nodes t.
    """
    given = {name: float(own[own > 0].sum()) for name, own in work.items()}
    driven = {name: joules for name, joules in given.items() if joules > 0}
    if not driven:
        return ()
    worst = max(driven, key=lambda name: driven[name])
    power = np.ravel(work[worst]) / np.diff(t)
    k, others = int(np.argmax(power)), len(driven) - 1
    more = f", and {others} other{'s' if others > 1 else ''}" if others else ""
    return (
        f"the air drives {worst!r} at t = {t[k]:.4g} s, with {power[k]:.3g} W{more}: thrust κ_F ϖ² at an axial speed "
        f"above κ_T ϖ/κ_F is more than its torque pays for, {sum(driven.values()):.3g} J in all. The law of thrust "
        "does not hold there.",
    )


def _sum(works: Mapping[str, Array]) -> Array:
    return np.sum(list(works.values()), axis=0)
