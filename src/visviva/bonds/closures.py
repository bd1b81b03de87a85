"""What a tree of joints cannot hold, in the graph of a mechanism: joints in loops, gears, rolling, drives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.bonds.construction import Parts, plain
from visviva.bonds.elements import TF, Element, zero
from visviva.bonds.known_flows import KnownFlows
from visviva.bonds.placed import Placed
from visviva.bonds.placed_laws import PlacedLaw, Placements, TimeLaw
from visviva.forms.minimal.form import MinimalForm
from visviva.mechanism.coupling import Coupling
from visviva.mechanism.parts import Body, Particle


@final
class Closures:
    """0-junctions whose efforts are the reactions that make their flows balance.

    rates: of joints in the tree, their 1-junction, the column of each coordinate, and its width.
    """

    def __init__(
        self,
        form: MinimalForm,
        placements: Placements,
        parts: Parts,
        rates: dict[str, tuple[str, dict[int, int], int]],
    ) -> None:
        self.form, self.m, self.placements, self.parts, self.rates = form, form.definition, placements, parts, rates
        self.flows = KnownFlows(form)

    def all(self) -> None:
        """One for each constraint with rows of its own."""
        for name, rows in self.flows.kept.items():
            self._closure(name, rows)

    def _closure(self, name: str, rows: list[int]) -> None:
        """Flows of all that a constraint ties balance; what its moduli change by is known together."""
        label, k = plain(name), len(rows)
        condition = next((part for part in self.m.conditions if part.name == name), None)
        terms = self._terms(condition)
        junction = replace(zero(width=k), free=True, label=name)
        if terms:
            self.parts.add(label, junction)
            for rate, row in terms.items():
                ratio = TF(row[None], label="n") if len(row) > 1 else TF(float(row[0]), label=f"{row[0]:g}")
                self.parts.add(f"{label}.{rate.removesuffix('.rate')}", ratio, f"< {rate}", f"> {label}")
        else:
            self._over_bodies(name, label, rows, junction)
        if name in self.flows.driven:
            known, rates = self.flows.known, self.flows.known_rates
            law = TimeLaw(f"{name}(t)", k, lambda t: known(name, t), lambda t: rates(name, t))
            self.parts.add(f"{label}.f", Element("Sf", law, widths=(k,), label=f"{name}(t)"), f"> {label}")

    def _terms(self, condition: Any) -> dict[str, Array]:
        """Rows over the rates of joints, with signs that make an Sf what drives them, if a condition is such."""
        if not isinstance(condition, Coupling):
            return {}
        found: dict[str, Array] = {}
        for term in condition.terms:
            if term.joint.name not in self.rates or term.coordinate not in term.joint.joint.coordinates:
                return {}
            at = term.joint.joint.coordinates.index(term.coordinate)
            rate, columns, k = self.rates[term.joint.name]
            row = found.setdefault(rate, np.zeros(k))
            row[columns[at]] -= term.coefficient
        return found

    def _over_bodies(self, name: str, label: str, rows: list[int], junction: Element) -> None:
        form, k = self.form, len(rows)
        first = {body.name: int(at) for body, at in zip(self.m.bodies, self._starts(), strict=True)}
        part = next(p for p in form.open.constraints if p.name == name)
        movers = [body for body in self.m.bodies if f"{body.name}.v" in part.acts]

        def block(p: Placed, body: Body | Particle) -> Array:
            at, wide = first[body.name], 6 if isinstance(body, Body) else 3
            return p.point.C[np.ix_(rows, range(at, at + wide))]

        law = PlacedLaw(self.placements, f"drift of {name!r}", "drift", (k,), lambda p: -p.row_drift[rows])
        self.parts.add(label, replace(junction, given=law))
        for body in movers:
            wide = 6 if isinstance(body, Body) else 3

            def row(p: Placed, body: Body | Particle = body) -> Array:
                return -block(p, body) @ p.model_velocity(body)

            modulus = PlacedLaw(
                self.placements, f"-Z of {name!r}", "matrix", (k, wide), row, drift=lambda p: np.zeros(k)
            )
            self.parts.transform(f"{label}.{plain(body.name)}", modulus, "-Z", plain(body.name), label)

    def _starts(self) -> Array:
        """Where the velocities of each body begin among those of all."""
        return np.cumsum([0, *(6 if rigid else 3 for rigid in self.form.rigid[:-1])])
