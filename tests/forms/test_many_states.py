"""States of a minimal form with leading axes: each is what it is alone."""

import numpy as np
import pytest
from formulation_catalogue import CATALOGUE
from numpy.testing import assert_allclose

import visviva as vv
from visviva.forms.minimal.point import Point


@pytest.mark.parametrize("name", ["four bar", "flying tree", "particles", "snakeboard", "spherical"])
def test_many_states_are_each_of_them(name):
    form = vv.analytical(CATALOGUE[name].build())
    start, rng = form.initial, np.random.default_rng(0)
    delta = 0.1 * rng.normal(size=(2, 3, form.n))
    q = form.advance_q(start.q, delta)
    xi, s = rng.normal(size=(2, 3, form.n)), np.broadcast_to(start.s, (2, 3, form.extra))
    many, u = Point(form, q, xi, s), np.zeros(len(form.inputs.base))
    for at in np.ndindex(2, 3):
        assert_allclose(q[at], form.advance_q(start.q, delta[at]), atol=1e-15)
        one = Point(form, q[at], xi[at], s[at])
        for part in ("S", "S_dot", "V", "x", "z", "C", "Z", "gyroscopic"):
            assert_allclose(getattr(many, part)[at], getattr(one, part), atol=1e-12, err_msg=part)
        assert_allclose(many.flow(u)[at], one.flow(u), atol=1e-12)
