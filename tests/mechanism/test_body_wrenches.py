"""Wrench ports in axes of their body: the same motion as world wrenches that turn with it, in every scheme."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo
from visviva.geometry import SO3

SCHEMES = {
    "PHMP": vv.PHMP(),
    "PHMP in NumPy": vv.PHMP(compiled=False),
    "PHMPGGL": vv.PHMPGGL(),
    "PHMPGGL in NumPy": vv.PHMPGGL(compiled=False),
    "LieMidpoint": vv.LieMidpoint(),
    "LieMidpoint in NumPy": vv.LieMidpoint(compiled=False),
    "RK4": vv.RK4(),
    "DOP853": vv.DOP853(),
}
U = np.array([0.1, -0.2, 0.15, 1.0, 2.0, 12.0])
INERTIA = np.array([[0.2, 0.01, 0.02], [0.01, 0.3, -0.03], [0.02, -0.03, 0.25]])


@cache
def free(frame):
    """Axes of the body are neither its principal ones nor, as built, those of the world."""
    m = vv.Mechanism("flier", gravity=(0, 0, -9.81))
    b = m.body(
        "b", mass=1.5, inertia=INERTIA, com=(0.02, -0.03, 0.05), at=(0.1, 0.2, 0.3), rotation=SO3.exp([0.3, 0.2, -0.5])
    )
    m.wrench("w", b, frame=frame)
    return m, {"b.twist": (0.5, -1.0, 0.7, 0.2, 0.1, 0)}


@cache
def chain(frame):
    m = vv.Mechanism("chain", gravity=(0, 0, -9.81))
    a = m.body("a", mass=1.0, inertia=(0.1, 0.2, 0.15), at=(0.5, 0, 0), com=(0.1, 0.02, 0))
    b = m.body("b", mass=0.7, inertia=INERTIA, at=(1.5, 0, 0), rotation=SO3.exp([0.2, 0.4, 0.1]))
    m.revolute("hinge", m.ground, a, at=(0, 0, 0), axis="y")
    m.spherical("ball", a, b, at=(1, 0, 0))
    m.wrench("w", b, frame=frame)
    return m, {"hinge.rate": 1.0}


@cache
def loop(frame):
    m = demo.four_bar()
    m.wrench("w", next(body for body in m.bodies if body.name == "coupler"), frame=frame)
    return m, None


PLANTS = {"free": free, "chain": chain, "loop": loop}
LOADED = {"free": "b", "chain": "b", "loop": "coupler"}


def turned(body, u):
    """The world wrench that has constant components in axes of the body."""
    return lambda t, x: {"w": np.concatenate([x[f"{body}.R"] @ u[:3], x[f"{body}.R"] @ u[3:]])}


TREES = ("RK4", "DOP853")
CASES = [(plant, scheme) for plant in PLANTS for scheme in SCHEMES if not (plant == "loop" and scheme in TREES)]


@pytest.mark.parametrize(("plant", "scheme"), CASES)
def test_is_the_world_wrench_that_turns_with_the_body(plant, scheme):
    """Also over steps: laws see the mean of both ends, whose axes are those of the port."""
    (m, start), (world, _), body = PLANTS[plant]("body"), PLANTS[plant]("world"), LOADED[plant]
    options = {"t_end": 0.2, "h": 0.01, "integrator": SCHEMES[scheme], "initial": start}
    own = vv.simulate(m, inputs={"w": U}, **options)
    other = vv.simulate(world, inputs=turned(body, U), **options)
    for name in (f"{body}.r", f"{body}.R", f"{body}.twist"):
        assert_allclose(own[name], other[name], atol=1e-11)
    assert not any("NumPy" in text for text in own.warnings) or "NumPy" in scheme
    assert_allclose(own["w.u"], np.broadcast_to(U, own["w.u"].shape))
    still = vv.simulate(world, inputs={"w": turned(body, U)(0, {f"{body}.R": own[f"{body}.R"][0]})["w"]}, **options)
    assert np.abs(still[f"{body}.r"] - own[f"{body}.r"]).max() > 1e-4  # one that does not turn is told from it


@pytest.mark.parametrize(("plant", "scheme"), [case for case in CASES if case[1] != "RK4"])
def test_work_of_the_port_closes_the_balance(plant, scheme):
    m, start = PLANTS[plant]("body")

    def wave(t):
        return U * np.cos(7 * t)

    run = vv.simulate(m, t_end=0.3, h=0.01, integrator=SCHEMES[scheme], initial=start, inputs={"w": wave})
    audit = run.audit()
    assert audit.ok, str(audit)
    assert abs(run["w.work"][-1]) > 1e-2


@pytest.mark.parametrize("scheme", ["PHMP", "PHMPGGL", "LieMidpoint"])
def test_power_over_a_run_is_that_of_the_wrench(scheme):
    """∫ u·(ω; v_C) in axes of the body, by the trapezium rule on the nodes: second order."""
    m, start = free("body")
    com, gaps = np.array([0.02, -0.03, 0.05]), []
    for h in (0.01, 0.005):
        run = vv.simulate(m, t_end=0.4, h=h, integrator=SCHEMES[scheme], initial=start, inputs={"w": U})
        V = run["b.twist"]
        power = V[:, :3] @ U[:3] + (V[:, 3:] + np.cross(V[:, :3], com)) @ U[3:]
        gaps.append(run["w.work"][-1] - np.trapezoid(power, run.t))
    assert abs(gaps[1]) < 1e-3
    assert gaps[0] / gaps[1] == pytest.approx(4.0, rel=0.2)


@pytest.mark.parametrize("plant", PLANTS)
def test_input_matrix_is_that_of_the_world_turned(plant):
    (m, _), (world, _) = PLANTS[plant]("body"), PLANTS[plant]("world")
    d, other = vv.dynamics(m), vv.dynamics(world)
    q = d.integrate(np.array(d.q_built), 0.3 * d.sizes * np.random.default_rng(3).normal(size=d.nv))
    R = d.pose(LOADED[plant], q).R
    assert_allclose(d.input_matrix(q), other.input_matrix(q) @ np.kron(np.eye(2), R), atol=1e-12)
    v = np.zeros(d.nv)
    assert_allclose(d.forward(q, v, U), other.forward(q, v, np.kron(np.eye(2), R) @ U), atol=1e-9)
    if plant != "loop":
        by_u = d.derivatives(q, v, U).u
        assert_allclose(by_u @ U, d.forward(q, v, U) - d.forward(q, v, 0 * U), atol=1e-8)


def test_feedback_and_held_inputs_take_the_port():
    """u = -K V of the body's own twist: a damper in its axes, inside of steps, at ticks and by hand."""
    m, start = free("body")
    D = np.array([0.1, 0.2, 0.3, 1.0, 2.0, 3.0])
    inside = vv.simulate(m, t_end=0.2, h=0.01, initial=start, inputs={"w": lambda t, x: -D * x["b.twist"]})
    assert inside.audit().ok
    law = vv.Sampled(lambda now: {"w": -D * now["b.twist"]}, period=0.01)
    ticks = vv.simulate(m, t_end=0.2, h=0.01, initial=start, sampled=law)
    sim = vv.Simulator(m, h=0.01)
    sim.reset(start)
    for _ in range(20):
        sim.step({"w": -D * sim["b.twist"]})
    assert_allclose(sim["b.r"], ticks["b.r"][-1], atol=1e-12)
    assert_allclose(inside["b.r"][-1], ticks["b.r"][-1], atol=2e-2)


