"""Error-state Kalman filter of attitude, velocity, position and both biases of an IMU, with frames that arrive late.

    ṙ = v,   v̇ = R (a_M - b_a) + a_G,   q̇ = ½ q ∘ (0, ω_M - b_g),   b_a, b_g random walks

The error is (δr, δv, δθ, δb_g, δb_a) (15,) with R = exp(δθ) R̂: δθ in world axes, so that with f = R̂ (a_M - b̂_a)

    δṙ = δv,   δv̇ = δθ × f - R̂ δb_a,   δθ̇ = -R̂ δb_g

and covariances are advanced by sparse sums alone. Frames measure r and δθ; their six numbers are taken one by one,
since their noises are independent: nothing is inverted.

Delays are exact: state and covariance stand at the time of the last frame (the anchor), samples after it are kept. A
frame moves the anchor to its own time, where it is taken; then the state alone is predicted to now. Each sample is used
once for the covariance, as if frames came without delay. Without frames the anchor follows the oldest sample.

Source: Solà, Quaternion kinematics for the error-state Kalman filter (2017), section 5, with errors in world axes.
"""

from __future__ import annotations

import math
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
    is_full,
    is_newer,
    is_unit,
    ring_start,
    row,
    verdict,
)
from visviva.copter.estimation.turns import (
    Vector,
    conjugate,
    exponential,
    logarithm,
    multiply,
    put_quaternion,
    quaternion_at,
    rotate,
    unit,
)
from visviva.errors import ModelError

N = 15
R, V, Q, B_G, B_A = 0, 3, 6, 10, 13  # of a nominal state (16,)
E_R, E_V, E_THETA, E_G, E_A = 0, 3, 6, 9, 12  # of an error (15,)
NOW, ANCHOR = HEAD, HEAD + 16  # nominal states
SAMPLE, END = HEAD + 32, HEAD + 39  # rows at the anchor and at its next time
SCORE = HEAD + 46  # eᵀ S⁻¹ e of the last frame, χ² of 6 if noises are as told
P, ERROR = HEAD + 47, HEAD + 47 + N * N
RING = ERROR + N
WIDTH = 7  # t, ω, a


class Estimate(NamedTuple):
    """r, v in world axes, q (w, x, y, z), biases of gyroscope and accelerometer in body axes; SI units."""

    r: Array
    v: Array
    q: Array
    gyro_bias: Array
    accelerometer_bias: Array


class KalmanFilter(NamedTuple):
    """Parameters, from `kalman_filter`: variances. Methods give new states, errors where compiled updates count."""

    gravity: float
    gyro: float  # of ω times the period [rad²/s]
    accelerometer: float  # [m²/s³]
    gyro_walk: float  # [rad²/s³]
    accelerometer_walk: float  # [m²/s⁵]
    position: float
    attitude: float
    start_velocity: float
    start_gyro_bias: float
    start_accelerometer_bias: float
    rows: int

    def start(self) -> Array:
        """The state before any sample and frame."""
        return ring_start(RING - HEAD, self.rows, WIDTH)

    def predict(self, s: Array, t: float, w: ArrayLike, a: ArrayLike) -> Array:
        """The state after a sample of gyroscope [rad/s] and accelerometer [m/s²], (3,) each in body axes."""
        s = checked_state(s, RING, WIDTH, self.rows)
        t, w = checked_sample(s, RING, WIDTH, t), finite_vector(w, "angular velocity [rad/s]", 3)
        predict_kalman(self, s, t, w, finite_vector(a, "acceleration [m/s²]", 3))
        return s

    def correct(self, s: Array, t: float, r: ArrayLike, q: ArrayLike) -> Array:
        """The state after a frame of position [m] and attitude at a time t that has passed; too old ones count only."""
        s = checked_state(s, RING, WIDTH, self.rows)
        t, q = checked_frame(s, RING, WIDTH, t), checked_quaternion(q, "attitude of a frame")
        correct_kalman(self, s, t, finite_vector(r, "position of a frame [m]", 3), q)
        return s

    def estimate(self, s: Array) -> Estimate:
        """At the newest sample."""
        x = _known(s)[NOW : NOW + 16].copy()
        return Estimate(x[R:V], x[V:Q], x[Q:B_G], x[B_G:B_A], x[B_A:])

    def covariance(self, s: Array) -> Array:
        """(15, 15) of (δr, δv, δθ, δb_g, δb_a) after the last frame, or at the oldest sample if that is younger."""
        return _known(s)[P : P + N * N].reshape(N, N).copy()


