"""Flights by sensors: M16, what goes wrong, and that nothing is told twice."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError, copter
from visviva.copter.flights.controller import controller
from visviva.copter.models.gyrostat import gyrostat
from visviva.copter.models.plant import (
    advance_plant,
    matrix,
    plant_memory,
    plant_start,
    prepare,
    put_rates,
    specific_force,
)
from visviva.geometry import SO3

QUAD = copter.quadcopter()
SENSORS = copter.Sensors()

flown = lru_cache(copter.fly)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tricopter transitions", "transitions", "looping", "flip"])
def test_manoeuvres_are_flown_by_sensors_as_well_as_in_reality(name):
    """M16 and its goal: bias unknown, noise, latency, full equations; errors of the true pose."""
    flight = flown(name, sensors=SENSORS)
    found, real = flight.figures, flight.plan.flown
    assert found.e_r <= real.e_r
    assert found.e_R <= real.e_R
    assert flight.errors["e_r"].max() < 0.05
    low, high = flight.vehicle.rotors[0].thrusts
    assert flight.thrusts.min() > low - 0.02
    assert flight.thrusts.max() < high + 0.02
    assert np.any(flight.vehicle.bias)
    assert not np.any(flight.plan.vehicle.bias)
    assert "lost" not in str(flight)


MEANS = {
    "tricopter transitions": (0.005, 0.6),
    "transitions": (0.009, 1.0),
    "looping": (0.008, 1.0),
    "flip": (0.01, 1.6),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MEANS)
def test_figures_are_those_of_many_seeds(name):
    """Means of root mean squares [m], [°] over ten flights, as the documentation has them; no flight is lost."""
    flights = [copter.fly(name, sensors=copter.Sensors(seed=seed)) for seed in range(10)]
    e_r, e_R = np.mean([flight.figures[4:6] for flight in flights], axis=0)
    assert e_r < MEANS[name][0]
    assert e_R < MEANS[name][1]
    real = flights[0].plan.flown
    assert max(flight.figures.e_r for flight in flights) < real.e_r
    assert np.mean([flight.figures.e_R <= real.e_R for flight in flights]) >= 0.9
    assert not any("lost" in caution for flight in flights for caution in flight.cautions)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [20, 50, 100, 120])
def test_more_frames_do_no_harm(rate):
    """Errors of attitude and heading at more than 10 Hz are not worse, on average of three flights."""

    def mean(frame_period, jitter):
        many = [copter.Sensors(frame_period=frame_period, jitter=jitter, seed=seed) for seed in range(3)]
        return np.mean([copter.fly("transitions", sensors=each).figures[4:] for each in many], axis=0)

    assert (mean(1 / rate, 0.4 / rate) < 1.1 * mean(0.1, 0.01)).all()


@pytest.mark.slow
@pytest.mark.parametrize(("period", "h"), [(0.01, 1e-3), (0.0025, 5e-4)])
def test_other_periods_fly_as_well(period, h):
    flight = copter.fly("transitions", sensors=SENSORS, period=period, h=h)
    assert flight.figures.e_r < 0.012
    assert flight.figures.e_R < 2.5
    assert "lost" not in str(flight)


@pytest.mark.slow
def test_the_unknown_wrench_is_found():
    flight = flown("transitions", sensors=SENSORS)
    bias = flight.record.bias[-100:].mean(axis=0)
    m = QUAD.bias[:3] - np.cross(QUAD.com, QUAD.bias[3:])  # about the centre of mass
    assert_allclose(bias[:3], m, atol=2e-3)
    assert_allclose(bias[3:], QUAD.bias[3:], atol=0.03)


@pytest.mark.slow
def test_what_goes_wrong_is_told():
    weak = [replace(r, kappa_F=0.8 * r.kappa_F) if r.name == "rotor2" else r for r in QUAD.rotors]
    flight = copter.fly("transitions", replace(QUAD, rotors=weak), agent=copter.Agent(QUAD))
    assert "rotor2 seems to push" in str(flight)
    assert flight.errors["e_r"].max() < 0.1
    assert "seems to push" not in str(flown("transitions", sensors=SENSORS))

    blind = copter.fly("transitions", sensors=copter.Sensors(blind=((1.0, 3.0),)))
    assert "frames were missing for up to 2" in str(blind)
    assert flown("transitions", sensors=SENSORS).errors["e_r"].max() < blind.errors["e_r"].max() < 0.3

    gust = copter.fly("transitions", sensors=SENSORS, gust=lambda t: (0.0, 3.0 if 2.0 < t < 3.0 else 0.0, 0.0))
    late = gust.errors["t"] > 5.0
    assert 0.1 < gust.errors["e_r"].max() < 0.4
    assert gust.errors["e_r"][late].max() < 0.05

    alone = copter.fly("looping", sensors=copter.Sensors(dropout=0.99))
    assert "never flew" in str(alone.cautions)


def test_the_law_takes_a_known_wrench_by_the_acceleration_it_begins_at():
    """On the reference it asks for what the wrench takes away, with thrusts inside of their limits."""
    own = QUAD.without_bias()
    plan = copter.manoeuvre("looping", own)
    code = controller(own, plan.path, damped=False).code
    now = plan.path.motion(0.0)
    y = np.concatenate([now.X.r, now.X.R.ravel(), now.V])
    code.evaluate(0.0, y)
    before = own.allocation() @ code.control.u
    held = np.array([0.02, -0.03, 0.01, 0.0, 0.0, -0.5])
    code.control.still[:] = -np.linalg.solve(own.inertia_matrix, held)
    code.reset()
    code.evaluate(0.0, y)
    assert_allclose((own.allocation() @ code.control.u - before)[[0, 1, 2, 5]], -held[[0, 1, 2, 5]], atol=1e-9)


def test_a_plant_at_hover_stays_and_feels_its_weight():
    own = QUAD.without_bias()
    p, hover = gyrostat(own), own.hover
    x = plant_start(np.array([0.0, 0.0, 1.0]), np.eye(3), np.zeros(0), hover.speeds)
    start, nothing = x.copy(), np.zeros(3)
    fly(p, x, 1e-3, 20, np.array(hover.currents), np.zeros(0), nothing)
    assert_allclose(x, start, atol=1e-9)
    a = specific_force(p, x, np.array(hover.currents), np.zeros(0), nothing, own.gravity, plant_memory(p))
    assert_allclose(a, [0, 0, own.gravity], atol=1e-9)
    assert_allclose(matrix(x, 3), np.eye(3), atol=1e-12)


def test_a_manoeuvre_flies_the_same_vehicle_as_its_name(monkeypatch):
    """With the bias of Table 5.1 in the plant, which neither the agent nor the reference knows."""
    flown_ones = []
    monkeypatch.setattr(copter.Agent, "fly", lambda agent, plan, vehicle, *given, **more: flown_ones.append(vehicle))
    for what in ("transitions", copter.manoeuvre("transitions")):
        copter.fly(what, sensors=SENSORS)
    assert_allclose(flown_ones[0].bias, flown_ones[1].bias)
    assert np.any(flown_ones[1].bias)


def test_gains_of_a_flight_are_those_of_its_agent(monkeypatch):
    """`fly` hands them on, and an agent takes those of its observers."""
    made = []
    monkeypatch.setattr(copter.Agent, "fly", lambda agent, *given, **more: made.append(agent))
    copter.fly("looping", sensors=SENSORS, approach="body", poles=(-3, -4, -5, -6), period=1e-2)
    copter.fly("looping", sensors=SENSORS)
    assert (made[0].approach, made[0].poles, made[0].period) == ("body", (-3, -4, -5, -6), 1e-2)
    assert (made[1].approach, made[1].period) == ("particle", 5e-3)
    p = copter.Agent(QUAD, frame_poles=(0.0, 0.2, 0.4), attitude_gain=0.5, rate_gains=(0.1, 0.02), force_memory=0.9)
    p = p.parameters(SENSORS)
    assert_allclose(p.position.poles, (0.0, 0.2, 0.4), atol=1e-9)
    assert (p.attitude.gain, p.rate.L_omega, p.rate.L_tau, p.bias.l_F) == (0.5, 0.1, 0.02, 0.9)


def fly(p, x, h, steps, *acting):
    memory = plant_memory(p)
    prepare(p, x, h, memory)
    for _ in range(steps):
        advance_plant(p, x, h, *acting, memory)


def test_rates_solve_the_equations_of_motion():
    """M ξ̇ + c = f, with a gust at the centre of mass."""
    tri, rng = copter.tricopter(), np.random.default_rng(0)
    own, theta, xi = copter.Equations(tri), np.array([0.2, -0.1, 0.3]), rng.normal(size=12)
    gust, given, p = rng.normal(size=3), (np.full(3, 4.0), -theta), gyrostat(tri)
    R, memory = SO3.exp(rng.normal(size=3)).matrix, plant_memory(p)
    x = plant_start(np.zeros(3), R, theta, np.zeros(3))
    x[10:] = xi
    put_rates(p, x, *given, gust, memory)
    right = own.forces(R, theta, xi, *given) - own.c(theta, xi)
    right[:6] += np.concatenate([np.cross(tri.com, R.T @ gust), R.T @ gust])
    assert_allclose(own.M(theta) @ memory.f, right, atol=1e-12)


def test_steps_of_a_plant_are_of_order_two():
    tri = copter.tricopter()
    p, hover, tilts = gyrostat(tri), tri.hover, np.array([0.2, -0.1, 0.3])
    ends = []
    for n in (10, 20, 40):
        x = plant_start(np.zeros(3), np.eye(3), tilts, 1.1 * hover.speeds)
        x[10:13] = 3.0, -2.0, 1.0
        fly(p, x, 0.1 / n, n, np.array(hover.currents), -tilts, np.array([0.5, 0.0, 0.0]))
        ends.append(x)
    ratio = np.linalg.norm(ends[0] - ends[1]) / np.linalg.norm(ends[1] - ends[2])
    assert 3.8 < ratio < 4.3


def test_sensors_are_calibrated_and_draw_by_their_seed():
    found, gyro = SENSORS.calibrate(200.0, 9.81)
    assert np.degrees(np.arccos((np.trace(found.R_B.T @ SENSORS.R_B) - 1) / 2)) < 0.1
    assert_allclose(found.a_B, SENSORS.accel_bias, atol=5e-3)
    assert_allclose(gyro, SENSORS.gyro_bias, atol=1e-3)
    one, same, other = (copter.Sensors(seed=s).draw(400, 5e-3, 1e-3) for s in (1, 1, 2))
    assert_allclose(one.noise, same.noise)
    assert np.abs(one.noise - other.noise).max() > 1e-3
    late = one.tick * 5e-3 - one.step * 1e-3
    assert late.min() >= 0.024 - 1e-9
    assert late.max() <= 0.044 + 5e-3


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: copter.Sensors(jitter=0.05), "cannot arrive before"),
        (lambda: copter.Sensors(dropout=1.0), "below 1"),
        (lambda: copter.Sensors(blind=((3.0, 1.0),)), "from, until"),
        (lambda: copter.Sensors(blind=(1.0, 2.0, 3.0)), "pairs"),
        (lambda: copter.Sensors(seed=-1), "whole number"),
        (lambda: copter.Sensors(seed=1.5), "whole number"),
        (lambda: copter.Sensors(seed=None), "whole number"),
        (lambda: copter.Sensors(speed=-1.0), "at least 0"),
        (lambda: copter.Agent(QUAD, ahead=4), "a time"),
        (lambda: copter.Agent("quadcopter"), "vehicle of an agent is"),
        (lambda: copter.Agent(QUAD, approach="bodyy"), "'body'"),
        (lambda: copter.Agent(QUAD, cutoffs=(8, 12, -4)), "positive"),
        (lambda: copter.Agent(QUAD, mean_delay=-1), "at least 0"),
        (lambda: copter.Agent(QUAD, period=0.05).parameters(copter.Sensors(frame_period=0.04)), "one per tick"),
        (lambda: copter.fly("looping", sensors="ideal"), "sensors= is"),
        (lambda: copter.fly("looping", agent="mine"), "agent= is"),
        (
            lambda: copter.fly("looping", agent=copter.Agent(QUAD), period=5e-3, believed=QUAD),
            "period=, believed= beside",
        ),
        (lambda: copter.fly("looping", gust=lambda t: (0, 0, 1)), "by sensors"),
        (lambda: copter.fly("looping", sensors=SENSORS, h=3e-3), "whole number of steps"),
        (lambda: copter.fly("looping", agent=copter.Agent(copter.tricopter())), "other rotors or servos"),
    ],
)
def test_what_cannot_be_is_refused(wrong, said):
    with pytest.raises(ModelError, match=said):
        wrong()
