"""The stabilised midpoint rule for Lagrangian systems: any energy of motion, any constraint functions; NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply, transpose
from visviva.integrate.integrator import AbstractStepper, Step, predict
from visviva.integrate.names import row_name, unknown_name
from visviva.integrate.newton import Newton, NotConverged, difference_jacobian
from visviva.integrate.step_laws import StepLaws
from visviva.model import Model, State
from visviva.model.curved import Curved
from visviva.model.layout import Index


@final
@dataclass(frozen=True, eq=False)
class LagrangianGGL(AbstractStepper):
    """The step of `PHMPGGL` with the discrete slopes of `model.motion` and `model.curved`, r = (q1 - q0)/h:

        Aᵀ (r - ē) = Ḡᵀ γ
        A (v1 - v0)/h = -D_q + (Bᵀ - B) r - Cᵀλ - Wᵀγ - R r + B u
        g(q1) = 0,   G(q1) v1 = 0

    with C Δq = Δg, the mean Ḡ of G = ∇g at both ends, and W Δq = ΔG v̄, so that Δ(G v) = Ḡ Δv + W Δq. Hence
    ΔH = f·Δq - λ·Δg - γ·Δ(G v) with the forces f of dampers and inputs: the last two terms are zero.
    """

    model: Model
    newton: Newton

    @property
    def width(self) -> int:  # type: ignore[override]
        """As many as the rates of a step."""
        return len(self.model.coordinates)

    def step(self, state: State, h: float, u: Array) -> Step:  # noqa: D102
        model, n, laws = self.model, self.width, StepLaws(self.model, state, h, u[0])
        x0, active = state.x, np.flatnonzero(state.active)
        g_scale = model.g_scale(x0)[active] / abs(h)

        def residual(y: Array) -> tuple[Array, Array]:
            F, scale = self._rows(x0, active, h, laws, y)
            scale[2 * n : 2 * n + len(active)] = g_scale
            return F, scale

        def jacobian(y: Array) -> Array:
            return difference_jacobian(lambda other: self._rows(x0, active, h, laws, other)[0], y, _typical(y, n))

        rate0 = predict(state.rate, x0[n:])
        trend = rate0 - state.rate[0] if state.rate else np.zeros(n)
        gam0 = state.gam[active] if len(state.gam) else np.zeros(len(active))
        start = np.concatenate([rate0, x0[n:] + trend, state.w[active], gam0])
        try:
            solution = self.newton.solve(residual, jacobian, start)
        except NotConverged as failure:
            failure.where = self._where(failure.row, active)
            raise
        x1, lam, gam = self._parts(x0, active, h, solution.y)
        rate, xm = solution.y[:n], 0.5 * (x0 + x1)
        z = self._efforts(x0, x1, lam, rate)
        outputs, u = model.outputs(xm, z), laws.inputs(x1, xm, z)
        return Step(
            x=x1,
            w=lam,
            gam=gam,
            rate=rate,
            heat=h * model.heats(xm, z),
            work=h * np.array([u[at] @ outputs[at] for at in model.port_columns.values()]),
            iterations=solution.iterations,
            residual=solution.residual,
            u=u,
        )

    def _parts(self, x0: Array, active: Index, h: float, y: Array) -> tuple[Array, Array, Array]:
        """(x1, λ, γ) for unknowns y = (r, v1, active λ, active γ)."""
        n, m, k = self.width, len(self.model.kinds), len(active)
        lam, gam = np.zeros((*y.shape[:-1], m)), np.zeros((*y.shape[:-1], m))
        lam[..., active], gam[..., active] = y[..., 2 * n : 2 * n + k], y[..., 2 * n + k :]
        return np.concatenate([x0[:n] + h * y[..., :n], y[..., n : 2 * n]], axis=-1), lam, gam

    def _efforts(self, x0: Array, x1: Array, lam: Array, rate: Array) -> Array:
        """The z of a step, with the rate on which its forces do their work."""
        z = self.model.mean_z(x0, x1, lam)
        z[..., self.model.layout.z["v"]] = rate
        return z

    def _rows(self, x0: Array, active: Index, h: float, laws: StepLaws, y: Array) -> tuple[Array, Array]:
        """What must vanish, and the size of its terms; those of g are left to the caller."""
        model, n, k = self.model, self.width, len(active)
        x1, lam, gam = self._parts(x0, active, h, y)
        x0 = np.broadcast_to(x0, x1.shape)
        (q0, v0), (q1, v1), rate, ends = (x0[..., :n], x0[..., n:]), (x1[..., :n], x1[..., n:]), y[..., :n], (x0, x1)
        xm, vm, at = 0.5 * (x0 + x1), 0.5 * (v0 + v1), model.layout.z["v"]
        A = np.broadcast_to(model.mass("v", xm, ends), (*x1.shape[:-1], n, n))
        z = self._efforts(x0, x1, lam, rate)
        lag = apply(transpose(A), rate - model.mean_z(x0, x1)[..., at])
        curved = [part for part in model.constraints if isinstance(part, Curved)]
        G0, G1, W, C = (
            np.concatenate([np.zeros((*x1.shape[:-1], 0, n)), *parts], axis=-2)
            for parts in (
                [part.gradient(q0) for part in curved],
                [part.gradient(q1) for part in curved],
                [part.turn(q0, q1, vm) for part in curved],
                [part.g.secant(q0, q1) for part in curved],
            )
        )
        lift, turned = apply(transpose(0.5 * (G0 + G1)), gam), apply(transpose(W), gam)
        flow = model.flow(xm, z, laws.inputs(x1, xm, z), ends)[..., at]
        F = [
            lag - lift,
            apply(A, v1 - v0) / h - flow + turned,
            model.g(x1)[..., active] / h,
            apply(G1, v1)[..., active],
        ]
        size = np.abs(A)
        momentum = apply(size, np.abs(rate) + np.abs(vm)).max(-1, keepdims=True)
        force = apply(size, np.abs(v0) + np.abs(v1)) / abs(h) + np.abs(z[..., model.layout.z["q"]])
        force = force + apply(transpose(np.abs(C)), np.abs(lam)) + apply(transpose(np.abs(W)), np.abs(gam))
        speed = np.maximum(np.abs(v0), np.abs(v1)).max(-1, keepdims=True)
        scale = [
            np.broadcast_to(np.maximum(momentum, 1e-30), rate.shape),
            np.broadcast_to(np.maximum((force + np.abs(flow)).max(-1, keepdims=True), 1e-30), rate.shape),
            np.ones((*x1.shape[:-1], k)),
            np.maximum(np.abs(G1).max(-1)[..., active] * speed, 1e-30),
        ]
        return np.concatenate(F, axis=-1), np.concatenate(scale, axis=-1)

    def _where(self, row: int, active: Index) -> str:
        n, k = self.width, len(active)
        if row < 2 * n:
            return unknown_name(self.model, n + row % n) if row >= 0 else ""
        return row_name(self.model, int(active[(row - 2 * n) % k]))


def _typical(y: Array, n: int) -> Array:
    """A size for differences: the largest entry among velocities, and among multipliers."""
    size = np.empty_like(y)
    for part in (slice(0, 2 * n), slice(2 * n, None)):
        size[part] = max(1.0, float(np.abs(y[part]).max(initial=0.0)))
    return size
