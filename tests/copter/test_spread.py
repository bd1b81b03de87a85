"""Many flights with what nobody knows drawn at random."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError, copter
from visviva.copter.spread import varied

QUAD = copter.quadcopter()


def test_vehicles_vary_within_their_share_and_stay_physical():
    rng = np.random.default_rng(0)
    for _ in range(200):
        own = varied(QUAD, 0.1, rng)  # a description that checks itself: second moments are positive
        assert abs(own.mass / QUAD.mass - 1) <= 0.1
        pushes = [a.kappa_F / b.kappa_F - 1 for a, b in zip(own.rotors, QUAD.rotors, strict=True)]
        assert np.ptp(pushes) > 1e-3
        assert np.abs(pushes).max() <= 0.1
        ratio = np.diag(own.inertia_about_com) / np.diag(QUAD.inertia_about_com)
        assert np.abs(ratio - 1).max() <= 0.1 + 1e-9
        assert np.abs(np.diag(own.drag.d) / np.diag(QUAD.drag.d) - 1).max() <= 0.1 + 1e-9
        assert_allclose(own.drag.d, own.drag.d.T)
        assert_allclose(own.com, QUAD.com)
        assert_allclose(own.bias, QUAD.bias)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ModelError, match="below 1"):
        copter.spread("looping", share=1.0)
    with pytest.raises(ModelError, match="whole number"):
        copter.spread("looping", flights=0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["looping", "flip"])
def test_no_flight_is_lost_and_threads_change_nothing(name):
    many = copter.spread(name, flights=12, seed=3)
    again = copter.spread(name, flights=12, seed=3, workers=2)
    assert_allclose(again.e_r, many.e_r, rtol=0, atol=0)
    assert len(many.lost) == 0
    assert many.e_r.max() < 0.2
    assert many.rms.min() != many.rms.max()
    assert "none lost" in str(many)
    assert [axes.get_title() for axes in many.plot().axes] == [name, "12 flights"]


@pytest.mark.slow
def test_without_variation_it_is_the_nominal_flight():
    sensors = copter.Sensors.ideal()
    many = copter.spread("looping", QUAD, flights=1, share=0.0, sensors=sensors)
    n = many.e_r.shape[1]
    assert_allclose(many.e_r[0], many.nominal.errors["e_r"][:n], atol=1e-9)
    assert many.within_twice == 1.0
