"""Special polar decomposition: every 3×3 matrix is a rotation times Wed of a positive semidefinite matrix.

    M = R Wed(K),   Wed(K) = ½ tr(K) I - K,   R in SO(3),   K = Kᵀ ⪰ 0

R is the rotation that is nearest to M, and K the Hessian of -tr(MᵀR) there. It differs from the usual polar
decomposition, whose factor is a reflection where det M < 0.

With singular values σ1 >= σ2 >= σ3 and σ3 counted negative where det M < 0, K has the eigenvalues
λ = (σ2 + σ3, σ3 + σ1, σ1 + σ2). Source: Konz, end of section 2.4, its claim of uniqueness corrected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.geometry.inertia.euler import euler_tensor

TOLERANCE = 1e-12  # of the largest singular value


@final
@dataclass(frozen=True, eq=False)
class SpecialPolar:
    """M = R Wed(K).

    eigenvalues: λ1 <= λ2 <= λ3 of K, always unique.   R_unique: whether R is; it is if and only if λ1 > 0.
    K_unique:    whether K is; it is if and only if λ1 > 0 or M has at most rank 1.
    """

    R: Array  # (3, 3)
    K: Array  # (3, 3)
    eigenvalues: Array  # (3,)
    R_unique: bool
    K_unique: bool

    @property
    def stretch(self) -> Array:
        """Wed(K) = RᵀM, symmetric, indefinite where det M < 0."""
        return euler_tensor(self.K)


def special_polar(M: ArrayLike) -> SpecialPolar:
    """The decomposition of a matrix (3, 3); where it is not unique, one of them, and it says so."""
    M = finite_array(M, "M", (3, 3))
    U, sigma, Vt = np.linalg.svd(M)
    orientation = float(np.round(np.linalg.det(U) * np.linalg.det(Vt)))
    signs = np.array([1.0, 1.0, orientation])
    s = sigma * signs
    R = (U * signs) @ Vt
    eigenvalues = np.array([s[1] + s[2], s[2] + s[0], s[0] + s[1]])
    K = (Vt.T * eigenvalues) @ Vt
    floor = TOLERANCE * sigma[0]
    R_unique = bool(eigenvalues[0] > floor)
    return SpecialPolar(R, (K + K.T) / 2, eigenvalues, R_unique, R_unique or bool(sigma[1] <= floor))
