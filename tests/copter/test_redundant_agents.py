"""Agents of vehicles with more rotors than they need: as good as those of the quadcopter, and with a weak rotor."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from numpy.testing import assert_allclose
from plain_flights import fly, hover, in_python  # noqa: F401
from redundant_vehicles import VEHICLES, coaxial, heavier, hexacopter, octocopter, weakened

from visviva import ModelError, copter
from visviva.copter.force import wrench_rows
from visviva.copter.force.wrench_rows import row_numbers

QUAD, TRI = copter.quadcopter(), copter.tricopter()
IDEAL = copter.Sensors.ideal(frame_period=0.02)

flown = lru_cache(lambda name, what, share: _flown(VEHICLES[name](), what, share))


def _flown(vehicle, what, share):
    return copter.fly(what, weakened(vehicle, 1, share), agent=copter.Agent(vehicle), sensors=copter.Sensors())


# -- tick by tick -----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("in_python")
@pytest.mark.parametrize("name", VEHICLES)
def test_vehicles_hover_by_sensors_and_account_for_their_energy(name):
    own = VEHICLES[name]().without_bias()
    flight = fly(IDEAL, vehicle=own)
    assert flight.cautions == ()
    assert flight.errors["e_r"].max() < 1e-3
    assert_allclose(flight.thrusts, np.broadcast_to(own.hover.thrusts, flight.thrusts.shape), atol=0.1)
    audit = flight.audit()
    assert audit.ok
    assert audit.first_law < 1e-12


@pytest.mark.usefixtures("in_python")
def test_inputs_of_the_law_are_the_lightest_of_their_wrench():
    own = hexacopter()
    record = fly(IDEAL, vehicle=own).record
    B = own.allocation()[row_numbers(wrench_rows(own))]
    assert_allclose(record.inputs, record.inputs @ B.T @ np.linalg.pinv(B).T, atol=1e-9)
    assert np.ptp(record.inputs, axis=0).max() > 1e-4


@pytest.mark.usefixtures("in_python")
def test_a_rotor_at_its_limit_is_relieved_by_the_others():
    """One of six has no more than it needs to hover; the law and the filter leave the rest to the others."""
    six = hexacopter().without_bias()
    top = 1.03 * six.hover.speeds[0]
    own = replace(six, rotors=[replace(six.rotors[0], speeds=(six.rotors[0].speeds[0], top)), *six.rotors[1:]])
    plan = copter.Manoeuvre("up", own, _up(own))
    flight = fly(IDEAL, vehicle=own, plan=plan)
    highest = own.rotors[0].thrusts[1]
    assert flight.record.inputs[:, 0].max() == pytest.approx(highest, rel=1e-9)
    assert flight.record.inputs[:, 1:].max() > 1.1 * highest
    assert flight.thrusts[:, 0].max() < 1.02 * highest
    assert not any("limits" in caution for caution in flight.cautions)
    assert flight.errors["e_r"].max() < 0.01


def _up(vehicle):
    from visviva import control

    climb = control.polynomial((0.0, 0.0, 1.0), (0.0, 0.0, 1.2), 0.6, degree=9)
    return control.flat.quadcopter(climb, gravity=vehicle.gravity, drag=vehicle.drag.mean / vehicle.mass)


@pytest.mark.usefixtures("in_python")
@pytest.mark.parametrize(
    ("vehicle", "names"), [(hexacopter(), "rotor2"), (octocopter(), "rotor2"), (coaxial(), "rotor2_top or rotor2_low")]
)
def test_a_weak_rotor_is_told_by_what_it_was_asked_for(vehicle, names):
    """Half of its thrust is missing, whatever it has to make by then."""
    own = vehicle.without_bias()
    flight = fly(IDEAL, vehicle=weakened(own, 1, 0.5), own=own, plan=hover(1.5, own))
    (said,) = (caution for caution in flight.cautions if "seems to push" in caution)
    assert said.startswith(names)
    assert 45 <= int(said.split("push ")[1].split(" %")[0]) <= 55


# -- whole manoeuvres -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("what", ["transitions", "looping", "flip"])
@pytest.mark.parametrize("name", VEHICLES)
def test_manoeuvres_are_flown_as_well_as_by_the_quadcopter(name, what):
    four, more = _flown(QUAD, what, 1.0), flown(name, what, 1.0)
    assert more.figures.e_r < four.figures.e_r
    assert more.figures.e_R < four.figures.e_R
    assert "lost" not in str(more)
    errors = more.tracking
    assert more.audit().first_law < 1e-12
    assert abs(errors.W[-1] - errors.W[0] - sum(work[-1] for work in errors.work.values())) < 1e-3 * errors.scale


@pytest.mark.slow
@pytest.mark.parametrize("name", VEHICLES)
def test_half_a_rotor_costs_centimetres(name):
    for what in ("transitions", "looping"):
        flight = flown(name, what, 0.5)
        assert flight.errors["e_r"].max() < 0.06
        assert flight.figures.e_R < 3.0
        assert "rotor2" in str(flight.cautions)
        assert flight.audit().ok


@pytest.mark.slow
@pytest.mark.parametrize("name", ["octocopter", "X8"])
def test_eight_rotors_fly_with_seven(name):
    for what in ("transitions", "looping"):
        flight = flown(name, what, 0.01)
        assert flight.errors["e_r"].max() < 0.15
        assert "lost" not in str(flight)


def test_six_rotors_of_alternating_spins_are_no_vehicle_with_five():
    """The one opposite would have to stand still: nothing is left to turn about z."""
    with pytest.raises(ModelError, match="cannot hover with room to turn"):
        _ = weakened(hexacopter(), 1, 0.01).hover


@pytest.mark.slow
def test_six_rotors_that_tilt_fly_transitions_and_a_looping():
    servo = replace(TRI.rotors[0].servo, axis=np.array([1.0, 0, 0]))
    like = replace(TRI.rotors[0], position=np.zeros(3), axis=np.array([0, 0, 1.0]), servo=servo)
    rotors = copter.ring(like, np.pi / 3 * np.arange(6), (1, -1) * 3, radius=0.3, height=-6e-3)
    own = replace(heavier("tilting", 2.0, rotors), drag=TRI.drag, bias=TRI.bias)
    for what in ("tricopter transitions", "looping"):
        flight = copter.fly(what, own, sensors=copter.Sensors())
        assert flight.figures.e_r < 0.005
        assert flight.figures.e_R < 0.6
        assert flight.audit().first_law < 1e-12
