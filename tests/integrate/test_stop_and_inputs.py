"""The order in which `stop` and inputs are called is a contract: a controller may remember what stop was shown."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv
from visviva.integrate.loop import Loop
from visviva.results import motion


def arm():
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    rod = m.body("rod", inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, rod, at=(0, 0, 0), axis=(0, 1, 0))
    m.torque("motor", "hinge")
    return m


@pytest.mark.parametrize("integrator", [vv.PHMP(), vv.DiscreteGradient(), vv.RK4()], ids=repr)
def test_stop_of_a_step_comes_before_the_inputs_of_the_next(integrator):
    calls, h = [], 0.01

    def motor(t):
        calls.append(("input", t))
        return 0.0

    def stop(now):
        calls.append(("stop", now.t))
        return False

    vv.simulate(arm(), 20 * h, h, integrator=integrator, inputs={"motor": motor}, stop=stop)
    seen = [t for kind, t in calls if kind == "stop"]
    np.testing.assert_allclose(seen, h * np.arange(1, 21))
    for (kind, t), (_, before) in zip(calls[1:], calls[:-1], strict=True):
        assert t >= before - 1e-12  # in the order of time
        last = max([0.0, *(s for s in seen if s <= before)])
        assert kind == "stop" or t <= last + h + 1e-12


def test_a_pd_law_that_reads_the_last_snapshot_holds_a_pendulum_up():
    """Held over a step and one step late, it has a margin; two steps ahead it blew up, with an audit that was ok."""
    last, goal = {"q": 0.0, "rate": 0.0}, -0.3

    def motor(t):
        return 60.0 * (goal - last["q"]) - 12.0 * last["rate"] - 4.905 * np.cos(goal)

    def stop(now):
        last.update(q=float(now["hinge.q"]), rate=float(now["hinge.rate"]))
        return False

    run = vv.simulate(arm(), 1.5, 0.01, inputs={"motor": motor}, stop=stop)
    assert np.abs(run["hinge.q"]).max() < 0.31
    assert run["hinge.q"][-1] == pytest.approx(goal, abs=1e-3)
    assert run.audit().ok


def test_sums_from_the_start_of_a_run_are_seen_step_by_step():
    """A snapshot of the last steps alone would count work from there."""
    seen = []
    run = vv.simulate(
        arm(), 0.2, 0.01, inputs={"motor": lambda t: 1.0}, stop=lambda now: bool(seen.append(float(now["motor.work"])))
    )
    np.testing.assert_allclose(seen, run["motor.work"][1:], rtol=1e-12)


@pytest.mark.parametrize("every", [1, 7])
@pytest.mark.parametrize("record", [None, "rod.r"])
def test_sums_that_are_asked_for_now_and_then_count_from_the_start(every, record):
    seen = {}

    def stop(now):
        k = round(now.t / 0.01)
        if k % 5 in (0, 1) or k > 30:
            seen[k] = float(now["motor.work"])
        return False

    law = {"motor": lambda t: 1.0}
    vv.simulate(arm(), 0.4, 0.01, inputs=law, stop=stop, every=every, record=record)
    run = vv.simulate(arm(), 0.4, 0.01, inputs=law)
    np.testing.assert_allclose(list(seen.values()), run["motor.work"][list(seen)], rtol=1e-12)


def test_a_snapshot_that_is_read_makes_its_tables_once(monkeypatch):
    """The tables of a mechanism do not change from step to step, however often they are read."""
    made, linkage = [], motion.Linkage
    monkeypatch.setattr(motion, "Linkage", lambda *given: made.append(given) or linkage(*given))
    seen = []
    run = vv.simulate(
        arm(), 0.1, 0.01, inputs={"motor": lambda t: 1.0}, stop=lambda now: bool(seen.append(now["hinge.reaction"]))
    )
    assert len(made) == 1
    np.testing.assert_allclose(seen, run["hinge.reaction"][1:], rtol=1e-12, atol=1e-12)


def test_steps_too_long_are_warned_of_where_they_come_one_by_one():
    m = vv.Mechanism("mass on spring")
    mass = m.body("mass", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, -1.01))
    m.prismatic("slide", m.ground, mass, at=(0, 0, -1), axis=(0, 0, 1))
    m.spring("spring", m.ground, mass, k=1e6, length=1.0, at_a=(0, 0, 0))
    m.force("load", "slide")
    with pytest.warns(vv.RunWarning, match="steps are too long for the motion"):
        vv.simulate(m, 1.0, 0.01, inputs={"load": lambda t: 0.0}, stop=lambda now: False)


@pytest.mark.parametrize("integrator", [vv.PHMP(), vv.LieMidpoint()], ids=repr)
def test_a_run_that_is_looked_at_is_the_run_bit_for_bit(integrator):
    seen, law = [], {"motor": lambda t: np.sin(9.0 * t)}
    run = vv.simulate(
        arm(), 3.0, 0.01, integrator=integrator, inputs=law, stop=lambda now: bool(seen.append(float(now["hinge.q"])))
    )
    alone = vv.simulate(arm(), 3.0, 0.01, integrator=integrator, inputs=law)
    for name in ("x", "u", "u_mid", "w_mid", "work", "angles", "iterations"):
        assert np.array_equal(getattr(run.record, name), getattr(alone.record, name)), name
    assert np.array_equal(seen, alone["hinge.q"][1:])
    assert run.audit().ok


def test_steps_that_are_looked_at_are_accounted_for_many_at_a_time(monkeypatch):
    accounted, account = [], Loop.account
    monkeypatch.setattr(Loop, "account", lambda *given: accounted.append(given[1].steps) or account(*given))
    m, law = arm(), {"motor": lambda t: np.sin(9.0 * t)}
    run = vv.simulate(m, 3.0, 0.01, inputs=law, stop=lambda now: now["rod.r"][2] > 9.0)
    assert sum(accounted) == run.steps == 300
    assert len(accounted) < 10
    accounted.clear()
    vv.simulate(m, 0.1, 0.01, inputs=law, stop=lambda now: now["hinge.reaction"][5] > 1e9)
    assert accounted == [1] * 10  # what is asked for needs the accounts


def test_a_snapshot_that_is_over_is_not_read():
    kept = []
    vv.simulate(arm(), 0.03, 0.01, inputs={"motor": lambda t: 1.0}, stop=lambda now: bool(kept.append(now)))
    with pytest.raises(vv.ModelError, match=r"is over, and 'hinge\.q' was not read"):
        kept[0]["hinge.q"]


@pytest.mark.parametrize("place", [0.0, 0.5])
def test_an_input_that_breaks_ends_a_run_that_is_looked_at_as_any_other(place):
    """At a node, nothing is kept of the step that ends there."""
    errors, inputs = [], {"motor": lambda t: np.nan if t > (4.9 + place) * 0.01 else 1.0}
    for stop in (None, lambda now: False):
        with pytest.raises(vv.ConvergenceError) as caught:
            vv.simulate(arm(), 0.1, 0.01, inputs=inputs, stop=stop)
        errors.append(caught.value)
    assert errors[1].run.steps == errors[0].run.steps == (4 if place == 0.0 else 5)
    assert str(errors[1]) == str(errors[0])


def test_an_input_that_is_interrupted_leaves_what_was_made():
    def motor(t):
        if t > 0.052:
            raise KeyboardInterrupt
        return 1.0

    with pytest.raises(vv.Interrupted) as caught:
        vv.simulate(arm(), 0.1, 0.01, inputs={"motor": motor}, stop=lambda now: False)
    assert caught.value.run.steps == 5


def test_a_run_ends_where_stop_says_so():
    law = {"motor": lambda t: 1.0}
    run = vv.simulate(arm(), 1.0, 0.01, inputs=law, stop=lambda now: now["hinge.q"] > 0.2)
    assert run["hinge.q"][-1] > 0.2 >= run["hinge.q"][:-1].max()
    assert any("stopped by the stop condition" in note for note in run.notes)
    rest = vv.simulate(arm(), 1.0, 0.01, inputs=law, initial=run.final)
    whole = vv.simulate(arm(), 1.0, 0.01, inputs=law)
    assert np.array_equal(rest.final.x, whole.final.x)
