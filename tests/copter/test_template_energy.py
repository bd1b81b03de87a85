"""The energy of the errors of flights: its terms add up to the second order of the step, and none is a remainder."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from test_copter_energy import by_sensors, on_the_way

from visviva import control, copter
from visviva.copter.flights.controller import controller
from visviva.copter.flights.template_energy import Wrenches, template_record, wrenches
from visviva.copter.models.gyrostat import gyrostat
from visviva.copter.models.plant import plant_memory, put_rates
from visviva.copter.models.rigid import rigid
from visviva.forms.dynamics.handle import dynamics
from visviva.model.control_law import Clock

QUAD = copter.quadcopter().without_bias()
TERMS = {"damping", "reference", "matching force", "saturation", "hold", "estimation and model", "actuators"}


def deviation(record):
    """Largest |ΔW̄ - Σ terms| at any node, of the scale."""
    return np.abs(record.W - record.W[0] - sum(record.work.values())).max() / record.scale


def record_on_the_way(name, steps, options=False, **broken):
    """Of 40 ms, with ticks each 10 ms and rotors that are asked for what they need at hover."""
    own, flown = on_the_way(name, 0.5, count=steps, h=0.04 / steps, options=options)
    law, begin = controller(own, copter.manoeuvre(name).path, damped=False), 0.5 * np.ones(steps + 1)
    made, other, at_nodes = wrenches(own, flown)
    asked = np.tile(own.split_allocation[:, : len(own.rotors)] @ own.hover.thrusts, (steps, 1))
    acting = Wrenches(asked, made, other, at_nodes, np.repeat(np.arange(0, steps, steps // 4), steps // 4))
    acting = acting._replace(**{part: factor * getattr(acting, part) for part, factor in broken.items()})
    d, clock = dynamics(rigid(own)), Clock(0.5, 0.01)
    return template_record(law.law, d, law.goals, flown.t + begin, flown.x[:, :7], flown.xi[:, :6], acting, clock)


@pytest.mark.parametrize(("name", "options"), [("tricopter transitions", True), ("looping", False)])
def test_terms_of_the_plant_add_up_to_the_second_order(name, options):
    coarse, fine, finest = (record_on_the_way(name, steps, options) for steps in (20, 40, 80))
    assert set(fine.work) == TERMS
    assert deviation(finest) < 1e-4
    assert deviation(coarse) / deviation(fine) == pytest.approx(4, rel=0.3)
    assert deviation(fine) / deviation(finest) == pytest.approx(4, rel=0.3)
    for part in ("made", "other"):
        assert deviation(record_on_the_way(name, 80, options, **{part: 1.01})) > 10 * deviation(finest)
    for name in ("damping", "hold", "estimation and model", "actuators"):
        assert np.abs(fine.work[name]).max() > 1e-6


def test_rotors_make_what_the_equations_of_motion_take():
    """M a + b of the rigid vehicle with ξ̇ of the gyrostat, less what else acts, in the limit of short steps."""
    own, flown = on_the_way("tricopter transitions", 1.2, count=2, h=1e-5, options=True)
    made, _, other = wrenches(own, flown)
    d, p = dynamics(rigid(own)), gyrostat(own)
    memory = plant_memory(p)
    put_rates(p, flown.x[1], flown.currents[0], flown.wanted[0], flown.gust[0], memory, flown.air[0])
    taken = d.inverse(flown.x[1, :7], flown.xi[1, :6], memory.f[:6])
    assert_allclose(made.mean(axis=0), taken - other[1], atol=1e-5 * np.abs(taken).max())


def test_terms_of_a_flight_with_perfect_state_add_up():
    """All but actuators; of the model there is the drag, of which the law knows the mean."""
    path = control.flat.quadcopter(control.polynomial(np.zeros(3), [0.05, 0.0, 0.05], 0.5, degree=9))
    plan = copter.Manoeuvre("hop", QUAD, path)
    flights = [copter.fly(plan, h=h) for h in (5e-3, 2.5e-3)]
    coarse, fine = (flight.tracking for flight in flights)
    assert deviation(coarse) / deviation(fine) == pytest.approx(4, rel=0.3)
    late = replace(QUAD, rotors=[replace(rotor, lag=0.02, drag=1e-4) for rotor in QUAD.rotors])
    windy = [copter.fly(plan, late, h=h, wind=(1.0, 0.0, 0.0)).tracking for h in (2.5e-3, 1.25e-3)]
    assert deviation(windy[0]) / deviation(windy[1]) == pytest.approx(4, rel=0.3)
    assert np.abs(windy[1].work["actuators"]).max() > 10 * deviation(windy[1]) * windy[1].scale
    assert not fine.work["actuators"].any()
    assert abs(fine.balance["estimation and model"]) > 1e-7
    run = flights[1].run.tracking
    assert_allclose(fine.W, run.W, rtol=1e-9, atol=1e-15)
    assert_allclose(fine.work["damping"], run.work["damping"], rtol=1e-9, atol=1e-15)
    assert abs(fine.defect) < 0.1 * abs(run.defect)  # which has what the law does not know


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tricopter transitions", "transitions", "looping", "flip"])
def test_terms_of_flights_by_sensors_add_up(name):
    record = by_sensors(name).tracking
    assert set(record.work) == TERMS
    assert deviation(record) < 5e-4
    assert record.balance["damping"] < 0
    texts = [text.get_text() for text in record.plot().axes[2].get_legend().get_texts()]
    assert {"estimation and model", "actuators", "hold", "sum of the terms"} <= set(texts)


@pytest.mark.slow
def test_the_balance_of_an_agent_closes_to_the_second_order():
    fine = copter.fly("looping", sensors=copter.Sensors(), h=5e-4).tracking
    assert deviation(by_sensors("looping").tracking) / deviation(fine) == pytest.approx(4, rel=0.2)