def test_new_numbers_turn_the_principal_axes():
    m, start = free("body")
    inertia = {"b.inertia": INERTIA + np.array([[0.05, -0.02, 0.01], [-0.02, 0.0, 0.03], [0.01, 0.03, 0.02]])}
    own = vv.simulate(m, t_end=0.1, h=0.01, initial=start, inputs={"w": U}, parameters=inertia)
    other = vv.simulate(m.with_parameters(inertia), t_end=0.1, h=0.01, initial=start, inputs={"w": U})
    assert np.array_equal(own["b.r"], other["b.r"])
    world = vv.simulate(
        free("world")[0].with_parameters(inertia), t_end=0.1, h=0.01, initial=start, inputs=turned("b", U)
    )
    assert_allclose(own["b.twist"], world["b.twist"], atol=1e-11)


def test_small_motions_of_a_body_that_hangs_on_its_thrust():
    """A thrust along axes of the body tilts with it: v̇_x = g θ_y; one along axes of the world holds the weight."""
    u = np.array([0, 0, 0, 0, 0, 1.5 * 9.81])
    for frame, slope in (("body", 9.81), ("world", 0.0)):
        m = vv.Mechanism("hover", gravity=(0, 0, -9.81))
        b = m.body("b", mass=1.5, inertia=(0.2, 0.3, 0.25))
        m.wrench("w", b, frame=frame)
        d = vv.dynamics(m)
        found = vv.linearise(m, at=(np.array(d.q_built), np.zeros(6)), operating={"w": u})
        A = found.A[found.n // 2 :, : found.n // 2]
        assert A[3, 1] == pytest.approx(slope, abs=1e-8)  # velocities are in axes of the body, as weights are
