"""PH-MP-GGL: the midpoint rule on directors, with constraints kept on position and on velocity level."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva._suggestions import helpful
from visviva.integrate.acting import Motion
from visviva.integrate.directors import CANCELLING, DirectorSystem
from visviva.integrate.integrator import AbstractIntegrator, AbstractStepper, Advancing, Inputs, Step, predict
from visviva.integrate.lagrangian_ggl import LagrangianGGL
from visviva.integrate.names import row_name
from visviva.integrate.newton import Newton, NotConverged
from visviva.integrate.step_laws import StepLaws
from visviva.model import Model, State
from visviva.model.layout import Index


@final
@helpful
@dataclass(frozen=True)
class PHMPGGL(AbstractIntegrator):
    """Midpoint rule with the stabilisation of Gear, Gupta and Leimkuhler; Latussek, Kinon, Betsch, eq. (61).

        M (q1 - q0) = h (M v̄ + G(q̄)ᵀ γ)
        M (v1 - v0) = h (-∇V - C(q̄)ᵀ e - G(q̄)ᵀλ - (∂_q(G v̄))ᵀ γ - R(q̄) (q1 - q0)/h + B(q̄) u)
        g(q1) = 0,   G(q1) v1 = 0

    Energy, angular momentum, g and its rate are exact to rounding. Forces do their work on q1 - q0, not on h v̄:
    with that, ΔH = f·(q1 - q0) - λ·Δg - γ·Δ(G v) closes exactly. No inverse of M appears,
    so that flat and thin bodies, whose directors have no mass, need nothing special.
    For conditions that are not quadratic, G(q̄) and ∂_q(G v̄) are discrete derivatives between both ends, see
    `mechanism.conditions`; where an input drives one, its work is -λ Δs - γ Δṡ. Rows without a g have no γ.
    In compiled code a body has twelve unknowns, see `visviva.kernels.multibody.ggl_bodies`.

    compiled: False gives the reference in NumPy, with dense matrices. Models that were not compiled from a mechanism
              always run in it.
    """

    newton: Newton = field(default_factory=Newton)
    compiled: bool = True
    order: ClassVar[int] = 2
    preserves: ClassVar[frozenset[str]] = frozenset({"energy", "momentum", "g", "g_v"})
    form: ClassVar[str] = "directors"
    feedback: ClassVar[bool] = True

    def prepare(self, model: Model) -> AbstractStepper:  # noqa: D102
        if model.coordinates:
            return LagrangianGGL(model, self.newton)
        return _Stepper(DirectorSystem(model, "PHMPGGL"), self.newton)

    def stepping(self, model: Model, inputs: Inputs, state: State, h: float) -> Advancing:  # noqa: D102
        if self.compiled:
            from visviva.integrate.machine import machine_stepping

            steps = machine_stepping(model, self.newton, inputs, state, h, rates=True)
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

    @cached_property
    def nodes(self) -> tuple[float, ...]:  # type: ignore[override]
        """The middle; where an input drives a constraint, its rate at the end as well."""
        return (0.5, 1.0) if self.system.model.prescribed else (0.5,)

    @cached_property
    def weights(self) -> tuple[float, ...]:  # type: ignore[override]
        """Only the middle counts."""
        return (1.0, 0.0) if self.system.model.prescribed else (1.0,)

    def step(self, state: State, h: float, u: Array) -> Step:
        s, n = self.system, self.system.n
        speeds, laws = s.speeds(u[-1]), StepLaws(s.model, state, h, u[0])
        q0, v0, y0 = state.x[:n], state.x[n : 2 * n], state.x[2 * n :]
        active = np.flatnonzero(state.active & ~s.inner)
        rated = np.flatnonzero(state.active & s.model.has_g)
        k, g = len(active), len(rated)
        g_scale = s.g_scale(state.x)[active] / abs(h)

        def parts(y: Array) -> tuple[Array, Array, Array, Array]:
            lam, gam = np.zeros(s.m), np.zeros(s.m)
            lam[active], gam[rated] = y[2 * n : 2 * n + k], y[2 * n + k : 2 * n + k + g]
            return y[:n], y[n : 2 * n], lam, gam

        def motion(y: Array, u: Array) -> Motion:
            return Motion(q0 + 0.5 * h * y[:n], y[:n], y0, u, h, y[2 * n + k + g :] if s.tied else None)

        def rest(q1: Array, u: Array) -> Array:
            return s.acting.following(q0, q1, y0, h * u)

        def residual(y: Array) -> tuple[Array, Array]:
            rate, v1, lam, gam = parts(y)
            q1, vm = q0 + h * rate, 0.5 * (v0 + v1)
            u = laws.inputs(q1)
            now = motion(y, u)
            G, potential, force = s.G(q0, q1), s.gradient(q0, q1, y0), s.acting.force(now)
            left, left_size = s.acting.left(now)
            D_q, D_v = s.rate_secants(q0, q1, v0, v1)
            inertia, reaction = s.M @ (v1 - v0) / h, G.T @ lam + D_q.T @ gam
            size = s.M @ (np.abs(v0) + np.abs(v1)) / abs(h) + np.abs(reaction) + np.abs(potential) + np.abs(force)
            terms = np.abs(G).T @ np.abs(lam) + np.abs(D_q).T @ np.abs(gam)
            size = np.maximum(size, CANCELLING * terms)
            F = [
                s.M @ (rate - vm) - D_v.T @ gam,
                inertia + reaction + potential - force,
                s.g(q0, q1, rest(q1, u))[active] / h,
                (s.G(q1, q1) @ v1 - speeds)[rated],
                left,
            ]
            sizes = s.speed_scale(q1, v0, v1)
            momentum = s.M @ (np.abs(rate) + np.abs(vm)) + np.abs(D_v.T @ gam)
            momentum = np.maximum(momentum, CANCELLING * np.abs(D_v).T @ np.abs(gam))
            rows = np.maximum(g_scale, sizes[active]), sizes[rated]
            return np.concatenate(F), np.concatenate([s.force_scale(momentum), s.force_scale(size), *rows, left_size])

        def jacobian(y: Array) -> Array:
            rate, v1, lam, gam = parts(y)
            q1 = q0 + h * rate
            G, G1 = s.G(q0, q1)[active], s.g_slope(q0, q1)[active]
            D_q, D_v = (D[rated] for D in s.rate_secants(q0, q1, v0, v1))
            K_qq, K_qv, K_vq, K_vv = s.rate_bends(q0, q1, v0, v1, gam)
            d = s.acting.slopes(motion(y, laws.inputs(q1)))
            f_v = d.f_v + laws.force_slope(lambda u: s.acting.force(motion(y, u)), q0, rate)
            r_v = 0.5 * h * d.r_q + d.r_v + laws.force_slope(lambda u: s.acting.left(motion(y, u))[0], q0, rate)
            b = len(r_v)
            stiffness = s.force_bend(q0, q1, lam) + K_qq + s.gradient_slope(q0, q1, y0) - 0.5 * d.f_q
            return np.block(
                [
                    [s.M - h * K_vq, -0.5 * s.M - K_vv, np.zeros((n, k)), -D_v.T, np.zeros((n, b))],
                    [h * stiffness - f_v, s.M / h + K_qv, G.T, D_q.T, -d.f_w],
                    [G1, np.zeros((k, n + k + g + b))],
                    [h * s.speed_slope(q1, v1)[rated], s.G(q1, q1)[rated], np.zeros((g, k + g + b))],
                    [r_v, np.zeros((b, n + k + g)), d.r_w],
                ]
            )

        rate0 = predict(state.rate, v0)
        trend = rate0 - state.rate[0] if state.rate else np.zeros(n)
        gam0 = state.gam[rated] if len(state.gam) else np.zeros(g)
        try:
            start = np.concatenate([rate0, v0 + trend, state.w[active], gam0, s.acting.start(state.w)])
            solution = self.newton.solve(residual, jacobian, start)
            if laws.rounds(solution, self.newton):
                laws = laws.held(laws.inputs(q0 + h * parts(solution.y)[0]))
                solution = solution.then(self.newton.solve(residual, jacobian, solution.y))
        except NotConverged as failure:
            laws.check(q0 + h * rate0)
            failure.where = self._where(failure.row, active, rated)
            raise
        rate, v1, lam, gam = parts(solution.y)
        q1 = q0 + h * rate
        u = laws.inputs(q1)
        turned = s.G(q1, q1) @ v1 - s.G(q0, q0) @ v0  # of what is driven: Δṡ
        left = s.acting.outcome(motion(solution.y, u), lam)
        return Step(
            x=np.concatenate([q1, v1, left.rest]),
            w=left.w,
            gam=gam,
            rate=rate,
            heat=left.heat,
            work=left.work + s.drive_work(gam, turned),
            taken=left.taken,
            iterations=solution.iterations,
            residual=solution.residual,
            u=u,
        )

    def _where(self, row: int, active: Index, rated: Index) -> str:
        n, k = self.system.n, len(active)
        if row < 2 * n:
            return self.system.velocity_name(row % n) if row >= 0 else ""
        if row >= 2 * n + k + len(rated):
            return self.system.acting.inner_name(row - 2 * n - k - len(rated))
        at = active[row - 2 * n] if row < 2 * n + k else rated[row - 2 * n - k]
        return row_name(self.system.model, int(at))
