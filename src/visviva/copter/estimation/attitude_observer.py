"""Attitude from a gyroscope, with frames of the attitude that arrive late; Konz 5.4.4.

    q̇ = ½ q ∘ (0, ω),     q(t_b) = q(t_a) ∘ Δ(t_a, t_b)

Δ is the product of exp(h (ω₀ + ω₁)/2) over the samples between two times, so it does not depend on q. A frame q_M of
the time t gives q̂ = q_M ∘ Δ(t, now) (gain 1, as in the text), or moves q̂(t) = q̂ ∘ Δ(t, now)* a part of the way to q_M.

Where this is not the text: (5.56) is forward Euler with ω[k] held, and pulls q to length one; as printed, with
-(|q|² - 1) q, it overshoots at each step, and with half of that it leaves |q|² - 1 = T²ω²/4. The exponential keeps the
length exactly. The mean of two samples instead of the older one takes away a lag of half a tick: 1.4° after a change of
ω by 10 rad/s at T = 5 ms.
"""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_number, finite_vector
from visviva._suggestions import helpful
from visviva.copter.estimation.buffers import (
    HEAD,
    LAST,
    SKIPPED,
    TAKEN,
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
from visviva.copter.estimation.turns import (
    conjugate,
    exponential,
    logarithm,
    multiply,
    put_quaternion,
    quaternion_at,
    unit,
)
from visviva.errors import ModelError

NOW, AT_FRAME = HEAD, HEAD + 4  # q̂ now and at the time of the last frame, corrected by it
RING = HEAD + 8
WIDTH = 4  # t, ω


class AttitudeObserver(NamedTuple):
    """Parameters, from `attitude_observer`; methods give new states, and errors where compiled updates count."""

    gain: float
    rows: int

    def start(self) -> Array:
        """The state before any sample and frame."""
        return ring_start(8, self.rows, WIDTH)

    def predict(self, s: Array, t: float, w: ArrayLike) -> Array:
        """The state after a sample of the gyroscope ω [rad/s], (3,) in body axes."""
        s = checked_state(s, RING, WIDTH, self.rows)
        t, w = checked_sample(s, RING, WIDTH, t), finite_vector(w, "angular velocity [rad/s]", 3)
        predict_attitude(self, s, t, w)
        return s

    def correct(self, s: Array, t: float, q: ArrayLike) -> Array:
        """The state after a frame of the attitude at a time t that has passed; one that is too old is counted only."""
        s = checked_state(s, RING, WIDTH, self.rows)
        t, q = checked_frame(s, RING, WIDTH, t), checked_quaternion(q, "attitude of a frame")
        correct_attitude(self, s, t, q)
        return s

    def attitude_at_frame(self, s: Array) -> Array:
        """q̂ at the time of the last frame, corrected by it: what a position observer takes with this frame."""
        return _known(s)[AT_FRAME : AT_FRAME + 4].copy()

    def attitude(self, s: Array) -> Array:
        """q̂ (w, x, y, z) at the newest sample."""
        return _known(s)[NOW : NOW + 4].copy()


def _known(s: Array) -> Array:
    if not s[TAKEN]:
        raise ModelError("the attitude is not known before the first frame: wait until `counts(s).taken` is 1.")
    return s


@helpful
def attitude_observer(gain: float = 1.0, rows: int = 64) -> AttitudeObserver:
    """gain: part of the way to the measured attitude that a frame moves the estimate, 1 as in the text.

    rows: samples that are kept. A frame before the oldest is dropped: 64 at 200 Hz are 0.32 s.
    """
    gain = finite_number(gain, "gain of the attitude observer", positive=True)
    if gain > 1:
        raise ModelError(f"gain of the attitude observer must be at most 1, the whole way, got {gain:g}.")
    return AttitudeObserver(gain, checked_rows(rows))


def predict_attitude(p: AttitudeObserver, s: Array, t: float, w: Array) -> bool:
    """Bring s to a new sample, in place; False where it was skipped. What was missed is bridged by the next."""
    if not is_newer(s, RING, WIDTH, t) or not is_finite(w):
        s[SKIPPED] += 1.0
        return False
    before = row(s, RING, WIDTH, 0)
    first = depth(s, RING, WIDTH) == 0
    s[RING] += 1.0
    now = row(s, RING, WIDTH, 0)
    s[now] = t
    for k in range(3):
        s[now + 1 + k] = w[k]
    if not first and s[TAKEN] > 0:
        h = 0.5 * (t - s[before])
        turn = exponential(
            h * (s[before + 1] + s[now + 1]), h * (s[before + 2] + s[now + 2]), h * (s[before + 3] + s[now + 3])
        )
        put_quaternion(s, NOW, unit(multiply(quaternion_at(s, NOW), turn)))
    return True


def correct_attitude(p: AttitudeObserver, s: Array, t: float, q: Array) -> int:
    """Correct s by a frame, in place; the number of the count that tells what became of it."""
    status = verdict(s, RING, WIDTH, t)
    if status == TAKEN and not is_unit(q):
        status = UNUSABLE
    first = s[TAKEN] == 0
    s[status] += 1.0
    if status != TAKEN:
        return status
    back = find(s, RING, WIDTH, t)
    before, after = row(s, RING, WIDTH, back), row(s, RING, WIDTH, max(back - 1, 0))
    x, y, z = between(s, before, after, t, 1), between(s, before, after, t, 2), between(s, before, after, t, 3)
    last = t
    delta = (1.0, 0.0, 0.0, 0.0)
    for k in range(back - 1, -1, -1):
        i = row(s, RING, WIDTH, k)
        h = 0.5 * (s[i] - last)
        delta = multiply(delta, exponential(h * (x + s[i + 1]), h * (y + s[i + 2]), h * (z + s[i + 3])))
        last, x, y, z = s[i], s[i + 1], s[i + 2], s[i + 3]
    there = unit(quaternion_at(q, 0))
    if p.gain < 1.0 and not first:
        estimate = unit(multiply(quaternion_at(s, NOW), conjugate(delta)))
        error = logarithm(multiply(conjugate(estimate), there))
        there = multiply(estimate, exponential(p.gain * error[0], p.gain * error[1], p.gain * error[2]))
    put_quaternion(s, AT_FRAME, there)
    put_quaternion(s, NOW, unit(multiply(there, delta)))
    s[LAST] = t
    return status
