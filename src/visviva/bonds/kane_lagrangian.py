"""The motion of a Lagrangian as formulas: what its kinetic energy generates, and commutation coefficients do not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array
from visviva.bonds.formula import Formula
from visviva.bonds.kane import AbstractMotion, Closure
from visviva.errors import ModelError
from visviva.forms.calculus.hamel import Hamel
from visviva.forms.calculus.hamel_symbols import symbolic_equations
from visviva.forms.symbols.lagrangian import symbolic_lagrangian
from visviva.language.slopes import slope
from visviva.language.trace import Traced, call, expressions
from visviva.mechanism.names import unknown_name
from visviva.model import Model

if TYPE_CHECKING:
    from visviva.bonds.laws import Laws


@final
@dataclass(frozen=True, eq=False)
class LagrangianParts:
    """T = ½ ξ·M(q) ξ, V(q), q̇ = Q ξ, forces (n,) besides, commutation coefficients γ, conditions g(q) = 0 by name.

    start: (q, ξ) where a run starts if nothing else is said.
    """

    name: str
    q: tuple[Any, ...]
    xi: tuple[Any, ...]
    Q: Any
    M: Any
    V: Any
    force: Any
    gamma: Any
    constraints: dict[str, Any]
    start: tuple[Array, Array]


def parts_of_model(model: Model, inputs: Mapping[str, Any] | None) -> LagrangianParts:
    """Of a Model that `vv.lagrangian` made."""
    import sympy

    s, t = symbolic_lagrangian(model), sympy.Symbol("t", real=True)
    for name in inputs or {}:
        if name not in s.inputs:
            raise unknown_name(name, s.inputs, f"{s.name!r}, whose inputs inputs= gives,")
    force = -s.damping
    for name, B in s.inputs.items():
        given = (inputs or {}).get(name, 0.0)
        what = f"input {name!r}"
        u = expressions(call(lambda given=given: given(Traced(t)), {}, what) if callable(given) else given, what)
        force = force + B @ np.broadcast_to(u, (B.shape[1],))
    M = _quadratic(s.name, s.mass, s.v)
    linear = s.momenta - M @ np.array(s.v, dtype=object)  # a(q) of a(q)·v, whose force is skew
    curl = _slopes(linear, s.q)
    force = force + (curl.T - curl) @ np.array(s.v, dtype=object)
    n = len(s.q)
    return LagrangianParts(
        s.name,
        s.q,
        s.v,
        np.eye(n, dtype=int),
        M,
        s.V,
        force,
        np.zeros((n,) * 3, dtype=int),
        s.constraints,
        (model.start["q"], model.start["v"]),
    )


def parts_of_hamel(system: Hamel) -> LagrangianParts:
    """Of a Lagrangian in minimal velocities."""
    import sympy

    if system.depends_on_time:
        raise ModelError(
            f"L of {system.name!r} depends on time: its energy is no store. Make what moves by itself a coordinate."
        )
    e = symbolic_equations(system)
    still = dict.fromkeys(e.xi, sympy.Integer(0))
    xi = np.array(e.xi, dtype=object)
    V = -system.L.expressions((*e.q, *e.xi, e.t)).item().xreplace(still)
    M = _quadratic(system.name, np.array(e.mass.tolist(), dtype=object), e.xi)
    A = system.p.A_map.expressions(e.q)
    linear = np.array([entry.xreplace(still) for entry in e.momentum], dtype=object)
    along = _slopes(linear, e.q) @ A  # ∂_k a_i
    turned = np.einsum("ijk,k->ij", e.gamma, linear)
    return LagrangianParts(
        system.name,
        e.q,
        e.xi,
        A,
        M,
        V,
        e.f + (along.T - along - turned) @ xi,
        e.gamma,
        {},
        (np.asarray(system.p.q0, dtype=np.float64), np.zeros(len(e.xi))),
    )


def _quadratic(name: str, M: Any, xi: tuple[Any, ...]) -> Any:
    if any(entry.free_symbols & set(xi) for entry in M.ravel()):
        raise ModelError(
            f"L of {name!r} is not quadratic in the velocities: the stores of Kane's graphs have T = ½ ξ·A(q) ξ."
        )
    return M


def _slopes(values: Any, by: tuple[Any, ...]) -> Any:
    return np.array([[slope(entry, s) for s in by] for entry in values], dtype=object).reshape(len(values), len(by))


@final
class LagrangianMotion(AbstractMotion):
    """Figures 2 to 6 of a Lagrangian; figure 1 has masses, which a Lagrangian does not tell."""

    masses = 1  # of unknown number: see `_values`
    turns = False

    def __init__(self, parts: LagrangianParts) -> None:
        self.parts, self.name = parts, parts.name
        self.coordinates, self.velocities = tuple(map(str, parts.q)), tuple(map(str, parts.xi))
        self.potential = parts.V != 0
        self.loaded = any(entry != 0 for entry in parts.force)
        identity = parts.Q.shape[0] == parts.Q.shape[1] and bool((np.eye(len(parts.q), dtype=int) == parts.Q).all())
        self.holonomic = identity and not parts.gamma.any()
        self.closures = tuple(Closure(name, len(g), False) for name, g in parts.constraints.items())

    def initial(self, momentum: bool) -> dict[str, float]:
        """Where the Lagrangian starts, with momenta M(q) ξ where these are states."""
        q, moving = self.parts.start
        names = self.velocities
        if momentum:
            here = dict(zip(self.parts.q, q.tolist(), strict=True))
            names = tuple(f"p_{name}" for name in self.velocities)
            moving = np.array([[entry.xreplace(here) for entry in row] for row in self.parts.M], dtype=float) @ moving
        return dict(zip((*self.coordinates, *names), (*q.tolist(), *moving.tolist()), strict=True))

    def check_inertia(self) -> None:
        """A description without inertia is refused when it is run."""

    def _values(self, role: str) -> Any:
        parts, what, name = self.parts, *role.partition(" ")[::2]
        xi, n = np.array(parts.xi, dtype=object), len(parts.xi)
        p = parts.M @ xi
        T = xi @ p / 2
        T_q = np.array([slope(T, s) for s in parts.q], dtype=object)
        roles: dict[str, Callable[[], Any]] = {
            "Q": lambda: parts.Q,
            "A": lambda: parts.M,
            "T_q": lambda: T_q,
            "gyration": lambda: parts.Q.T @ T_q - np.einsum("ijk,j,k->i", parts.gamma, xi, p),
            "drift": lambda: _slopes(p, parts.q) @ (parts.Q @ xi),
            "D": lambda: self._values("drift") - self._values("gyration"),
            "tau": lambda: parts.force,
            "V": lambda: np.array(parts.V, dtype=object),
            "V_q": lambda: np.array([slope(parts.V, s) for s in parts.q], dtype=object),
            "Z": lambda: _slopes(parts.constraints[name], parts.q) @ parts.Q,
            "rows": lambda: np.concatenate([self._values(f"Z {each}") for each in parts.constraints]),
            "known": lambda: np.zeros(sum(map(len, parts.constraints.values())), dtype=int),
            "unknown": lambda: np.eye(n, dtype=int),
        }
        if what not in roles:
            raise ModelError(
                f"{self.name!r} is given by its energies, which do not tell masses and their velocities: figure 1 has\n"
                "these. Ask for figures 2 to 6, or describe the bodies by vv.kane."
            )
        return roles[what]()

    def formula(self, role: str, laws: Laws, momentum: bool, sign: int = 1) -> Formula:
        """The expressions; velocities are inputs of the element where states are momenta."""
        import sympy

        values = np.asarray(self._values(role), dtype=object)
        flat = np.empty(values.size, dtype=object)
        flat[:] = [sign * sympy.sympify(entry) for entry in values.ravel()]
        inputs = self.parts.xi if momentum else ()
        return Formula(f"{role} of {self.name!r}", laws.scope, values.shape, flat.reshape(values.shape), inputs)
