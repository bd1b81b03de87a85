"""Position, velocity and bias of the accelerometer, with frames of the position that arrive late; Konz 5.4.5.

    r̈ = w = R (a_M - a_B) + a_G,     â_B constant                                             (5.57)
    v₁ = v₀ + h (w₀ + w₁)/2,     r₁ = r₀ + h v₀ + h² (2 w₀ + w₁)/6

A frame (r_M, R_M) of the time t, T' after the one before, corrects the estimate of that time and all that followed:

    r̂ += l_r e,   v̂ += l_v/T' e,   â_B += 2 l_a/T'² R_Mᵀ e,     e = r_M - r̂(t)               (5.60), (5.64)

The error from frame to frame has the characteristic polynomial

    λ³ + (l_r + l_v - l_a - 3) λ² + (3 - 2 l_r - l_v - l_a) λ + l_r - 1                        (5.65)

What the text leaves open, and how it is here. Estimates at t are those of the sample after t, integrated back: these
are the same integrals, so a frame that agrees with the estimate changes nothing. Accelerations are linear in time
between samples; the text holds the older one, which lags by half a tick. Attitudes kept with the samples after t are
turned with the correction of the attitude at t. The first frame tells a position only. The second starts the estimate
by (5.58) and the accelerations since, if it comes soon enough for that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector
from visviva._suggestions import helpful
from visviva.copter.estimation.buffers import (
    HEAD,
    LAST,
    NOT_NEWER,
    SKIPPED,
    TAKEN,
    TOO_OLD,
    UNUSABLE,
    between,
    checked_frame,
    checked_quaternion,
    checked_rows,
    checked_sample,
    checked_state,
    depth,
    find,
    is_finite,
    is_newer,
    is_unit,
    ring_start,
    row,
    verdict,
)
from visviva.copter.estimation.turns import Vector, conjugate, multiply, put_quaternion, quaternion_at, rotate, unit
from visviva.errors import ModelError

R, V, BIAS, R_FRAME = HEAD, HEAD + 3, HEAD + 6, HEAD + 9  # r̂, v̂, â_B now; position of the first frame
RING = HEAD + 12
WIDTH = 14  # t, q̂, a_M, r̂, v̂
Q_ROW, A_ROW, R_ROW, V_ROW = 1, 5, 8, 11  # of a row
START = 2  # frames


class Motion(NamedTuple):
    """r [m] and ṙ [m/s] in world axes, bias of the accelerometer [m/s²] in body axes."""

    r: Array
    v: Array
    a_B: Array


class PositionObserver(NamedTuple):
    """Parameters, from `position_observer`; methods give new states, and errors where compiled updates count."""

    l_r: float
    l_v: float
    l_a: float
    gravity: float
    shortest: float
    longest: float
    rows: int

    @property
    def poles(self) -> Array:
        """Of errors from frame to frame, the roots of (5.65), sorted by their size."""
        l_r, l_v, l_a = self.l_r, self.l_v, self.l_a
        found = np.roots([1.0, l_r + l_v - l_a - 3, 3 - 2 * l_r - l_v - l_a, l_r - 1])
        return np.asarray(found[np.argsort(np.abs(found))])

    def start(self) -> Array:
        """The state before any sample and frame."""
        return ring_start(12, self.rows, WIDTH)

    def predict(self, s: Array, t: float, q: ArrayLike, a: ArrayLike) -> Array:
        """The state after a sample of the accelerometer [m/s²], (3,), at an attitude q."""
        s = checked_state(s, RING, WIDTH, self.rows)
        t, q = checked_sample(s, RING, WIDTH, t), checked_quaternion(q, "attitude")
        predict_position(self, s, t, q, finite_vector(a, "acceleration [m/s²]", 3))
        return s

    def correct(self, s: Array, t: float, r: ArrayLike, q: ArrayLike) -> Array:
        """The state after a frame of a time t that has passed; one that is too old is counted only.

        r: measured position [m].   q: attitude of that time, as measured or as an observer has corrected it.
        """
        s = checked_state(s, RING, WIDTH, self.rows)
        t, q = checked_frame(s, RING, WIDTH, t), checked_quaternion(q, "attitude of a frame")
        if t - s[LAST] < self.shortest:
            raise ModelError(
                f"a frame at t = {t:g} s is {t - s[LAST]:g} s after the one before, gains need {self.shortest:g} s.\n"
                "Leave such frames out, or give `shortest` with poles near 1: gains grow with 1/T'²."
            )
        correct_position(self, s, t, finite_vector(r, "position of a frame [m]", 3), q)
        return s

    def motion(self, s: Array) -> Motion:
        """r̂, v̂ and â_B at the newest sample."""
        if s[TAKEN] < START:
            raise ModelError("the motion is not known before the second frame: wait until `counts(s).taken` is 2.")
        return Motion(s[R : R + 3].copy(), s[V : V + 3].copy(), s[BIAS : BIAS + 3].copy())


@helpful
def position_observer(
    poles: ArrayLike = (0.0, 0.5, 0.9),
    *,
    g: float = 9.81,
    rows: int = 64,
    shortest: float = 0.005,
    longest: float = 1.0,
) -> PositionObserver:
    """poles: of errors from frame to frame, three real numbers in [0, 1); those of the text are for frames at 10 Hz.

    g: gravity [m/s²].   rows: samples that are kept.   shortest: least time between frames [s].
    longest: most time between the two frames that start the estimate [s]; else the second counts as the first.
    """
    p = finite_vector(poles, "poles of the position observer", 3)
    if (p < 0).any() or (p >= 1).any():
        raise ModelError(f"poles of the position observer must be in [0, 1), got {p.tolist()}.")
    _, c2, c1, c0 = np.poly(p)
    total, difference = 3 - 2 * (1 + c0) - c1, c2 + 3 - (1 + c0)  # l_v + l_a and l_v - l_a
    gravity = finite_number(g, "gravity g [m/s²]", minimum=0.0)
    least = finite_number(shortest, "shortest time between frames [s]", positive=True)
    most = finite_number(longest, "longest time between the first frames [s]", positive=True)
    gains = (float(1 + c0), float(total + difference) / 2, float(total - difference) / 2)
    return PositionObserver(*gains, gravity, least, most, checked_rows(rows))


def predict_position(p: PositionObserver, s: Array, t: float, q: Array, a: Array) -> bool:
    """Bring s to a new sample, in place; False where it was skipped, as one without attitude is."""
    if not (is_newer(s, RING, WIDTH, t) and is_finite(a) and is_unit(q)):
        s[SKIPPED] += 1.0
        return False
    before = row(s, RING, WIDTH, 0)
    s[RING] += 1.0
    now = row(s, RING, WIDTH, 0)
    s[now] = t
    put_quaternion(s, now + Q_ROW, unit(quaternion_at(q, 0)))
    for i in range(3):
        s[now + A_ROW + i] = a[i]
        s[now + R_ROW + i] = s[R + i]
        s[now + V_ROW + i] = s[V + i]
    if s[TAKEN] >= START:
        _advance(p, s, s[before], _world(p, s, before), now)
    return True


def correct_position(p: PositionObserver, s: Array, t: float, r: Array, q: Array) -> int:
    """Correct s by a frame, in place; the number of the count that tells what became of it."""
    status = verdict(s, RING, WIDTH, t)
    if status == TOO_OLD and s[TAKEN] == 0:
        status = TAKEN  # of the first frame nothing is integrated
    if status == TAKEN and not (is_finite(r) and is_unit(q)):
        status = UNUSABLE
    if status == TAKEN and t - s[LAST] < p.shortest:
        status = NOT_NEWER
    if status == TAKEN and s[TAKEN] == 1 and t - s[LAST] > p.longest:
        s[TAKEN], s[TOO_OLD] = 0.0, s[TOO_OLD] + 1.0
    frames = int(s[TAKEN])
    s[status] += 1.0
    if status != TAKEN:
        return status
    if frames == 0:
        for i in range(3):
            s[R_FRAME + i] = r[i]
        s[LAST] = t
        return status
    since = t - s[LAST]
    s[LAST] = t
    back = find(s, RING, WIDTH, t)
    before, after = row(s, RING, WIDTH, back), row(s, RING, WIDTH, max(back - 1, 0))
    h = s[after] - t if back > 0 else 0.0
    part = 1.0 - h / (s[after] - s[before]) if back > 0 else 1.0
    x, y = quaternion_at(s, before + Q_ROW), quaternion_at(s, after + Q_ROW)
    if x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] < 0:
        y = (-y[0], -y[1], -y[2], -y[3])
    rest = 1.0 - part
    old = (rest * x[0] + part * y[0], rest * x[1] + part * y[1], rest * x[2] + part * y[2], rest * x[3] + part * y[3])
    old, new = unit(old), unit(quaternion_at(q, 0))
    a = (
        between(s, before, after, t, A_ROW),
        between(s, before, after, t, A_ROW + 1),
        between(s, before, after, t, A_ROW + 2),
    )
    # r̂ and v̂ at t, integrated back
    w0, w1 = _specific(p, s, old, a), _world(p, s, after)
    if frames == 1:
        _begin(p, s, t, since, r)
    else:
        for i in range(3):
            s[V + i] = s[after + V_ROW + i] - 0.5 * h * (w0[i] + w1[i])
            s[R + i] = s[after + R_ROW + i] - h * s[V + i] - h * h * (2.0 * w0[i] + w1[i]) / 6.0
        e = (r[0] - s[R], r[1] - s[R + 1], r[2] - s[R + 2])
        e_body = rotate(conjugate(new), e[0], e[1], e[2])
        for i in range(3):
            s[R + i] += p.l_r * e[i]
            s[V + i] += p.l_v / since * e[i]
            s[BIAS + i] += 2.0 * p.l_a / (since * since) * e_body[i]
    # and forward again, at attitudes turned by the correction
    turn = multiply(new, conjugate(old))
    last, w = t, _specific(p, s, new, a)
    for k in range(back - 1, -1, -1):
        i = row(s, RING, WIDTH, k)
        put_quaternion(s, i + Q_ROW, unit(multiply(turn, quaternion_at(s, i + Q_ROW))))
        w = _advance(p, s, last, w, i)
        last = s[i]
    if back == 0:  # the frame is of the time of the newest sample
        put_quaternion(s, before + Q_ROW, new)
        for i in range(3):
            s[before + R_ROW + i] = s[R + i]
            s[before + V_ROW + i] = s[V + i]
    return status


def _specific(p: PositionObserver, s: Array, q: tuple[float, float, float, float], a: Vector) -> Vector:
    """R (a_M - â_B) + a_G."""
    w = rotate(q, a[0] - s[BIAS], a[1] - s[BIAS + 1], a[2] - s[BIAS + 2])
    return w[0], w[1], w[2] - p.gravity


def _world(p: PositionObserver, s: Array, i: int) -> Vector:
    """The same of a row."""
    return _specific(p, s, quaternion_at(s, i + Q_ROW), (s[i + A_ROW], s[i + A_ROW + 1], s[i + A_ROW + 2]))


def _advance(p: PositionObserver, s: Array, t: float, w0: Vector, i: int) -> Vector:
    """Integrate r̂ and v̂ from a time with acceleration w₀ to a row, and keep them there; its acceleration."""
    w1 = _world(p, s, i)
    _integrate(s, s[i] - t, w0, w1)
    for k in range(3):
        s[i + R_ROW + k] = s[R + k]
        s[i + V_ROW + k] = s[V + k]
    return w1


def _integrate(s: Array, h: float, w0: Vector, w1: Vector) -> None:
    """r̂ and v̂ through a time h in which the acceleration goes from w₀ to w₁."""
    for k in range(3):
        s[R + k] += h * s[V + k] + h * h * (2.0 * w0[k] + w1[k]) / 6.0
        s[V + k] += 0.5 * h * (w0[k] + w1[k])


def _begin(p: PositionObserver, s: Array, t: float, since: float, r: Array) -> None:
    """The estimate at the second frame: v̂ = (r_M - r_1 - D)/T' + S, where motions from rest go by D and end with S.

    The text has D and S zero, which is the velocity half of T' ago. Before the first sample w is taken as then.
    """
    for i in range(3):
        s[R + i], s[V + i], s[BIAS + i] = 0.0, 0.0, 0.0
    last, n = t - since, depth(s, RING, WIDTH)
    before = row(s, RING, WIDTH, n - 1)
    for k in range(n - 1, -1, -1):
        i = row(s, RING, WIDTH, k)
        end = min(s[i], t)
        if end > last:
            w1 = _between(p, s, before, i, end)
            _integrate(s, end - last, _between(p, s, before, i, last), w1)
            last = end
        before = i
    for i in range(3):
        s[V + i] += (r[i] - s[R_FRAME + i] - s[R + i]) / since
        s[R + i] = r[i]


def _between(p: PositionObserver, s: Array, before: int, after: int, t: float) -> Vector:
    """Acceleration at a time between two rows; that of the first if both are one."""
    w0, w1 = _world(p, s, before), _world(p, s, after)
    h = s[after] - s[before]
    part = (t - s[before]) / h if h > 0 else 0.0
    return (
        w0[0] + part * (w1[0] - w0[0]),
        w0[1] + part * (w1[1] - w0[1]),
        w0[2] + part * (w1[2] - w0[2]),
    )
