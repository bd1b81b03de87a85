"""record=: some quantities at the kept nodes, the accounts of all steps."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from systems import hot

import visviva as vv

START = {"p": 0.3, "s": 0.3, "osc.q": 0.3}


def run_of(**options):
    return vv.simulate(hot(), t_end=2.0, h=0.01, initial=START, **options)


@pytest.mark.parametrize("every", [1, 7, 1000])
def test_what_is_recorded_is_what_the_whole_run_says(every):
    whole, some = run_of(every=every), run_of(every=every, record=("energy*", "heat", "*.power"))
    assert some.match("energy.*") == whole.match("energy.*")
    np.testing.assert_array_equal(some.t, whole.t)
    np.testing.assert_array_equal(some.t_mid, whole.t_mid)
    for name in some.names:
        np.testing.assert_allclose(some[name], whole[name], atol=1e-13, err_msg=name)


def test_the_audit_is_complete():
    whole, some = run_of(), run_of(record="energy", every=50)
    a, b = whole.audit(), some.audit()
    assert b.ok
    assert (a.first_law, a.steps) == (b.first_law, b.steps)
    for name, account in a.components.items():
        assert b.components[name].energy_in == pytest.approx(account.energy_in, abs=1e-13)
    assert len(some.record.x) == 2  # the start and the end


def test_it_continues_stops_and_pickles():
    some = run_of(record="energy")
    again = pickle.loads(pickle.dumps(some))
    np.testing.assert_array_equal(again["energy"], some["energy"])
    whole = vv.simulate(hot(), t_end=3.0, h=0.01, initial=START)
    rest = vv.simulate(hot(), t_end=3.0, h=0.01, initial=some.final, record="energy")
    np.testing.assert_array_equal(rest["energy"], whole["energy"][200:])
    short = run_of(record="energy", stop=lambda now: now["p"] < 0)
    assert short.t[-1] < 2.0
    assert len(short["energy"]) == len(short.t)


def test_what_was_not_recorded_is_said():
    some = run_of(record="energy")
    with pytest.raises(vv.ModelError, match=r"'s' was not recorded: record= of simulate\(\) kept energy, t"):
        some["s"]
    with pytest.raises(vv.ModelError, match=r"has no 'nope\*'"):
        run_of(record="nope*")
    with pytest.raises(vv.ModelError, match="record takes names or patterns"):
        run_of(record=(3,))
    with pytest.raises(vv.ModelError, match="'first_law' is relative to a scale of the whole run"):
        run_of(record="first_law")


def test_the_audit_of_a_mechanism_is_complete_whatever_is_recorded():
    m = vv.Mechanism("swing", gravity=(0, 0, -9.81))
    m.body("rod", mass=2.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=(0, 1, 0), friction=0.1)
    some = vv.simulate(m, t_end=0.5, h=0.01, record=("hinge.q",)).audit()
    every = vv.simulate(m, t_end=0.5, h=0.01).audit()
    assert some.ok
    assert some.components["hinge"].exergy_destroyed == pytest.approx(every.components["hinge"].exergy_destroyed)


def test_patterns_that_mean_powers_of_an_explicit_scheme_say_what_there_is():
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    m.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, "arm", at=(0, 0, 0), axis="y")
    with pytest.raises(vv.ModelError, match=r"a step of RK4 is no single\nmidpoint"):
        vv.simulate(m, t_end=0.02, h=0.01, integrator=vv.RK4(), record="hinge.*")
    run = vv.simulate(m, t_end=0.02, h=0.01, integrator=vv.RK4(), record=("hinge.reaction", "hinge.q"))
    assert run["hinge.reaction"].shape == (3, 6)
