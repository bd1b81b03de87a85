"""The spatial slider-crank as a system of one degree of freedom, by hand: A(θ) θ̈ + ½ A'(θ) θ̇² + V'(θ) = 0.

θ is the angle of the crank from the vertical. All functions of it are analytic and written for complex arguments, so
that A' and V' come from a complex step.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

CRANK, ROD_LENGTH, G = 0.08, 0.3, 9.81
PIVOT_Y, PIVOT_Z = 0.1, 0.12
MASSES = {"crank": 0.12, "rod": 0.5, "slider": 2.0}
CRANK_J, ROD_AXIAL, ROD_LATERAL = 1e-4, 4e-4, 4e-3


def crank_pin(theta):
    """y and z of the ball joint, and their derivatives."""
    y, z = PIVOT_Y - CRANK * np.sin(theta), PIVOT_Z + CRANK * np.cos(theta)
    return y, z, -CRANK * np.cos(theta), -CRANK * np.sin(theta)


def slide(theta):
    """Place of the slider and its derivative: the rod has constant length."""
    y, z, y_1, z_1 = crank_pin(theta)
    x = np.sqrt(ROD_LENGTH**2 - y * y - z * z)
    return x, -(y * y_1 + z * z_1) / x


def energies(theta, pins):
    """A(θ), with kinetic energy ½ A θ̇², and V(θ).

    pins: axes of the universal joint, b on the slider and p on the rod at θ = 0. Later p = c p(0) + s b x p(0), with
    the same n·p for the direction n of the rod, and the angular velocity of the rod is φ̇ b + β p.
    """
    y, z, y_1, z_1 = crank_pin(theta)
    x, x_1 = slide(theta)
    n, n_1 = np.array([x, -y, -z]) / ROD_LENGTH, np.array([x_1, -y_1, -z_1]) / ROD_LENGTH
    b, u = pins
    v, start = np.cross(b, u), np.array([2, -1, -2]) / 3
    n_u, n_v, offset, side = (n * u).sum(), (n * v).sum(), start @ u, np.sign(start @ v)
    square = n_u**2 + n_v**2
    root = side * np.sqrt(square - offset**2)
    c, s = (offset * n_u + root * n_v) / square, (offset * n_v - root * n_u) / square
    p, normal = c * u + s * v, c * v - s * u
    reach = (n * normal).sum()
    w = -(n_1 * p).sum() / reach * b + (n_1 * b).sum() / reach * p
    axial = (w * n).sum()
    v = 0.5 * np.array([x_1, y_1, z_1])  # of its centre
    A = (
        CRANK_J + MASSES["crank"] * CRANK**2 / 4
        + MASSES["rod"] * (v * v).sum() + ROD_LATERAL * ((w * w).sum() - axial**2) + ROD_AXIAL * axial**2
        + MASSES["slider"] * x_1 * x_1
    )  # fmt: skip
    V = G * (MASSES["crank"] * (PIVOT_Z + z) + MASSES["rod"] * z) / 2
    return A, V


def motion(times, rate, pins):
    """θ, θ̇ at the given times, θ = 0 at the start; `pins` as for `energies`."""
    step = 1e-30

    def slope(_, state):
        theta, speed = state
        A, V = energies(theta + 1j * step, pins)
        return speed, -(0.5 * A.imag * speed**2 + V.imag) / step / A.real

    times = np.atleast_1d(times)
    found = solve_ivp(slope, (0, times[-1]), (0.0, rate), "DOP853", times, rtol=1e-12, atol=1e-13)
    assert found.success
    return found.y
