"""Steps one by one: retries, other rows where constraints are redundant, and smaller steps where one is too large."""

from __future__ import annotations

import dataclasses
from typing import final

import numpy as np

from visviva._arrays import Array, Mask
from visviva.integrate.chunk import HISTORY, Chunk, stack
from visviva.integrate.inputs import BadInput
from visviva.integrate.integrator import AbstractStepper, Inputs, Step
from visviva.integrate.newton import NotConverged
from visviva.integrate.redundancy import ROW_TOLERANCE, left_out_gaps, refuse, select_rows
from visviva.mechanism import Definition
from visviva.mechanism.parts import Body
from visviva.model import Model, State
from visviva.results.rounding import reaction_terms, state_terms, step_rounding

WRONG = 1e-8  # of the energies that move: a step that misses more is no solution
SPURIOUS = 1e4  # of all other terms of a balance: reactions beyond are huge multipliers of what is no solution
NO_SOLUTION = 1000.0  # units of rounding of its balance, the same where so little moves that rounding counts
HALVINGS = 8  # a step is divided into at most 2^8
FAILURES = 24  # parts of one step that may fail before it is given up: each takes as long as a hundred good ones
AT_REST = 1e-3  # of the size of coordinates per step: slower is rest, for rows that were left out


def energy_at_rest(m: Definition, h: float) -> float:
    """Σ m (ε |r|/h)² [J]: what bodies at rest have, whose places are rounded at both ends of a step."""
    sizes = [np.linalg.norm(body.r_WC if isinstance(body, Body) else body.r_W) for body in m.bodies]
    length = max([*map(float, sizes), 0.0]) or 1.0
    return sum(float(body.mass) for body in m.bodies) * (float(np.finfo(np.float64).eps) * length / h) ** 2


