"""What cannot be a Lagrangian system is said early, in the user's names; what had to change is said as well."""

from __future__ import annotations

import math

import numpy as np
import pytest
from lagrangian_systems import bead, double_pendulum, pendulum
from numpy.testing import assert_allclose

import visviva as vv
from visviva.integrate import PHMP, PHMPGGL

NUMPY = PHMP(compiled=False)


def L(q, v):
    return 0.5 * (v[0] ** 2 + v[1] ** 2)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"q": ()}, "no coordinates"),
        ({"q": 2.5}, "must be names such as"),
        ({"q": True}, "must be names such as"),
        ({"q": ("x", "x")}, "two coordinates called 'x'"),
        ({"q": ("x", "T")}, "cannot be called 'T'"),
        ({"q": ("x", "v")}, "cannot be called 'v'"),
        ({"q": ("x", "a b")}, "must be a Python name"),
        ({"q": ("x", "energy")}, "reserved for results"),
        ({"L": None}, "needs either L"),
        ({"M": 1.0}, "needs either L"),
        ({"V": lambda q: q.x}, "both L and V"),
        ({"L": lambda q, v: q.x**2}, "without kinetic energy"),
        ({"L": lambda q, v: q.x * v.y}, "no term of second or higher degree in v"),
        ({"L": lambda q, v: np.sqrt(v.x**2 + v.y**2) + v.x**2 / v.y}, "not finite at v = 0|unbounded slope at v_y = 0"),
        ({"L": lambda q, v: [v.x**2, v.y**2]}, "must be one number, got shape"),
        ({"L": lambda q, v: math.cos(q.x)}, "cannot be traced"),
        ({"L": lambda q, v: v.x**2 if q.x > 0 else v.y**2}, "cannot be traced: it compares"),
        ({"L": lambda q, v: v.z**2}, "asks for the coordinate 'z'; there are x, y"),
        ({"L": lambda q, v, m: m * v.x**2}, "asks for the argument 'm'; it can have: q, v"),
        ({"L": None, "M": lambda q: [[1.0, q.x], [0.0, 1.0]]}, r"must be symmetric: entry \[1, 0\]"),
        ({"L": None, "M": np.eye(3)}, r"M of 'test' must have shape \(2, 2\)"),
        ({"L": None, "M": [1.0, -1.0]}, "mass matrix"),
        ({"L": None, "M": lambda q, v: v[0]}, "asks for the argument 'v'"),
        ({"g": lambda q: 1.0}, "does not depend on q"),
        ({"g": lambda q: [[q.x]]}, "must be a number or a vector"),
        ({"g": {"q": lambda q: q.x}}, "the name 'q' is taken"),
        ({"g": {"x": lambda q: q.x}}, "the name 'x' is taken"),
        ({"inputs": {"push": np.ones(3)}}, r"must have shape \(2,\) or \(2, k\)"),
        ({"inputs": {"push": np.ones(2)}, "damping": {"push": 1.0}}, "the name 'push' is taken"),
        ({"damping": [[1.0, 0.5], [0.0, 1.0]]}, "must be symmetric"),
        ({"parameters": {"m": 1.0}}, "no function of 'test' depends on its parameter 'm'"),
        ({"parameters": {"x": 1.0}}, "'x' of 'test' is called like a coordinate"),
        ({"parameters": {"m": np.inf}}, "must be finite"),
        ({"q0": (1.0, 2.0, 3.0)}, "q0 of 'test' must have shape"),
        ({"v0": (1.0, 2.0)}, "v0 but no q0"),
    ],
)
def test_what_is_wrong_is_said_at_once(given, message):
    with pytest.raises(vv.ModelError, match=message):
        vv.lagrangian("test", **{"q": ("x", "y"), "L": L, **given})


def test_a_start_off_the_constraints_is_refused():
    with pytest.raises(vv.AssemblyError, match=r"'rod': g = 0.18.*\n.*whose q satisfies g\(q\) = 0"):
        vv.simulate(pendulum(), 1.0, 0.1, initial={"q": (1.0, 0.0), "v": (0, 0)})


def test_a_start_needs_both_variables():
    model = vv.lagrangian("test", q=("x", "y"), L=L)
    with pytest.raises(vv.ModelError, match="needs initial= with: q, v"):
        vv.simulate(model, 1.0, 0.1)
    with pytest.raises(vv.ModelError, match="needs a value for its variable 'v'"):
        vv.simulate(model, 1.0, 0.1, initial={"q": (0, 0)})
    with pytest.raises(vv.ModelError, match="has no variable 'w'"):
        vv.simulate(model, 1.0, 0.1, initial={"q": (0, 0), "v": (0, 0), "w": 1})


