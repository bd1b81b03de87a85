"""Attitude from a gyroscope and late frames."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError
from visviva.copter.estimation import attitude_observer, correct_attitude, counts, predict_attitude, turns
from visviva.copter.estimation.attitude_observer import NOW
from visviva.geometry import quaternion

T_S = 0.005
UP = np.array([1.0, 0.0, 0.0, 0.0])


def angle(p, q):
    """Between two attitudes [rad]."""
    return 4 * np.arcsin(0.5 * min(np.linalg.norm(p - q), np.linalg.norm(p + q)))


def started(p, q=UP, w=(0, 0, 0)):
    return p.correct(p.predict(p.start(), 0.0, w), 0.0, q)


def test_numbers_of_quaternions_are_those_of_arrays():
    rng = np.random.default_rng(0)
    for size in (1e-6, 1.0, 3.0):
        p, q = (rng.normal(size=4) for _ in range(2))
        p, q, v = p / np.linalg.norm(p), q / np.linalg.norm(q), rng.normal(size=3)
        w = size * v / np.linalg.norm(v)
        assert_allclose(turns.multiply(tuple(p), tuple(q)), quaternion.product(p, q), atol=1e-15)
        assert_allclose(turns.rotate(tuple(p), *v), quaternion.rotated(p, v), atol=1e-15)
        assert_allclose(turns.exponential(*w), quaternion.turned(UP, w), atol=1e-15)
        for sign in (1, -1):  # q and -q are one rotation
            assert_allclose(turns.logarithm(tuple(sign * quaternion.turned(UP, w))), w, rtol=1e-9)


def test_the_length_is_one_where_euler_steps_are_not():
    """From 4 % off: one step is enough, and fast turns leave nothing. Both forms of (5.56) beside it."""
    p, w = attitude_observer(), np.array([6.0, 0.0, 8.0])

    def text(q, gain, w):
        return q + T_S * quaternion.rate(q, w) - gain * (q @ q - 1) * q

    s = started(p)
    s[NOW : NOW + 4] *= np.sqrt(1.04)
    printed = half = s[NOW : NOW + 4].copy()
    for k in range(1, 6):
        s = p.predict(s, k * T_S, np.zeros(3))
        half = text(half, 0.5, np.zeros(3))
    for _ in range(200):
        printed = text(printed, 1.0, np.zeros(3))
    assert abs(p.attitude(s) @ p.attitude(s) - 1) < 1e-15
    assert abs(half @ half - 1) < 1e-9
    assert abs(printed @ printed - 1) > 0.02
    for k in range(6, 200):
        s, half = p.predict(s, k * T_S, w), text(half, 0.5, w)
    assert abs(p.attitude(s) @ p.attitude(s) - 1) < 1e-15
    assert half @ half - 1 == pytest.approx((T_S * 10) ** 2 / 4, rel=0.01)


def test_a_steady_turn_is_exact_at_any_speed():
    p, w = attitude_observer(), np.array([3.0, -12.0, 30.0])
    s = started(p, w=w)
    for k in range(1, 201):
        s = p.predict(s, k * T_S, w)
    assert angle(p.attitude(s), quaternion.turned(UP, w)) < 1e-12


def test_the_mean_of_two_samples_is_of_second_order(flight):
    """The older one alone lags half a tick behind a rate that changes."""
    errors = []
    for n in (1, 2):
        p, h = attitude_observer(), T_S / n
        s = started(p, flight.q(0), flight.w(0))
        held, worst = flight.q(0), 0.0
        for k in range(1, 200 * n):
            s = p.predict(s, k * h, flight.w(k * h))
            held = quaternion.turned(held, h * flight.w((k - 1) * h))
            worst = max(worst, angle(held, flight.q(k * h)))
        errors.append(angle(p.attitude(s), flight.q((200 * n - 1) * h)))
        assert errors[-1] < 0.02 * worst
    assert errors[0] < 1e-5


@pytest.mark.parametrize("gain", [1.0, 0.3])
def test_late_frames_correct_what_has_passed(flight, gain):
    """Started 0.2 rad wrong: a frame 60 ms old leaves (1 - gain) of it, at any time between samples."""
    p = attitude_observer(gain)
    s = started(p, quaternion.turned(flight.q(0), np.array([0.2, 0, 0])), flight.w(0))
    for k in range(1, 21):
        s = p.predict(s, k * T_S, flight.w(k * T_S))
    assert angle(p.attitude(s), flight.q(0.1)) == pytest.approx(0.2, abs=1e-4)
    for t in (0.04, 0.0423):
        now = p.correct(s, t, flight.q(t))
        assert angle(p.attitude(now), flight.q(0.1)) == pytest.approx(0.2 * (1 - gain), abs=1e-4)
        assert angle(p.attitude_at_frame(now), flight.q(t)) == pytest.approx(0.2 * (1 - gain), abs=1e-4)


def test_frames_about_a_half_turn_and_of_either_sign():
    p = attitude_observer(0.5)
    for sign in (1, -1):
        s = p.correct(p.predict(started(p), T_S, np.zeros(3)), T_S, sign * np.array([0, 1.0, 0, 0]))
        assert angle(p.attitude(s), UP) == pytest.approx(np.pi / 2)


def test_a_frame_that_agrees_changes_nothing(flight):
    p = attitude_observer(0.5)
    s = started(p, flight.q(0), flight.w(0))
    for k in range(1, 11):
        s = p.predict(s, k * T_S, flight.w(k * T_S))
        if k == 7:
            then = p.attitude(s)
    assert_allclose(p.attitude(p.correct(s, 7 * T_S, then)), p.attitude(s), atol=1e-14)


def test_what_the_buffer_has_lost_is_dropped_and_counted():
    p = attitude_observer(rows=4)
    s = started(p)
    for k in range(1, 10):
        s = p.predict(s, k * T_S, [0, 0, 1.0])
    before = p.attitude(s)
    s = p.correct(s, 4.9 * T_S, [0, 0, 0, 1])
    assert counts(s)._asdict() == {"taken": 1, "too_old": 1, "future": 0, "not_newer": 0, "unusable": 0, "skipped": 0}
    assert_allclose(p.attitude(s), before)
    s = p.correct(s, 6 * T_S, [0, 0, 0, 1])
    assert counts(s).taken == 2
    assert angle(p.attitude(s), quaternion.turned(np.array([0, 0, 0, 1.0]), np.array([0, 0, 3 * T_S]))) < 1e-12


def test_wrong_use_is_an_error_and_flights_count_it():
    p = attitude_observer()
    with pytest.raises(ModelError, match="before the first frame"):
        p.attitude(p.start())
    s = p.predict(started(p), T_S, np.zeros(3))
    for match, call in {
        "not after the one before": lambda: p.predict(s, T_S, np.zeros(3)),
        "of the future": lambda: p.correct(s, 2 * T_S, UP),
        "order of the times at which": lambda: p.correct(s, 0.0, UP),
        r"unit quaternion.*1\.04": lambda: p.correct(s, T_S, 1.04 * UP),
        "angular velocity.*finite": lambda: p.predict(s, 2 * T_S, [0, np.nan, 0]),
        "angular velocity.*shape": lambda: p.predict(s, 2 * T_S, [0, 0]),
        "attitude of a frame.*shape": lambda: p.correct(s, T_S, np.eye(3)),
        "time of a frame": lambda: p.correct(s, np.nan, UP),
        "no state of the observer": lambda: p.predict(s[1:], 2 * T_S, np.zeros(3)),
        "at most 1": lambda: attitude_observer(1.5),
        "gain.*positive": lambda: attitude_observer(0.0),
        "at least 2": lambda: attitude_observer(rows=1),
    }.items():
        with pytest.raises(ModelError, match=match):
            call()
    kept, o = s.copy(), np.zeros(3)
    predict_attitude(p, s, T_S, o)
    predict_attitude(p, s, np.nan, o)
    predict_attitude(p, s, 2 * T_S, np.array([0, np.inf, 0]))
    for t, q in ((2 * T_S, UP), (0.0, UP), (np.nan, UP), (T_S, 1.04 * UP), (T_S, np.nan * UP)):
        correct_attitude(p, s, t, q)
    assert counts(s)._asdict() == {"taken": 1, "too_old": 0, "future": 1, "not_newer": 1, "unusable": 3, "skipped": 3}
    assert_allclose(s[6:], kept[6:])


def test_a_missing_sample_is_bridged(flight):
    p = attitude_observer()
    s = started(p, flight.q(0), flight.w(0))
    for k in (1, 2, 5, 6):
        s = p.predict(s, k * T_S, flight.w(k * T_S))
    assert angle(p.attitude(s), flight.q(6 * T_S)) < 1e-5
