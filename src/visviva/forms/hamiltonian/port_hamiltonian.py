"""Port-controlled Hamiltonian systems in coordinates: what makes a structure matrix a Poisson bracket."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector
from visviva.errors import ModelError
from visviva.forms.calculus.given import map_of
from visviva.forms.calculus.maps import Arguments
from visviva.forms.calculus.parameterisation import names_of
from visviva.forms.flows.flow import FlowState
from visviva.forms.flows.flowing import AbstractFlowing
from visviva.forms.flows.schemes import AbstractFlowScheme
from visviva.geometry.definite import semidefinite, symmetric
from visviva.language.trace import UntraceableError
from visviva.model import Model, State
from visviva.numerics.nullspace import split
from visviva.results import Run
from visviva.results.trajectory import Trajectory

if TYPE_CHECKING:
    from visviva.forms.hamiltonian.hamiltonian_flow import HamiltonianFlow
    from visviva.integrate.integrator import AbstractIntegrator
    from visviva.language import Composite, Quantity

SKEW = 1e-12  # of the largest entry
OWN = frozenset({"state", "t", "energy", "power"})  # names that a run has for other things
Given = Callable[[Any], Any] | ArrayLike


@final
class PortHamiltonian(AbstractFlowing):
    """ẋ = (J - R) ∂H + G u,   y = Gᵀ ∂H,   hence   Ḣ = y·u - ∂H·R ∂H   with J = -Jᵀ and R = Rᵀ ⪰ 0.

    n:       number of states, x0, x1, …, or their names.
    H:       a function of x, one number.   J: (n, n), numbers or a function of x.
    R, G:    (n, n) and (n, p), numbers or functions of x; none by default.
    inputs:  names of u, u0, u1, … by default.   name: how errors and pages call it.

    Functions are plain Python in arithmetic and NumPy's functions; derivatives are exact, by jets. States are x[0], or
    x.q by name.

    `vv.simulate` makes steps of it by discrete gradients in compiled code, with an audit; initial is x, or states by
    name. Where a function cannot be run on symbols, and for schemes of flows such as DOP853, it runs in NumPy with
    inputs at zero.

    Source:  Stramigioli, Maschke and Bidard (18); y has p entries, not the n of the print.
    """

    def __init__(
        self,
        n: int | Sequence[str],
        H: Callable[[Any], Any],
        J: Given,
        *,
        R: Given | None = None,
        G: Given | None = None,
        inputs: Sequence[str] | None = None,
        name: str = "port-Hamiltonian system",
    ) -> None:
        self.name = name
        self.states = names_of([f"x{i}" for i in range(n)] if isinstance(n, int) else n, "state", OWN)
        self.n = n = len(self.states)
        self.arguments = Arguments((("x", self.states),))
        self.H = map_of(H, self.arguments, "H", ())
        self.J_map = map_of(J, self.arguments, "J", (n, n))
        self.R_map = map_of(np.zeros((n, n)) if R is None else R, self.arguments, "R", (n, n))
        self.G_map = map_of(np.zeros((n, 0)) if G is None else G, self.arguments, "G", (n, None))
        self._named = None if inputs is None else names_of(inputs, "input", OWN | set(self.states))

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Names of u."""
        width = self.G_map.value(np.full(self.n, 0.5)).shape[1]
        found = tuple(f"u{k}" for k in range(width)) if self._named is None else self._named
        if len(found) != width:
            raise ModelError(f"G of {self.name!r} has {width} columns, inputs= has {len(found)} names.")
        return found

    @property
    def flow(self) -> HamiltonianFlow:
        """ẋ = (J - R) ∂H."""
        from visviva.forms.hamiltonian.hamiltonian_flow import HamiltonianFlow

        return HamiltonianFlow(self)

    @cached_property
    def model(self) -> Model:
        """The Model, see `hamiltonian_model`; an `UntraceableError` where there is none."""
        from visviva.forms.hamiltonian.hamiltonian_model import hamiltonian_model

        return hamiltonian_model(self)

    def model_for(self, integrator: AbstractIntegrator | None) -> Model | None:
        """Its Model, unless a scheme of flows is asked for, or a function cannot be run on symbols."""
        if isinstance(integrator, AbstractFlowScheme):
            return None
        try:
            return self.model
        except UntraceableError:
            if integrator is None:
                return None
            raise

    def model_start(self, initial: Any) -> Any:
        """x, as the Model has it; at the time of a run of the flow that it continues."""
        from visviva.integrate.start import state_at

        if isinstance(initial, FlowState | Trajectory):
            there = self.flow.checked(initial)
            return state_at(self.model, {"state": there.xi}, there.t)
        return initial if isinstance(initial, State | Run) else {"state": self.state(initial)}

    def state(self, given: Any) -> Array:
        """x, from numbers or from a mapping by name; states that it leaves out are an error."""
        if not isinstance(given, Mapping):
            return finite_vector(() if given is None else given, f"initial state x of {self.name!r}", self.n)
        if set(given) != set(self.states):
            odd = sorted(set(given) ^ set(self.states))
            raise ModelError(
                f"{self.name!r} starts from values of {', '.join(self.states)}; {odd[0]!r} is missing or unknown."
            )
        return np.array([finite_number(given[name], f"initial value of {name!r}") for name in self.states])

    def box(self, ports: Mapping[str, Quantity], *, theta0: float = 300.0) -> Composite:
        """The system as a box of the language, whose outer ports are inputs: it composes with all others there.

        ports:  by input, the quantity that it is a flow of: {"tau": angular_momentum}, where y is the angular velocity.
                Inputs without a port are zero.   theta0: temperature [K] of the environment that R heats.
        States are the variable "x" of the box.
        """
        from visviva.forms.hamiltonian.hamiltonian_box import hamiltonian_box

        return hamiltonian_box(self, ports, theta0)

    def J(self, x: ArrayLike) -> Array:
        """The structure matrix at x, checked to be skew."""
        J = self.J_map.value(self._state(x))
        excess = np.abs(J + J.T)
        if excess.max(initial=0.0) > SKEW * np.abs(J).max(initial=0.0):
            i, j = np.unravel_index(excess.argmax(), excess.shape)
            raise ModelError(
                f"J must be skew, or it would create or lose power: J[{i}, {j}] + J[{j}, {i}] is {excess.max():.3g}."
            )
        return J

    def rates(self, x: ArrayLike, u: ArrayLike = ()) -> tuple[Array, Array]:
        """ẋ (n,) and y (p,)."""
        state = self._state(x)
        dH, G = self.H.slope(state), self.G_map.value(state)
        R = semidefinite(symmetric(self.R_map.value(state), self.n, "R"), "R")
        inputs = finite_vector(u, "u", G.shape[1])
        return (self.J(state) - R) @ dH + G @ inputs, G.T @ dH

    def dissipated(self, x: ArrayLike) -> float:
        """∂H·R ∂H, the power that leaves."""
        state = self._state(x)
        dH = self.H.slope(state)
        return float(dH @ self.R_map.value(state) @ dH)

    def jacobi(self, x: ArrayLike) -> Array:
        """Σ_l J_il ∂_l J_jk + J_kl ∂_l J_ij + J_jl ∂_l J_ki at [i, j, k]: zero for a Poisson bracket; (19)."""
        state = self._state(x)
        turned = np.einsum("il,jkl->ijk", self.J(state), self.J_map.slope(state))
        return turned + np.transpose(turned, (1, 2, 0)) + np.transpose(turned, (2, 0, 1))

    def rank(self, x: ArrayLike) -> int:
        """Rank of J, an even number."""
        return split(self.J(x)).rank

    def casimir_gradients(self, x: ArrayLike) -> Array:
        """Orthonormal basis (n, n - rank) of ker J: gradients of what stays constant for every H without ports."""
        return split(self.J(x)).Z

    def casimir_defect(self, C: Callable[[Any], Any], x: ArrayLike) -> Array:
        """J ∂C, shape (n,) or (n, m) for m functions; zero where C is a Casimir function."""
        state = self._state(x)
        many = map_of(lambda x: np.atleast_1d(C(x)), self.arguments, "C", (None,))
        return np.squeeze(self.J(state) @ many.slope(state).T)

    def canonical(self, x: ArrayLike) -> Array:
        """T (n, n) with T J Tᵀ = [[0, I, 0], [-I, 0, 0], [0, 0, 0]] at x, blocks of size m, m, n - 2m.

        The rank of J is 2m; (20) is printed with m = rank J. Coordinates that do so in a neighbourhood exist where
        the Jacobi identity holds and the rank is constant (Darboux).
        """
        J = self.J(x)
        values, vectors = np.linalg.eigh(1j * J)
        kept = values > SKEW * np.abs(values).max(initial=0.0)
        w = vectors[:, kept] * np.sqrt(2 / values[kept])
        return np.vstack([w.imag.T, w.real.T, split(J).Z.T])

    def _state(self, x: ArrayLike) -> Array:
        return finite_vector(x, "x", self.n)
