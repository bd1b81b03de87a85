"""Kane's system matrices from partial twists: one sum over bodies for numbers and for symbols.

Numbers are paper equations of Phillips and Amirouche, "Kane's equations for nonholonomic systems in
bond-graph-compatible velocity and momentum forms"; ξ is their f, τ their e.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

# Contractions with signs: entries may be numbers or expressions.
_HAT = np.zeros((3, 3, 3), dtype=int)  # (ŵ u)_i = ε_ikj w_k u_j
for _k, _i, _j in ((0, 2, 1), (1, 0, 2), (2, 1, 0)):
    _HAT[_k, _i, _j], _HAT[_k, _j, _i] = 1, -1
_LIE_POISSON = np.zeros((6, 6, 6), dtype=int)  # [[π̂, p̂], [p̂, 0]] of (π; p)
_LIE_POISSON[:3, :3, :3] = _LIE_POISSON[3:, :3, 3:] = _LIE_POISSON[3:, 3:, :3] = _HAT


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
    structure = lie_poisson(momenta)
    MS, S_t = inertias @ S, _transposed(S)
    half = _transposed(MS) @ S_dot  # (b, n, n)
    D = half + S_t @ (_annihilating(twists, inertias) - structure) @ S
    force = _apply(_transposed(S_dot), momenta) + _apply(S_t, _apply(structure, twists))
    parts = (S_t @ MS, D, _apply(S_t, momenta), force, half + _transposed(half))
    return KaneMatrices(*(part.sum(0) for part in parts))


def generalised_force(S: Any, wrenches: Any) -> Any:
    """τ = Σ SᵀF (53), (n,), of wrenches (b, 6) = (moment; force) in body axes, about the origins of the body frames."""
    return _apply(_transposed(S), wrenches).sum(0)


def hat(w: Any) -> Any:
    """ŵ with ŵ u = w × u, (..., 3, 3), of numbers or expressions."""
    return (w @ _HAT.reshape(3, 9)).reshape((*w.shape, 3))


def lie_poisson(P: Any) -> Any:
    """Λ(P) = [[π̂, p̂], [p̂, 0]] with Λ(P) V = ad_Vᵀ P, for momenta P = (π; p)."""
    return (P @ _LIE_POISSON.reshape(6, 36)).reshape((*P.shape, 6))


def _annihilating(V: Any, M: Any) -> Any:
    """C = [[tr I ω̂, m v̂], [m v̂, m ω̂]], C V = 0, where I and m are those of the blocks of M."""
    diagonal = M[..., range(6), range(6)]
    trace, mass = diagonal[..., :3].sum(-1)[..., None], diagonal[..., 3:].sum(-1)[..., None] / 3
    C = lie_poisson(np.concatenate([trace * V[..., :3], mass * V[..., 3:]], axis=-1))
    C[..., 3:, 3:] = hat(mass * V[..., :3])
    return C


def _apply(M: Any, x: Any) -> Any:
    return (M @ x[..., None])[..., 0]


def _transposed(M: Any) -> Any:
    return M.swapaxes(-1, -2)
