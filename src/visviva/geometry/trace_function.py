"""V(R) = c - tr(P R) on rotations, with all its critical points; P is any 3×3 matrix.

With proper factors P = X̄ diag(σ1, σ2, σ̄3) Ȳᵀ and R = Ȳ R̄ X̄ᵀ, V is a quadratic form of the unit quaternion of R̄,

    V = c + q·diag(V0, V0 + 2 λ1, V0 + 2 λ2, V0 + 2 λ3) q,   λ = (σ2 + σ̄3, σ̄3 + σ1, σ1 + σ2),   V0 = -(λ1 + λ2 + λ3)/2,

so its critical points are the unit quaternions in the eigenspaces: equal numbers among (0, λ1, λ2, λ3) make points into
circles and spheres. Source: Konz (2.58)-(2.68), with (2.58), (2.63), (2.67g) and (2.67i) corrected; the quaternion form
is ours, and is that of Davenport (1968).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number, finite_vector
from visviva.errors import ModelError
from visviva.geometry.inertia.euler import inertia_tensor
from visviva.geometry.moments import axial2
from visviva.geometry.quaternion import matrix_of
from visviva.geometry.rotations import checked_rotation

EQUAL = 1e-10  # of the largest singular value: nearer eigenvalues are equal

Shape = Literal["point", "circle", "sphere", "everything"]
Kind = Literal["minimum", "saddle", "maximum", "constant"]
SHAPES: tuple[Shape, ...] = ("point", "circle", "sphere", "everything")


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class CriticalSet:
    """Rotations at which V is stationary with one value: unit quaternions of a subspace, up to their sign.

    curvatures: eigenvalues of the Hessian there, the smallest first; one is zero per dimension of the set.
    """

    shape: Shape
    kind: Kind
    value: float
    curvatures: Array  # (3,)
    basis: Array  # (k, 4), orthonormal quaternions of R̄
    left: Array  # (3, 3), Ȳ
    right: Array  # (3, 3), X̄

    @property
    def strict(self) -> bool:
        """Whether it is one rotation alone."""
        return self.shape == "point"

    def rotation(self, direction: ArrayLike | None = None) -> Array:
        """A rotation of the set, shape (3, 3).  direction: (k,) in `basis`, not zero; default: its first."""
        k = len(self.basis)
        d = np.eye(k)[0] if direction is None else finite_vector(direction, f"direction in a {self.shape}", k)
        length = float(np.linalg.norm(d))
        if length == 0:
            raise ModelError(f"direction in a {self.shape} is zero: give {k} numbers that are not all zero.")
        return np.asarray(self.left @ matrix_of(d / length @ self.basis) @ self.right.T)


@final
@dataclass(frozen=True, eq=False)
class TraceFunction:
    """V(R) = constant - tr(P R)."""

    P: Array  # (3, 3)
    constant: float = 0.0

    def __post_init__(self) -> None:
        P = finite_array(self.P, "P", (3, 3))
        if P.ndim != 2:
            raise ModelError(f"P must have shape (3, 3), got {P.shape}.")
        object.__setattr__(self, "P", P)
        object.__setattr__(self, "constant", finite_number(self.constant, "constant of V"))

    @classmethod
    def wahba(cls, u: ArrayLike, v: ArrayLike, weights: ArrayLike | None = None) -> Self:
        """Σ w |u - R v|² of directions u, v (n, 3): the attitude from observed directions.

        Here P = 2 Σ w v uᵀ: (2.58) of Konz lacks the 2.
        """
        ends = [
            np.atleast_2d(finite_array(end, f"{name} of Wahba's problem", (3,))) for end, name in ((u, "u"), (v, "v"))
        ]
        if ends[0].shape != ends[1].shape or ends[0].ndim != 2 or not len(ends[0]):
            raise ModelError(
                f"Wahba's problem has directions u of shape {ends[0].shape} and v of shape {ends[1].shape}.\n"
                "Give as many of both, (n, 3) with n at least 1."
            )
        n = len(ends[0])
        w = np.ones(n) if weights is None else finite_vector(weights, "weights of Wahba's problem", n)
        if (w < 0).any():
            raise ModelError(f"weights of Wahba's problem must not be negative, got {w.min():g}.")
        constant = float(w @ ((ends[0] ** 2).sum(axis=1) + (ends[1] ** 2).sum(axis=1)))
        return cls(2 * (ends[1].T * w) @ ends[0], constant)

    @classmethod
    def navigation(cls, K: ArrayLike, R_R: ArrayLike) -> Self:
        """tr(K (I - R_Rᵀ R)), the error of a rotation from its reference; source: Koditschek (1989), Konz (2.59)."""
        K = finite_array(K, "K", (3, 3))
        return cls(K @ checked_rotation(R_R, "R_R", 3).T, float(np.trace(K)))

    @classmethod
    def nearest(cls, Q: ArrayLike, K: ArrayLike | None = None) -> Self:
        """½ tr((Q - R)ᵀ K (Q - R)): how far a rotation is from a matrix Q, K the identity by default; Konz (2.60)."""
        Q = finite_array(Q, "Q", (3, 3))
        K = np.eye(3) if K is None else finite_array(K, "K", (3, 3))
        if np.abs(K - K.T).max() > 1e-12 * np.abs(K).max():
            raise ModelError(f"K must be symmetric, got\n{K}.")
        return cls(Q.T @ K, float(np.trace(Q.T @ K @ Q + K)) / 2)

    def value(self, R: Array) -> Array:
        """V, shape (...), of rotations (..., 3, 3)."""
        return self.constant - np.asarray(np.einsum("ij,...ji->...", self.P, R))

    def gradient(self, R: Array) -> Array:
        """vee2(P R), shape (3,): V changes at this rate along body velocities ω; Konz (2.64)."""
        return axial2(self.P @ R)

    def hessian(self, R: Array) -> Array:
        """Vee(P R)ᵀ, shape (3, 3): the gradient changes by it times ω; Konz (2.65). Symmetric at critical points."""
        return inertia_tensor(self.P @ R).T

    def critical_sets(self) -> tuple[CriticalSet, ...]:
        """All of them, the minimum first and the maximum last; one for the constant V of P = 0."""
        left, right, lam, sigma = self._factors()
        levels = np.concatenate([[0.0], lam])  # V0 + 2 levels are the values
        floor = EQUAL * sigma
        ends = [*np.flatnonzero(np.diff(levels) > floor) + 1, 4]
        groups = np.split(np.arange(4), ends[:-1])
        sets = []
        for place, group in enumerate(groups):
            level = float(levels[group].mean())
            others = np.delete(np.arange(4), group)
            curvatures = np.concatenate([np.zeros(len(group) - 1), levels[others] - level])
            kind: Kind = "minimum" if place == 0 else "maximum" if place == len(groups) - 1 else "saddle"
            sets.append(
                CriticalSet(
                    SHAPES[len(group) - 1],
                    kind if len(groups) > 1 else "constant",
                    self.constant - float(lam.sum()) / 2 + 2 * level,
                    np.sort(curvatures),
                    np.eye(4)[group],
                    left,
                    right,
                )
            )
        return tuple(sets)

    def minimum(self) -> CriticalSet:
        """Where V is smallest; `strict` says whether that is one rotation."""
        return self.critical_sets()[0]

    def maximum(self) -> CriticalSet:
        """Where V is largest."""
        return self.critical_sets()[-1]

    @property
    def eigenvalues(self) -> Array:
        """λ1 <= λ2 <= λ3, those of the Hessian at the minimum, shape (3,)."""
        return self._factors()[2]

    def _factors(self) -> tuple[Array, Array, Array, float]:
        """Ȳ, X̄, λ and the largest singular value."""
        X, sigma, Yt = np.linalg.svd(self.P)
        det_X, det_Y = (float(np.round(np.linalg.det(M))) for M in (X, Yt))
        right, left = X * [1.0, 1.0, det_X], Yt.T * [1.0, 1.0, det_Y]
        s = sigma * [1.0, 1.0, det_X * det_Y]
        return left, right, np.array([s[1] + s[2], s[2] + s[0], s[0] + s[1]]), float(sigma[0])
