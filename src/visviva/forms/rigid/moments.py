"""Moments of a distribution of mass, damping or stiffness over the points of a rigid body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number, finite_vector, frozen
from visviva.errors import ModelError
from visviva.geometry.inertia import Inertia
from visviva.geometry.moments import body_moments, matrix_of_moments, moment_matrix

SYMMETRY_TOLERANCE = 1e-12
SIGN_TOLERANCE = 1e-12  # a negative eigenvalue below this part of the largest one is rounding


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Moments:
    """Zeroth, first and second moments of weights w_p at the points h_p of a body, as one matrix.

        X' = Σ w_p (h_p; 1)(h_p; 1)ᵀ = [ Θ'    w h ]        Θ' = ½ tr(Θ) I - Θ
                                       [ w hᵀ   w  ]

    Ten numbers for each of mass, damping and stiffness. The centre h is not stored: it has no meaning where the
    total w is zero, w h has. The matrix of a general set of springs may be indefinite.

    Source:  Konz, dissertation, (3.88), (3.91), with the blocks h_p and h_pᵀ of the print exchanged.
    """

    matrix: Array  # (4, 4), symmetric

    def __post_init__(self) -> None:
        matrix = finite_array(self.matrix, "moment matrix")
        if matrix.shape != (4, 4):
            raise ModelError(f"moment matrix must have shape (4, 4), got {matrix.shape}.")
        if np.abs(matrix - matrix.T).max() > SYMMETRY_TOLERANCE * np.abs(matrix).max():
            raise ModelError(
                f"moment matrix is not symmetric:\n{matrix}.\nIt is a sum of w (h; 1)(h; 1)ᵀ over points h."
            )
        object.__setattr__(self, "matrix", frozen((matrix + matrix.T) / 2))

    @classmethod
    def from_parts(cls, total: float, centre: ArrayLike = (0.0, 0.0, 0.0), moment: ArrayLike = (0.0, 0.0, 0.0)) -> Self:
        """From the total w, its centre h and the moment Θ = Σ w_p ĥ_pᵀ ĥ_p about the origin of the frame.

        moment: (3, 3), or three moments about the axes of the frame.
        """
        w = finite_number(total, "total of the moments")
        h = finite_vector(centre, "centre of the moments", 3)
        theta = finite_array(moment, "moment about the origin")
        if theta.shape not in ((3,), (3, 3)):
            raise ModelError(f"moment about the origin must have shape (3,) or (3, 3), got {theta.shape}.")
        theta = np.diag(theta) if theta.ndim == 1 else theta
        return cls(body_moments(w, h, theta))

    @classmethod
    def from_points(cls, weights: ArrayLike, points: ArrayLike) -> Self:
        """Σ w_p (h_p; 1)(h_p; 1)ᵀ of weights (N,) at points (N, 3) of the body."""
        w = np.atleast_1d(finite_array(weights, "weights"))
        h = np.atleast_2d(finite_array(points, "points", (3,)))
        if w.shape != h.shape[:1]:
            raise ModelError(f"there are {w.size} weights and points of shape {h.shape}: each point has one weight.")
        return cls(moment_matrix(w, h))

    @classmethod
    def from_inertia(cls, inertia: Inertia) -> Self:
        """Moments of the mass of a body: Θ' is its Euler tensor about the origin of its frame."""
        return cls(body_moments(inertia.mass, inertia.com, inertia.matrix()[:3, :3]))

    @property
    def total(self) -> float:
        """Σ w_p."""
        return float(self.matrix[3, 3])

    @property
    def first(self) -> Array:
        """Σ w_p h_p (3,)."""
        return self.matrix[:3, 3]

    @property
    def centre(self) -> Array:
        """h = Σ w_p h_p / Σ w_p (3,): of mass, damping or stiffness."""
        if self.total == 0:
            raise ModelError(f"moments of total zero have no centre; their first moment is {self.first.tolist()}.")
        return np.asarray(self.first / self.total)

    def spatial(self) -> Array:
        """Vee X' = [[Θ, (wh)^], [(wh)^ᵀ, w I]] (6, 6): the quadratic form of twists (ω; v) at the origin of the frame.

        Source:  Konz (3.83b), in our order of ω and v.
        """
        return matrix_of_moments(self.matrix)


def smallest_eigenvalue(matrix: Array) -> float:
    """The lowest eigenvalue of a symmetric matrix; 0 where it is rounding of a zero."""
    eigenvalues = np.linalg.eigvalsh(matrix)
    lowest = float(eigenvalues[0])
    return 0.0 if abs(lowest) <= SIGN_TOLERANCE * float(np.abs(eigenvalues).max()) else lowest
