"""The mean delay of frames, from an angle that an encoder sees at once and the frames see late; Konz 5.4.3.

The angle φ_M of the frames is put at t' + mean(t_REC - t') = t + T̄_D. Both angles are up-sampled by cubic splines; T̄_D
is the shift at which they correlate best, between its samples by a parabola.
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


class DelayIdentification(NamedTuple):
    """delay: T̄_D [s].   lags [s] and correlation: the curve whose maximum it is."""

    delay: float
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
    longest, step:       largest delay that is looked for, and distance of samples [s].

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
    if min(np.ptp(early), np.ptp(late)) < STILL:
        raise ModelError("the angle does not move: turn the vehicle to and fro by hand while recording.")
    curve = np.array([np.corrcoef(early[lags[-1] - k : lags[-1] - k + n], late)[0, 1] for k in lags])
    best = int(np.argmax(curve))
    if best in (0, len(lags) - 1) or curve[best] < LEAST:
        raise ModelError(
            f"no delay between 0 and {longest:g} s makes the angles one: they correlate best, by {curve[best]:.3f}, at "
            f"{best * step:g} s.\nSee whether they are of one axis and sign, or look further with `longest`."
        )
    a, b, c = curve[best - 1 : best + 2]
    return DelayIdentification((best + 0.5 * (a - c) / (a - 2 * b + c)) * step, np.asarray(lags * step), curve)


def _signal(t: ArrayLike, angle: ArrayLike, time_name: str, angle_name: str) -> tuple[Array, Array]:
    """Times that grow and a continuous angle."""
    times = finite_array(t, time_name, (None,))
    if times.ndim != 1 or len(times) < 4 or (np.diff(times) <= 0).any():
        raise ModelError(f"times `{time_name}` must be one increasing list of at least 4, got shape {times.shape}.")
    return times, np.unwrap(finite_array(angle, angle_name, (len(times),)))
