"""The rotation of a rigid body twice: in Euler angles, which are singular, and in angular velocities, which are not.

    Euler angles   M(a) ä + b(a, ȧ) = Yᵀ τ,    a = (roll, pitch, yaw),  R = Rz(yaw) Ry(pitch) Rx(roll),  ω = Y ȧ
    Euler          Ṙ = R ω̂,    Θ ω̇ + ω × Θ ω = τ

Yᵀ times the second is the first; det M = det Θ cos² pitch vanishes at a pitch of ±90°.
Source: Konz (1.6)-(1.8); b is complete here, the text shows its leading terms.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_vector
from visviva.errors import ModelError
from visviva.numerics.rank import DATA, rank

GIMBAL_LOCK = 1e-8  # cos(pitch) below which angles have no rates


def attitude(angles: ArrayLike) -> Array:
    """R = Rz(yaw) Ry(pitch) Rx(roll), shape (3, 3)."""
    angles = finite_vector(angles, "angles", 3)
    (ca, cb, cc), (sa, sb, sc) = np.cos(angles), np.sin(angles)
    return np.array(
        [
            [cc * cb, cc * sb * sa - sc * ca, cc * sb * ca + sc * sa],
            [sc * cb, sc * sb * sa + cc * ca, sc * sb * ca - cc * sa],
            [-sb, cb * sa, cb * ca],
        ]
    )


def angle_rates_matrix(angles: ArrayLike) -> Array:
    """Y (3, 3) with ω = Y ȧ in body axes; det Y = cos(pitch)."""
    a, b, _ = finite_vector(angles, "angles", 3)
    ca, sa, cb, sb = np.cos(a), np.sin(a), np.cos(b), np.sin(b)
    return np.array([[1.0, 0.0, -sb], [0.0, ca, sa * cb], [0.0, -sa, ca * cb]])


def euler_angle_model(inertia: ArrayLike, angles: ArrayLike, rates: ArrayLike) -> tuple[Array, Array]:
    """M (3, 3) and b (3,) of M ä + b = Yᵀ τ, for principal moments of inertia (3,)."""
    Theta = finite_vector(inertia, "inertia", 3)
    (a, beta, _), (ad, bd, pd) = finite_vector(angles, "angles", 3), finite_vector(rates, "rates", 3)
    Tx, Ty, Tz = Theta
    sa, ca, sb, cb, c2a = np.sin(a), np.cos(a), np.sin(beta), np.cos(beta), np.cos(2 * a)
    Y = angle_rates_matrix(angles)
    skewness, mean = (Ty - Tz) * sa * ca, Ty * sa**2 + Tz * ca**2
    b1 = skewness * (bd**2 - cb**2 * pd**2) - (Tx + (Ty - Tz) * c2a) * cb * bd * pd
    b2 = -2 * skewness * ad * bd + (Tx + (Ty - Tz) * c2a) * cb * ad * pd + (mean - Tx) * sb * cb * pd**2
    b3 = (
        ((Ty - Tz) * c2a - Tx) * cb * ad * bd
        + 2 * skewness * cb**2 * ad * pd
        - skewness * sb * bd**2
        + 2 * (Tx - mean) * sb * cb * bd * pd
    )
    return (Y.T * Theta) @ Y, np.array([b1, b2, b3])


def euler_angle_acceleration(
    inertia: ArrayLike, angles: ArrayLike, rates: ArrayLike, torque: ArrayLike = (0, 0, 0)
) -> Array:
    """ä, shape (3,); an error where the angles are singular."""
    pitch = finite_vector(angles, "angles", 3)[1]
    if abs(np.cos(pitch)) < GIMBAL_LOCK:
        raise ModelError(
            f"Euler angles are singular at a pitch of {np.degrees(pitch):.6g}°: roll and yaw turn about one axis, and"
            " the mass matrix has no inverse.\nUse angular velocities with a rotation matrix or a quaternion"
            " (coordinates.spherical), which have no such place."
        )
    M, b = euler_angle_model(inertia, angles, rates)
    total = angle_rates_matrix(angles).T @ finite_vector(torque, "torque", 3) - b
    return np.asarray(np.linalg.solve(M, total), dtype=np.float64)


def euler_acceleration(inertia: ArrayLike, w: ArrayLike, torque: ArrayLike = (0, 0, 0)) -> Array:
    """ω̇ of Θ ω̇ + ω × Θ ω = τ, shape (3,); inertia (3,) or (3, 3)."""
    Theta = finite_array(inertia, "inertia")
    Theta = np.diag(Theta) if Theta.ndim == 1 else Theta
    if Theta.shape != (3, 3) or rank(Theta, tolerance=DATA) < 3:
        raise ModelError(f"inertia must be three positive moments or an invertible (3, 3), got {inertia!r}.")
    w = finite_vector(w, "w", 3)
    total = finite_vector(torque, "torque", 3) - np.cross(w, Theta @ w)
    return np.asarray(np.linalg.solve(Theta, total), dtype=np.float64)
