"""Inertia tensor J and Euler tensor E: two linear readings of the same second moments of mass."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array


def euler_tensor(J: Array) -> Array:
    """E = ∫ x xᵀ dm = ½ tr(J) I - J, shape (3, 3).

    Source:  Konz, dissertation, Θ' of eq. (3.53), (3.58e-j); its principal values ½ (J_j + J_k - J_i)
             are those below eq. (30) of Latussek, Kinon, Betsch (2026).
    """
    E = 0.0 - J  # not -J: it writes zeros as -0
    x, y, z = np.diag(J)
    np.fill_diagonal(E, [(y - x + z) / 2, (z - y + x) / 2, (x - z + y) / 2])
    return E


def inertia_tensor(E: Array) -> Array:
    """J = ∫ (|x|² I - x xᵀ) dm = tr(E) I - E, shape (3, 3); the inverse of `euler_tensor`.

    Why:     each moment is the sum of two entries: tr(E) - E_xx would lose the small moment of a
             needle in its large one.
    """
    J = 0.0 - E
    x, y, z = np.diag(E)
    np.fill_diagonal(J, [y + z, z + x, x + y])
    return J
