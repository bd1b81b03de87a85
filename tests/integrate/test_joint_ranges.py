"""Joints that bend by less than a right angle: searches stay within their ranges, runs say when they leave them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.library.joints import JOINTS, cosine
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.positions import close, settled


def shaft(bend_rate=2.0, gravity=9.81, kind="rzeppa"):
    """A body on a joint of the ground, above it, that begins to fall over."""
    m = vv.Mechanism("shaft", gravity=(0, 0, -gravity))
    m.body(
        "shaft", mass=1.0, inertia=(0.1, 0.12, 0.05), at=(0, 0, 0.5), twist=(bend_rate, 0, 0, 0, -0.5 * bend_rate, 0)
    )
    m.joint("cv", kind, m.ground, "shaft", at=(0, 0, 0), **({"axis": (0, 0, 1)} if kind == "rzeppa" else {}))
    return m


def test_products_that_bound_a_range_are_those_that_change():
    """Of hinges and slides they stay one, and tell an axis from its reverse."""
    found = {joint.kind: joint.bounds for joint in JOINTS}
    assert found.pop("rzeppa") == (cosine(2, 2), cosine(0, 0))
    assert not any(found.values())


@pytest.mark.parametrize(
    "options",
    [{}, {"record": "shaft.r"}, {"every": 7}, {"stop": lambda now: now.t > 0.75}],
    ids=lambda one: next(iter(one), "all"),
)
@pytest.mark.parametrize(
    "integrator", [vv.PHMP(), vv.PHMPGGL(compiled=False), vv.LieMidpoint()], ids=lambda one: type(one).__name__
)
def test_a_run_beyond_a_right_angle_is_warned_of(integrator, options):
    with pytest.warns(vv.RunWarning, match=r"rzeppa joint 'cv' is bent by a right angle, between z of its parent"):
        run = vv.simulate(shaft(), 0.8, 0.01, integrator=integrator, **options)
    (text,) = [text for text in run.warnings if "right angle" in text]
    t = float(text.split("t = ")[1].split(" s")[0])
    if not options:
        assert_allclose(t, run.t[np.argmax(run["shaft.r"][:, 2] < 0)], atol=1e-12)


def test_a_run_within_the_range_is_not():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = vv.simulate(shaft(), 0.4, 0.01)
    assert 0.0 < run["shaft.r"][-1, 2] < 0.45  # it has bent far


def test_a_sampled_run_is_looked_at_as_well():
    m = shaft()
    m.wrench("load", "shaft")
    with pytest.warns(vv.RunWarning, match="is bent by a right angle"):
        vv.simulate(m, 0.8, 0.01, sampled=vv.Sampled(lambda now: {"load": np.zeros(6)}, period=0.05))


def test_a_run_of_the_minimal_form_is_looked_at_as_well():
    with pytest.warns(vv.RunWarning, match=r"at t = 0\.49 s rzeppa joint 'cv' is bent by a right angle"):
        run = vv.simulate(vv.analytical(shaft()), 0.8, 0.01)
    assert any("its range ends there" in text for text in run.warnings)
    assert vv.simulate(vv.analytical(shaft()), 0.4, 0.01).warnings == ()


def test_a_ball_may_bend_as_it_likes():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = vv.simulate(shaft(kind="spherical"), 0.8, 0.01)
    assert run["shaft.r"][-1, 2] < 0


def turned(m, angle):
    """Coordinates of the shaft, bent about x."""
    linkage = Linkage(m)
    X = vv.geometry.SO3.exp([np.radians(angle), 0, 0])
    q = linkage.kinematics.as_built.copy()
    q[:3], q[3:] = X.R @ q[:3], (X.R @ q[3:].reshape(3, 3).T).T.ravel()
    return linkage, q


@pytest.mark.parametrize("angle", [20, 65, 89])
def test_a_bent_joint_stays_bent_where_it_is_closed_again(angle):
    linkage, q = turned(shaft(), angle)
    assert_allclose(settled(linkage, q), q, atol=1e-12)
    assert_allclose(close(linkage, q), q, atol=1e-12)
    near = linkage.kinematics.retract(q, 1e-3 * np.arange(1.0, 7))
    assert_allclose(settled(linkage, near), q, atol=2e-2)


def test_nothing_is_found_beyond_the_end_of_a_range():
    linkage, q = turned(shaft(), 95)
    assert settled(linkage, q) is None


def test_an_equilibrium_within_the_range_is_found():
    m = shaft()
    m.spring("guy", m.ground, "shaft", at_a=(0.8, 0.3, 0.3), at_b=(0, 0, 0.9), k=300.0, length=0.05)
    found = vv.equilibrium(m)
    cosine_of_bend = found.motion.q["shaft"][11]
    assert found.stable
    assert 0 < cosine_of_bend < 0.5
