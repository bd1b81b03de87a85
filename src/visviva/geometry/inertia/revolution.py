"""Solids of revolution. By mass, or by density [kg/m³] with the mass left out.

With the axis u, the transverse moment J_t and the axial moment J_a about the centre of mass,
J = J_t (I - u uᵀ) + J_a u uᵀ. The axis is "x", "y", "z" or any vector.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.geometry.inertia.amount import length_of, mass_of, wall_of
from visviva.geometry.inertia.axis import unit_axis
from visviva.geometry.inertia.inertia import Inertia


def cylinder(
    mass: float | None = None,
    radius: float | None = None,
    length: float | None = None,
    axis: ArrayLike = "z",
    *,
    density: float | None = None,
) -> Inertia:
    """J_a = m r²/2,  J_t = m (3 r² + l²)/12, about its centre."""
    r, h = length_of(radius, "radius", "cylinder"), length_of(length, "length", "cylinder")
    m = mass_of(mass, density, np.pi * r * r * h, "cylinder")
    return about_axis(m, m * r * r / 4, m * h * h / 12, unit_axis(axis, "axis of the cylinder"))


def tube(
    mass: float | None = None,
    outer: float | None = None,
    inner: float | None = None,
    length: float | None = None,
    axis: ArrayLike = "z",
    *,
    density: float | None = None,
) -> Inertia:
    """J_a = m (r² + s²)/2,  J_t = m (3 (r² + s²) + l²)/12, r and s the outer and inner radius.

    inner = outer is a thin-walled tube, by mass only.
    """
    r, h = length_of(outer, "outer radius", "tube"), length_of(length, "length", "tube")
    s = wall_of(inner, r, "tube")
    m = mass_of(mass, density, np.pi * (r - s) * (r + s) * h, "tube")
    return about_axis(m, m * (r * r + s * s) / 4, m * h * h / 12, unit_axis(axis, "axis of the tube"))


def cone(
    mass: float | None = None,
    radius: float | None = None,
    height: float | None = None,
    axis: ArrayLike = "z",
    *,
    density: float | None = None,
) -> Inertia:
    """J_a = 3 m r²/10,  J_t = 3 m (4 r² + h²)/80 about the centre of mass at h/4.

    The origin is the centre of the base; the axis points from there to the apex.
    """
    r, h = length_of(radius, "radius", "cone"), length_of(height, "height", "cone")
    m = mass_of(mass, density, np.pi * r * r * h / 3, "cone")
    u = unit_axis(axis, "axis of the cone")
    return about_axis(m, m * 3 / 20 * r * r, m * 3 / 80 * h * h, u, com=h / 4 * u)


def capsule(
    mass: float | None = None,
    radius: float | None = None,
    length: float | None = None,
    axis: ArrayLike = "z",
    *,
    density: float | None = None,
) -> Inertia:
    """Cylinder of the given length, not counting its two half spheres; a sphere when length = 0.

    With the masses m_c of the cylinder and m_s of both caps, m_s/m_c = 4 r/(3 l),
    J_a = m_c r²/2 + m_s 2 r²/5,  J_t = m_c (r²/4 + l²/12) + m_s (2 r²/5 + l²/4 + 3 r l/8).
    """
    r = length_of(radius, "radius", "capsule")
    h = length_of(length, "length", "capsule", zero=True)
    m = mass_of(mass, density, np.pi * r * r * (h + 4 / 3 * r), "capsule")
    caps = 4 / 3 * r / (h + 4 / 3 * r)
    m_s, m_c = m * caps, m * (1 - caps)
    transverse = m_c * r * r / 4 + m_s * r * r / 5
    axial = m_c * h * h / 12 + m_s * (r * r / 5 + h * h / 4 + 3 / 8 * r * h)
    return about_axis(m, transverse, axial, unit_axis(axis, "axis of the capsule"))


def about_axis(m: float, transverse: float, axial: float, u: Array, com: ArrayLike = (0.0, 0.0, 0.0)) -> Inertia:
    """Second moments of mass across and along the unit axis u: E = E_t (I - u uᵀ) + E_a u uᵀ.

    Why E:   J_a = 2 E_t and J_t = E_t + E_a hold the triangle inequality, whatever E_t, E_a ≥ 0.
    """
    uu = np.outer(u, u)
    return Inertia.from_euler(m, transverse * (np.eye(3) - uu) + axial * uu, com)
