"""Flights with perfect state in compiled code: the same as laws in Python make, step by step."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from redundant_vehicles import hexacopter

import visviva as vv
from visviva import ConvergenceError, ModelError, control, copter
from visviva.copter.models.craft_law import CraftAir
from visviva.copter.models.rigid import rigid
from visviva.copter.models.rigid_rotors import RigidRotors
from visviva.copter.vehicles.surroundings import Surroundings

QUAD, TRI = copter.quadcopter().without_bias(), copter.tricopter().without_bias()
EFFECTS = {"lag": 0.02, "drag": 1e-4, "inflow": 2e-4, "flapping": 1.5, "hub": 3e-6, "radius": 0.12}
WEAK = copter.Battery(voltage=8.0, resistance=0.05, capacity=2.2)
H, T, STEPS = 1e-3, 5e-3, 60
SEEN = ("craft.r", "craft.R", "craft.twist", "rotors.u", "craft_air.u")


def equipped(vehicle, **options):
    return replace(vehicle, rotors=tuple(replace(rotor, **options) for rotor in vehicle.rotors))


def swing(vehicle):
    r = control.polynomial(np.array([0, 0, 1.0]), np.array([0.4, 0.2, 1.3]), 0.5, degree=9)
    return control.pose(r, control.turn("z", control.polynomial(0.0, 0.5, 0.5)))


def run_of(vehicle, laws, compiled):
    X = swing(vehicle)(0.0)
    each = [vv.Sampled(law, period=period, compiled=compiled) for law, period in laws]
    start = {"craft.r": X.r, "craft.R": X.R, "craft.twist": np.array([0.1, 0.2, -0.1, 0.5, 0, 0])}
    run = vv.simulate(rigid(vehicle), t_end=STEPS * H, h=H, integrator=vv.RK4(), initial=start, sampled=each)
    assert not run.warnings
    return run


@pytest.mark.parametrize("wind", [None, (2.0, -1.0, 0.5), lambda t, r: [t, r[0], 1.0]], ids=["still", "steady", "own"])
@pytest.mark.parametrize("vehicle", [QUAD, TRI, hexacopter()], ids=lambda v: v.name)
def test_rotors_with_options_are_the_same_in_compiled_code(vehicle, wind):
    flies, found = replace(equipped(vehicle, **EFFECTS), battery=WEAK), []
    for compiled in (None, False):
        law = copter.controller(flies, swing(flies))
        rotors = RigidRotors(flies, law, T, H, Surroundings(wind, ground=0.7), STEPS)
        assert not rotors.only_called
        run = run_of(flies, [(rotors, H)], compiled)
        found.append([*(run[name] for name in SEEN), rotors.speeds, rotors.thrusts, rotors.asked])
        assert len(rotors.thrusts) == STEPS
    for ours, python in zip(*found, strict=True):
        assert_allclose(ours, python, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("wind", [None, (2.0, -1.0, 0.5)], ids=["still", "steady"])
def test_drag_and_bias_are_the_same_in_compiled_code(wind):
    flies = copter.quadcopter()
    ours, python = (
        run_of(flies, [(copter.controller(flies, swing(flies)), T), (CraftAir(flies, Surroundings(wind)), H)], compiled)
        for compiled in (None, False)
    )
    for name in SEEN:
        assert_allclose(ours[name], python[name], rtol=1e-9, atol=1e-9)


def test_a_step_that_is_asked_for_again_is_made_as_at_first():
    flies = equipped(QUAD, **EFFECTS)
    rotors = RigidRotors(flies, copter.controller(flies, swing(flies)), T, H, Surroundings(), STEPS)
    y = np.concatenate([[0, 0, 1.0], np.eye(3).ravel(), np.zeros(6)])
    first = [rotors.inputs(k * H, y) for k in range(8)]
    again = [rotors.inputs(k * H, y) for k in (6, 7)]
    assert_allclose(again, first[6:], rtol=0)


def test_rotors_that_reach_less_than_the_law_believes_are_asked_in_python():
    flies = equipped(QUAD, lag=0.02)
    slow = equipped(flies, speeds=(flies.rotors[0].speeds[0], 0.9 * flies.rotors[0].speeds[1]))
    rotors = RigidRotors(slow, copter.controller(flies, swing(flies)), T, H, Surroundings(), STEPS)
    assert rotors.only_called
    assert "limits" in rotors.why_not


def test_a_wind_that_fails_on_the_way_ends_the_flight_with_its_error():
    def wind(t, r):
        if t > 0.02:
            raise ModelError("the anemometer is broken")
        return 0.0, 0.0, 0.0

    up = control.polynomial(np.array([0, 0, 1.0]), np.array([0, 0, 1.1]), 0.4, degree=9)
    plan = copter.Manoeuvre("hop", QUAD, control.pose(up, np.eye(3)))
    for flies in (QUAD, equipped(QUAD, lag=0.02)):
        with pytest.raises(ConvergenceError, match="the anemometer is broken"):
            copter.fly(plan, flies, wind=wind)


def test_a_law_that_is_asked_at_ticks_finds_the_reference_itself_there():
    law = copter.controller(QUAD, swing(QUAD))
    y = np.concatenate([[0, 0, 1.0], np.eye(3).ravel(), np.zeros(6)])
    plain = [law.inputs(k * T, y) for k in range(100)]
    with law.at_ticks(T, 100):
        assert_allclose([law.inputs(k * T, y) for k in range(100)], plain, rtol=1e-8, atol=1e-8)
    assert_allclose(law.inputs(1.5 * T, y), copter.controller(QUAD, swing(QUAD)).inputs(1.5 * T, y), rtol=1e-9)
