"""Energy-preserving Gauss collocation: order 4 with both laws, on flat state spaces.

Two stages at c = ½ ∓ √3/6 with weights b = ½. With Lagrange's polynomials l_i of the nodes c_i, the state moves along

    x(τ) = x0 + h Σ_j ξ_j ∫₀^τ l_j,    X_i = x(c_i),    x1 = x(1),

and each stage is an instant of the model, E ξ_i = (J(X_i) - R(X_i, z_i)) z_i + B(X_i) u_i, whose efforts are means
over the step, e_i = (1/b_i) ∫₀¹ l_i ∇H(x(τ)) dτ; Hairer (2010), J. Numer. Anal. Ind. Appl. Math. 5, 73-84, and Cohen
and Hairer (2011), BIT 51, 91-101, where J depends on x. Then h Σ b_i ξ_i·e_i = H(x1) - H(x0): the power balance of
the stages, weighted, is that of the step.

A quadrature of that integral would lose the balance, so it is made of discrete gradients. On m equal intervals, with
D_k the discrete gradient of each storage between both ends of the k-th one,

    e_i^(m) = (1/b_i) Σ_k (∫_k l_i) D_k,    hence    h Σ b_i ξ_i·e_i^(m) = Σ_k D_k·(x(τ_k) - x(τ_{k-1})) = H(x1) - H(x0)

exactly, for every m and every affine combination of several m. Discrete gradients are symmetric in both ends and l_i is
linear, so this is a midpoint rule whose error expands in even powers of 1/m: Richardson's combination of m = 1 and 2
with the weights -1/3 and 4/3 leaves ε_i = O(h³) and Σ b_i ε_i = O(h⁴), which is what order 4 needs. For quadratic
energies nothing is left: e_i = ∇H(X_i), and the scheme is Gauss's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva._suggestions import helpful
from visviva.compiler.flows import is_flat
from visviva.compiler.tableau import Tableau
from visviva.errors import ModelError
from visviva.integrate.discrete_gradient import DiscreteGradient
from visviva.integrate.integrator import AbstractIntegrator, AbstractStepper, Advancing, Inputs, Step
from visviva.integrate.names import row_name
from visviva.integrate.newton import Newton, NotConverged, difference_jacobian
from visviva.integrate.redundancy import check_left_out
from visviva.model import Model, State
from visviva.model.layout import Index

NODES = np.array([0.5 - np.sqrt(3) / 6, 0.5 + np.sqrt(3) / 6])  # c
WEIGHTS = np.array([0.5, 0.5])  # b
RICHARDSON = {1: -1 / 3, 2: 4 / 3}  # weight of each number of intervals


def lagrange_integrals(tau: Array) -> Array:
    """∫₀^τ l_j for both stages, shape (..., 2)."""
    other = NODES[::-1]
    return (0.5 * tau[..., None] ** 2 - other * tau[..., None]) / (NODES - other)


def _telescopes() -> tuple[Array, Array, Array]:
    """Starts and ends of all intervals, (k,) each, and the weights (2, k) of their discrete gradients in e_i."""
    starts, ends, means = [], [], []
    for m, weight in RICHARDSON.items():
        tau = np.arange(m + 1) / m
        starts.append(tau[:-1])
        ends.append(tau[1:])
        means.append(weight * np.diff(lagrange_integrals(tau), axis=0).T / WEIGHTS[:, None])
    return np.concatenate(starts), np.concatenate(ends), np.concatenate(means, axis=1)


STARTS, ENDS, MEANS = _telescopes()


def _tableau() -> Tableau:
    """The same numbers as compiled steps want them."""
    tau = np.unique(np.concatenate([STARTS, ENDS]))
    segments = np.stack([np.searchsorted(tau, STARTS), np.searchsorted(tau, ENDS)], axis=1)
    return Tableau(NODES, WEIGHTS, lagrange_integrals(NODES), lagrange_integrals(tau), segments.astype(float), MEANS)


TABLEAU = _tableau()


@final
@helpful
@dataclass(frozen=True)
class EnergyCollocation(AbstractIntegrator):
    """Energy-preserving Gauss collocation with two stages, see the head of this file.

    H(x1) - H(x0) = h Σ b_i (y_iᵀu_i - z_iᵀR z_i) at any h, and b_i > 0: no stage destroys entropy, as long as the mean
    temperatures of the stages are positive; a step where one is not is refused.
    Algebraic rows hold at both stages. Velocities at the nodes violate rows that depend on the state by O(h²), while
    states and the velocities along the rows keep order 4.
    Limits: flat state spaces; no holonomic rows, because g would drift.
    """

    newton: Newton = field(default_factory=Newton)
    compiled: bool = True
    order: ClassVar[int] = 4
    preserves: ClassVar[frozenset[str]] = frozenset({"energy"})
    form: ClassVar[str] = "lie"
    feedback: ClassVar[bool] = True
    follows_jumps: ClassVar[bool] = False  # both stages have the new value, and the step ends where it began

    def prepare(self, model: Model) -> AbstractStepper:  # noqa: D102
        turning = [variable.name for variable in model.variables if not is_flat(variable.space)]
        if turning:
            raise ModelError(
                f"EnergyCollocation integrates flat state spaces; {turning[0]!r} of {model.name!r} has rotations.\n"
                "Use vv.DiscreteGradient(), or where nothing dissipates vv.Suzuki4(vv.DiscreteGradient()), of order 4."
            )
        joints = dict.fromkeys(part.name for part in model.constraints if part.has_g)
        if joints:
            raise ModelError(
                f"EnergyCollocation does not keep holonomic constraints; {model.name!r} has: {', '.join(joints)}.\n"
                "Use vv.PHMP(), or where nothing dissipates vv.Suzuki4(), of order 4."
            )
        if model.motions:
            raise ModelError(
                f"EnergyCollocation needs a constant mass matrix; that of {model.name!r} depends on its state.\n"
                "Use vv.PHMP(), or where nothing dissipates vv.Suzuki4(), of order 4."
            )
        return _Stepper(model, self.newton)

    def stepping(self, model: Model, inputs: Inputs, state: State, h: float) -> Advancing:  # noqa: D102
        self.prepare(model)  # says what it cannot integrate
        if self.compiled:
            from visviva.integrate.compiled import compiled_stepping

            steps = compiled_stepping(model, TABLEAU, self.newton, inputs, state, h)
            if steps is not None:
                return steps
        return super().stepping(model, inputs, state, h)


@final
@dataclass(frozen=True, eq=False)
class _Stepper(AbstractStepper):
    model: Model
    newton: Newton
    nodes: tuple[float, ...] = tuple(NODES.tolist())
    weights: tuple[float, ...] = tuple(WEIGHTS.tolist())

    @property
    def lengths(self) -> tuple[float, ...]:
        """None: stages are instants."""
        return (0.0,) * len(NODES)

    @property
    def width(self) -> int:  # type: ignore[override]
        """As many as the rates of a step."""
        return self.model.layout.dim

    def step(self, state: State, h: float, u: Array) -> Step:
        model, x0, dim = self.model, state.x, self.model.layout.dim
        active = np.flatnonzero(state.active)
        E = model.E(x0)[:dim, :dim]
        scale = self._scale(x0, u, E)
        times = state.t + NODES * h

        def stages(y: Array) -> tuple[Array, Array, Array]:
            """(ξ, X, z) of both stages, (..., 2, ·), from y = (ξ_1, ξ_2, active w_1, active w_2)."""
            xi = y[..., : 2 * dim].reshape(*y.shape[:-1], 2, dim)
            z = MEANS @ model.mean_z(_path(x0, h * xi, STARTS), _path(x0, h * xi, ENDS))
            z[..., dim + active] = y[..., 2 * dim :].reshape(*y.shape[:-1], 2, len(active))
            return xi, _path(x0, h * xi, NODES), z

        def gaps(xi: Array, X: Array, z: Array) -> Array:
            flow = model.flow(X, z, model.supplied(times, X, z, u))
            parts = (xi @ E.T - flow[..., :dim], flow[..., dim + active])
            return np.concatenate([part.reshape(*xi.shape[:-2], -1) for part in parts], axis=-1)

        def residual(y: Array) -> tuple[Array, Array]:
            xi, X, z = stages(y)
            size = scale(xi, z)
            return gaps(xi, X, z), np.concatenate([np.tile(size[:dim], 2), np.tile(size[dim + active], 2)])

        def jacobian(y: Array) -> Array:
            parts = np.split(y, [2 * dim])
            size = [np.full(len(part), max(1.0, float(np.abs(part).max(initial=0.0)))) for part in parts]
            return difference_jacobian(lambda y: gaps(*stages(y)), y, np.concatenate(size))

        start = np.concatenate([self._predict(state, u).ravel(), np.tile(state.w[active], 2)])
        try:
            solution = self.newton.solve(residual, jacobian, start, reuse=True)
        except NotConverged as failure:
            failure.where = self._where(failure.row, active)
            raise
        xi, X, z = stages(solution.y)
        self._check_temperatures(z)
        u = model.supplied(times, X, z, u)
        check_left_out(model, state.active, X, z, u)
        outputs = model.outputs(X, z)
        return Step(
            x=_path(x0, h * xi, np.ones(1))[0],
            w=WEIGHTS @ z[:, dim : model.layout.solved],
            gam=np.zeros(0),
            rate=WEIGHTS @ xi,
            heat=h * WEIGHTS @ model.heats(X, z),
            work=h * np.array([WEIGHTS @ (u * outputs)[:, at].sum(-1) for at in model.port_columns.values()]),
            iterations=solution.iterations,
            residual=solution.residual,
            taken=h * WEIGHTS @ model.flow(X, z, u)[:, model.layout.solved :],
            u=WEIGHTS @ u,
        )

    def check(self, state: State, h: float, u: Array) -> None:
        """As for the midpoint rule: the equations of a stage have the same structure."""
        DiscreteGradient().prepare(self.model).check(state, h, u)

    def _predict(self, state: State, u: Array) -> Array:
        """Rates of both stages from the line through the mean rates of the last two steps, at their midpoints."""
        model, rates = self.model, state.rate
        if not rates:
            cold = model.flow(state.x, model.z(state.x, state.w), u[0])[: model.layout.dim]
            cold[model.layout.act(tuple(model.kinetic))] = 0.0  # velocities unchanged: multipliers are not yet known
            rates = (cold,)
        trend = rates[0] - rates[1] if len(rates) > 1 else np.zeros_like(rates[0])
        return rates[0] + np.outer(NODES + 0.5, trend)

    def _scale(self, x0: Array, u: Array, E: Array) -> Callable[[Array, Array], Array]:
        """The size of the terms that cancel in each row, of both stages: the unit of its rounding."""
        model, dim = self.model, self.model.layout.dim
        terms = np.abs(model.J(x0)) + np.abs(model.R(x0))
        supplied = np.abs(model.B(x0)) @ np.abs(u).max(0)

        def scale(xi: Array, z: Array) -> Array:
            total = terms @ np.abs(z).max(0) + supplied
            total[:dim] += np.abs(E) @ np.abs(xi).max(0)
            floor = max(1e-12 * float(total.max(initial=0.0)), 1e-30)
            for group in model.layout.z.values():
                total[group] = max(float(total[group].max(initial=0.0)), floor)
            return total

        return scale

    def _check_temperatures(self, z: Array) -> None:
        """With a mean temperature at or below zero a stage could destroy entropy: such a step is refused."""
        for stage in z if self.model.is_thermal else ():
            for name, theta in self.model.temperatures(stage).items():
                if not theta > 0:
                    raise NotConverged(f"the temperature at junction {name!r} would be {theta:.4g} K", -1, np.nan)

    def _where(self, row: int, active: Index) -> str:
        dim = self.model.layout.dim
        if row < 0:
            return ""
        if row >= 2 * dim:
            return row_name(self.model, int(active[(row - 2 * dim) % len(active)]))
        name = next(name for name, at in self.model.layout.z.items() if at.start <= row % dim < at.stop)
        return f"variable {name!r}"


def _path(x0: Array, hxi: Array, tau: Array) -> Array:
    """x(τ) = x0 + h Σ_j ξ_j ∫₀^τ l_j at several τ, shape (..., len(τ), dim)."""
    return x0 + lagrange_integrals(tau) @ hxi
