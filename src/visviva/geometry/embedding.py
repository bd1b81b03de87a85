"""State spaces in embedding coordinates, with a retraction whose increments are exact.

A point of a group is kept as a flat array `q`: the translation r, then the columns of the rotation matrix.
Each space has a *lift* N(q), linear in the tangent vector, with two properties:

    q_dot = N(q) ξ                 on the group (ξ left-trivialised, angular first),
    q1 - q0 = N((q0 + q1)/2) Δ     exactly, for q1 = retract(q0, Δ).

The second is the discrete chain rule: whatever is quadratic in q has an exact discrete derivative at the mean
of the end points, although that mean is no rotation. With R̄ = (R0 + R1)/2 and Q = R̄⁻ᵀ (which is R on the group):

    rotations, the Cayley map:   R1 - R0 = hat(Q Δω) R̄        translations that turn with the body:   r1 - r0 = Q Δv

Q is what makes the forces of joints, pulled back by Nᵀ, add no momentum. R̄ in its place would satisfy the chain rule
as well and lose angular momentum; so would the Cayley map of homogeneous 4x4 matrices.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.hat import skew
from visviva.geometry.linear import apply, cross, inverse_transposed, transpose

_TURN = np.array([[0.0, -1.0], [1.0, 0.0]])  # the generator of plane rotations


class AbstractSpace(ABC):
    """A Lie group seen through its embedding coordinates; all methods take any leading batch shape."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many numbers store a point."""

    @property
    @abstractmethod
    def dim(self) -> int:
        """Dimension of the group."""

    @abstractmethod
    def lift(self, q: Array) -> Array:
        """N(q), shape (..., size, dim)."""

    def pull(self, rows: Array, q: Array) -> Array:
        """Rows over embedding coordinates (..., m, size) as rows over tangent vectors, rows N(q)."""
        return rows @ self.lift(q)

    def push(self, q: Array, xi: Array) -> Array:
        """Rates of embedding coordinates, N(q) ξ."""
        return apply(self.lift(q), xi)

    @abstractmethod
    def retract(self, q0: Array, delta: Array) -> Array:
        """The point reached from q0 by the increment Δ, with q1 - q0 = N((q0 + q1)/2) Δ."""

    @abstractmethod
    def drift(self, q: Array, xi: Array) -> Array:
        """The part of q_ddot that is there without acceleration: (d/dt N(q)) ξ, shape (..., size)."""

    @abstractmethod
    def defect(self, q: Array) -> float:
        """How far q is from being a point of the space: 0 for a flat space, |RᵀR - I| for rotations."""


@final
@dataclass(frozen=True)
class Flat(AbstractSpace):
    """Rⁿ: N = I, q1 = q0 + Δ."""

    n: int

    @property
    def size(self) -> int:  # noqa: D102
        return self.n

    @property
    def dim(self) -> int:  # noqa: D102
        return self.n

    def lift(self, q: Array) -> Array:  # noqa: D102
        return np.broadcast_to(np.eye(self.n), (*q.shape[:-1], self.n, self.n))

    def pull(self, rows: Array, q: Array) -> Array:  # noqa: D102
        return rows

    def push(self, q: Array, xi: Array) -> Array:  # noqa: D102
        return xi

    def retract(self, q0: Array, delta: Array) -> Array:  # noqa: D102
        return q0 + delta

    def drift(self, q: Array, xi: Array) -> Array:  # noqa: D102
        return np.zeros_like(q)

    def defect(self, q: Array) -> float:  # noqa: D102
        return 0.0


