"""Flights by sensors: M16, what goes wrong, and that nothing is told twice."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError, copter
from visviva.copter.agents.agent import BEFORE
from visviva.copter.flights.controller import controller
from visviva.copter.models.gyrostat import gyrostat, rates
from visviva.copter.models.plant import advance_plant, matrix, plant_start, specific_force, step_inverse
from visviva.copter.vehicles.blades import STILL

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
    a = specific_force(p, x, np.array(hover.currents), np.zeros(0), nothing, own.gravity)
    assert_allclose(a, [0, 0, own.gravity], atol=1e-9)
    assert_allclose(matrix(x, 3), np.eye(3), atol=1e-12)


def fly(p, x, h, steps, *acting):
    inverse, grown = step_inverse(p, x, h), np.zeros(len(p.M))
    for _ in range(steps):
        advance_plant(p, x, h, *acting, inverse, grown)


def test_rates_solve_the_equations_of_motion():
    """M ξ̇ + c = f, with a wrench of nobody else."""
    tri, rng = copter.tricopter(), np.random.default_rng(0)
    own, theta, xi = copter.Equations(tri), np.array([0.2, -0.1, 0.3]), rng.normal(size=12)
    wrench, given = rng.normal(size=6), (np.full(3, 4.0), -theta)
    found = rates(gyrostat(tri), np.eye(3), theta, xi, *given, wrench, STILL)
    right = own.forces(np.eye(3), theta, xi, *given) - own.c(theta, xi)
    right[:6] += wrench
    assert_allclose(own.M(theta) @ found, right, atol=1e-12)


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
        (lambda: copter.Agent(QUAD, ahead=BEFORE), "whole number of ticks"),
        (lambda: copter.fly("looping", gust=lambda t: (0, 0, 1)), "by sensors"),
        (lambda: copter.fly("looping", sensors=SENSORS, h=3e-3), "whole number of steps"),
        (lambda: copter.fly("looping", agent=copter.Agent(copter.tricopter())), "other rotors or servos"),
    ],
)
def test_what_cannot_be_is_refused(wrong, said):
    with pytest.raises(ModelError, match=said):
        wrong()
