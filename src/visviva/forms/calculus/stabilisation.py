"""Projectors on motions and on constraints, and kinematics that return to φ = 0.

    Y = A⁺,   Ψ = Φ⁺,   Y A = I,   Y Φᵀ = 0,   A Y + Ψ Φ = I
    q̇ = A ξ - Ψ Λ φ        =>        φ̇ = -Λ φ to first order in φ

Source: Konz (2.8)-(2.10), where "Yᵀ Φ = 0" must read Y Φᵀ = 0, and (A.10)-(A.12).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number, finite_vector
from visviva.errors import ModelError
from visviva.forms.calculus.coordinates import JointEdge
from visviva.forms.calculus.edges import AbstractEdge, ChangedEdge, GivenEdge
from visviva.forms.calculus.function_map import FunctionMap
from visviva.forms.calculus.parameterisation import Parameterisation
from visviva.numerics.rank import TOLERANCE, preferred_rows, unit_rows


def projectors(p: Parameterisation, q: Array) -> tuple[Array, Array]:
    """Y (n, ν) and Ψ (ν, m) at q: A Y projects on motions, Ψ Φ on what they cannot reach."""
    Y: Array = np.asarray(np.linalg.pinv(p.A(q)), dtype=np.float64)
    return Y, np.asarray(np.linalg.pinv(p.Phi(q), rcond=TOLERANCE), dtype=np.float64)


def stabilised_rate(p: Parameterisation, q: Array, xi: Array, rate: ArrayLike) -> Array:
    """A ξ - Ψ Λ φ, shape (ν,), Ψ of independent rows of φ only: with redundant ones Φ Ψ is not the identity.

    rate: Λ [1/s], a number or a matrix over the independent rows (see `independent_rows`).
    Limits:  off φ = 0, Φ A is of the size of φ: the rate of decay is Λ to first order.
    """
    rows = independent_rows(p, q)
    Psi = np.linalg.pinv(p.Phi(q)[rows])
    phi, Lambda = p.phi(q)[rows], finite_array(rate, "rate")
    if Lambda.shape not in ((), (len(rows), len(rows))):
        raise ModelError(f"rate must be a number or have shape {(len(rows),) * 2}, got {Lambda.shape}.")
    return np.asarray(p.q_dot(q, xi) - Psi @ (Lambda @ phi if Lambda.ndim else Lambda * phi))


def independent_rows(p: Parameterisation, q: Array) -> list[int]:
    """ν - n rows of φ whose gradients are independent at q, earlier ones first where there is a choice.

    Off φ = 0 redundant rows are independent by as much as q is off: see `numerics.rank.preferred_rows`.
    """
    return sorted(preferred_rows(unit_rows(p.Phi(q))[0], p.size_q - p.n))


def restoring_rate(p: Parameterisation, q: Array, xi: Array, rate: float) -> Array:
    """A ξ + rate · restoring, in closed form, for coordinates of joints; φ decays at the rate 2·rate near φ = 0.

    rotation matrix     Ṙ = R (ω̂ - Λ (RᵀR - I))            Konz (A.12) says rate Λ, it is 2 Λ
    (c, s), quaternion  ẋ = A ξ - Λ (|x|² - 1) x
    """
    q_dot, rate = p.q_dot(q, xi), finite_number(rate, "rate")
    for joint in _joint_edges(p):
        q_dot[joint.read] += rate * joint.joint.chart.restoring(q[joint.read])
    return q_dot


def nearest_configuration(p: Parameterisation, q: Array) -> Array:
    """The nearest q with φ = 0, joint by joint: unit length, and rotations by special polar decomposition."""
    nearest = finite_vector(q, "q", p.size_q)
    for joint in _joint_edges(p):
        nearest[joint.read] = joint.joint.chart.nearest(nearest[joint.read])
    return nearest


def _joint_edges(p: Parameterisation) -> Iterator[JointEdge]:
    """All edges of joints; those that time alone moves have no coordinates."""
    for edge in p.edges:
        while isinstance(edge, ChangedEdge):
            edge = edge.edge
        if not (isinstance(edge, GivenEdge) and isinstance(edge.X, FunctionMap) and edge.X.asked == ["t"]):
            yield _joint_edge(edge)


def _joint_edge(edge: AbstractEdge) -> JointEdge:
    if not isinstance(edge, JointEdge):
        raise ModelError(
            f"edge {edge.name} is no joint with ready-made coordinates.\nUse stabilised_rate, which takes any of them."
        )
    return edge
