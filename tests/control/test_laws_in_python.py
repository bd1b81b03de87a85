"""Laws without a compiled form are asked in Python: runs say so and why, and are quiet where that is meant."""

from __future__ import annotations

import numpy as np
import plants
import pytest

import visviva as vv
from visviva import control as c
from visviva.forms.dynamics import loops as loops_module
from visviva.forms.minimal.point import Point


def five_bar():
    m = vv.Mechanism("five bar", gravity=(0, 0, -9.81))
    points = np.array([(-0.2, 0, 0), (-0.5, 0, 0.4), (0, 0, 0.9), (0.5, 0, 0.4), (0.2, 0, 0)], dtype=float)
    bars = [m.body(f"bar{k}", mass=1.0, inertia=(0.02,) * 3, at=(points[k] + points[k + 1]) / 2) for k in range(4)]
    ends = [m.ground, *bars, m.ground]
    for k, name in enumerate("ABCDE"):
        m.revolute(name, ends[k], ends[k + 1], at=points[k], axis="y")
    m.torque("left", "A")
    m.torque("right", "E")
    m.frame("pen", bars[1], at=points[2])
    return m


@pytest.fixture(scope="module")
def law():
    return c.tracking(five_bar(), {("ground", "pen"): c.gains(1, 16, 64)}, "energy", independent="rank")


@pytest.fixture(scope="module")
def goal(law):
    angle = c.polynomial(0.0, np.pi, 0.6, degree=7)
    return c.reference(law.d, {"pen": c.circle(0.12, angle, centre=(0, 0, 0.78), normal="y", toward="z")})


HOW = {
    "inside of steps": lambda law, **options: {"inputs": law},
    "in RK4": lambda law, **options: {"inputs": law, "integrator": vv.RK4()},
    "at ticks": lambda law, **options: {"sampled": vv.Sampled(law, period=0.0125, **options)},
}
TEXT = "the tracking law of 'five bar' was asked in Python.*mechanisms with loops.*compiled=False"


def run(how, law, **options):
    return vv.simulate(five_bar(), t_end=0.0125, h=2.5e-3, initial={"pen.r": (0.1, 0, 0.8)}, **HOW[how](law, **options))


@pytest.mark.parametrize("how", ["inside of steps", "at ticks"])
def test_a_run_says_that_its_law_was_asked_in_python_and_why(how, law, goal):
    with pytest.warns(vv.RunWarning, match=TEXT):
        found = run(how, law.at(goal))
    assert "was asked in Python" in repr(found)
    assert [text for text in found.warnings if "tracking law" in text] == [law.at(goal).fallback]
    assert law.at(goal).fallback in found.audit().warnings


def test_schemes_in_minimal_velocities_say_it_as_well(law, goal):
    with pytest.warns(vv.RunWarning) as told:
        run("in RK4", law.at(goal))
    assert any("the tracking law of 'five bar' was asked in Python" in str(one.message) for one in told)


@pytest.mark.parametrize("how", ["inside of steps", "at ticks"])
def test_a_run_is_quiet_where_that_is_meant(how, law, goal):
    assert run(how, law.at(goal, compiled=False)).warnings == ()


def test_the_clock_of_a_law_can_say_so_as_well(law, goal):
    assert run("at ticks", law.at(goal), compiled=False).warnings == ()
    assert run("at ticks", law.at(goal, record=True)).warnings == ()
    with pytest.warns(vv.RunWarning, match="it is a control law that is asked in Python .mechanisms with loops."):
        assert len(run("at ticks", law.at(goal), compiled=True).warnings) == 1


def test_compiled_laws_say_nothing():
    m = plants.scara()
    own = c.tracking(m, {"first": c.gains(1, 2, 1), "second": c.gains(1, 2, 1)})
    controller = own.at(np.zeros(2))
    assert controller.compiled
    assert controller.fallback == ""
    assert vv.simulate(m, t_end=0.02, h=0.01, inputs=controller).warnings == ()
    assert str(own).splitlines()[-1] == "  compiled"


def test_the_text_of_a_law_says_what_asks_it(law):
    assert str(law).splitlines()[-1] == "  asked in Python: compiled laws do not take mechanisms with loops"
    own = c.gains(1.0, 2.0, 3.0)
    pd = c.tracking(plants.scara(), {"first": own, "second": own}, "computed torque")
    assert str(pd).splitlines()[-1] == "  asked in Python: compiled laws do not take baselines"


# -- what a tick computes -------------------------------------------------------------------------------------------


def test_a_tick_closes_each_configuration_once_and_asks_no_model(law, goal, monkeypatch):
    """The state, the reference, and nodes of the reference on the way to it."""
    closed, own = list[bytes](), loops_module.Closure.__init__

    def counted(self, loops, q, s):
        closed.append(q.tobytes())
        own(self, loops, q, s)

    def asked(self, *_arguments):
        raise AssertionError("the Model was asked")

    reference = goal(0.2)
    q, v = law.d.integrate(reference.q, [0.01, 0.02]), np.array([0.1, -0.2])
    law.d.mass_matrix(goal(0.5).q)
    monkeypatch.setattr(loops_module.Closure, "__init__", counted)
    monkeypatch.setattr(Point, "__init__", asked)
    law.evaluate(q, v, *goal(0.301))
    assert len(closed) == len(set(closed)) <= 2
    closed.clear()
    later = goal(0.41)  # its node is new
    law.evaluate(q, v, *later)
    assert len(closed) == len(set(closed))


def test_goals_and_loops_are_met_where_newton_on_closed_loops_leads(law, goal):
    follower = goal._follower
    for t in (0.1, 0.23, 0.37):
        q = goal(t).q
        beside = law.d.integrate(q, [1e-3, -2e-3])
        opened = law.d.tree_integrate(q, 1e-3 * np.random.default_rng(0).normal(size=law.d.form.n))
        for start in (beside, opened):
            np.testing.assert_allclose(follower._meet(start, t), q, rtol=0, atol=1e-13)
        np.testing.assert_allclose(follower._newton(beside, t), q, rtol=0, atol=1e-13)
