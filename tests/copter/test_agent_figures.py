"""What a flight by sensors tells is told of the true motion: errors, thrusts, and whether it flew at all."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import copter
from visviva.copter.agents.agent_flight import AgentFlight
from visviva.copter.agents.agent_loop import Record
from visviva.copter.agents.agent_tick import READY
from visviva.copter.flights.flight import figures_of, pose_errors
from visviva.geometry import SO3
from visviva.geometry.quaternion import matrix_of, quaternion

QUAD = copter.quadcopter()
SETTLE, PERIOD = 4.0, 5e-3


@pytest.mark.parametrize("turn", [np.array([0.3, -0.2, 0.1]), np.array([0.0, 0.0, -2.0]), np.array([1.5, 1.5, 1.0])])
def test_errors_of_a_pose_that_is_off_by_a_known_motion(turn):
    """(5.73): |r|, the angle of the rotation, and that of its part about z, 2 |atan2(q_z, q_w)|."""
    plan, off = copter.manoeuvre("looping"), np.array([0.03, -0.04, 0.12])
    t = np.linspace(0.0, plan.duration, 7)
    poses = [plan.path(float(x)) for x in t]
    E = SO3.exp(turn).matrix
    found = pose_errors(plan, t, np.array([X.r + off for X in poses]), np.array([X.R @ E for X in poses]))
    w, _, _, z = quaternion(E)
    about_z = 2 * abs(np.arctan2(z, w))
    assert_allclose(found["e_r"], 0.13, atol=1e-12)
    assert_allclose(found["e_R"], np.linalg.norm(turn), atol=1e-12)
    assert_allclose(found["e_phi"], min(about_z, 2 * np.pi - about_z), atol=1e-12)


def test_figures_are_root_mean_squares():
    errors = {"t": np.arange(4.0), "e_r": np.array([0.0, 0.0, 0.0, 2.0]), "e_R": np.full(4, 0.1)}
    found = figures_of(copter.manoeuvre("looping"), errors | {"e_phi": np.array([0.3, 0.3, 0.1, 0.1])})
    assert_allclose(found[4:], [1.0, np.degrees(0.1), np.degrees(np.sqrt(0.05))])


def hand_made(begun=0.1, off=(0.0, 0.0, 0.0), ticks=None):
    """A flight whose true position is `off` the reference, at 500 rad/s, and whose estimates are all wrong."""
    plan, weak = copter.manoeuvre("looping"), replace(QUAD.rotors[0], kappa_F=0.9 * QUAD.rotors[0].kappa_F)
    agent, vehicle = copter.Agent(QUAD), replace(QUAD, rotors=(weak, *QUAD.rotors[1:]))
    p = agent.parameters(copter.Sensors.ideal())
    memory = agent.memory(p)
    memory.counts[READY] = begun
    t = PERIOD * np.arange(ticks or round((begun + SETTLE + plan.duration + 0.5) / PERIOD)) - begun - SETTLE
    poses = [plan.path(float(x)) for x in t.clip(0.0, plan.duration)]
    r, q = np.array([X.r for X in poses]), np.array([quaternion(X.R) for X in poses])
    x = np.concatenate([r + np.array(off), q, np.zeros((len(t), 6)), np.full((len(t), 4), 500.0)], axis=1)
    wrong = np.full((len(t), 6), 7.0)
    record = Record(
        x, wrong[:, :3], np.tile([0.0, 1.0, 0.0, 0.0], (len(t), 1)), wrong[:, :3], wrong[:, :3], wrong, wrong,
        wrong[:, :4], wrong[:, :4], wrong[:, :0], x[:, None], wrong[:, :3], wrong[:, None, :4],
    )  # fmt: skip
    return AgentFlight(plan, vehicle, agent, copter.Sensors(), record, memory, SETTLE, 0.0)


def test_a_flight_tells_errors_of_the_truth_and_not_of_estimates():
    flight = hand_made(off=(0.0, 0.03, 0.04))
    assert_allclose(flight.errors["t"][[0, -1]], [0.0, flight.plan.duration], atol=1e-9)
    assert_allclose(flight.errors["e_r"], 0.05, atol=1e-12)
    assert_allclose(flight.errors["e_R"], 0.0, atol=1e-7)
    assert flight.figures.e_r == pytest.approx(0.05)
    assert_allclose(flight.trace[0][0], np.add(flight.plan.path(0.0).r, [0.0, 0.03, 0.04]), atol=1e-12)


@pytest.mark.parametrize(("off", "turned"), [((0.0, 1.2, 0.0), 0.0), ((0.0, 0.0, 0.0), 1.7)])
def test_a_vehicle_that_is_far_away_or_turned_over_is_lost(off, turned):
    """Where the attitude is off by more than a right angle the place may still be right."""
    flight = hand_made(off=off)
    assert ("lost" in str(flight.cautions)) == bool(off[1])
    E = SO3.exp([0.0, 0.0, turned]).matrix
    flight.record.x[:, 3:7] = [quaternion(matrix_of(q) @ E) for q in flight.record.x[:, 3:7]]
    again = replace(flight, elapsed=1.0)
    assert "control was lost" in str(again.cautions)
    assert ("turned by more than 90°" in str(again.cautions)) == (turned > 0)


def test_thrusts_are_those_of_the_vehicle_that_flies():
    F = hand_made().thrusts
    assert_allclose(F, np.tile([rotor.kappa_F * 500.0**2 for rotor in hand_made().vehicle.rotors], (len(F), 1)))
    assert F[0, 0] == pytest.approx(0.9 * F[0, 1])
