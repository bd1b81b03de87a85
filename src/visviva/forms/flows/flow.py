"""Flow: what can be integrated in local coordinates of one step."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array, finite_number, finite_vector
from visviva.errors import ModelError
from visviva.forms.flows.configuration import Configuration
from visviva.forms.kinds import function
from visviva.integrate.system import AbstractSystem

if TYPE_CHECKING:
    from visviva.integrate.integrator import AbstractIntegrator
    from visviva.results.trajectory import Trajectory


ROUNDING = 1e-9  # of the length of a quaternion


@final
@dataclass(frozen=True, eq=False)
class FlowState:
    """One instant of the motion of a flow, all that continues it.

    h: length of the next step, if the scheme has chosen one [s].   memory: what its start values follow from.
    """

    t: float
    q: Array
    xi: Array
    s: Array
    h: float = 0.0
    memory: Array = field(default_factory=lambda: np.zeros(0))


class Flow(AbstractSystem):
    """Configurations q, velocities ξ in Rⁿ and other states s, with their rates and their energy.

    A scheme makes a step from (q0, ξ0, s0) in the local coordinates δ of the configuration, (δ, ξ, s) from
    (0, ξ0, s0): every Runge-Kutta method becomes its Lie-group version (Munthe-Kaas (1998), BIT 38, 92-111), without
    drift of what is redundant in q.

    n:      number of velocities.   size_q: number of coordinates.   extra: number of other states.
    name:   how errors and pictures call it.   names: of coordinates, then velocities, then other states, where given.
    has_energy: whether `energy` and `power` are known.
    """

    n: int
    size_q: int
    extra: int = 0
    name: str = "flow"
    names: tuple[str, ...] = ()
    has_energy: bool = True

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

    @abstractmethod
    def power(self, t: float, q: Array, xi: Array, s: Array) -> float:
        """Power supplied less power dissipated [W]: the rate of the energy."""

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

    def checked(self, initial: Any) -> FlowState:
        """Where a run starts, or an error; other states are zero where they are left out."""
        if isinstance(initial, FlowState):
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
        q_there = self.advance_q(q, np.zeros(self.n))
        if np.abs(q_there - q).max(initial=0.0) > ROUNDING * max(1.0, float(np.abs(q).max(initial=0.0))):
            raise ModelError(
                f"initial coordinates of {self.name!r} are no configuration: {q} stands for {q_there}.\n"
                "A quaternion (w, x, y, z) has the length 1; the identity is (1, 0, 0, 0)."
            )
        return initial if isinstance(initial, FlowState) else FlowState(0.0, q_there, xi, s)

    def simulated(
        self, t_end: float, h: float, *, integrator: AbstractIntegrator | None, initial: Any, every: int
    ) -> Trajectory:
        """The trajectory until t_end; DOP853 by default."""
        from visviva.forms.flows.trajectories import trajectory

        return trajectory(self, t_end, h, integrator, initial, every)


Rates = Callable[..., Any]


@final
class HandFlow(Flow):
    """A flow whose equations are given as functions.

    rates(t, q, xi):  ξ̇; with `extra` other states rates(t, q, xi, s), which returns (ξ̇, ṡ).
    energy, power:    of (q, xi) and (t, q, xi), with s as the last argument where there are other states. Without an
                      energy the run has none to show, and schemes that keep it refuse the flow. power defaults to 0.
    configuration:    blocks of q, see `Configuration`; default: as many coordinates as velocities, ξ = q̇.
    names:            of the coordinates, the velocities and the other states, in this order.
    """

    def __init__(
        self,
        rates: Rates,
        n: int | None = None,
        *,
        energy: Callable[..., float] | None = None,
        power: Callable[..., float] | None = None,
        configuration: Sequence[int | str] | None = None,
        extra: int = 0,
        names: Sequence[str] = (),
        name: str = "flow",
    ) -> None:
        blocks = configuration if configuration is not None else (n,)
        if (n is None) == (configuration is None) or isinstance(blocks, str):
            raise ModelError(
                f"{name!r} needs either n, the number of velocities of a vector q, or configuration=('ball', 2, ...)."
            )
        self.configuration = Configuration(tuple(block for block in blocks if block is not None))
        if not isinstance(extra, int) or extra < 0:
            raise ModelError(f"extra of {name!r} is a number of other states, got {extra!r}.")
        self.n, self.size_q, self.extra = self.configuration.n, self.configuration.size_q, extra
        self.name, self.names = name, tuple(names)
        if self.names and len(self.names) != self.size_q + self.n + extra:
            raise ModelError(
                f"{name!r} has {self.size_q} coordinates, {self.n} velocities and {extra} other states; names= gives "
                f"{len(self.names)}: {', '.join(self.names)}."
            )
        shown = {*self.names, "q", "xi", "s", "t", "energy", "power"}
        if len(shown) < len(self.names) + 6:
            raise ModelError(
                f"names of {name!r} must be different, and none of q, xi, s, t, energy, power, which its run has"
                f" anyway; got {', '.join(self.names)}."
            )
        arguments = "t, q, xi, s" if extra else "t, q, xi"
        self._rates = function(rates, f"rates of {name!r}", arguments)
        self._energy = energy if energy is None else function(energy, f"energy of {name!r}", arguments[3:])
        self._power = power if power is None else function(power, f"power of {name!r}", arguments)
        self.has_energy = energy is not None

    def rates(self, t: float, q: Array, xi: Array, s: Array) -> tuple[Array, Array]:
        """As given, checked for its shape."""
        found = self._rates(t, q, xi, s) if self.extra else (self._rates(t, q, xi), s)
        if not isinstance(found, Sequence) or len(found) != 2:
            raise ModelError(f"the rates of {self.name!r} must be a pair (xi_dot, s_dot), got {found!r}.")
        try:
            xi_dot, s_dot = (np.asarray(part, dtype=np.float64) for part in found)
        except (TypeError, ValueError):
            raise ModelError(f"the rates of {self.name!r} must be numbers, got {found!r}.") from None
        if xi_dot.shape != (self.n,) or s_dot.shape != (self.extra,):
            wanted = f"({self.n},)" + (f" and ({self.extra},)" if self.extra else "")
            got = f"{xi_dot.shape}" + (f" and {s_dot.shape}" if self.extra else "")
            raise ModelError(f"the rates of {self.name!r} must have shape {wanted}, got {got}.")
        return xi_dot, s_dot

    def advance_q(self, q: Array, delta: Array) -> Array:
        """See `Configuration`."""
        return self.configuration.advance(q, delta)

    def inverse_tangent(self, q: Array, delta: Array, xi: Array) -> Array:
        """See `Configuration`."""
        return self.configuration.inverse_tangent(delta, xi)

    def sizes(self, q: Array) -> Array:
        """See `Configuration`."""
        return self.configuration.sizes(q)

    def energy(self, q: Array, xi: Array, s: Array) -> float:
        """As given."""
        if self._energy is None:
            raise ModelError(f"{self.name!r} has no energy: give energy=, or integrate with a scheme that needs none.")
        value = self._energy(q, xi, s) if self.extra else self._energy(q, xi)
        return finite_number(value, f"energy of {self.name!r}")

    def power(self, t: float, q: Array, xi: Array, s: Array) -> float:
        """As given, or zero."""
        if self._power is None:
            return 0.0
        value = self._power(t, q, xi, s) if self.extra else self._power(t, q, xi)
        return finite_number(value, f"power of {self.name!r}")