@final
class Stepping:
    """Advances a model by a stepper, step by step."""

    compiled = False
    t_end = np.inf  # it counts steps

    def __init__(self, model: Model, stepper: AbstractStepper, inputs: Inputs, halvings: int = HALVINGS) -> None:
        self.model = model
        self.stepper = stepper
        self.inputs = inputs
        self.halvings = halvings
        self.width = stepper.width
        self._failures = 0  # of the step in work

    def advance(self, state: State, n: int) -> Chunk:
        """Up to n steps."""
        before, steps, u, active, parts = state, list[Step](), list[Array](), list[Mask](), list[int]()
        failure: BaseException | None = None
        for _ in range(n):
            self._failures = 0
            try:
                step, rows, count, mean = self.step(state, state.h, self.halvings)
            except (NotConverged, BadInput, KeyboardInterrupt) as error:
                failure = error
                break
            older = state.rate[: HISTORY - 1] if count == 1 else ()
            state = dataclasses.replace(
                state, x=step.x, w=step.w, gam=step.gam, active=rows, rate=(step.rate, *older), steps=state.steps + 1,
                angles=self._angles(state, step.x),
            )  # fmt: skip
            steps.append(step)
            u.append(mean)
            active.append(rows)
            parts.append(count)
        return stack(before, steps, u, active, parts, failure, self.stepper.pivots)

    def alone(self, state: State) -> Chunk:
        """One step, which is what it makes anyway."""
        return self.advance(state, 1)

    def notes(self) -> list[str]:
        """None: what is divided is counted by the loop."""
        return []

    def step(self, state: State, h: float, halvings: int) -> tuple[Step, Mask, int, Array]:
        """One step, its rows, the number of its parts, and the mean inputs; divided in two where it has no solution."""
        nodes = zip(self.stepper.nodes, self.stepper.lengths, strict=True)
        u = np.array([self.inputs.over(state.t0, state.steps + node, part, h) for node, part in nodes])
        mean = np.asarray(self.stepper.weights) @ u
        try:
            step, active = self._solve(state, h, u)
            self._check_temperatures(state.x, step.x)
            self._check_balance(state.x, step, h)
        except NotConverged as failure:
            self._failures += 1
            if halvings == 0 or self._failures > FAILURES:
                raise
            try:
                return self._halved(state, h, halvings)
            except NotConverged:
                raise failure from None  # the whole step is what the user asked for
        return step, active, 1, mean if step.u is None else step.u

    def _check_temperatures(self, x0: Array, x1: Array) -> None:
        """A step with a temperature at or below zero has no meaning, whatever its balance: it is refused."""
        if self.model.is_thermal and len(self.stepper.nodes) == 1:  # schemes with several stages check their own
            for name, theta in self.model.temperatures(self.model.mean_z(x0, x1)).items():
                if not theta > 0:
                    raise NotConverged(f"the temperature at junction {name!r} would be {theta:.4g} K", -1, np.nan)

    def _check_balance(self, x0: Array, step: Step, h: float) -> None:
        """A step that misses energy is none, however small its residual is beside the largest terms of the equations.

        Near singular equations Newton's method may end at huge multipliers, which dwarf everything else. Models of
        others may miss energy because a law of theirs is wrong: that is for the audit to show.
        """
        if self.model.definition is None:
            return
        H0, H1 = self.model.exergies(np.array([x0, step.x]))
        heat, work = float(step.heat.sum()), float(step.work.sum())
        gap = abs(float((H1 - H0).sum()) + heat - work)
        natural = np.array([part.has_zero for part in self.model.storages], dtype=bool)
        moved = float(np.abs(H1 - H0).sum() + (H0 + H1)[natural].sum()) + abs(heat) + abs(work)
        if gap <= WRONG * moved:
            return
        ends = np.array([x0, step.x])
        terms = float(state_terms(self.model, ends, self.model.exergy_changes(x0, ends)[1]).max())
        terms += min(float(reaction_terms(self.model, step.x, step.w)), SPURIOUS * terms)
        allowed = NO_SOLUTION * float(step_rounding(np.array(terms), step.heat, step.work))
        if not gap <= allowed + energy_at_rest(self.model.definition, h):
            raise NotConverged(f"its balance of energy is off by {gap:.2g} J: it is no solution", -1, step.residual)

    def _halved(self, state: State, h: float, halvings: int) -> tuple[Step, Mask, int, Array]:
        half = dataclasses.replace(state, t0=state.t0 + state.steps * h, steps=0, h=0.5 * h, rate=state.rate[:1])
        one, active, n, u = self.step(half, 0.5 * h, halvings - 1)
        middle = dataclasses.replace(
            half, x=one.x, w=one.w, gam=one.gam, active=active, rate=(one.rate,), t0=half.t0 + 0.5 * h,
            angles=self._angles(half, one.x),
        )  # fmt: skip
        two, active, m, v = self.step(middle, 0.5 * h, halvings - 1)
        sums = {name: getattr(one, name) + getattr(two, name) for name in ("heat", "work", "taken", "iterations")}
        w, residual = 0.5 * (one.w + two.w), max(one.residual, two.residual)
        return dataclasses.replace(two, w=w, residual=residual, **sums), active, n + m, 0.5 * (u + v)

    def _angles(self, state: State, x: Array) -> Array:
        """Angles after a step that ends at x, where laws see them."""
        return self.model.followed_angles(x, state.angles) if self.model.feedback else state.angles

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
        gaps = self._gaps(state.x, step, state.active, u, h)
        if gaps.max(initial=0.0) <= ROW_TOLERANCE:
            return step, state.active
        # A row that was taken for redundant is not: the selection was made at a singular pose. Select where we are.
        active = select_rows(self.model, step.x)
        if (active != state.active).any():
            state = dataclasses.replace(state, active=active)
            step = self.stepper.step(state, h, u)
            gaps = self._gaps(state.x, step, active, u, h)
        refuse(self.model, gaps)
        return step, active

    def _gaps(self, x0: Array, step: Step, active: Mask, u: Array, h: float) -> Array:
        """What rows that were left out miss: in their g, or in their rate where they have none."""
        if active.all():
            return np.zeros(len(active))
        model, gaps = self.model, np.zeros(len(active))
        if self.stepper.weights[0] == 1.0:  # schemes with several stages check the rates of their own rows
            x, z = 0.5 * (x0 + step.x), model.mean_z(x0, step.x, step.w)
            if len(step.gam):  # rows hold for q1 - q0, which is not h v̄
                velocities = model.layout.act(tuple(model.kinetic))
                z[velocities] = (step.x - x0)[: len(velocities)] / h
            slowest = AT_REST * float(np.abs(x).max(initial=0.0)) / abs(h)
            gaps = left_out_gaps(model, active, x[None], z[None], u[:1], slowest)
        g = np.abs(model.g(step.x)) / model.g_scale(step.x)
        gaps[len(gaps) - len(g) :] = np.maximum(gaps[len(gaps) - len(g) :], g)
        return gaps
