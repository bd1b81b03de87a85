"""The loop: chunks of steps are made, checked, accounted for and logged."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.integrate.chunk import Chunk
from visviva.integrate.domain import first_half_turn
from visviva.integrate.inputs import BadInput
from visviva.integrate.integrator import Advancing, Inputs
from visviva.integrate.newton import NotConverged
from visviva.integrate.stepping import NO_SOLUTION, WRONG
from visviva.model import Model, State
from visviva.model.course import Instant
from visviva.results.accounts import Accounts
from visviva.results.columns import row_highest
from visviva.results.record import Record
from visviva.results.tallies import Tallies

GROWTH = 1e3  # of the rounding of a balance, from what it was: a spurious solution has huge multipliers, which round so


@final
@dataclass(frozen=True, eq=False)
class Logged:
    """Steps as they are recorded, and the states at their ends."""

    record: Record
    chunk: Chunk
    before: State
    taken: Array
    angles: Array

    @property
    def failure(self) -> BaseException | None:
        """Why there are no more steps."""
        return self.chunk.failure

    def state(self, k: int) -> State:
        """The state after k of the steps."""
        return self.chunk.state(self.before, k, self.taken[k], self.angles[k])

    def divided(self, k: int) -> int:
        """How many of the first k steps were solved in smaller parts."""
        return int((self.chunk.parts[:k] > 1).sum())


@final
class Loop:
    """The state of a running simulation: the only place where time advances.

    exact: whether its steps close the balance of energy, so that one that does not is no solution.
    like:  another one of the same model: what does not depend on states is shared.
    """

    def __init__(
        self,
        model: Model,
        stepping: Advancing,
        state: State,
        h: float,
        inputs: Inputs,
        *,
        exact: bool = True,
        like: Loop | None = None,
    ) -> None:
        self.model = model
        self._exact = exact
        self.stepping = stepping
        self.inputs = inputs
        same_clock = state.steps > 0 and state.h == h
        rate = tuple(known for known in state.rate if known.shape == (stepping.width,))
        clock = (state.t0, state.steps) if same_clock else (state.t, 0)
        self.state = dataclasses.replace(state, rate=rate, t0=clock[0], steps=clock[1], h=h)
        self._accounts: Accounts = Accounts(model, state.x) if like is None else like._accounts.anew(state.x)
        elements = [] if model.definition is None or like is not None else model.definition.elements
        self._bushings: bool = any(part.half_turn for part in elements) if like is None else like._bushings
        self._scale = self._rounding = 0.0  # of energy, and of its balance, so far
        self._shared: dict[str, Record] = {} if like is None else like._shared
        self._u: Array = inputs(self.state.t)[None]  # inputs at the nodes of the chunk in work

    def start(self) -> Record:
        """The record of no steps; columns of steps are the same at all states."""
        state, kept = self.state, self._shared.get("no steps")
        if kept is None or self.model.feedback:
            self._shared["no steps"] = made = self._logged(self.stepping.advance(state, 0))[0]
            return made
        nodes = {"t": np.array([state.t]), "x": state.x[None].copy(), "angles": state.angles[None].copy()}
        return dataclasses.replace(kept, **nodes, taken=state.taken[None].copy(), u=self._u[-1:].copy())

    def advance(self, n: int) -> Logged:
        """Up to n steps from the state, which stays: take one of the states that come out."""
        known = self._u[-1:]
        return self._accounted(self._with_inputs(self._valid(self.stepping.advance(self.state, n))), known)

    def account(self, chunk: Chunk, u: Sequence[Array] | Array) -> Logged:
        """The same for steps that were made already; u: inputs at their ends."""
        known = self._u[-1:]
        chunk = self._valid(chunk)
        self._u = np.concatenate([known, np.reshape(u[: chunk.steps], (chunk.steps, known.shape[1]))])
        return self._accounted(chunk, known)

    def follow(self, record: Record, state: State, h: float) -> None:
        """Go on after steps that another loop has made, from the state at their end."""
        self._accounts.work += float(record.work.sum())
        self._scale = max(self._scale, float(record.scale.max(initial=0.0)))
        self._rounding = max(self._rounding, float(record.rounding.max(initial=0.0)))
        self._u = record.u[-1:]
        self.state = state if state.h == h else dataclasses.replace(state, t0=state.t, steps=0, h=h)

    def _accounted(self, chunk: Chunk, known: Array) -> Logged:
        """Steps as they are recorded, up to the first that is no solution; known: the inputs before the first."""
        before = self._accounts.work
        record, taken, angles = self._logged(chunk)
        wrong = self._first_wrong(record)
        if wrong is not None:  # it is tried by itself when it comes first
            self._accounts.work, self._u = before, known if wrong == 0 else self._u[: wrong + 1]
            chunk = chunk.first(wrong, None) if wrong else self._alone()
            record, taken, angles = self._logged(chunk)
        self._scale = max(self._scale, float(record.scale.max(initial=0.0)))
        self._rounding = max(self._rounding, float(record.rounding.max(initial=0.0)))
        return Logged(record, chunk, self.state, taken, angles)

    def _alone(self) -> Chunk:
        """One step by itself."""
        return self._with_inputs(self._valid(self.stepping.alone(self.state)))

    def _first_wrong(self, record: Record) -> int | None:
        """The first step of a mechanism that misses so much energy that it is no solution, see `Stepping`."""
        if self.model.definition is None or not self._exact:
            return None
        if not record.steps or record.closure.max() <= WRONG * max(self._scale, float(record.scale[0])):
            return None  # nearly always: the scale only grows
        moved = np.maximum.accumulate(np.maximum(self._scale, record.scale))
        known = np.maximum.accumulate(np.append(self._rounding, record.rounding))
        before = known[:-1] if self._rounding else np.append(known[1:2], known[1:-1])  # the first step has none
        rounding = np.minimum(known[1:], GROWTH * before)
        wrong = np.flatnonzero(~(record.closure <= np.maximum(WRONG * moved, NO_SOLUTION * rounding)))
        return int(wrong[0]) if len(wrong) else None

    def _valid(self, chunk: Chunk) -> Chunk:
        """The steps whose end has a meaning: positive temperatures, energies inside of their domains."""
        if not chunk.steps:
            return chunk
        if self.model.definition is not None:  # energies of bodies are defined everywhere
            across = None if not self._bushings else first_half_turn(self.model, chunk.x)
            return chunk if across is None else chunk.first(*across)
        bad: dict[int, str] = {}
        H = self.model.exergies(chunk.x[1:])
        wrong = np.argwhere(~np.isfinite(H))
        if len(wrong):
            step, storage = wrong[wrong[:, 0].argmin()]
            bad[int(step)] = f"the energy of {self.model.storages[storage].name!r} would be not finite"
        hot = [variable.name for variable in self.model.variables if variable.entropy]
        if hot:
            rows = self.model.layout.act(tuple(hot))
            with np.errstate(invalid="ignore"):
                theta = self.model.z(chunk.x[1:])[:, rows] + self.model.theta0
            cold = np.argwhere(~(theta > 0))
            if len(cold):
                step, k = (int(i) for i in cold[cold[:, 0].argmin()])
                reason = f"the temperature at junction {hot[k]!r} would be {theta[step, k]:.4g} K"
                bad = {step: reason} if step <= min(bad, default=step) else bad
        if not bad:
            return chunk
        step = min(bad)
        return chunk.first(step, NotConverged(bad[step], -1, np.nan))

    def _angles(self, x: Array, counted: Tallies | None) -> Array:
        """Angles at all nodes, continued from the last ones."""
        if not self.model.turns:
            return np.zeros((len(x), 0))
        if counted is not None:
            return np.concatenate([self.state.angles[None], counted.angles])
        raw = self.model.angles(x[1:])
        angles = np.empty((len(x), raw.shape[-1]))
        angles[0] = self.state.angles
        for k in range(len(raw)):
            angles[k + 1] = angles[k] + np.remainder(raw[k] - angles[k] + np.pi, 2 * np.pi) - np.pi
        return angles

    def _taken(self, chunk: Chunk) -> Array:
        """What reservoirs have taken up at all nodes, added step by step."""
        width = self.model.layout.total - self.model.layout.solved
        return np.cumsum(np.concatenate([self.state.taken[None], chunk.taken.reshape(chunk.steps, width)]), axis=0)

    def _with_inputs(self, chunk: Chunk) -> Chunk:
        """The steps at whose ends the inputs are defined."""
        known, constant = self._u[-1:], self.inputs.constant
        if constant is not None:
            self._u = np.concatenate([known, np.broadcast_to(constant, (chunk.steps, len(constant)))])
            return chunk
        rows = list(known)
        try:
            for t in self._clock(chunk)[0][1:]:
                rows.append(self.inputs(float(t)))
        except (BadInput, KeyboardInterrupt) as error:
            chunk = chunk.first(len(rows) - 1, error)
        self._u = np.array(rows)
        return chunk

    def _clock(self, chunk: Chunk) -> tuple[Array, Array, Array]:
        """Times of the nodes, of the midpoints, and the lengths of the steps."""
        state, n = self.state, chunk.steps
        if chunk.pace is not None:
            return chunk.pace.t, chunk.pace.t[:-1] + 0.5 * chunk.pace.h, chunk.pace.h
        steps = state.steps + np.arange(n + 1, dtype=np.float64)
        return state.t0 + steps * state.h, state.t0 + (steps[:-1] + 0.5) * state.h, np.full(n, state.h)

    def _logged(self, chunk: Chunk) -> tuple[Record, Array, Array]:
        model, n = self.model, chunk.steps
        taken, angles = self._taken(chunk), self._angles(chunk.x, chunk.tallies)
        t, t_mid, h = self._clock(chunk)
        u = self._u[: n + 1]
        if model.feedback:
            u = model.supplied(t, chunk.x, model.z(chunk.x), u, Instant(model, chunk.x, angles))
        heat, work = chunk.heat.reshape(n, len(model.dissipations)), chunk.work.reshape(n, len(model.ports))
        u_mid, w = chunk.u.reshape(n, u.shape[1]), chunk.w.reshape(n, len(model.kinds))
        record = Record(
            t=t,
            x=chunk.x,
            angles=angles,
            taken=taken,
            u=u,
            t_mid=t_mid,
            h=h,
            count=np.ones(n),
            error=np.zeros(n) if chunk.pace is None else chunk.pace.error,
            u_mid=u_mid,
            w_mid=w,
            x_before=chunk.x[:-1],
            heat=heat,
            work=work,
            power=work / h[:, None],
            turn=row_highest(np.abs(angles[1:] - angles[:-1])),
            iterations=chunk.iterations.astype(np.float64).reshape(n),
            residual=chunk.residual.astype(np.float64).reshape(n),
            **self._accounts.of(chunk.x, u, taken, heat, work, u_mid * h[:, None], w, h, chunk.tallies),
        )
        return record, taken, angles
