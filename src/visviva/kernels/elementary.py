"""Divided differences of elementary functions and their derivatives, as compiled scalars.

They are the functions of `visviva.compiler.discrete`, which has the plain NumPy forms; d... is the derivative by the
first argument. Series are used where the quotients would cancel.
"""

from __future__ import annotations

import math

from visviva.kernels.cache import kernel


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
