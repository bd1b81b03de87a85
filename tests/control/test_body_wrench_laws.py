"""Tracking laws that act by wrench ports in axes of their body."""

from __future__ import annotations

from functools import cache

import numpy as np
import plants
import pytest
from numpy.testing import assert_allclose
from plants import c, random_gains

import visviva as vv

RESULTANT = c.Thrusters(np.eye(6)[:, [0, 1, 2, 5]], ("roll", "pitch", "yaw", "thrust"))


@cache
def free_body(frame):
    m = vv.Mechanism("free body", gravity=(0, 0, -plants.G))
    J = np.array([[0.2, 0.01, 0.02], [0.01, 0.3, -0.03], [0.02, -0.03, 0.25]])
    m.wrench("hand", m.body("body", mass=1.5, inertia=J, com=(0.02, -0.03, 0.05)), frame=frame)
    return m


@cache
def craft(frame, com=(0, 0, 0)):
    m = vv.Mechanism("quadcopter", gravity=(0, 0, -plants.G))
    m.wrench("rotors", m.body("craft", mass=1.001, inertia=(0.0179, 0.018, 0.0307), com=com), frame=frame)
    return m


def states(d, seed):
    rng = np.random.default_rng(seed)
    q, q_R = (d.integrate(np.array(d.q_built), 0.4 * rng.normal(size=d.nv)) for _ in range(2))
    return q, rng.normal(size=d.nv), q_R, rng.normal(size=d.nv), rng.normal(size=d.nv)


@pytest.mark.parametrize("approach", ["particle", "body", "energy"])
def test_the_loop_is_that_of_a_port_in_world_axes(approach):
    gains = {("ground", "body"): random_gains(2)}
    own, other = (c.tracking(free_body(frame), gains, approach) for frame in ("body", "world"))
    assert own.input_names == other.input_names
    for seed in range(3):
        at = states(own.d, seed)
        e, f = own.evaluate(*at), other.evaluate(*at)
        R = own.d.pose("body", at[0]).R
        assert_allclose(e.a, f.a, atol=1e-9)
        assert_allclose(np.kron(np.eye(2), R) @ e.u, f.u, atol=1e-9)
        assert e.W_dot == pytest.approx(f.W_dot, abs=1e-9)


@pytest.mark.parametrize("thrusters", [False, True])
def test_compiled_laws_are_those_in_python(thrusters):
    com = (0.01, -0.02, 0.03)
    m = craft("body", com) if thrusters else free_body("body")
    options = {"actuators": {"rotors": plants.quadcopter()[1]["rotors"]}} if thrusters else {}
    law = c.tracking(m, {("ground", m.bodies[0].name): random_gains(3)}, "body", **options)
    q, v, *goal = states(law.d, 5)
    compiled, python = law.at(lambda t: goal, compiled=True), law.at(lambda t: goal, compiled=False)
    assert compiled.compiled, compiled.why_not
    sim = vv.Simulator(m, h=0.01)
    sim.reset((q, v))
    assert_allclose(compiled(sim)[law.actuation.ports[0]], python(sim)[law.actuation.ports[0]], rtol=1e-9, atol=1e-9)
    if thrusters:  # B u of the law is what the port makes of its value
        e = law.evaluate(q, v, *goal)
        value = python(sim)["rotors"]
        assert_allclose(law.actuation.matrix(q) @ e.u, law.d.input_matrix(q) @ value, atol=1e-10)


@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint(), vv.RK4()])
def test_errors_follow_the_template_in_every_scheme(scheme):
    m = free_body("body")
    law = c.tracking(m, {("ground", "body"): random_gains(2)}, "body")
    q_R = np.array(law.d.q_built)
    start = law.d.integrate(q_R, [0.5, -0.4, 0.6, 0.3, -0.2, 0.4])
    run = vv.simulate(m, t_end=1.0, h=5e-3, integrator=scheme, initial=(start, np.zeros(6)), inputs=law.at(q_R))
    W = run.tracking.W
    assert (np.diff(W) < 1e-6 * W[0]).all()
    assert run.audit().ok or isinstance(scheme, vv.RK4)
    world = free_body("world")
    other = c.tracking(world, {("ground", "body"): random_gains(2)}, "body")
    same = vv.simulate(world, t_end=1.0, h=5e-3, integrator=scheme, initial=(start, np.zeros(6)), inputs=other.at(q_R))
    assert_allclose(run["body.r"], same["body.r"], atol=2e-4)


