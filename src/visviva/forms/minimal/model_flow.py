"""A mechanism's model as a flow with the accounts of its ports, dissipations and reservoirs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.errors import AssemblyError, ModelError
from visviva.forms.flows.flow import Flow
from visviva.forms.minimal.form import MinimalForm, Solved
from visviva.forms.minimal.point import Point
from visviva.integrate.inputs import TimeInputs
from visviva.integrate.newton import NotConverged
from visviva.integrate.step_laws import check_laws
from visviva.model import Model

KEPT = 64  # evaluations: more than the stages of a step


@final
@dataclass(frozen=True, eq=False)
class Evaluation:
    """Everything at one instant."""

    form: MinimalForm
    point: Point
    u: Array
    solved: Solved

    @property
    def x(self) -> Array:
        """The state of the model."""
        return self.point.x

    @cached_property
    def z(self) -> Array:
        """Efforts with the multipliers of what the tree does not hold, and the unknowns of boxes."""
        return self.point.all_efforts(self.u, self.solved)


@final
@dataclass(frozen=True, eq=False)
class Supplied:
    """Of instants, one row each: exergy destroyed by dissipations, work of ports [W], flows into reservoirs, inputs."""

    heat: Array
    work: Array
    taken: Array
    u: Array


@final
class ModelFlow(Flow):
    """The minimal form of a model; what was evaluated last is remembered, since accounts ask for it again."""

    def __init__(self, model: Model, inputs: TimeInputs, wanted: Collection[str] = ()) -> None:
        self.form = MinimalForm(model, inputs=inputs, wanted=wanted)
        self.n, self.size_q, self.extra = self.form.n, self.form.size_q, self.form.extra
        self.name, self.names = self.form.name, self.form.names
        self._known: OrderedDict[tuple[float, int, bytes], Evaluation] = OrderedDict()

    def sizes(self, q: Array) -> Array:
        """Radians, and lengths relative to that of the mechanism."""
        return self.form.lengths

    def evaluated(self, t: float, q: Array, xi: Array, s: Array) -> Evaluation:
        """Everything at one instant."""
        key = t, self.form.inputs.changes, np.concatenate([q, xi, s]).tobytes()
        if key not in self._known:
            point = Point(self.form, q, xi, s)
            u, u_dot = self.form.inputs_at(t, point)
            check_laws(self.form.open, u, t)
            self._known[key] = Evaluation(self.form, point, u, self.form.solve(point, u, u_dot))
            if len(self._known) > KEPT:
                self._known.popitem(last=False)
        return self._known[key]

    def rates(self, t: float, q: Array, xi: Array, s: Array) -> tuple[Array, Array]:
        """(ξ̇, ṡ)."""
        if not (np.isfinite(q).all() and np.isfinite(xi).all() and np.isfinite(s).all()):
            raise NotConverged("its rates are not finite", -1, np.nan)
        solved = self.evaluated(t, q, xi, s).solved
        return solved.xi_dot, solved.s_dot

    def advance_q(self, q: Array, delta: Array) -> Array:
        """That of the form."""
        return self.form.advance_q(q, delta)

    def inverse_tangent(self, q: Array, delta: Array, xi: Array) -> Array:
        """That of the form."""
        return self.form.inverse_tangent(q, delta, xi)

    def energy(self, q: Array, xi: Array, s: Array) -> float:
        """Stored exergy [J], which is energy where nothing is thermal."""
        return float(self.form.open.H(Point(self.form, q, xi, s).x))

    def energy_size(self, q: Array, xi: Array, s: Array) -> float:
        """Sum over all storages [J]."""
        return float(np.abs(self.form.open.exergies(Point(self.form, q, xi, s).x)).sum())

    def power(self, t: float, q: Array, xi: Array, s: Array) -> float:
        """Work of the ports less exergy destroyed [W]."""
        found = self.supplied([self.evaluated(t, q, xi, s)])
        return float(found.work.sum() - found.heat.sum())

    def supplied(self, instants: list[Evaluation]) -> Supplied:
        """What ports, dissipations and reservoirs do at some instants."""
        model, x, z, u = (
            self.form.full,
            *(np.array([getattr(now, name) for now in instants]) for name in ("x", "z", "u")),
        )
        outputs, taken = model.outputs(x, z), np.zeros((len(x), model.layout.total - model.layout.solved))
        if model.reservoirs:
            taken = model.flow(x, z, u)[:, model.layout.solved :]
        work = [(u[:, at] * outputs[:, at]).sum(-1) for at in model.port_columns.values()]
        return Supplied(model.heats(x, z), np.array(work).T.reshape(len(x), -1), taken, u)

    def projected(self, t: float, q: Array, xi: Array, s: Array) -> tuple[Array, Array, Array]:
        """The nearest state on the constraints."""
        try:
            return self.form.projected(t, q, xi, s)
        except AssemblyError as error:
            raise NotConverged(str(error), -1, np.nan) from None


def model_flow(model: Model, inputs: object, scheme: str) -> ModelFlow:
    """The flow of a mechanism's model, or an error that says why there is none and what to use."""
    if model.definition is None:
        raise ModelError(
            f"{scheme} integrates mechanisms in minimal velocities, and equations by hand (vv.HandFlow); "
            f"{model.name!r} is neither.\nUse vv.DiscreteGradient(), vv.EnergyCollocation() of order 4, or "
            "vv.Adaptive(...) of one of them."
        )
    felt = {name for part in model.feedback for name in part.feels} & {part.name for part in model.constraints}
    if felt:
        raise ModelError(
            f"an input of {model.name!r} depends on the reaction of {', '.join(sorted(felt))}, which {scheme} knows "
            "only after it has\nsolved for accelerations. Use vv.DiscreteGradient()."
        )
    assert isinstance(inputs, TimeInputs)
    return ModelFlow(model, inputs)
