"""How late frames arrive: identified with an encoder, and estimated in flight."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError
from visviva.copter.estimation import identify_delay, latency_estimator

T_S, OFFSET, DELAY = 0.005, 1234.5, 0.034


def arrivals(n, rng, tick=0.0):
    """Times of n frames on the clock of their sender and on ours, t' = t - offset; jitter ±10 ms; ticks round up."""
    t = 0.1 * np.arange(n) + rng.uniform(-0.002, 0.002, n)
    received = t + DELAY + rng.uniform(-0.01, 0.01, n)
    return t - OFFSET, np.ceil(received / tick) * tick if tick else received


def yaw(t):
    """Turned to and fro by hand, more than once around."""
    return 4.0 * np.sin(0.9 * t) + 1.5 * np.sin(2.3 * t + 1) + 0.6 * np.sin(5.1 * t + 2)


def recorded(seed, tick, seconds=60.0, angle=yaw, noise=1e-3):
    rng = np.random.default_rng(seed)
    t = np.arange(0, seconds, T_S)
    sent, received = arrivals(int(10 * seconds), rng, tick)
    wrapped = np.angle(np.exp(1j * (angle(sent + OFFSET) + noise * rng.normal(size=len(sent)))))
    return t, angle(t), received, sent, wrapped


@pytest.mark.parametrize("seed", range(3))
def test_the_mean_delay_is_identified(seed):
    assert identify_delay(*recorded(seed, 0.0)).delay == pytest.approx(DELAY, abs=1e-3)


def test_jitter_does_not_distort_the_angle():
    """Frames are put at the times of their sender: without noise the angles are one, whenever each arrived."""
    t, phi, received, sent, _ = recorded(5, 0.0)
    found = identify_delay(t, phi, received, sent, yaw(sent + OFFSET))
    assert found.correlation.max() > 1 - 1e-5


@pytest.mark.parametrize("seed", range(2))
def test_a_steady_turn_tells_no_delay(seed):
    """Its correlation is one at any shift, and where noise puts the maximum is chance."""
    t, _, received, sent, _ = given = recorded(seed, 0.0, angle=lambda t: 0.5 * t)
    with pytest.raises(ModelError, match=r"steadily: turn the vehicle to and fro"):
        identify_delay(*given)
    encoder = 0.5 * t + 1e-4 * np.random.default_rng(seed).normal(size=len(t))
    with pytest.raises(ModelError, match="without their trends"):
        identify_delay(t, encoder, *given[2:])
    found = identify_delay(*recorded(seed, 0.0, angle=lambda t: 0.5 * t + 0.1 * yaw(t)))
    assert found.delay == pytest.approx(np.mean(received - sent) - OFFSET, abs=1e-3)


def test_the_uncertainty_of_a_delay_is_that_of_recordings_like_it():
    """σ_φ/(√n rms φ̇) of a slow swing: 3 mrad on 600 frames at 0.18 rad/s."""
    errors, told = [], []
    for seed in range(6):
        given = recorded(seed, 0.0, angle=lambda t: 0.8 * np.sin(0.1 * np.pi * t), noise=3e-3)
        found = identify_delay(*given)
        errors.append(found.delay - (np.mean(given[2] - given[3]) - OFFSET))
        told.append(found.uncertainty)
    assert np.mean(told) == pytest.approx(3e-3 / np.sqrt(600) / (0.8 * 0.1 * np.pi / np.sqrt(2)), rel=0.2)
    assert 0.6 < np.sqrt(np.mean(np.square(errors))) / np.mean(told) < 1.7
    with pytest.raises(ModelError, match=r"uncertain by 0\.00[23]\d* s, more than the step of 0\.001 s"):
        identify_delay(*recorded(0, 0.0, angle=lambda t: 0.8 * np.sin(0.1 * np.pi * t), noise=1e-2))


def test_times_rounded_to_ticks_are_half_a_tick_late():
    found = identify_delay(*recorded(4, T_S))
    assert found.delay == pytest.approx(DELAY + T_S / 2, abs=1e-3)
    assert found.correlation.max() > 0.999
    assert found.lags[np.argmax(found.correlation)] == pytest.approx(found.delay, abs=6e-4)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("tick", [0.0, T_S])
def test_frames_are_dated_within_2_ms_after_30_s(seed, tick):
    p = latency_estimator(DELAY, tick=tick)
    s, errors = p.start(), []
    for sent, received in zip(*arrivals(600, np.random.default_rng(seed), tick), strict=True):
        s = p.update(s, received, sent)
        errors.append(p.measured_at(s) - (sent + OFFSET))
        assert p.delay(s) == pytest.approx(received - p.measured_at(s))
    assert np.abs(errors[300:]).max() < 2e-3
    assert abs(np.mean(errors[100:])) < 1e-3


def test_half_a_tick_left_out_is_a_bias():
    p = latency_estimator(DELAY)
    s = p.start()
    for sent, received in zip(*arrivals(2000, np.random.default_rng(0), T_S), strict=True):
        s = p.update(s, received, sent)
    assert p.offset(s) - OFFSET == pytest.approx(T_S / 2, abs=1.5e-3)
    assert p.offset(s) - OFFSET > 1e-3


def test_after_the_first_frames_it_is_the_filter_of_the_text():
    p, rng = latency_estimator(DELAY, 0.9), np.random.default_rng(1)
    sent, received = arrivals(40, rng)
    s = p.start()
    found = []
    for pair in zip(received, sent, strict=True):
        s = p.update(s, *pair)
        found.append(p.offset(s))
    raw = received - sent - DELAY
    assert found[0] == raw[0]
    assert_allclose(found[:10], np.cumsum(raw[:10]) / np.arange(1, 11))
    assert_allclose(found[11:], 0.9 * np.array(found[10:-1]) + 0.1 * raw[11:])


def test_bad_input_is_refused():
    with pytest.raises(ModelError, match="mean delay"):
        latency_estimator(-0.01)
    with pytest.raises(ModelError, match="below 1"):
        latency_estimator(DELAY, 1.0)
    p = latency_estimator(DELAY)
    with pytest.raises(ModelError, match="before the first frame"):
        p.delay(p.start())
    s = p.update(p.start(), 1.0, 5.0)
    with pytest.raises(ModelError, match="after a restart of either clock"):
        p.update(s, 1.1, 5.0)
    with pytest.raises(ModelError, match="not after the one before"):
        p.update(s, 0.9, 5.1)
    with pytest.raises(ModelError, match="finite"):
        p.update(s, np.nan, 5.1)
    with pytest.raises(ModelError, match="shape"):
        p.update(np.zeros(3), 1.1, 5.1)


def test_recordings_without_a_delay_are_refused():
    t, phi, received, sent, phi_M = recorded(0, 0.0, 10.0)
    with pytest.raises(ModelError, match="does not move"):
        identify_delay(t, 0 * phi, received, sent, phi_M)
    with pytest.raises(ModelError, match="one axis and sign"):
        identify_delay(t, -phi, received, sent, phi_M)
    with pytest.raises(ModelError, match="look further"):
        identify_delay(t, phi, received, sent, phi_M, longest=0.02)
    with pytest.raises(ModelError, match="overlap for 0 s"):
        identify_delay(t, phi, received + 100, sent, phi_M)
    with pytest.raises(ModelError, match="increasing"):
        identify_delay(t[::-1], phi, received, sent, phi_M)
    with pytest.raises(ModelError, match="received"):
        identify_delay(t, phi, received[1:], sent, phi_M)
