"""A law belongs to its mechanism and to one run at a time, and to the ports that it drives."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ModelError

c = vv.control


def rod(*, wind=False, more=False):
    m = vv.Mechanism("rod on a hinge", gravity=(0, 0, -9.81))
    body = m.body("rod", inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, body, at=(0, 0, 0), axis="y", friction=0.1)
    m.torque("motor", "hinge")
    if wind:
        m.wrench("wind", body)
    if more:
        m.fixed("glue", body, m.body("more", mass=3.0, inertia=(1, 1, 1), at=(1, 0, 0)), at=(1, 0, 0))
    return m


def circling(t):
    return [np.sin(t)], [np.cos(t)], [-np.sin(t)]


GAINS = {"hinge": c.gains(mass=1, damping=4, stiffness=4)}


@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.RK4()], ids=["PHMP", "RK4"])
def test_rollouts_in_threads_are_those_of_one_thread(scheme):
    sim = vv.Simulator(rod(), h=1e-3, integrator=scheme, inputs=c.tracking(rod(), GAINS).at(circling))
    starts = {"hinge.q": np.linspace(-2, 2, 16)}
    one, two = (sim.rollout(starts, steps=50, record=("hinge.q",), workers=n)["hinge.q"] for n in (1, 2))
    assert (one == two).all()


def test_runs_in_threads_that_share_a_controller_wait_for_each_other():
    controller, ends = c.tracking(rod(), GAINS).at(circling), {}

    def work(k, law):
        run = vv.simulate(rod(), t_end=0.1, h=1e-3, inputs=law, initial={"hinge.q": 0.1 * k})
        ends[k, law is controller] = run["hinge.q"][-1]

    threads = [threading.Thread(target=work, args=(k, controller)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(4):
        work(k, c.tracking(rod(), GAINS).at(circling))
        assert ends[k, True] == ends[k, False]


@pytest.mark.parametrize("sampled", [False, True])
def test_a_goal_that_has_changed_is_seen_by_the_next_run(sampled):
    goal = [0.5]
    law = c.tracking(rod(), GAINS).at(lambda t: (goal, [0.0], [0.0]))
    given = {"sampled": vv.Sampled(law, period=1e-2)} if sampled else {"inputs": law}
    first = vv.simulate(rod(), t_end=0.2, h=1e-2, **given)["hinge.q"][-1]
    goal[0] = -0.5
    assert vv.simulate(rod(), t_end=0.2, h=1e-2, **given)["hinge.q"][-1] == pytest.approx(-first, abs=1e-4)


@pytest.mark.parametrize("sampled", [False, True])
def test_a_law_of_another_mechanism_is_refused(sampled):
    law = c.tracking(rod(), GAINS).at([0.5])
    given = {"sampled": vv.Sampled(law, period=1e-2)} if sampled else {"inputs": law}
    with pytest.raises(ModelError, match="other parts than 'rod on a hinge' has: 'glue', 'more'"):
        vv.simulate(rod(more=True), t_end=0.2, h=1e-2, **given)
    with pytest.raises(ModelError, match="the reference is one of 'rod on a hinge', whose parts are others"):
        c.tracking(rod(), GAINS).at(c.reference(rod(more=True), {"hinge": c.hold(0.0)}))


def test_ports_that_a_law_does_not_drive_are_left_to_the_user():
    with pytest.raises(ModelError, match=r"Say which ports the law drives, inputs=\(...\)"):
        c.tracking(rod(wind=True), GAINS)
    law = c.tracking(rod(wind=True), GAINS, inputs="motor")
    assert law.input_names == ("motor",)
    given = {"sampled": vv.Sampled(law.at([0.3]), period=1e-2), "inputs": {"wind": np.ones(6)}}
    run = vv.simulate(rod(wind=True), t_end=0.1, h=1e-2, **given)
    assert (run["wind.u"] == 1.0).all()
    with pytest.raises(ModelError, match="'sail'"):
        c.tracking(rod(wind=True), GAINS, inputs=("motor", "sail"))


def test_options_of_ticks_are_refused_inside_of_steps():
    with pytest.raises(ModelError, match="a law with period= or record= is asked at ticks"):
        vv.simulate(rod(), t_end=0.1, h=1e-2, inputs=c.tracking(rod(), GAINS).at([0.5], period=0.05))
    with pytest.raises(ModelError, match=r"inputs of all of its ports at once:\ninputs=law.at\(goal\)"):
        vv.simulate(rod(), t_end=0.1, h=1e-2, inputs={"motor": c.tracking(rod(), GAINS).at([0.5])})


def test_goals_whose_rates_are_not_their_derivatives_are_taken_as_they_are():
    law = c.tracking(rod(), GAINS)
    controller = law.at(lambda t: ([np.sin(t)], [0.0], [0.0]))
    for t in (0.251004016, 0.1, 0.7777):
        u = law.evaluate([0.1], [0.2], *controller.goal(t)).u
        np.testing.assert_allclose(controller.inputs(t, np.array([0.1, 0.2])), u, rtol=1e-9)


def test_a_law_that_is_singular_as_built_can_be_printed():
    m = vv.Mechanism("stretched", gravity=(0, 0, 0))
    a = m.body("a", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0))
    b = m.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(1.5, 0, 0))
    m.torque("t0", m.revolute("j0", m.ground, a, at=(0, 0, 0), axis="z"))
    m.torque("t1", m.revolute("j1", a, b, at=(1, 0, 0), axis="z"))
    m.frame("tool", b, at=(2, 0, 0))
    law = c.tracking(m, {("ground", "tool"): c.gains(1.0, 4.0, 4.0)})
    assert "as built the desired inertia is singular" in str(law)


def test_a_law_without_a_goal_is_no_input():
    with pytest.raises(ModelError, match=r"without what it should follow: inputs=law\.at\(goal\)"):
        vv.simulate(rod(), 0.1, 0.01, inputs=c.tracking(rod(), GAINS))
