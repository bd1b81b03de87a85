"""The motion of a mechanism as formulas: numbers of its minimal form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.bonds.formula import Formula, Function
from visviva.bonds.kane import AbstractMotion, Closure
from visviva.bonds.known_flows import KnownFlows
from visviva.errors import ModelError
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.point import Point
from visviva.geometry.hat import skew
from visviva.mechanism import Mechanism

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

    def __init__(self, m: Mechanism, inputs: Any = None) -> None:
        self.form = form = MinimalForm(m, inputs=inputs)
        self.flows = KnownFlows(form)
        self._last: Point | None = None
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
        """An error that names what moves without inertia."""
        form = self.form
        form.unconstrained(form.at(form.initial.q), np.zeros(form.n))

    def _rates(self, q: Array) -> Array:
        """Q(q)."""
        return np.stack([self.form.q_dot(q, unit) for unit in np.eye(len(self.velocities))], axis=-1)

    def _at(self, q: Array, xi: Array, s: Array) -> Point:
        """The state that was asked for last is kept: several elements ask for the same."""
        last = self._last
        if last is None or not all(map(np.array_equal, (last.q, last.xi, last.s), (q, xi, s))):
            self._last = last = Point(self.form, q.copy(), xi.copy(), s.copy())
        return last

    def _velocity(self, q: Array, p: Array, s: Array) -> Array:
        """A⁻¹p."""
        last = self._last
        if last is None or not (np.array_equal(last.q, q) and np.array_equal(last.s, s)):
            last = Point(self.form, q, np.zeros(len(p)), s)
        return np.asarray(np.linalg.solve(last.kane.A, p))

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
                model, (u, _) = self.form.open, self.form.inputs_at(t, point)
                return model.outputs(point.x, point.z) @ u - model.heats(point.x, point.z).sum()
            case "f":
                return self.flows.known(name, t)
            case "f_dot":
                return self.flows.known_rates(name, t)
            case _:
                return point.force(self.form.inputs_at(t, point)[0])

    def formula(self, role: str, laws: Laws, momentum: bool, sign: int = 1) -> Formula:
        """A function of numbers; velocities are the input of the element where states are momenta."""
        n, R, m = len(self.velocities), len(self.coordinates), self.masses
        names = laws.names
        momenta = tuple(f"p_{name}" for name in self.velocities)
        q_at, s_at, xi_at, p_at = (
            _place(names, own) for own in (self.coordinates, self.others, self.velocities, momenta)
        )

        def function(part: str) -> Function:
            def value(t: float, x: Array, given: Array) -> Array:
                q, s = x[q_at], x[s_at]
                xi = given if momentum else x[xi_at] if xi_at.stop else self._velocity(q, x[p_at], s)
                return np.asarray(sign * self._value(part, t, self._at(q, xi, s)))

            return value

        what, _, name = role.partition(" ")
        rows = len(self.flows.kept[name]) if name in self.flows.kept else 0
        shapes = {
            "Q": (R, n), "S": (m, n), "M": (m, m), "gyroscopic": (m, m), "A": (n, n), "others": (len(self.others), n),
            "Z": (rows, n), "f": (rows,), "potential": (), "supplied": (),
        }  # fmt: skip
        shape, shown = shapes.get(what, (n,)), role.replace(" xi", " ξ")
        follow = {"S": "S_dot", "A": "A_dot", "f": f"f_dot {name}"}

        def further(part: str, of: tuple[int, ...]) -> Formula:
            return Formula(f"rate of {shown}", laws.scope, of, function=function(part))

        return Formula(
            shown if sign > 0 else f"-{shown}",
            laws.scope,
            shape,
            inputs=self.velocities if momentum else (),
            function=function(role),
            rates=further(follow[what], shape) if what in follow else None,
            drift=further(f"Z_drift {name}", (rows,)) if what == "Z" else None,
        )


def _place(names: tuple[str, ...], own: tuple[str, ...]) -> slice:
    """Where some states are, which are one after the other; nowhere if a graph does not have them."""
    if not own or own[0] not in names:
        return slice(0, 0)
    first = names.index(own[0])
    return slice(first, first + len(own))
