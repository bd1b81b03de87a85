"""Drives are identified from noisy records of a bench, without the bias of smoothing, and what is unseen is named."""

import numpy as np
import pytest
from scipy.signal import cont2discrete

from visviva.copter import quadcopter, tricopter
from visviva.copter.identification import identify_propeller, identify_servo
from visviva.copter.identification.derivatives import SavitzkyGolay
from visviva.errors import ModelError

T = 0.005
ROTOR, SERVO = quadcopter().rotors[0], tricopter().rotors[0].servo
PROPELLER = {"p_P1": ROTOR.p_P1, "p_P2": ROTOR.p_P2, "p_P3": ROTOR.p_P3}
SPEED_NOISE, TILT_NOISE = 1.0, np.deg2rad(0.1)  # per sample, of encoders [rad/s, rad]


def propeller(seed, noise=SPEED_NOISE, low=1.5, high=9.0, n=4000):
    """Twenty seconds with a new current every half second; steps of a tenth of a sample by Heun's method."""
    rng = np.random.default_rng(seed)
    i = np.repeat(rng.uniform(low, high, n // 100), 100)
    w, x = np.empty(n), np.sqrt((ROTOR.p_P2 * i[0] - ROTOR.p_P3) / ROTOR.p_P1)
    for k in range(n):
        w[k] = x
        for _ in range(10):
            a = ROTOR.p_P2 * i[k] - ROTOR.p_P3 - ROTOR.p_P1 * x**2
            b = ROTOR.p_P2 * i[k] - ROTOR.p_P3 - ROTOR.p_P1 * (x + T / 10 * a) ** 2
            x += T / 20 * (a + b)
    return T * np.arange(n), w + noise * rng.standard_normal(n), i


def servo(seed, noise=TILT_NOISE, n=4000):
    """Twenty seconds with a new angle every fifth of a second, exactly."""
    rng, a, b = np.random.default_rng(seed), SERVO.p_S0, SERVO.p_S1
    A, B = cont2discrete((np.array([[0, 1], [-a, -b]]), np.array([[0], [a]]), np.eye(2), np.zeros((2, 1))), T)[:2]
    u, x = np.repeat(rng.uniform(-0.7, 0.7, n // 40), 40), np.zeros((n, 2))
    for k in range(n - 1):
        x[k + 1] = A @ x[k] + B[:, 0] * u[k]
    return T * np.arange(n), x[:, 0] + noise * rng.standard_normal(n), u


@pytest.mark.parametrize("seed", range(4))
def test_three_parameters_of_a_propeller_within_two_per_cent(seed):
    found = identify_propeller(*propeller(seed), inertia=ROTOR.inertia)
    for name, true in PROPELLER.items():
        assert found[name] == pytest.approx(true, rel=0.02)
    assert found["kappa_T"] == pytest.approx(ROTOR.kappa_T, rel=0.02)
    assert found["k_M"] == pytest.approx(ROTOR.k_M, rel=0.02)
    assert found["tau_MB"] == pytest.approx(ROTOR.tau_MB, rel=0.02)


@pytest.mark.parametrize("seed", range(4))
def test_two_parameters_of_a_servo_within_two_per_cent(seed):
    found = identify_servo(*servo(seed), inertia=SERVO.inertia)
    assert found["p_S0"] == pytest.approx(SERVO.p_S0, rel=0.02)
    assert found["p_S1"] == pytest.approx(SERVO.p_S1, rel=0.02)
    assert found["k_P"] == pytest.approx(1400, rel=0.02)
    assert found["k_D"] == pytest.approx(66, rel=0.02)


def test_intervals_hold_what_is_true_about_as_often_as_they_say():
    inside = []
    for seed in range(12):
        p = identify_propeller(*propeller(seed, n=1200))
        inside += [p.interval(name)[0] <= true <= p.interval(name)[1] for name, true in PROPELLER.items()]
        assert p.half_widths["p_P1"] < 0.02 * p["p_P1"]
    assert np.mean(inside) >= 0.88


@pytest.mark.parametrize("window", [11, 41, 81])
def test_wide_windows_do_not_smooth_the_parameters_away(window):
    """Steps of currents over windows of up to 0.4 s; compared at their middles they cost some per cent."""
    t, w, i = propeller(3, noise=0.0)
    found = identify_propeller(t, w, i, window=window)
    for name, true in PROPELLER.items():
        assert found[name] == pytest.approx(true, rel=1e-3)
    if window == 81:
        sg = SavitzkyGolay(window, 2, t[1], 1)
        middle = np.stack([-(sg.middle(w) ** 2), sg.middle(i), -np.ones(len(t) - 80)], axis=1)
        plain = np.linalg.lstsq(middle, sg.derivative(w), rcond=None)[0]
        assert abs(plain[0] / ROTOR.p_P1 - 1) > 0.05


@pytest.mark.parametrize("seed", range(3))
def test_speeds_that_are_means_of_a_step_are_half_a_step_late(seed):
    """(5.22): taken for those of the instant they bend all three by some per cent, outside of their intervals."""
    t, w, i = propeller(seed, noise=0.0)
    told = np.append(w[0], (w[1:] + w[:-1]) / 2)
    found, late = identify_propeller(t, told, i, mean=True), identify_propeller(t, told, i)
    for name, true in PROPELLER.items():
        assert found[name] == pytest.approx(true, rel=1e-3)
    assert late["p_P3"] > 1.03 * ROTOR.p_P3
    assert late.interval("p_P1")[1] < ROTOR.p_P1
    noisy = told + SPEED_NOISE * np.random.default_rng(seed).standard_normal(len(t))
    assert identify_propeller(t, noisy, i, mean=True)["p_P3"] == pytest.approx(ROTOR.p_P3, rel=0.02)


def test_a_servo_without_noise_is_found_over_wide_windows_as_well():
    found = identify_servo(*servo(1, noise=0.0), window=25)
    assert found["p_S0"] == pytest.approx(SERVO.p_S0, rel=1e-3)
    assert found["p_S1"] == pytest.approx(SERVO.p_S1, rel=5e-3)  # θ̈ has kinks inside of Numerov's hats


def test_the_friction_brakes():
    t, w, i = propeller(0)
    assert identify_propeller(t, w, i)["p_P3"] > 0
    forwards = identify_propeller(t, w, i - 2 * ROTOR.p_P3 / ROTOR.p_P2)  # currents with an offset
    assert forwards["p_P3"] < 0
    assert "drives" in str(forwards)


def test_a_steady_speed_does_not_tell_what_brakes_it():
    rng = np.random.default_rng(0)
    t, w = T * np.arange(2000), 412.9 + rng.standard_normal(2000)
    with pytest.raises(ModelError, match=r"do not see this combination .*p_P2 by 1 .*p_P3 by 4\.45"):
        identify_propeller(t, w, np.full(2000, 4.45))
    with pytest.raises(ModelError, match=r"p_P1 by 1 1/rad.* times what noise makes"):  # 10 mA move nothing but noise
        identify_propeller(t, w, 4.45 + 0.01 * np.sign(np.sin(5 * t)))


def test_units_that_look_wrong_are_asked_for():
    t, w, i = propeller(0)
    rpm = w * 60 / (2 * np.pi)
    with pytest.raises(ModelError, match="looks like rpm"):
        identify_propeller(t, rpm, i)
    assert identify_propeller(t, rpm, i, speed_unit="rpm")["p_P1"] == pytest.approx(ROTOR.p_P1, rel=0.02)
    assert identify_propeller(t, w / (2 * np.pi), i, speed_unit="Hz")["p_P1"] == pytest.approx(ROTOR.p_P1, rel=0.02)
    with pytest.raises(ModelError, match=r"reach 95\.8 at most: that looks like Hz\.\nSay speed_unit='Hz'"):
        identify_propeller(t, w / (2 * np.pi), i)
    assert identify_propeller(t, w / 6, i, speed_unit="rad/s")["p_P1"] == pytest.approx(6 * ROTOR.p_P1, rel=0.02)
    for unit in (1e3, 1e6):
        with pytest.raises(ModelError, match=r"times t \[s\] are 5e?\+?0?3? ?0* ?s? ?.*apart.*\n.*in ms or µs"):
            identify_propeller(t * unit, w, i)
    with pytest.raises(ModelError, match=r"largest current is \S+ A, beyond.*\n.*mA are"):
        identify_propeller(t, w, 1e3 * i)
    for factor in (1e7, 1e-3):
        with pytest.raises(
            ModelError, match=r"k_M = \S+ N m/A, and motors have.*\n.*360 g cm² are 3.6e-05 kg m²|3.6e-08"
        ):
            identify_propeller(t, w, i, inertia=factor * ROTOR.inertia)
    with pytest.raises(ModelError, match="speed_unit is"):
        identify_propeller(t, w, i, speed_unit="1/min")
    time, tilt, wanted = servo(0)
    with pytest.raises(ModelError, match="radian"):
        identify_servo(time, np.rad2deg(tilt), wanted)


def test_records_that_cannot_be_used_are_refused():
    t, w, i = propeller(0)
    with pytest.raises(ModelError, match=r"one period: most are 0\.005 s apart, samples 99 and 100 are 0\.015 s"):
        identify_propeller(np.delete(t, [100, 101]), np.delete(w, [100, 101]), np.delete(i, [100, 101]))
    with pytest.raises(ModelError, match="30 samples are too few: at least 41"):
        identify_propeller(t[:30], w[:30], i[:30])
    with pytest.raises(ModelError, match=r"current \[A\] must have shape \(4000,\).*got \(3999,\)"):
        identify_propeller(t, w, i[1:])
    with pytest.raises(ModelError, match="must not be negative"):
        identify_propeller(t, -w, i)
    with pytest.raises(ModelError, match="both are positive"):
        identify_propeller(t, w, -i)
    with pytest.raises(ModelError, match="window is an odd number"):
        identify_propeller(t, w, i, window=20)
    with pytest.raises(ModelError, match=r"both whole numbers; got window=21, order=2\.0"):
        identify_propeller(t, w, i, order=2.0)
    time, tilt, wanted = servo(0)
    with pytest.raises(ModelError, match="count alike"):
        identify_servo(time, -tilt, wanted)
