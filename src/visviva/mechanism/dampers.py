"""Dampers of springs between frames, as matrices D_y of a force D_y ẏ: constant, ⪰ 0, and so exact in power.

y = (R row by row, p) with the pose (R, p) of the child's frame in the parent's. Since |ΔR| of a finite rotation is a
chord, the heat of a step is what this says with sin for the angle, never negative.
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.numerics.rank import DATA


def bushing_damping(D: Array) -> Array:
    """D_y (12, 12) of a damper D (6, 6) on the relative twist (ω; ṗ), which it is exactly at R = I.

    For a torque alone tr(Ṙ E Ṙᵀ) = ωᵀ (tr(E) I - E) ω holds at any rotation, with ω in the child's frame: as much of D
    as has this form with E ⪰ 0 is put so, the rest acts on the rate of ½ (R32 - R23, R13 - R31, R21 - R12), which is ω
    at R = I. Dampers with equal coefficients, or with d_i <= d_j + d_k, are of the first form altogether.
    """
    D_r, D_rt, D_t = D[:3, :3], D[:3, 3:], D[3:, 3:]
    alone = D_r - D_rt @ np.linalg.pinv(D_t, rcond=DATA) @ D_rt.T  # what no translation takes part in
    values, axes = np.linalg.eigh(alone)
    small, middle, large = np.maximum(values, 0.0)
    large = min(large, small + middle)
    spread = np.array([middle + large - small, large + small - middle, small + middle - large]) / 2
    E = (axes * spread) @ axes.T
    D_y = np.zeros((12, 12))
    D_y[:9, :9] = np.kron(np.eye(3), E)
    S = np.zeros((6, 12))
    for k, (i, j) in enumerate(((2, 1), (0, 2), (1, 0))):
        S[k, 3 * i + j], S[k, 3 * j + i] = 0.5, -0.5
    S[3:, 9:] = np.eye(3)
    rest = D.copy()
    rest[:3, :3] -= (axes * [small, middle, large]) @ axes.T
    return D_y + S.T @ rest @ S


def point_damping(c: Array, b: Array) -> Array:
    """D_y (16, 16) of dampers c on the velocities ṗ + Ṙ b of points b of the child, as seen from the parent.

    y = (½ d·d, Pᵀd = p, Cᵀd, PᵀC = R row by row).
    """
    D_y = np.zeros((16, 16))
    for weight, point in zip(c, b, strict=True):
        L = np.zeros((3, 16))
        L[:, 1:4] = np.eye(3)
        L[:, 7:] = np.kron(np.eye(3), point)
        D_y += weight * L.T @ L
    return D_y


def moment_damping(moments: Array) -> Array:
    """D_y (12, 12) of drag on points of the child, seen from the parent, by its moments D' = Σ d (h; 1)(h; 1)ᵀ.

    Power tr(Ẋ D' Ẋᵀ) with the pose X = (R, p): ωᵀ, vᵀ times Vee D' times them; Konz (3.73), (3.90e). It is never
    negative where Vee D' ⪰ 0, D' itself may be indefinite: rates of rotations are not any, and neither are increments,

        tr(ΔR A ΔRᵀ) = 2 (1 - cos φ) n·Vee(A) n        of a turn by φ about n,

    and with the centre l of the drag D' is d (l; 1)(l; 1)ᵀ and such an A.
    """
    D_y = np.zeros((12, 12))
    for i in range(3):
        row = [3 * i, 3 * i + 1, 3 * i + 2, 9 + i]
        D_y[np.ix_(row, row)] = moments
    return D_y
