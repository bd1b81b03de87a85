"""The motion of a Lagrangian in minimal velocities, as a flow that `vv.simulate` takes."""

from __future__ import annotations

from typing import final

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.forms.calculus.hamel import Hamel
from visviva.forms.flows.flow import Flow, FlowState
from visviva.forms.kinds import of_kind


@final
class HamelFlow(Flow):
    """ξ̇ of Hamel's equations, with q in local coordinates of each step: φ stays zero to rounding.

        run = vv.simulate(HamelFlow(system), t_end=10.0, h=0.01, initial=(q0, xi0))

    The energy is ξ·∂L/∂ξ - L; where L depends on time there is none to keep, and none is shown.
    """

    def __init__(self, system: Hamel, name: str = "lagrangian") -> None:
        p = of_kind(system, Hamel, "what HamelFlow moves", "a Hamel(p, L)").p
        self.system, self.name = system, name
        self.n, self.size_q = p.n, p.size_q
        self.names = (*p.coordinates, *p.velocities)
        self.has_energy = not system.depends_on_time

    def rates(self, t: float, q: Array, xi: Array, s: Array) -> tuple[Array, Array]:
        """ξ̇, and nothing else."""
        return self.system.acceleration(q, xi, t), s

    def advance_q(self, q: Array, delta: Array) -> Array:
        """See `local_coordinates`."""
        return self.system.p.local.advance(q, delta)

    def inverse_tangent(self, q: Array, delta: Array, xi: Array) -> Array:
        """See `local_coordinates`."""
        return self.system.p.local.rate(q, delta, xi)

    def energy(self, q: Array, xi: Array, s: Array) -> float:
        """ξ·∂L/∂ξ - L."""
        if not self.has_energy:
            raise ModelError(f"L of {self.name!r} depends on time: it has no energy that is a state alone.")
        return self.system.energy(q, xi)

    def violations(self, state: FlowState) -> dict[str, float | None]:
        """See `Parameterisation.violation`."""
        return self.system.p.violation(state.q)

    def power(self, t: float, q: Array, xi: Array, s: Array) -> float:
        """f·ξ."""
        return self.system.power(q, xi, t)
