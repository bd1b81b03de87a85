"""What a flight by sensors adds to the truth: noise as it is asked for, times on one clock, and who begins when."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from plain_flights import fly, hover, in_python  # noqa: F401

from visviva import ModelError, copter
from visviva.copter.agents import agent_loop
from visviva.copter.agents.agent_tick import LONGEST, READY
from visviva.copter.agents.sensors import CLOCK
from visviva.copter.estimation.latency_estimator import OFFSET

T = 5e-3
pytestmark = pytest.mark.usefixtures("in_python")


def held(monkeypatch, sensors):
    """What sensors tell of a vehicle that is held at r = (0, 0, 1) for some seconds: IMU, speeds, frames with times."""
    told = []

    def tick(p, s, law, k, goal, imu, speeds, frame):
        told.append((imu.copy(), speeds.copy(), k * T - frame.sent[0] + CLOCK, frame.r.copy(), frame.q.copy()))
        return False

    monkeypatch.setattr(agent_loop, "tick_fixed", tick)
    monkeypatch.setitem(agent_loop.loops, False, agent_loop.fly_fixed)
    fly(sensors)
    imu, speeds, late, r, q = (np.array(each) for each in zip(*told, strict=True))
    came = np.isfinite(late)
    return imu, speeds, late[came], r[came], q[came]


def test_noise_is_what_was_asked_for(monkeypatch):
    """Standard deviations of all that is told, without loss; 1000 ticks and 400 frames or more."""
    asked = copter.Sensors.ideal(
        gyro=0.02, accel=0.3, speed=2.0, position=3e-3, attitude=0.01, frame_period=0.01, delay=0.02, jitter=0.004
    )
    imu, speeds, late, r, q = held(monkeypatch, asked)
    own = copter.quadcopter()
    assert_allclose((imu - [0, 0, 0, 0, 0, own.gravity]).std(axis=0), [0.02] * 3 + [0.3] * 3, rtol=0.1)
    assert_allclose((speeds[1:] - own.hover.speeds).std(axis=0), 2.0, rtol=0.1)
    assert len(late) > 400
    assert_allclose((r - [0.0, 0.0, 1.0]).std(axis=0), 3e-3, rtol=0.15)
    assert_allclose(2 * q[:, 1:].std(axis=0), 0.01, rtol=0.15)
    assert late.min() > 0.016 - 1e-9
    assert late.max() < 0.024 + T
    assert late.mean() == pytest.approx(0.02 + T / 2, abs=6e-4)
    assert late.std() == pytest.approx(np.hypot(0.004, T / 2) / np.sqrt(3), rel=0.15)


def test_lost_frames_are_as_many_as_asked_for(monkeypatch):
    *_, all_of_them, _, _ = held(monkeypatch, copter.Sensors.ideal(frame_period=0.01))
    *_, some, _, _ = held(monkeypatch, copter.Sensors.ideal(frame_period=0.01, dropout=0.3))
    assert len(some) / len(all_of_them) == pytest.approx(0.7, abs=0.06)


def test_calibrations_err_as_their_noise_does():
    """The bias of the gyroscope is a mean of 20 poses of 10 s at 200 Hz; that of the accelerometer is as good."""
    many = [copter.Sensors(seed=n) for n in range(30)]
    found = [each.calibrate(200.0, 9.81) for each in many]
    off = np.array([gyro - each.gyro_bias for each, (_, gyro) in zip(many, found, strict=True)])
    assert off.std() == pytest.approx(many[0].gyro / np.sqrt(20 * 2000), rel=0.25)
    off = np.array([one.a_B - each.accel_bias for each, (one, _) in zip(many, found, strict=True)])
    assert many[0].accel / np.sqrt(20 * 2000) < off.std() < 10 * many[0].accel / np.sqrt(20 * 2000)


@pytest.mark.parametrize("sensors", [copter.Sensors.ideal(), copter.Sensors.ideal(delay=0.034)])
def test_frames_are_dated_without_a_lag(sensors):
    """The offset of the clocks is found as it is, by the delay of the sensors and by the same, given."""
    assert sensors.mean_delay(T, 1e-3) == pytest.approx(T * np.ceil(round(sensors.delay / T, 6)), abs=1e-12)
    for given in (None, sensors.mean_delay(T, 1e-3)):
        flight = fly(sensors, mean_delay=given)
        assert flight.memory.latency[OFFSET] == pytest.approx(-CLOCK, abs=1e-9)
        assert flight.frames.taken >= 4
        assert flight.frames.future == 0


def test_the_mean_delay_of_jittering_frames_has_half_a_tick_in_it():
    assert copter.Sensors().mean_delay(T, 1e-3) == pytest.approx(0.034 + T / 2, abs=1e-3)


def test_a_late_start_cuts_nothing_off():
    usual, late = fly(copter.Sensors.ideal()), None
    for seed in range(20):
        late = fly(copter.Sensors.ideal(dropout=0.75, seed=seed))
        if late.flew and late.memory.counts[READY] > 0.6:
            break
    assert late.memory.counts[READY] > 0.6
    assert_allclose(late.t[-1], usual.t[-1])
    assert_allclose(late.errors["t"], usual.errors["t"], atol=1e-9)
    assert late.errors["t"][-1] == pytest.approx(late.plan.duration, abs=T + 1e-9)


@pytest.mark.parametrize("delay", [0.0, 0.08])
def test_gusts_and_blind_windows_are_by_the_clock_of_the_manoeuvre(delay):
    """However late the first frames are: the vehicle moves from the gust on, and frames of the window are missing."""
    asked = []

    def gust(t):
        asked.append(t)
        return (0.0, 0.0, 3.0 if t > 0.1 - 1e-9 else 0.0)

    flight = fly(copter.Sensors.ideal(delay=delay), gust=gust)
    up = flight.record.x[:, 2] - 1.0
    assert np.abs(up[flight.t < 0.1 + 1e-9]).max() < 1e-6
    assert up[flight.t > 0.1 + 1e-9].min() > 1e-5
    assert_allclose([min(asked), flight.record.gust[flight.t > 0.1 - 1e-9, 2].min()], [-0.1, 3.0], atol=1e-9)

    clear = copter.Sensors.ideal(delay=delay, frame_period=0.02)
    blind = copter.Sensors.ideal(delay=delay, frame_period=0.02, blind=((0.0, 0.1),))
    seen, unseen = (fly(each, plan=hover(0.3)) for each in (clear, blind))
    assert seen.frames.taken - unseen.frames.taken in (5, 6)
    assert seen.memory.counts[LONGEST] < 0.02 + delay + T + 1e-9
    assert 0.1 < unseen.memory.counts[LONGEST] - delay < 0.14


def test_what_never_flew_has_no_figures_and_says_why():
    asked = []
    flight = fly(copter.Sensors(dropout=0.99), gust=lambda t: asked.append(t) or (0.0, 0.0, 0.0))
    assert np.isfinite(asked).all()
    assert not flight.flew
    assert np.isnan(flight.figures[4:]).all()
    assert np.isfinite(flight.figures[:4]).all()
    assert len(flight.errors["t"]) == len(flight.thrusts) == len(flight.trace[0]) == 0
    assert "rms" not in str(flight)
    assert "it never flew" in str(flight)
    assert "did not arrive" in str(flight)
    for ask in (flight.plot, flight.audit, lambda: flight.tracking):
        with pytest.raises(ModelError, match="was not flown"):
            ask()


def test_lags_that_are_not_flown_are_said():
    quad = copter.quadcopter().without_bias()
    one, *others = (replace(rotor, lag=0.02) for rotor in quad.rotors)
    late, plain = (fly(copter.Sensors(), vehicle=own) for own in (replace(quad, rotors=[one, *others]), quad))
    assert_array_equal(late.record.x, plain.record.x)
    (caution,) = set(late.cautions) - set(plain.cautions)
    assert caution.startswith("lag=0.02 s of rotor1 and 3 more is for flights with perfect state and not used")


def test_frames_that_are_very_late_fly_all_the_same():
    """Observers keep as many samples as the delay takes."""
    flight = fly(copter.Sensors.ideal(delay=0.4))
    assert flight.frames.taken >= 3
    assert flight.figures.e_r < 1e-6


def test_the_time_ahead_is_the_same_at_any_period():
    for period, ticks in ((5e-3, 4), (1e-2, 2), (1e-3, 20)):
        own = copter.Agent(copter.quadcopter(), period=period)
        assert own.ticks_ahead == ticks
        assert own.parameters(copter.Sensors()).lead == pytest.approx(0.02)
