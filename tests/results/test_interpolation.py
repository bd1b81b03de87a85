"""Between the nodes: cubic where rates are known, linear elsewhere, exact at the nodes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from systems import oscillator

import visviva as vv
from visviva.geometry import SO3
from visviva.geometry.embedding import Flat
from visviva.model import Kinetic, QuadraticEnergy, Variable, canonical

TIME = 0.1234


@pytest.mark.parametrize("name", ["rod.r", "rod.R", "tip.r", "hinge.q", "tool.r", "energy", "motor.power"])
def test_nodes_are_met(machine_run, name):
    times = machine_run.t if len(machine_run[name]) == 51 else machine_run.t_mid
    for k in (0, 7, 49):
        assert_allclose(machine_run.at(times[k], name), machine_run[name][k], rtol=0, atol=1e-13)


@pytest.mark.parametrize("name", ["rod.r", "arm.r", "tip.r", "tool.r", "hinge.q", "elbow.q", "arm.R"])
def test_positions_between_nodes_are_those_of_the_nodes_left_out(machine, inputs, name):
    """Thinned by ten: what lies between is met far better than by a straight line."""
    full = vv.simulate(machine(), t_end=0.4, h=0.01, inputs=inputs)
    thin = vv.simulate(machine(), t_end=0.4, h=0.01, inputs=inputs, every=10)
    k = 15
    cubic = np.abs(thin.at(full.t[k], name) - full[name][k]).max()
    straight = np.abs(0.5 * (full[name][10] + full[name][20]) - full[name][k]).max()
    assert cubic < 0.02 * straight


def test_rotations_between_nodes_are_rotations(machine_run):
    R = machine_run.at(TIME, "arm.R")
    assert_allclose(R.T @ R, np.eye(3), rtol=0, atol=1e-14)


def test_a_frame_on_the_ground_stays(machine_run):
    assert_allclose(machine_run.at(TIME, "base.R"), machine_run["base.R"][0], rtol=0, atol=1e-15)


def test_a_steady_turn_is_met_exactly(rotor):
    run = vv.simulate(rotor(2.0), t_end=1.0, h=0.1)
    angle = run["axle.q"][-1] * TIME
    assert run.at(TIME, "axle.q") == pytest.approx(angle, abs=1e-3 * angle)  # the scheme turns by 2 atan(hω/2)/h
    assert_allclose(run.at(TIME, "disc.R"), SO3.exp((0, 0, run.at(TIME, "axle.q"))).R, rtol=0, atol=1e-4)


@pytest.mark.parametrize("every", [1, 4])
def test_state_variables_of_a_system_are_cubic(every):
    """q = cos ωt at large steps: the error of the interpolation falls with the fourth power."""
    run = vv.simulate(oscillator(), 2.0, 0.05, initial={"q": 1.0, "p": 0.0}, inputs={"p": 0.0}, every=every)
    k = 0.05 * every
    t = run.t[2] + 0.5 * k
    w = 2.0 / 0.05 * np.arctan(0.5 * 0.05 * np.sqrt(1.5))  # frequency of the midpoint rule
    assert run.at(t, "q") == pytest.approx(np.cos(w * t), abs=0.02 * k**4 + 1e-4 * k)
    assert abs(0.5 * (run["q"][2] + run["q"][3]) - np.cos(w * t)) > 0.1 * k**2


def test_velocity_variables_are_linear():
    """Their rate is a force over a mass that may be zero."""
    variables = (Variable("q", Flat(1)), Variable("v", Flat(1)))
    storages = (Kinetic("mass", "v", np.eye(1)), QuadraticEnergy("spring", "q", np.eye(1)))
    model = vv.Model("osc", variables, storages, (canonical("pair", "q", "v", 1),))
    run = vv.simulate(model, 1.0, 0.1, integrator=vv.DiscreteGradient(), initial={"q": 1.0, "v": 0.0})
    assert_allclose(run.at(0.25, "v"), 0.5 * (run["v"][2] + run["v"][3]), rtol=0, atol=1e-14)
    assert_allclose(run.at(0.25, "energy"), run["energy"][0], rtol=0, atol=1e-14)


def test_a_run_of_one_node_knows_that_one(pendulum):
    run = vv.simulate(pendulum(), t_end=0.0, h=0.1)
    assert_allclose(run.at(0.0, "rod.r"), run["rod.r"][0], rtol=0, atol=0)
    with pytest.raises(vv.ModelError, match="lies outside of what is known, for this run made no step"):
        run.at(0.0, "hinge.rod.power")


def test_other_times_are_refused(machine_run):
    with pytest.raises(vv.ModelError, match=r"run.at\(0.6, 'rod.r'\) lies outside of what is known, from t = 0 to 0.5"):
        machine_run.at(0.6, "rod.r")
    with pytest.raises(vv.ModelError, match=r"the time of run.at .* must be finite"):
        machine_run.at(np.nan, "rod.r")
