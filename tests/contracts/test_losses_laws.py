"""Friction, heat, motors and stops of mechanisms: both laws in every scheme, and compiled steps as those in NumPy."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
from loss_models import INPUTS, LOSSES, ball, bounce, crank
from numpy.testing import assert_allclose, assert_array_equal

import visviva as vv
from visviva.compiler import FORMS, compile_mechanism, initial_x
from visviva.model.heat import HeatCapacity
from visviva.model.motor import MotorCoupling
from visviva.model.structure import AbstractRouting
from visviva.testing import check_model, check_storage

SCHEMES = {
    "PHMP": vv.PHMP(),
    "PHMP in NumPy": vv.PHMP(compiled=False),
    "PHMPGGL": vv.PHMPGGL(),
    "Lie": vv.LieMidpoint(),
    "Lie in NumPy": vv.LieMidpoint(compiled=False),
}


def simulated(name, scheme, steps, h=0.01, **options):
    return vv.simulate(LOSSES[name](), t_end=steps * h, h=h, integrator=scheme, inputs=INPUTS.get(name), **options)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", LOSSES)
def test_both_laws_hold_to_rounding(name, scheme):
    run = simulated(name, SCHEMES[scheme], 8)
    audit = run.audit()
    assert audit.ok, audit
    assert audit.first_law <= 1e-13
    assert audit.second_law >= 0
    assert audit.g <= 1e-12
    assert sum(part.energy_in for part in audit.components.values()) == pytest.approx(0, abs=1e-12 * run.energy_unit)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["PHMP", "Lie"])
@pytest.mark.parametrize("name", LOSSES)
def test_compiled_steps_are_those_in_numpy(name, scheme):
    fast, plain = (simulated(name, SCHEMES[which], 8) for which in (scheme, f"{scheme} in NumPy"))
    assert_close(fast, plain)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["PHMP", "Lie"])
@pytest.mark.parametrize("name", LOSSES)
def test_compiled_steps_are_those_in_numpy_over_fifty_steps(name, scheme):
    fast, plain = (simulated(name, SCHEMES[which], 50) for which in (scheme, f"{scheme} in NumPy"))
    assert_close(fast, plain)


def assert_close(fast, plain):
    assert fast.record.x.shape == plain.record.x.shape
    scale = np.maximum(np.abs(plain.record.x).max(0), 1.0)
    assert_allclose(fast.record.x / scale, plain.record.x / scale, rtol=0, atol=1e-9)
    for column in ("heat", "work", "taken"):
        ours, theirs = getattr(fast.record, column), getattr(plain.record, column)
        assert_allclose(ours, theirs, rtol=1e-8, atol=1e-10 * max(1.0, plain.energy_unit))
    assert not np.array_equal(fast.record.x, plain.record.x)  # other code, other rounding: both have run


@pytest.mark.parametrize("scheme", SCHEMES)
def test_friction_in_a_ball_keeps_all_momentum(scheme):
    run = vv.simulate(ball(), t_end=0.1, h=0.01, integrator=SCHEMES[scheme])
    drift = np.abs(run["momentum"] - run["momentum"][0]).max()
    assert drift <= 1e-14 * np.abs(run["momentum"][0]).max() * 10
    assert run["heat.socket"][-1] > 0


@pytest.mark.parametrize("name", ["hinges", "crank", "bounce"])
def test_a_run_is_continued_bit_for_bit(name):
    whole, half = simulated(name, vv.PHMP(), 20), simulated(name, vv.PHMP(), 10)
    rest = simulated(name, vv.PHMP(), 20, initial=half.final)
    assert_array_equal(rest.record.x[-1], whole.record.x[-1])
    assert_array_equal(rest.record.taken[-1], whole.record.taken[-1])


def test_runs_can_be_pickled():
    run = simulated("warm", vv.PHMP(), 4)
    again = pickle.loads(pickle.dumps(run))
    assert_array_equal(again["oil.temperature"], run["oil.temperature"])


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps that are far too long
def test_a_step_that_is_divided_keeps_the_books():
    """Steps too long for the contact are halved: heat and entropy of the parts add up."""
    run = vv.simulate(bounce(), t_end=1.0, h=0.05)
    assert run.audit().ok
    run = vv.simulate(crank(), t_end=1.0, h=0.02, inputs={"motor": 20.0})
    assert run.audit().ok


@pytest.mark.parametrize("scheme", ["PHMP", "PHMPGGL", "Lie"])
def test_temperatures_rise_as_the_heat_says(scheme):
    run = simulated("crank", SCHEMES[scheme], 20)
    theta, c, G = run["winding.temperature"], 1.5, 0.1
    assert_allclose(run["energy.winding"], c * (theta - theta[0]), rtol=1e-12, atol=1e-12)
    given_off = run.model.theta0 * run["environment"][:, 0]
    assert_allclose(run["motor.work"] - (run["energy"] - run["energy"][0]), given_off, atol=1e-13 * run.energy_unit)
    cooled = given_off - run["heat.root"]  # the friction of the root goes to the environment as well
    assert cooled[-1] == pytest.approx(G * np.trapezoid(theta - 300.0, run.t), rel=2e-2)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_dampers_of_springs_take_is_in_the_nodes(scheme):
    run = simulated("dampers", SCHEMES[scheme], 8)
    given = {"hot": ("rubber", "net"), "oil": ("spiral", "line")}
    for node, names in given.items():
        taken = [port for name in names for port in run.match(f"{name}.*.power") if f".{node}." not in port]
        heat = sum(run[port] for port in taken) - sum(np.diff(run[f"energy.{name}"]) / 0.01 for name in names)
        warmed = np.diff(run["energy." + node]) / 0.01
        cooled = 300.0 * np.diff(run["environment"][:, 0]) / 0.01 if node == "hot" else 0.0
        assert_allclose(warmed + cooled, heat, rtol=0, atol=1e-10 * run.energy_unit)
        assert heat.min() > 0


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_damper_that_stops_a_slide_warms_its_node_by_the_energy_that_is_gone(scheme):
    """v = v0 exp(-c t/m): exact at the nodes up to terms of second order; the temperature is by the energy exactly."""
    m = vv.Mechanism("buffer")
    m.thermal("oil", capacity=0.5)
    m.body("block", mass=2.0, inertia=(1, 1, 1))
    m.prismatic("rail", m.ground, "block", axis=(1, 0, 0), rate=3.0)
    m.spring("buffer", m.ground, "block", at_a=(-1, 0, 0), damping=4.0, heat_to="oil")
    run = vv.simulate(m, t_end=0.2, h=0.01, integrator=SCHEMES[scheme])
    left = 0.5 * 2.0 * run["rail.rate"] ** 2
    assert_allclose(0.5 * (run["oil.temperature"] - 300.0), 9.0 - left, rtol=0, atol=1e-12)
    assert_allclose(run["rail.rate"], 3.0 * np.exp(-2.0 * run.t), rtol=1e-4)


@pytest.mark.parametrize("scheme", ["PHMP", pytest.param("PHMPGGL", marks=pytest.mark.slow), "Lie"])
def test_a_screw_has_laws_of_friction_stops_and_heat(scheme):
    """A nut that turns by θ: (J + m p²) θ'' = -F, with J = 1 kg m² and p = 0.1 m; dry friction F = 0.5 N m."""
    m = vv.Mechanism("vice")
    m.thermal("thread", capacity=0.2)
    m.body("nut", mass=2.0, inertia=(1, 1, 1))
    m.screw(
        "screw", m.ground, "nut", at=(0, 0, 0), axis=(0, 0, 1), pitch=0.1, rate=2.0, heat_to="thread",
        friction=vv.friction.coulomb(0.5, v_reg=1e-3), limits=(-0.1, 0.15), stop_stiffness=400.0, stop_damping=40.0,
    )  # fmt: skip
    run = vv.simulate(m, t_end=0.06, h=0.005, integrator=SCHEMES[scheme])
    assert_allclose(run["screw.q"], 2.0 * run.t - 0.5 * 0.5 / 1.02 * run.t**2, rtol=0, atol=1e-6)
    run = vv.simulate(m, t_end=0.2, h=0.005, integrator=SCHEMES[scheme])
    assert run["screw.q"].max() > 0.15
    assert run["screw.rate"][-1] < 0
    gone = 0.5 * 1.02 * (4.0 - run["screw.rate"] ** 2) - run["energy.screw.stop"] + run["energy.screw.stop"][0]
    assert_allclose(0.2 * (run["thread.temperature"] - 300.0), gone, rtol=0, atol=1e-5)
    assert run.audit().ok


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", LOSSES)
def test_models_with_losses_obey_the_laws_of_the_seam(name, form):
    m = LOSSES[name]()
    model = compile_mechanism(m, form)
    x = initial_x(model, m.assemble()[0])
    others = [variable for variable in model.variables if variable.name.endswith((".s", ".flux"))]
    for variable in others:
        x[model.layout.x[variable.name]] += 0.01
    check_model(model, x)


def test_a_heat_capacity_is_a_storage():
    check_storage(HeatCapacity("node", "s", c=2.0, theta=310.0, theta0=300.0), 1)


def test_a_motor_that_pumped_energy_would_be_refused():
    """A coupling that is not skew: the checker of the seam says so."""
    model = compile_mechanism(crank(), "lie")
    broken = [Pumping(part) if isinstance(part, MotorCoupling) else part for part in model.structures]
    model = dataclasses.replace(model, structures=tuple(broken))
    with pytest.raises(AssertionError, match="J is skew"):
        check_model(model, initial_x(model, crank().assemble()[0]))


class Pumping(AbstractRouting):
    two_ended = True

    def __init__(self, motor):
        self.motor, self.name, self.reads, self.acts = motor, motor.name, motor.reads, motor.acts

    def J(self, q):
        return np.abs(self.motor.J(q))
