"""The reference scheme for any Model: implicit midpoint with one discrete gradient per storage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array, Mask
from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.geometry.linear import apply
from visviva.integrate.acting import SLIGHT
from visviva.integrate.integrator import AbstractIntegrator, AbstractStepper, Advancing, Inputs, Step, predict
from visviva.integrate.names import row_name, unknown_name
from visviva.integrate.newton import Newton, NotConverged, difference_jacobian
from visviva.integrate.step_laws import StepLaws
from visviva.model import Model, State
from visviva.model.heat import HeatCapacity
from visviva.model.layout import Index
from visviva.model.storage import AbstractStorage
from visviva.numerics.rank import DATA, significant

NOTICED = 1e-6  # relative changes of temperatures that are no rounding
LEAST = 1e-9  # of the largest size: what is smaller is so by chance, such as a current that has only begun


@helpful
@dataclass(frozen=True)
class DiscreteGradient(AbstractIntegrator):
    """E (Δ, ·)/h = (J(x̄) - R(x̄, z̄)) z̄ + B(x̄) u on a product of groups, x1 = x0 retracted by Δ = h ξ.

    x̄ is the mean of both ends in embedding coordinates and z̄ holds one discrete gradient per storage, so that
    H(x1) - H(x0) = h (ȳᵀu - z̄ᵀR z̄) at any h. Holonomic rows are solved as g(x1)/h = 0.
    On SE(3), with the frame at the centre of mass, the retraction keeps linear and angular momentum and moves the
    centre of mass of a free body on a straight line.

    compiled: run in compiled code, see `visviva.integrate.compiled`; False, or a block without an expression, gives the
    reference for every model, in NumPy and with a Newton matrix made by differences.
    """

    newton: Newton = field(default_factory=Newton)
    compiled: bool = True
    order: ClassVar[int] = 2
    preserves: ClassVar[frozenset[str]] = frozenset({"energy", "momentum", "g"})
    form: ClassVar[str] = "lie"
    feedback: ClassVar[bool] = True

    def prepare(self, model: Model) -> AbstractStepper:  # noqa: D102
        return _Stepper(model, self.newton)

    def stepping(self, model: Model, inputs: Inputs, state: State, h: float) -> Advancing:  # noqa: D102
        if self.compiled:
            from visviva.compiler.tableau import MIDPOINT
            from visviva.integrate.compiled import compiled_stepping
            from visviva.integrate.machine import machine_stepping

            steps: Advancing | None = machine_stepping(model, self.newton, inputs, state, h)
            steps = steps or compiled_stepping(model, MIDPOINT, self.newton, inputs, state, h)
            if steps is not None:
                return steps
        return super().stepping(model, inputs, state, h)


@final
@helpful
@dataclass(frozen=True)
class LieMidpoint(DiscreteGradient):
    """`DiscreteGradient` by the name that it has on Lie groups, which runs and audits tell."""


@final
@dataclass(frozen=True, eq=False)
class _Stepper(AbstractStepper):
    model: Model
    newton: Newton

    @property
    def width(self) -> int:  # type: ignore[override]
        """As many as the rates of a step."""
        return self.model.layout.dim

    def step(self, state: State, h: float, u: Array) -> Step:
        model, x0, dim, u = self.model, state.x, self.model.layout.dim, u[0]
        active = np.flatnonzero(state.active)
        E = model.E(x0)[:dim, :dim]
        laws = StepLaws(model, state, h, u)
        ends, function = self._equations(x0, active, h, laws)
        size, forces = self._sizes(x0, E, h, u), self._forces(x0, u)

        def residual(y: Array) -> tuple[Array, Array]:
            scale = size(y[:dim], ends(y)[2])
            return function(y), np.concatenate([scale[:dim], scale[dim : model.layout.solved][active]])

        def jacobian(y: Array) -> Array:
            return difference_jacobian(function, y, self._typical(x0, y, h, forces))

        start = np.concatenate([predict(state.rate, self._cold_rate(x0, u)), state.w[active]])
        try:
            solution = self.newton.solve(residual, jacobian, start, reuse=True)
            if laws.rounds(solution, self.newton):
                laws = laws.held(laws.inputs(*ends(solution.y)))
                ends, function = self._equations(x0, active, h, laws)
                solution = solution.then(self.newton.solve(residual, jacobian, solution.y, reuse=True))
        except NotConverged as failure:
            laws.check(*ends(start))
            failure.where = self._where(failure.row, active)
            raise
        x1, xm, z = ends(solution.y)
        outputs, u = model.outputs(xm, z, (x0, x1)), laws.inputs(x1, xm, z)
        return Step(
            x=x1,
            w=z[dim : model.layout.solved],
            gam=np.zeros(0),
            rate=solution.y[:dim],
            heat=h * model.heats(xm, z, (x0, x1)),
            work=h * np.array([u[at] @ outputs[at] for at in model.port_columns.values()]),
            iterations=solution.iterations,
            residual=solution.residual,
            taken=h * model.flow(xm, z, u, (x0, x1))[model.layout.solved :],
            u=u,
        )

    def _equations(
        self, x0: Array, active: Index, h: float, laws: StepLaws
    ) -> tuple[Callable[[Array], tuple[Array, Array, Array]], Callable[[Array], Array]]:
        """The step as functions of y = (rates, active algebraic unknowns): (x1, x̄, z̄), and what must vanish."""
        model, dim = self.model, self.model.layout.dim
        E = model.E(x0)[:dim, :dim]

        def ends(y: Array) -> tuple[Array, Array, Array]:
            w = np.zeros((*y.shape[:-1], len(model.kinds)))
            w[..., active] = y[..., dim:]
            x1 = model.retract(x0, h * y[..., :dim])
            return x1, 0.5 * (x0 + x1), model.mean_z(x0, x1, w)

        def function(y: Array) -> Array:
            x1, xm, z = ends(y)
            flow = model.flow(xm, z, laws.inputs(x1, xm, z), (x0, x1))
            rows = np.where(self._holonomic, self._g(x1) / h, flow[..., dim : model.layout.solved])
            gain = apply(model.E(xm, (x0, x1))[..., :dim, :dim], y[..., :dim]) if model.motions else y[..., :dim] @ E.T
            return np.concatenate([gain - flow[..., :dim], rows[..., active]], axis=-1)

        return ends, function

    def check(self, state: State, h: float, u: Array) -> None:
        """An error that names what stays undetermined if the equations of a step have no unique solution."""
        active = np.flatnonzero(state.active)
        y = np.concatenate([self._cold_rate(state.x, u), state.w[active]])
        function = self._equations(state.x, active, h, StepLaws(self.model, state, h, u))[1]
        matrix = difference_jacobian(function, y, self._typical(state.x, y, h, self._forces(state.x, u)))
        if not np.isfinite(matrix).all():
            return  # the first step will say where
        free = _undetermined(matrix)
        if len(free):
            names = list(dict.fromkeys(self._where(int(k), active) for k in free))
            raise ModelError(
                f"model {self.model.name!r} does not determine: {'; '.join(names)}.\n"
                "Nothing sets its effort or its flow there: add a storage, a dissipation or a constraint, or\n"
                "remove a coupling that says the same twice."
            )

    @cached_property
    def _holonomic(self) -> Mask:
        return self.model.has_g

    @cached_property
    def _groups(self) -> list[slice]:
        """Rows that share a scale: those of one variable, junction or constraint."""
        return list(self.model.layout.z.values())

    def _g(self, x: Array) -> Array:
        """Constraint functions, with zeros for the junctions before them."""
        g = self.model.g(x)
        junctions = np.zeros((*g.shape[:-1], len(self.model.kinds) - g.shape[-1]))
        return np.concatenate([junctions, g], axis=-1)

    def _sizes(self, x0: Array, E: Array, h: float, u: Array) -> Callable[[Array, Array], Array]:
        """The size of the terms that cancel in each row, as a function of rate and z: the unit of its rounding."""
        model, dim = self.model, self.model.layout.dim
        terms = np.abs(model.J(x0)) + np.abs(model.R(x0))
        fixed = np.abs(model.B(x0)) @ np.abs(u)
        for name in model.kinetic:
            at = model.layout.z[name]
            fixed[at] += np.abs(E[at, at]) @ np.abs(x0[model.layout.x[name]]) / abs(h)
        g_scale = model.g_scale(x0)
        fixed[dim : model.layout.solved][self._holonomic] += g_scale[
            self._holonomic[len(model.kinds) - len(g_scale) :]
        ] / abs(h)

        def size(rate: Array, z: Array) -> Array:
            total = terms @ np.abs(z) + fixed
            total[:dim] += np.abs(E) @ np.abs(rate)
            floor = max(1e-12 * float(total.max(initial=0.0)), 1e-30)
            for group in self._groups:
                total[group] = max(float(total[group].max(initial=0.0)), floor)
            return total

        return size

    def _typical(self, x0: Array, y: Array, h: float, forces: float) -> Array:
        """Sizes for differences: of rates those at hand, or its size in a step; of multipliers the forces.

        Of entropies what warms a node slightly.
        """
        layout = self.model.layout
        size = np.full_like(y, max(float(np.abs(y[layout.dim :]).max(initial=0.0)), forces) or 1.0)
        for variable in self.model.variables:
            at = layout.z[variable.name]
            far = float(np.abs(x0[layout.x[variable.name]]).max(initial=0.0)) / abs(h)
            size[at] = max(float(np.abs(y[at]).max(initial=0.0)), far) or 1.0
        size[: layout.dim] = np.maximum(size[: layout.dim], LEAST * size[: layout.dim].max(initial=0.0))
        for storage in self._thermal:  # temperatures grow exponentially with entropies
            at, s = layout.z[storage.variable], x0[layout.x[storage.variable]]
            c = storage.c if isinstance(storage, HeatCapacity) else _heat_capacity(storage, s, self.model.theta0)
            size[at] = np.maximum(np.abs(y[at]), SLIGHT * c / abs(h))
        return size

    @cached_property
    def _thermal(self) -> list[AbstractStorage]:
        """Storages of one entropy alone."""
        entropies = {variable.name for variable in self.model.variables if variable.entropy}
        return [part for part in self.model.storages if part.variable in entropies and part.reads == (part.variable,)]

    def _forces(self, x: Array, u: Array) -> float:
        """The largest flow at a state without multipliers: what those are added to."""
        return float(np.abs(self.model.flow(x, self.model.z(x), u)).max(initial=0.0))

    def _cold_rate(self, x: Array, u: Array) -> Array:
        """A start value without history: rates of the state variables as they are, velocities unchanged."""
        model = self.model
        rate = model.flow(x, model.z(x), u)[: model.layout.dim]
        rate[model.layout.act(tuple(model.kinetic))] = 0.0
        return rate

    def _where(self, row: int, active: Index) -> str:
        if row < 0:
            return ""
        if row >= self.model.layout.dim:
            return row_name(self.model, int(active[row - self.model.layout.dim]))
        return unknown_name(self.model, row)


def _heat_capacity(storage: AbstractStorage, s: Array, theta0: float) -> float:
    """c = θ ds/dθ about, by the least of powers of ten that changes the temperature θ = e + θ0 noticeably."""
    added = 10.0 ** np.arange(-30, 10)
    with np.errstate(over="ignore"):
        theta = storage.dH(s + np.concatenate([[0.0], added])[:, None])[:, 0] + theta0
    change = np.abs(theta[1:] / theta[0] - 1.0)
    noticed = np.flatnonzero(change >= NOTICED)
    return float(added[noticed[0]] / min(change[noticed[0]], 1.0)) if len(noticed) else float(added[-1])


def _undetermined(matrix: Array) -> Index:
    """Unknowns that a singular matrix leaves free; none if it is regular. Units of rows and columns do not count."""
    from scipy.sparse import csr_array

    from visviva.kernels.ordering import equilibration

    r, c = equilibration(csr_array(matrix))
    _, s, Vt = np.linalg.svd(r[:, None] * matrix * c)
    null = np.abs(Vt[~significant(s, DATA)])  # rows and columns of about one: singular values count beside one
    return np.flatnonzero(null.max(0, initial=0.0) > 0.1)
