"""The motion of a mechanism as formulas: numbers of its minimal form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.bonds.formula import Formula
from visviva.bonds.kane import AbstractMotion, Closure
from visviva.bonds.known_flows import KnownFlows
from visviva.bonds.numeric_formula import NumericRole, numeric_formula
from visviva.bonds.operations import known_flow
from visviva.errors import ModelError
from visviva.forms.minimal.constrained import constrained
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.point import Point
from visviva.geometry.hat import skew
from visviva.mechanism import Definition

if TYPE_CHECKING:
    from visviva.bonds.laws import Laws


@final
class NumericMotion(AbstractMotion):
    """A mechanism in the velocities of the joints of a tree that spans it; what closes its loops are known flows.

    Velocities of masses are spins in principal axes and velocities of centres of mass in world axes. All forces but
    inertia are impressed, those of gravity and springs too, with their potential.
    """

    potential = False
    loaded = True
    impressed: ClassVar = {"output": ("tau", 1), "energy": ("potential", 1), "power": ("supplied", 1)}

    def __init__(self, m: Definition, inputs: Any = None) -> None:
        self.form = form = MinimalForm(m, inputs=inputs)
        self.flows = KnownFlows(form)
        self._last: Point | None = None
        if form.inner is not None and form.inner.tied:
            raise ModelError(
                f"mechanism {m.name!r} has momenta in boxes that are tied to joints, {', '.join(form.inner.tied)}, "
                "which the figures\nof Kane's equations do not show: vv.bond_graph(m) has them."
            )
        if self.flows.foreign:
            raise ModelError(
                f"mechanism {m.name!r} has states that are no motion, {', '.join(self.flows.foreign)}:\n"
                "Kane's graphs do not show them. "
                "Ask for vv.bond_graph(m) without a figure."
            )
        self.name = m.name
        self.coordinates, self.velocities, self.others = tuple(form.q_names), tuple(form.xi_names), form.s_names
        self.masses, self.turns = len(form.moving), bool(form.rigid.any())
        n = len(self.velocities)
        identity = form.size_q == n and np.array_equal(self._rates(form.initial.q), np.eye(n))
        self.holonomic = identity and not self.flows.nonholonomic
        self.closures = tuple(
            Closure(name, len(rows), name in self.flows.driven) for name, rows in self.flows.kept.items()
        )

    def initial(self, momentum: bool) -> dict[str, float]:
        """As assembled."""
        q, xi, s = self.form.initial
        moving = [f"p_{name}" for name in self.velocities] if momentum else self.velocities
        values = self.form.mass_matrix(q) @ xi if momentum else xi
        names = (*self.coordinates, *self.others, *moving)
        return dict(zip(names, np.concatenate([q, s, values]).tolist(), strict=True))

    def check_inertia(self) -> None:
        """An error that names what moves without inertia, where known flows leave it."""
        form, point = self.form, self.form.at(self.form.initial.q)
        Z = self._value("rows", 0.0, point)
        constrained(point.M, Z, np.zeros(form.n), np.zeros(len(Z)), form.xi_names, f"mechanism {self.name!r}")

    def _rates(self, q: Array) -> Array:
        """Q(q)."""
        return np.stack([self.form.q_dot(q, unit) for unit in np.eye(len(self.velocities))], axis=-1)

    def _at(self, q: Array, xi: Array, s: Array) -> Point:
        """The state that was asked for last is kept: several elements ask for the same."""
        last = self._last
        if last is None or not all(map(np.array_equal, (last.q, last.xi, last.s), (q, xi, s))):
            self._last = last = Point(self.form, q.copy(), xi.copy(), s.copy())
        return last

    def _velocity(self, t: float, q: Array, p: Array, s: Array) -> Array:
        """See `known_flow`."""
        last = self._last
        if last is None or not (np.array_equal(last.q, q) and np.array_equal(last.s, s)):
            last = Point(self.form, q, np.zeros(len(p)), s)
        rows, known = (self._value(role, t, last) for role in ("rows", "known"))
        return np.asarray(known_flow(last.kane.A, rows, p, known))

    def _spin(self, point: Point) -> Array:
        """The skew matrix of ω x Jω."""
        form = self.form
        both = np.zeros((len(form.rigid), 6))
        both.reshape(-1)[form.moving] = form.masses * point.V
        G = np.zeros((6 * len(both),) * 2)
        for b, momentum in enumerate(both):
            G[6 * b : 6 * b + 3, 6 * b : 6 * b + 3] = -skew(momentum[:3])
        return G[np.ix_(form.moving, form.moving)]

    def _value(self, role: str, t: float, point: Point) -> Any:
        what, _, name = role.partition(" ")
        match what:
            case "Q":
                return self._rates(point.q)
            case "S":
                return point.S
            case "S_dot":
                return point.S_dot
            case "M":
                return np.diag(self.form.masses)
            case "gyroscopic":
                return self._spin(point)
            case "A":
                return point.kane.A
            case "A_dot":
                return point.kane.A_dot
            case "D":
                return point.kane.D @ point.xi
            case "gyration" | "T_q":
                return point.kane.gyration
            case "drift":
                return point.kane.D @ point.xi + point.kane.gyration
            case "others":
                return self.flows.others(point)
            case "Z":
                return point.Z[self.flows.kept[name]]
            case "Z_drift":
                return -point.row_rates(np.zeros(len(self.form.inputs.base)))[self.flows.kept[name]]
            case "potential":
                return self.form.open.H(point.x) - 0.5 * self.form.masses @ point.V**2
            case "supplied":
                model, (u, _) = self.form.full, self.form.inputs_at(t, point)
                z = point.all_efforts(u)
                return model.outputs(point.x, z) @ u - model.heats(point.x, z).sum()
            case "rows":
                return np.concatenate([np.zeros((0, self.form.n)), *(point.Z[at] for at in self.flows.kept.values())])
            case "known":
                return np.concatenate([np.zeros(0), *(self.flows.known(each, t) for each in self.flows.kept)])
            case "unknown":
                return np.eye(self.form.n)
            case "f":
                return self.flows.known(name, t)
            case "f_dot":
                return self.flows.known_rates(name, t)
            case _:
                return point.force(self.form.inputs_at(t, point)[0])

    def formula(self, role: str, laws: Laws, momentum: bool, sign: int = 1) -> Formula:
        """A function of numbers; velocities are the input of the element where states are momenta."""
        rows = {name: len(kept) for name, kept in self.flows.kept.items()}
        return numeric_formula(self, NumericRole(role, rows, momentum, sign), laws, self._evaluated, self._velocity)

    def _evaluated(self, role: str, t: float, q: Array, xi: Array, s: Array) -> Any:
        return self._value(role, t, self._at(q, xi, s))
