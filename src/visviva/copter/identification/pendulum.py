"""A moment of inertia from a bifilar pendulum, a body that turns about the vertical on two strings; Konz (5.15).

    Θ α̈ + Υ α̇ + τ(α) = 0,     τ = m g d² sin α/(4 √(h² - d² (1 - cos α)/2))

τ is known, so that α̈ = -(1/Θ) τ - (Υ/Θ) α̇ is fitted: the noise of α̈ is then on the left alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number
from visviva._suggestions import helpful
from visviva.copter.identification.derivatives import SavitzkyGolay
from visviva.copter.identification.drives import SPARE, told
from visviva.copter.identification.identified import Identified
from visviva.copter.identification.least_squares import fit
from visviva.copter.identification.samples import sample_times, signal
from visviva.copter.vehicles.units import check_unit
from visviva.errors import ModelError

ASTRAY = 0.3  # of the rate: how far the angle may turn otherwise


def bifilar_torque(alpha: ArrayLike, weight: float, distance: float, length: float) -> Array:
    """τ(α) [N m] of strings of a length h [m] at a distance d [m]; weight: m g [N]."""
    a = np.asarray(alpha, dtype=np.float64)
    return np.asarray(weight * distance**2 * np.sin(a) / (4 * np.sqrt(length**2 - distance**2 / 2 * (1 - np.cos(a)))))


@helpful
def identify_pendulum(
    t: ArrayLike,
    angle: ArrayLike,
    rate: ArrayLike | None = None,
    *,
    mass: float,
    distance: float,
    length: float,
    gravity: float = 9.81,
    window: int = 31,
    order: int = 3,
) -> Identified:
    """Θ and Υ about the vertical, in the body's pose on the strings.

    t:        [s], of equal steps.   angle: α [rad].   rate: α̇ [rad/s] of a gyroscope, where there is one.
    mass:     of the body [kg].   distance, length: d and h of the strings [m].
    window, order: of the derivatives by Savitzky and Golay, in samples.
    """
    times, T = sample_times(t, SPARE + window)
    n = len(times)
    a = signal(angle, "angle [rad]", n)
    signals = [a] if rate is None else [a, signal(rate, "rate [rad/s]", n)]
    m, d, h, g = (
        finite_number(value, what, positive=True)
        for value, what in ((mass, "mass [kg]"), (distance, "distance of the strings [m]"),
                            (length, "length of the strings [m]"), (gravity, "gravity [m/s²]"))
    )  # fmt: skip
    check_unit(m, "mass", "mass")
    for value, what in ((d, "distance of the strings"), (h, "length of the strings")):
        check_unit(value, "length", what)
    if np.abs(a).max() >= np.pi or (d >= h and (d**2 / 2 * (1 - np.cos(a)) >= h**2).any()):
        raise ModelError(
            f"at {np.abs(a).max():g} rad strings of {h:g} m at a distance of {d:g} m would be horizontal or crossed.\n"
            "Angles are in radian, and start well below half a turn."
        )
    sg = SavitzkyGolay(window, order, T, 2 if rate is None else 1)
    if rate is not None:
        _check_rate(sg, *signals)

    def regressors(signals: Sequence[Array]) -> Array:
        torque = sg.mean(bifilar_torque(signals[0], m * g, d, h))
        turning = sg.mean_rate(signals[0]) if rate is None else sg.mean(signals[1])
        return -np.stack([torque, turning], axis=-1)[:, None]

    measured, noise = sg.derivative(signals[-1])[:, None], [sg.noise(x) for x in signals]
    found = fit(regressors, measured, signals, noise, ["1/Θ", "Υ/Θ"], ["1/(kg m²)", "1/s"], window)
    p, q = found.x
    if p <= 0:
        raise ModelError(f"1/Θ = {p:.4g} 1/(kg m²) is not positive: the angle does not swing about zero.")
    slopes = np.array([[-1 / p**2, 0], [-q / p**2, 1 / p]])
    half = found.quantile * np.sqrt(np.diag(slopes @ found.covariance @ slopes.T)) + np.abs(slopes @ found.bias)
    rows = [("Theta", 1 / p, half[0], "kg m²"), ("Upsilon", q / p, half[1], "N m s")]
    return told("bifilar pendulum", rows, sg.middle(times), "α̈ [rad/s²]", measured, found)


def _check_rate(sg: SavitzkyGolay, angle: Array, rate: Array) -> None:
    """ModelError where a rate is not that of the angle."""
    turned, told_rate = sg.derivative(angle), sg.mean(rate)
    slope = float(turned @ told_rate) / max(float(told_rate @ told_rate), 1e-300)
    if abs(slope - 1) <= ASTRAY or np.sqrt(np.mean(told_rate**2)) < 3 * sg.noise(rate):
        return
    ways = {"°/s, use np.deg2rad": np.pi / 180, "the other direction, change its sign": -1.0}
    likely = next((f"\nIs it in {way}?" for way, factor in ways.items() if abs(slope / factor - 1) <= ASTRAY), "")
    raise ModelError(
        f"the angle turns by {slope:.3g} times what the rate [rad/s] tells: both are of one motion.{likely}"
    )
