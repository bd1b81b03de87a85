"""Divided differences of elementary functions and their derivatives, as compiled scalars.

They are the functions of `visviva.language.discrete`, which has the plain NumPy forms; d... is the derivative by the
first argument. Series are used where the quotients would cancel. Each operation rounds, as in the laws that call them:
so results do not depend on what is compiled together, nor on the processor.
"""

from __future__ import annotations

import math

from visviva.kernels.functions import unfused as kernel


@kernel
def sinc_(z: float) -> float:
    """sin z / z."""
    if abs(z) < 0.05:
        s = z * z
        return 1.0 - s / 6.0 * (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0)))
    return math.sin(z) / z


@kernel
def dsinc_(z: float) -> float:
    """(cos z - sin z / z) / z."""
    if abs(z) < 0.3:
        s = z * z
        return -z / 3.0 * (1.0 - s / 10.0 * (1.0 - s / 28.0 * (1.0 - s / 54.0 * (1.0 - s / 88.0))))
    return (math.cos(z) - math.sin(z) / z) / z


@kernel
def sinhc_(z: float) -> float:
    """sinh z / z."""
    if abs(z) < 0.05:
        s = z * z
        return 1.0 + s / 6.0 * (1.0 + s / 20.0 * (1.0 + s / 42.0 * (1.0 + s / 72.0)))
    return math.sinh(z) / z


@kernel
def dsinhc_(z: float) -> float:
    """(cosh z - sinh z / z) / z."""
    if abs(z) < 0.3:
        s = z * z
        return z / 3.0 * (1.0 + s / 10.0 * (1.0 + s / 28.0 * (1.0 + s / 54.0 * (1.0 + s / 88.0))))
    return (math.cosh(z) - math.sinh(z) / z) / z


@kernel
def atanhc_(z: float) -> float:
    """artanh z / z."""
    if abs(z) < 0.05:
        s = z * z
        total = 1.0 / 19.0
        for k in range(9, 0, -1):
            total = total * s + 1.0 / (2 * k - 1)
        return total
    return math.atanh(z) / z if abs(z) < 1.0 else math.nan


@kernel
def datanhc_(z: float) -> float:
    """(1 / (1 - z²) - artanh z / z) / z."""
    if abs(z) < 0.1:
        s = z * z
        total = 0.0
        for k in range(8, 0, -1):
            total = total * s + 2.0 * k / (2 * k + 1)
        return total * z
    return (1.0 / (1.0 - z * z) - math.atanh(z) / z) / z if abs(z) < 1.0 else math.nan


@kernel
def atanc_(a: float, b: float) -> float:
    """(arctan b - arctan a)/(b - a)."""
    product = 1.0 + a * b
    if product > 0.1:
        z = (b - a) / product
        if abs(z) < 0.05:
            s = z * z
            return (1.0 - s / 3.0 * (1.0 - 3.0 * s / 5.0 * (1.0 - 5.0 * s / 7.0 * (1.0 - 7.0 * s / 9.0)))) / product
        return math.atan(z) / z / product
    return (math.atan(b) - math.atan(a)) / (b - a)


@kernel
def datanc_(a: float, b: float) -> float:
    """Its derivative by a: (mean slope - slope at a)/(b - a), and half the curvature where both are near."""
    d = b - a
    if abs(d) < 1e-4:
        m = (2.0 * a + b) / 3.0
        return -m / ((1.0 + m * m) * (1.0 + m * m))
    return (atanc_(a, b) - 1.0 / (1.0 + a * a)) / d


@kernel
def connected_(a: float, b: float) -> float:
    """1 where a and b have one sign, else not a number: no step crosses a pole."""
    return 1.0 if a * b > 0.0 else math.nan


@kernel
def absq_(a: float, b: float) -> float:
    """(|b| - |a|)/(b - a)."""
    size = abs(a) + abs(b)
    return (a + b) / size if size > 0.0 else 0.0


@kernel
def dabsq_(a: float, b: float) -> float:
    """Its derivative by a: none while both are on one side of zero."""
    size = abs(a) + abs(b)
    return 2.0 * abs(b) / (size * size) if (a < 0.0 < b or b < 0.0 < a) else 0.0


@kernel
def powq_(a: float, b: float, p: float) -> float:
    """(bᵖ - aᵖ)/(b - a) of numbers that are not negative."""
    low, top = min(a, b), max(a, b)
    if low < 0.0:
        return math.nan
    if low == top:
        return p * top ** (p - 1.0)
    if low < 0.5 * top:  # nothing cancels
        return (top**p - low**p) / (top - low)
    delta = (top - low) / top
    return -math.expm1(p * math.log1p(-delta)) / delta * top ** (p - 1.0)


