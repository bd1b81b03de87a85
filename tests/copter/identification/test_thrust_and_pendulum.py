"""Thrust curves and pendulums within one per cent; tables of a user; pictures of what is left."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from visviva.copter.identification import (
    bifilar_torque,
    identify_pendulum,
    identify_thrust,
    read_columns,
)
from visviva.errors import ModelError

KAPPA, SCALE_NOISE = 1.44e-5, 0.02  # [N] of a scale with steps of some grams
MASS, DISTANCE, LENGTH = 1.001, 0.4, 1.2
ANGLE_NOISE, GYRO_NOISE = np.deg2rad(0.1), 0.005  # per sample at 200 Hz [rad, rad/s]


def swing(seed, inertia, damping, seconds=20.0):
    def slope(_, x):
        return [x[1], -(damping * x[1] + bifilar_torque(x[0], MASS * 9.81, DISTANCE, LENGTH)) / inertia]

    rng, t = np.random.default_rng(seed), np.arange(0, seconds, 0.005)
    x = solve_ivp(slope, (0, seconds), [0.6, 0.0], t_eval=t, rtol=1e-9, atol=1e-11).y
    return t, x[0] + ANGLE_NOISE * rng.standard_normal(len(t)), x[1] + GYRO_NOISE * rng.standard_normal(len(t))


@pytest.mark.parametrize("seed", range(5))
def test_kappa_F_within_one_per_cent(seed):
    rng, w = np.random.default_rng(seed), np.linspace(150, 750, 13)
    F = KAPPA * w**2 + SCALE_NOISE * rng.standard_normal(13)
    found = identify_thrust(w, F)
    assert found["kappa_F"] == pytest.approx(KAPPA, rel=0.01)
    assert 0 < found.half_widths["kappa_F"] < 0.01 * KAPPA
    lifted = identify_thrust(w, F + 0.3, offset=True)
    assert lifted["kappa_F"] == pytest.approx(KAPPA, rel=0.015)
    assert lifted["F_0"] == pytest.approx(0.3, abs=0.04)


@pytest.mark.parametrize("inertia", [17.9e-3, 30.7e-3])
@pytest.mark.parametrize("gyro", [True, False])
def test_moments_of_inertia_within_one_per_cent(inertia, gyro):
    t, angle, rate = swing(3, inertia, 2e-4)
    found = identify_pendulum(t, angle, rate if gyro else None, mass=MASS, distance=DISTANCE, length=LENGTH)
    assert found["Theta"] == pytest.approx(inertia, rel=0.01)
    assert found.interval("Theta")[0] < inertia < found.interval("Theta")[1]
    assert found.interval("Upsilon")[0] < 2e-4 < found.interval("Upsilon")[1]


def test_the_torque_of_the_strings_is_the_slope_of_the_height():
    def height(a):
        return -np.sqrt(LENGTH**2 - DISTANCE**2 / 2 * (1 - np.cos(a)))

    for a in (0.1, 0.7, 1.5):
        slope = MASS * 9.81 * (height(a + 1e-5) - height(a - 1e-5)) / 2e-5
        assert bifilar_torque(a, MASS * 9.81, DISTANCE, LENGTH) == pytest.approx(slope, rel=1e-8)
    small = MASS * 9.81 * DISTANCE**2 / (4 * LENGTH * 17.9e-3)
    assert bifilar_torque(1e-4, MASS * 9.81, DISTANCE, LENGTH) / 17.9e-3 / 1e-4 == pytest.approx(small, rel=1e-6)


def test_a_body_that_hangs_still_tells_nothing():
    t, rng = np.arange(0, 5, 0.005), np.random.default_rng(0)
    with pytest.raises(ModelError, match=r"do not see .*Υ/Θ"):
        identify_pendulum(t, ANGLE_NOISE * rng.standard_normal(len(t)), mass=MASS, distance=DISTANCE, length=LENGTH)
    with pytest.raises(ModelError, match="radian"):
        identify_pendulum(t, 30 * np.cos(t), mass=MASS, distance=DISTANCE, length=LENGTH)


def test_thrusts_that_cannot_be_are_refused():
    w = np.linspace(150, 750, 13)
    with pytest.raises(ModelError, match="not positive"):
        identify_thrust(w, -KAPPA * w**2)
    with pytest.raises(ModelError, match="looks like rpm"):
        identify_thrust(w * 9.55, KAPPA * w**2)
    with pytest.raises(ModelError, match="looks like Hz"):
        identify_thrust(w / 10, KAPPA * w**2)
    with pytest.raises(ModelError, match="list of 4 speeds"):
        identify_thrust(w[:3], KAPPA * w[:3] ** 2)
    with pytest.raises(ModelError, match=r"do not see .*kappa_F by 1"):
        identify_thrust(np.full(13, 400.0), np.full(13, 2.3), offset=True)


@pytest.mark.parametrize(("unit", "newtons"), [("g", 9.81e-3), ("kg", 9.81)])
def test_thrusts_of_a_scale_are_told_by_their_size(unit, newtons):
    w = np.linspace(150, 750, 13)
    told = KAPPA * w**2 / newtons
    assert identify_thrust(w, told, thrust_unit=unit)["kappa_F"] == pytest.approx(KAPPA, rel=1e-12)
    if unit == "g":
        with pytest.raises(ModelError, match=r"end at 313 m/s.*\n.*in g, or speed in rpm\? Say thrust_unit='g'"):
            identify_thrust(w, told)
        (remark,) = identify_thrust(0.8 * w, 0.64 * told).remarks  # not up to full speed
    else:
        (remark,) = identify_thrust(w, told).remarks
    assert f"thrust in {unit}" in remark
    assert identify_thrust(w, told, thrust_unit="N").remarks == ()
    with pytest.raises(ModelError, match="thrust_unit is 'N', 'g' or 'kg', got 'lbs'"):
        identify_thrust(w, told, thrust_unit="lbs")


@pytest.mark.parametrize(
    ("diameter", "rpm", "grams"), [(0.031, 40e3, 26), (0.127, 26e3, 1300), (0.254, 7.2e3, 830), (0.71, 4e3, 9500)]
)
def test_propellers_from_an_inch_to_a_yard_are_usual(diameter, rpm, grams):
    w = 2 * np.pi / 60 * np.linspace(0.2, 1, 9) * rpm
    F = 9.81e-3 * grams * (w / w[-1]) ** 2
    assert identify_thrust(w, F, speed_unit="rad/s").remarks == ()
    with pytest.raises(ModelError, match="thrust in g"):
        identify_thrust(w, F / 9.81e-3, speed_unit="rad/s")


def test_pendulums_in_other_units_are_told():
    t, angle, rate = swing(3, 17.9e-3, 2e-4, seconds=10.0)
    given = {"mass": MASS, "distance": DISTANCE, "length": LENGTH}
    for name, factor, match in (
        ("mass", 1e3, r"mass is 1001 kg, beyond.*\n.*1001 g are 1\.001 kg"),
        ("distance", 1e3, r"distance of the strings is 400 m.*\n.*400 mm are 0\.4 m"),
        ("length", 1e2, r"length of the strings is 120 m.*\n.*120 cm are 1\.2 m"),
    ):
        with pytest.raises(ModelError, match=match):
            identify_pendulum(t, angle, rate, **given | {name: factor * given[name]})
    with pytest.raises(ModelError, match=r"0\.0175 times what the rate.*\n.*in °/s, use np\.deg2rad"):
        identify_pendulum(t, angle, np.rad2deg(rate), **given)
    with pytest.raises(ModelError, match="in the other direction, change its sign"):
        identify_pendulum(t, angle, -rate, **given)


@pytest.mark.parametrize("divider", [",", ";", "\t"])
def test_columns_of_a_table_are_read_by_name(tmp_path, divider):
    w = np.linspace(150, 750, 13)
    rows = [
        divider.join(("speed [rad/s]", "F [N]", "note")),
        *(f"{a!r}{divider}{KAPPA * a**2!r}{divider}x" for a in w.tolist()),
    ]
    (tmp_path / "bench.csv").write_text("\n".join(rows) + "\n")
    speed, thrust = read_columns(tmp_path / "bench.csv", "speed", "F [N]")
    assert identify_thrust(speed, thrust)["kappa_F"] == pytest.approx(KAPPA, rel=1e-12)
    with pytest.raises(ModelError, match=r"has no 'thrust'. Known: F \[N\], note"):
        read_columns(tmp_path / "bench.csv", "thrust")
    with pytest.raises(ModelError, match="line 2: column 'note' has 'x', not a number"):
        read_columns(tmp_path / "bench.csv", "note")
    (tmp_path / "none.csv").write_text("t\n")
    with pytest.raises(ModelError, match="1 lines"):
        read_columns(tmp_path / "none.csv", "t")


def test_tables_of_other_programs(tmp_path):
    path = tmp_path / "log.csv"
    for encoding in ("latin-1", "utf-8", "utf-8-sig", "utf-16"):
        path.write_bytes("\nt [s];a [°];w [rpm];w [Hz];w [Hz]\n0;1;2;3;4\n".encode(encoding))
        np.testing.assert_array_equal(read_columns(path, "t", "a [°]", "w [rpm]"), [[0], [1], [2]])
    with pytest.raises(ModelError, match=r"has 2 columns 'w \[Hz\]', numbers 4, 5"):
        read_columns(path, "w [Hz]")
    with pytest.raises(ModelError, match=r"has 3 columns 'w', numbers 3, 4, 5: 'w \[rpm\]'"):
        read_columns(path, "w")
    for wrong in ("x", "nan", "", "1,5"):
        path.write_text(f"t;w\n\n0;1\n\n0.1;{wrong}\n")
        with pytest.raises(ModelError, match=rf"line 5: column 'w' has '{wrong}', not a number"):
            read_columns(path, "w")
    path.write_text("t,w\n0\n")
    with pytest.raises(ModelError, match="line 2: column 'w' has nothing"):
        read_columns(path, "w")


def test_a_result_prints_and_draws_itself(tmp_path):
    w = np.linspace(150, 750, 13)
    found = identify_thrust(w, KAPPA * w**2 + 0.02 * np.sin(np.arange(13)))
    assert "kappa_F" in str(found)
    assert "N s²/rad²" in str(found)
    assert "% unexplained" in str(found)
    figure = found.plot(tmp_path / "thrust.svg")
    assert len(figure.axes) == 2
    assert (tmp_path / "thrust.svg").stat().st_size > 1000
    drawn = figure.axes[1].lines[0].get_ydata()
    np.testing.assert_array_equal(drawn, found.residuals[:, 0])
    with pytest.raises(ModelError, match="kappa_F"):
        found["kappa_T"]
    with pytest.raises(TypeError):
        found.values["kappa_F"] = 1.0