@final
@dataclass(frozen=True)
class Rotations(AbstractSpace):
    """SO(2) or SO(3), with translations or without.

    n:       2 or 3.
    moves:   None for SO(n); "body" for SE(n), translations turned with the body, ṙ = R v;
             "space" for the direct product SO(n) x Rⁿ, ṙ = v.
    Points:  (r, columns of R), without r for SO(n). Tangent vectors: (ω, v).
    """

    n: int
    moves: str | None = None
    turns: ClassVar[dict[int, int]] = {2: 1, 3: 3}

    @property
    def size(self) -> int:  # noqa: D102
        return self.n * self.n + (self.n if self.moves else 0)

    @property
    def dim(self) -> int:  # noqa: D102
        return self.turns[self.n] + (self.n if self.moves else 0)

    def rotation(self, q: Array) -> Array:
        """The matrix part of q, shape (..., n, n); its columns are the directors."""
        columns = q[..., self.n :] if self.moves else q
        return np.swapaxes(columns.reshape(*q.shape[:-1], self.n, self.n), -1, -2)

    def translation(self, q: Array) -> Array:
        """The position r, shape (..., n)."""
        return q[..., : self.n]

    def point(self, R: Array, r: Array | None = None) -> Array:
        """Embedding coordinates of a rotation matrix and a translation."""
        columns = np.swapaxes(R, -1, -2).reshape(*R.shape[:-2], self.n * self.n)
        return np.concatenate([r, columns], axis=-1) if r is not None else columns

    def _spin(self, w: Array) -> Array:
        return skew(w) if self.n == 3 else w[..., None] * _TURN

    def _cayley(self, w: Array) -> Array:
        """(I - ŵ/2)⁻¹ (I + ŵ/2) in closed form."""
        w_hat = self._spin(w)
        scale = 1.0 / (1.0 + 0.25 * (w * w).sum(-1))[..., None, None]
        return np.eye(self.n) + scale * (w_hat + 0.5 * w_hat @ w_hat)

    def lift(self, q: Array) -> Array:  # noqa: D102
        n, k, R = self.n, self.turns[self.n], self.rotation(q)
        N = np.zeros((*q.shape[:-1], self.size, self.dim))
        head = n if self.moves else 0
        Q = np.swapaxes(np.linalg.inv(R), -1, -2)
        D = np.swapaxes(R, -1, -2)  # d_i moves with (Q ω) x d_i
        columns = -skew(D) @ Q[..., None, :, :] if n == 3 else (D @ _TURN.T)[..., None]
        N[..., head:, :k] = columns.reshape(*q.shape[:-1], n * n, k)
        if self.moves:
            N[..., :n, k:] = Q if self.moves == "body" else np.eye(n)
        return N

    def pull(self, rows: Array, q: Array) -> Array:  # noqa: D102
        if self.n == 2 or q.ndim == 1:
            return rows @ self.lift(q)
        R = self.rotation(q)
        Q, head = inverse_transposed(R), 3 if self.moves else 0
        turning = cross(transpose(R)[..., None, :, :], rows[..., head:].reshape(*rows.shape[:-1], 3, 3)).sum(-2) @ Q
        if not self.moves:
            return turning
        pulled = np.empty((*turning.shape[:-1], 6))
        pulled[..., :3], pulled[..., 3:] = turning, rows[..., :3] @ Q if self.moves == "body" else rows[..., :3]
        return pulled

    def push(self, q: Array, xi: Array) -> Array:  # noqa: D102
        if self.n == 2 or q.ndim == 1:
            return apply(self.lift(q), xi)
        R = self.rotation(q)
        Q = inverse_transposed(R)
        columns = cross(apply(Q, xi[..., :3])[..., None, :], transpose(R))
        columns = columns.reshape(*columns.shape[:-2], 9)
        if not self.moves:
            return columns
        rates = np.empty((*columns.shape[:-1], 12))
        rates[..., :3], rates[..., 3:] = apply(Q, xi[..., 3:]) if self.moves == "body" else xi[..., 3:], columns
        return rates

    def retract(self, q0: Array, delta: Array) -> Array:  # noqa: D102
        R0, w = self.rotation(q0), delta[..., : self.turns[self.n]]
        R1 = R0 @ self._cayley(w)
        if not self.moves:
            return self.point(R1)
        v = delta[..., self.turns[self.n] :]
        if self.moves == "body":
            v = (R0 @ (v + 0.5 * (self._spin(w) @ v[..., None])[..., 0])[..., None])[..., 0]
        return self.point(R1, self.translation(q0) + v)

    def drift(self, q: Array, xi: Array) -> Array:  # noqa: D102
        R, w = self.rotation(q), xi[..., : self.turns[self.n]]
        W = self._spin(w)
        bend = R @ W @ W
        if not self.moves:
            return self.point(bend)
        v = xi[..., self.turns[self.n] :]
        turn = (R @ W @ v[..., None])[..., 0] if self.moves == "body" else np.zeros_like(v)
        return self.point(bend, turn)

    def defect(self, q: Array) -> float:  # noqa: D102
        R = self.rotation(q)
        reflected = np.linalg.det(R) < 0  # orthogonal all the same
        return float(np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(self.n)).max() + 2.0 * reflected.any())


@final
@dataclass(frozen=True)
class ProductSpace(AbstractSpace):
    """A direct product: coordinates and tangent vectors one after the other."""

    factors: tuple[AbstractSpace, ...]

    @property
    def size(self) -> int:  # noqa: D102
        return sum(factor.size for factor in self.factors)

    @property
    def dim(self) -> int:  # noqa: D102
        return sum(factor.dim for factor in self.factors)

    def _split(self, q: Array) -> list[Array]:
        return np.split(q, np.cumsum([factor.size for factor in self.factors])[:-1], axis=-1)

    def _split_tangent(self, xi: Array) -> list[Array]:
        return np.split(xi, np.cumsum([factor.dim for factor in self.factors])[:-1], axis=-1)

    def lift(self, q: Array) -> Array:  # noqa: D102
        N, i, j = np.zeros((*q.shape[:-1], self.size, self.dim)), 0, 0
        for factor, part in zip(self.factors, self._split(q), strict=True):
            N[..., i : i + factor.size, j : j + factor.dim] = factor.lift(part)
            i, j = i + factor.size, j + factor.dim
        return N

    def retract(self, q0: Array, delta: Array) -> Array:  # noqa: D102
        parts = zip(self.factors, self._split(q0), self._split_tangent(delta), strict=True)
        return np.concatenate([factor.retract(q, d) for factor, q, d in parts], axis=-1)

    def drift(self, q: Array, xi: Array) -> Array:  # noqa: D102
        parts = zip(self.factors, self._split(q), self._split_tangent(xi), strict=True)
        return np.concatenate([factor.drift(x, v) for factor, x, v in parts], axis=-1)

    def defect(self, q: Array) -> float:  # noqa: D102
        return max(factor.defect(part) for factor, part in zip(self.factors, self._split(q), strict=True))


SO2_SPACE = Rotations(2)
SO3_SPACE = Rotations(3)
SE2_SPACE = Rotations(2, "body")
SE3_SPACE = Rotations(3, "body")
SO3xR3_SPACE = Rotations(3, "space")


def origin(space: AbstractSpace) -> Array:
    """The identity of a space: zero, no rotation."""
    match space:
        case Rotations(n, moves):
            return space.point(np.eye(n), np.zeros(n) if moves else None)
        case ProductSpace(factors):
            return np.concatenate([origin(factor) for factor in factors])
    return np.zeros(space.size)
