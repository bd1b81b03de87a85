"""A pair (q, v) in the coordinates of `vv.dynamics(m)` is a state, wherever a state is taken."""

import catalogue
import mechanism_models
import numpy as np
import pytest

import visviva as vv
from visviva.mechanism.assembly import motion_of


@pytest.mark.parametrize("name", ["pair with friction", "heavy top", "free pair", "sleeve"])
def test_a_pair_is_the_motion_whose_coordinates_it_is(name):
    m = catalogue.MECHANISMS[name]()
    d, rng = vv.dynamics(m), np.random.default_rng(3)
    built = d.form.coordinates(m.assemble()[0])
    v = rng.normal(size=d.nv)
    q = d.integrate(built.q, 0.4 * rng.normal(size=d.nv))
    back = d.form.coordinates(motion_of(m, (q, v)))
    np.testing.assert_allclose(back.q, q, atol=1e-14)
    np.testing.assert_allclose(back.xi, v, atol=1e-14)
    assert m.analysis(at=(q, v)).mobility == m.analysis().mobility


def test_runs_and_simulators_start_at_a_pair_and_angles_count_over_many_turns():
    m = catalogue.pair_with()
    q, v = np.array([7.0, -0.4]), np.array([0.3, -2.0])
    run, sim = vv.simulate(m, t_end=0.0, h=1e-3, initial=(q, v)), vv.Simulator(m, h=1e-3, initial=(q, v))
    for seen in (lambda name: run[name][-1], sim.__getitem__):
        np.testing.assert_allclose([seen("h1.q"), seen("h2.q")], q, rtol=1e-14)
        np.testing.assert_allclose([seen("h1.rate"), seen("h2.rate")], v, rtol=1e-13)
    sim.reset({"h1.q": 7.0, "h2.q": -0.4, "h1.rate": 0.3, "h2.rate": -2.0})
    np.testing.assert_allclose(sim.state.x, run.final.x, atol=1e-14)


def test_pairs_that_do_not_fit_are_named():
    m = catalogue.pair_with()
    says = r"q in the initial state \(q, v\) of mechanism 'pair' must be 2 finite numbers,\nh1\.q, h2\.q; got .*\(3,\)"
    with pytest.raises(vv.ModelError, match=says):
        vv.simulate(m, 1.0, 0.1, initial=(np.zeros(3), np.zeros(2)))
    with pytest.raises(vv.ModelError, match=r"v in the initial state .*\nh1\.rate, h2\.rate; got \[nan, 0\.0\]"):
        vv.Simulator(m, 0.1).reset(([0.0, 0.0], [np.nan, 0.0]))
    with pytest.raises(vv.ModelError, match=r"is a pair \(q, v\), got 3 things"):
        vv.simulate(m, 1.0, 0.1, initial=(np.zeros(2), np.zeros(2), np.zeros(2)))
    with pytest.raises(vv.ModelError, match=r"m\.assemble\(\) returns two things: pass the first"):
        vv.simulate(m, 1.0, 0.1, initial=m.assemble())


def test_loops_that_a_pair_leaves_open_are_named():
    m = mechanism_models.planar_four_bar()
    d = vv.dynamics(m)
    built = d.form.coordinates(m.assemble()[0])
    closed = vv.Simulator(m, h=1e-3, initial=(built.q, built.xi))
    assert closed.audit().ok
    with pytest.raises(vv.AssemblyError, match="violates the"):
        closed.reset((built.q + 0.1, built.xi))
