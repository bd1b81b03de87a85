"""Principal axes of an inertia tensor that stay with the axes it was given in."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array

EQUAL = 64 * np.finfo(float).eps  # moments closer than this part of tr J differ by rounding only
SWEEPS = 6  # convergence is quadratic: four reach rounding


def principal_axes(J: Array) -> tuple[Array, Array]:
    """Principal moments (3,) and axes R (3, 3), columns, with J = R diag(moments) Rᵀ and det R = 1.

    Laws:    a diagonal J gives R = I and its own diagonal, unsorted; equal moments leave their axes
             where they were.
    Why:     Jacobi's plane rotations of at most 45° have these laws by construction; a general
             eigenvalue routine sorts, mirrors and turns freely within equal moments.
    Source:  Golub and Van Loan, Matrix Computations, 4th ed., section 8.5.
    """
    D, R = J.copy(), np.eye(3)
    if np.count_nonzero(J) == np.count_nonzero(J.diagonal()):  # no plane to turn
        return np.maximum(J.diagonal(), 0.0), R
    equal = EQUAL * np.trace(J)
    for _ in range(SWEEPS):
        for i, k in (0, 1), (0, 2), (1, 2):
            G = _plane_rotation(D, i, k, equal)
            D, R = G.T @ D @ G, R @ G
    return np.maximum(np.diag(D), 0.0), R  # below zero only by rounding: J was checked


def _plane_rotation(D: Array, i: int, k: int, equal: float) -> Array:
    """The rotation by |angle| ≤ 45° in plane (i, k) that makes D_ik vanish; none between equal moments."""
    G = np.eye(3)
    x, y = D[k, k] - D[i, i], 2 * D[i, k]
    if y == 0 or np.hypot(x, y) <= equal:
        return G
    angle = np.arctan2(y, x) / 2
    if abs(angle) > np.pi / 4:  # the same axes, without exchanging their order
        angle -= np.copysign(np.pi / 2, angle)
    c, s = np.cos(angle), np.sin(angle)
    G[i, i], G[i, k], G[k, i], G[k, k] = c, s, -s, c
    return G
