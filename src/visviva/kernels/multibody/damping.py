"""Damping D ẏ of the measures of an element: of functions y, of a length, of coordinates of several joints, of a spin.

The angular velocity of a frame C against P, in axes of C, follows from the rates of the nine products R_ij = P_i·C_j:

    ω_k = ½ (R_b·Ṙ_a - R_a·Ṙ_b),   (k, a, b) in cyclic order, columns R_a of the mean of both ends of a step

so that the torque -D ω is an effort Wᵀ D ω along them, with ω = W Ṙ; see `model.measured.SpinDissipation`.
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import inner
from visviva.kernels.multibody.algebra import Vector, dot, vector
from visviva.kernels.multibody.tables import UM, WM

AXES = 3  # of a frame; the nine products of two are measured row by row


@inner
def reciprocal(square: float) -> float:
    """1/d² of a damper along a line; where its ends meet it has no direction, and no force."""
    return 1.0 / square if square > 0.0 else 0.0


@inner
def damp(
    y: Array, effort: Array, slope: Array, damping: Array, at: int, n: int, s: int, d: int, unit: float, h: float
) -> None:
    """Efforts D ẏ of n measures from `at` on, and their slopes; D: from place d on, times a unit."""
    for a in range(n):
        for b in range(n):
            D = unit * damping[d + a * n + b]
            effort[at + a] += D * y[2, at + b]
            slope[s + a * n + b] += D / h


@inner
def damped(y: Array, damping: Array, at: int, n: int, d: int) -> float:
    """Power ẏ·D ẏ."""
    total = 0.0
    for a in range(n):
        for b in range(n):
            total += damping[d + a * n + b] * y[2, at + a] * y[2, at + b]
    return total


@inner
def _mean(X: Array, first: int, i: int, j: int) -> float:
    """R_ij of the mean axes; first: function of the first of the nine products."""
    k = first + AXES * i + j
    return dot(vector(X, k, UM), vector(X, k, WM))


@inner
def _spin(X: Array, first: int, y: Array, at: int, k: int) -> float:
    """ω_k."""
    a, b, total = (k + 1) % AXES, (k + 2) % AXES, 0.0
    for i in range(AXES):
        total += _mean(X, first, i, b) * y[2, at + AXES * i + a] - _mean(X, first, i, a) * y[2, at + AXES * i + b]
    return 0.5 * total


@inner
def _spins(X: Array, first: int, y: Array, at: int) -> Vector:
    return _spin(X, first, y, at, 0), _spin(X, first, y, at, 1), _spin(X, first, y, at, 2)


@inner
def _torque(damping: Array, d: int, k: int, w: Vector) -> float:
    """(D ω)_k."""
    return damping[d + 3 * k] * w[0] + damping[d + 3 * k + 1] * w[1] + damping[d + 3 * k + 2] * w[2]


@inner
def _row(X: Array, first: int, k: int, j: int) -> float:
    """W_kj: ω_k by the rate of product j of nine."""
    i, column, a, b = j // AXES, j % AXES, (k + 1) % AXES, (k + 2) % AXES
    if column == a:
        return 0.5 * _mean(X, first, i, b)
    return -0.5 * _mean(X, first, i, a) if column == b else 0.0


@inner
def damp_spin(
    X: Array, first: int, y: Array, effort: Array, slope: Array, damping: Array, at: int, s: int, d: int, h: float
) -> None:
    """Efforts Wᵀ D ω of the nine products, and their slopes at constant W."""
    w, n = _spins(X, first, y, at), AXES * AXES
    torque = _torque(damping, d, 0, w), _torque(damping, d, 1, w), _torque(damping, d, 2, w)
    for j in range(n):
        for k in range(AXES):
            W_kj = _row(X, first, k, j)
            if W_kj != 0.0:
                effort[at + j] += W_kj * torque[k]
                for l in range(n):
                    D_W = 0.0
                    for c in range(AXES):
                        D_W += damping[d + AXES * k + c] * _row(X, first, c, l)
                    slope[s + n * j + l] += W_kj * D_W / h


@inner
def damped_spin(X: Array, first: int, y: Array, damping: Array, at: int, d: int) -> float:
    """Power ω·D ω."""
    w = _spins(X, first, y, at)
    return w[0] * _torque(damping, d, 0, w) + w[1] * _torque(damping, d, 1, w) + w[2] * _torque(damping, d, 2, w)
