"""Angles θ = atan2(s, c) with (c, s) quadratic in some coordinates: increments and derivatives exact between two ends.

With X = c0 s1 - s0 c1, Y = c0 c1 + s0 s1 and Δθ = atan2(X, Y), bars for means of both ends:

    D̄θ = (Δθ/X) (c̄ ∇s(q̄) - s̄ ∇c(q̄)),        D̄θ·Δq = Δθ        since c̄ Δs - s̄ Δc = X

whatever the angle turned, up to half a turn. The rate θ_dot = c ṡ - s ċ, on c² + s² = 1, is quadratic in (c, s, ċ, ṡ):

    Δ(c ṡ - s ċ) = c̄ Δṡ + ṡ̄ Δc - s̄ Δċ - ċ̄ Δs,        Δċ = (∇²c v̄)·Δq + ∇c(q̄)·Δv
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.geometry.linear import apply
from visviva.geometry.quadratic import Quadratic


def angle(cos_sin: Quadratic, q: Array) -> Array:
    """θ in (-π, π], shape (...)."""
    value = cos_sin.value(q)
    return np.arctan2(value[..., 1], value[..., 0])


def continued(raw: Array, near: Array) -> Array:
    """Angles that are known up to whole turns, with those turns that bring them nearest to others."""
    return raw + 2 * np.pi * np.round((near - raw) / (2 * np.pi))


def increment(cos_sin: Quadratic, q0: Array, q1: Array) -> Array:
    """Δθ between two ends, in (-π, π], shape (...)."""
    X, Y = _products(cos_sin.value(q0), cos_sin.value(q1))
    return np.arctan2(X, Y)


def secant(cos_sin: Quadratic, q0: Array, q1: Array) -> Array:
    """D̄θ over the coordinates, shape (..., n); the gradient where both ends are one."""
    value0, value1 = cos_sin.value(q0), cos_sin.value(q1)
    X, Y = _products(value0, value1)
    # atan2 keeps the relative accuracy of a small X; exactly half a turn has no sign, and no step ends there
    ratio = np.where(X == 0, np.where(Y > 0, 1.0, np.nan), np.arctan2(X, Y)) / np.where(X == 0, Y, X)
    mean = 0.5 * ratio[..., None] * (value0 + value1)
    return _across(mean, cos_sin.gradient(0.5 * (q0 + q1)))


def rate_secants(cos_sin: Quadratic, q0: Array, q1: Array, v0: Array, v1: Array) -> tuple[Array, Array]:
    """(D_q, D_v) of θ_dot between the ends of a step: D_q·Δq + D_v·Δv = Δθ_dot, shape (..., n) each."""
    slope = cos_sin.gradient(0.5 * (q0 + q1))
    mean = 0.5 * (cos_sin.value(q0) + cos_sin.value(q1))
    mean_dot = 0.5 * (apply(cos_sin.gradient(q0), v0) + apply(cos_sin.gradient(q1), v1))
    D_q = _across(mean, cos_sin.turn(0.5 * (v0 + v1))) - _across(mean_dot, slope)
    return D_q, _across(mean, slope)


def bend(cos_sin: Quadratic, q: Array, v: Array) -> Array:
    """The part of θ_ddot that is there without q_ddot, on c² + s² = 1, shape (...)."""
    value, value_dot = cos_sin.value(q), apply(cos_sin.gradient(q), v)
    value_ddot = apply(cos_sin.turn(v), v)
    square = (value * value).sum(-1)
    turned = value[..., 0] * value_ddot[..., 1] - value[..., 1] * value_ddot[..., 0]
    rate = value[..., 0] * value_dot[..., 1] - value[..., 1] * value_dot[..., 0]
    return turned / square - 2.0 * rate * (value * value_dot).sum(-1) / square**2


def _across(value: Array, rows: Array) -> Array:
    """c times the row of s less s times the row of c."""
    return value[..., 0:1] * rows[..., 1, :] - value[..., 1:2] * rows[..., 0, :]


def _products(value0: Array, value1: Array) -> tuple[Array, Array]:
    c0, s0, c1, s1 = value0[..., 0], value0[..., 1], value1[..., 0], value1[..., 1]
    return c0 * s1 - s0 * c1, c0 * c1 + s0 * s1
