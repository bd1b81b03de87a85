"""Samples of the last ticks in ring buffers, frames that arrive late, and what becomes of both.

The state of an observer is one flat array s:

    s[:6]    counts: frames taken, too old, of the future, not newer than the last, unusable; samples skipped
    s[LAST]  time of the last frame that was taken [s]
    s[HEAD:] its own numbers; at the end a ring: how many rows were written, then rows (t, sample ...) of one width

A frame is a measurement of the configuration at a time t that has passed. Between samples, all is linear in time.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector
from visviva.errors import ModelError

TAKEN, TOO_OLD, FUTURE, NOT_NEWER, UNUSABLE, SKIPPED = range(6)
LAST = 6
HEAD = 7
UNIT = 1e-3  # how far from one the length of a quaternion may be that a radio has rounded


class Counts(NamedTuple):
    """What became of frames, and how many samples were skipped.

    too_old: before the oldest sample that is kept.   future: after the newest.   not_newer: than a frame before.
    unusable, skipped: not finite, no unit quaternion, or a sample that is not newer than the one before.
    """

    taken: int
    too_old: int
    future: int
    not_newer: int
    unusable: int
    skipped: int


def counts(s: Array) -> Counts:
    """Of the state of an observer."""
    return Counts(*(int(n) for n in s[:LAST]))


def ring_start(own: int, rows: int, width: int) -> Array:
    """A state without samples and frames; its `own` numbers are not known."""
    s = np.zeros(HEAD + own + 1 + rows * width)
    s[LAST] = -np.inf
    s[HEAD : HEAD + own] = np.nan
    return s


def checked_rows(rows: int) -> int:
    """How many samples are kept, or an error."""
    if not isinstance(rows, int | np.integer) or isinstance(rows, bool) or rows < 2:
        raise ModelError(f"rows of a buffer must be a whole number of samples, at least 2, got {rows!r}.")
    return int(rows)


# ---- compiled with the observers


def row(s: Array, ring: int, width: int, back: int) -> int:
    """Where the row of a sample begins; back: 0 for the newest."""
    rows = (len(s) - ring - 1) // width
    return ring + 1 + width * ((int(s[ring]) - 1 - back) % rows)


def depth(s: Array, ring: int, width: int) -> int:
    """How many samples there are."""
    return min(int(s[ring]), (len(s) - ring - 1) // width)


def is_full(s: Array, ring: int, width: int) -> bool:
    """Whether the next sample takes the place of the oldest."""
    return int(s[ring]) >= (len(s) - ring - 1) // width


def is_finite(v: Array) -> bool:
    """Whether all numbers are."""
    wrong = 0
    for i in range(len(v)):
        if not math.isfinite(v[i]):
            wrong += 1
    return wrong == 0


def is_unit(q: Array) -> bool:
    """Whether four numbers are a unit quaternion, to what a radio rounds."""
    return abs(math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1.0) <= UNIT


def is_newer(s: Array, ring: int, width: int, t: float) -> bool:
    """Whether a time is finite and after the newest sample."""
    return math.isfinite(t) and (depth(s, ring, width) == 0 or t > s[row(s, ring, width, 0)])


def verdict(s: Array, ring: int, width: int, t: float) -> int:
    """What becomes of a frame, as far as its time tells."""
    if not math.isfinite(t):
        return UNUSABLE
    n = depth(s, ring, width)
    if n == 0:
        return TOO_OLD
    if t > s[row(s, ring, width, 0)]:
        return FUTURE
    if t < s[row(s, ring, width, n - 1)]:
        return TOO_OLD
    return NOT_NEWER if t <= s[LAST] else TAKEN


def find(s: Array, ring: int, width: int, t: float) -> int:
    """The newest sample at or before t, told by how far back it is; t must not be before the oldest."""
    back = 0
    while s[row(s, ring, width, back)] > t:
        back += 1
    return back


def between(s: Array, before: int, after: int, t: float, k: int) -> float:
    """Number k of a row at a time t between two rows."""
    h = s[after] - s[before]
    part = (t - s[before]) / h if h > 0 else 0.0
    return s[before + k] + part * (s[after + k] - s[before + k])


# ---- errors of those who call observers from Python


def checked_state(s: ArrayLike, ring: int, width: int, rows: int) -> Array:
    """A copy of the state of an observer, or an error."""
    state = np.array(s, dtype=np.float64)
    if state.shape != (ring + 1 + rows * width,):
        raise ModelError(
            f"this is no state of the observer: it has shape {state.shape}, `start()` gives one number array of "
            f"{ring + 1 + rows * width}.\nBegin with `s = observer.start()`, and go on with what its methods return."
        )
    return state


def checked_sample(s: Array, ring: int, width: int, t: float) -> float:
    """The time of a new sample, or an error."""
    t = finite_number(t, "time of a sample [s]")
    if depth(s, ring, width) and t <= (newest := float(s[row(s, ring, width, 0)])):
        raise ModelError(
            f"a sample at t = {t:g} s is not after the one before, at {newest:g} s.\n"
            "Give samples in the order of their times, each once."
        )
    return t


def checked_frame(s: Array, ring: int, width: int, t: float) -> float:
    """The time of a frame, or an error where no delay explains it; those that are too old pass, to be counted."""
    t = finite_number(t, "time of a frame [s]")
    found = verdict(s, ring, width, t)
    if found == FUTURE:
        raise ModelError(
            f"a frame at t = {t:g} s is of the future: the newest sample is at {s[row(s, ring, width, 0)]:g} s.\n"
            "Give the sample of a tick before its frame, and the time on the same clock, see `latency_estimator`."
        )
    if found == NOT_NEWER:
        raise ModelError(
            f"a frame at t = {t:g} s is not after the one before, at {s[LAST]:g} s.\n"
            "Give frames in the order of the times at which they were measured, each once."
        )
    return t


def checked_quaternion(q: ArrayLike, what: str) -> Array:
    """A unit quaternion (w, x, y, z), brought to length one, or an error."""
    q = finite_vector(q, what, 4)
    length = float(np.linalg.norm(q))
    if abs(length - 1) > UNIT:
        raise ModelError(
            f"{what} must be a unit quaternion (w, x, y, z), its length is {length:.6g}: {q.tolist()}.\n"
            f"Rounding by {UNIT:g} is corrected; see whether an entry is lost, or the order is another one."
        )
    return q / length
