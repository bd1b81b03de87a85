"""Edges of the graph of frames: a pose X_ab(q, t), its body Jacobian, drift and bias, in minimal velocities.

    V_ab = J ξ + W,   J_i = (X_ab⁻¹ ∂_i X_ab)ᵛ,   W = (X_ab⁻¹ ∂X_ab/∂t)ᵛ,   bias = J̇ ξ + Ẇ     in frame b, twists (ω; v)

The drift W is zero unless a pose depends on time.

Source: Konz (3.100), (3.104), (3.121), with the indices of Ad corrected; time as in (3.8) for particles.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.forms.calculus.given import reads_time
from visviva.forms.calculus.maps import AbstractMap
from visviva.geometry.linear import homogeneous
from visviva.geometry.se3 import SE3


class AbstractEdge(ABC):
    """The pose of frame b in frame a, as configuration and time determine it."""

    a: str
    b: str

    @property
    def timed(self) -> bool:
        """Whether it depends on time."""
        return False

    @abstractmethod
    def pose(self, q: Array, t: float = 0.0) -> Array:
        """X_ab, shape (4, 4)."""

    @abstractmethod
    def jacobian(self, q: Array, t: float = 0.0) -> Array:
        """J, shape (6, n): the twist of b against a, in frame b, is J ξ + W."""

    def drift(self, q: Array, t: float = 0.0) -> Array:
        """W, shape (6,): that twist at ξ = 0."""
        return np.zeros(6)

    @abstractmethod
    def bias(self, q: Array, xi: Array, t: float = 0.0) -> Array:
        """J̇ ξ + Ẇ, shape (6,): the rate of that twist without ξ̇."""

    @property
    def name(self) -> str:
        """'a' -> 'b', for messages."""
        return f"'{self.a}' -> '{self.b}'"


@final
@dataclass(frozen=True, eq=False)
class GivenEdge(AbstractEdge):
    """A pose that the user gives as a function of q and, where it asks for it, of t.

    Along q(t) with ξ̇ = 0 the pose has a rate and a second rate, both exact by Taylor expansion, and
    J̇ ξ + Ẇ = (X⁻¹ Ẍ - V̂²)ᵛ.
    """

    a: str
    b: str
    X: AbstractMap  # (4, 4), of (q, t)
    A: AbstractMap  # (ν, n)

    @cached_property
    def timed(self) -> bool:  # noqa: D102
        return reads_time(self.X)

    def pose(self, q: Array, t: float = 0.0) -> Array:  # noqa: D102
        return self.X.value(np.append(q, t))

    def jacobian(self, q: Array, t: float = 0.0) -> Array:  # noqa: D102
        x = np.append(q, t)
        back = inverse_pose(self.X.value(x))
        rates = np.moveaxis(self.X.slope(x)[..., :-1] @ self.A.value(q), -1, 0)  # (n, 4, 4)
        return SE3.vee(back @ rates).T

    def drift(self, q: Array, t: float = 0.0) -> Array:  # noqa: D102
        if not self.timed:
            return np.zeros(6)
        x = np.append(q, t)
        return SE3.vee(inverse_pose(self.X.value(x)) @ self.X.slope(x)[..., -1])

    def bias(self, q: Array, xi: Array, t: float = 0.0) -> Array:  # noqa: D102
        q_dot = self.A.value(q) @ xi
        q_ddot = self.A.along(q, q_dot, np.zeros_like(q))[1] @ xi
        X, X_dot, X_ddot = self.X.along(np.append(q, t), np.append(q_dot, 1.0), np.append(q_ddot, 0.0))
        back = inverse_pose(X)
        V_hat = SE3.hat(SE3.vee(back @ X_dot))
        return SE3.vee(back @ X_ddot - V_hat @ V_hat)


@final
@dataclass(frozen=True, eq=False)
class ChangedEdge(AbstractEdge):
    """An edge in other velocities, ξ = B(q) ξ': J' = J B,  J̇'ξ' = J̇ ξ + J Ḃ ξ'."""

    a: str
    b: str
    edge: AbstractEdge
    A: AbstractMap  # of the edge's own velocities
    B: AbstractMap  # (n, n')

    @property
    def timed(self) -> bool:  # noqa: D102
        return self.edge.timed

    def pose(self, q: Array, t: float = 0.0) -> Array:  # noqa: D102
        return self.edge.pose(q, t)

    def jacobian(self, q: Array, t: float = 0.0) -> Array:  # noqa: D102
        return np.asarray(self.edge.jacobian(q, t) @ self.B.value(q))

    def drift(self, q: Array, t: float = 0.0) -> Array:  # noqa: D102
        return self.edge.drift(q, t)

    def bias(self, q: Array, xi: Array, t: float = 0.0) -> Array:  # noqa: D102
        own = self.B.value(q) @ xi
        turned = self.B.along(q, self.A.value(q) @ own, np.zeros_like(q))[1] @ xi
        return np.asarray(self.edge.bias(q, own, t) + self.edge.jacobian(q, t) @ turned)


@final
@dataclass(frozen=True, eq=False)
class InverseEdge(AbstractEdge):
    """The edge from b to a: X_ba = X_ab⁻¹,  V_ba = -Ad(X_ab) V_ab,  V̇_ba = -Ad(X_ab) V̇_ab."""

    a: str
    b: str
    edge: AbstractEdge

    @property
    def timed(self) -> bool:  # noqa: D102
        return self.edge.timed

    def pose(self, q: Array, t: float = 0.0) -> Array:  # noqa: D102
        return inverse_pose(self.edge.pose(q, t))

    def jacobian(self, q: Array, t: float = 0.0) -> Array:  # noqa: D102
        return -adjoint(self.edge.pose(q, t)) @ self.edge.jacobian(q, t)

    def drift(self, q: Array, t: float = 0.0) -> Array:  # noqa: D102
        return np.asarray(-adjoint(self.edge.pose(q, t)) @ self.edge.drift(q, t))

    def bias(self, q: Array, xi: Array, t: float = 0.0) -> Array:  # noqa: D102
        return -adjoint(self.edge.pose(q, t)) @ self.edge.bias(q, xi, t)


def inverse_pose(X: Array) -> Array:
    """[[Rᵀ, -Rᵀ r], [0, 1]]."""
    R, r = X[:3, :3], X[:3, 3]
    return homogeneous(R.T, -R.T @ r, 1.0)


def adjoint(X: Array) -> Array:
    """Ad of a pose (4, 4), shape (6, 6)."""
    return SE3(X[:3, :3], X[:3, 3]).Ad()
