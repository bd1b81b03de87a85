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
from visviva.model import Model, RowKind, State
from visviva.results.accounts import Accounts
from visviva.results.record import NODES, Record

ROWS = ("t_mid", "h", "u_mid", "w_mid", "x_before", "heat", "work", "power", "turn", "iterations", "residual")
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
        self.states = [state if same_clock else dataclasses.replace(state, t0=state.t, steps=0, h=h)]
        self._u = [inputs(self.states[0].t)]
        self._rows: list[dict[str, Array | float]] = []
        self._accounts = Accounts(model, state.x)

    @property
    def state(self) -> State:
        """The last accepted state."""
        return self.states[-1]

    def advance(self, n: int) -> None:
        """Make n steps; what raises leaves the steps before it in place."""
        for _ in range(n):
            self._step()

    def flush(self) -> tuple[Record, list[State]]:
        """The steps since the last flush and the states at their ends; the loop goes on from the last one."""
        record, states = self._record(), self.states
        self.states, self._u, self._rows = [states[-1]], [self._u[len(states) - 1]], []
        return record, states

    def _step(self) -> None:
        state, h = self.state, self.state.h
        t_mid = state.t0 + (state.steps + 0.5) * h
        u = np.array([self.inputs(state.t0 + (state.steps + node) * h) for node in self.stepper.nodes])
        step, active = self._solve(state, h, u)
        self._check_temperatures(state.x, step.x)
        self._check_energies(step.x)
        angles, turn = self._angles(state.angles, step.x)
        row: dict[str, Array | float] = {
            "t_mid": t_mid,
            "h": h,
            "u_mid": np.asarray(self.stepper.weights) @ u,
            "w_mid": step.w,
            "x_before": state.x,
            "heat": step.heat,
            "work": step.work,
            "power": step.work / h,
            "turn": turn,
            "iterations": float(step.iterations),
            "residual": step.residual,
        }
        after = State(
            x=step.x,
            w=step.w,
            gam=step.gam,
            taken=state.taken + step.taken,
            angles=angles,
            active=active,
            names=state.names,
            rate=(step.rate, *state.rate[:1]),
            t0=state.t0,
            steps=state.steps + 1,
            h=h,
        )
        u_after = self.inputs(after.t)
        self._rows.append(row)
        self._u.append(u_after)
        self.states.append(after)  # last: a step counts only when its state is there

    def _check_temperatures(self, x0: Array, x1: Array) -> None:
        """A step with a temperature at or below zero has no meaning, whatever its balance: it is refused."""
        for z in (self.model.mean_z(x0, x1), self.model.z(x1)) if self.model.is_thermal else ():
            for name, theta in self.model.temperatures(z).items():
                if not theta > 0:
                    raise NotConverged(f"the temperature at junction {name!r} would be {theta:.4g} K", -1, np.nan)

    def _check_energies(self, x: Array) -> None:
        """An energy outside of its domain is no energy: the step that leads there is refused."""
        if self.model.mechanism is not None:
            return  # quadratic and linear everywhere
        for part in self.model.storages:
            if not np.isfinite(part.H(x[self.model.layout.x[part.variable]])):
                raise NotConverged(f"the energy of {part.name!r} would be not finite", -1, np.nan)

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
        broken = self._broken_row(state.x, step, state.active, u)
        if broken is None:
            return step, state.active
        # A row that was taken for redundant is not: the selection was made at a singular pose. Select where we are.
        active = select_rows(self.model, step.x)
        if (active != state.active).any():
            state = dataclasses.replace(state, active=active)
            step = self.stepper.step(state, h, u)
            broken = self._broken_row(state.x, step, active, u)
        if broken is not None:
            violated = NotConverged("a redundant constraint is violated", -1, np.nan)
            violated.where = row_name(self.model, broken)
            raise violated
        return step, active

    def _broken_row(self, x0: Array, step: Step, active: Mask, u: Array) -> int | None:
        """The worst row that was left out and does not hold: by its g, or by its rate where it has none."""
        if active.all():
            return None
        model, first = self.model, len(active) - sum(part.rows for part in self.model.constraints)
        gap = np.zeros(len(active))
        gap[first:] = self._relative_g(step.x)
        rates = np.array([kind is not RowKind.HOLONOMIC for _, kind in model.kinds]) & ~active
        if rates.any() and len(u) == 1:  # schemes with several stages check their own rows
            x, z = 0.5 * (x0 + step.x), model.mean_z(x0, step.x, step.w)
            rows = slice(model.layout.dim, model.layout.solved)
            size = np.abs(model.J(x)[rows]) @ np.abs(z)
            gap[rates] = (np.abs(model.flow(x, z, u[0])[rows]) / np.maximum(size, 1e-300))[rates]
        worst = int(gap.argmax())
        return worst if gap[worst] > G_TOLERANCE else None

    def _relative_g(self, x: Array) -> Array:
        g = self.model.g(x)
        return np.abs(g) / self.model.g_scale(x)

    def _angles(self, before: Array, x: Array) -> tuple[Array, float]:
        """Angles continued from the last ones, and the largest change."""
        change = np.remainder(self.model.angles(x) - before + np.pi, 2 * np.pi) - np.pi
        return before + change, float(np.abs(change).max(initial=0.0))

    def _record(self) -> Record:
        n = len(self.states) - 1
        widths = {"u_mid": sum(port.width for port in self.model.ports), "w_mid": len(self.model.kinds)}
        widths |= {"x_before": self.model.layout.size, "heat": len(self.model.dissipations)}
        widths |= {name: len(self.model.ports) for name in ("work", "power")}
        columns = {name: np.array([getattr(state, name) for state in self.states]) for name in NODES if name != "u"}
        columns["u"] = np.array(self._u[: n + 1])
        for name in ROWS:
            values = [row[name] for row in self._rows[:n]]
            columns[name] = np.array(values, dtype=np.float64).reshape((n, widths[name]) if name in widths else n)
        inflow = columns["u_mid"] * columns["h"][:, None]
        columns |= self._accounts.of(columns["x"], columns["taken"], columns["heat"], columns["work"], inflow)
        return Record(**columns)
