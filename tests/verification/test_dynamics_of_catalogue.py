"""vv.dynamics of every mechanism of the catalogues, against the accelerations of its Model."""

from __future__ import annotations

import numpy as np
import pytest
from feature_mechanisms import FEATURES
from formulation_catalogue import CATALOGUE

import visviva as vv
from visviva.errors import ModelError

BUILT = FEATURES | {f"{name}, again" if name in FEATURES else name: entry.build for name, entry in CATALOGUE.items()}
PRESCRIBED = {"stream", "straight_stream_on_a_body", "drives", "drives_by_numbers", "driven pivot", "driven loop"}
PRESCRIBED |= {"driven cut hinge", "driven and sprung tree"}

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("independent", [None, "rank"])
@pytest.mark.parametrize("name", [name for name in BUILT if name not in PRESCRIBED])
def test_equations_in_the_hand_are_those_of_the_model(name, independent):
    d, rng = vv.dynamics(BUILT[name](), independent=independent), np.random.default_rng(0)
    q, s, u = np.array(d.q_built), np.array(d.s_built), rng.normal(size=d.nu)
    v = xi = 0.3 * rng.normal(size=d.nv)
    if d.loops is None:
        q = d.integrate(q, 0.1 * rng.normal(size=d.nv))
    elif independent is None:
        v = xi = d.loops.projector(q, s) @ v
    else:
        xi = d.loops.at(q, v, s).point.xi
    wanted = d.form.accelerations(q, xi, s, u=u, u_dot=np.zeros(d.nu))
    a = d.forward(q, v, u)
    near(a, wanted if d.loops is None or independent is None else wanted[d.loops.independent])
    near(d.bias(q, v), d.coriolis(q, v) + d.gravity(q) + d.passive(q, v))
    if d.loops is None or independent:
        near(d.inverse(q, v, a), d.input_matrix(q) @ u)
        near(d.mass_matrix(q) @ a + d.bias(q, v), d.input_matrix(q) @ u)


@pytest.mark.parametrize("name", sorted(PRESCRIBED))
def test_prescribed_motions_are_refused(name):
    with pytest.raises(ModelError, match="has prescribed motions"):
        vv.dynamics(BUILT[name]())


def near(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * max(1.0, np.abs(wanted).max(initial=0.0)))
