"""Transport maps Q(x, x_R) of the energy-based template: v_E = v - Q v_R with ∇_R V̄ = -Qᵀ ∇V̄ and Q(x, x) = I (4.30).

Pairs and coordinates say which of their velocities should be equal at both ends: rows A(x) v = A_R(x, x_R) v_R, hence

    Q = A⁺ A_R,      Q̇ = A⁺ (Ȧ_R - Ȧ Q) .

    twist    A = J,              A_R = Ad(G_E)⁻¹ J_R         the whole twist: Ad on a free body (4.42), J⁻¹ Ad J_R of
                                                             an arm in work space ((4.115), where Ad is missing)
    centre   A = (J_ω; J_h),     A_R = R_Eᵀ (J_ω; J_h)_R     turning, and the velocity of the centre of stiffness h
                                                             (4.43), in axes of the moving frame
    point    A = R J_h,          A_R = (R J_h)_R             the velocity of a point alone: a tool whose direction
                                                             does not matter (4.7.6)

A coordinate of a joint has equal rates. (4.30) holds where A Q = A_R, which is checked when a law is made.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visviva._arrays import Array
from visviva.control.kinematics import PairMotion
from visviva.control.templates import Errors, Parameters, Reference, Transport
from visviva.errors import ModelError
from visviva.geometry import SE3
from visviva.geometry.hat import skew

MAPS = ("twist", "centre", "point")
RANK_RTOL = 1e-9


class SingularTemplateError(ModelError):
    """Desired inertia or a transport map is singular at a configuration: the pairs do not determine all velocities."""


def transport_rows(
    kinds: Sequence[str], centres: Array, P: Parameters, x: PairMotion, R: Reference, E: Errors
) -> tuple[Array, Array, Array, Array]:
    """A, A_R, Ȧ, Ȧ_R of all pairs and coordinates, each (..., rows, n). kinds: of `MAPS`; centres: (p, 3)."""
    n, shape = R.v.shape[-1], x.V.shape[:-2]
    parts = [_ROWS[kind](k, centres[k], x, R, E) for k, kind in enumerate(kinds)]
    unit, none = np.broadcast_to(np.eye(n)[P.rows], (*shape, len(P.rows), n)), np.zeros((*shape, len(P.rows), n))
    parts.append((unit, unit, none, none))
    A, A_R, A_dot, A_R_dot = (np.concatenate(rows, axis=-2) for rows in zip(*parts, strict=True))
    return A, A_R, A_dot, A_R_dot


def transport_map(rows: tuple[Array, Array, Array, Array]) -> Transport:
    """Q and Q̇; an error where the rows do not determine all velocities."""
    A, A_R, A_dot, A_R_dot = rows
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    n = A.shape[-1]
    if s.shape[-1] < n or (s[..., -1] <= RANK_RTOL * s[..., 0]).any():
        rank = int((s > RANK_RTOL * s[..., :1]).sum(-1).min())
        raise SingularTemplateError(
            f"the transport map is singular here: the pairs with gains do not determine all velocities (rank {rank} of "
            f"{n}).\nKeep away from singular configurations, or give gains to further pairs or joints."
        )
    inverse = (np.swapaxes(Vt, -1, -2) / s[..., None, :]) @ np.swapaxes(U, -1, -2)
    Q = inverse @ A_R
    return Transport(Q, inverse @ (A_R_dot - A_dot @ Q))


def _twist(k: int, h: Array, x: PairMotion, R: Reference, E: Errors) -> tuple[Array, Array, Array, Array]:
    A = E.A[..., k, :, :]
    A_R = A @ R.pairs.J[..., k, :, :]
    rate = A @ R.pairs.J_dot[..., k, :, :] - SE3.ad(E.V_E[..., k, :]) @ A_R
    return x.J[..., k, :, :], A_R, x.J_dot[..., k, :, :], rate


def _centre(k: int, h: Array, x: PairMotion, R: Reference, E: Errors) -> tuple[Array, Array, Array, Array]:
    shift, turn, spin = np.eye(6), *np.zeros((2, *E.V_E.shape[:-2], 6, 6))
    shift[3:, :3] = -skew(h)
    turn[..., :3, :3] = turn[..., 3:, 3:] = E.G_E_inv[..., k, :3, :3]
    spin[..., :3, :3] = spin[..., 3:, 3:] = skew(E.V_E[..., k, :3])  # d/dt R_Eᵀ = -ω̂_E R_Eᵀ
    A_R = turn @ shift @ R.pairs.J[..., k, :, :]
    rate = turn @ shift @ R.pairs.J_dot[..., k, :, :] - spin @ A_R
    return shift @ x.J[..., k, :, :], A_R, shift @ x.J_dot[..., k, :, :], rate


def _point(k: int, h: Array, x: PairMotion, R: Reference, E: Errors) -> tuple[Array, Array, Array, Array]:
    (A, A_dot), (A_R, A_R_dot) = (_point_jacobian(motion, k, h) for motion in (x, R.pairs))
    return A, A_R, A_dot, A_R_dot


def _point_jacobian(motion: PairMotion, k: int, h: Array) -> tuple[Array, Array]:
    """R (J_v - ĥ J_ω) of a point h of the second frame, in axes of the first, and its rate."""
    rot, shift = motion.G[..., k, :3, :3], np.concatenate([-skew(h), np.eye(3)], axis=1)
    own = shift @ motion.J[..., k, :, :]
    return rot @ own, rot @ (skew(motion.V[..., k, :3]) @ own + shift @ motion.J_dot[..., k, :, :])


_ROWS = {"twist": _twist, "centre": _centre, "point": _point}
