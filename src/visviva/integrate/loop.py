"""One chunk of steps: solve, check, account, log."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.integrate.integrator import AbstractStepper, Step
from visviva.integrate.names import row_name
from visviva.integrate.newton import NotConverged
from visviva.integrate.redundancy import select_rows
from visviva.model import Model, State
from visviva.results.record import NODES, Record

G_TOLERANCE = 1e-9  # of the size of the terms of g: a row that was not solved must hold as well


@final
class Loop:
    """The state of a running simulation: the only place where time advances."""

    def __init__(
        self, model: Model, stepper: AbstractStepper, state: State, h: float, inputs: Callable[[float], Array]
    ) -> None:
        self.model = model
        self.stepper = stepper
        self.inputs = inputs
        same_clock = state.steps > 0 and state.h == h
        self.state = state if same_clock else dataclasses.replace(state, t0=state.t, steps=0, h=h)
        self.states = [self.state]
        self._rows: list[dict[str, Array | float]] = []
        self._H = float(model.H(state.x))

    def advance(self, n: int) -> None:
        """Make n steps; what raises leaves the steps before it in place."""
        for _ in range(n):
            self._step()

    def flush(self) -> tuple[Record, list[State]]:
        """The steps since the last flush and the states at their ends; the loop goes on from the last one."""
        record, states = self._record(), self.states
        self.states, self._rows = [self.state], []
        return record, states

    def _step(self) -> None:
        state, h = self.state, self.state.h
        t_mid = state.t0 + (state.steps + 0.5) * h
        u = self.inputs(t_mid)
        step, active = self._solve(state, h, u)
        angles, turn = self._angles(state.angles, step.x)
        H = float(self.model.H(step.x))
        gap = self._gap(H - self._H, state.x, step)
        self._rows.append(
            {
                "t_mid": t_mid,
                "h": h,
                "u_mid": u,
                "w_mid": step.w,
                "x_before": state.x,
                "heat": step.heat,
                "work": step.work,
                "closure": abs(gap),
                "drift": gap,
                "lowest_heat": float(step.heat.min()) if len(step.heat) else 0.0,
                "g": float(self._relative_g(step.x).max(initial=0.0)),
                "turn": turn,
                "iterations": float(step.iterations),
                "residual": step.residual,
            }
        )
        self._H = H
        self.state = State(
            x=step.x,
            w=step.w,
            gam=step.gam,
            taken=state.taken + step.taken,
            angles=angles,
            active=active,
            rate=(step.rate, *state.rate[:1]),
            t0=state.t0,
            steps=state.steps + 1,
            h=h,
        )
        self.states.append(self.state)

    def _gap(self, dH: float, x0: Array, step: Step) -> float:
        """What is missing in the balance of exergy; where the model has entropy, also in that of energy: the larger."""
        model, work = self.model, float(step.work.sum())
        exergy = dH + float(step.heat.sum()) - work
        if not model.is_thermal:
            return exergy
        stored = float(model.entropy(step.x) - model.entropy(x0))
        at = np.concatenate([np.full(part.dim, part.entropy) for part in model.reservoirs] or [np.zeros(0, bool)])
        energy = dH + model.theta0 * (stored + float(step.taken[at].sum())) - work
        return max(exergy, energy, key=abs)

    def _solve(self, state: State, h: float, u: Array) -> tuple[Step, Mask]:
        """The step from the predictor, else from the old values, else with rows selected anew."""
        try:
            step = self.stepper.step(state, h, u)
        except NotConverged:
            cold = dataclasses.replace(state, rate=state.rate[:1])
            try:
                step = self.stepper.step(cold, h, u)
            except NotConverged as failure:
                active = select_rows(self.model, state.x)
                if (active == state.active).all():
                    raise failure from None
                step = self.stepper.step(dataclasses.replace(cold, active=active), h, u)
                state = dataclasses.replace(cold, active=active)
        broken = self._broken_row(step.x, state.active)
        if broken is None:
            return step, state.active
        # A row that was taken for redundant is not: the selection was made at a singular pose. Select where we are.
        active = select_rows(self.model, step.x)
        if (active != state.active).any():
            state = dataclasses.replace(state, active=active)
            step = self.stepper.step(state, h, u)
            broken = self._broken_row(step.x, active)
        if broken is not None:
            violated = NotConverged("a redundant constraint is violated", -1, np.nan)
            violated.where = row_name(self.model, broken)
            raise violated
        return step, active

    def _broken_row(self, x: Array, active: Mask) -> int | None:
        if active.all():
            return None
        g = self._relative_g(x)
        worst = int(g.argmax())
        if g[worst] <= G_TOLERANCE:
            return None
        return worst + len(active) - len(g)

    def _relative_g(self, x: Array) -> Array:
        g = self.model.g(x)
        return np.abs(g) / self.model.g_scale(x)

    def _angles(self, before: Array, x: Array) -> tuple[Array, float]:
        """Angles continued from the last ones, and the largest change."""
        change = np.remainder(self.model.angles(x) - before + np.pi, 2 * np.pi) - np.pi
        return before + change, float(np.abs(change).max(initial=0.0))

    def _record(self) -> Record:
        widths = {
            "u_mid": sum(port.width for port in self.model.ports),
            "w_mid": len(self.model.kinds),
            "x_before": self.model.layout.size,
            "heat": len(self.model.dissipations),
            "work": len(self.model.ports),
        }
        columns: dict[str, Array] = {}
        for field in dataclasses.fields(Record):
            if field.name in NODES:
                columns[field.name] = np.array([getattr(state, field.name) for state in self.states])
            else:
                shape = (len(self._rows), widths[field.name]) if field.name in widths else (len(self._rows),)
                values = [row[field.name] for row in self._rows]
                columns[field.name] = np.array(values, dtype=np.float64).reshape(shape)
        return Record(**columns)
