"""The motion of a mechanism as formulas: numbers of its minimal form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array
from visviva.bonds.formula import Formula, Function
from visviva.bonds.kane import AbstractMotion
from visviva.errors import ModelError
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.point import Point
from visviva.geometry.hat import skew
from visviva.mechanism import Mechanism

if TYPE_CHECKING:
    from visviva.bonds.laws import Laws


@final
class NumericMotion(AbstractMotion):
    """A mechanism without loops and other constraints, in the velocities of its joints.

    Velocities of masses are spins in principal axes and velocities of centres of mass in world axes. All forces but
    inertia are impressed, those of gravity and springs too; inputs are zero.
    """

    potential = False
    loaded = True

    def __init__(self, m: Mechanism) -> None:
        self.form = MinimalForm(m)
        self._last: Point | None = None
        form = self.form
        if form.open.constraints:
            names = ", ".join(repr(part.name) for part in form.open.constraints)
            raise ModelError(
                f"mechanism {m.name!r} has constraints that its joint velocities do not satisfy by themselves: "
                f"{names}.\n"
                "Give velocities that do, by vv.kane(...), or ask for vv.bond_graph(m) without a figure."
            )
        if form.extra:
            raise ModelError(
                f"mechanism {m.name!r} has states that are no motion, {', '.join(form.s_names)}: Kane's graphs do "
                "not show "
                "them.\nAsk for vv.bond_graph(m) without a figure."
            )
        self.name = m.name
        self.coordinates, self.velocities = tuple(form.q_names), tuple(form.xi_names)
        self.masses, self.turns = len(form.moving), bool(form.rigid.any())
        n = len(self.velocities)
        q = form.initial.q
        self.holonomic = form.size_q == n and np.array_equal(self._rates(q), np.eye(n))

    def _rates(self, q: Array) -> Array:
        """Q(q)."""
        return np.stack([self.form.q_dot(q, unit) for unit in np.eye(len(self.velocities))], axis=-1)

    def _at(self, q: Array, xi: Array) -> Point:
        """The state that was asked for last is kept: several elements ask for the same."""
        last = self._last
        if last is None or not (np.array_equal(last.q, q) and np.array_equal(last.xi, xi)):
            self._last = last = Point(self.form, q.copy(), xi.copy(), np.zeros(0))
        return last

    def _spin(self, q: Array, xi: Array) -> Array:
        """The skew matrix of ω x Jω."""
        form, V = self.form, self._at(q, xi).V
        both = np.zeros((len(form.rigid), 6))
        both.reshape(-1)[form.moving] = form.masses * V
        G = np.zeros((6 * len(both),) * 2)
        for b, momentum in enumerate(both):
            G[6 * b : 6 * b + 3, 6 * b : 6 * b + 3] = -skew(momentum[:3])
        return G[np.ix_(form.moving, form.moving)]

    def _value(self, role: str, t: float, q: Array, xi: Array) -> Any:
        point = self._at(q, xi)
        match role:
            case "Q":
                return self._rates(q)
            case "S":
                return point.S
            case "S_dot":
                return point.S_dot
            case "M":
                return np.diag(self.form.masses)
            case "gyroscopic":
                return self._spin(q, xi)
            case "A":
                return point.kane.A
            case "D xi":
                return point.kane.D @ xi
            case "gyration" | "T_q":
                return point.kane.gyration
            case "drift":
                return point.kane.D @ xi + point.kane.gyration
            case _:
                return self.form.forces(q, xi, t=t)

    def formula(self, role: str, laws: Laws, momentum: bool, sign: int = 1) -> Formula:
        """A function of numbers; velocities are the input of the element where states are momenta."""
        n, R = len(self.velocities), len(self.coordinates)

        def function(part: str) -> Function:
            def value(t: float, x: Array, given: Array) -> Array:
                xi = given if momentum else (x[R:] if len(x) >= R + n and part not in ("Q", "A") else np.zeros(n))
                return np.asarray(sign * self._value(part, t, x[:R], xi[:n]))

            return value

        m = self.masses
        shapes = {"Q": (R, n), "S": (m, n), "M": (m, m), "gyroscopic": (m, m), "A": (n, n)}
        shape, what = shapes.get(role, (n,)), role.replace(" xi", " ξ")
        rates = Formula(f"rate of {what}", laws.scope, shape, function=function("S_dot")) if role == "S" else None
        return Formula(what if sign > 0 else f"-{what}", laws.scope, shape, function=function(role), rates=rates)
