"""Position, velocity and bias of the accelerometer from late frames."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError
from visviva.copter.estimation import correct_position, counts, position_observer, predict_position
from visviva.geometry import quaternion

T_S = 0.005
UP, UPWARD = np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.0, 9.81])
a_B = np.array([0.3, -0.2, 0.1])


def flown(flight, until, seed=None, p=None):
    """Errors of r̂, v̂ and â_B at each tick; with a seed: noise of .05 m/s² and 1 mm, jitter of ±10 ms."""
    p = p or position_observer()
    rng = np.random.default_rng(seed or 0)
    noisy = seed is not None
    frames = flight.frames(until, rng, jitter=0.01 if noisy else 0.0)
    s, errors = p.start(), []
    for k in range(int(until / T_S)):
        t = k * T_S
        _, a = flight.imu(t, a_B)
        predict_position(p, s, t, flight.q(t), a + 0.05 * noisy * rng.normal(size=3))
        while frames and frames[0][1] <= k:
            at = frames.pop(0)[0]
            assert correct_position(p, s, at, flight.r(at) + 1e-3 * noisy * rng.normal(size=3), flight.q(at)) == 0
        if counts(s).taken >= 2:
            z = p.motion(s)
            errors.append([t, *(z.r - flight.r(t)), *(z.v - flight.v(t)), *(z.a_B - a_B)])
    return np.array(errors)


def test_without_noise_the_bias_is_found(flight):
    e = np.abs(flown(flight, 8.0))
    late, settled = e[e[:, 0] >= 3.0], e[e[:, 0] >= 3.6]
    assert late[0, 7:].max() < 0.03
    assert settled[:, 7:].max() < 0.012
    assert late[:, 1:4].max() < 1.5e-3
    assert late[:, 4:7].max() < 0.02
    assert e[-1, 7:].max() < 1e-3  # it goes on: nothing is left but what sampling leaves
    assert e[-1, 4:7].max() < 5e-4


@pytest.mark.parametrize("seed", [1, 2])
def test_with_noise(flight, seed):
    e = flown(flight, 12.0, seed)
    r, v, bias = (np.sqrt((e[e[:, 0] >= 5.0][:, k : k + 3] ** 2).mean()) for k in (1, 4, 7))
    assert r < 3e-3
    assert v < 0.015
    assert bias < 0.015


def test_gains_are_those_of_the_poles():
    p = position_observer()
    assert_allclose([p.l_r, p.l_v, p.l_a], [1, 0.575, -0.025], atol=1e-15)
    assert_allclose(position_observer((0.2, 0.5, 0.9)).poles, [0.2, 0.5, 0.9], atol=1e-12)


@pytest.mark.parametrize("period", [0.1, 0.05])
def test_errors_die_out_by_the_poles(period):
    """From frame to frame at any period: the observer itself, at rest in a tilted attitude, obeys (5.65)."""
    q = quaternion.turned(UP, np.array([0.4, -0.3, 0.2]))
    poles, r = (0.1, 0.5, 0.9), np.array([1.0, 2.0, 3.0])
    p = position_observer(poles)
    a = quaternion.matrix_of(q).T @ UPWARD
    s, e = p.start(), []
    n = round(period / T_S)
    for k in range(12 * n):
        predict_position(p, s, k * T_S, q, a + a_B)
        if k >= n and k % n == 4:  # 4 ticks late
            correct_position(p, s, (k - 4) * T_S, r, q)
            if counts(s).taken >= 2:
                z = p.motion(s)
                e.append(np.concatenate([z.r - r, z.v, z.a_B - a_B]))
    _, c2, c1, c0 = np.poly(poles)
    e = np.array(e)
    assert np.abs(e[0]).max() > 0.2
    assert_allclose(e[3:] + c2 * e[2:-1] + c1 * e[1:-2] + c0 * e[:-3], 0, atol=1e-12)


def test_a_start_in_motion_knows_its_velocity(flight):
    """Half of T' times the acceleration, some 0.09 m/s, is what the difference of two frames would miss."""
    for first in (0.0, 0.08):  # samples from before the first frame on, or from later
        p, o = position_observer(), np.zeros(3)
        s = p.start()
        for k in range(60):
            if k * T_S >= first:
                s = p.predict(s, k * T_S, flight.q(k * T_S), flight.imu(k * T_S, o)[1])
            if k in (20, 40):
                t = (k - 7) * T_S + 0.001
                s = p.correct(s, t, flight.r(t), flight.q(t))
        gap = flight.v(59 * T_S) - p.motion(s).v
        assert np.abs(flight.a(0.1)).max() * 0.05 > 0.08
        assert np.abs(gap).max() < (1e-4 if first == 0 else 5e-3)


def test_a_frame_that_agrees_changes_nothing(flight):
    """Estimates are integrated back to its time and forward again: the same integrals."""
    p = position_observer()
    s = p.start()
    for k in range(60):
        s = p.predict(s, k * T_S, flight.q(k * T_S), flight.imu(k * T_S)[1])
        if k in (20, 40):
            s = p.correct(s, (k - 7) * T_S, flight.r((k - 7) * T_S), flight.q((k - 7) * T_S))
        if k == 54:
            then = p.motion(s)
    after = p.correct(s, 54 * T_S, then.r, flight.q(54 * T_S))
    for one, other in zip(p.motion(s), p.motion(after), strict=True):
        assert_allclose(one, other, atol=1e-12)


