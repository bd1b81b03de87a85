"""A scheme integrates a mechanism's Model in the form that it is made for, or says which one that is."""

import numpy as np
import pytest

import visviva as vv
from visviva.compiler import FORMS
from visviva.errors import ModelError

SCHEMES = [
    vv.PHMP(compiled=False),
    vv.PHMPGGL(compiled=False),
    vv.Suzuki4(vv.PHMP(compiled=False)),
    vv.Adaptive(vv.PHMP(compiled=False), tolerance=1e-3),
    vv.LieMidpoint(compiled=False),
    vv.DiscreteGradient(compiled=False),
    vv.Suzuki4(vv.DiscreteGradient(compiled=False)),
    vv.DOP853(compiled=False),
    vv.RK4(compiled=False),
    vv.Gauss8(compiled=False),
    vv.Relaxed(compiled=False),
    vv.BalancedGauss8(compiled=False),
]


def pendulum():
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    m.body("arm", mass=1.0, inertia=(0.01, 0.1, 0.1), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, "arm", at=(0, 0, 0), axis=(0, 1, 0))
    return m


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scheme", SCHEMES, ids=repr)
def test_a_model_runs_in_its_own_form_or_is_refused_by_name(scheme, form):
    model = vv.compile(pendulum(), form)
    if scheme.form != form:
        name = type(scheme).__name__
        with pytest.raises(ModelError, match=rf"'{form}', and {name} integrates.*\n.*compile\(m, '{scheme.form}'\)"):
            vv.simulate(model, 0.02, 0.01, integrator=scheme)
        return
    run = vv.simulate(model, 0.02, 0.01, integrator=scheme)
    assert run.audit().integrator == type(scheme).__name__
    np.testing.assert_array_equal(run["hinge.q"], vv.simulate(pendulum(), 0.02, 0.01, integrator=scheme)["hinge.q"])
