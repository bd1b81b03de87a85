"""Edges of the graph of frames: a pose X_ab(q), its body Jacobian and its bias, in minimal velocities.

    V_ab = J(q) ξ,   J_i = (X_ab⁻¹ ∂_i X_ab)ᵛ,   bias = J̇ ξ          in frame b, twists (ω; v)

Source: Konz (3.100), (3.104), (3.121), with the indices of Ad corrected.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.forms.calculus.maps import AbstractMap
from visviva.geometry.linear import homogeneous
from visviva.geometry.se3 import SE3


class AbstractEdge(ABC):
    """The pose of frame b in frame a, as the configuration determines it."""

    a: str
    b: str

    @abstractmethod
    def pose(self, q: Array) -> Array:
        """X_ab, shape (4, 4)."""

    @abstractmethod
    def jacobian(self, q: Array) -> Array:
        """J, shape (6, n): the twist of b against a, in frame b, is J ξ."""

    @abstractmethod
    def bias(self, q: Array, xi: Array) -> Array:
        """J̇ ξ, shape (6,): the rate of that twist without ξ̇."""

    @property
    def name(self) -> str:
        """'a' -> 'b', for messages."""
        return f"'{self.a}' -> '{self.b}'"


@final
@dataclass(frozen=True, eq=False)
class GivenEdge(AbstractEdge):
    """A pose that the user gives as a function of q.

    Along q(t) with ξ̇ = 0 the pose has a rate and a second rate, both exact by Taylor expansion, and
    J̇ ξ = (X⁻¹ Ẍ - V̂²)ᵛ.
    """

    a: str
    b: str
    X: AbstractMap  # (4, 4)
    A: AbstractMap  # (ν, n)

    def pose(self, q: Array) -> Array:  # noqa: D102
        return self.X.value(q)

    def jacobian(self, q: Array) -> Array:  # noqa: D102
        back = inverse_pose(self.X.value(q))
        rates = np.moveaxis(self.X.slope(q) @ self.A.value(q), -1, 0)  # (n, 4, 4)
        return SE3.vee(back @ rates).T

    def bias(self, q: Array, xi: Array) -> Array:  # noqa: D102
        q_dot = self.A.value(q) @ xi
        q_ddot = self.A.along(q, q_dot, np.zeros_like(q))[1] @ xi
        X, X_dot, X_ddot = self.X.along(q, q_dot, q_ddot)
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

    def pose(self, q: Array) -> Array:  # noqa: D102
        return self.edge.pose(q)

    def jacobian(self, q: Array) -> Array:  # noqa: D102
        return np.asarray(self.edge.jacobian(q) @ self.B.value(q))

    def bias(self, q: Array, xi: Array) -> Array:  # noqa: D102
        own = self.B.value(q) @ xi
        turned = self.B.along(q, self.A.value(q) @ own, np.zeros_like(q))[1] @ xi
        return np.asarray(self.edge.bias(q, own) + self.edge.jacobian(q) @ turned)


@final
@dataclass(frozen=True, eq=False)
class InverseEdge(AbstractEdge):
    """The edge from b to a: X_ba = X_ab⁻¹,  J_ba = -Ad(X_ab) J_ab,  J̇_ba ξ = -Ad(X_ab) J̇_ab ξ."""

    a: str
    b: str
    edge: AbstractEdge

    def pose(self, q: Array) -> Array:  # noqa: D102
        return inverse_pose(self.edge.pose(q))

    def jacobian(self, q: Array) -> Array:  # noqa: D102
        return -adjoint(self.edge.pose(q)) @ self.edge.jacobian(q)

    def bias(self, q: Array, xi: Array) -> Array:  # noqa: D102
        return -adjoint(self.edge.pose(q)) @ self.edge.bias(q, xi)


def inverse_pose(X: Array) -> Array:
    """[[Rᵀ, -Rᵀ r], [0, 1]]."""
    R, r = X[:3, :3], X[:3, 3]
    return homogeneous(R.T, -R.T @ r, 1.0)


def adjoint(X: Array) -> Array:
    """Ad of a pose (4, 4), shape (6, 6)."""
    return SE3(X[:3, :3], X[:3, 3]).Ad()
