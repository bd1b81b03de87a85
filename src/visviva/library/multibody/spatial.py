"""Matrices of rigid motions over traced numbers, and the quantities of a body for both of its groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva.errors import ModelError
from visviva.language import Quantity

GROUPS = ("SE3", "SO3xR3")


@final
@dataclass(frozen=True)
class Domain:
    """The energy domains of a body whose poses form the group G: pose in G, momentum in the dual of its algebra."""

    group: str
    pose: Quantity
    momentum: Quantity

    @property
    def direct(self) -> bool:
        """Whether G is SO(3) x R³, whose translational velocity is in the inertial frame."""
        return self.group == "SO3xR3"


def domain(group: str) -> Domain:
    """The quantities for one of the two groups of poses."""
    if group not in GROUPS:
        raise ModelError(f"the group of a body's poses is 'SE3' or 'SO3xR3', got {group!r}.")
    return Domain(group, Quantity(group, "pose"), Quantity(f"{group.lower()}*", "momentum"))


def hat(a: Any) -> Any:
    """The matrix of a x b."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]], dtype=object)


def Ad_inverse(R: Any, r: Any) -> Any:
    """Ad of (R, r)⁻¹ on SE(3), [[Rᵀ, 0], [-Rᵀ r̂, Rᵀ]]: twists at the origin of A, in A, to those at B, in B.

    Source: Lohmayer, Capobianco and Leyendecker (13), of the inverse.
    """
    return np.block([[R.T, np.zeros((3, 3))], [-(R.T @ hat(r)), R.T]])


def shift(R: Any, r: Any, R_IA: Any) -> Any:
    """The same map for velocities of SO(3) x R³, (ω in the body, ν in the inertial frame): [[Rᵀ, 0], [-R_IA r̂, I]].

    The offset r turns with A, so that ν of B is ν + R_IA (ω x r).
    """
    return np.block([[R.T, np.zeros((3, 3))], [-(R_IA @ hat(r)), np.eye(3)]])


def coupling(n: int) -> Any:
    """J of a potential-kinetic coupling, [[0, I], [-I, 0]]: in left-trivialised flows T_e L_q is the identity.

    Source: Lohmayer, Capobianco and Leyendecker (3), (21), (26).
    """
    zero, one = np.zeros((n, n)), np.eye(n)
    return np.block([[zero, one], [-one, zero]])
