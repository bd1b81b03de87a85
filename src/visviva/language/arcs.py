"""The two functions of the trace t = 1 + 2 cos θ of a rotation matrix that its logarithm is made of, in NumPy.

With a = (R32 - R23, R13 - R31, R21 - R12) the logarithm of a pose (R, p) is

    ω = arc(t) a,   v = p - ½ arc(t) a x p + bow(t) a x (a x p)
    arc = θ/(2 sin θ),   bow = (1 - (θ/2) cot(θ/2))/(4 sin² θ)

Both are smooth from θ = 0 up to, not including, half a turn. With η = cos(θ/2) = √(1 + t)/2 and
B(η) = arccos η/√(1 - η²) = Σ c_k (1 - η)^k they are B/(2 η) and -B'/(16 η²); since the terms of the series have one
sign, neither they nor their divided differences lose digits. Compiled forms are in `visviva.kernels.elementary`.
"""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array

RATIOS: Array = np.array([1.0, *(k / (2 * k + 1) for k in range(1, 72))])
TERMS: Array = np.multiply.accumulate(RATIOS)  # of B in powers of 1 - η; the next is below 1e-20
SLOPES: Array = -np.arange(1.0, 72.0) * TERMS[1:]  # of B'


def arc_(t: Array) -> Array:
    """θ/(2 sin θ)."""
    eta = _half_cosine(t)
    return _divided(TERMS, eta, eta)[0] / (2 * eta)


def bow_(t: Array) -> Array:
    """(1 - (θ/2) cot(θ/2))/(4 sin² θ)."""
    eta = _half_cosine(t)
    return -_divided(SLOPES, eta, eta)[0] / (16 * eta**2)


def arcq_(a: Array, b: Array) -> Array:
    """(arc(b) - arc(a))/(b - a)."""
    u, w = _half_cosine(a), _half_cosine(b)
    f0, f1, f = _divided(TERMS, u, w)
    return 0.25 * (f * (1 / u + 1 / w) - (f0 + f1) / (u * w)) / (4 * (u + w))


def bowq_(a: Array, b: Array) -> Array:
    """(bow(b) - bow(a))/(b - a)."""
    u, w = _half_cosine(a), _half_cosine(b)
    f0, f1, f = _divided(SLOPES, u, w)
    return ((f0 + f1) * (u + w) / (u * w) ** 2 - f * (1 / u**2 + 1 / w**2)) / 32 / (4 * (u + w))


def darc_(t: Array) -> Array:
    """Derivative of arc."""
    return arcq_(t, t)


def dbow_(t: Array) -> Array:
    """Derivative of bow."""
    return bowq_(t, t)


def _half_cosine(t: Array) -> Array:
    return 0.5 * np.sqrt(1 + np.asarray(t))


def _divided(terms: Array, a: Array, b: Array) -> tuple[Array, Array, Array]:
    """Values at a and b of a polynomial in 1 - η, and its divided difference, by Horner's rule."""
    x, y = 1 - a, 1 - b
    start = end = mean = np.zeros(np.broadcast_shapes(x.shape, y.shape))
    for term in terms[::-1]:
        mean = mean * y + start
        start, end = start * x + term, end * y + term
    return start, end, -mean


ARCS = {function.__name__: function for function in (arc_, bow_, arcq_, bowq_, darc_, dbow_)}
