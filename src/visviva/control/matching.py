"""Gains from poles for systems with fewer inputs than velocities, such that small errors follow their template.

Λ_D = Λ_K = 0 of Konz (4.62) leaves a family of gains, and a polynomial λ⁴ + p3 λ³ + p2 λ² + p1 λ + p0 fixes it. Moments
are about their own centres here, see `gains.moments`.

    two masses, a spring between them and a force on the first one           (4.127)-(4.128)
    PVTOL: an aircraft in a vertical plane, with ε of its oblique rotors     (4.136), (4.141)-(4.142), p3² corrected
    quadcopter: that of ε = 0 in both vertical planes, and a heading         (4.148)
    bicopter: tilting rotors, with another ε in each plane, and a heading    (4.153)-(4.154)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector
from visviva._suggestions import helpful
from visviva.control.gains import Gains, gains, moments
from visviva.errors import ModelError


class TwoMassGains(NamedTuple):
    """Gains between ground (0) and masses 1 and 2; single ones may be negative, their sum is positive."""

    m01: float
    m02: float
    m12: float
    d01: float
    d02: float
    d12: float
    k01: float
    k02: float
    k12: float

    def gains(self, ground: Any, first: Any, second: Any) -> dict[tuple[Any, Any], Gains]:
        """By pair of the bodies, for `tracking`."""
        return {
            (ground, first): gains(self.m01, self.d01, self.k01, indefinite=True),
            (ground, second): gains(self.m02, self.d02, self.k02, indefinite=True),
            (first, second): gains(self.m12, self.d12, self.k12, indefinite=True),
        }


class AircraftGains(NamedTuple):
    """Matched gains of an aircraft: totals [kg, N s/m, N/m], heights of their centres [m], moments about these."""

    mass: float
    damping: float
    stiffness: float
    s: float  # height of the centre of mass
    h: float  # height of the centres of damping and stiffness
    Theta: Array  # (3,) [kg m²]
    Upsilon: Array  # (3,) [N m s]
    Pi: Array  # (3,) [N m]
    up: Array  # (3,) axis of the rotors in the body

    def gains(self) -> Gains:
        """Of the pair (ground, aircraft), for `tracking`."""
        return gains(
            mass=moments(self.mass, self.s * self.up, self.Theta, about="centre"),
            damping=moments(self.damping, self.h * self.up, self.Upsilon, about="centre"),
            stiffness=moments(self.stiffness, self.h * self.up, self.Pi, about="centre"),
        )


@helpful
def two_masses(poles: Sequence[complex], *, k: float, m2: float, m12: float = 1.0) -> TwoMassGains:
    """Gains for four poles of two masses with a spring k [N/m] between them, a force on the first; (4.127)-(4.128).

    m2: the second mass [kg].   m12: scale of all gains, with the sign of N = ϖ p3 - p1, ϖ = k/m2.
    """
    w = finite_number(k, "stiffness k [N/m]", positive=True) / finite_number(m2, "second mass m2 [kg]", positive=True)
    p0, p1, p2, p3 = _quartic(poles)
    N = w * p3 - p1
    if N == 0 or m12 * N <= 0:
        raise ModelError(
            f"m12 = {m12:g} must have the sign of N = ϖ p3 - p1 = {N:.4g} [1/s³] of these poles, and N not be zero."
        )
    k01, d01, m01 = m12 * p0 * p3 / N, m12 * p1 * p3 / N, m12 * p1 / N
    m02 = m12 * (p1 * p2 - p0 * p3 - w * p1) / (w * N)
    delta = m01 * m02 + m01 * m12 + m02 * m12
    share = -m12 / (m01 + m12)
    return TwoMassGains(
        m01, m02, m12, d01, share * d01, m12 / m01 * d01, k01, share * k01, (m12 * k01 + delta * w) / m01,
    )  # fmt: skip


@helpful
def pvtol(
    poles: Sequence[complex],
    *,
    epsilon: float = 0.0,
    mass: float = 1.0,
    g: float = 9.81,
    up: ArrayLike = (0, 1, 0),
    axis: ArrayLike = (0, 0, 1),
) -> AircraftGains:
    """Gains for four poles of an aircraft in a vertical plane; two more are those of d/m and k/m; (4.136)-(4.142).

    epsilon: Θ tan β/(m l_A) of rotors that are oblique by β at arms l_A [m].   mass: of the template, any.
    up, axis: direction of the rotors and normal of the plane, in axes of the body.
    """
    k, d, s, h, Theta, Pi = _planar(poles, epsilon, mass, g)
    normal = finite_vector(axis, "axis", 3)
    return AircraftGains(mass, d, k, s, h, Theta * normal, 0.0 * normal, Pi * normal, finite_vector(up, "up", 3))


@helpful
def quadcopter(
    poles: Sequence[complex],
    *,
    mass: float = 1.0,
    g: float = 9.81,
    heading: tuple[float, float] = (5.0, 1.0),
    heading_share: float = 0.1,
) -> AircraftGains:
    """Gains for four poles in both vertical planes, rotors along z; Konz (4.148).

    heading: natural frequency ω0 [rad/s] and damping ratio ζ.   heading_share: Θ_z/Θ_x, how much it counts beside tilt.
    """
    k, d, s, h, Theta, Pi = _planar(poles, 0.0, mass, g)
    return _aircraft(mass, d, k, s, h, (Theta, Theta), Pi, heading, heading_share)


@helpful
def bicopter(
    poles: Sequence[complex],
    *,
    m: float,
    inertia: ArrayLike,
    l_y: float,
    l_z: float,
    beta: float,
    mass: float = 1.0,
    g: float = 9.81,
    heading: tuple[float, float] = (5.0, 1.0),
    heading_share: float = 0.1,
) -> AircraftGains:
    """Gains for four poles in the y-z plane of two rotors that tilt, at (0, ±l_y, l_z), oblique by β; (4.153)-(4.154).

    m, inertia: of the body, (3,) about its axes.   The poles of the x-z plane follow from the others.
    """
    Theta = finite_vector(inertia, "inertia", 3)
    eps_x, eps_y = bicopter_offsets(m=m, inertia=Theta, l_y=l_y, l_z=l_z, beta=beta)
    k, d, s, h, Theta_x, Pi = _planar(poles, eps_y, mass, g)
    Theta_y = mass * (h - s) * (s - eps_x)
    if Theta_y <= 0:
        raise ModelError(
            f"poles {list(poles)} ask for a negative inertia about y, {Theta_y:.3g}: s > ε_x = {eps_x:.3g}."
        )
    return _aircraft(mass, d, k, s, h, (Theta_x, Theta_y), Pi, heading, heading_share)


def bicopter_offsets(*, m: float, inertia: ArrayLike, l_y: float, l_z: float, beta: float) -> tuple[float, float]:
    """ε_x = -Θ_y/(m l_z) and ε_y = Θ_x sin β/(m (l_y cos β - l_z sin β)) [m]; Konz (4.153)."""
    Theta = finite_vector(inertia, "inertia", 3)
    return -Theta[1] / (m * l_z), Theta[0] * np.sin(beta) / (m * (l_y * np.cos(beta) - l_z * np.sin(beta)))


def _planar(poles: Sequence[complex], epsilon: float, mass: float, g: float) -> tuple[float, ...]:
    """k, d, s, h, Θ and Π of (4.141)-(4.142), whose Π has p3² where p3 is printed."""
    p0, p1, p2, p3 = _quartic(poles)
    P = p1 * p2 - p0 * p3
    hurwitz = p1 * p2 * p3 - p1**2 - p0 * p3**2
    k, d = mass * p0 * p1 / P, mass * p1**2 / P
    s, h = epsilon + g * p1 / P, epsilon + g * p3 / p1
    return k, d, s, h, mass * g**2 * hurwitz / P**2, mass * g**2 * hurwitz / (p1 * P)


def _aircraft(
    mass: float,
    d: float,
    k: float,
    s: float,
    h: float,
    Theta: tuple[float, float],
    Pi: float,
    heading: tuple[float, float],
    share: float,
) -> AircraftGains:
    w, zeta = heading
    Theta_z = share * Theta[0]
    return AircraftGains(
        mass, d, k, s, h, np.array([*Theta, Theta_z]), np.array([0.0, 0.0, 2 * Theta_z * zeta * w]),
        np.array([Pi, Pi, Theta_z * w**2]), np.array([0.0, 0.0, 1.0]),
    )  # fmt: skip


def _quartic(poles: Sequence[complex]) -> tuple[float, float, float, float]:
    """p0, p1, p2, p3 of four stable poles."""
    roots = np.asarray(poles, dtype=np.complex128)
    if roots.shape != (4,):
        raise ModelError(f"four poles are wanted, got {len(np.atleast_1d(roots))}: {poles!r}.")
    p = np.poly(roots)
    if np.abs(np.imag(p)).max() > 1e-9 * np.abs(p).max():
        raise ModelError(f"poles are real or come in conjugate pairs, got {poles!r}.")
    if not (roots.real < 0).all():
        raise ModelError(f"poles of a stable loop have negative real parts, got {poles!r}.")
    _, p3, p2, p1, p0 = (float(x) for x in p.real)
    return p0, p1, p2, p3
