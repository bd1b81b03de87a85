"""The account of a flow's run: its balance of energy step by step, and how far its constraints are off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, final

import numpy as np

from visviva.forms.flows.balance import supplied
from visviva.forms.flows.flow import Flow, FlowState
from visviva.forms.flows.local import FlowStep, Local
from visviva.forms.flows.schemes import AbstractFlowScheme
from visviva.results.audit import Audit
from visviva.results.components import Account
from visviva.results.rounding import EPS, ROUNDINGS

if TYPE_CHECKING:
    from visviva.results.trajectory import Trajectory

WAITING = 4096  # steps whose balance is not computed before it is asked for
NO_ENERGY = "the flow has no energy"
NO_HEAT = "a flow tells power, not which part of it is heat"
NO_POWER = "the flow tells no power, which counts as zero"
NO_STEP = "no step was made"
UNTOLD = "the flow does not tell its constraints"
FREE = "the flow has no constraints"
ON_VELOCITIES = "all rows are on velocities, and know no positions"


@final
class FlowAccount:
    """ΔH of each step against the work h Σ b_i P_i of its own quadrature, where P is the power at its stages.

    Figures are relative to the largest energy that moves, is exchanged or supplied since the start of the run: it does
    not matter where energies count from. Where nothing moves, to a part of the terms that add up to nothing.

    Powers are evaluated when the account is asked for, or where many steps are waiting: a run that nobody audits does
    not pay for them.
    """

    def __init__(self, flow: Flow, scheme: AbstractFlowScheme) -> None:
        self.flow, self.scheme = flow, scheme
        self.steps, self.iterations = 0, 0
        self.closure, self.drift, self.work, self.rounding, self.scale = 0.0, 0.0, 0.0, 0.0, 0.0
        self.violations: dict[str, float | None] | None = {}
        self._waiting: list[tuple[FlowState, FlowStep]] = []

    def add(self, state: FlowState, steps: Sequence[FlowStep]) -> None:
        """Steps that were made one after the other from a state."""
        for step in steps:
            self._waiting.append((state, step))
            state = step.end
        if len(self._waiting) > WAITING:
            self._settle()

    def _settle(self) -> None:
        for state, step in self._waiting:
            if not self.steps:
                self._begin(state)
            self.steps += 1
            self.iterations += step.iterations
            if self.flow.has_energy:
                self._balance(state, step)
            self._look(step.end)
        self._waiting.clear()

    def _begin(self, state: FlowState) -> None:
        self._start = state
        self._first = self.flow.energy(state.q, state.xi, state.s) if self.flow.has_energy else 0.0
        self._look(state)

    def _look(self, state: FlowState) -> None:
        found = self.flow.violations(state)
        if found is None or self.violations is None:
            self.violations = None
            return
        for name, value in found.items():
            self.violations[name] = None if value is None else max(self.violations.get(name) or 0.0, value)

    def _balance(self, state: FlowState, step: FlowStep) -> None:
        flow, local = self.flow, Local(self.flow, state)
        first, last = (flow.energy(each.q, each.xi, each.s) for each in (state, step.end))
        mean = supplied(local, step.c, step.b, step.Y, step.h)
        gap, work = last - first - step.h * mean, step.h * mean
        size = max(flow.energy_size(each.q, each.xi, each.s) for each in (state, step.end))
        self.closure = max(self.closure, abs(gap))
        self.rounding = max(self.rounding, EPS * (2 * size + abs(work)))
        self.drift, self.work = self.drift + gap, self.work + work
        parts = max(float(np.abs(flow.energy_changes(self._start, each)).sum()) for each in (state, step.end))
        self.scale = max(self.scale, parts, abs(last - self._first), abs(self.work))

    def audit(self, run: Trajectory) -> Audit:
        """The figures of the run; what was not measured is None, with the reason."""
        self._settle()
        vacuous, unmeasured = dict[str, str](), {"second_law": NO_HEAT}
        if not self.steps:
            vacuous |= dict.fromkeys(("first_law", "drift", "rounding", "g", "g_v"), NO_STEP)
        elif not self.flow.has_energy:
            unmeasured |= dict.fromkeys(("first_law", "drift"), NO_ENERGY)
            vacuous["rounding"] = NO_ENERGY
        for name in ("g", "g_v"):
            if self.violations is None:
                unmeasured[name] = UNTOLD
            elif name not in self.violations:
                vacuous[name] = FREE
            elif self.violations[name] is None:
                unmeasured[name] = ON_VELOCITIES
        unit = self.scale if self.scale > ROUNDINGS * self.rounding else self.rounding / EPS * 1e-3 or 1.0
        figures = {"first_law": self.closure / unit, "drift": abs(self.drift) / unit, **(self.violations or {})}

        def figure(name: str) -> float | None:
            return None if name in unmeasured else 0.0 if name in vacuous else figures[name]

        stored = self.drift + self.work
        accounts = {"stored": Account(stored, stored)} if self.flow.has_energy else {}
        if self.flow.has_energy and self.flow.has_power:
            accounts["supplied"] = Account(-self.work)
        elif self.flow.has_energy:
            unmeasured["supplied"] = NO_POWER
        return Audit(
            name=self.flow.name,
            integrator=type(self.scheme).__name__,
            t=(float(run.t[0]), float(run.t[-1])),
            steps=self.steps,
            first_law=figure("first_law"),
            drift=figure("drift"),
            rounding=self.rounding,
            roundings=self.closure / (self.rounding or 1.0),
            second_law=None,
            g=figure("g"),
            g_v=figure("g_v"),
            energy_scale=self.scale,
            unit=unit,
            theta0=1.0,
            iterations=self.iterations / max(1, self.steps),
            components=accounts,
            warnings=tuple(run.warnings),
            exact="energy" in self.scheme.preserves,
            unmeasured=unmeasured,
            vacuous=vacuous,
        )
