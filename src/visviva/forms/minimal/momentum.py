"""Kane's momentum form: momenta p = A(q) ξ in place of velocities."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, final

from visviva._arrays import Array, finite_vector
from visviva.forms.flows.flow import Flow, FlowState
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.point import Point
from visviva.forms.minimal.state import Coordinates, start_of
from visviva.mechanism import Definition, Motion


@final
class MomentumForm(Flow):
    """ṗ = τ(q, ξ, s, t) + Dᵀξ - Zᵀw,   ξ = A(q)⁻¹ p,   Z(q) ξ = r(q, t).

    Phillips and Amirouche (25), (26). In the place of velocities a scheme integrates the momenta p of the bodies.
    Multipliers are those of the velocity form: they keep Z ξ.

    minimal: the same mechanism in velocities.
    """

    form = "kane-momentum"
    in_momenta = True

    def __init__(self, m: Definition, inputs: Any = None) -> None:
        self.minimal = MinimalForm(m, "kane-velocity", inputs)
        self.n, self.size_q, self.extra = self.minimal.n, self.minimal.size_q, self.minimal.extra
        self.name, self.model, self.tree = self.minimal.name, self.minimal.model, self.minimal.tree
        self.q_names, self.s_names = self.minimal.q_names, self.minimal.s_names
        self.p_names = tuple(".p".join(name.rsplit(".rate", 1)) for name in self.minimal.xi_names)
        self.names = (*self.q_names, *self.p_names, *self.s_names)

    @property
    def initial(self) -> Coordinates:
        """The mechanism as assembled, with p in the place of ξ."""
        return self._with_momenta(self.minimal.initial)

    def coordinates(self, state: Any) -> Coordinates:
        """(q, p, s) of a Model's state x, a `State` of a run, or a motion of `m.assemble()`."""
        return self._with_momenta(self.minimal.coordinates(state))

    def motion(self, q: Array, p: Array, s: Array | None = None) -> Motion:
        """The motion of the mechanism at (q, p, s)."""
        return self.minimal.motion(q, self.velocities(q, p), s)

    def checked(self, initial: Any) -> FlowState:
        """Where a run starts: as assembled, at what `coordinates` takes, or at (q, p, s); s may be left out."""
        state = Flow.checked(self, start_of(self, initial))
        self.minimal.checked((state.q, self.velocities(state.q, state.xi), state.s))
        return state

    def x(self, q: Array, p: Array, s: Array | None = None) -> Array:
        """The Model's state."""
        return self.minimal.x(q, self.velocities(q, p), s)

    def momenta(self, q: Array, xi: Array) -> Array:
        """p = A(q) ξ."""
        return self.minimal.at(q).body_M @ xi

    def velocities(self, q: Array, xi: Array) -> Array:
        """ξ = A(q)⁻¹ p of momenta p; an error names what has no inertia."""
        p = finite_vector(xi, f"momenta p of {self.name!r}", self.n)
        return self.minimal.unconstrained(self.minimal.at(q).body_M, p)

    def rates(self, t: float, q: Array, xi: Array, s: Array) -> tuple[Array, Array]:
        """(ṗ, ṡ) at momenta p."""
        form = self.minimal
        point = Point(form, q, self.velocities(q, xi), s)
        u, u_dot = form.inputs_at(t, point)
        flow = form.solve(point, u, u_dot)
        force = point.S.T @ (point.flow(u, flow.V_dot)[form.at_z] + point.gyroscopic)
        return force + point.kane.gyration - point.Z.T @ flow.w, flow.s_dot

    def advance_q(self, q: Array, delta: Array) -> Array:
        """See `Configuration`."""
        return self.minimal.advance_q(q, delta)

    def inverse_tangent(self, q: Array, delta: Array, xi: Array) -> Array:
        """δ̇ at momenta p in the place of ξ."""
        return self.minimal.inverse_tangent(q, delta, self.velocities(self.advance_q(q, delta), xi))

    def energy(self, q: Array, xi: Array, s: Array | None = None) -> float:
        """Stored energy [J] at momenta p."""
        return self.minimal.energy(q, self.velocities(q, xi), s)

    def power(self, t: float, q: Array, xi: Array, s: Array) -> float:
        """Power supplied less power dissipated [W] at momenta p."""
        return self.minimal.power(t, q, self.velocities(q, xi), s)

    def violations(self, state: FlowState) -> dict[str, float | None]:
        """Those of the velocity form."""
        return self.minimal.violations(replace(state, xi=self.velocities(state.q, state.xi)))

    def projected(self, t: float, q: Array, xi: Array, s: Array) -> tuple[Array, Array, Array]:
        """The nearest state that satisfies all constraints."""
        if not self.minimal.open.constraints:
            return q, xi, s
        q1, velocity, s1 = self.minimal.projected(t, q, self.velocities(q, xi), s)
        return q1, self.momenta(q1, velocity), s1

    def _with_momenta(self, at: Coordinates) -> Coordinates:
        return Coordinates(at.q, self.momenta(at.q, at.xi), at.s)
