"""Estimators of an agent against the plant, tick by tick in plain Python: what they do not explain is what acts."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import copter
from visviva.copter.agents.agent import gain_of_frames, poles_of_frames
from visviva.copter.agents.agent_tick import Goal, _feel
from visviva.copter.estimation import (
    attitude_observer,
    correct_attitude,
    correct_position,
    position_observer,
    predict_attitude,
    predict_position,
)
from visviva.copter.estimation.attitude_observer import AT_FRAME, NOW
from visviva.copter.estimation.position_observer import BIAS, R, V
from visviva.copter.force import observe_propellers, simulate_servos
from visviva.copter.models.gyrostat import gyrostat
from visviva.copter.models.plant import Q_AT, advance_plant, matrix, plant_memory, plant_start, prepare, specific_force
from visviva.geometry import SO3
from visviva.geometry.quaternion import quaternion

T = 5e-3
BIAS_WRENCH = np.array([0.02, -0.01, 0.015, 0.3, -0.2, 0.4])  # (m; f) about the origin


def open_loop(own, w, v, ticks=100, h=5e-3, speeds=1.0):
    """States at ticks of a vehicle that turns and is pushed by hover currents, and what an IMU in its origin tells."""
    p, hover, tilting = gyrostat(own), own.hover, list(own.tilting)
    x = plant_start(np.zeros(3), np.eye(3), hover.tilts[tilting], speeds * hover.speeds)
    at = 7 + len(tilting)
    x[at : at + 6] = *w, *v
    uneven = 1 + (0.0 if tilting else 0.3) * np.array([rotor.spin for rotor in own.rotors])  # spins of four cancel
    currents, tilts, none = uneven * hover.currents, hover.tilts[tilting] + 0.1, np.zeros(3)
    memory, path = plant_memory(p), []
    for _ in range(ticks):
        path.append((x.copy(), np.array(specific_force(p, x, currents, tilts, none, own.gravity, memory))))
        for _ in range(round(T / h)):
            prepare(p, x, h, memory)
            advance_plant(p, x, h, currents, tilts, none, memory)
    return path, currents, tilts


@pytest.mark.parametrize("make", [copter.quadcopter, copter.tricopter])
def test_what_an_agent_does_not_explain_is_what_it_was_not_told(make):
    """τ̂_B and F̂_B settle on the bias while the vehicle turns, with propellers that differ, and a centre of mass beside
    its frame: moments of spins, and the acceleration of the frame against it, are explained. The law is told of all
    that acts beside the rotors: bias, drag, and the gyroscopic moment."""
    own = replace(make(), com=np.array([0.06, -0.04, 0.03]), bias=BIAS_WRENCH)
    agent = copter.Agent(own, rate_gains=(0.6, 0.2), force_memory=0.8)
    p, m, n = agent.parameters(copter.Sensors.ideal()), len(own.tilting), len(own.rotors)
    s = agent.memory(p)
    path, currents, tilts = open_loop(own, (2.0, -3.0, 4.0), (1.0, 0.5, -0.5), speeds=np.linspace(0.8, 1.2, n))
    at = 7 + m
    first = path[0][0]
    s.rate[:] = np.concatenate([first[at : at + 3], np.zeros(3)])
    s.currents[:], s.tilts[:] = currents, tilts
    s.propellers[:n] = s.propellers[n : 2 * n] = first[-n:]
    s.position[BIAS : BIAS + 3] = 0.0
    goal = Goal(np.zeros((3, 7)), np.zeros(6), np.zeros(3), np.zeros(2))
    found, last, told, tilting = [], first[-n:], np.zeros(6), list(own.tilting)
    for x, a in path:
        s.attitude[NOW : NOW + 4] = x[Q_AT : Q_AT + 4]
        s.position[V : V + 3] = matrix(x, Q_AT) @ x[at + 3 : at + 6]
        observed = observe_propellers(p.propellers, s.propellers, 0.5 * (last + x[-n:]), s.currents)
        own_tick = s.scratch
        own_tick.observed[:], own_tick.w[:], own_tick.a[:] = observed, x[at : at + 3], a
        _feel(p, s, goal)
        told = own_tick.held
        s.propellers[:], last = observed, x[-n:]
        s.servos[:] = simulate_servos(p.servos, s.servos, s.tilts)
        found.append(np.concatenate([s.rate[3:], s.bias]))
    tilts = np.zeros(n)
    tilts[tilting] = x[7:at]
    spins = zip(own.rotors, tilts, x[-n:], strict=True)
    L = np.sum([rotor.inertia * rotor.spin * speed * rotor.direction(tilt) for rotor, tilt, speed in spins], axis=0)
    gyroscopic = np.cross(L, x[at : at + 3])
    known = BIAS_WRENCH - own.drag.matrix @ x[at : at + 6] + np.concatenate([gyroscopic, np.zeros(3)])
    assert np.linalg.norm(told[:3] - known[:3]) < 0.2 * np.linalg.norm(gyroscopic)
    assert_allclose(told[3:], known[3:], atol=0.04)
    mean = np.mean(found[-30:], axis=0)
    m_com = BIAS_WRENCH[:3] - np.cross(own.com, BIAS_WRENCH[3:])
    assert_allclose(mean[:3], m_com, atol=2e-3)
    assert_allclose(mean[3:], BIAS_WRENCH[3:], atol=0.02)


def test_a_gust_pushes_along_its_world_axis_whatever_the_heading():
    """F/m of the centre of mass along the axis of the gust, of a vehicle that looks across it."""
    own = replace(copter.quadcopter(), bias=np.zeros(6), com=np.array([0.05, -0.02, 0.01]))
    p, hover, F = gyrostat(own), own.hover, np.array([2.0, 0.0, 0.0])
    moves = []
    for gust in (np.zeros(3), F):
        x = plant_start(np.zeros(3), SO3.exp([0.0, 0.0, np.pi / 2]).matrix, np.zeros(0), hover.speeds)
        c0 = matrix(x, Q_AT) @ own.com
        h, memory = 1e-3, plant_memory(p)
        prepare(p, x, h, memory)
        for _ in range(5):
            advance_plant(p, x, h, np.array(hover.currents), np.zeros(0), gust, memory)
        moves.append(x[:3] + matrix(x, Q_AT) @ own.com - c0)
    assert_allclose((moves[1] - moves[0]) / (0.5 * 5e-3**2), F / own.mass, atol=5e-3)


def test_frames_at_10_hz_have_the_gains_of_the_text_and_others_fade_as_fast():
    assert_allclose(poles_of_frames(0.1), (0.0, 0.5, 0.9))
    assert gain_of_frames(0.1) == gain_of_frames(0.3) == 1.0
    assert_allclose(np.array(poles_of_frames(0.01)[1:]) ** 10, (0.5, 0.9))
    assert gain_of_frames(0.01) == pytest.approx(0.1)


def rms_at_rest(rate, seed, duration=4.0):
    """Errors of r̂, v̂ and q̂ of a vehicle at rest with a perfect IMU, by noise of frames at a rate [Hz] alone."""
    rng, every = np.random.default_rng(seed), round(1 / (rate * T))
    turn, place = attitude_observer(gain_of_frames(1 / rate)), position_observer(poles_of_frames(1 / rate))
    sa, sp, off = turn.start(), place.start(), []
    for k in range(round(duration / T)):
        t = k * T
        predict_attitude(turn, sa, t, np.zeros(3))
        predict_position(place, sp, t, sa[NOW : NOW + 4], np.array([0.0, 0.0, 9.81]))
        if k % every == 0 and k >= every:
            q = quaternion(SO3.exp(np.radians(0.1) * rng.normal(size=3)).matrix)
            correct_attitude(turn, sa, t - 4 * T, q)
            correct_position(place, sp, t - 4 * T, 1e-3 * rng.normal(size=3), sa[AT_FRAME : AT_FRAME + 4])
        if t > 1.0:
            off.append([*sp[R : R + 3], *sp[V : V + 3], *2 * sa[NOW + 1 : NOW + 4]])
    return np.sqrt(np.mean(np.reshape(off, (-1, 3, 3)) ** 2, axis=(0, 2)))


def test_more_frames_tell_more():
    """At 50 Hz place, velocity and attitude are less noisy than at 10 Hz, all three."""
    few, many = (np.mean([rms_at_rest(rate, seed) for seed in range(3)], axis=0) for rate in (10, 50))
    assert (many < 0.8 * few).all()
