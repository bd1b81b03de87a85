"""Angles of joints that close loops, without s=: over many turns where axes are parallel, else with a warning."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.demo import bennett
from visviva.errors import RunWarning

TURNS = np.linspace(0.0, 4.5 * np.pi, 46)
PLACES = {"z": np.eye(3), "skew": np.array(vv.geometry.SO3.exp([0.4, -0.7, 0.3]).R)}


def crank(turned=(), down=(), R=PLACES["z"]):
    """A crank that goes round, with a torsion spring in each of its four hinges."""
    m = vv.Mechanism("crank", gravity=R @ (0.3, -9.81, 0.2))
    corners, bars = np.array([[0, 0, 0], [1, 0, 0], [4, 3.0, 0], [4, 0, 0]]) @ R.T, ("ground", "a", "b", "c", "ground")
    for k in range(3):
        at = (corners[k] + corners[k + 1]) / 2
        m.body(bars[k + 1], inertia=vv.inertia.box(1.0, (1, 0.1, 0.1)), at=at, rotation=R)
    for k, at in enumerate(corners):
        ends = (bars[k], bars[k + 1])[:: -1 if k in turned else 1]
        m.revolute(f"h{k}", *ends, at=at, axis=R[:, 2] * (-1 if k in down else 1))
        m.torsion(f"t{k}", f"h{k}", k=1.0 + k, angle=0.1 * k)
    m.torque("motor", "h0")
    return m


def along(d, joint="h0", turns=TURNS):
    """Configurations in which a joint has turned on and on."""
    q = np.array(d.q_built)
    for angle in turns:
        q = d.coordinates({joint: angle}, near=q)
        yield q


def followed(d, configurations):
    """With states whose angles are continued from one configuration to the next, as in a run."""
    s = np.array(d.s_built)
    for q in configurations:
        s = d.form.states.s_of(d.form.x(q, np.zeros(d.form.n), s))
        yield q, s


@pytest.mark.parametrize("turned", [(), (1, 3)])
@pytest.mark.parametrize("down", [(), (1, 2)])
@pytest.mark.parametrize("independent", [None, ("h0",), ("h1",)])
def test_angles_of_planar_loops_follow_those_of_the_tree(turned, down, independent):
    d = vv.dynamics(crank(turned, down), independent=independent)
    v = np.zeros(d.nv)
    for q, s in followed(d, along(d)):
        assert_allclose(d.states(q), s, atol=1e-9)
        assert_allclose(d.passive(q, v), d.passive(q, v, s=s), atol=1e-9)


def test_the_joint_that_closes_the_loop_may_be_the_one_that_goes_round():
    d = vv.dynamics(crank(), independent=("h3",))
    rest = [joint.name for joint in d.form.spanning.cut]
    wanted = vv.dynamics(crank(), independent=("h1",))
    both = {*rest, *(joint.name for joint in wanted.form.spanning.cut)}
    assert both & {"h0", "h1"}
    far = {name: np.ptp([s[0] for _, s in followed(one, along(one))]) for name, one in (("h3", d), ("h1", wanted))}
    assert max(far.values()) > 4 * np.pi


@pytest.mark.parametrize("place", PLACES)
def test_accelerations_do_not_depend_on_which_joint_closes_the_loop(place):
    """Nor on what was asked before: configurations are asked for in a batch, the last turn first."""
    found, cut = [], set()
    for name in ("h0", "h1", "h3"):
        d = vv.dynamics(crank(R=PLACES[place]), independent=(name,))
        cut |= {joint.name for joint in d.form.spanning.cut}
        q = np.array(list(along(d)))[::-1]
        axis = PLACES[place][:, 2]
        rate = np.array([1.0 / (axis @ d.jacobian("a", one)[:3])[0] for one in q])  # the crank turns at 1 rad/s
        a = d.forward(q, rate[:, None])
        alpha = [
            axis @ (d.jacobian("a", one)[:3] @ own + d.bias_acceleration("a", one, v)[:3])
            for one, v, own in zip(q, rate[:, None], a, strict=True)
        ]
        found.append(alpha)
    assert len(cut) > 1
    assert_allclose(found[1], found[0], atol=1e-8 * np.abs(found[0]).max())
    assert_allclose(found[2], found[0], atol=1e-8 * np.abs(found[0]).max())


def test_a_slide_in_the_loop_is_no_turn():
    m = vv.Mechanism("slider-crank")
    for name, at in (("crank", (0.5, 0, 0)), ("rod", (2.5, 0, 0)), ("block", (4, 0, 0))):
        m.body(name, inertia=vv.inertia.box(1.0, (1, 0.1, 0.1)), at=at)
    m.revolute("base", "ground", "crank", at=(0, 0, 0), axis=(0, 0, 1))
    m.revolute("pin", "crank", "rod", at=(1, 0, 0), axis=(0, 0, -1))
    m.prismatic("guide", "ground", "block", at=(4, 0, 0), axis=(1, 0, 0))
    m.revolute("wrist", "rod", "block", at=(4, 0, 0), axis=(0, 0, 1))
    for name in ("base", "pin", "wrist"):
        m.torsion(f"{name} spring", name, k=1.0)
    d = vv.dynamics(m, independent=("base",))
    assert d.form.spanning.cut[0].name in ("pin", "wrist")
    for q, s in followed(d, along(d, "base")):
        assert_allclose(d.states(q), s, atol=1e-9)


def test_laws_on_loops_know_the_turns():
    """After two turns of the crank, what holds it there is what the springs ask for after two turns."""
    m = crank()
    law = vv.control.tracking(m, {"h0": vv.control.gains(1.0, 2.0, 1.0)}, independent=("h0",))
    d = law.d
    *_, (q, s) = followed(d, along(d))
    still = np.zeros(1)
    held = d.bias(q, still, s=s)
    e = law.evaluate(q, still, q, still, still)
    assert_allclose(d.input_matrix(q) @ e.u, held, rtol=1e-9)


@pytest.mark.parametrize("independent", [None, "rank", ("h0",), ("h1",), ("h2",), ("h3",)])
def test_springs_act_in_their_joints_whatever_the_tree(independent):
    """By the equations of the form on the same tree: another order of its joints gave each the spring of another."""
    d = vv.dynamics(crank(), independent=independent)
    *_, (q, s) = followed(d, along(d, turns=TURNS[:4]))
    v = np.zeros(d.nv)
    wanted = d.form.accelerations(q, np.zeros(d.form.n), s)
    wanted = wanted if d.loops.independent is None else wanted[d.loops.independent]
    assert_allclose(d.forward(q, v), wanted, atol=1e-10 * np.abs(wanted).max())


def test_what_is_given_counts():
    d = vv.dynamics(crank(), independent=("h0",))
    q, v = d.coordinates({"h0": 1.0}), np.zeros(1)
    wound = d.states(q) + 2 * np.pi
    assert abs(d.passive(q, v, s=wound)[0] - d.passive(q, v)[0]) > 1e-3


def test_in_spatial_loops_the_angle_is_warned_of_near_half_a_turn():
    m = bennett()
    for joint in list(m.joints):
        m.torsion(f"{joint.name} spring", joint.name, k=1.0)
    d = vv.dynamics(m)
    name, v = d.form.spanning.cut[0].name, np.zeros(d.nv)
    first = d.q_names[0].removesuffix(".q")
    near = float(d.q_built[0])
    distances = {True: list[float](), False: list[float]()}
    for q, s in followed(d, along(d, first, near + np.linspace(0.0, -3.0, 61))):
        with warnings.catch_warnings(record=True) as issued:
            warnings.simplefilter("always")
            d.passive(q, v, s=s)  # who says the angle is not warned
            assert not issued
            d.passive(q, v)
        assert all(f"joint {name!r} closes a loop of axes that are not parallel" in str(one.message) for one in issued)
        assert all(one.category is RunWarning for one in issued)
        distances[bool(issued)].append(float(np.abs(s - d.s_built).max()))
    assert max(distances[False]) <= 0.75 * np.pi
    assert min(distances[True]) > 0.75 * np.pi