def _known(s: Array) -> Array:
    if not s[TAKEN]:
        raise ModelError("nothing is known before the first frame: wait until `counts(s).taken` is 1.")
    return s


@helpful
def kalman_filter(
    *,
    gyro: float = 0.005,
    accelerometer: float = 0.05,
    position: float = 1e-3,
    attitude: float = math.radians(0.1),
    gyro_walk: float = 1e-4,
    accelerometer_walk: float = 1e-2,
    start_velocity: float = 3.0,
    start_gyro_bias: float = 0.02,
    start_accelerometer_bias: float = 0.5,
    T_S: float = 0.005,
    g: float = 9.81,
    rows: int = 64,
) -> KalmanFilter:
    """Standard deviations of what is measured and assumed.

    gyro [rad/s], accelerometer [m/s²]: noise of each sample at the period T_S [s].
    position [m], attitude [rad]: of each coordinate of a frame.
    gyro_walk [rad/s/√s], accelerometer_walk [m/s²/√s]: by which biases wander, 0 if they do not.
    start_velocity [m/s], start_gyro_bias [rad/s], start_accelerometer_bias [m/s²]: about zero, at the first frame.
    g: gravity [m/s²].   rows: samples that are kept; a frame before the oldest is dropped.
    """
    T = finite_number(T_S, "period T_S [s]", positive=True)
    some = {"gyro": gyro, "accelerometer": accelerometer, "position": position, "attitude": attitude}
    sigma = {name: finite_number(x, f"noise `{name}`", positive=True) for name, x in some.items()}
    more = {
        "gyro_walk": gyro_walk,
        "accelerometer_walk": accelerometer_walk,
        "start_velocity": start_velocity,
        "start_gyro_bias": start_gyro_bias,
        "start_accelerometer_bias": start_accelerometer_bias,
    }
    sigma |= {name: finite_number(x, f"deviation `{name}`", minimum=0.0) for name, x in more.items()}
    variances = {name: x * x for name, x in sigma.items()}
    variances["gyro"] *= T
    variances["accelerometer"] *= T
    gravity = finite_number(g, "gravity g [m/s²]", minimum=0.0)
    return KalmanFilter(gravity=gravity, rows=checked_rows(rows), **variances)


def predict_kalman(p: KalmanFilter, s: Array, t: float, w: Array, a: Array) -> bool:
    """Bring s to a new sample, in place; False where it was skipped. What was missed is bridged by the next."""
    if not (is_newer(s, RING, WIDTH, t) and is_finite(w) and is_finite(a)):
        s[SKIPPED] += 1.0
        return False
    n = depth(s, RING, WIDTH)
    before = row(s, RING, WIDTH, 0)
    if is_full(s, RING, WIDTH) and s[TAKEN] > 0:
        oldest = row(s, RING, WIDTH, n - 1)
        if s[oldest] > s[SAMPLE]:  # it will be overwritten
            _advance(p, s, ANCHOR, SAMPLE, oldest, True)
            for k in range(WIDTH):
                s[SAMPLE + k] = s[oldest + k]
    s[RING] += 1.0
    now = row(s, RING, WIDTH, 0)
    s[now] = t
    for k in range(3):
        s[now + 1 + k], s[now + 4 + k] = w[k], a[k]
    if n > 0 and s[TAKEN] > 0:
        _advance(p, s, NOW, before, now, False)
    return True


