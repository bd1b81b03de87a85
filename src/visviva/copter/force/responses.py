"""Transfer matrices from wanted to made forces, Z{Δf} = G_f(z) Z{Δf_D}, about steady states; Konz (5.30)-(5.43).

z is e^(iωT_S) at a frequency ω below half of the rate of ticks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from visviva._arrays import finite_array
from visviva.copter.force.fixed import RotorForce, lead
from visviva.copter.force.servos import Servos
from visviva.copter.force.tilting import TiltForce
from visviva.errors import ModelError

Complex = NDArray[np.complex128]


def thrust_response(p: TiltForce, z: ArrayLike) -> Complex:
    """G_F = (1 - c_F)/(z - c_F) of the filter of thrusts, (5.32)."""
    return np.asarray((1 - p.c_F) / (np.asarray(z, dtype=np.complex128) - p.c_F))


def servo_response(p: Servos, z: ArrayLike) -> Complex:
    """G_θ (..., n) of each servo, (5.32)."""
    d = (np.asarray(z, dtype=np.complex128)[..., None] - 1) / p.T_S
    return np.asarray(p.p_S0 / (d**2 + p.p_S1 * d + p.p_S0))


def tilt_force_response(p: TiltForce, servos: Servos, tilts: ArrayLike, z: ArrayLike) -> Complex:
    """G_f (..., r, r) about tilts θ̄ [rad] of the servos: what `filter_tilt_force` and servos make of f_D.

        G_f = B Q diag(G_F, G_θ) Qᵀ B⁺,    Q the rotations by θ̄ of (F^V, F^H) of each rotor

    which is (5.31) without the thrusts F̄ that cancel there. Limits do not act.
    """
    n, s = len(p.kappa_F), int((p.servo >= 0).sum())
    held = np.broadcast_to(finite_array(tilts, "tilts [rad]"), (s,))
    if len(servos.p_S0) != s or servos.T_S != p.T_S:
        raise ModelError(
            f"these servos are {len(servos.p_S0)} with a period of {servos.T_S:g} s; the filter is for {s} with "
            f"{p.T_S:g} s. Make both of one vehicle."
        )
    G_F, G_S = thrust_response(p, z), servo_response(servos, z)
    middle = np.zeros((*G_F.shape, n + s, n + s), dtype=np.complex128)
    for i, j in enumerate(p.servo):
        if j < 0:
            middle[..., i, i] = G_F
            continue
        own = np.array([[np.cos(held[j]), -np.sin(held[j])], [np.sin(held[j]), np.cos(held[j])]])
        both = own @ (np.stack([G_F, G_S[..., j]], axis=-1)[..., None] * own.T)
        for a, row in enumerate((i, n + j)):
            for b, column in enumerate((i, n + j)):
                middle[..., row, column] = both[..., a, b]
    return np.asarray(p.B @ middle @ p.B_right)


def rotor_force_response(p: RotorForce, speed: ArrayLike, z: ArrayLike) -> Complex:
    """G_f (..., r, r) about steady speeds [rad/s] of one or each rotor: what `filter_rotor_force` makes of f_D.

        G_f = (1 + P d) (d² + K_1 d + K_0 (1 + P d))⁻¹ K_0,    d = (z - 1)/T_S

    with P of `lead`: for the quadcopter its entries are (5.40), with k_head1 for k_tilt1 in (5.40c) and (5.40d). The
    static filter, (5.43), has no P in the inverse. Limits do not act.
    """
    d = ((np.asarray(z, dtype=np.complex128) - 1) / p.T_S)[..., None, None]
    one = np.eye(len(p.K0))
    ahead = one + lead(p, speed) * d
    inside = d**2 * one + d * np.diag(p.K1) + p.K0[:, None] * (one if p.static else ahead)
    return np.asarray(ahead @ np.linalg.solve(inside, np.broadcast_to(np.diag(p.K0), inside.shape)))