def test_limits_are_those_of_axes_of_the_body():
    """A resultant thrust along z of a body that is tilted, within its limits."""
    m = craft("body")
    own = c.matching.quadcopter((-6, -7, -8, -9), heading=(5.0, 0.9))
    limits = {"rotors.thrust": (0.0, 12.0)}
    options = {"actuators": {"rotors": RESULTANT}, "limits": limits}
    law = c.tracking(m, {("ground", "craft"): own.gains()}, **options)
    assert law.input_names == ("rotors.roll", "rotors.pitch", "rotors.yaw", "rotors.thrust")
    q_R = np.array(law.d.q_built)
    start = law.d.integrate(q_R, [0.4, -0.3, 0.5, 0.3, -0.4, -0.5])
    run = vv.simulate(m, t_end=4.0, h=5e-3, initial=(start, np.zeros(6)), inputs=law.at(q_R))
    u = run["rotors.u"]
    assert_allclose(u[:, 3:5], 0.0, atol=1e-12)  # nothing across the thrust, in axes of the body
    assert u[:, 5].max() == pytest.approx(12.0, abs=1e-9)
    assert u[:, 5].min() >= -1e-9
    assert np.linalg.norm(run["craft.r"][-1]) < 1e-3
    assert run.audit().ok


def test_thrusts_that_are_held_turn_with_their_body():
    """The sampled loop of such a port is that of its inputs; a port in world axes holds a direction."""
    own = c.matching.quadcopter((-3, -4, -5, -6))
    loops = {}
    for frame in ("body", "world"):
        law = c.tracking(
            craft(frame),
            {("ground", "craft"): own.gains()},
            "body",
            actuators={"rotors": plants.quadcopter()[1]["rotors"]},
        )
        loops[frame] = law.linear()
        d, T, q = law.d, 0.02, np.array(law.d.q_built)
        x = 1e-6 * np.random.default_rng(1).normal(size=12)
        sim = vv.Simulator(craft(frame), h=T / 8, integrator=vv.RK4())
        sim.reset((d.integrate(q, x[:6]), x[6:]))
        controller = law.at(q)
        for _ in range(5):
            sim.step(controller(sim), n=8)
            x = loops[frame].sampled(T).A @ x
        q1, v1 = c.StateReading(d)(sim)
        assert_allclose(np.concatenate([d.difference(q, q1), v1]), x, atol=2e-4 * np.abs(x).max())
    assert loops["body"].held is None
    assert loops["world"].held is not None
    assert_allclose(np.poly(loops["body"].closed_loop), np.poly(loops["world"].closed_loop), rtol=1e-7)
    assert np.abs(loops["body"].sampled(0.02).A - loops["world"].sampled(0.02).A).max() > 1e-3


def test_linearised_loops_take_such_ports():
    law = c.tracking(free_body("body"), {("ground", "body"): random_gains(2)}, "energy")
    q = law.d.integrate(np.array(law.d.q_built), [0.3, -0.5, 0.4, 0.1, 0.2, 0.3])
    found = np.sort_complex(vv.linearise(free_body("body"), inputs=law.at(q)).poles())
    assert_allclose(found, np.sort_complex(law.linear(q).poles), atol=1e-7)


def test_discrete_laws_take_such_ports():
    """T̄ + V̄ falls by what the template damps, to rounding, in every step."""
    law = c.tracking(free_body("body"), {("ground", "body"): random_gains(2)}, "body")
    q_R = np.array(law.d.q_built)
    start = law.d.integrate(q_R, [0.5, -0.4, 0.6, 0.3, -0.2, 0.4])
    over = law.discrete(q_R, h=0.01)
    vv.simulate(
        free_body("body"), t_end=0.2, h=0.01, initial=(start, np.zeros(6)), sampled=vv.Sampled(over, period=0.01)
    )
    balance = over.balance()
    assert np.abs(balance.defect).max() < 1e-9 * balance.W[0]


def test_a_law_of_other_axes_is_refused():
    law = c.tracking(free_body("body"), {("ground", "body"): random_gains(2)}, "body")
    with pytest.raises(vv.ModelError, match="other parts"):
        vv.simulate(free_body("world"), t_end=0.1, h=0.01, inputs=law.at(np.array(law.d.q_built)))
