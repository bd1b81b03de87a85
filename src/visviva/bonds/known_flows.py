"""Flows of a mechanism that are known: rows Z ξ of what a spanning tree does not hold, independent of each other."""

from __future__ import annotations

from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.point import Point
from visviva.model.driven import row_inputs
from visviva.model.rows import RowKind
from visviva.numerics.rank import preferred_rows, unit_rows


@final
class KnownFlows:
    """Which rows of a form are kept, as assembled: those that follow from others say nothing, and are left out.

    kept:         rows by constraint.   driven: constraints with a law of time.
    nonholonomic: constraints on velocities alone.   foreign: states besides motion that rows do not determine.
    """

    def __init__(self, form: MinimalForm) -> None:
        self.form = form
        model = form.open
        first = model.layout.dim
        rows = {part.name: model.layout.z[part.name] for part in model.constraints}
        places = {name: range(at.start - first, at.stop - first) for name, at in rows.items()}
        self.driven = {part.name for part in model.constraints if part.kind is RowKind.DRIVEN}
        self.nonholonomic = {part.name for part in model.constraints if part.kind is RowKind.NONHOLONOMIC}
        chosen = self._independent([k for name in sorted(places, key=self._order) for k in places[name]])
        self.kept = {name: found for name, at in places.items() if (found := [k for k in at if k in chosen])}
        self._shifts = {f"{name}.shift": places[name] for name in places}
        known = {*form.states.angles, *self._shifts}
        self.foreign = [name for name in form.states.s if name not in known]

    def _order(self, name: str) -> bool:
        """What is driven comes first: its reaction is asked for."""
        return name not in self.driven

    def _independent(self, order: list[int]) -> set[int]:
        form = self.form
        if not order:
            return set()
        if (here := form.rank_at(form.initial.q)) < form.rank:
            raise ModelError(
                f"mechanism {form.name!r} is at a singular configuration as assembled: {here} of its "
                f"constraints are independent, {form.rank} near by.\nAssemble it elsewhere for a bond graph."
            )
        point = form.at(form.initial.q)
        unit = point.velocity_units
        rows = unit_rows(point.Z * unit, np.linalg.norm(point.row_terms * unit, axis=1))[0]
        return set(preferred_rows(rows, form.rank, order))

    def known(self, name: str, t: float) -> Array:
        """ᶜf of a constraint."""
        return self._of_inputs(name, self.form.inputs(t))

    def known_rates(self, name: str, t: float) -> Array:
        """Its rate."""
        return self._of_inputs(name, self.form.inputs_at(t, self.form.at(self.form.initial.q))[1])

    def _of_inputs(self, name: str, u: Array) -> Array:
        """Drives act on their rows by constant matrices."""
        return -row_inputs(self.form.open, self._x, u)[self.kept[name]]

    @property
    def _x(self) -> Array:
        return np.zeros(self.form.open.layout.size)

    def others(self, point: Point) -> Array:
        """Rates of angles over many turns and of what drives prescribe, over ξ."""
        form, rows = self.form, list[Array]()
        for name in form.states.s:
            if name in form.states.angles:
                part = form.model.measured[name]
                q = form.model.local(part, point.x)[0]
                rows.append(part.C(q) @ point.S[self._columns(part.acts[1:])])
            else:
                at = list(self._shifts[name])
                rows.append(point.Z[at] * (name.removesuffix(".shift") in self.driven))
        return np.concatenate([np.zeros((0, form.n)), *rows])

    def _columns(self, acts: tuple[str, ...]) -> Array:
        """Rows of S of the velocities of some bodies."""
        place = {int(k): i for i, k in enumerate(self.form.at_z)}
        return np.array([place[int(k)] for k in self.form.model.layout.act(acts)], dtype=np.intp)
