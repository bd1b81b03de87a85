"""What an energy of a pose provides: its value, and first and second derivatives along body twists."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from visviva._arrays import Array
from visviva.geometry.se3 import SE3

BASIS = SE3.hat(np.eye(6))  # (6, 4, 4), matrices of the unit twists


class AbstractPoseEnergy(ABC):
    """V(X) of the pose X of frame b in frame a, with twists V_ab = (ω; v) of b in its own axes.

    The wrench is that *on the spring*: b feels its opposite, and Ẇ = wrench·V_ab.
    Source: Stramigioli, Maschke and Bidard (22), TLᵀ dE_P.
    """

    @abstractmethod
    def energy(self, X: SE3) -> float:
        """V [J]."""

    @abstractmethod
    def wrench(self, X: SE3) -> Array:
        """∂_i V (6,), the left-trivialised gradient: d/dt V = wrench·V_ab."""

    @abstractmethod
    def hessian(self, X: SE3) -> Array:
        """∂_j ∂_i V at [i, j] (6, 6): d/dt wrench = hessian V_ab.

        Symmetric where the wrench w vanishes; elsewhere H_ij - H_ji = w·[e_j, e_i]. The symmetric part is the second
        derivative of V(X exp(s ξ)) by s.
        """

    def derivative(self, X: SE3, V: Array) -> Array:
        """Rate of the wrench at the twist V."""
        return np.asarray(self.hessian(X) @ V)


def gradient_of(X: SE3, slope: Array) -> Array:
    """∂_i V (6,) of a function of the matrix (R, r) with derivatives `slope` (3, 4)."""
    return np.asarray(np.einsum("ab,iab->i", slope, (X.matrix @ BASIS)[:, :3]))


def hessian_of(X: SE3, slope: Array, bend: Array) -> Array:
    """∂_j ∂_i V (6, 6) of such a function with second derivatives `bend` (12, 12), row by row."""
    moved = (X.matrix @ BASIS)[:, :3]  # X ê_i
    flat = moved.reshape(6, 12)
    twice = np.einsum("jab,ibc->ijac", moved, BASIS)  # X ê_j ê_i
    return np.asarray(flat @ bend @ flat.T + np.einsum("ac,ijac->ij", slope, twice))
