"""Inertia forces c(q, ξ) of a mechanism, in the ways in which analytical mechanics derives them; all are one vector."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from visviva._arrays import Array
from visviva.forms.minimal.point import Point
from visviva.geometry import SE3
from visviva.geometry.hat import skew


def projected(point: Point) -> Array:
    """Sᵀ(M_b Ṡ ξ + ω x Jω): Newton's and Euler's equations, projected; Konz (3.110)."""
    return point.S.T @ (point.form.masses * (point.S_dot @ point.xi) + point.gyroscopic)


def kane(point: Point) -> Array:
    """D ξ with the matrix D of Kane's equations, A ξ̇ + D ξ = τ; Phillips and Amirouche (14), (56)."""
    return np.asarray(point.kane.D @ point.xi)


def partially_lagrangian(point: Point) -> Array:
    """Ȧ ξ - Dᵀξ, where d/dt ∂T/∂ξ = τ + Dᵀξ; Phillips and Amirouche (41), (43)."""
    return np.asarray(point.kane.A_dot @ point.xi - point.kane.gyration)


def hamel(point: Point) -> Array:
    """Ṁ ξ + γ_ij^k ξ^j p_k - ∂_i T, with d/dt ∂T/∂ξ^i = M ξ̇ + Ṁ ξ; Hamel's equations, Konz (2.31).

    Velocities of hinges and sliders commute; of balls and free links [γ_ij^k ξ^j] = -ad_ξᵀ, Konz (3.50). Derivatives of
    T along the velocity i are those of S along the motion with that velocity alone.
    """
    half = point.S.T @ (point.form.masses[:, None] * point.S_dot)
    momentum = point.body_M @ point.xi
    c = (half + half.T) @ point.xi - _slopes(point)
    for link, place in zip(point.form.tree.links, point.form.spanning.places, strict=True):
        xi, p = point.xi[place.xi], momentum[place.xi]
        if link.kind == "ball":
            c[place.xi] -= skew(xi).T @ p
        elif link.kind == "free":
            c[place.xi] -= SE3.coad(xi) @ p
    return c


def _slopes(point: Point) -> Array:
    """∂_i T at constant ξ, (n,)."""
    P = point.form.masses * point.V
    along = [Point(point.form, point.q, e, point.s).S_dot for e in np.eye(point.form.n)]
    return np.array([P @ (S_i @ point.xi) for S_i in along])


INERTIAL: Mapping[str, Callable[[Point], Array]] = {
    "minimal": projected,
    "kane-velocity": kane,
    "partially-lagrangian": partially_lagrangian,
    "hamel": hamel,
}
