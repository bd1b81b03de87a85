"""Solids about their centre. By mass, or by density [kg/m³] with the mass left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva.geometry.inertia.amount import length_of, lengths_of, mass_of, wall_of
from visviva.geometry.inertia.inertia import Inertia


def sphere(
    mass: float | None = None,
    radius: float | None = None,
    inner: float = 0.0,
    *,
    density: float | None = None,
) -> Inertia:
    """J = (2/5) m (r⁵ - s⁵)/(r³ - s³) about any axis, s the inner radius.

    Solid with inner = 0: (2/5) m r²; a thin shell with inner = radius: (2/3) m r², by mass only.
    """
    r = length_of(radius, "radius", "sphere")
    s = wall_of(inner, r, "sphere")
    m = mass_of(mass, density, 4 / 3 * np.pi * (r - s) * (r * r + r * s + s * s), "sphere")
    k = s / r  # the factor r - s is divided out, so that thin shells keep their digits
    second = m * r * r / 5 * (1 + k + k**2 + k**3 + k**4) / (1 + k + k**2)
    return Inertia.from_euler(m, np.full(3, second))


def box(mass: float | None = None, size: ArrayLike | None = None, *, density: float | None = None) -> Inertia:
    """J_x = m (b² + c²)/12 and cyclic, size = (a, b, c) the edges along x, y, z [m]."""
    edges = lengths_of(size, "size", "box", 3)
    m = mass_of(mass, density, float(np.prod(edges)), "box")
    return Inertia.from_euler(m, m / 12 * edges**2)


def ellipsoid(
    mass: float | None = None, semi_axes: ArrayLike | None = None, *, density: float | None = None
) -> Inertia:
    """J_x = m (b² + c²)/5 and cyclic, semi_axes = (a, b, c) along x, y, z [m]."""
    radii = lengths_of(semi_axes, "semi-axes", "ellipsoid", 3)
    m = mass_of(mass, density, 4 / 3 * np.pi * float(np.prod(radii)), "ellipsoid")
    return Inertia.from_euler(m, m / 5 * radii**2)
