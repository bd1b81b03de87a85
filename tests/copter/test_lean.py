"""References that lean into forces which upright rotors do not make, and thrusts that are other than believed."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import copter
from visviva.copter.agents.lean import LEAST, put_leaned, shares
from visviva.copter.flights.manoeuvres import planned
from visviva.geometry import quaternion

H = 1e-3
FORCE = np.array([0.7, -0.4])


def thrust(t):
    return 8 + 3 * np.sin(3 * t)


def motion(t):
    """q_R and its rates of a turn that tumbles, by differences."""

    def q(t):
        half = np.array([np.sin(t), 0.5 * t, np.cos(2 * t)]) / 2
        angle = np.linalg.norm(half)
        return np.array([np.cos(angle), *(np.sin(angle) / angle * half)])

    a, b, c = q(t - H), q(t), q(t + H)
    rows = np.zeros((3, 7))
    rows[:, 3:] = b, (c - a) / (2 * H), (c - 2 * b + a) / H**2
    return rows


def leaned(t, force=FORCE):
    times = t + H * np.arange(-2, 3)
    rows = motion(t)
    put_leaned(shares(thrust(times), 8.0, H)[2], force, rows)
    return rows


@pytest.mark.parametrize("force", [FORCE, 7 * FORCE], ids=["slightly", "far"])
def test_rates_are_those_of_the_leaned_attitude(force):
    before, now, after = (leaned(0.4 + k * H, force) for k in (-1, 0, 1))
    assert_allclose(now[1, 3:], (after[0] - before[0])[3:] / (2 * H), atol=1e-5)
    assert_allclose(now[2, 3:], (after[0] - 2 * now[0] + before[0])[3:] / H**2, atol=1e-3)
    assert np.abs(now[:, 3:] - motion(0.4)[:, 3:]).max(axis=1).min() > 0.01


def test_thrust_and_force_add_up_to_the_thrust_of_the_reference():
    """F' R' e_z + F along R_R e_z, with R_R and F in axes of R_R."""
    R, own = quaternion.matrix_of(motion(0.4)[0, 3:]), quaternion.matrix_of(leaned(0.4)[0, 3:])
    axis = R.T @ own[:, 2]
    u = (1 + LEAST**6) * thrust(0.4) ** 5 / (thrust(0.4) ** 6 + (8 * LEAST) ** 6)
    assert_allclose(axis[:2], -u * FORCE, rtol=1e-9)
    assert u == pytest.approx(1 / thrust(0.4), rel=0.05)
    assert shares(np.full(3, 8.0), 8.0, H)[1, 0] == pytest.approx(1 / 8)


def test_without_thrust_and_without_force_nothing_leans():
    assert not shares(np.zeros(5), 8.0, H).any()
    assert np.array_equal(leaned(0.4, np.zeros(2)), motion(0.4))


def still(vehicle, duration=6.0):
    return copter.Manoeuvre("still", vehicle, vv.control.pose(vv.control.hold(np.zeros(3), duration)))


def leans(agent, plan):
    p = agent.parameters(copter.Sensors())
    law = copter.controller(agent.vehicle, plan.path, damped=False, piloted=plan.piloted)
    return bool(agent.goals(p, law, plan).lean.any())


def test_only_what_rotors_do_not_make_and_no_pilot_leans():
    quad, tri = copter.quadcopter(), copter.tricopter()
    looping, turns = planned("looping"), planned("tricopter transitions")
    piloted = copter.remote(lambda t: (0, 0, 9.81, 0), 1.0, mode="attitude")
    assert leans(copter.Agent(quad), looping)
    assert not leans(copter.Agent(quad, lean=False), looping)
    assert not leans(copter.Agent(quad), piloted)
    assert not leans(copter.Agent(tri), turns)


def test_a_steady_wind_holds_nobody_aside():
    quad = copter.quadcopter()
    aside = {}
    for lean in (False, True):
        flight = copter.fly(still(quad), quad, agent=copter.Agent(quad, lean=lean), wind=(5, 0, 0))
        aside[lean] = flight.errors["e_r"][-400:].max()
    assert aside[False] > 0.12
    assert aside[True] < 0.01


def test_a_wrong_mass_is_a_share_of_the_thrust():
    quad = copter.quadcopter()
    heavy = replace(quad, mass=1.1 * quad.mass, inertia=1.1 * quad.inertia)
    once, learning = (
        copter.fly("looping", heavy, agent=copter.Agent(quad, thrust_share=share)).figures.e_r for share in (0.0, 0.15)
    )
    assert once > 0.012
    assert learning < 0.007


def test_a_gust_is_no_share_of_the_thrust():
    """Feedback makes F_z = W - F_gust: were the thrust that is made the regressor, γ would be -1."""
    quad = copter.quadcopter()
    flight = copter.fly(still(quad), quad, agent=copter.Agent(quad), gust=lambda t: (0, 0, 6 if 2 < t < 4 else 0))
    assert abs(flight.memory.scale[1]) < 0.05
    assert flight.errors["e_r"][-10:].max() < 0.01


@pytest.mark.parametrize("times", [0.5, 2.2])
def test_other_thrusts_than_believed_are_steady_and_told(times):
    quad = copter.quadcopter()
    own = replace(quad, rotors=[replace(rotor, kappa_F=times * rotor.kappa_F) for rotor in quad.rotors])
    flight = copter.fly(still(quad), own, agent=copter.Agent(quad))
    assert np.diff(flight.record.wrench[-600:, 5]).std() < 0.05
    assert flight.figures.e_r < 0.01
    more = "less" if times < 1 else "more"
    assert any(f"% {more} than it should be" in caution for caution in flight.cautions)
