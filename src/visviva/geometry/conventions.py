"""Twists and wrenches in the conventions of other texts, and back.

Ours are T = (ω; v) and F = (m; f) in the body frame B, at its origin. Every other convention here is a linear map
T' = C T; wrenches then go by F' = C⁻ᵀ F, so that power is the same number.

    spatial         world axes, at the world's origin                Stramigioli, Maschke and Bidard, T_B^{0,0}
    hybrid          world axes, at a point of the body               Kane's ω and v of the centre of mass
    direct_product  ω in body axes, ṙ in world axes                  Lohmayer, Capobianco and Leyendecker, SO(3) × R³
    linear_first    (v; ω) and (f; m)                                ports of director formulations, Konz
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array
from visviva.geometry.embedding import SE3_SPACE
from visviva.geometry.hat import skew
from visviva.geometry.linear import apply, block_diagonal, transpose
from visviva.geometry.se3 import SE3


@final
@dataclass(frozen=True, eq=False)  # arrays have no single truth value
class Convention:
    """T' = C T and F' = C⁻ᵀ F, for C of any batch shape. `B @ A` applies A first."""

    C: Array  # (..., 6, 6)
    C_inv: Array  # (..., 6, 6)

    def twist(self, T: ArrayLike) -> Array:
        """Ours to theirs, (..., 6)."""
        return apply(self.C, finite_array(T, "twist", (6,)))

    def twist_back(self, T: ArrayLike) -> Array:
        """Theirs to ours."""
        return apply(self.C_inv, finite_array(T, "twist", (6,)))

    def wrench(self, F: ArrayLike) -> Array:
        """Ours to theirs, (..., 6)."""
        return apply(transpose(self.C_inv), finite_array(F, "wrench", (6,)))

    def wrench_back(self, F: ArrayLike) -> Array:
        """Theirs to ours."""
        return apply(transpose(self.C), finite_array(F, "wrench", (6,)))

    def inertia(self, M: ArrayLike) -> Array:
        """The 6×6 inertia for their twists, C⁻ᵀ M C⁻¹."""
        return transpose(self.C_inv) @ finite_array(M, "inertia matrix", (6, 6)) @ self.C_inv

    def __matmul__(self, other: Self) -> Self:
        return type(self)(self.C @ other.C, other.C_inv @ self.C_inv)


def spatial(X_WB: SE3) -> Convention:
    """C = Ad: (ω, velocity of the body at the world's origin) in world axes."""
    return Convention(X_WB.Ad(), X_WB.inverse().Ad())


def hybrid(X_WB: SE3, point: ArrayLike = (0.0, 0.0, 0.0)) -> Convention:
    """C = diag(R, R) Ad(I, -c): ω and the velocity of the body's point c, given in B, in world axes."""
    c = finite_array(point, "point of the body", (3,))
    turn = SE3(X_WB.R, np.zeros_like(X_WB.r)) @ SE3(np.broadcast_to(np.eye(3), (*c.shape[:-1], 3, 3)), -c)
    return spatial(turn)


def direct_product(X_WB: SE3) -> Convention:
    """C = diag(I, R): the algebra of `SO3xR3`, which has an ad and an Ad of its own."""
    one = np.eye(3)
    return Convention(block_diagonal([one, X_WB.R]), block_diagonal([one, transpose(X_WB.R)]))


def linear_first() -> Convention:
    """The permutation (v; ω). It looks like the Klein form, but changes names, not twists into wrenches."""
    swap = np.roll(np.eye(6), 3, axis=0)
    return Convention(swap, swap.T)


def directors(X_WB: SE3) -> Array:
    """q = (r, d₁, d₂, d₃), shape (..., 12): position of the origin of B and the columns of R_WB."""
    return SE3_SPACE.point(X_WB.R, X_WB.r)


def director_rates(X_WB: SE3, T: ArrayLike) -> Array:
    """q_dot = N(q) T = (R v; R ω × d_i), shape (..., 12)."""
    return SE3_SPACE.push(directors(X_WB), finite_array(T, "twist", (6,)))


def twist_of_directors(q: ArrayLike, q_dot: ArrayLike) -> Array:
    """T = (½ Rᵀ Σ d_i × ḋ_i; Rᵀ ṙ), shape (..., 6); the inverse of `director_rates` on the group."""
    q, q_dot = finite_array(q, "directors", (12,)), finite_array(q_dot, "rates of directors", (12,))
    R_WB, d_dot = SE3_SPACE.rotation(q), SE3_SPACE.rotation(q_dot)
    w = np.cross(R_WB, d_dot, axis=-2).sum(axis=-1) / 2
    R_BW = transpose(R_WB)
    return np.concatenate([apply(R_BW, w), apply(R_BW, q_dot[..., :3])], axis=-1)


def wrench_of_director_input(X_WB: SE3, point: ArrayLike, u: ArrayLike) -> Array:
    """The wrench (m; f) of the input u = (F, τ) in world axes at a body point r_B: [[r̂ Rᵀ, Rᵀ], [Rᵀ, 0]] u."""
    r, u = finite_array(point, "point of the body", (3,)), finite_array(u, "input (force; torque)", (6,))
    R_BW = transpose(X_WB.R)
    f, tau = apply(R_BW, u[..., :3]), apply(R_BW, u[..., 3:])
    return np.concatenate([apply(skew(r), f) + tau, f], axis=-1)
