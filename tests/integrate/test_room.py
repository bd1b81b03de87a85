"""Nodes written where the run keeps them are those of a run that copies them, whatever happens to its steps."""

import numpy as np
import pytest

import visviva as vv
from visviva.integrate.loop import Loop
from visviva.integrate.machine import MachineStepper
from visviva.integrate.step_buffer import StepBuffer


def pendulum():
    m = vv.Mechanism("double pendulum", gravity=(0, 0, -9.81))
    rod = vv.inertia.rod(1.0, 1.0, axis="x")
    one, two = m.body("one", inertia=rod, at=(0.5, 0, 0)), m.body("two", inertia=rod, at=(1.5, 0, 0))
    m.revolute("a", m.ground, one, at=(0, 0, 0), axis="y")
    m.revolute("b", one, two, at=(1, 0, 0), axis="y")
    m.torque("motor", "b")
    return m


def law(now):
    return {"motor": -2.0 * now["b.rate"]}


def assert_equal(one, other):
    for name, column in vars(one.record).items():
        np.testing.assert_array_equal(column, getattr(other.record, name), err_msg=name)
    for name in ("x", "w", "angles"):
        np.testing.assert_array_equal(getattr(one.final, name), getattr(other.final, name))


def forgetful(self, n):
    """No memory that is kept."""


HOW = {"a run": {}, "ticks": {"sampled": vv.Sampled(law, period=2e-3)}}
HOW |= {"ticks in Python": {"sampled": vv.Sampled(law, period=2e-3, compiled=False)}}


@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.PHMPGGL(), vv.Suzuki4(vv.PHMP())], ids=["PHMP", "GGL", "Suzuki4"])
@pytest.mark.parametrize("wrong", [(), (0,), (0, 5, 700)], ids=str)
def test_a_run_in_one_array_is_that_of_its_parts(scheme, how, wrong, monkeypatch):
    first_wrong = Loop._first_wrong

    def run():
        left = [t * 1e-3 for t in wrong]

        def found(self, record):  # the step from each of these times is taken for none, once
            for t in left:
                k = int(np.argmin(np.abs(record.t[:-1] - t))) if record.steps else 0
                if record.steps and abs(record.t[k] - t) < 1e-9:
                    left.remove(t)
                    return k
            return first_wrong(self, record)

        monkeypatch.setattr(Loop, "_first_wrong", found)
        made = vv.simulate(pendulum(), 1.5, 1e-3, integrator=scheme, **how)
        assert not left
        return made

    kept = run()
    for kind in (MachineStepper, StepBuffer):
        monkeypatch.setattr(kind, "reserve", forgetful)
    assert_equal(kept, run())


def test_a_run_that_goes_on_leaves_the_nodes_of_the_last_one_alone():
    sim = vv.Simulator(pendulum(), h=1e-3)
    first = sim.run(0.5)
    before = first.record.x.copy()
    second = sim.run(1.0)
    np.testing.assert_array_equal(first.record.x, before)
    np.testing.assert_array_equal(second.record.x[0], before[-1])
    whole = vv.simulate(pendulum(), 1.0, 1e-3)
    np.testing.assert_array_equal(whole.record.x, np.concatenate([before, second.record.x[1:]]))
    assert first.record.x.base is whole.record.x.base is None or not np.shares_memory(first.record.x, second.record.x)
