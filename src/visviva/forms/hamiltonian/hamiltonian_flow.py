"""The motion of a port-Hamiltonian system, as a flow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array
from visviva.forms.flows.flow import Flow, FlowState
from visviva.results.trajectory import Trajectory

if TYPE_CHECKING:
    from visviva.forms.hamiltonian.port_hamiltonian import PortHamiltonian


@final
class HamiltonianFlow(Flow):
    """ẋ = (J - R) ∂H, with inputs at zero. All states are in the place of velocities."""

    size_q = 0

    def __init__(self, system: PortHamiltonian) -> None:
        self.system, self.n = system, system.n
        self.name, self.names = system.name, system.states

    def rates(self, t: float, q: Array, xi: Array, s: Array) -> tuple[Array, Array]:
        """ẋ, and nothing else."""
        return self.system.rates(xi, np.zeros(len(self.system.inputs)))[0], s

    def advance_q(self, q: Array, delta: Array) -> Array:
        """There are no coordinates but those among the states."""
        return q

    def inverse_tangent(self, q: Array, delta: Array, xi: Array) -> Array:
        """Nothing to follow, hence no rate."""
        return np.zeros(self.n)

    def energy(self, q: Array, xi: Array, s: Array) -> float:
        """H."""
        return float(self.system.H.value(xi))

    def energy_size(self, q: Array, xi: Array, s: Array) -> float:
        """|H|: no state of it is a velocity."""
        return abs(self.energy(q, xi, s))

    def energy_changes(self, start: FlowState, state: FlowState) -> Array:
        """What H would change by if one state alone had moved from the start to where it is, for each of them."""
        moved = start.xi + np.diag(state.xi - start.xi)
        with np.errstate(all="ignore"):  # a state that H does not have
            changes = np.array([self.system.H.value(x) for x in moved]) - self.system.H.value(start.xi)
        return np.where(np.isfinite(changes), changes, 0.0)

    def power(self, t: float, q: Array, xi: Array, s: Array) -> float:
        """-∂H·R ∂H."""
        return -self.system.dissipated(xi)

    def inputs_of(self, state: FlowState) -> tuple[tuple[str, ...], Array]:
        """u and G."""
        return self.system.inputs, self.system.G_map.value(state.xi)

    def violations(self, state: FlowState) -> dict[str, float | None]:
        """There are no constraints; Casimir functions are none."""
        return {}

    def quantities(self, state: FlowState) -> dict[str, Array]:
        """x as "state", and all states by name."""
        return {"state": state.xi} | dict(zip(self.names, state.xi, strict=True))

    def checked(self, initial: Any) -> FlowState:
        """From x, from states by name, or from `run.final`."""
        if isinstance(initial, FlowState | Trajectory):
            return Flow.checked(self, initial)
        x = self.system.state(initial)
        return FlowState(0.0, np.zeros(0), x, np.zeros(0))
