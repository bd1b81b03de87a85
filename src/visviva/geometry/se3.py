"""The group SE(3) of rigid displacements, the semidirect product of rotations and translations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.geometry.dual import dexp_inv_coefficients, dexp_inv_rates, dual_isotropic
from visviva.geometry.group import Branches
from visviva.geometry.hat import isotropic, skew, vee
from visviva.geometry.linear import apply, dot, homogeneous, lower_block, transpose
from visviva.geometry.pose_group import AbstractPose
from visviva.geometry.so3 import SO3
from visviva.geometry.stumpff import stumpff

if TYPE_CHECKING:
    from scipy.spatial.transform import RigidTransform


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class SE3(AbstractPose):
    """Poses. `X_AB = (R_AB, r_AB_A)` takes coordinates in B to coordinates in A.

    Vectors of the algebra are twists (ω; v), angular first, in the body frame B at the origin of B.

    The constructor trusts its arrays and keeps them; `from_matrix` and `from_parts` check and copy theirs. The two
    Cayley maps differ here: `cay` is that of the homogeneous matrices, `cay_ad` that of the adjoint representation.

    Source: Lohmayer, Capobianco and Leyendecker, sections 3.3 to 3.10, the semidirect product;
    Stramigioli, Maschke and Bidard, sections 2.2.4 to 2.4.1.
    """

    dim: ClassVar[int] = 6
    space: ClassVar[int] = 3

    @property
    def rotation(self) -> SO3:
        """R alone."""
        return SO3(self.R)

    @classmethod
    def hat(cls, xi: ArrayLike) -> Array:
        """[[ω̂, v], [0, 0]]."""
        w, v = cls._parts(xi)
        return homogeneous(skew(w), v, 0.0)

    @classmethod
    def vee(cls, Xi: ArrayLike) -> Array:
        """Inverse of `hat`."""
        Xi = np.asarray(Xi, dtype=np.float64)  # (..., 4, 4)
        return np.concatenate([vee(Xi[..., :3, :3]), Xi[..., :3, 3]], axis=-1)

    @classmethod
    def exp(cls, xi: ArrayLike) -> Self:
        """(exp ω, v + ((1 - cos θ)/θ²) ω × v + ((θ - sin θ)/θ³) ω × (ω × v)): a screw motion."""
        w, v = cls._parts(xi)
        c0, c1, c2, c3 = stumpff(dot(w, w), 3)
        return cls(isotropic(c0, c1, c2, w), apply(isotropic(c1, c2, c3, w), v))

    def log_with_branch(self) -> tuple[Array, Branches]:
        """(w, V(w)⁻¹ r) with w = log R and V⁻¹ = I - ŵ/2 + c ŵ²; the branch is that of the rotation."""
        w, branch = self.rotation.log_with_branch()
        a, c = dexp_inv_coefficients(dot(w, w))
        return np.concatenate([w, apply(isotropic(a, -0.5, c, w), self.r)], axis=-1), branch

    @classmethod
    def dexp(cls, xi: ArrayLike) -> Array:
        """[[D, 0], [dD·v, D]] with D = dexp(ω) of SO(3), and d c_k(θ²)·v = (ω·v)(k c_{k+2} - c_{k+1})."""
        w, v = cls._parts(xi)
        _, c1, c2, c3, c4, c5 = stumpff(dot(w, w), 5)
        wv = dot(w, v)
        rates = wv * (c3 - c2), -wv * (2 * c4 - c3), wv * (3 * c5 - c4)
        return dual_isotropic((c1, -c2, c3), rates, w, v)

    @classmethod
    def dexp_inv(cls, xi: ArrayLike) -> Array:
        """[[D, 0], [dD·v, D]] with D = dexp_inv(ω) of SO(3) = a I + ω̂/2 + c ω ωᵀ."""
        w, v = cls._parts(xi)
        x, wv = dot(w, w), dot(w, v)
        a, c = dexp_inv_coefficients(x)
        a_rate, c_rate = dexp_inv_rates(x)
        return dual_isotropic((a, 0.5, c), (wv * a_rate, 0.0, wv * c_rate), w, v)

    @classmethod
    def cay(cls, xi: ArrayLike) -> Self:
        """(cay ω, (I - ω̂/2)⁻¹ v), the Cayley map of homogeneous matrices.

        As the increment of a midpoint step it loses the momentum that `cay_ad` keeps.
        """
        w, v = cls._parts(xi)
        d = 1 / (1 + dot(w, w) / 4)
        return cls(SO3.cay(w).R, apply(isotropic(d, d / 2, d / 4, w), v))

    def cay_inv(self) -> Array:
        """(w, (I - ŵ/2) r) with w = cay⁻¹ R.

        Limits:  near a half turn floats of size |w| hold r to rounding times |w| only, in `cay_ad_inv` too.
        """
        w = self.rotation.cay_inv()
        return np.concatenate([w, apply(isotropic(1.0, -0.5, 0.0, w), self.r)], axis=-1)

    @classmethod
    def dcay(cls, xi: ArrayLike) -> Array:
        """[[D, 0], [-A r̂/2, A]], D = dcay(ω) of SO(3), A = (I + ω̂/2)⁻¹, r = (I - ω̂/2)⁻¹ v."""
        w, v = cls._parts(xi)
        d = 1 / (1 + dot(w, w) / 4)
        A = isotropic(d, -d / 2, d / 4, w)
        return lower_block(SO3.dcay(w), -A @ skew(apply(transpose(A), v)) / 2, A)

    @classmethod
    def dcay_inv(cls, xi: ArrayLike) -> Array:
        """[[D⁻¹, 0], [r̂ D⁻¹/2, I + ω̂/2]], in the letters of `dcay`."""
        w, v = cls._parts(xi)
        d = 1 / (1 + dot(w, w) / 4)
        r = apply(isotropic(d, d / 2, d / 4, w), v)
        D_inv = SO3.dcay_inv(w)
        return lower_block(D_inv, skew(r) @ D_inv / 2, isotropic(1.0, 0.5, 0.0, w))

    @classmethod
    def cay_ad(cls, xi: ArrayLike) -> Self:
        """Cayley map of the adjoint representation, Ad(cay_ad ξ) = (I - ad_ξ/2)⁻¹ (I + ad_ξ/2).

        It is (cay ω, (I + ω̂/2) v / (1 + |ω|²/4)) and differs from `cay` by ω (ω·v)/(4 + |ω|²), a shift along
        the screw axis.
        """
        w, v = cls._parts(xi)
        d = 1 / (1 + dot(w, w) / 4)
        return cls(SO3.cay(w).R, apply(isotropic(d, d / 2, 0.0, w), v))

    def cay_ad_inv(self) -> Array:
        """(w, (I - ŵ/2 + w wᵀ/4) r) with w = cay⁻¹ R."""
        w = self.rotation.cay_inv()
        return np.concatenate([w, apply(isotropic(1.0, -0.5, 0.25, w), self.r)], axis=-1)

    @classmethod
    def dcay_ad(cls, xi: ArrayLike) -> Array:
        """Left-trivialised derivative of `cay_ad`: [[D, 0], [dD·v, D]], D = (I - ω̂/2)/(1 + |ω|²/4)."""
        w, v = cls._parts(xi)
        d = 1 / (1 + dot(w, w) / 4)
        d_rate = -dot(w, v) / 2 * d * d
        return dual_isotropic((d, -d / 2, 0.0), (d_rate, -d_rate / 2, 0.0), w, v)

    @classmethod
    def dcay_ad_inv(cls, xi: ArrayLike) -> Array:
        """Inverse of `dcay_ad`: D⁻¹ = I + ω̂/2 + ω ωᵀ/4."""
        w, v = cls._parts(xi)
        return dual_isotropic((1.0, 0.5, 0.25), (0.0, 0.0, 0.0), w, v)

    def Ad(self) -> Array:
        """[[R, 0], [r̂ R, R]]; source: Stramigioli, Maschke and Bidard, section 2.3.3."""
        M = np.zeros((*self.shape, 6, 6))
        M[..., :3, :3] = M[..., 3:, 3:] = self.R
        rows = [self.R[..., i, :] for i in range(3)]
        x, y, z = (self.r[..., i, None] for i in range(3))
        M[..., 3, :3] = y * rows[2] - z * rows[1]  # r̂ R row by row: faster on batches than 3x3 products
        M[..., 4, :3] = z * rows[0] - x * rows[2]
        M[..., 5, :3] = x * rows[1] - y * rows[0]
        return M

    @classmethod
    def ad(cls, xi: ArrayLike) -> Array:
        """[[ω̂, 0], [v̂, ω̂]]."""
        w, v = cls._parts(xi)
        w_hat = skew(w)
        return lower_block(w_hat, skew(v), w_hat)

    @classmethod
    def from_scipy(cls, transform: RigidTransform) -> Self:
        """Of a SciPy RigidTransform (SciPy 1.16 or later), single or batch."""
        X = np.asarray(transform.as_matrix())
        return cls(X[..., :3, :3], X[..., :3, 3])

    def as_scipy(self) -> RigidTransform:
        """As a SciPy RigidTransform (SciPy 1.16 or later)."""
        from scipy.spatial.transform import RigidTransform

        return RigidTransform.from_matrix(self.matrix)

    @classmethod
    def _parts(cls, xi: ArrayLike) -> tuple[Array, Array]:
        xi = cls.coordinates(xi)
        return xi[..., :3], xi[..., 3:]
