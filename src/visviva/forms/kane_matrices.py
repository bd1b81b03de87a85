"""Kane's system matrices from partial twists: one sum over bodies for numbers and for symbols.

Numbers are paper equations of Phillips and Amirouche, "Kane's equations for nonholonomic systems in
bond-graph-compatible velocity and momentum forms"; ξ is their f, τ their e.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

# (ŵ u)_i = ε_ikj w_k u_j. The hat as a contraction: entries may be numbers or expressions.
_HAT = np.array(
    [[[0, 0, 0], [0, 0, -1], [0, 1, 0]], [[0, 0, 1], [0, 0, 0], [-1, 0, 0]], [[0, -1, 0], [1, 0, 0], [0, 0, 0]]]
)


@final
@dataclass(frozen=True, eq=False)
class KaneMatrices:
    """What the forms of Kane's equations are made of, at one state.

    Laws:  A_dot = D + Dᵀ (17),   gyration = Dᵀξ (27),   p = A ξ (21) where the twists are S ξ.
    """

    A: Any  # (n, n) mass matrix (15), (55)
    D: Any  # (n, n) gyrator matrix (16), (56)
    p: Any  # (n,) generalised momenta (54)
    gyration: Any  # (n,) generalised gyration force (57)
    A_dot: Any  # (n, n) rate of A


def kane_matrices(S: Any, S_dot: Any, twists: Any, inertias: Any) -> KaneMatrices:
    """A, D, p and the gyration force of bodies whose twists are V_b = S_b(q) ξ, each in axes of its own body.

        A = Σ SᵀM S        D = Σ SᵀM Ṡ + SᵀK(V) S        p = Σ SᵀM V        Dᵀξ = Σ ṠᵀM V + Sᵀad_Vᵀ M V

    S, S_dot:  (b, 6, n) partial twists (ω; v), and the rates of their components in body axes.
    twists:    (b, 6).
    inertias:  (b, 6, 6) about the origins of the body frames; any symmetric matrix, added masses of a fluid too.

    The skew matrix K = C(V) - Λ(MV) makes the body's own equation M V̇ + K V = F: Λ(P) V = ad_Vᵀ P is the Lie-Poisson
    structure, and C annihilates V. Λ alone would do, since any D with A_dot = D + Dᵀ and the same D ξ serves. With
    C the result is (56) itself where the centre of mass is the origin.
    """
    momenta = _apply(inertias, twists)
    MS = inertias @ S
    half = _transposed(MS) @ S_dot  # (b, n, n)
    D = half + _transposed(S) @ _gyrator(twists, momenta, inertias) @ S
    force = _apply(_transposed(S_dot), momenta) + _apply(_transposed(S) @ _lie_poisson(momenta), twists)
    A_dot = half + _transposed(half)
    p = _apply(_transposed(S), momenta)
    return KaneMatrices((_transposed(S) @ MS).sum(0), D.sum(0), p.sum(0), force.sum(0), A_dot.sum(0))


def generalised_force(S: Any, wrenches: Any) -> Any:
    """τ = Σ SᵀF (53), (n,), of wrenches (b, 6) = (moment; force) in body axes, about the origins of the body frames."""
    return _apply(_transposed(S), wrenches).sum(0)


def hat(w: Any) -> Any:
    """ŵ with ŵ u = w × u, (..., 3, 3), of numbers or expressions."""
    return np.tensordot(w, _HAT, 1)


def _lie_poisson(P: Any) -> Any:
    """Λ(P) = [[π̂, p̂], [p̂, 0]] with Λ(P) V = ad_Vᵀ P, for momenta P = (π; p)."""
    angular, linear = hat(P[..., :3]), hat(P[..., 3:])
    return _blocks(angular, linear, 0 * linear)


def _gyrator(V: Any, P: Any, M: Any) -> Any:
    """K = C - Λ(P) with C = [[tr I ω̂, m v̂], [m v̂, m ω̂]], where I and m are those of the blocks of M."""
    spin, speed = hat(V[..., :3]), hat(V[..., 3:])
    diagonal = np.diagonal(M, axis1=-2, axis2=-1)
    trace, mass = diagonal[..., :3].sum(-1)[..., None, None], diagonal[..., 3:].sum(-1)[..., None, None] / 3
    return _blocks(trace * spin, mass * speed, mass * spin) - _lie_poisson(P)


def _blocks(a: Any, b: Any, c: Any) -> Any:
    """[[a, b], [b, c]]."""
    return np.concatenate([np.concatenate([a, b], axis=-1), np.concatenate([b, c], axis=-1)], axis=-2)


def _apply(M: Any, x: Any) -> Any:
    return (M @ x[..., None])[..., 0]


def _transposed(M: Any) -> Any:
    return M.swapaxes(-1, -2)
