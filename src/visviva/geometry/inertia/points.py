"""The inertia of particles."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import finite_array
from visviva.errors import ModelError
from visviva.geometry.inertia.inertia import Inertia


def points(masses: ArrayLike, positions: ArrayLike) -> Inertia:
    """Particles of masses (n,) [kg] at positions (n, 3) [m], rigidly joined: E = Σ m (x - c)(x - c)ᵀ.

    Masses may be zero, not negative, and not all zero.
    """
    m = finite_array(masses, "masses of the points")
    x = finite_array(positions, "positions of the points")
    if m.ndim != 1 or x.shape != (m.size, 3):
        raise ModelError(f"points need n masses and n positions, shapes (n,) and (n, 3); got {m.shape} and {x.shape}.")
    if (m < 0).any():
        i = int(np.argmin(m))
        raise ModelError(f"mass {i} of the points is negative: {m[i]:g} kg. For a hole subtract an Inertia of its own.")
    if not m.any():
        raise ModelError("points have no mass: at least one of them must be positive.")
    total = float(m.sum())
    com = m @ x / total
    d = x - com
    return Inertia.from_euler(total, d.T @ (m[:, None] * d), com)
