"""Inputs over time in compiled loops of trees: closed forms, the plain schemes, jumps, and what is refused."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose
from test_flow_runs import arm

import visviva as vv
from visviva.forms.trees.dynamics import TreeDynamics
from visviva.forms.trees.loops import FIXED, SCHEMES, TreeLoop
from visviva.forms.trees.time_inputs import TooManyPieces, interpolated, sampled
from visviva.mechanism.spanning.tree import Link, Tree

CART = TreeDynamics(Tree((Link("cart", -1, "slider", np.eye(4), 2.0, np.zeros(3), np.eye(3)),), np.zeros(3)))
PORTS = np.array([0, 0])


def push(t):
    """Two forces on the same cart."""
    return np.array([np.cos(3 * t), 0.5])


def pushed(t):
    """Where the cart is, how fast, and the work of both forces until then, from rest at 0."""
    x, v = ((1 - np.cos(3 * t)) / 9 + 0.25 * t**2) / 2, (np.sin(3 * t) / 3 + 0.5 * t) / 2
    first = np.sin(3 * t) ** 2 / 36 + (3 * t * np.sin(3 * t) + np.cos(3 * t) - 1) / 36
    return x, v, first, 0.5 * x


def drive(loop, function, h, nodes, t0=0.0):
    if loop.scheme in FIXED:
        return sampled(PORTS, function, t0 + h * np.arange(nodes), h, loop.c)
    return interpolated(PORTS, function, t0 + h * np.arange(nodes + 1))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_cart_goes_where_two_forces_push_it(scheme):
    loop = TreeLoop(CART, scheme, 1e-12 if scheme == "Adaptive" else None)
    motion = loop([0.0], [0.0], 0.05, 20, inputs=drive(loop, push, 0.05, 20))
    x, v, *works = pushed(motion.t)
    close = 2e-7 if scheme == "RK4" else 1e-12
    assert_allclose(motion.q[:, 0], x, atol=close)
    assert_allclose(motion.xi[:, 0], v, atol=close)
    assert_allclose(motion.given, np.array(works).T, atol=close)
    assert_allclose(motion.work[:, 0], motion.given.sum(-1), atol=1e-14)
    assert_allclose(motion.impulse, np.array([np.sin(3 * motion.t) / 3, 0.5 * motion.t]).T, atol=close)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_time_goes_on_where_a_run_begins_later(scheme):
    loop = TreeLoop(CART, scheme, 1e-12 if scheme == "Adaptive" else None)
    x, v, *_ = pushed(np.array([1.0, 1.5]))
    motion = loop(x[:1], v[:1], 0.05, 10, inputs=drive(loop, push, 0.05, 10, 1.0), t0=1.0)
    assert_allclose([motion.q[-1, 0], motion.xi[-1, 0]], [x[1], v[1]], atol=1e-7)


def test_polynomials_follow_inputs_and_their_jumps():
    def u(t):
        return np.array([np.exp(np.sin(9 * t)), float(t > 0.3137)])

    found = interpolated(PORTS, u, np.linspace(0.0, 1.0, 3))
    assert len(found.P) < 150
    rng = np.random.default_rng(0)
    for t in rng.uniform(0, 1, 200):
        piece = int(np.searchsorted(found.breaks, t, side="right")) - 1
        a, b = found.breaks[piece : piece + 2]
        value = np.polynomial.chebyshev.chebval((2 * t - a - b) / (b - a), found.P[piece])
        assert_allclose(value, u(t), atol=2e-13)


def test_inputs_that_nothing_follows_are_refused():
    rng = np.random.default_rng(0)
    with pytest.raises(TooManyPieces, match="change too often between t = 0 s and 1 s"):
        interpolated(PORTS, lambda t: rng.normal(size=2), np.array([0.0, 1.0]))


def test_inputs_that_are_not_there_at_all_stages_are_refused():
    loop = TreeLoop(CART, "RK4")
    with pytest.raises(vv.ModelError, match="RK4 needs its inputs sampled at 3 steps with 4 stages each"):
        loop([0.0], [0.0], 0.1, 3, inputs=sampled(PORTS, push, np.arange(2) * 0.1, 0.1, loop.c))
    with pytest.raises(vv.ModelError, match=r"Adaptive needs its inputs interpolated from 0 s to 0.3 s"):
        TreeLoop(CART)([0.0], [0.0], 0.1, 3, inputs=interpolated(PORTS, push, np.array([0.0, 0.2])))


RUNS = [vv.RK4(), vv.DOP853(None), vv.DOP853(), vv.Gauss8(), vv.Relaxed(), vv.BalancedGauss8()]


@pytest.mark.parametrize("scheme", RUNS, ids=repr)
def test_runs_with_inputs_over_time_are_the_plain_ones(scheme):
    given = {"motor": lambda t: 0.5 * np.sin(20 * t)}
    runs = [
        vv.simulate(arm(), 0.03, 0.01, integrator=dataclasses.replace(scheme, compiled=c), inputs=given)
        for c in (True, False)
    ]
    assert [run.engine for run in runs] == ["compiled", "NumPy"]
    assert not runs[0].notes
    close = 1e-8 if scheme.tolerance else 1e-12
    assert_allclose(runs[0]["tip.r"][-1], runs[1]["tip.r"][-1], atol=close)
    assert runs[0]["motor.work"][-1] == pytest.approx(runs[1]["motor.work"][-1], abs=close)
    if scheme.fixed_step:
        assert_allclose(runs[0]["motor.u"], runs[1]["motor.u"], atol=1e-14)
    assert runs[0]["heat.h0"][-1] == pytest.approx(runs[1]["heat.h0"][-1], rel=1e-3)
    assert runs[0].audit().first_law <= max(2 * runs[1].audit().first_law, 1e-13)


@pytest.mark.parametrize("scheme", [vv.RK4(), vv.DOP853()], ids=repr)
def test_an_input_that_breaks_is_met_at_its_step(scheme):
    def motor(t):
        return 0.1 if t < 0.035 else np.nan

    with pytest.raises(vv.ConvergenceError, match=r"the input of port 'motor', at t = 0\.0.*got nan") as caught:
        vv.simulate(arm(), 0.1, 0.01, integrator=scheme, inputs={"motor": motor})
    run = caught.value.run
    assert 0.03 - 1e-12 < run.t[-1] < 0.035  # whole steps, or shortened ones until it breaks
    assert np.isfinite(run["tip.r"]).all()