def correct_kalman(p: KalmanFilter, s: Array, t: float, r: Array, q: Array) -> int:
    """Correct s by a frame, in place; the number of the count that tells what became of it."""
    status = verdict(s, RING, WIDTH, t)
    first = s[TAKEN] == 0
    if status == TAKEN and not (is_finite(r) and is_unit(q)):
        status = UNUSABLE
    s[status] += 1.0
    if status != TAKEN:
        return status
    s[LAST] = t
    back = find(s, RING, WIDTH, t)
    before, after = row(s, RING, WIDTH, back), row(s, RING, WIDTH, max(back - 1, 0))
    s[END] = t
    for k in range(1, WIDTH):
        s[END + k] = between(s, before, after, t, k)
    if first:
        _begin(p, s, r, q)
    else:
        n = depth(s, RING, WIDTH)
        for k in range(n - 1, back - 1, -1):  # samples since the anchor
            i = row(s, RING, WIDTH, k)
            if s[i] > s[SAMPLE]:
                _advance(p, s, ANCHOR, SAMPLE, i, True)
                for j in range(WIDTH):
                    s[SAMPLE + j] = s[i + j]
        if t > s[SAMPLE]:
            _advance(p, s, ANCHOR, SAMPLE, END, True)
        _take(p, s, r, q)
    for k in range(WIDTH):
        s[SAMPLE + k] = s[END + k]
    for k in range(16):
        s[NOW + k] = s[ANCHOR + k]
    last = SAMPLE
    for k in range(back - 1, -1, -1):
        i = row(s, RING, WIDTH, k)
        _advance(p, s, NOW, last, i, False)
        last = i
    return status


def _begin(p: KalmanFilter, s: Array, r: Array, q: Array) -> None:
    """State and covariance of the first frame."""
    for k in range(16):
        s[ANCHOR + k] = 0.0
    for k in range(3):
        s[ANCHOR + R + k] = r[k]
    put_quaternion(s, ANCHOR + Q, unit(quaternion_at(q, 0)))
    for k in range(N * N):
        s[P + k] = 0.0
    for k in range(3):
        s[P + (E_R + k) * (N + 1)] = p.position
        s[P + (E_V + k) * (N + 1)] = p.start_velocity
        s[P + (E_THETA + k) * (N + 1)] = p.attitude
        s[P + (E_G + k) * (N + 1)] = p.start_gyro_bias
        s[P + (E_A + k) * (N + 1)] = p.start_accelerometer_bias
    s[SCORE] = 0.0


def _advance(p: KalmanFilter, s: Array, x: int, i: int, j: int, covariance: bool) -> None:
    """A nominal state from the sample of one row to that of another, and the covariance with it where asked."""
    h = s[j] - s[i]
    g, b = x + B_G, x + B_A
    q0 = quaternion_at(s, x + Q)
    turn = exponential(
        h * (0.5 * (s[i + 1] + s[j + 1]) - s[g]),
        h * (0.5 * (s[i + 2] + s[j + 2]) - s[g + 1]),
        h * (0.5 * (s[i + 3] + s[j + 3]) - s[g + 2]),
    )
    q1 = unit(multiply(q0, turn))
    f0 = rotate(q0, s[i + 4] - s[b], s[i + 5] - s[b + 1], s[i + 6] - s[b + 2])
    f1 = rotate(q1, s[j + 4] - s[b], s[j + 5] - s[b + 1], s[j + 6] - s[b + 2])
    for k in range(3):
        g_k = p.gravity if k == 2 else 0.0
        s[x + R + k] += h * s[x + V + k] + h * h * ((2.0 * f0[k] + f1[k]) / 6.0 - 0.5 * g_k)
        s[x + V + k] += h * (0.5 * (f0[k] + f1[k]) - g_k)
    put_quaternion(s, x + Q, q1)
    if covariance:
        a, c, d = rotate(q0, 1.0, 0.0, 0.0), rotate(q0, 0.0, 1.0, 0.0), rotate(q0, 0.0, 0.0, 1.0)
        e, u, v = rotate(q1, 1.0, 0.0, 0.0), rotate(q1, 0.0, 1.0, 0.0), rotate(q1, 0.0, 0.0, 1.0)
        mean = (  # columns of the mean of R̂
            (0.5 * (a[0] + e[0]), 0.5 * (a[1] + e[1]), 0.5 * (a[2] + e[2])),
            (0.5 * (c[0] + u[0]), 0.5 * (c[1] + u[1]), 0.5 * (c[2] + u[2])),
            (0.5 * (d[0] + v[0]), 0.5 * (d[1] + v[1]), 0.5 * (d[2] + v[2])),
        )
        f = (0.5 * (f0[0] + f1[0]), 0.5 * (f0[1] + f1[1]), 0.5 * (f0[2] + f1[2]))
        _spread(s, h, f, mean, 1, N)  # Φ P, row by row
        _spread(s, h, f, mean, N, 1)  # (Φ P) Φᵀ
        for k in range(3):
            s[P + (E_V + k) * (N + 1)] += p.accelerometer * h
            s[P + (E_THETA + k) * (N + 1)] += p.gyro * h
            s[P + (E_G + k) * (N + 1)] += p.gyro_walk * h
            s[P + (E_A + k) * (N + 1)] += p.accelerometer_walk * h


