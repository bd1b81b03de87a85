"""The mean delay of frames, from an angle that an encoder sees at once and the frames see late; Konz 5.4.3.

The angle φ_M of the frames is put at t' + mean(t_REC - t') = t + T̄_D. Both angles are up-sampled by cubic splines; T̄_D
is the shift at which they correlate best, between its samples by a parabola, after means and trends of both are taken
out: a steady turn tells no delay from an angle that is offset. Of a maximum ρ with the curvature κ [1/s²], by n frames
with noise of their own, the shift has the standard deviation

    σ = √((1 - ρ²)/(n ρ κ))      that of noise σ_φ on the frames, σ_φ/(√n rms φ̇)

"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number
from visviva._suggestions import helpful
from visviva.errors import ModelError

STILL = 1e-9  # rad: an angle that moves less does not move
LEAST = 0.9  # correlation of angles that are one
EPS, TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)


class DelayIdentification(NamedTuple):
    """delay: T̄_D [s].   uncertainty: its standard deviation [s].   lags [s], correlation: its curve."""

    delay: float
    uncertainty: float
    lags: Array
    correlation: Array


@helpful
def identify_delay(
    t: ArrayLike,
    angle: ArrayLike,
    received: ArrayLike,
    measured: ArrayLike,
    frame_angle: ArrayLike,
    *,
    longest: float = 0.2,
    step: float = 1e-3,
) -> DelayIdentification:
    """T̄_D from one recording of some seconds or more, in which the angle moves without being periodic.

    t, angle:            encoder [s], [rad], on our clock.
    received, measured:  t_REC on our clock and t' on that of the sender, of each frame [s].
    frame_angle:         of the frames [rad].
    longest, step:       largest delay that is looked for, and distance of samples [s], the largest uncertainty as well.

    Times of arrival that are rounded up to ticks make the delay longer by half a tick, as they will in flight.
    """
    from scipy.interpolate import CubicSpline

    longest, step = (finite_number(x, f"{n} [s]", positive=True) for x, n in ((longest, "longest"), (step, "step")))
    own, phi = _signal(t, angle, "t", "angle")
    sent, phi_M = _signal(measured, frame_angle, "measured", "frame_angle")
    arrived = finite_array(received, "received", (len(sent),))
    shifted = sent + float(np.mean(arrived - sent))
    first, last = max(shifted[0], own[0] + longest), min(shifted[-1], own[-1])
    n = int((last - first) / step) + 1
    lags = np.arange(int(np.ceil(longest / step)) + 1)
    if last - first < 2 * longest:
        raise ModelError(
            f"angle and frames overlap for {max(last - first, 0.0):g} s only, for delays up to {longest:g} s.\n"
            "Record a minute of both; `t` and `received` are on one clock."
        )
    times = first + step * (np.arange(n + lags[-1]) - lags[-1])
    early, late = CubicSpline(own, phi)(times), CubicSpline(shifted, phi_M)(times[lags[-1] :])
    late = _without_trend(late)
    if min(np.ptp(_without_trend(early)), np.ptp(late)) < STILL:
        raise ModelError("the angle does not move, or steadily: turn the vehicle to and fro by hand while recording.")
    curve = np.array([_correlation(_without_trend(early[lags[-1] - k : lags[-1] - k + n]), late) for k in lags])
    best = int(np.argmax(curve))
    if best in (0, len(lags) - 1) or curve[best] < LEAST:
        raise ModelError(
            f"no delay between 0 and {longest:g} s makes the angles one: without their trends they correlate best, by "
            f"{curve[best]:.3f}, at {best * step:g} s.\nSee whether they are of one axis and sign and move to and fro, "
            "or look further with `longest`."
        )
    a, b, c = curve[best - 1 : best + 2]
    bend = max((2 * b - a - c) / step**2, TINY)
    frames = np.count_nonzero((shifted >= first) & (shifted <= last))
    uncertainty = float(np.sqrt(max(1 - b**2, EPS) / (frames * b * bend)))
    if uncertainty > step:
        raise ModelError(
            f"the delay is uncertain by {uncertainty:.2g} s, more than the step of {step:g} s: the angle turns too "
            "slowly for its noise.\nTurn the vehicle to and fro faster while recording, or for a longer time."
        )
    delay = (best + 0.5 * (a - c) / (a - 2 * b + c)) * step
    return DelayIdentification(delay, uncertainty, np.asarray(step * lags), curve)


def _without_trend(x: Array) -> Array:
    """x (n,) less its mean and its trend, of least squares."""
    u = np.arange(len(x)) - (len(x) - 1) / 2
    return np.asarray(x - x.mean() - u * ((u @ x) / (u @ u)))


def _correlation(x: Array, y: Array) -> float:
    """Of arrays (n,) without means; 0 where one is 0."""
    return float(x @ y) / max(float(np.sqrt((x @ x) * (y @ y))), TINY)


def _signal(t: ArrayLike, angle: ArrayLike, time_name: str, angle_name: str) -> tuple[Array, Array]:
    """Times that grow and a continuous angle."""
    times = finite_array(t, time_name, (None,))
    if times.ndim != 1 or len(times) < 4 or (np.diff(times) <= 0).any():
        raise ModelError(f"times `{time_name}` must be one increasing list of at least 4, got shape {times.shape}.")
    return times, np.unwrap(finite_array(angle, angle_name, (len(times),)))
