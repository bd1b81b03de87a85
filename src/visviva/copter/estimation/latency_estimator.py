"""How late frames arrive, from the times at which two clocks saw them; Konz 5.4.3.

    T̂_PC ← T̂_PC + g (t_REC - t' - T̄_D - T̂_PC),   g = max(1/k', 1 - c_PC)                  (5.53)
    T̂_D = t_REC - (t' + T̂_PC),   t_VIC = t' + T̂_PC                                       (5.54)

t' is the time of a measurement on the clock of its sender, t_REC that of its arrival on ours, T_PC = t - t' their
offset and T̄_D the mean delay, see `identify_delay`. The first frames are averaged (g = 1/k'), so that the delay of the
very first one is not remembered for 1/(1 - c_PC) frames; after them it is the text's filter.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from visviva._arrays import Array, finite_number
from visviva._suggestions import helpful
from visviva.errors import ModelError

OFFSET, FRAMES, SENT, RECEIVED, IGNORED = range(5)  # of a state


class LatencyEstimator(NamedTuple):
    """Parameters, from `latency_estimator`. A state s (5,): T̂_PC, frames, last t' and t_REC, frames not used."""

    mean_delay: float
    c_PC: float

    def start(self) -> Array:
        """The state before any frame."""
        return np.array([np.nan, 0.0, -np.inf, -np.inf, 0.0])

    def update(self, s: Array, received: float, measured: float) -> Array:
        """The state after a frame that was measured at t' by the clock of its sender, and received at t_REC by ours."""
        if np.shape(s) != (5,):
            raise ModelError(f"a state of the latency estimator has shape (5,), got {np.shape(s)}: use `start()`.")
        received = finite_number(received, "time at which a frame was received [s]")
        measured = finite_number(measured, "time at which a frame was measured [s]")
        if measured <= s[SENT] or received < s[RECEIVED]:
            raise ModelError(
                f"a frame measured at {measured:g} s and received at {received:g} s is not after the one before, "
                f"{s[SENT]:g} s and {s[RECEIVED]:g} s.\nGive frames in their order; after a restart of either clock "
                "begin with `start()`."
            )
        s = s.copy()
        update_latency(self, s, received, measured)
        return s

    def offset(self, s: Array) -> float:
        """T̂_PC [s]: our clock minus that of the sender."""
        if not s[FRAMES]:
            raise ModelError("the offset of the clocks is not known before the first frame.")
        return float(s[OFFSET])

    def measured_at(self, s: Array) -> float:
        """t_VIC of the last frame on our clock [s]."""
        return float(s[SENT]) + self.offset(s)

    def delay(self, s: Array) -> float:
        """T̂_D of the last frame [s]."""
        return float(s[RECEIVED]) - self.measured_at(s)


@helpful
def latency_estimator(mean_delay: float, c_PC: float = 0.99, *, tick: float = 0.0) -> LatencyEstimator:
    """mean_delay: T̄_D [s].   c_PC: 0.99 forgets within 100 frames.

    tick: period T_S [s] of the receiver where times of arrival are rounded up to its ticks and `mean_delay` does not
          know of it: half a tick is then added. What `identify_delay` finds from such times includes it already.
    """
    delay = finite_number(mean_delay, "mean delay [s]", minimum=0.0)
    c_PC = finite_number(c_PC, "c_PC of the latency estimator", minimum=0.0)
    if c_PC >= 1:
        raise ModelError(f"c_PC of the latency estimator must be below 1, got {c_PC:g}: it would learn nothing.")
    return LatencyEstimator(delay + finite_number(tick, "tick [s]", minimum=0.0) / 2, c_PC)


def update_latency(p: LatencyEstimator, s: Array, received: float, measured: float) -> float:
    """Bring s to a frame, in place; its t_VIC on our clock, not a number where it is not after the one before."""
    if not (math.isfinite(received) and measured > s[SENT] and received >= s[RECEIVED]):
        s[IGNORED] += 1.0
        return math.nan
    s[FRAMES] += 1.0
    found = received - measured - p.mean_delay
    gain = max(1.0 / s[FRAMES], 1.0 - p.c_PC)
    s[OFFSET] = found if s[FRAMES] == 1.0 else s[OFFSET] + gain * (found - s[OFFSET])
    s[SENT], s[RECEIVED] = measured, received
    return measured + s[OFFSET]
