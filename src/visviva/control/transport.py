"""Transport maps Q(x, x_R) of the energy-based template: v_E = v - Q v_R with ∇_R V̄ = -Qᵀ ∇V̄ and Q(x, x) = I (4.30).

Pairs and coordinates say which of their velocities should be equal at both ends: rows A(x) v = A_R(x, x_R) v_R, hence

    Q = A⁺ A_R,      Q̇ = A⁺ (Ȧ_R - Ȧ Q) .

    twist    A = J,              A_R = Ad(G_E)⁻¹ J_R         the whole twist: Ad on a free body (4.42), J⁻¹ Ad J_R of
                                                             an arm in work space ((4.115), where Ad is missing)
    centre   A = (J_ω; J_h),     A_R = R_Eᵀ (J_ω; J_h)_R     turning, and the velocity of the centre of stiffness h
                                                             (4.43), in axes of the moving frame
    point    A = R J_h,          A_R = (R J_h)_R             the velocity of a point alone: a tool whose direction
                                                             does not matter (4.7.6)
    rotation A = J_ω,            A_R = R_Eᵀ J_ω,R            turning alone: a stiffness without a total, k = 0
    free     no rows                                         a pair without stiffness, which V̄ does not know

A coordinate of a joint has equal rates. (4.30) holds where A Q = A_R, which is checked when a law is made. Parts that
move with velocities of their own make blocks of Q, each of which is one of the above: a pair has its block where its
motions are a group (a hinge, a ball, a planar joint, six velocities), or where its stiffness sees as many rates as it
has velocities. Parts that share velocities have a map where they see as many rates as there are velocities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.control.kinematics import PairMotion
from visviva.control.templates import Errors, Parameters, Reference, Transport
from visviva.errors import ModelError
from visviva.geometry import SE3
from visviva.geometry.hat import skew
from visviva.kernels.control.dense import RANK_RTOL
from visviva.numerics.rank import rank as rank_of
from visviva.numerics.rank import significant

MAPS = ("twist", "centre", "point", "rotation", "free")  # in the order of `kernels.control.template`
WIDTHS = {"twist": 6, "centre": 6, "point": 3, "rotation": 3, "free": 0}
POINT_RTOL = 1e-10  # of the largest entry of a stiffness: what differs from that of a point


class SingularTemplateError(ModelError):
    """Desired inertia or a transport map is singular at a configuration: the pairs do not determine all velocities."""


class TransportMaps(NamedTuple):
    """Which rates of pairs are equal at both ends, and of which coordinates."""

    kinds: tuple[str, ...]  # (p,) of `MAPS`
    tied: NDArray[np.bool_]  # (c,) coordinates that have a row


def maps_of_stiffness(stiffness: Sequence[Array], k: Array) -> TransportMaps:
    """The least that the stiffness of pairs (4, 4) and of coordinates k (c,) asks for."""
    return TransportMaps(tuple(_map_of_stiffness(K_) for K_ in stiffness), k != 0)


def _map_of_stiffness(K_: Array) -> str:
    size, k = float(np.abs(K_).max()), float(K_[3, 3])
    if not size:
        return "free"
    if np.abs(K_[3]).max() <= POINT_RTOL * size:
        return "rotation"
    h = np.append(K_[:3, 3] / k, 1.0) if k else np.zeros(4)
    return "point" if np.abs(K_ - k * np.outer(h, h)).max() <= POINT_RTOL * size else "twist"


def transport_rows(
    maps: TransportMaps, centres: Array, P: Parameters, x: PairMotion, R: Reference, E: Errors
) -> tuple[Array, Array, Array, Array]:
    """A, A_R, Ȧ, Ȧ_R of all pairs and coordinates, each (..., rows, n). centres: (p, 3)."""
    n, shape, tied = R.v.shape[-1], x.V.shape[:-2], P.rows[maps.tied]
    parts = [_ROWS[kind](k, centres[k], x, R, E) for k, kind in enumerate(maps.kinds) if kind != "free"]
    unit, none = np.broadcast_to(np.eye(n)[tied], (*shape, len(tied), n)), np.zeros((*shape, len(tied), n))
    parts.append((unit, unit, none, none))
    A, A_R, A_dot, A_R_dot = (np.concatenate(rows, axis=-2) for rows in zip(*parts, strict=True))
    return A, A_R, A_dot, A_R_dot


def transport_map(rows: tuple[Array, Array, Array, Array]) -> Transport:
    """Q and Q̇; an error where the rows do not determine all velocities."""
    A, A_R, A_dot, A_R_dot = rows
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    n = A.shape[-1]
    kept = significant(s / np.maximum(s[..., :1], 1e-300), RANK_RTOL)  # as compiled laws refuse columns
    if (least := int(kept.sum(-1).min())) < n:
        raise SingularTemplateError(
            f"the transport map is singular here: the pairs with gains do not determine all velocities (rank "
            f"{least} of {n}).\nKeep away from singular configurations, or give gains to further pairs or joints."
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


def _rotation(k: int, h: Array, x: PairMotion, R: Reference, E: Errors) -> tuple[Array, Array, Array, Array]:
    turn, spin = E.G_E_inv[..., k, :3, :3], skew(E.V_E[..., k, :3])  # d/dt R_Eᵀ = -ω̂_E R_Eᵀ
    A_R = turn @ R.pairs.J[..., k, :3, :]
    return x.J[..., k, :3, :], A_R, x.J_dot[..., k, :3, :], turn @ R.pairs.J_dot[..., k, :3, :] - spin @ A_R


def _point_jacobian(motion: PairMotion, k: int, h: Array) -> tuple[Array, Array]:
    """R (J_v - ĥ J_ω) of a point h of the second frame, in axes of the first, and its rate."""
    rot, shift = motion.G[..., k, :3, :3], np.concatenate([-skew(h), np.eye(3)], axis=1)
    own = shift @ motion.J[..., k, :, :]
    return rot @ own, rot @ (skew(motion.V[..., k, :3]) @ own + shift @ motion.J_dot[..., k, :, :])


_ROWS = {"twist": _twist, "centre": _centre, "point": _point, "rotation": _rotation}


def conflicts_of(parts: Mapping[str, tuple[int, str]], A: Array, A_R: Array, names: Sequence[str]) -> str:
    """Why A Q = A_R has no solution Q, in lines. parts: by name how many rows, and of which map; names: velocities."""
    lines, movers, at = list[str](), dict[str, list[str]](), 0
    for part, (width, kind) in parts.items():
        own, own_R = A[at : at + width], A_R[at : at + width]
        at += width
        moving = np.abs(own).max(axis=0, initial=0.0) > RANK_RTOL * np.abs(own).max(initial=0.0)
        for k in np.flatnonzero(moving).tolist():
            movers.setdefault(names[k], []).append(part)
        rank, both = rank_of(own), rank_of(np.hstack([own, own_R]))
        if both > rank:
            velocities = ", ".join(names[k] for k in np.flatnonzero(moving).tolist())
            lines.append(
                f"{part} has {rank} of {both} rates that its {kind} asks for: moved by {velocities} alone, it cannot "
                "do what its reference does elsewhere."
            )
    shared = {name: found for name, found in movers.items() if len(found) > 1}
    if shared and not lines:
        name, found = next(iter(shared.items()))
        lines.append(f"{' and '.join(found)} both move with {name}, and ask for rates that it cannot make at once.")
    return "".join(f"{line}\n" for line in lines)
