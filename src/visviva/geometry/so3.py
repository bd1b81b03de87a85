"""The rotation group SO(3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.geometry.dual import dexp_inv_coefficients
from visviva.geometry.group import Branches, LogBranch, half_turn_error
from visviva.geometry.hat import isotropic, skew, vee
from visviva.geometry.linear import dot
from visviva.geometry.quaternion import ROUNDING, first_component_positive, matrix_of, quaternion
from visviva.geometry.rotation_group import AbstractRotation
from visviva.geometry.stumpff import TINY, stumpff

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class SO3(AbstractRotation):
    """Rotations. `R_AB` takes coordinates in B to coordinates in A; its columns are the axes of B, seen in A.

    The constructor trusts its matrix and keeps it; `from_matrix` checks and copies one, `nearest` projects one. As
    Ad = R, the Cayley maps of the standard and of the adjoint representation are one map here.
    """

    dim: ClassVar[int] = 3
    space: ClassVar[int] = 3

    @classmethod
    def hat(cls, xi: ArrayLike) -> Array:
        """ŵ, see `skew`."""
        return skew(xi)

    @classmethod
    def vee(cls, Xi: ArrayLike) -> Array:
        """Inverse of `hat`."""
        return vee(Xi)

    @classmethod
    def exp(cls, xi: ArrayLike) -> Self:
        """cos θ I + (sin θ/θ) ŵ + ((1 - cos θ)/θ²) w wᵀ: Rodrigues' formula, w the rotation vector."""
        w = cls.coordinates(xi)
        c0, c1, c2 = stumpff(dot(w, w), 2)
        return cls(isotropic(c0, c1, c2, w))

    def log_with_branch(self) -> tuple[Array, Branches]:
        """θ n with n sin θ/2 and cos θ/2 from the quaternion, θ = 2 atan2(sin, cos) in [0, π].

        Where cos θ/2 vanishes to rounding, the axis whose first non-zero component is positive is chosen, and
        the branch says HALF_TURN.
        """
        q = quaternion(self.R)
        c, u = q[..., 0], q[..., 1:]
        half_turn = c <= ROUNDING
        if half_turn.any():
            u = np.where(half_turn[..., None], first_component_positive(u), u)
        s = np.sqrt(dot(u, u))
        angle = 2 * np.arctan2(s, c)
        w = u * (angle / (s + TINY))[..., None]
        return w, np.where(half_turn, LogBranch.HALF_TURN, LogBranch.PRINCIPAL).astype(np.int8)

    @classmethod
    def dexp(cls, xi: ArrayLike) -> Array:
        """I - ((1 - cos θ)/θ²) ŵ + ((θ - sin θ)/θ³) ŵ²."""
        w = cls.coordinates(xi)
        _, c1, c2, c3 = stumpff(dot(w, w), 3)
        return isotropic(c1, -c2, c3, w)

    @classmethod
    def dexp_inv(cls, xi: ArrayLike) -> Array:
        """I + ŵ/2 + ((1 - (θ/2) cot(θ/2))/θ²) ŵ²."""
        w = cls.coordinates(xi)
        a, c = dexp_inv_coefficients(dot(w, w))
        return isotropic(a, 0.5, c, w)

    @classmethod
    def cay(cls, xi: ArrayLike) -> Self:
        """I + (ŵ + ŵ²/2) / (1 + |w|²/4); the quaternion is proportional to (1, w/2)."""
        w = cls.coordinates(xi)
        x = dot(w, w) / 4
        d = 1 / (1 + x)
        return cls(isotropic((1 - x) * d, d, d / 2, w))

    def cay_inv(self) -> Array:
        """2 n tan θ/2, from the quaternion."""
        q = quaternion(self.R)
        if not q[..., 0].all():
            raise half_turn_error("SO3", int(np.sum(q[..., 0] == 0)))
        return np.asarray(2 * q[..., 1:] / q[..., :1])

    @classmethod
    def dcay(cls, xi: ArrayLike) -> Array:
        """(I - ŵ/2) / (1 + |w|²/4)."""
        w = cls.coordinates(xi)
        d = 1 / (1 + dot(w, w) / 4)
        return isotropic(d, -d / 2, 0.0, w)

    @classmethod
    def dcay_inv(cls, xi: ArrayLike) -> Array:
        """I + ŵ/2 + w wᵀ/4."""
        return isotropic(1.0, 0.5, 0.25, cls.coordinates(xi))

    def Ad(self) -> Array:
        """R."""
        return self.R

    @classmethod
    def ad(cls, xi: ArrayLike) -> Array:
        """ŵ."""
        return skew(xi)

    @classmethod
    def from_quat(cls, q: ArrayLike, name: str = "quaternion") -> Self:
        """Of quaternions (w, x, y, z), which need not be normalised."""
        q = finite_array(q, name, (4,))
        length = np.sqrt(dot(q, q))
        if not length.all():
            raise ModelError(f"{name} is zero: no rotation. The identity is (1, 0, 0, 0), in the order w, x, y, z.")
        return cls(matrix_of(q / length[..., None]))

    def as_quat(self) -> Array:
        """Unit quaternions (w, x, y, z) with w >= 0, shape (..., 4)."""
        return quaternion(self.R)

    @classmethod
    def from_euler(cls, seq: str, angles: ArrayLike) -> Self:
        """Of Euler angles [rad] in SciPy's notation: capitals for moving, small letters for fixed axes."""
        from scipy.spatial.transform import Rotation

        angles = finite_array(angles, f"Euler angles '{seq}'")
        try:
            return cls.from_scipy(Rotation.from_euler(seq, angles))
        except ValueError as cause:
            raise _euler_error(seq, cause) from cause

    def as_euler(self, seq: str) -> Array:
        """Euler angles [rad], shape (..., 3)."""
        try:
            return np.asarray(self.as_scipy().as_euler(cast(Any, seq)))
        except ValueError as cause:
            raise _euler_error(seq, cause) from cause

    @classmethod
    def from_scipy(cls, rotation: Rotation) -> Self:
        """Of a SciPy Rotation, single or batch."""
        return cls(np.asarray(rotation.as_matrix()))

    def as_scipy(self) -> Rotation:
        """As a SciPy Rotation."""
        from scipy.spatial.transform import Rotation

        return Rotation.from_matrix(self.R)


def _euler_error(seq: str, cause: ValueError) -> ModelError:
    return ModelError(f"Euler axes '{seq}': {cause}\nGive one letter per angle, 'ZYX' or 'xyz' for example.")
