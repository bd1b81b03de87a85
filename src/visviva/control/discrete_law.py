"""Tracking laws over steps: inputs by which a step of the plant's own scheme is a step of the template."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, final

import numpy as np
import scipy.linalg

from visviva._arrays import Array, finite_number
from visviva.control.allocation import limited, reached_inputs, redundancy, unlimited
from visviva.control.controller import NEAR, goal_function, goal_values
from visviva.control.discrete_template import DiscreteTemplate, TemplateNode, TemplateStep
from visviva.control.pair_template import PairTemplate
from visviva.control.state_reading import StateReading
from visviva.control.transport import SingularTemplateError
from visviva.errors import ConvergenceError, ModelError
from visviva.integrate.integrator import AbstractIntegrator
from visviva.integrate.simulator import Simulator
from visviva.model import State

if TYPE_CHECKING:
    from visviva.control.tracking import TrackingLaw

MOST_ITERATIONS = 25
CLOSE = 1e-8  # of the inputs: a change that is no reason to measure slopes anew
SHORTEST = 2.0**-6  # part of a step of the method
GROWTH = 4.0  # of ½ b̃ᵀM̄⁻¹b̃: less may be rounding, or limits that begin to act
SHIFT = 1e-6  # of typical steps of the mechanism: the motion by which slopes in the inputs are measured


Trial = Callable[[Array], TemplateStep]  # by inputs


class Plant(Protocol):
    """What a law over steps is asked at: `now` of a sampled run, or a `Simulator`."""

    @property
    def t(self) -> float:
        """Time [s]."""

    @property
    def state(self) -> State:
        """All that continues it."""

    def __getitem__(self, name: str, /) -> Array: ...


class Balance(NamedTuple):
    """W[k + 1] - W[k] = -damping[k] + matching[k] + defect[k], of n steps [J]."""

    t: Array  # (n + 1,) times of nodes [s]
    W: Array  # (n + 1,) T̄ + V̄ at nodes
    damping: Array  # (n,) h ξ̄ᵀ D̄ ξ̄
    matching: Array  # (n,) h ξ̄ᵀ b̃, the work of what inputs cannot follow
    defect: Array  # (n,) rounding where the law has a Lyapunov function over steps


@final
class DiscreteLaw:
    """A tracking law of which every step is one of its template: see `TrackingLaw.discrete`.

    It is asked at the start of each step, by `now` of a sampled run or by a `Simulator`, and answers with the inputs of
    that step. writes: their ports.   u: those of the law.   step: the template over the step that they make.
    """

    def __init__(
        self,
        law: TrackingLaw,
        goal: Any,
        h: float,
        integrator: AbstractIntegrator | None = None,
        velocities: str | None = None,
    ) -> None:
        if not isinstance(law.template, PairTemplate):
            raise ModelError(
                f"{law.template.title!r} has no template over steps: take approach='particle', 'body' or 'energy'."
            )
        self.law, self._goal = law, goal_function(law, goal)
        self.h = finite_number(h, "step of the law [s]", positive=True)
        self.velocities = ("increments" if callable(goal) else "nodes") if velocities is None else velocities
        self.template = DiscreteTemplate(law.template, self.h, self.velocities)
        self.plant = Simulator(law.d.definition, self.h, integrator=integrator)
        if not self.plant.integrator.fixed_step:
            raise ModelError(
                f"{type(self.plant.integrator).__name__} chooses the lengths of its steps: a law over steps needs a "
                "scheme with steps of one length, e.g. integrator=vv.PHMP()."
            )
        self._read, self.writes = StateReading(law.d), law.actuation.ports
        self.reset()

    def reset(self) -> None:
        """Forget what was: a run begins."""
        self.u: Array | None = None
        self.step: TemplateStep | None = None
        self._node: TemplateNode | None = None
        self._times: list[float] = []
        self._steps: list[TemplateStep] = []

    def __call__(self, now: Plant) -> dict[str, Any]:
        """Inputs by port for the step that begins now."""
        t, state = now.t, now.state
        q, v = self._read(now)
        node = self._arrive(t, q, v)
        self.u, self.step = self._solve(t, state, q, v, node)
        self._node = node
        self._times.append(t)
        self._steps.append(self.step)
        return self.law.actuation.port_values(q, self.u)

    def balance(self) -> Balance:
        """W̄, what was damped and what matching worked, of all steps; of the last one as the law expects it to end."""
        steps = self._steps
        if not steps:
            raise ModelError("the law has not been asked yet: there are no steps to balance.")
        t = np.array([*self._times, self._times[-1] + self.h])
        W = np.array([steps[0].W0, *(step.W1 for step in steps)])
        damping, matching, defect = (
            np.array([getattr(step, name) for step in steps]) for name in ("damping", "matching", "defect")
        )
        return Balance(t, W, damping, matching, defect)

    @property
    def steps(self) -> tuple[TemplateStep, ...]:
        """The template over all steps."""
        return tuple(self._steps)

    def __repr__(self) -> str:
        scheme = type(self.plant.integrator).__name__
        return f"<{self.law!r} over steps of {scheme}, h = {self.h:g} s>"

    # -- helpers ----------------------------------------------------------------------------------------------------

    def _arrive(self, t: float, q: Array, v: Array) -> TemplateNode:
        """Errors now; what was expected of the last step gives way to what it was."""
        q_R, v_R, _ = goal_values(self.law, self._goal, t)
        if self._node is None:
            return self.template.start(q, v, q_R, v_R)
        if abs(t - self._times[-1] - self.h) > NEAR * self.h:
            raise ModelError(
                f"a law over steps of {self.h:g} s is asked at the start of each, not at t = {self._times[-1]:g} s and "
                f"{t:g} s.\nThe run has h={self.h:g}, and vv.Sampled(law, period={self.h:g}) no offset, jitter or "
                "delay; reset() begins a new run."
            )
        self._steps[-1] = self.template.step(self._node, q, v, q_R, v_R)
        return self._steps[-1].end

    def _solve(self, t: float, state: State, q: Array, v: Array, node: TemplateNode) -> tuple[Array, TemplateStep]:
        """Inputs with least b̃ in the metric M̄⁻¹, by Gauss and Newton's method, and the step that they make.

        Limits act in every iteration, and slopes are kept: it ends by its inputs, not by a residual that goes to zero.
        """
        law = self.law
        q_R1, v_R1, _ = goal_values(law, self._goal, t + self.h)
        unit, nothing = np.eye(law.d.nv), np.zeros(law.d.nv)

        def step(u: Array) -> TemplateStep:
            self.plant.reset(state)
            self.plant.step(law.actuation.port_values(q, u))
            return self.template.step(node, *self._read(self.plant), q_R1, v_R1)

        u = law.evaluate(q, v, *goal_values(law, self._goal, t)).u if self.u is None else self.u
        found = best = step(u)
        best_u, least, before = u, np.inf, np.inf
        slopes, is_fresh = self._slopes(step, u, found, q), True
        for _ in range(MOST_ITERATIONS):
            Y = scipy.linalg.solve(found.M_bar, slopes, assume_a="pos")
            u0, H = unlimited(unit, nothing, Y, found.M_bar, found.b_tilde - slopes @ u, law.weight)
            new = limited(H, u0, law.limits, redundant=redundancy(Y, law.weight)).u
            moved, force = float((new - u) @ H @ (new - u)), float(new @ H @ new)
            u, found = self._toward(step, u, found, new)
            size = _size(found)
            if size < least:
                best_u, best, least = u, found, size
            if moved <= before / 4 and moved > 0.0:
                before, is_fresh = moved, False
                continue
            if is_fresh or moved <= CLOSE**2 * force:  # steps of the method have ceased to shrink: rounding
                break
            slopes, is_fresh, before = self._slopes(step, u, found, q), True, np.inf
        return best_u, best

    @staticmethod
    def _toward(step: Trial, u: Array, at: TemplateStep, new: Array) -> tuple[Array, TemplateStep]:
        """New inputs and their step, or part of the way there where the plant has none or b̃ grows."""
        way, least = 1.0, _size(at)
        while True:
            tried = u + way * (new - u) if way < 1 else new
            try:
                found = step(tried)
                if way <= SHORTEST or _size(found) <= GROWTH * least:
                    return tried, found
            except (ConvergenceError, SingularTemplateError):
                if way <= SHORTEST:
                    raise
            way /= 2

    def _slopes(self, step: Trial, u: Array, at: TemplateStep, q: Array) -> Array:
        """∂b̃/∂u (n, nu) by differences of steps; columns of which B knows only sums have only sums."""
        d, B = self.law.d, self.law.actuation.matrix(q)
        reach = np.abs(np.linalg.solve(d.mass_matrix(q), B)) * (self.h**2 / 2) / d.sizes[:, None]
        sizes = SHIFT / np.maximum(reach.max(axis=0), 1e-300)
        columns = [(step(u + s * e).b_tilde - at.b_tilde) / s for s, e in zip(sizes, np.eye(len(u)), strict=True)]
        slopes = np.array(columns).T
        if self.law.weight is None:
            return slopes
        reached = reached_inputs(B)
        return np.asarray(slopes @ reached.T @ reached)


def _size(step: TemplateStep) -> float:
    """½ b̃ᵀ M̄⁻¹ b̃."""
    return float(step.b_tilde @ np.linalg.solve(step.M_bar, step.b_tilde)) / 2
