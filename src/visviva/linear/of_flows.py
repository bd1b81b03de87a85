"""Rigid systems, Lagrangians in minimal velocities and equations by hand, as linearisation sees them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.forms.calculus.hamel_flow import HamelFlow
from visviva.forms.flows.flow import Flow
from visviva.forms.rigid.system import RigidSystem
from visviva.geometry.differences import each, slopes
from visviva.linear.equations import AbstractEquations, Reference, Values, check_place
from visviva.mechanism.names import unknown_name

ALIKE = 1e-9  # of coordinates: by so much their increments may be others


@final
class FlowEquations(AbstractEquations):
    """Any flow. Those of a RigidSystem and of a Lagrangian have a mass matrix, and forces along velocities as inputs.

    Outputs are states.
    """

    def __init__(self, flow: Flow, outputs: Iterable[str] | None) -> None:
        self.flow, self.title, self.name = flow, flow.name, f"{flow.name!r}"
        n = flow.n
        names = flow.names or _numbered(flow)
        self.velocities = tuple(names[flow.size_q : flow.size_q + n])
        self._coordinates = tuple(names[: flow.size_q])
        self.positions = tuple(f"∫{name}" for name in self.velocities)  # see `start`
        self.others = tuple(names[flow.size_q + n : len(names) - flow.has_clock])  # time is no state
        self._t = 0.0
        self.has_mass = isinstance(flow, RigidSystem | HamelFlow)
        self.inputs = tuple(f"f[{name}]" for name in self.velocities) if self.has_mass else ()
        self.units, self.sizes = {}, np.ones(n)
        shown = (*self.positions, *self._coordinates, *self.velocities, *self.others)
        for name in outputs or ():
            if name not in shown:
                raise unknown_name(str(name), shown[n:], f"the outputs of {self.name}")
        self.outputs = tuple(outputs or ())
        self._seen = np.array([shown.index(name) for name in self.outputs], dtype=np.intp)
        self.holonomic = np.zeros(0, dtype=bool)

    # -- instants -----------------------------------------------------------------------------------------------

    def start(self, at: Any, steady: bool) -> Reference:  # noqa: D102
        if at is None:
            raise ModelError(
                f"{self.name} does not say where it rests: give at=(q, xi), {self.flow.size_q} coordinates and "
                f"{self.flow.n} velocities."
            )
        check_place(at, self.flow)
        state = self.flow.checked(at)
        self._t = state.t
        ref = self.continued(state.q, state.xi, state.s[: len(self.others)], state.t)
        self.holonomic = self._rows(ref.q, ref.xi, ref.t)[2]
        if self._advances_coordinates(ref.q):
            self.positions = self._coordinates
        return ref

    def _advances_coordinates(self, q: Array) -> bool:
        """Whether increments, whose rates are the velocities, are those of the coordinates."""
        if self.flow.size_q != self.n:
            return False
        ways = slopes(each(lambda d: self.advance(q, d) - q), self.n, self.flow.sizes(q)).J
        return bool(np.abs(ways - np.eye(self.n)).max(initial=0.0) <= ALIKE)

    def continued(self, q: Array, xi: Array, s: Array, t: float) -> Reference:  # noqa: D102
        if isinstance(self.flow, RigidSystem):
            found = self.flow.solve(q, xi, None, t)
            return Reference(t, q, xi, s, found.xi_dot, np.concatenate([np.zeros(0), *found.multipliers.values()]))
        return Reference(t, q, xi, s, self.flow.rates(t, q, xi, self._all(s, t))[0], np.zeros(0))

    def _all(self, s: Array, t: float) -> Array:
        """Other states, time as the last one of a flow with a clock."""
        return np.append(s, t) if self.flow.has_clock else s

    # -- the equations ------------------------------------------------------------------------------------------

    def advance(self, q: Array, eps: Array) -> Array:  # noqa: D102
        return self.flow.advance_q(q, eps)

    def turn(self, q: Array, xi: Array) -> Array:
        """ad(ξ) by the brackets of the fields X_a(δ) = dexp⁻¹(δ) a at δ = 0: DX_b a - DX_a b = X_[a, b]."""
        if not xi.any():
            return np.zeros((self.n, self.n))
        eye, ones = np.eye(self.n), np.ones(self.n)
        own = slopes(each(lambda d: self.flow.inverse_tangent(q, d, xi)), self.n, ones, np.abs(xi)).J
        along = [
            slopes(each(lambda h, e=e: self.flow.inverse_tangent(q, h[0] * xi, e)), 1, np.ones(1), ones).J[:, 0]  # type: ignore[misc]
            for e in eye
        ]
        return np.stack(along, axis=1) - own

    def mass(self, q: Array) -> Array:  # noqa: D102
        rest = np.zeros(self.n)
        match self.flow:
            case RigidSystem():
                return self.flow.terms(q, rest, None, self._t).M
            case HamelFlow():
                return self.flow.system.mass(q, rest)
        return np.eye(self.n)

    def _rows(self, q: Array, xi: Array, t: float) -> tuple[Array, Array, Any]:
        """Z, Z ξ and which rows are holonomic."""
        if not isinstance(self.flow, RigidSystem) or not self.flow.every_constraint:
            return np.zeros((0, self.n)), np.zeros(0), np.zeros(0, dtype=bool)
        parts = self.flow.rows(self.flow.instant(q, xi, t))
        for name, part in parts.items():
            if part.velocity is None:
                raise ModelError(
                    f"constraint {name!r} of {self.name} is one of accelerations alone: what it leaves of velocities\n"
                    "depends on the past. Linearise without it."
                )
        rates = [part.velocity for part in parts.values() if part.velocity is not None]
        kinds = [np.full(len(part.z), part.position is not None) for part in parts.values()]
        return np.concatenate([part.Z for part in parts.values()]), np.concatenate(rates), np.concatenate(kinds)

    def Z(self, ref: Reference) -> Array:  # noqa: D102
        return self._rows(ref.q, ref.xi, ref.t)[0]

    def rows(self, ref: Reference, eps: Array) -> Array:  # noqa: D102
        return np.array([self._rows(self.advance(ref.q, one), ref.xi, ref.t)[1] for one in eps])

    def rates(self, ref: Reference) -> Array:  # noqa: D102
        return self.flow.rates(ref.t, ref.q, ref.xi, self._all(ref.s, ref.t))[1][: len(self.others)]

    def values(self, ref: Reference, eps: Array, zeta: Array, sigma: Array, du: Array) -> Values:  # noqa: D102
        found = [self._value(ref, *one) for one in zip(eps, zeta, sigma, du, strict=True)]
        return Values.joined([Values(one.force[None], one.rates[None], one.outputs[None]) for one in found])

    def _value(self, ref: Reference, eps: Array, zeta: Array, sigma: Array, du: Array) -> Values:
        q, xi, s = self.advance(ref.q, eps), ref.xi + zeta, ref.s + sigma
        outputs = np.concatenate([eps, q - ref.q, xi, s])[self._seen]
        if isinstance(self.flow, RigidSystem):
            terms = self.flow.terms(q, xi, du, ref.t)
            force = terms.M @ ref.xi_dot - terms.b + self._rows(q, xi, ref.t)[0].T @ ref.w
            return Values(force, np.zeros(0), outputs)
        xi_dot, s_dot = self.flow.rates(ref.t, q, xi, self._all(s, ref.t))
        M = self.flow.system.mass(q, xi, ref.t) if isinstance(self.flow, HamelFlow) else np.eye(self.n)
        force = M @ (ref.xi_dot - xi_dot)
        return Values(force - du if self.inputs else force, s_dot[: len(self.others)], outputs)

    def force_sizes(self, ref: Reference) -> Array:
        """Those of small displacements: forces at hand are sums whose parts are not known."""
        return self.near_forces(ref)


def _numbered(flow: Flow) -> tuple[str, ...]:
    sizes = {"q": flow.size_q, "xi": flow.n, "s": flow.extra}
    return tuple(f"{letter}[{k}]" for letter, size in sizes.items() for k in range(size))
