"""Stumpff functions, the smooth functions of the squared angle in exp, log and their derivatives.

c_k(x) = Σ_j (-x)^j / (2j + k)!     with x = θ²
c_0 = cos θ,   c_1 = sin θ / θ,   c_2 = (1 - cos θ) / θ²,   c_3 = (θ - sin θ) / θ³,   c_k = 1/k! - x c_{k+2}

Source: K. Stumpff, Himmelsmechanik I (1959), chapter V.
"""

from __future__ import annotations

import math

import numpy as np

from visviva._arrays import Array

TINY = 1e-300  # added to an angle, it avoids 0/0 and changes no other number
SWITCH = 1.0  # [rad²] below, the series; there both forms of c_k θ^(k-1) agree to rounding
FACTORS = 9  # of the nested series: at the switch the next term is below 1e-19


def stumpff(x: Array, last: int) -> tuple[Array, ...]:
    """c_0(x), …, c_last(x) for x >= 0; last >= 2.

    Up to c_2 half-angle formulas are smooth and lose no digits. From c_3 on the numerator cancels, so that
    a series takes over at small angles.
    """
    half = np.sqrt(x) / 2 + TINY
    s, c = np.sin(half), np.cos(half)
    sinc = s / half
    values = [c * c - s * s, sinc * c, sinc * sinc / 2]
    for k in range(3, last + 1):
        closed = (1 / math.factorial(k - 2) - values[k - 2]) / np.maximum(x, SWITCH)
        values.append(np.where(x < SWITCH, _series(k, np.minimum(x, SWITCH)), closed))
    return tuple(values)


def _series(k: int, x: Array) -> Array:
    """(1 - x/((k+1)(k+2)) (1 - x/((k+3)(k+4)) (…))) / k!"""
    nested = np.ones_like(x)
    for j in range(k + 2 * FACTORS, k, -2):
        nested = 1 - x / (j * (j - 1)) * nested
    return nested / math.factorial(k)
