"""Coordinates of a Euclidean space: a point and three free vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.geometry.linear import apply, transpose
from visviva.geometry.projective.free_vectors import orientation
from visviva.geometry.projective.points import finite_points, normalised, point, with_last
from visviva.geometry.refusal import refuse
from visviva.geometry.se3 import SE3

TOLERANCE = 1e-9  # of axes given by rounded numbers


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Frame:
    """Ψ = (o, x̂, ŷ, ẑ): a finite point and three free vectors, each (..., 4) or by three Cartesian numbers.

    The axes are orthonormal and right-handed. `orthonormal=False` admits any three independent ones.

        ψ⁻¹(p_x, p_y, p_z, α) = p_x x̂ + p_y ŷ + p_z ẑ + α o/(‖o‖σ(o))

    ψ⁻¹(0, 0, 0, 1) is the origin, a finite point of P-norm 1; printed as ψ((0, 0, 0, 1)) in the dual of I³.
    Source: Stramigioli, Maschke and Bidard, section 2.2.3 and (10).
    """

    o: Array
    x: Array
    y: Array
    z: Array
    orthonormal: bool = True

    def __post_init__(self) -> None:
        o = np.asarray(self.o, dtype=np.float64)
        o = point(o) if o.shape[-1:] == (3,) else finite_points(o, "origin of the frame")
        object.__setattr__(self, "o", normalised(o))
        for name in "xyz":
            object.__setattr__(self, name, _axis(getattr(self, name), name))
        self._check()

    @property
    def matrix(self) -> Array:
        """Columns x̂, ŷ, ẑ, o: ψ⁻¹ as a matrix (..., 4, 4)."""
        return np.stack(np.broadcast_arrays(self.x, self.y, self.z, self.o), axis=-1)

    def coordinates(self, p: ArrayLike) -> Array:
        """ψ(p), shape (..., 4), of points and free vectors; the last one is 0 exactly for the latter."""
        p = finite_array(p, "point or free vector", (4,))
        r = p[..., :3] - p[..., 3:] * self.o[..., :3]
        axes = self.matrix[..., :3, :3]
        inner = apply(transpose(axes), r) if self.orthonormal else np.linalg.solve(axes, r[..., None])[..., 0]
        return np.concatenate([inner, np.broadcast_to(p[..., 3:], (*inner.shape[:-1], 1))], axis=-1)

    def represented(self, coordinates: ArrayLike) -> Array:
        """ψ⁻¹, shape (..., 4): the point or free vector that has these coordinates."""
        return apply(self.matrix, finite_array(coordinates, "coordinates", (4,)))

    def pose(self) -> SE3:
        """X_0Ψ, which takes coordinates in this frame to those in which it is given; orthonormal frames only."""
        if not self.orthonormal:
            raise ModelError("a frame of general axes has no pose; use coordinates() and represented().")
        return SE3(self.matrix[..., :3, :3], self.matrix[..., :3, 3])

    def _check(self) -> None:
        volume = orientation(self.x, self.y, self.z)
        lengths = [np.linalg.norm(axis, axis=-1) for axis in (self.x, self.y, self.z)]
        refuse(
            np.abs(volume) <= TOLERANCE * lengths[0] * lengths[1] * lengths[2],
            "axes of the frame",
            "are linearly dependent: they lie in one plane.\nGive three that span space.",
        )
        if self.orthonormal:
            A = self.matrix[..., :3, :3]
            refuse(
                np.abs(transpose(A) @ A - np.eye(3)).max(axis=(-2, -1)) > TOLERANCE,
                "axes of the frame",
                "are not orthonormal.\nGive unit vectors at right angles, or orthonormal=False for a general frame.",
            )
            refuse(
                volume < 0,
                "axes of the frame",
                "are left-handed: Ω(x, y, z) = -1.\nReverse one axis, or exchange two of them.",
            )


def _axis(value: ArrayLike, name: str) -> Array:
    axis = np.asarray(value, dtype=np.float64)
    if axis.shape[-1:] == (3,):
        return with_last(finite_array(axis, f"axis {name} of the frame", (3,)), 0.0)
    axis = finite_array(axis, f"axis {name} of the frame", (4,))
    refuse(axis[..., 3] != 0, f"axis {name} of the frame", "is a point: the last coordinate of a free vector is 0.")
    return axis
