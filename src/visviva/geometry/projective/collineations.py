"""Collineations of Euclidean space: displacements, and reflections followed by them.

    c = [[σR, p], [0, 1]]   on points,      M = [[σR, 0], [σ p̂ R, R]]   on lines,      R in SO(3), σ = ±1

Source: Stramigioli, Maschke and Bidard (7) and (8), where p̂ is printed as p̄. The Klein form takes up the factor σ,
MᵀH̄M = σH̄: it tells right-handed from left-handed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, Mask, finite_array
from visviva.geometry.hat import skew
from visviva.geometry.linear import apply, homogeneous, lower_block, transpose
from visviva.geometry.projective.lines import checked_lines
from visviva.geometry.projective.planes import checked_planes
from visviva.geometry.projective.points import adjoint_polarity, checked_points, polarity
from visviva.geometry.refusal import refuse
from visviva.geometry.se3 import SE3

TOLERANCE = 1e-9  # of an orthogonal matrix given by rounded numbers


def keeps_polarity(c: ArrayLike, tolerance: float = TOLERANCE) -> Mask:
    """cᵀ P c = P: infinite points stay infinite. Every affine map does this, see `keeps_adjoint`."""
    c, P = finite_array(c, "collineation", (4, 4)), polarity()
    return np.asarray(np.abs(transpose(c) @ P @ c - P).max(axis=(-2, -1)) <= tolerance)


def keeps_adjoint(c: ArrayLike, tolerance: float = TOLERANCE) -> Mask:
    """c Q cᵀ = Q: lengths and angles of free vectors stay. Both together are what (7) needs."""
    c, Q = finite_array(c, "collineation", (4, 4)), adjoint_polarity()
    return np.asarray(np.abs(c @ Q @ transpose(c) - Q).max(axis=(-2, -1)) <= tolerance)


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Collineation:
    """x ↦ σ R x + p. The constructor trusts its arrays; `from_matrix` and `reflection` check theirs."""

    R: Array  # (..., 3, 3) rotation
    p: Array  # (..., 3)
    sign: Array  # (...) 1 keeps orientation, -1 changes it

    @classmethod
    def from_matrix(cls, c: ArrayLike) -> Self:
        """Of homogeneous matrices (..., 4, 4), up to a factor as all maps of P³."""
        c = finite_array(c, "collineation", (4, 4))
        refuse(c[..., 3, 3] == 0, "collineation", "moves the origin to infinity: its last entry is 0.")
        c = c / c[..., 3:, 3:]
        refuse(~keeps_polarity(c), "collineation", "moves infinite points: its last row must be (0, 0, 0, 1).")
        refuse(
            ~keeps_adjoint(c),
            "collineation",
            "is affine, but changes lengths or angles: c Q cᵀ ≠ Q.\nIts upper left block must be orthogonal.",
        )
        A = c[..., :3, :3]
        sign = np.sign(np.linalg.det(A))
        return cls(sign[..., None, None] * A, c[..., :3, 3], sign)

    @classmethod
    def from_pose(cls, X: SE3) -> Self:
        """The displacement, σ = 1."""
        return cls(X.R, X.r, np.ones(X.shape))

    @classmethod
    def reflection(cls, h: ArrayLike) -> Self:
        """In the plane h = (n; d): x ↦ x - 2 n (n·x + d)/n²."""
        h = checked_planes(h)
        length = np.linalg.norm(h[..., :3], axis=-1)[..., None]
        refuse(length[..., 0] == 0, "plane", "of the reflection is at infinity: it has no normal.")
        n, d = h[..., :3] / length, h[..., 3:] / length
        return cls(2 * n[..., :, None] * n[..., None, :] - np.eye(3), -2 * d * n, -np.ones(d.shape[:-1]))

    @property
    def matrix(self) -> Array:
        """c (..., 4, 4) on points; source: (7)."""
        return homogeneous(self._linear, self.p, 1.0)

    @property
    def on_lines(self) -> Array:
        """M (..., 6, 6) on lines; source: (8)."""
        return lower_block(self._linear, skew(self.p) @ self._linear, self.R)

    def act(self, p: ArrayLike) -> Array:
        """Images (..., 4) of points."""
        return apply(self.matrix, checked_points(p))

    def act_on_lines(self, l: ArrayLike) -> Array:
        """Images (..., 6) of lines: the joins of the images of their points."""
        return apply(self.on_lines, checked_lines(l))

    def act_on_planes(self, h: ArrayLike) -> Array:
        """Images (..., 4) of planes, c⁻ᵀ h."""
        return apply(transpose(self.inverse().matrix), checked_planes(h))

    def __matmul__(self, other: Self) -> Self:
        moved = self.p + apply(self._linear, other.p)
        return type(self)(self.R @ other.R, moved, self.sign * other.sign)

    def inverse(self) -> Self:
        """x ↦ σ Rᵀ (x - p)."""
        R = transpose(self.R)
        return type(self)(R, -self.sign[..., None] * apply(R, self.p), self.sign)

    def pose(self) -> SE3:
        """As a displacement; a reflection is none and raises an error."""
        refuse(self.sign < 0, "collineation", "changes orientation (σ = -1): it is no displacement of a body.")
        return SE3(self.R, self.p)

    @property
    def _linear(self) -> Array:
        return self.sign[..., None, None] * self.R
