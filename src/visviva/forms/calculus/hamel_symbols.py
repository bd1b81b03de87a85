"""Hamel's and Hamilton's equations as SymPy expressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva.errors import ModelError
from visviva.forms.calculus.commutation import symbolic_commutation
from visviva.forms.calculus.hamel import Hamel


@final
@dataclass(frozen=True, eq=False)
class HamelEquations:
    """Left sides of d/dt ∂L/∂ξⁱ + γ_ij^k ξʲ ∂L/∂ξᵏ - ∂_i L = f_i, as expressions in symbols called like the variables.

    q, xi, xi_dot: the symbols, those of rates end in _dot.   gamma: (n, n, n).   momentum, left, f: n entries each.
    """

    q: tuple[Any, ...]
    xi: tuple[Any, ...]
    xi_dot: tuple[Any, ...]
    t: Any
    gamma: Any
    momentum: Any
    left: Any
    f: Any

    @property
    def mass(self) -> Any:
        """∂left/∂ξ̇, a SymPy matrix."""
        import sympy

        return sympy.Matrix([[entry.diff(rate) for rate in self.xi_dot] for entry in self.left])

    @property
    def bias(self) -> Any:
        """Left sides for ξ̇ = 0, a SymPy column."""
        import sympy

        rest = dict.fromkeys(self.xi_dot, sympy.Integer(0))
        return sympy.Matrix([entry.xreplace(rest) for entry in self.left])


def symbolic_equations(system: Hamel) -> HamelEquations:
    """The equations of a system whose L, f and A are expressions or can be traced."""
    import sympy

    p = system.p
    q, xi = (tuple(sympy.Symbol(name, real=True) for name in names) for names in (p.coordinates, p.velocities))
    xi_dot = tuple(sympy.Symbol(f"{name}_dot", real=True) for name in p.velocities)
    t = sympy.Symbol("t", real=True)
    A = p.A_map.expressions(q)
    L = system.L.expressions((*q, *xi, t)).item()
    gamma = symbolic_commutation(A, list(q))
    momentum = np.array([L.diff(w) for w in xi], dtype=object)
    q_dot = A @ np.array(xi, dtype=object)
    left = []
    for i in range(p.n):
        rate = momentum[i].diff(t) + sum(momentum[i].diff(s) * d for s, d in zip(q, q_dot, strict=True))
        rate += sum(momentum[i].diff(w) * d for w, d in zip(xi, xi_dot, strict=True))
        turned = sum(gamma[i, j, k] * xi[j] * momentum[k] for j in range(p.n) for k in range(p.n))
        along = sum(A[a, i] * L.diff(s) for a, s in enumerate(q))
        left.append(sympy.simplify(sympy.expand(rate + turned - along)))
    f = system.f.expressions((*q, *xi, t))
    return HamelEquations(q, xi, xi_dot, t, gamma, momentum, np.array(left, dtype=object), f)


@final
@dataclass(frozen=True, eq=False)
class HamiltonEquations:
    """q̇ = A ∂H/∂p and ṗ_i = f_i - γ_ij^k (∂H/∂p_j) p_k - ∂_i H, as expressions; momenta are called p_<velocity>."""

    q: tuple[Any, ...]
    p: tuple[Any, ...]
    t: Any
    H: Any
    q_dot: Any
    p_dot: Any


def symbolic_hamilton(system: Hamel) -> HamiltonEquations:
    """Of a Lagrangian that is quadratic in ξ: H = ½ (p - b)·M⁻¹ (p - b) - c; Konz (2.40)-(2.43), corrected."""
    import sympy

    equations = symbolic_equations(system)
    q, xi, t, A = equations.q, equations.xi, equations.t, system.p.A_map.expressions(equations.q)
    momenta = tuple(sympy.Symbol(f"p_{name}", real=True) for name in system.p.velocities)
    M, rest = equations.mass, dict.fromkeys(xi, sympy.Integer(0))
    if M.free_symbols & set(xi):
        raise ModelError("L is not quadratic in the velocities: use Legendre, which finds them numerically.")
    L = system.L.expressions((*q, *xi, t)).item()
    shifted = sympy.Matrix([p - b.xreplace(rest) for p, b in zip(momenta, equations.momentum, strict=True)])
    velocity = (M.adjugate() * shifted / sympy.simplify(M.det())).applyfunc(sympy.simplify)
    H = sympy.simplify((shifted.T * velocity)[0] / 2 - L.xreplace(rest))
    gamma, n = equations.gamma, system.p.n
    moved = dict(zip(xi, velocity, strict=True))
    p_dot = []
    for i in range(n):
        turned = sum(gamma[i, j, k] * velocity[j] * momenta[k] for j in range(n) for k in range(n))
        along = sum(A[a, i] * H.diff(s) for a, s in enumerate(q))
        p_dot.append(sympy.simplify(equations.f[i].xreplace(moved) - turned - along))
    q_dot = A @ np.array(velocity.tolist(), dtype=object)[:, 0]
    return HamiltonEquations(q, momenta, t, H, q_dot, np.array(p_dot, dtype=object))
