"""A rigid body as a port-Hamiltonian system in eighteen coordinates: entries of its pose, and its momentum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import finite_array
from visviva.errors import ModelError
from visviva.forms.hamiltonian.port_hamiltonian import PortHamiltonian
from visviva.geometry.definite import symmetric


def rigid_body(inertia: ArrayLike, potential: Callable[[Any, Any], Any] | None = None) -> PortHamiltonian:
    """x = (R row by row, r, P) with P = 𝓘 V in the body frame; H = ½ P·𝓘⁻¹ P + E_P(R, r).

        ẋ = [[0, TL], [-TLᵀ, P∧]] ∂H + [0; Adᵀ] W,    P∧ = [[P̂_ω, P̂_v], [P̂_v, 0]],    y = Ad V

    TL V are the rates (R ω̂, R v) of the entries. J fulfils the Jacobi identity for any matrix R, has rank 12, and the
    six entries of R Rᵀ as Casimir functions. Input and output are wrench and twist in the axes and at the origin of
    the ground.

    inertia:   (6, 6) for (ω; v), positive definite.   potential: a function of R (3, 3) and r (3,).

    Source:  Stramigioli, Maschke and Bidard (21).
    """
    I6 = symmetric(finite_array(inertia, "inertia"), 6, "inertia")
    if not np.linalg.eigvalsh(I6)[0] > 0:
        raise ModelError("inertia must be positive definite: a momentum must have one velocity.")
    inverse = np.linalg.inv(I6)

    def H(x: Any) -> Any:
        R, r, P = _parts(x)
        kinetic = 0.5 * P @ (inverse @ P)
        return kinetic if potential is None else kinetic + potential(R, r)

    def J(x: Any) -> Any:
        R, _, P = _parts(x)
        J = np.zeros((18, 18), dtype=x.dtype)
        rates = J[:12, 12:]
        for a in range(3):
            rates[3 * a : 3 * a + 3, :3] = _hat(R[a])  # the row a of R ω̂ is R[a] × ω
        rates[9:, 3:] = R
        J[12:, :12] = -rates.T
        J[12:15, 12:15] = _hat(P[:3])
        J[12:15, 15:] = J[15:, 12:15] = _hat(P[3:])
        return J

    def G(x: Any) -> Any:
        R, r, _ = _parts(x)
        G = np.zeros((18, 6), dtype=x.dtype)
        G[12:15, :3] = G[15:, 3:] = R.T
        G[12:15, 3:] = (_hat(r) @ R).T
        return G

    return PortHamiltonian(18, H, J, G=G)


def _parts(x: Any) -> tuple[Any, Any, Any]:
    x = np.array(list(x))  # floats or jets
    return x[:9].reshape(3, 3), x[9:12], x[12:]


def _hat(w: Any) -> Any:
    zero = 0 * w[0]
    return np.array([[zero, -w[2], w[1]], [w[2], zero, -w[0]], [-w[1], w[0], zero]])
