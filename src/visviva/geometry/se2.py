"""The group SE(2) of plane displacements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.geometry.dual import dexp_inv_coefficients
from visviva.geometry.group import Branches
from visviva.geometry.hat import isotropic2, skew2, vee2
from visviva.geometry.linear import apply, homogeneous, lower_block
from visviva.geometry.pose_group import AbstractPose
from visviva.geometry.so2 import SO2
from visviva.geometry.stumpff import stumpff


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class SE2(AbstractPose):
    """Plane poses. Twists are (ω; v), with one and two entries; J is the quarter turn.

    The constructor trusts its arrays; `from_matrix` and `from_parts` check theirs. SE(2) is the subgroup of
    SE(3) with ω ⟂ v, and there the two Cayley maps coincide.
    """

    dim: ClassVar[int] = 3
    space: ClassVar[int] = 2

    @property
    def rotation(self) -> SO2:
        """R alone."""
        return SO2(self.R)

    @classmethod
    def hat(cls, xi: ArrayLike) -> Array:
        """[[ω J, v], [0, 0]]."""
        w, v = cls._parts(xi)
        return homogeneous(skew2(w), v, 0.0)

    @classmethod
    def vee(cls, Xi: ArrayLike) -> Array:
        """Inverse of `hat`."""
        Xi = np.asarray(Xi, dtype=np.float64)  # (..., 3, 3)
        return np.concatenate([vee2(Xi[..., :2, :2])[..., None], Xi[..., :2, 2]], axis=-1)

    @classmethod
    def exp(cls, xi: ArrayLike) -> Self:
        """(exp ω, (sin ω/ω) v + ((1 - cos ω)/ω) J v)."""
        w, v = cls._parts(xi)
        _, c1, c2 = stumpff(w * w, 2)
        return cls(SO2.exp(w[..., None]).R, apply(isotropic2(c1, c2 * w), v))

    def log_with_branch(self) -> tuple[Array, Branches]:
        """(ω, (ω/2) cot(ω/2) r - (ω/2) J r); the branch is that of the rotation."""
        angle, branch = self.rotation.log_with_branch()
        w = angle[..., 0]
        a, _ = dexp_inv_coefficients(w * w)
        return np.concatenate([angle, apply(isotropic2(a, -w / 2), self.r)], axis=-1), branch

    @classmethod
    def dexp(cls, xi: ArrayLike) -> Array:
        """[[1, 0], [c₂ J v + c₃ ω v, c₁ I - c₂ ω J]] with Stumpff's c_k(ω²)."""
        w, v = cls._parts(xi)
        _, c1, c2, c3 = stumpff(w * w, 3)
        return _planar(1.0, apply(isotropic2(c3 * w, c2), v), isotropic2(c1, -c2 * w))

    @classmethod
    def dexp_inv(cls, xi: ArrayLike) -> Array:
        """[[1, 0], [c ω v - J v/2, a I + ω J/2]], a = (ω/2) cot(ω/2), c = (1 - a)/ω²."""
        w, v = cls._parts(xi)
        a, c = dexp_inv_coefficients(w * w)
        return _planar(1.0, apply(isotropic2(c * w, -0.5), v), isotropic2(a, w / 2))

    @classmethod
    def cay(cls, xi: ArrayLike) -> Self:
        """(cay ω, (v + ω J v/2) / (1 + ω²/4))."""
        w, v = cls._parts(xi)
        d = 1 / (1 + w * w / 4)
        return cls(SO2.cay(w[..., None]).R, apply(isotropic2(d, d * w / 2), v))

    def cay_inv(self) -> Array:
        """(ω, r - ω J r/2) with ω = cay⁻¹ R."""
        w = self.rotation.cay_inv()
        return np.concatenate([w, apply(isotropic2(1.0, -w[..., 0] / 2), self.r)], axis=-1)

    @classmethod
    def dcay(cls, xi: ArrayLike) -> Array:
        """[[1, 0], [J v/2, I - ω J/2]] / (1 + ω²/4)."""
        w, v = cls._parts(xi)
        d = 1 / (1 + w * w / 4)
        return _planar(d, apply(isotropic2(0.0, d / 2), v), isotropic2(d, -d * w / 2))

    @classmethod
    def dcay_inv(cls, xi: ArrayLike) -> Array:
        """[[1 + ω²/4, 0], [ω v/4 - J v/2, I + ω J/2]]."""
        w, v = cls._parts(xi)
        return _planar(1 + w * w / 4, apply(isotropic2(w / 4, -0.5), v), isotropic2(1.0, w / 2))

    def Ad(self) -> Array:
        """[[1, 0], [-J r, R]]."""
        return _planar(1.0, -_turn(self.r), self.R)

    @classmethod
    def ad(cls, xi: ArrayLike) -> Array:
        """[[0, 0], [-J v, ω J]]."""
        w, v = cls._parts(xi)
        return _planar(0.0, -_turn(v), skew2(w))

    @classmethod
    def _parts(cls, xi: ArrayLike) -> tuple[Array, Array]:
        xi = cls.coordinates(xi)
        return xi[..., 0], xi[..., 1:]


def _turn(v: Array) -> Array:
    """J v."""
    return np.stack([-v[..., 1], v[..., 0]], axis=-1)


def _planar(a: Array | float, b: Array, D: Array) -> Array:
    """[[a, 0], [b, D]] with a number a and a vector b."""
    shape = D.shape[:-2]
    return lower_block(np.broadcast_to(a, shape)[..., None, None], b[..., None], D)
