"""Bodies without thickness, about their centre. Density is per length [kg/m] or per area [kg/m²]."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva.errors import ModelError
from visviva.geometry.inertia.amount import length_of, lengths_of, mass_of
from visviva.geometry.inertia.axis import unit_axis
from visviva.geometry.inertia.inertia import Inertia
from visviva.geometry.inertia.revolution import about_axis


def rod(
    mass: float | None = None,
    length: float | None = None,
    axis: ArrayLike = "x",
    *,
    density: float | None = None,
) -> Inertia:
    """J_t = m l²/12 and no moment about its own axis: "x", "y", "z" or any vector. Density in [kg/m]."""
    h = length_of(length, "length", "rod")
    m = mass_of(mass, density, h, "rod", "kg/m")
    return about_axis(m, 0.0, m * h * h / 12, unit_axis(axis, "axis of the rod"))


def disc(
    mass: float | None = None,
    radius: float | None = None,
    normal: ArrayLike = "z",
    *,
    density: float | None = None,
) -> Inertia:
    """J = m r²/2 about its normal ("x", "y", "z" or any vector), m r²/4 across. Density in [kg/m²]."""
    r = length_of(radius, "radius", "disc")
    m = mass_of(mass, density, np.pi * r * r, "disc", "kg/m²")
    return about_axis(m, m * r * r / 4, 0.0, unit_axis(normal, "normal of the disc"))


def plate(
    mass: float | None = None,
    size: ArrayLike | None = None,
    normal: str = "z",
    *,
    density: float | None = None,
) -> Inertia:
    """J = m b²/12, m a²/12 about the edges of length a, b and m (a² + b²)/12 about the normal.

    size: (a, b) along (x, y) for normal "z", (y, z) for "x", (z, x) for "y". Density in [kg/m²].
    """
    edges = lengths_of(size, "size", "plate", 2)
    if not isinstance(normal, str) or normal not in ("x", "y", "z"):
        raise ModelError(
            f"normal of the plate must be 'x', 'y' or 'z', got {normal!r}.\n"
            "Another normal leaves open where the edges point: turn the plate with .moved(rotation)."
        )
    m = mass_of(mass, density, float(np.prod(edges)), "plate", "kg/m²")
    E = m / 12 * np.array([*edges**2, 0.0])
    return Inertia.from_euler(m, np.roll(E, "zxy".index(normal)))
