"""Commutation coefficients: how far velocities are from being rates of coordinates.

    γ_ij^k = (∂_i A_j - ∂_j A_i)·Yᵏ,      ∂_i = A_i^a ∂/∂q^a,   Y = A⁺          stored as gamma[i, j, k]

They are skew in i, j, vanish if and only if the velocities are integrable, and do not depend on the coordinates chosen.
Source: Konz (2.17)-(2.21).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from visviva._arrays import Array

if TYPE_CHECKING:
    from visviva.forms.calculus.parameterisation import Parameterisation


def commutation(p: Parameterisation, q: Array) -> Array:
    """γ_ij^k at q, shape (n, n, n); on φ = 0 any left inverse of A gives the same."""
    A = p.A(q)
    return np.asarray(np.einsum("aij,ka->ijk", _brackets(A, p.A_slope(q)), np.linalg.pinv(A)))


def commutation_slope(p: Parameterisation, q: Array) -> Array:
    """∂_l γ_ij^k at q, shape (n, n, n, n), l last.

    As brackets are combinations of columns of A, ∂_l γ_ij^k = Yᵏ·(∂_l [A_i, A_j] - γ_ij^s ∂_l A_s).
    """
    A, slope, bend = p.A(q), p.A_slope(q), p.A_map.bend(q)
    Y = np.linalg.pinv(A)
    turned = np.einsum("ajb,bl->ajl", slope, A)  # ∂_l A_j
    moved = np.einsum("bil,ajb->aijl", turned, slope) + np.einsum("ajbc,bi,cl->aijl", bend, A, A, optimize=True)
    rest = moved - moved.swapaxes(1, 2)
    rest = rest - np.einsum("ijs,asl->aijl", commutation(p, q), turned)
    return np.asarray(np.einsum("aijl,ka->ijkl", rest, Y))


def changed_commutation(gamma: Array, B: Array, dB: Array) -> Array:
    """γ' of other velocities, ξ = B ξ': (B⁻¹)^k_s (γ_lm^s B^l_i B^m_j + ∂'_i B^s_j - ∂'_j B^s_i).

    gamma: (n, n, n).   B: (n, n).   dB: ∂_l B^s_j, shape (n, n, n), l last, in the directions of ξ.
    """
    along = np.einsum("sjl,li->sij", dB, B)  # ∂'_i B^s_j
    rest = np.einsum("lms,li,mj->sij", gamma, B, B) + along - along.swapaxes(1, 2)
    return np.asarray(np.einsum("ks,sij->ijk", np.linalg.inv(B), rest))


def symbolic_commutation(A: Any, q: list[Any]) -> Any:
    """γ_ij^k of a matrix of expressions (ν, n) in the symbols q, an object array (n, n, n) of SymPy expressions.

    Off φ = 0 they may differ from those on it: conditions are not known to SymPy.
    """
    import sympy

    nu, n = A.shape
    columns = sympy.Matrix(A)
    Y = _inverse(columns) if nu == n else _inverse(columns.T * columns) * columns.T
    slope = np.array([[[entry.diff(s) for s in q] for entry in row] for row in A], dtype=object)
    brackets = _brackets(A, slope)
    gamma = np.full((n, n, n), sympy.Integer(0), dtype=object)
    for i in range(n):
        for j in range(i):
            for k in range(n):
                gamma[i, j, k] = sympy.simplify(sum(brackets[a, i, j] * Y[k, a] for a in range(nu)))
                gamma[j, i, k] = -gamma[i, j, k]
    return gamma


def _inverse(M: Any) -> Any:
    """By cofactors: they stay short where elimination divides by sums of sines and cosines."""
    import sympy

    return (M.adjugate() / sympy.simplify(M.det())).applyfunc(sympy.simplify)


def _brackets(A: Any, slope: Any) -> Any:
    """∂_i A_j - ∂_j A_i, shape (ν, n, n)."""
    moved = np.einsum("ajb,bi->aij", slope, A)
    return moved - moved.swapaxes(1, 2)
