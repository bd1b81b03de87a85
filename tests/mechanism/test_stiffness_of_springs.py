"""All springs between two bodies as one stiffness of a mechanism: the same energy and motion as spring by spring."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import ModelError
from visviva.forms.rigid.stiffness import Stiffness
from visviva.geometry import SE3, SO3

RNG = np.random.default_rng(3)
K_P, ON_GROUND, ON_BODY = RNG.uniform(20, 60, 5), *RNG.normal(size=(2, 5, 3))
SPRINGS = Stiffness.of_springs("ground", "b", K_P, ON_GROUND, ON_BODY)


def body(m):
    return m.body("b", mass=1.0, inertia=(0.3, 0.4, 0.5), com=(0.1, 0, 0), twist=(0.5, 0, 1, 0, 0.2, 0))


def by_points():
    m = vv.Mechanism("points", gravity=(0, 0, -9.81))
    m.point_springs("s", m.ground, body(m), k=K_P, at_parent=ON_GROUND, at_child=ON_BODY)
    return m


def by_moments(K=None):
    m = vv.Mechanism("moments", gravity=(0, 0, -9.81))
    b = body(m)
    K = SPRINGS.moments.matrix if K is None else K
    m.stiffness(
        "s", m.frame("on ground", m.ground, at=(0, 0, 0)), m.frame("on b", b, at=(0, 0, 0)), K=K, rest=SPRINGS.rest
    )
    return m


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps are long
def test_the_motion_is_that_of_the_springs():
    first, second = (
        vv.simulate(m, t_end=0.4, h=0.02, integrator=vv.PHMP(compiled=False)) for m in (by_points(), by_moments())
    )
    assert_allclose(second["b.r"], first["b.r"], atol=1e-9)
    assert_allclose(second["b.R"], first["b.R"], atol=1e-9)
    assert_allclose(second["energy"] + SPRINGS.V_0, first["energy"], rtol=1e-10)
    assert np.abs(first["b.r"]).max() > 0.05


def test_the_six_by_six_matrix_is_the_same_stiffness():
    given = [by_moments(K)["s"].energy.H.parameters for K in (SPRINGS.moments.matrix, SPRINGS.moments.spatial())]
    for name, (_, value) in given[0].items():
        assert given[1][name][1] == pytest.approx(value, abs=1e-10)


def test_a_stiffness_at_rest_holds_still():
    m = vv.Mechanism("rest")
    b = m.body("b", mass=1.0, inertia=(1, 1, 1), at=(1, 2, 3), rotation=SO3.exp([0.2, 0.3, 0.4]))
    m.stiffness("s", m.ground, b, K=np.diag([1.0, 2, 3, 4]), at=(1, 0, 0))
    run = vv.simulate(m, t_end=0.1, h=0.05, integrator=vv.PHMP(compiled=False))
    assert_allclose(run["b.r"][-1], [1, 2, 3], atol=1e-12)
    assert_allclose(run["energy"], 0, atol=1e-14)


@pytest.mark.parametrize(
    ("K", "found"),
    [
        (np.zeros((4, 4)), "K of stiffness 's' is zero"),
        (np.diag([-3.0, 1, 1, 1]), "must be positive semidefinite"),
        (np.eye(3), r"K of stiffness 's' must have shape \(4, 4\)"),
        (np.diag([1.0, 1, 1, 1, 2, 0]), "must be positive definite"),
        (np.triu(np.ones((4, 4))), "must be symmetric"),
    ],
)
def test_what_is_no_stiffness_is_refused(K, found):
    m = vv.Mechanism("m")
    with pytest.raises(ModelError, match=found):
        m.stiffness("s", m.ground, body(m), K=K, rest=SE3.identity())