def test_velocities_are_projected_in_the_metric_of_the_mass():
    model = vv.lagrangian("test", q=("x", "y"), M=[1.0, 3.0], g=lambda q: q.x + q.y, q0=(0, 0), v0=(1.0, 1.0))
    run = vv.simulate(model, 0.1, 0.1, integrator=NUMPY)
    # (v' - v)·M t = 0 along t = (1, -1): v' = t (1 - 3)/(1 + 3)
    assert_allclose(run["v"][0], (-0.5, 0.5))
    assert any("(1, 1) became (-0.5, 0.5)" in note for note in run.notes)
    assert not vv.simulate(double_pendulum(), 0.1, 0.1, integrator=NUMPY).notes


def test_the_stabilised_scheme_continues_a_run_of_the_other_with_velocities_on_the_constraints():
    first = vv.simulate(bead(), 0.2, 0.02, integrator=NUMPY)
    run = vv.simulate(bead(), 0.4, 0.02, integrator=PHMPGGL(compiled=False), initial=first.final)
    assert any("projected on the constraints" in note for note in run.notes)
    assert run.audit().g_v <= 1e-12


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"M": [1.0, 0.0]}, "motion with no inertia at its start, in y"),
        ({"M": lambda q: [[1.0, 0.0], [0.0, q.y]]}, "motion with no inertia at its start, in y"),
        ({"L": lambda q, v: 0.5 * v.x**2 - 0.5 * v.y**2}, "mass matrix"),
        ({"L": lambda q, v: 0.5 * v.x**2 + (q.x - 1) * v.y**2}, "motion with negative inertia at its start, in y"),
    ],
)
def test_motions_without_inertia_are_refused(given, message):
    with pytest.raises(vv.VisvivaError, match=message):
        vv.simulate(vv.lagrangian("test", q=("x", "y"), **given, q0=(0.0, 0.0)), 1.0, 0.1)


def test_a_coordinate_without_mass_may_follow_from_the_others():
    model = vv.lagrangian(
        "test",
        q=("x", "y"),
        M=[1.0, 0.0],
        V=lambda q: q.y**2,
        g=lambda q: q.y - np.sinh(q.x),
        q0=(1.0, np.sinh(1.0)),
        v0=(0.3, 0.0),
    )
    for scheme in (NUMPY, PHMPGGL(compiled=False)):
        run = vv.simulate(model, 1.0, 0.05, integrator=scheme)
        assert run.audit().ok
        assert_allclose(run["y"], np.sinh(run["x"]), atol=1e-13)
        assert np.ptp(run["x"]) > 0.5


def test_redundant_constraints_are_ordinary():
    model = vv.lagrangian(
        "test",
        q=("x", "y"),
        M=1.0,
        V=lambda q: 9.81 * q.y,
        g={"rod": lambda q: q.x**2 + q.y**2 - 1, "again": lambda q: np.sqrt(q.x**2 + q.y**2) - 1},
        q0=(1.0, 0.0),
    )
    for scheme in (NUMPY, PHMPGGL(compiled=False)):
        audit = vv.simulate(model, 0.5, 0.05, integrator=scheme).audit()
        assert audit.ok
        assert audit.g <= 1e-12


def test_damping_that_would_drive_is_refused():
    model = vv.lagrangian("test", q="x", M=1.0, damping=lambda q: q.x - 1.0, q0=[0.0])
    with pytest.raises(vv.ModelError, match="R of 'damping'"):
        vv.simulate(model, 1.0, 0.1)


def test_schemes_that_cannot_take_it_say_so():
    with pytest.raises(vv.ModelError, match="EnergyCollocation"):
        vv.simulate(bead(), 1.0, 0.1, integrator=vv.EnergyCollocation())
    with pytest.raises(vv.ModelError, match="EnergyCollocation"):
        vv.simulate(double_pendulum(), 1.0, 0.1, integrator=vv.EnergyCollocation())


def test_a_step_outside_of_the_domain_is_not_kept():
    model = vv.lagrangian("test", q="x", M=1.0, V=lambda q: -np.sqrt(q.x), q0=[1.0], v0=[-3.0])
    with pytest.raises(vv.ConvergenceError, match="valid up to"):
        vv.simulate(model, 2.0, 0.1, integrator=NUMPY)
