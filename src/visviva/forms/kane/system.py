"""KaneSystem: Kane's equations of one description, as symbols and as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector
from visviva.forms.flows.flowing import AbstractFlowing
from visviva.forms.flows.schemes import AbstractFlowScheme
from visviva.forms.kane.matrices import KaneMatrices, kane_matrices
from visviva.forms.kane.numbers import numbers_of
from visviva.forms.kane.point import KanePoint, check_mass
from visviva.forms.kane.trace import KaneTracing
from visviva.language.slopes import slope
from visviva.model import Model, State
from visviva.results import Run

if TYPE_CHECKING:
    from visviva.forms.component_equations import ComponentEquations
    from visviva.forms.hamiltonian.port_hamiltonian import PortHamiltonian
    from visviva.forms.kane.forms import KaneForm
    from visviva.integrate.integrator import AbstractIntegrator
    from visviva.language import Composite, Quantity

TIME = "time"
LONG = 120  # operations; trigonometric simplification takes seconds beyond


@final
@dataclass(frozen=True, eq=False)
class KaneSystem(AbstractFlowing):
    """q̇ = Q ξ, A ξ̇ + D ξ = τ; made by `kane`. What takes a flow takes it in the velocity form; others: see `form`.

    Attributes in capitals and p, tau, gyration are SymPy matrices; `at` gives their numbers at a state.
    """

    name: str
    symbols: KaneTracing
    _rates: Any  # (R, c) Q and, where time is explicit, Q_t
    _S: Any  # (b, 6, c) partial twists, each in the axes of its body
    _S_dot: Any  # (b, 6, c) their rates, as seen from the bodies
    _inertias: Any  # (b, 6, 6)
    _loads: Any  # (c,) impressed forces without those of the potential
    V: Any  # potential energy
    prescribed: dict[str, Any]  # known velocities
    bodies: tuple[str, ...]
    explicit: bool  # whether the last column is that of time

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of q."""
        return self.symbols.coordinates

    @property
    def velocities(self) -> tuple[str, ...]:
        """Names of all ξ."""
        return self.symbols.velocities

    @property
    def unknown(self) -> tuple[str, ...]:
        """Names of the velocities that the equations determine; a state has these."""
        return tuple(name for name in self.velocities if name not in self.prescribed)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of A and D: the velocities, and "time" where the description depends on it."""
        return (*self.velocities, *((TIME,) if self.explicit else ()))

    @property
    def xi(self) -> Any:
        """(c,) symbols of the velocities, then the 1 of time."""
        return np.array([*self.symbols.xi, *((1,) if self.explicit else ())], dtype=object)

    # -- symbols ----------------------------------------------------------------------------------------------------
    @cached_property
    def raw(self) -> KaneMatrices:
        """All of it as expressions that are not simplified, in object arrays."""
        return kane_matrices(self._S, self._S_dot, self._S @ self.xi, self._inertias)

    @cached_property
    def A(self) -> Any:
        """Mass matrix (55)."""
        return tidy(self.raw.A)

    @cached_property
    def D(self) -> Any:
        """Gyrator matrix (56)."""
        return tidy(self.raw.D)

    @cached_property
    def p(self) -> Any:
        """Generalised momenta (54)."""
        return tidy(self.raw.p)

    @cached_property
    def tau(self) -> Any:
        """Generalised impressed forces (53), with those of the potential."""
        return tidy(self._loads - self._rates.T @ self._slope)

    @cached_property
    def gyration(self) -> Any:
        """Generalised gyration force (57)."""
        return tidy(self.raw.gyration)

    @cached_property
    def T(self) -> Any:
        """Kinetic energy ½ ξᵀA ξ (18)."""
        return tidy([self.raw_T])[0]

    @cached_property
    def Q(self) -> Any:
        """q̇ = Q ξ (1)."""
        return tidy(self._rates)

    @property
    def q_dot(self) -> Any:
        """Rates of the coordinates, an object array."""
        return self._rates @ self.xi

    @property
    def raw_T(self) -> Any:
        """The same, not simplified."""
        return self.xi @ self.raw.p / 2

    @cached_property
    def generated(self) -> Any:
        """Qᵀ ∂T/∂q, an object array: the gyration force where T generates both sides of the equations (32)."""
        return self._rates.T @ np.array([self.raw_T.diff(x) for x in self.symbols.q], dtype=object)

    @cached_property
    def holonomic(self) -> bool:
        """Whether ξ = q̇ with T monogenic: Kane's equations are then Lagrange's and Hamilton's (36), (42).

        That T generates the gyration force is seen at generic points.
        """
        n, s = len(self.velocities), self.symbols
        identity = np.eye(n, self._rates.shape[1], dtype=int)
        if self._rates.shape != identity.shape or not (self._rates == identity).all():
            return False
        both = numbers_of(
            (self.raw.gyration[:n], self.generated[:n]), [*s.q, *s.xi, s.t], s.parameters, f"T of {self.name!r}"
        )
        pairs = [both(draw) for draw in np.random.default_rng(0).uniform(0.3, 1.2, (4, 2 * n + 1))]
        return all(np.abs(a - b).max() <= 1e-10 * max(np.abs(a).max(), np.abs(b).max()) for a, b in pairs)

    @cached_property
    def timed(self) -> bool:
        """Whether anything depends on time: velocities, forces or the potential."""
        import sympy

        forces = (self.V, *map(sympy.sympify, self._loads))
        return bool(self.prescribed) or self.explicit or any(force.has(self.symbols.t) for force in forces)

    @property
    def values(self) -> dict[Any, float]:
        """Numbers of the parameters by symbol."""
        return dict(self.symbols.parameters)

    def equations(self, form: str = "velocity") -> ComponentEquations:
        """The equations in a form ("velocity", "momentum", "partially-lagrangian", "lagrange", "hamilton")."""
        from visviva.forms.kane.equations import kane_equations

        return kane_equations(self, form)

    # -- numbers ----------------------------------------------------------------------------------------------------
    def at(self, q: ArrayLike, xi: ArrayLike, t: float = 0.0) -> KanePoint:
        """Matrices, forces and rates at coordinates q and unknown velocities xi."""
        q = finite_vector(q, f"coordinates q of {self.name!r}", len(self.coordinates))
        xi = finite_vector(xi, f"velocities xi of {self.name!r} ({', '.join(self.unknown)})", len(self.unknown))
        return self.point(finite_number(t, "time t"), q, xi)

    def at_momentum(self, q: ArrayLike, p: ArrayLike, t: float = 0.0) -> KanePoint:
        """The same at momenta p of the unknown velocities: ᵘξ = ᵘᵘA⁻¹(ᵘp - ᵘᶜA ᶜξ), equations (26), (50)."""
        q = finite_vector(q, f"coordinates q of {self.name!r}", len(self.coordinates))
        p = finite_vector(p, f"momenta p of {self.name!r} ({', '.join(self.unknown)})", len(self.unknown))
        return self.point(finite_number(t, "time t"), q, self.velocity(finite_number(t, "time t"), q, p))

    @property
    def flow(self) -> KaneForm:
        """The velocity form."""
        return self.form()

    @cached_property
    def hamiltonian(self) -> PortHamiltonian:
        """The momentum form as a port-Hamiltonian system, where nothing is prescribed in time."""
        from visviva.forms.kane.hamiltonian import kane_hamiltonian

        return kane_hamiltonian(self)

    def box(self, ports: Mapping[str, Quantity], *, theta0: float = 300.0) -> Composite:
        """Its momentum form as a box of the language, with ports for inputs "tau_<velocity>": `PortHamiltonian.box`."""
        from visviva.forms.kane.hamiltonian import check_no_impressed_forces

        check_no_impressed_forces(self)
        return self.hamiltonian.box(ports, theta0=theta0)

    @cached_property
    def model(self) -> Model:
        """The Model of it, which other schemes than those of flows integrate."""
        from visviva.forms.kane.hamiltonian import kane_model

        return kane_model(self)

    def model_for(self, integrator: AbstractIntegrator | None) -> Model | None:
        """Its Model, for schemes that are none of flows."""
        return None if integrator is None or isinstance(integrator, AbstractFlowScheme) else self.model

    def model_start(self, initial: Any) -> Any:
        """(q, p) of (q, xi), (q, xi, t), or of where a run of any form ended, at its time."""
        from visviva.integrate.start import state_at

        if isinstance(initial, State | Run):
            return initial
        state = self.form("momentum").checked(initial)
        return state_at(self.model, {"state": np.concatenate([state.s[: len(self.coordinates)], state.xi])}, state.t)

    def form(self, form: str = "velocity") -> KaneForm:
        """What can be simulated: vv.simulate(system.form("momentum"), t_end, h, initial=(q, xi))."""
        from visviva.forms.kane.forms import KaneForm

        return KaneForm(self, form)

    def point(self, t: float, q: Array, xi: Array) -> KanePoint:
        """`at` without checks."""
        full = self._all(xi, self._known((t,))[0])
        rates, S, S_dot, M, loads, slope, scalars = self._numbers((*q, *full[: len(self.velocities)], t))
        return KanePoint(
            self.columns,
            tuple(self._u),
            kane_matrices(S, S_dot, S @ full, M),
            full,
            lambda: np.asarray(self._known_rates((t,))[0]),
            loads - rates.T @ slope,
            loads,
            rates @ full,
            float(scalars[0]),
            float(scalars[1]),
        )

    def velocity(self, t: float, q: Array, p: Array) -> Array:
        """ᵘξ of momenta, without checks."""
        S, M = self._masses((*q, t))
        u, c = self._u, self._c
        A = (S.swapaxes(1, 2) @ M @ S).sum(0)
        check_mass(A[np.ix_(u, u)], list(self.unknown))
        return np.asarray(np.linalg.solve(A[np.ix_(u, u)], p - A[np.ix_(u, c)] @ self._known((t,))[0]))

    @cached_property
    def _u(self) -> list[int]:
        return [self.velocities.index(name) for name in self.unknown]

    @cached_property
    def _c(self) -> list[int]:
        return [k for k in range(len(self.columns)) if k not in self._u]

    def _all(self, xi: Array, known: Array) -> Array:
        full = np.empty(len(self.columns))
        full[self._u], full[self._c] = xi, known
        return full

    @property
    def _slope(self) -> Any:
        return np.array([slope(self.V, x) for x in self.symbols.q], dtype=object)

    @cached_property
    def _numbers(self) -> Any:
        s = self.symbols
        parts = (
            self._rates, self._S, self._S_dot, self._inertias, self._loads, self._slope, [self.V, slope(self.V, s.t)]
        )  # fmt: skip
        return numbers_of(parts, [*s.q, *s.xi, s.t], s.parameters, repr(self.name))

    @cached_property
    def _masses(self) -> Any:
        s = self.symbols
        return numbers_of((self._S, self._inertias), [*s.q, s.t], s.parameters, repr(self.name))

    @cached_property
    def _laws(self) -> list[Any]:
        """Known velocities, in the order of the columns."""
        import sympy

        laws = [self.prescribed[name] for name in self.velocities if name in self.prescribed]
        return [*laws, *([sympy.Integer(1)] if self.explicit else [])]

    @cached_property
    def _known(self) -> Any:
        s = self.symbols
        return numbers_of([self._laws], [s.t], s.parameters, f"known velocities of {self.name!r}")

    @cached_property
    def _known_rates(self) -> Any:
        s = self.symbols
        rates = [slope(law, s.t) for law in self._laws]
        return numbers_of([rates], [s.t], s.parameters, f"rates of known velocities of {self.name!r}")

    def __repr__(self) -> str:
        counts = f"{len(self.coordinates)} coordinates, {len(self.velocities)} velocities"
        known = f" ({len(self.prescribed)} known)" if self.prescribed else ""
        return f"<KaneSystem {self.name!r}: {counts}{known}, {len(self.bodies)} bodies>"


def tidy(values: Any) -> Any:
    """A SymPy matrix of simplified entries; what is too long for that stays as it is."""
    import sympy

    array = np.asarray(values, dtype=object)
    matrix = sympy.Matrix(*(array.shape if array.ndim == 2 else (array.size, 1)), list(array.ravel()))

    def simpler(entry: Any) -> Any:
        if entry.count_ops() > LONG:
            return entry
        short = sympy.expand(entry)
        return short if short.count_ops() > LONG else sympy.trigsimp(short)

    return matrix.applyfunc(simpler)
