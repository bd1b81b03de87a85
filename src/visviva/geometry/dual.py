"""Functions on se(3), read as so(3) over the dual numbers ω + ε v, ε² = 0.

f(ω + ε v) = f(ω) + ε df(ω)·v, which on twists (ω; v) is the matrix [[f(ω), 0], [df(ω)·v, f(ω)]]: whatever is
known on SO(3) gives its companion on SE(3) by one derivative. Source: the principle of transference of
Kotelnikov (1895) and Study (1903).
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.geometry.hat import isotropic, skew
from visviva.geometry.linear import lower_block
from visviva.geometry.stumpff import TINY, stumpff

Coefficients = tuple[Array | float, Array | float, Array | float]


def dual_isotropic(f: Coefficients, df: Coefficients, w: Array, v: Array) -> Array:
    """f = (a, b, c) stands for a I + b ω̂ + c ω ωᵀ, df for the rates of a, b, c in the direction v."""
    _, b, c = f
    cw = (np.asarray(c)[..., None] * w)[..., :, None] * v[..., None, :]  # c ω vᵀ
    df_v = isotropic(*df, w) + np.asarray(b)[..., None, None] * skew(v) + cw + np.swapaxes(cw, -1, -2)
    f_w = isotropic(*f, w)
    return lower_block(f_w, df_v, f_w)


def dexp_inv_coefficients(x: Array) -> tuple[Array, Array]:
    """dexp⁻¹(ω) = a I + ω̂/2 + c ω ωᵀ: a = (θ/2) cot(θ/2) and c = (1 - a)/θ² at x = θ².

    Half-angle Stumpff functions keep c free of cancellation.
    """
    c0, c1, c2, c3 = stumpff(x / 4, 3)
    return c0 / c1, (c2 - c3) / (4 * c1)


def dexp_inv_rates(x: Array) -> tuple[Array, Array]:
    """The rates of `dexp_inv_coefficients` in the direction v, divided by ω·v."""
    _, c1, c2, c3 = stumpff(x / 4, 3)
    c = (c2 - c3) / (4 * c1)
    a_rate = -c - (1 + c1) * c3 / (4 * c1 * c1)
    return a_rate, -(a_rate + 2 * c) / (x + TINY)