@kernel
def dpowq_(a: float, b: float, p: float) -> float:
    """Its derivative by a: (mean slope - slope at a)/(b - a), and half the curvature where both are near.

    An infinite one, of 1 < p < 2 at zero, counts as none: Newton's method goes on from there.
    """
    d, top = b - a, max(a, b)
    if top == 0.0 and p < 2.0:
        return 0.0
    if abs(d) <= 1e-4 * top:
        return 0.5 * p * (p - 1.0) * ((2.0 * a + b) / 3.0) ** (p - 2.0)
    if a == 0.0 and p < 1.0:
        return 0.0
    slope = p * a ** (p - 1.0)
    return (powq_(a, b, p) - slope) / d


ARC_TERMS = 71
ARC_LAST = math.prod(k / (2 * k + 1) for k in range(1, ARC_TERMS + 1))


@kernel
def _half_arc(order: int, a: float, b: float) -> tuple[float, float, float, float, float]:
    """B = arccos z/√(1 - z²) = Σ c_k (1 - z)^k, c_k = c_(k-1) k/(2 k + 1), or its derivative, for 0 <= z.

    Values at a and b, slope at a, divided difference between them, and the derivative of that by a.
    """
    x, y, c = 1.0 - a, 1.0 - b, ARC_LAST
    start = end = slope = mean = bend = 0.0
    for k in range(ARC_TERMS, order - 1, -1):
        term = c if order == 0 else -k * c
        bend = bend * y + slope
        mean = mean * y + start
        slope = slope * x + start
        start = start * x + term
        end = end * y + term
        c *= (2 * k + 1) / max(k, 1)
    return start, end, -slope, -mean, bend


@kernel
def _arcs(order: int, a: float, b: float) -> tuple[float, float, float]:
    """arc_ (order 0) or bow_ (order 1) as f(η) g(η) of η = √(1 + t)/2: f = B, g = 1/(2 η); f = -B', g = 1/(16 η²).

    Value at a, divided difference between a and b, and the derivative of that by a; see `language.arcs`.
    """
    u, w = 0.5 * math.sqrt(1.0 + a), 0.5 * math.sqrt(1.0 + b)
    f0, f1, df0, f_mean, f_bend = _half_arc(order, u, w)
    if order == 0:
        g0, g1, dg0, g_mean, g_bend = 0.5 / u, 0.5 / w, -0.5 / (u * u), -0.5 / (u * w), 0.5 / (u * u * w)
    else:
        g0, g1, dg0 = -0.0625 / (u * u), -0.0625 / (w * w), 0.125 / (u * u * u)
        g_mean = 0.0625 * (u + w) / (u * u * w * w)
        g_bend = -0.0625 * (u + 2.0 * w) / (u * u * u * w * w)
    mean = 0.5 * (f_mean * (g0 + g1) + (f0 + f1) * g_mean)
    bend = 0.5 * (f_bend * (g0 + g1) + f_mean * dg0 + df0 * g_mean + (f0 + f1) * g_bend)
    chord = 0.25 / (u + w)
    return f0 * g0, mean * chord, (bend * chord - mean * chord / (u + w)) / (8.0 * u)


@kernel
def arc_(t: float) -> float:
    """θ/(2 sin θ) with t = 1 + 2 cos θ, the trace of a rotation matrix."""
    return _arcs(0, t, t)[0]


@kernel
def arcq_(a: float, b: float) -> float:
    """Its divided difference."""
    return _arcs(0, a, b)[1]


@kernel
def darc_(t: float) -> float:
    """Its derivative."""
    return _arcs(0, t, t)[1]


@kernel
def darcq_(a: float, b: float) -> float:
    """The derivative of its divided difference by a."""
    return _arcs(0, a, b)[2]


@kernel
def bow_(t: float) -> float:
    """(1 - (θ/2) cot(θ/2))/(4 sin² θ)."""
    return _arcs(1, t, t)[0]


@kernel
def bowq_(a: float, b: float) -> float:
    """Its divided difference."""
    return _arcs(1, a, b)[1]


@kernel
def dbow_(t: float) -> float:
    """Its derivative."""
    return _arcs(1, t, t)[1]


@kernel
def dbowq_(a: float, b: float) -> float:
    """The derivative of its divided difference by a."""
    return _arcs(1, a, b)[2]