def _spread(s: Array, h: float, f: Vector, C: tuple[Vector, Vector, Vector], along: int, across: int) -> None:
    """Φ times each of 15 vectors in P, in place; numbers of one are `across` apart, vectors `along`."""
    for n in range(N):
        o = P + n * along
        t0, t1, t2 = s[o + 6 * across], s[o + 7 * across], s[o + 8 * across]
        g0, g1, g2 = s[o + 9 * across], s[o + 10 * across], s[o + 11 * across]
        a0, a1, a2 = s[o + 12 * across], s[o + 13 * across], s[o + 14 * across]
        d0 = t1 * f[2] - t2 * f[1] - (C[0][0] * a0 + C[1][0] * a1 + C[2][0] * a2)
        d1 = t2 * f[0] - t0 * f[2] - (C[0][1] * a0 + C[1][1] * a1 + C[2][1] * a2)
        d2 = t0 * f[1] - t1 * f[0] - (C[0][2] * a0 + C[1][2] * a1 + C[2][2] * a2)
        s[o] += h * (s[o + 3 * across] + 0.5 * h * d0)
        s[o + across] += h * (s[o + 4 * across] + 0.5 * h * d1)
        s[o + 2 * across] += h * (s[o + 5 * across] + 0.5 * h * d2)
        s[o + 3 * across] += h * d0
        s[o + 4 * across] += h * d1
        s[o + 5 * across] += h * d2
        s[o + 6 * across] -= h * (C[0][0] * g0 + C[1][0] * g1 + C[2][0] * g2)
        s[o + 7 * across] -= h * (C[0][1] * g0 + C[1][1] * g1 + C[2][1] * g2)
        s[o + 8 * across] -= h * (C[0][2] * g0 + C[1][2] * g1 + C[2][2] * g2)


def _take(p: KalmanFilter, s: Array, r: Array, q: Array) -> None:
    """A frame at the anchor: six numbers one by one, then the error moves into the nominal state."""
    x = ANCHOR
    turn = logarithm(multiply(unit(quaternion_at(q, 0)), conjugate(quaternion_at(s, x + Q))))
    s[SCORE] = 0.0
    for k in range(N):
        s[ERROR + k] = 0.0
    for m in range(6):
        at = E_R + m if m < 3 else E_THETA + m - 3
        found = (r[m] - s[x + R + m] if m < 3 else turn[m - 3]) - s[ERROR + at]
        spread = s[P + at * (N + 1)] + (p.position if m < 3 else p.attitude)
        s[SCORE] += found * found / spread
        for i in range(N):
            s[ERROR + i] += s[P + i * N + at] / spread * found
        for i in range(N):  # P -= P_m P_mᵀ/S, row and column m at last
            for j in range(N):
                if i != at and j != at:
                    s[P + i * N + j] -= s[P + i * N + at] * s[P + at * N + j] / spread
        left = 1.0 - s[P + at * (N + 1)] / spread
        for i in range(N):
            s[P + i * N + at] *= left
            if i != at:
                s[P + at * N + i] *= left
    for k in range(3):
        s[x + R + k] += s[ERROR + E_R + k]
        s[x + V + k] += s[ERROR + E_V + k]
        s[x + B_G + k] += s[ERROR + E_G + k]
        s[x + B_A + k] += s[ERROR + E_A + k]
    change = exponential(s[ERROR + E_THETA], s[ERROR + E_THETA + 1], s[ERROR + E_THETA + 2])
    put_quaternion(s, x + Q, unit(multiply(change, quaternion_at(s, x + Q))))
