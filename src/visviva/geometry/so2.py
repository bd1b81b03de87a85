"""The group SO(2) of plane rotations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.geometry.group import Branches, LogBranch, half_turn_error
from visviva.geometry.hat import isotropic2, skew2, vee2
from visviva.geometry.quaternion import ROUNDING
from visviva.geometry.rotation_group import AbstractRotation


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class SO2(AbstractRotation):
    """Plane rotations. The algebra vector is (ω), with one entry; the group is commutative.

    The constructor trusts its matrix; `from_matrix` checks one. Ad = 1, so that only the standard
    representation has a Cayley map worth the name.
    """

    dim: ClassVar[int] = 1
    space: ClassVar[int] = 2

    @classmethod
    def hat(cls, xi: ArrayLike) -> Array:
        """ω J, see `skew2`."""
        return skew2(cls.coordinates(xi)[..., 0])

    @classmethod
    def vee(cls, Xi: ArrayLike) -> Array:
        """Inverse of `hat`."""
        return vee2(Xi)[..., None]

    @classmethod
    def exp(cls, xi: ArrayLike) -> Self:
        """[[cos ω, -sin ω], [sin ω, cos ω]]."""
        w = cls.coordinates(xi)[..., 0]
        return cls(isotropic2(np.cos(w), np.sin(w)))

    def log_with_branch(self) -> tuple[Array, Branches]:
        """The angle in (-π, π]; a half turn, to rounding, is +π and its branch HALF_TURN."""
        c, s = self.R[..., 0, 0], self.R[..., 1, 0]
        angle = np.arctan2(s, c)
        half_turn = (c < 0) & (np.abs(s) <= ROUNDING)
        angle = np.where(half_turn, np.abs(angle), angle)
        return angle[..., None], np.where(half_turn, LogBranch.HALF_TURN, LogBranch.PRINCIPAL).astype(np.int8)

    @classmethod
    def dexp(cls, xi: ArrayLike) -> Array:
        """1."""
        return np.ones((*cls.coordinates(xi).shape, 1))

    @classmethod
    def dexp_inv(cls, xi: ArrayLike) -> Array:
        """1."""
        return cls.dexp(xi)

    @classmethod
    def cay(cls, xi: ArrayLike) -> Self:
        """Rotation by 2 atan(ω/2)."""
        w = cls.coordinates(xi)[..., 0]
        d = 1 / (1 + w * w / 4)
        return cls(isotropic2((1 - w * w / 4) * d, w * d))

    def cay_inv(self) -> Array:
        """2 tan(angle/2) = 2 sin/(1 + cos), or 2 (1 - cos)/sin where cos < 0 would cancel in the first."""
        c, s = self.R[..., 0, 0], self.R[..., 1, 0]
        back = c < 0
        half_turns = int(np.sum(back & (s == 0)))
        if half_turns:
            raise half_turn_error("SO2", half_turns)
        w = 2 * np.where(back, 1 - c, s) / np.where(back, s, 1 + c)
        return np.asarray(w)[..., None]

    @classmethod
    def dcay(cls, xi: ArrayLike) -> Array:
        """1/(1 + ω²/4)."""
        w = cls.coordinates(xi)
        return np.asarray(1 / (1 + w * w / 4))[..., None]

    @classmethod
    def dcay_inv(cls, xi: ArrayLike) -> Array:
        """1 + ω²/4."""
        w = cls.coordinates(xi)
        return np.asarray(1 + w * w / 4)[..., None]

    def Ad(self) -> Array:
        """1."""
        return np.ones((*self.shape, 1, 1))

    @classmethod
    def ad(cls, xi: ArrayLike) -> Array:
        """0."""
        return np.zeros((*cls.coordinates(xi).shape, 1))
