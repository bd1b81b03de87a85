"""A state is read by one evaluation, whatever is asked: the values are those of a Run."""

import catalogue
import coupled_mechanisms
import numpy as np
import pytest

import visviva as vv
from visviva.results.quantities import motion_quantities

COUPLED = {name: lambda name=name: coupled_mechanisms.MECHANISMS[name]()[0] for name in ("gears", "driven_four_bar")}
MECHANISMS = catalogue.MECHANISMS | COUPLED


@pytest.mark.parametrize("scheme", [vv.PHMP(), vv.LieMidpoint()], ids=["directors", "poses"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_values_at_a_state_are_those_of_a_run(name, scheme):
    m = MECHANISMS[name]()
    m.frame("on ground", m.ground, at=(0.1, 0.2, 0.3), rotation=np.eye(3)[[1, 2, 0]])
    body = next(part for part in m.bodies if isinstance(part, vv.mechanism.parts.Body))
    m.frame("on body", body, at=(0.1, 0.2, 0.3), rotation=np.eye(3)[[1, 2, 0]])
    run = vv.simulate(m, t_end=0.005, h=0.001, integrator=scheme)
    sim = vv.Simulator(m, h=0.001, integrator=scheme)
    names = [f"{part}.{end}" for part, known in m.parts.items() for end in motion_quantities(known)]
    for name in names[:3]:
        sim[name]
    sim.step(n=5)
    for name in names:
        expected = run[name][-1]
        assert np.shape(sim[name]) == np.shape(expected)
        np.testing.assert_allclose(sim[name], expected, rtol=1e-11, atol=1e-11 * (1 + np.abs(expected).max()))


def test_values_that_were_read_stay_and_new_names_are_read_at_the_same_state():
    m = catalogue.pair_with()
    sim = vv.Simulator(m, h=1e-3)
    sim.step()
    r, rate = sim["a.r"], sim["h1.rate"]
    kept = r.copy(), float(rate)
    sim.step(n=10)
    assert (r == kept[0]).all()
    assert rate == kept[1]
    assert (sim["a.r"] != r).any()
    first = sim["h2.rate"]
    sim["b.twist"], sim["b.R"]
    assert sim["h2.rate"] == first


def test_names_that_are_no_quantities_of_the_motion_are_left_to_the_run():
    sim = vv.Simulator(catalogue.heavy_top(), h=1e-3)
    sim.step()
    with pytest.raises(vv.ModelError, match=r"has no 'pivot\.q'"):
        sim["pivot.q"]
    with pytest.raises(vv.ModelError, match=r"has no 'top\.v'"):
        sim["top.v"]
