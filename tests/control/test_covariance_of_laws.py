"""Laws do not depend on coordinates or on the form of the equations; loops converge as their schemes and holds do."""

from __future__ import annotations

import functools

import numpy as np
import plants
import pytest
from numpy.testing import assert_allclose
from plants import c

import visviva as vv
from visviva.forms.dynamics.handle import dynamics

L1, L2 = 0.4, 0.3

pytestmark = pytest.mark.slow


@functools.cache
def scara(kind):
    """The arm by relative angles; by absolute ones, its second link being hung up on a plane; by bodies in planes."""
    m = vv.Mechanism(f"scara, {kind}", gravity=(0, -9.81, 0))
    one = m.body("one", mass=2.0, inertia=(0.01, 0.02, 0.03), com=(0.15, 0, 0))
    two = m.body("two", mass=1.2, inertia=(0.005, 0.01, 0.015), at=(L1, 0, 0), com=(0.12, 0.02, 0))
    if kind != "bodies":
        m.revolute("first", m.ground, one, at=(0, 0, 0), axis="z")
    if kind != "relative":
        m.planar("plane2", m.ground, two, at=(0, 0, 0), normal="z")
    if kind == "bodies":
        m.planar("plane1", m.ground, one, at=(0, 0, 0), normal="z")
        m.revolute("first", m.ground, one, at=(0, 0, 0), axis="z")
    m.revolute("second", one, two, at=(L1, 0, 0), axis="z")
    m.torque("t1", "first")
    m.torque("t2", "second")
    return m


@functools.cache
def handle(kind):
    m = scara(kind)
    return dynamics(m) if kind == "relative" else dynamics(m, independent="rank")


def state(kind, angles, rates):
    """(q, v) of the same motion in other coordinates, by poses and twists of both bodies."""
    base, d = handle("relative"), handle(kind)
    if kind == "relative":
        return np.array(angles), np.array(rates)
    q0 = np.array(angles)
    goals = {name: base.pose(name, q0) for name in ("one", "two")}
    q = np.array(d.q_built)
    for s in np.linspace(0.1, 1.0, 10):
        q = d.solve_pose({name: base.pose(name, s * q0) for name in goals}, near=q)
    J = np.concatenate([d.jacobian(name, q, "body") for name in goals])
    twists = np.concatenate([base.jacobian(name, q0, "body") @ np.array(rates) for name in goals])
    v, *_ = np.linalg.lstsq(J, twists, rcond=None)
    assert_allclose(J @ v, twists, atol=1e-9)
    return q, v


def accelerations(kind, angles, rates, wanted):
    """Accelerations a_R in other coordinates with the same motion of both bodies."""
    base, d = handle("relative"), handle(kind)
    q, v = state(kind, angles, rates)
    names = ("one", "two")
    own = np.concatenate(
        [base.jacobian(n, angles, "body") @ wanted + base.bias_acceleration(n, angles, rates, "body") for n in names]
    )
    J = np.concatenate([d.jacobian(n, q, "body") for n in names])
    bias = np.concatenate([d.jacobian_rate(n, q, v, "body") @ v for n in names])
    return np.linalg.lstsq(J, own - bias, rcond=None)[0]


GAINS = c.gains(
    (1.0, (0.1, 0.05, 0), (0.2, 0.2, 0.2)), (2.0, (0.1, 0, 0), (0.3, 0.3, 0.3)), (5.0, (0.2, 0.1, 0), (0.5, 0.5, 0.5))
)
POINT = c.point_gains((L2, 0, 0), mass=1.0, damping=4.0, stiffness=4.0)


