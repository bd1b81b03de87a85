"""The inner product of SE(3) with 21 parameters, on the matrices that poses and their rates are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.geometry.definite import symmetric
from visviva.geometry.inertia.euler import euler_tensor
from visviva.geometry.moments import axial2


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class ProductSE3:
    """<Ξ1, Ξ2> of matrices Ξ = (Y, x) (3, 4), the upper rows of X, Ẋ or Ẍ, for K > 0 (6, 6) on twists (ω; v).

        K = [[K_R + H K_r Hᵀ, H K_r], [K_r Hᵀ, K_r]],    <Ξ1, Ξ2> = x̃1·K_r x̃2 + tr(Y1 Wed(K_R) Y2ᵀ)
        x̃ = x + ½ Y vee2(H) + ¼ (H + Hᵀ) vee2(Y)

    Law:     <ξ̂, η̂> = ξ·K η.
    Limits:  positive on twists always; on all matrices only where Wed(K_R) > 0, the triangle inequality of the
             eigenvalues of K_R.
    Source:  Konz (A.14)-(A.17), in (ω; v). (A.15) prints Vee for Wed, with which (A.16) fails, and claims that it is
             positive for every K_R > 0, which it is not.
    """

    K: Array  # (6, 6)

    def __post_init__(self) -> None:
        K = symmetric(self.K, 6, "K")
        lowest = float(np.linalg.eigvalsh(K)[0])
        if not lowest > 0:
            raise ModelError(
                f"K must be positive definite, its smallest eigenvalue is {lowest:.3g}.\n"
                "Its 21 numbers are those of a norm of twists (ω; v); a stiffness in some directions only is given by"
                " springs,\nor by ChordEnergy.trace."
            )
        object.__setattr__(self, "K", K)

    @property
    def K_r(self) -> Array:
        """Stiffness of translations (3, 3)."""
        return self.K[3:, 3:]

    @property
    def H(self) -> Array:
        """Coupling (3, 3); ĥ of the centre h where K is that of points."""
        return np.asarray(np.linalg.solve(self.K_r, self.K[3:, :3]).T, dtype=np.float64)

    @property
    def K_R(self) -> Array:
        """Stiffness of rotations (3, 3) where translations give way."""
        return self.K[:3, :3] - self.H @ self.K[3:, :3]

    @property
    def is_metric(self) -> bool:
        """Whether distinct matrices have a positive distance: no eigenvalue of K_R above the sum of the others."""
        return bool(np.linalg.eigvalsh(euler_tensor(self.K_R))[0] > 0)

    @property
    def form(self) -> Array:
        """The matrix (12, 12) of the product, on entries row by row."""
        unit = np.eye(12).reshape(12, 3, 4)
        return np.array([[self.inner(a, b) for b in unit] for a in unit])

    def inner(self, first: Array, second: Array) -> float:
        """<Ξ1, Ξ2> of matrices (3, 4), or (4, 4) whose last row does not count."""
        (Y1, x1), (Y2, x2) = (self._parts(part) for part in (first, second))
        return float(x1 @ self.K_r @ x2 + np.trace(Y1 @ euler_tensor(self.K_R) @ Y2.T))

    def distance(self, first: Array, second: Array) -> float:
        """√<Ξ1 - Ξ2, Ξ1 - Ξ2>; an error where the product is indefinite along the difference."""
        gap = np.asarray(first) - np.asarray(second)
        square = self.inner(gap, gap)
        if square < 0:
            raise ModelError(
                f"the square of this distance is {square:.3g}: Wed(K_R) is indefinite.\n"
                "Matrices have a distance where no eigenvalue of K_R exceeds the sum of the two others; those of K_R"
                f" are {np.linalg.eigvalsh(self.K_R).round(6).tolist()}."
            )
        return float(np.sqrt(square))

    def _parts(self, given: Array) -> tuple[Array, Array]:
        """Y and x̃."""
        Xi = finite_array(given, "matrix of a pose or of its rate")
        if Xi.shape not in ((3, 4), (4, 4)):
            raise ModelError(f"matrix of a pose or of its rate must have shape (3, 4) or (4, 4), got {Xi.shape}.")
        Y, x = Xi[:3, :3], Xi[:3, 3]
        H = self.H
        return Y, x + Y @ axial2(H) / 2 + (H + H.T) @ axial2(Y) / 4