def test_attitudes_since_a_frame_are_turned_with_it():
    """At rest, but seen tilted by 0.01 rad until a frame tells: the wrong acceleration since then is taken back."""
    base = quaternion.turned(UP, np.array([0, 0, np.pi / 2]))  # heading along y: axes of body and world differ
    p, tilted = position_observer(), quaternion.product(quaternion.turned(UP, np.array([0.01, 0, 0])), base)
    o = np.zeros(3)
    s = p.start()
    for k in range(41):
        s = p.predict(s, k * T_S, base if k < 20 else tilted, UPWARD)
        if k in (10, 20):
            s = p.correct(s, k * T_S, o, base if k < 20 else tilted)
    wrong = p.motion(s).v
    right = p.motion(p.correct(s, 30 * T_S, _fallen(30 * T_S), base)).v
    assert wrong[1] == pytest.approx(-9.81 * 0.01 * 20 * T_S, rel=0.03)
    assert right[1] == pytest.approx(wrong[1] / 2, rel=0.03)


def _fallen(t):
    """Position that the observer has at a time that has passed: a straight fall from rest at tick 20."""
    return np.array([0, -0.5 * 9.81 * 0.01 * (t - 20 * T_S) ** 2, 0])


def test_late_and_bad_frames_are_dropped_and_counted(flight):
    p = position_observer(rows=10)
    s = p.start()
    for k in range(30):
        s = p.predict(s, k * T_S, flight.q(k * T_S), flight.imu(k * T_S)[1])
        if k in (10, 20):
            s = p.correct(s, k * T_S, flight.r(k * T_S), flight.q(k * T_S))
    kept, r = p.motion(s), np.ones(3)
    for k in range(30, 40):
        s = p.predict(s, k * T_S, flight.q(k * T_S), flight.imu(k * T_S)[1])
    before = p.motion(s)
    s = p.correct(s, 25 * T_S, r, UP)
    assert counts(s).too_old == 1
    for t, x, q in ((1.0, r, UP), (np.nan, r, UP), (36 * T_S, np.nan * r, UP), (36 * T_S, r, 0 * UP), (0.1, r, UP)):
        correct_position(p, s, t, x, q)
    predict_position(p, s, 0.1, UP, r)
    predict_position(p, s, 1.0, np.nan * UP, r)
    assert counts(s)._asdict() == {"taken": 2, "too_old": 2, "future": 1, "not_newer": 0, "unusable": 3, "skipped": 2}
    for one, other in zip(before, p.motion(s), strict=True):
        assert_allclose(one, other)
    assert np.abs(kept.r - before.r).max() > 0.01


def test_a_start_needs_two_frames_that_are_near():
    p = position_observer(rows=400)
    s, o = p.start(), np.zeros(3)
    for k in range(300):
        s = p.predict(s, k * T_S, UP, UPWARD)
    s = p.correct(s, 0.1, o, UP)
    with pytest.raises(ModelError, match="before the second frame"):
        p.motion(s)
    s = p.correct(s, 1.2, o, UP)  # 1.1 s later tells no velocity: the first again
    assert counts(s)[:2] == (1, 1)
    s = p.correct(s, 1.3, np.array([0.1, 0, 0]), UP)
    assert_allclose(p.motion(s).v, [1.0, 0, 0], atol=1e-12)
    assert_allclose(p.motion(s).r, [0.1 + 299 * T_S - 1.3, 0, 0], atol=1e-12)


def test_wrong_use_is_an_error():
    p = position_observer()
    s = p.correct(p.predict(p.start(), 0.0, UP, UPWARD), 0.0, np.zeros(3), UP)
    s = p.predict(s, 0.1, UP, UPWARD)
    for match, call in {
        "not after the one before": lambda: p.predict(s, 0.1, UP, UPWARD),
        "of the future": lambda: p.correct(s, 0.2, np.zeros(3), UP),
        "order of the times at which": lambda: p.correct(s, 0.0, np.zeros(3), UP),
        "gains need 0.005 s": lambda: p.correct(s, 0.001, np.zeros(3), UP),
        "unit quaternion": lambda: p.correct(s, 0.1, np.zeros(3), 2 * UP),
        "position of a frame.*finite": lambda: p.correct(s, 0.1, [0, 0, np.nan], UP),
        "acceleration.*shape": lambda: p.predict(s, 0.2, UP, [0, 0]),
        "no state of the observer": lambda: p.predict(s[:-1], 0.2, UP, UPWARD),
        r"in \[0, 1\)": lambda: position_observer((0, 0.5, 1.0)),
        "three|3 numbers|shape": lambda: position_observer((0, 0.5)),
        "gravity": lambda: position_observer(g=-1),
        "whole number": lambda: position_observer(rows=6.4),
    }.items():
        with pytest.raises(ModelError, match=match):
            call()