@pytest.mark.parametrize("approach", ["particle", "body", "energy"])
@pytest.mark.parametrize("kind", ["absolute", "bodies"])
def test_inputs_and_accelerations_do_not_depend_on_coordinates(kind, approach):
    """A6."""
    gains = {("ground", "two"): POINT if approach == "energy" else GAINS}
    motion = np.array([0.3, 0.9]), np.array([0.7, -1.1])
    wanted = np.array([-0.2, 0.6]), np.array([-0.4, 0.5]), np.array([0.8, -0.3])
    found = {}
    for own in ("relative", kind):
        law = c.tracking(handle(own), gains, approach)
        q, v = state(own, *motion)
        q_R, v_R = state(own, *wanted[:2])
        a_R = accelerations(own, *wanted)
        e = law.evaluate(q, v, q_R, v_R, a_R)
        d = law.d
        moved = [d.jacobian(n, q, "body") @ e.a + d.jacobian_rate(n, q, v, "body") @ v for n in ("one", "two")]
        found[own] = e.u, np.concatenate(moved), e.W
    for a, b in zip(found["relative"], found[kind], strict=True):
        assert_allclose(a, b, rtol=0, atol=1e-10 * max(1.0, np.abs(a).max()))


def swing(t):
    q = np.array([0.3 * np.sin(t), 0.8 + 0.3 * np.cos(2 * t)])
    return q, np.array([0.3 * np.cos(t), -0.6 * np.sin(2 * t)]), np.array([-0.3 * np.sin(t), -1.2 * np.cos(2 * t)])


START = {"first.q": 0.5, "first.rate": -0.7, "second.q": 0.4, "second.rate": 1.3}


@functools.cache
def law():
    gains = c.gains(1.0, 3.0, 20.0)
    return c.tracking(plants.scara(), {"first": gains, "second": gains}, "body")


def test_directors_lie_groups_and_minimal_velocities_have_the_same_inputs():
    inputs = [
        vv.simulate(
            plants.scara(), t_end=1e-3, h=1e-3, integrator=scheme, initial=START, inputs=law().at(swing)
        ).record.u[0]
        for scheme in (vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint(), vv.RK4())
    ]
    e = law().evaluate([0.5, 0.4], [-0.7, 1.3], *swing(0.0))
    for found in inputs:
        assert_allclose(found, e.u, rtol=0, atol=1e-10 * np.abs(e.u).max())


def end_of(run):
    return np.array([float(run[name][-1]) for name in START])


@functools.cache
def exact():
    run = vv.simulate(plants.scara(), t_end=1.0, h=2e-3, integrator=vv.RK4(), initial=START, inputs=law().at(swing))
    return end_of(run)


def slope(steps, errors):
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


@pytest.mark.filterwarnings("ignore:energy is off:visviva.errors.RunWarning")
@pytest.mark.parametrize(("scheme", "order", "steps"), [
    (vv.PHMP(), 2, (0.02, 0.01, 0.005)), (vv.LieMidpoint(), 2, (0.02, 0.01, 0.005)), (vv.RK4(), 4, (0.04, 0.02, 0.01)),
], ids=["PHMP", "LieMidpoint", "RK4"])  # fmt: skip
def test_the_closed_loop_has_the_order_of_its_scheme(scheme, order, steps):
    errors = []
    for h in steps:
        run = vv.simulate(plants.scara(), t_end=1.0, h=h, integrator=scheme, initial=START, inputs=law().at(swing))
        errors.append(np.linalg.norm(end_of(run) - exact()))
    assert slope(steps, errors) == pytest.approx(order, abs=0.3)


def test_a_hold_is_of_first_order_in_its_period():
    periods, errors = (0.02, 0.01, 0.005), []
    for period in periods:
        run = vv.simulate(
            plants.scara(),
            t_end=1.0,
            h=2.5e-3,
            integrator=vv.RK4(),
            initial=START,
            sampled=vv.Sampled(law().at(swing), period),
        )
        errors.append(np.linalg.norm(end_of(run) - exact()))
    assert slope(periods, errors) == pytest.approx(1.0, abs=0.15)


def test_work_of_a_hold_is_of_first_order_in_its_period():
    periods = (0.02, 0.01, 0.005)
    works = [
        abs(
            vv.simulate(
                plants.scara(), t_end=1.0, h=1.25e-3, initial=START, sampled=vv.Sampled(law().at(swing), T)
            ).tracking.balance["hold"]
        )
        for T in periods
    ]
    assert slope(periods, works) == pytest.approx(1.0, abs=0.15)
