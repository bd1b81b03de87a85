"""PH-MP: the implicit midpoint rule on directors, compiled for mechanisms, and in plain NumPy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva._suggestions import helpful
from visviva.integrate.acting import Motion
from visviva.integrate.directors import CANCELLING, DirectorSystem
from visviva.integrate.discrete_gradient import DiscreteGradient
from visviva.integrate.integrator import AbstractIntegrator, AbstractStepper, Advancing, Inputs, Step, predict
from visviva.integrate.names import row_name
from visviva.integrate.newton import Newton, NotConverged
from visviva.integrate.step_laws import StepLaws
from visviva.model import Model, State
from visviva.model.layout import Index


@final
@helpful
@dataclass(frozen=True)
class PHMP(AbstractIntegrator):
    """Port-Hamiltonian midpoint rule; Latussek, Kinon, Betsch, eq. (50).

        q1 - q0 = h v̄
        M (v1 - v0) = h (-∇V - C(q̄)ᵀ e - G(q̄)ᵀλ - R(q̄) v̄ + B(q̄) u)
        0 = G(q̄) v̄                                         bars: means of both ends; λ lives at the midpoint

    e is the discrete gradient of a spring's energy between y(q0) and y(q1); y1 - y0 = C(q̄) (q1 - q0), exactly.
    For quadratic g the last row is (g(q1) - g(q0))/h; it is solved as g(q1)/h = 0, which forgets old rounding. Other
    conditions have rows G(q0, q1) with G (q1 - q0) = g(q1) - g(q0), see `mechanism.conditions`; where an input drives
    one, g(q1) = s1, s1 - s0 = h u, and its work is -λ (s1 - s0).
    Energy, angular momentum and g are exact to rounding; G(q1) v1 = 0 is not enforced, so a run reports it (g_v).
    A free body has 18 unknowns v̄ and λ; in compiled code six, see `visviva.kernels.multibody`.

    On a Lagrangian system it is `DiscreteGradient`, which is this scheme for any energy and any constraint function.

    compiled: False gives the reference in NumPy, with dense matrices. Models that were not compiled from a mechanism
              always run in it.
    """

    newton: Newton = field(default_factory=Newton)
    compiled: bool = True
    order: ClassVar[int] = 2
    preserves: ClassVar[frozenset[str]] = frozenset({"energy", "momentum", "g"})
    form: ClassVar[str] = "directors"
    feedback: ClassVar[bool] = True

    def prepare(self, model: Model) -> AbstractStepper:  # noqa: D102
        if model.coordinates:
            return DiscreteGradient(self.newton).prepare(model)
        return _Stepper(DirectorSystem(model, "PHMP"), self.newton)

    def stepping(self, model: Model, inputs: Inputs, state: State, h: float) -> Advancing:  # noqa: D102
        if model.coordinates:
            return DiscreteGradient(self.newton, self.compiled).stepping(model, inputs, state, h)
        if self.compiled:
            from visviva.integrate.machine import machine_stepping

            steps = machine_stepping(model, self.newton, inputs, state, h)
            if steps is not None:
                return steps
        return super().stepping(model, inputs, state, h)


@final
@dataclass(frozen=True, eq=False)
class _Stepper(AbstractStepper):
    system: DirectorSystem
    newton: Newton

    @property
    def width(self) -> int:  # type: ignore[override]
        """As many as the rates of a step."""
        return self.system.n

    def step(self, state: State, h: float, u: Array) -> Step:
        s, n = self.system, self.system.n
        laws = StepLaws(s.model, state, h, u[0])
        q0, v0, y0 = state.x[:n], state.x[n : 2 * n], state.x[2 * n :]
        active = np.flatnonzero(state.active & ~s.inner)
        g_scale = s.g_scale(state.x)[active] / abs(h)
        k = len(active)

        def parts(y: Array) -> tuple[Array, Array, Array, Array]:
            v, lam = y[:n], np.zeros(s.m)
            lam[active] = y[n : n + k]
            return v, lam, q0 + h * v, q0 + 0.5 * h * v

        def motion(y: Array, u: Array) -> Motion:
            v, _, _, qm = parts(y)
            return Motion(qm, v, y0, u, h, y[n + k :] if s.tied else None)

        def rest(q1: Array, u: Array) -> Array:
            return s.acting.following(q0, q1, y0, h * u)

        def residual(y: Array) -> tuple[Array, Array]:
            v, lam, q1, _ = parts(y)
            u = laws.inputs(q1)
            now = motion(y, u)
            inertia = s.M @ (2.0 / h * (v - v0))
            Gt = s.G(q0, q1).T
            reaction, potential, force = Gt @ lam, s.gradient(q0, q1, y0), s.acting.force(now)
            size = 2.0 / abs(h) * s.M @ (np.abs(v) + np.abs(v0)) + np.abs(reaction) + np.abs(potential) + np.abs(force)
            size = np.maximum(size, CANCELLING * np.abs(Gt) @ np.abs(lam))
            left, terms = s.acting.left(now)
            F = [inertia + reaction + potential - force, s.g(q0, q1, rest(q1, u))[active] / h, left]
            rows = np.maximum(g_scale, s.speed_scale(q1, v)[active])
            return np.concatenate(F), np.concatenate([s.force_scale(size), rows, terms])

        def jacobian(y: Array) -> Array:
            v, lam, q1, _ = parts(y)
            d = s.acting.slopes(motion(y, laws.inputs(q1)))
            by_law = laws.force_slope(lambda u: s.acting.force(motion(y, u)), q0, v)
            A = 2.0 / h * s.M + h * (s.force_bend(q0, q1, lam) - 0.5 * d.f_q + s.gradient_slope(q0, q1, y0)) - d.f_v
            r_v = 0.5 * h * d.r_q + d.r_v + laws.force_slope(lambda u: s.acting.left(motion(y, u))[0], q0, v)
            return np.block(
                [
                    [A - by_law, s.G(q0, q1)[active].T, -d.f_w],
                    [s.g_slope(q0, q1)[active], np.zeros((k, k + len(r_v)))],
                    [r_v, np.zeros((len(r_v), k)), d.r_w],
                ]
            )

        start = np.concatenate([predict(state.rate, v0), state.w[active], s.acting.start(state.w)])
        try:
            solution = self.newton.solve(residual, jacobian, start)
            if laws.rounds(solution, self.newton):
                laws = laws.held(laws.inputs(parts(solution.y)[2]))
                solution = solution.then(self.newton.solve(residual, jacobian, solution.y))
        except NotConverged as failure:
            laws.check(q0 + h * start[:n])
            failure.where = self._where(failure.row, active)
            raise
        v, lam, q1, _ = parts(solution.y)
        u = laws.inputs(q1)
        left = s.acting.outcome(motion(solution.y, u), lam)
        return Step(
            x=np.concatenate([q1, 2.0 * v - v0, left.rest]),
            w=left.w,
            gam=np.zeros(0),
            rate=v,
            heat=left.heat,
            work=left.work,
            taken=left.taken,
            iterations=solution.iterations,
            residual=solution.residual,
            u=u,
        )

    def _where(self, row: int, active: Index) -> str:
        if row < self.system.n:
            return self.system.velocity_name(row) if row >= 0 else ""
        row -= self.system.n
        if row < len(active):
            return row_name(self.system.model, int(active[row]))
        return self.system.acting.inner_name(row - len(active))
