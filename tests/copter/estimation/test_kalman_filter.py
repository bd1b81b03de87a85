"""The error-state Kalman filter with late frames."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError
from visviva.copter.estimation import correct_kalman, counts, kalman_filter, predict_kalman
from visviva.geometry import SO3, quaternion

T_S = 0.005
UP, UPWARD = np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 9.81])
a_B, w_B = np.array([0.3, -0.2, 0.1]), np.array([0.01, -0.02, 0.015])


def flown(flight, p, until, late, *, noise=0.0, seed=0, gap=(9e9, 0)):
    """The state after a flight; late: ticks by which frames arrive; gap: times between which there are none."""
    rng = np.random.default_rng(seed)
    frames, s, errors, scores = flight.frames(until, rng), p.start(), [], []
    for k in range(int(until / T_S)):
        t = k * T_S
        w, a = flight.imu(t, a_B)
        w, a = w + w_B + 0.005 * noise * rng.normal(size=3), a + 0.05 * noise * rng.normal(size=3)
        assert predict_kalman(p, s, t, w, a)
        while frames and (np.ceil(frames[0][0] / T_S) + late if late is not None else frames[0][1]) <= k:
            at = frames.pop(0)[0]
            turn = np.radians(0.1) * noise * np.random.default_rng(int(1e6 * at)).normal(size=3)
            r = flight.r(at) + 1e-3 * noise * np.random.default_rng(int(1e6 * at) + 1).normal(size=3)
            if not gap[0] < at < gap[1]:
                assert correct_kalman(p, s, at, r, quaternion.turned(flight.q(at), turn)) == 0
                scores.append(s[53])
        if counts(s).taken:
            z = p.estimate(s)
            errors.append([t, *(z.r - flight.r(t)), *(z.v - flight.v(t)), *(z.accelerometer_bias - a_B)])
    return s, np.array(errors), np.array(scores)


def test_delays_are_exact(flight):
    """Frames that come 8 ticks late end in the state and the covariance of frames that come at once."""
    p = kalman_filter()
    at_once, late = (flown(flight, p, 1.29, n)[0] for n in (0, 8))
    assert counts(at_once).taken == counts(late).taken == 11
    assert_allclose(p.covariance(late), p.covariance(at_once), atol=1e-14)
    for one, other in zip(p.estimate(at_once), p.estimate(late), strict=True):
        assert_allclose(one, other, atol=1e-12)


def test_the_anchor_follows_where_frames_are_missing(flight):
    """A gap far longer than the buffer: the same as with a buffer that holds all of it."""
    short, long = (flown(flight, kalman_filter(rows=n), 1.5, 5, gap=(0.35, 1.15))[0] for n in (20, 400))
    p, full = kalman_filter(rows=20), kalman_filter(rows=400)
    assert counts(short).taken == counts(long).taken < 8
    assert_allclose(p.covariance(short), full.covariance(long), rtol=1e-9, atol=1e-14)
    for one, other in zip(p.estimate(short), full.estimate(long), strict=True):
        assert_allclose(one, other, atol=1e-10)


def test_noise_is_as_told(flight):
    """Innovations have the spread that the covariance says, and errors are those of its diagonal."""
    p = kalman_filter()
    s, e, scores = flown(flight, p, 8.0, None, noise=1.0, seed=3)
    assert scores[20:].mean() == pytest.approx(6, abs=1.5)
    rms = [np.sqrt((e[e[:, 0] > 4][:, k : k + 3] ** 2).mean()) for k in (1, 4, 7)]
    assert rms[0] < 1.5e-3
    assert rms[1] < 0.01
    assert rms[2] < 0.015
    sigma = np.sqrt(np.diag(p.covariance(s)))
    assert (np.abs(p.estimate(s).gyro_bias - w_B) < 4 * sigma[9:12]).all()
    assert (np.abs(p.estimate(s).accelerometer_bias - a_B) < 4 * sigma[12:]).all()
    assert sigma[9:12].max() < 2e-3


def test_covariances_spread_as_errors_do(flight):
    """P₁ = Φ P₀ Φᵀ + Q with Φ from motions that begin a little elsewhere, through samples of a fast turn."""
    quiet = dict.fromkeys(("gyro_walk", "accelerometer_walk", "start_velocity"), 0.0)
    p = kalman_filter(gyro=1e-9, accelerometer=1e-9, position=1e-5, **quiet)

    def spread(x):
        """The motion after 20 ticks that begins x = (δr, δv, δθ, δb_g, δb_a) away."""
        q = quaternion.product(quaternion.turned(UP, x[6:9]), flight.q(0))
        s = p.start()
        predict_kalman(p, s, 0.0, 8 * flight.w(0), flight.imu(0.0)[1])
        correct_kalman(p, s, 0.0, x[:3], q)
        s[7 + 3 : 7 + 6], s[7 + 10 : 7 + 16] = x[3:6], x[9:]
        for k in range(1, 21):
            predict_kalman(p, s, k * T_S, 8 * flight.w(k * T_S), flight.imu(k * T_S)[1])
        return p.estimate(s)

    Phi, d, middle = np.zeros((15, 15)), 1e-5, spread(np.zeros(15))
    for k, step in enumerate(d * np.eye(15)):
        a, b = spread(step), spread(-step)
        turn = SO3.from_quat(a.q).R @ SO3.from_quat(b.q).R.T
        Phi[:, k] = np.concatenate([a.r - b.r, a.v - b.v, SO3(turn).log(), a[3] - b[3], a[4] - b[4]]) / (2 * d)
    s = p.start()
    predict_kalman(p, s, 0.0, 8 * flight.w(0), flight.imu(0.0)[1])
    correct_kalman(p, s, 0.0, np.zeros(3), flight.q(0))
    P0 = p.covariance(s)
    for k in range(1, 21):
        predict_kalman(p, s, k * T_S, 8 * flight.w(k * T_S), flight.imu(k * T_S)[1])
    P1 = Phi @ P0 @ Phi.T
    # an exact frame with a noise that takes nothing away: the covariance before it, to (P S⁻¹ P)
    blunt = p._replace(position=1e12, attitude=1e12)
    correct_kalman(blunt, s, 20 * T_S, middle.r, middle.q)
    scale = np.sqrt(np.diag(P1))
    assert_allclose(p.covariance(s) / np.outer(scale, scale), P1 / np.outer(scale, scale), atol=2e-3)


def test_noises_add_up_with_time():
    """At rest and known at the start: variances are σ² T t of samples, σ² t of walks, at any period."""
    o, zero = np.zeros(3), dict.fromkeys(("start_velocity", "start_gyro_bias", "start_accelerometer_bias"), 0.0)
    for T, n in ((0.005, 40), (0.002, 100)):
        p = kalman_filter(gyro=0.01, accelerometer=0.1, gyro_walk=1e-3, accelerometer_walk=0.0, T_S=T, **zero)
        wandering = p._replace(accelerometer_walk=0.02**2)
        for each in (p, wandering):
            s = each.start()
            for k in range(n + 1):
                predict_kalman(each, s, k * T, o, UPWARD)
                if k == 0:
                    correct_kalman(each, s, 0.0, o, UP)
            correct_kalman(each._replace(position=1e12, attitude=1e12), s, n * T, o, UP)
            variances, t = np.diag(each.covariance(s)), n * T
            squares = (n - 1) * n * (2 * n - 1) / 6  # 1 + 4 + ... + (n - 1)²
            assert variances[11] == pytest.approx(1e-6 * t)
            if each is p:
                assert variances[5] == pytest.approx(0.1**2 * T * t)
                assert variances[8] == pytest.approx(each.attitude + 0.01**2 * T * t + 1e-6 * T**3 * squares)
            else:
                assert variances[14] == pytest.approx(0.02**2 * t)
                assert variances[5] == pytest.approx(0.1**2 * T * t + 0.02**2 * T**3 * squares)


def test_one_frame_is_the_textbook_update():
    """x + K e, (I - K H) P with K = P Hᵀ (H P Hᵀ + R)⁻¹, of all six numbers at once."""
    p = kalman_filter()
    s = p.start()
    for k in range(21):
        predict_kalman(p, s, k * T_S, np.array([0.3, 0.2, -0.1]), np.array([1.0, 2.0, 9.0]))
        if k == 0:
            correct_kalman(p, s, 0.0, np.zeros(3), UP)
    blunt = p._replace(position=1e12, attitude=1e12)
    before = s.copy()
    z = p.estimate(s)
    correct_kalman(blunt, before, 20 * T_S, z.r, z.q)
    P, H = p.covariance(before), np.zeros((6, 15))
    H[:3, :3], H[3:, 6:9] = np.eye(3), np.eye(3)
    S = H @ P @ H.T + np.diag([p.position] * 3 + [p.attitude] * 3)
    K = P @ H.T @ np.linalg.inv(S)
    e = np.array([0.02, -0.01, 0.03, 0.004, 0.002, -0.003])
    correct_kalman(p, s, 20 * T_S, z.r + e[:3], quaternion.product(quaternion.turned(UP, e[3:]), z.q))
    x, after = K @ e, p.estimate(s)
    assert_allclose(after.r - z.r, x[:3], atol=1e-10)
    assert_allclose(after.v - z.v, x[3:6], atol=1e-10)
    assert_allclose(after.q, quaternion.product(quaternion.turned(UP, x[6:9]), z.q), atol=1e-10)
    assert_allclose([*after.gyro_bias, *after.accelerometer_bias], x[9:], atol=1e-10)
    assert_allclose(p.covariance(s), (np.eye(15) - K @ H) @ P, atol=1e-10)
    assert s[53] == pytest.approx(e @ np.linalg.solve(S, e), rel=1e-6)


def test_what_the_buffer_has_lost_is_dropped_and_counted():
    p, o = kalman_filter(rows=5), np.zeros(3)
    s = p.start()
    for k in range(12):
        s = p.predict(s, k * T_S, o, UPWARD)
        if k == 1:
            s = p.correct(s, 0.0, o, UP)
    before = p.estimate(s)
    s = p.correct(s, 5 * T_S, np.ones(3), UP)
    assert counts(s)[:2] == (1, 1)
    for one, other in zip(before, p.estimate(s), strict=True):
        assert_allclose(one, other)
    for t, r, q in ((1.0, o, UP), (0.055, np.nan * o, UP), (0.055, o, 2 * UP), (np.nan, o, UP)):
        correct_kalman(p, s, t, r, q)
    predict_kalman(p, s, 0.055, o, o)
    predict_kalman(p, s, 0.06, o, np.inf + o)
    assert counts(s)._asdict() == {"taken": 1, "too_old": 1, "future": 1, "not_newer": 0, "unusable": 3, "skipped": 2}


def test_wrong_use_is_an_error():
    p, o = kalman_filter(), np.zeros(3)
    with pytest.raises(ModelError, match="before the first frame"):
        p.estimate(p.start())
    s = p.predict(p.correct(p.predict(p.start(), 0.0, o, UPWARD), 0.0, o, UP), 0.1, o, UPWARD)
    for match, call in {
        "not after the one before": lambda: p.predict(s, 0.1, o, UPWARD),
        "of the future": lambda: p.correct(s, 0.2, o, UP),
        "order of the times at which": lambda: p.correct(s, 0.0, o, UP),
        "unit quaternion": lambda: p.correct(s, 0.1, o, [1, 1, 0, 0]),
        "position of a frame.*finite": lambda: p.correct(s, 0.1, [0, 0, np.nan], UP),
        "angular velocity.*shape": lambda: p.predict(s, 0.2, [0, 0], UPWARD),
        "no state of the observer": lambda: p.predict(s[:-1], 0.2, o, UPWARD),
        "noise `gyro`.*positive": lambda: kalman_filter(gyro=-0.005),
        "noise `position`.*positive": lambda: kalman_filter(position=0.0),
        "deviation `gyro_walk`.*at least 0": lambda: kalman_filter(gyro_walk=-1.0),
        "period": lambda: kalman_filter(T_S=0.0),
        "rows": lambda: kalman_filter(rows=True),
    }.items():
        with pytest.raises(ModelError, match=match):
            call()


def test_accelerations_that_grow_evenly_are_integrated_exactly():
    p, o, c = kalman_filter(), np.zeros(3), np.array([0.5, -1.0, 2.0])
    s = p.start()
    for k in range(41):
        s = p.predict(s, k * T_S, o, UPWARD + c * k * T_S)
        if k == 0:
            s = p.correct(s, 0.0, o, UP)
    assert_allclose(p.estimate(s).v, c * 0.2**2 / 2, atol=1e-13)
    assert_allclose(p.estimate(s).r, c * 0.2**3 / 6, atol=1e-13)
