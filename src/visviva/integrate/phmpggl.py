"""PH-MP-GGL: the midpoint rule on directors, with constraints kept on position and on velocity level."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.integrate.acting import Motion
from visviva.integrate.directors import CANCELLING, DirectorSystem
from visviva.integrate.integrator import AbstractIntegrator, AbstractStepper, Step, predict
from visviva.integrate.names import row_name
from visviva.integrate.newton import Newton, NotConverged
from visviva.model import Model, State
from visviva.model.layout import Index


@final
@dataclass(frozen=True)
class PHMPGGL(AbstractIntegrator):
    """Midpoint rule with the stabilisation of Gear, Gupta and Leimkuhler; Latussek, Kinon, Betsch, eq. (61).

        M (q1 - q0) = h (M v̄ + G(q̄)ᵀ γ)
        M (v1 - v0) = h (-∇V - C(q̄)ᵀ e - G(q̄)ᵀλ - (∂_q(G v̄))ᵀ γ - R(q̄) (q1 - q0)/h + B(q̄) u)
        g(q1) = 0,   G(q1) v1 = 0

    Energy, angular momentum, g and its rate are exact to rounding. Forces do their work on q1 - q0, not on h v̄:
    with that, ΔH = f·(q1 - q0) - λ·Δg - γ·Δ(G v) closes exactly. No inverse of M appears,
    so that flat and thin bodies, whose directors have no mass, need nothing special.
    """

    newton: Newton = field(default_factory=Newton)
    order: ClassVar[int] = 2
    preserves: ClassVar[frozenset[str]] = frozenset({"energy", "momentum", "g", "g_v"})
    form: ClassVar[str] = "directors"

    def prepare(self, model: Model) -> AbstractStepper:  # noqa: D102
        return _Stepper(DirectorSystem(model, "PHMPGGL"), self.newton)


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
        s, n, u = self.system, self.system.n, u[0]
        q0, v0, y0 = state.x[:n], state.x[n : 2 * n], state.x[2 * n :]
        active = np.flatnonzero(state.active)
        k = len(active)
        g_scale = s.model.g_scale(state.x)[active] / abs(h)
        speed = max(float(np.abs(v0).max(initial=0.0)), 1e-30)

        def parts(y: Array) -> tuple[Array, Array, Array, Array]:
            lam, gam = np.zeros(s.m), np.zeros(s.m)
            lam[active], gam[active] = y[2 * n : 2 * n + k], y[2 * n + k :]
            return y[:n], y[n : 2 * n], lam, gam

        def residual(y: Array) -> tuple[Array, Array]:
            rate, v1, lam, gam = parts(y)
            q1, qm, vm = q0 + h * rate, q0 + 0.5 * h * rate, 0.5 * (v0 + v1)
            G, potential, force = s.G(qm), s.gradient(q0, q1, y0), s.acting.force(Motion(qm, rate, y0, u, h))
            inertia, reaction = s.M @ (v1 - v0) / h, G.T @ lam + s.turn(vm).T @ gam
            size = s.M @ (np.abs(v0) + np.abs(v1)) / abs(h) + np.abs(reaction) + np.abs(potential) + np.abs(force)
            terms = np.abs(G).T @ np.abs(lam) + np.abs(s.turn(vm)).T @ np.abs(gam)
            size = np.maximum(size, CANCELLING * terms)
            F = [
                s.M @ (rate - vm) - G.T @ gam,
                inertia + reaction + potential - force,
                s.g(q1)[active] / h,
                (s.G(q1) @ v1)[active],
            ]
            fastest = max(speed, float(np.abs(v1).max(initial=0.0)))
            lengths = s.G_scale(q1)[active]
            momentum = s.M @ (np.abs(rate) + np.abs(vm)) + np.abs(G.T @ gam)
            scale = [s.force_scale(momentum), s.force_scale(size), g_scale, lengths * fastest]
            return np.concatenate(F), np.concatenate(scale)

        def jacobian(y: Array) -> Array:
            rate, v1, lam, gam = parts(y)
            q1, qm, vm = q0 + h * rate, q0 + 0.5 * h * rate, 0.5 * (v0 + v1)
            G, G1, bent = s.G(qm)[active], s.G(q1)[active], s.bend(gam)
            f_q, f_v = s.acting.slopes(Motion(qm, rate, y0, u, h))
            empty = np.zeros((k, k))
            return np.block(
                [
                    [s.M - 0.5 * h * bent, -0.5 * s.M, np.zeros((n, k)), -G.T],
                    [
                        0.5 * h * (s.bend(lam) - f_q) + h * s.gradient_slope(q0, q1, y0) - f_v,
                        s.M / h + 0.5 * bent,
                        G.T,
                        s.turn(vm)[active].T,
                    ],
                    [G1, np.zeros((k, n)), empty, empty],
                    [h * s.turn(v1)[active], G1, empty, empty],
                ]
            )

        rate0 = predict(state.rate, v0)
        trend = rate0 - state.rate[0] if state.rate else np.zeros(n)
        gam0 = state.gam[active] if len(state.gam) else np.zeros(k)
        try:
            solution = self.newton.solve(residual, jacobian, np.concatenate([rate0, v0 + trend, state.w[active], gam0]))
        except NotConverged as failure:
            failure.where = self._where(failure.row, active)
            raise
        rate, v1, lam, gam = parts(solution.y)
        q1, qm = q0 + h * rate, q0 + 0.5 * h * rate
        left = s.acting.outcome(Motion(qm, rate, y0, u, h), lam)
        return Step(
            x=np.concatenate([q1, v1, left.rest]),
            w=lam,
            gam=gam,
            rate=rate,
            heat=left.heat,
            work=left.work,
            taken=left.taken,
            iterations=solution.iterations,
            residual=solution.residual,
        )

    def _where(self, row: int, active: Index) -> str:
        n, k = self.system.n, len(active)
        if row < 2 * n:
            return self.system.velocity_name(row % n) if row >= 0 else ""
        return row_name(self.system.model, int(active[(row - 2 * n) % k]))
