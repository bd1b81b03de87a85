"""Energies quadratic in the difference of homogeneous matrices: smooth at any rotation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number
from visviva.forms.rigid.body_motion import pose_of
from visviva.forms.rigid.moments import Moments
from visviva.forms.springs.abstract import AbstractPoseEnergy, gradient_of, hessian_of
from visviva.geometry.definite import semidefinite, symmetric
from visviva.geometry.inertia.euler import inertia_tensor
from visviva.geometry.product_se3 import ProductSE3
from visviva.geometry.se3 import SE3


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class ChordEnergy(AbstractPoseEnergy):
    """V = ½ Δ·B Δ + V_0 with the twelve numbers Δ of X_R⁻¹ X - I, row by row of (R, r).

    form: B (12, 12), symmetric; any sign.   rest: X_R, where the wrench vanishes.
    """

    form: Array
    rest: SE3 = field(default_factory=SE3.identity)
    V_0: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "form", symmetric(self.form, 12, "form of the energy"))
        object.__setattr__(self, "rest", pose_of(self.rest, "rest pose of the energy"))
        object.__setattr__(self, "V_0", finite_number(self.V_0, "V_0"))

    @classmethod
    def trace(cls, G: ArrayLike, K: ArrayLike, rest: SE3 | ArrayLike | None = None) -> Self:
        """tr(G (I - R)) + ½ pᵀ K p with (R, p) = X_R⁻¹ X; wrench (vee2(G R); RᵀK p).

        G: [N m], symmetric, or its diagonal; the stiffness at small angles is tr(G) I - G, which must not be negative.
        K: [N/m], symmetric, or its diagonal, in axes of the rest frame; not negative.
        """
        turning, stiffness = symmetric(G, 3, "G"), symmetric(K, 3, "K")
        semidefinite(inertia_tensor(turning), "tr(G) I - G")
        semidefinite(stiffness, "K")
        B = np.zeros((3, 4, 3, 4))
        B[:, :3, :, :3] = np.einsum("ac,bd->abcd", np.eye(3), turning)
        B[:, 3, :, 3] = stiffness
        return cls(B.reshape(12, 12), _rest(rest))

    @classmethod
    def of_moments(cls, moments: Moments, rest: SE3 | ArrayLike | None = None, V_0: float = 0.0) -> Self:
        """½ tr((X - X_R) K' (X - X_R)ᵀ) + V_0: the seventeen parameters of any linear springs; Konz (3.90f)."""
        B = np.einsum("ac,bd->abcd", np.eye(3), moments.matrix)
        return cls(B.reshape(12, 12), _rest(rest), V_0)

    @classmethod
    def general(cls, K: ArrayLike, rest: SE3 | ArrayLike | None = None, *, world_axes: bool = False) -> Self:
        """½ |X_R⁻¹ X - I|²_K with all 21 numbers of K (6, 6) > 0 for twists (ω; v); its Hessian at rest is K.

        world_axes: ½ |X - X_R|²_K instead. Both agree where K is a stiffness of points, else not: the energy with
                    `world_axes` changes when all of it is turned together.

        Limits:  X_R is the minimum, though Wed(K_R) may be indefinite; see `ProductSE3.is_metric`.
        Source:  Konz (A.18a), (A.19a), with Wed for the Vee of (A.15).
        """
        B, X_R = ProductSE3(finite_array(K, "K")).form, _rest(rest)
        if world_axes:
            turned = np.kron(X_R.R, np.eye(4))
            B = turned.T @ B @ turned
        return cls(B, X_R)

    def energy(self, X: SE3) -> float:  # noqa: D102
        d = self._difference(X)
        return float(d @ self.form @ d) / 2 + self.V_0

    def wrench(self, X: SE3) -> Array:  # noqa: D102
        return gradient_of(self.rest.inverse() @ X, self._slope(X))

    def hessian(self, X: SE3) -> Array:  # noqa: D102
        return hessian_of(self.rest.inverse() @ X, self._slope(X), self.form)

    def _difference(self, X: SE3) -> Array:
        return ((self.rest.inverse() @ X).matrix - np.eye(4))[:3].ravel()

    def _slope(self, X: SE3) -> Array:
        return (self.form @ self._difference(X)).reshape(3, 4)


def _rest(rest: SE3 | ArrayLike | None) -> SE3:
    return SE3.identity() if rest is None else pose_of(rest, "rest pose of the energy")
