"""Integrators of high order for minimal velocities: explicit, symmetric, and with an exact balance of energy."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array, finite_number
from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.forms.flows.balance import EPS, root, supplied
from visviva.forms.flows.collocation import gauss_table, memory, predicted, solve
from visviva.forms.flows.explicit import RK4_TABLE, dop853_table, error_estimate, stages
from visviva.forms.flows.flow import Flow, FlowState
from visviva.forms.flows.local import FlowStep, Local
from visviva.integrate.integrator import AbstractIntegrator, AbstractStepper, Advancing, Inputs
from visviva.model import Model, State

FINEST = 1e-13  # tolerances below are rounding
FAR = 0.1  # a step is damped by less, or its length changed, to close its balance
SHARE = 100.0  # of its error estimate, by which relaxation may change a step
NOTHING = 1e-11  # the same, where the estimate is rounding
ROUNDED, RESOLVED = 2 * EPS, 64 * EPS  # of the energies: what is not improved, and what counts as closed
FURTHER = 1e-3  # where relaxation looks for the second point of its secant


class AbstractFlowScheme(AbstractIntegrator):
    """A scheme over flows: mechanisms are integrated in minimal coordinates and velocities, see `vv.analytical`.

    Joints of the spanning tree hold exactly, whatever the step; loops are projected on after each step. Momenta are
    kept to the order of the scheme only.

    compiled: run in compiled code where the mechanism is a tree of joints without motors and thermal nodes, whatever
    else acts on it; else, or with False, in NumPy.
    """

    form: ClassVar[str] = "lie"
    feedback: ClassVar[bool] = True
    multipliers: ClassVar[bool] = False
    tolerance: float | None = None  # of the local error, where the scheme chooses its steps by it
    compiled: bool = False  # whether it is asked to run in compiled code where it can
    loop: ClassVar[str | None] = None  # its name among the compiled loops of trees, if it is there

    def memory(self, flow: Flow) -> int:
        """How many numbers a step leaves for the next one."""
        return 0

    @abstractmethod
    def step(self, flow: Flow, state: FlowState, h: float) -> FlowStep:
        """One step of length h; raises `NotConverged`."""

    def check(self, flow: Flow) -> None:
        """An error if the scheme keeps an energy that the flow does not have."""
        if "energy" in self.preserves and not flow.has_energy:
            raise ModelError(
                f"{type(self).__name__} keeps the balance of energy, but {flow.name!r} has none: give energy= (and "
                "power=, if there is any),\nor integrate with vv.DOP853() or vv.Gauss8()."
            )

    def prepare(self, model: Model) -> AbstractStepper:  # noqa: D102
        raise ModelError(f"{type(self).__name__} makes its steps in minimal velocities; use simulate().")

    def stepping(self, model: Model, inputs: Inputs, state: State, h: float) -> Advancing:  # noqa: D102
        from visviva.forms.flows.flow_stepping import flow_stepping

        return flow_stepping(self, model, inputs, state, h)


@final
@helpful
@dataclass(frozen=True)
class RK4(AbstractFlowScheme):
    """The classical Runge-Kutta method: four evaluations, order 4. For fixed rates and forces with corners."""

    compiled: bool = True
    loop: ClassVar[str | None] = "RK4"
    order: ClassVar[int] = 4
    preserves: ClassVar[frozenset[str]] = frozenset({"g", "g_v"})

    def step(self, flow: Flow, state: FlowState, h: float) -> FlowStep:  # noqa: D102
        local, table = Local(flow, state), RK4_TABLE
        Y, K = stages(local, table, h)
        return FlowStep(local.end(state.t + h, local.y0 + h * (table.b @ K)), h, Y, table.b, table.c)


@final
@helpful
@dataclass(frozen=True)
class DOP853(AbstractFlowScheme):
    """Dormand and Prince's explicit method of order 8 with steps as long as its error estimate allows.

    tolerance: largest local error of a step, root mean square in the units of `Local.sizes`: rotations in radians,
               positions relative to the size of the system, velocities relative to the fastest one. None: steps of
               one length, the h of `simulate`; else h is the longest step.

    Hairer, Nørsett, Wanner (1993), section II.5; step sizes by a PI controller, section IV.2 of Hairer, Wanner (1996).
    """

    tolerance: float | None = 1e-9
    compiled: bool = True
    order: ClassVar[int] = 8
    preserves: ClassVar[frozenset[str]] = frozenset({"g", "g_v"})

    def __post_init__(self) -> None:
        if self.tolerance is not None and finite_number(self.tolerance, "tolerance", positive=True) < FINEST:
            raise ModelError(f"tolerance must be at least {FINEST:g}, got {self.tolerance:g}: less is rounding.")

    @property
    def loop(self) -> str | None:  # type: ignore[override]
        """That of fixed steps, or the adaptive one."""
        return "DOP853" if self.tolerance is None else "Adaptive"

    def memory(self, flow: Flow) -> int:
        """The error of the last step."""
        return 0 if self.tolerance is None else 1

    @property
    def fixed_step(self) -> bool:  # type: ignore[override]
        """Whether there is no tolerance."""
        return self.tolerance is None

    def step(self, flow: Flow, state: FlowState, h: float) -> FlowStep:  # noqa: D102
        local, table = Local(flow, state), dop853_table()
        Y, K = stages(local, table, h)
        error = 0.0 if self.tolerance is None else error_estimate(local, table, K, h)
        return FlowStep(local.end(state.t + h, local.y0 + h * (table.b @ K)), h, Y, table.b, table.c, error)


@final
@helpful
@dataclass(frozen=True)
class Gauss8(AbstractFlowScheme):
    """Gauss' collocation with four stages: order 8, stable for stiff springs at any step.

    The stages are found by fixed-point iteration from the polynomial of the last step, and where that does not
    contract by Newton's method with a matrix from differences. All weights are positive: no heat is negative. Where
    the configuration is a vector (hinges, sliders) a step is symmetric in time; with balls and free bodies it is so
    to the order of the scheme, since the local coordinates of a step belong to its start.
    """

    compiled: bool = True
    loop: ClassVar[str | None] = "Gauss8"
    order: ClassVar[int] = 8
    preserves: ClassVar[frozenset[str]] = frozenset({"g", "g_v"})

    def memory(self, flow: Flow) -> int:
        """The rates of the last step, which the next one continues, and its length."""
        return len(gauss_table().b) * (flow.n + flow.extra) + 1

    def step(self, flow: Flow, state: FlowState, h: float) -> FlowStep:  # noqa: D102
        local, table = Local(flow, state), gauss_table()
        found = solve(local, table, h, predicted(local, table, h))
        end = local.end(state.t + h, local.y0 + h * (table.b @ found.K), memory(local, found.K, h))
        return FlowStep(end, h, found.Y, table.b, table.c, iterations=found.iterations, residual=found.residual)


@final
@helpful
@dataclass(frozen=True)
class Relaxed(AbstractFlowScheme):
    """DOP853 with steps whose length is changed so that the balance of energy closes: y(t + γh) = y0 + γ h Σ b_i k_i.

    γ solves E(y0 + γ d) = E(y0) + γ h Σ b_i P_i, d = h Σ b_i k_i; γ = 1 + O(h⁷), and the order stays 8 because time
    advances by γ h as well. Nodes of a run are therefore not equidistant in the last digits. At rest the equation says
    nothing, and where it has no solution near 1 the step is kept as it is, with γ = 1; the run notes it.
    Ketcheson (2019), SIAM J. Numer. Anal. 57, 2850-2870; Ranocha et al. (2020), SIAM J. Sci. Comput. 42, A612-A638.
    """

    compiled: bool = True
    loop: ClassVar[str | None] = "Relaxed"
    order: ClassVar[int] = 8
    preserves: ClassVar[frozenset[str]] = frozenset({"energy", "g", "g_v"})
    fixed_step: ClassVar[bool] = False

    def step(self, flow: Flow, state: FlowState, h: float) -> FlowStep:  # noqa: D102
        local, table = Local(flow, state), dop853_table()
        Y, K = stages(local, table, h)
        d, E0 = h * (table.b @ K), local.energy(local.y0)
        gain = h * supplied(local, table.c, table.b, Y, h)

        def end(gamma: float) -> FlowState:
            return local.end(state.t + gamma * h, local.y0 + gamma * d)

        def gap(gamma: float) -> float:
            there = end(gamma)
            return flow.energy(there.q, there.xi, there.s) - E0 - gamma * gain

        whole = end(1.0)
        size = max(flow.energy_size(there.q, there.xi, there.s) for there in (state, whole))
        gamma, left = root(gap, 1.0, 1.0 + FURTHER, ROUNDED * size)
        shift = abs(gamma - 1.0) * float(np.linalg.norm((d - h * K[-1]) / local.sizes(h, K[0])))
        if abs(gamma - 1.0) > FAR or shift > max(SHARE * error_estimate(local, table, K, h), NOTHING):
            gamma, left = 1.0, gap(1.0)
        balanced = abs(left) <= RESOLVED * size
        return FlowStep(end(gamma), gamma * h, Y, table.b, table.c / gamma, balanced=balanced)


@final
@helpful
@dataclass(frozen=True)
class BalancedGauss8(AbstractFlowScheme):
    """Gauss8 with a multiplier that closes the balance of energy: k_i = f(Y_i) - (0, θ ξ_i, 0), θ = O(h⁸).

    θ is one number per step, a damping too small to matter for the order, positive or negative, with which
    E(y1) - E(y0) = h Σ b_i P_i to rounding. Stages, weights and the condition are symmetric, and so is the step where
    that of Gauss8 is: a symmetric projection in the sense of Hairer (2000), BIT 40, 726-734, along the velocities.
    Steps keep the length that was asked for. Where nothing moves there is nothing to damp: θ = 0, and the run notes it
    if the balance is off.
    """

    compiled: bool = True
    loop: ClassVar[str | None] = "BalancedGauss8"
    order: ClassVar[int] = 8
    preserves: ClassVar[frozenset[str]] = frozenset({"energy", "g", "g_v"})

    def memory(self, flow: Flow) -> int:
        """The rates of the last step, which the next one continues, and its length."""
        return len(gauss_table().b) * (flow.n + flow.extra) + 1

    def step(self, flow: Flow, state: FlowState, h: float) -> FlowStep:  # noqa: D102
        local, table = Local(flow, state), gauss_table()
        found, E0 = solve(local, table, h, predicted(local, table, h)), local.energy(local.y0)
        start, iterations = found, found.iterations

        def end(K: Array) -> FlowState:
            return local.end(state.t + h, local.y0 + h * (table.b @ K), memory(local, K, h))

        def gap(theta: float) -> float:
            nonlocal found, iterations
            if theta:
                found = solve(local, table, h, found.K, theta)
                iterations += found.iterations
            there = end(found.K)
            gain = h * supplied(local, table.c, table.b, found.Y, h)
            return flow.energy(there.q, there.xi, there.s) - E0 - gain

        there = end(found.K)
        size = max(flow.energy_size(there.q, there.xi, there.s) for there in (state, there))
        still = flow.energy(there.q, np.zeros(flow.n), there.s)
        kinetic = flow.energy(there.q, there.xi, there.s) - still
        first = gap(0.0)
        second = first / (2.0 * h * kinetic) if kinetic > 0 else 0.0
        theta, left = root(gap, 0.0, second, ROUNDED * size) if abs(second * h) < FAR else (0.0, first)
        balanced = abs(left) <= RESOLVED * size and abs(theta * h) < FAR
        found = solve(local, table, h, found.K, theta) if balanced else start
        return FlowStep(end(found.K), h, found.Y, table.b, table.c, 0.0, iterations, found.residual, balanced=balanced)
