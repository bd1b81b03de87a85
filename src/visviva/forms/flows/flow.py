"""Flow: what can be integrated in local coordinates of one step."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array, finite_vector, with_own_arrays
from visviva.errors import ModelError
from visviva.integrate.system import AbstractSystem
from visviva.results.trajectory import Trajectory

if TYPE_CHECKING:
    from visviva.integrate.integrator import AbstractIntegrator


ROUNDING = 1e-9  # by which coordinates may be off their conditions


@final
@dataclass(frozen=True, eq=False)
class FlowState:
    """One instant of the motion of a flow, all that continues it.

    h: length of the next step, if the scheme has chosen one [s].   memory: what its start values follow from.
    momenta: whether xi are momenta.
    """

    t: float
    q: Array
    xi: Array
    s: Array
    h: float = 0.0
    memory: Array = field(default_factory=lambda: np.zeros(0))
    momenta: bool = False


class Flow(AbstractSystem):
    """Configurations q, velocities ξ in Rⁿ and other states s, with their rates and their energy.

    A scheme makes a step from (q0, ξ0, s0) in the local coordinates δ of the configuration, (δ, ξ, s) from
    (0, ξ0, s0): every Runge-Kutta method becomes its Lie-group version (Munthe-Kaas (1998), BIT 38, 92-111), without
    drift of what is redundant in q.

    n:      number of velocities.   size_q: number of coordinates.   extra: number of other states.
    name:   how errors and pictures call it.   names: of coordinates, then velocities, then other states, where given.
    has_energy: whether `energy` and `power` are known.
    has_power:  whether somebody told `power`, which is zero otherwise.
    has_clock:  whether the last of the other states is time.
    in_momenta: whether momenta are in place of velocities.
    """

    n: int
    size_q: int
    extra: int = 0
    name: str = "flow"
    names: tuple[str, ...] = ()
    has_energy: bool = True
    has_power: bool = True
    has_clock: bool = False
    in_momenta: bool = False

    @abstractmethod
    def rates(self, t: float, q: Array, xi: Array, s: Array) -> tuple[Array, Array]:
        """(ξ̇, ṡ)."""

    @abstractmethod
    def advance_q(self, q: Array, delta: Array) -> Array:
        """The configuration reached by the local coordinates δ in Rⁿ: q + δ of vectors, R exp(δ̂) of rotations."""

    @abstractmethod
    def inverse_tangent(self, q: Array, delta: Array, xi: Array) -> Array:
        """δ̇ at δ in a step from q, dexp⁻¹(δ) ξ with the left-trivialised tangent; ξ itself for vectors."""

    @abstractmethod
    def energy(self, q: Array, xi: Array, s: Array) -> float:
        """Stored energy [J]."""

    def energy_size(self, q: Array, xi: Array, s: Array) -> float:
        """Size of the terms that add up to the energy [J]: its rounding is relative to it."""
        still = self.energy(q, np.zeros(self.n), s)
        return abs(still) + abs(self.energy(q, xi, s) - still)

    def energy_changes(self, start: FlowState, state: FlowState) -> Array:
        """Parts of the energy [J] that do not depend on where it counts from: by default that of the motion, and what
        the rest has changed by since the start of a run."""
        still = [self.energy(each.q, np.zeros(self.n), each.s) for each in (start, state)]
        return np.array([self.energy(state.q, state.xi, state.s) - still[1], still[1] - still[0]])

    @abstractmethod
    def power(self, t: float, q: Array, xi: Array, s: Array) -> float:
        """Power supplied less power dissipated [W]: the rate of the energy."""

    def inputs_of(self, state: FlowState) -> tuple[tuple[str, ...], Array]:
        """Names of inputs that act besides, all zero in a run, and the rates (n, m) of what is in the place of
        velocities by each."""
        return (), np.zeros((self.n, 0))

    def violations(self, state: FlowState) -> dict[str, float | None] | None:
        """Largest violation of constraints and of their rates, relative, by "g" and "g_v".

        One that is left out: there are no such constraints. One that is None: they know no positions. None for all: the
        flow does not tell.
        """
        return None

    def projected(self, t: float, q: Array, xi: Array, s: Array) -> tuple[Array, Array, Array]:
        """The state next to a given one that satisfies the constraints which rates alone would leave slowly."""
        return q, xi, s

    def sizes(self, q: Array) -> Array:
        """Units (n,) in which errors of the local coordinates count; those of the velocities follow from them."""
        return np.ones(self.n)

    def other_sizes(self, s: Array, moved: Array) -> Array:
        """Units (extra,) in which errors of other states count: their own size, or how far they move in a step."""
        size = np.maximum(np.abs(s), moved)
        return np.where(size > 0, size, 1.0)

    def quantities(self, state: FlowState) -> dict[str, Array]:
        """What a run has by name besides t, energy and power."""
        parts = {"q": state.q, "xi": state.xi} | ({"s": state.s} if self.extra else {})
        every = np.concatenate(list(parts.values()))
        return parts | {name: every[k] for k, name in enumerate(self.names)}

    def cautions(self, nodes: Sequence[FlowState]) -> list[str]:
        """What a run warns of that its nodes show."""
        return []

    def checked(self, initial: Any) -> FlowState:
        """Where a run starts, or an error; other states are zero where they are left out."""
        if isinstance(initial, Trajectory):
            initial = initial.final
        if isinstance(initial, FlowState):
            if initial.momenta != self.in_momenta:
                kinds = ("momenta", "velocities") if self.in_momenta else ("velocities", "momenta")
                raise ModelError(f"{self.name!r} goes on from {kinds[0]}, the run that ended has {kinds[1]}.")
            given: tuple[Any, ...] = (initial.q, initial.xi, initial.s)
        elif isinstance(initial, Sequence) and not isinstance(initial, str) and len(initial) in (2, 3):
            given = tuple(initial)
        else:
            raise ModelError(
                f"{self.name!r} starts from initial=(q, xi), {self.size_q} coordinates and {self.n} velocities"
                + (f", or (q, xi, s) with {self.extra} other states" if self.extra else "")
                + f"; got {type(initial).__name__}."
            )
        q = finite_vector(given[0], f"initial coordinates q of {self.name!r}", self.size_q)
        xi = finite_vector(given[1], f"initial velocities xi of {self.name!r}", self.n)
        s = given[2] if len(given) == 3 else np.zeros(self.extra)
        s = finite_vector(s, f"initial states s of {self.name!r}", self.extra)
        with np.errstate(all="ignore"):  # a quaternion of zeros has no next one
            q_there = self.advance_q(q, np.zeros(self.n))
        if not np.abs(q_there - q).max(initial=0.0) <= ROUNDING * max(1.0, float(np.abs(q).max(initial=0.0))):
            raise ModelError(
                f"initial coordinates of {self.name!r} are no configuration: the one next to {q} is {q_there}.\n"
                "What holds between coordinates, such as the length 1 of a quaternion (w, x, y, z), holds at the start."
            )
        if isinstance(initial, FlowState):
            return with_own_arrays(initial, writeable=True)
        return FlowState(0.0, q_there, xi, s, momenta=self.in_momenta)

    def simulated(
        self, t_end: float, h: float, *, integrator: AbstractIntegrator | None, initial: Any, every: int
    ) -> Trajectory:
        """The trajectory until t_end; DOP853 by default."""
        from visviva.forms.flows.trajectories import trajectory

        return trajectory(self, t_end, h, integrator, initial, every)
