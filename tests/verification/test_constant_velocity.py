"""The joint of constant velocity: shafts at any bend turn alike, other than those of a Cardan joint."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv

BEND = np.deg2rad(35.0)


def axes_along(z):
    z = np.asarray(z) / np.linalg.norm(z)
    y = np.array([0.0, 1.0, 0.0])
    return np.column_stack([np.cross(y, z), y, z])


def shafts(kind, friction=0.0):
    """Two shafts in bearings on the ground, the second at a bend, one joint between them."""
    m = vv.Mechanism("shafts", gravity=(0, 0, 0))
    along = np.array([np.cos(BEND), 0, np.sin(BEND)])
    R = axes_along(along)
    m.body("drive", mass=1, inertia=(0.02, 0.05, 0.05), at=(-0.2, 0, 0))
    m.body("wheel", mass=1, inertia=R @ np.diag([0.05, 0.05, 0.02]) @ R.T, at=0.2 * along)
    m.revolute("bearing", "ground", "drive", at=(-0.3, 0, 0), axis=(1, 0, 0), rate=10.0)
    m.revolute("hub", "ground", "wheel", at=0.3 * along, axis=along)
    if kind == "universal":
        m.universal("bend", "drive", "wheel", at=(0, 0, 0), axes=((0, 0, 1), (0, 1, 0)))
    else:
        m.frame("end", "drive", at=(0, 0, 0), rotation=axes_along((1, 0, 0)))
        m.frame("start", "wheel", at=(0, 0, 0), rotation=R)
        m.joint("bend", kind, "end", "start", friction=friction)
    return m


@pytest.mark.parametrize("integrator", [vv.PHMP(), vv.PHMPGGL(), vv.LieMidpoint()], ids=lambda one: type(one).__name__)
def test_both_shafts_have_one_speed(integrator):
    run = vv.simulate(shafts("rzeppa"), 0.4, 2e-3, integrator=integrator)
    assert run.audit().ok
    np.testing.assert_allclose(run["hub.rate"], run["bearing.rate"], rtol=0, atol=1e-11)
    np.testing.assert_allclose(run["bearing.rate"], 10.0, rtol=0, atol=1e-10)


def test_those_of_a_cardan_joint_have_not():
    """tan θ_2 = tan θ_1 / cos β: the ratio of speeds goes from cos β to 1/cos β."""
    run = vv.simulate(shafts("universal"), 0.7, 1e-3)
    ratio = run["hub.rate"] / run["bearing.rate"]
    assert ratio.min() == pytest.approx(np.cos(BEND), rel=1e-4)
    assert ratio.max() == pytest.approx(1 / np.cos(BEND), rel=1e-4)


def test_friction_acts_on_the_angular_velocity_of_one_shaft_against_the_other():
    """|ω| = 2 w sin(β/2): both have the speed w, about axes at the angle β."""
    d, w = 0.3, 10.0
    m = shafts("rzeppa", friction=d)
    spin = 2 * w * np.sin(BEND / 2)
    run = vv.simulate(m, 1e-4, 1e-5)
    assert run.audit().ok
    lost = run["energy"][0] - run["energy"][-1]
    assert lost == pytest.approx(d * spin**2 * 1e-4, rel=1e-3)


def test_frames_that_point_apart_are_refused():
    m = vv.Mechanism("back to back")
    m.body("a", mass=1, inertia=(1, 1, 1))
    m.frame("there", "a", at=(0, 0, 0), rotation=np.diag([1.0, -1.0, -1.0]))
    m.joint("bend", "rzeppa", m.frame("here", "ground", at=(0, 0, 0)), "there")
    with pytest.raises(vv.AssemblyError, match="bend"):
        vv.simulate(m, 0.1, 0.01)


def test_kinds_that_there_are_not_are_refused_with_those_there_are():
    m = vv.Mechanism("m")
    m.body("a", mass=1, inertia=(1, 1, 1))
    with pytest.raises(vv.ModelError, match=r"'tripod'.*\n.*rzeppa.*Screw"):
        m.joint("bend", "tripod", "ground", "a", at=(0, 0, 0))
    with pytest.raises(vv.ModelError, match="the class Screw: make one"):
        m.joint("bend", vv.joints.Screw, "ground", "a", at=(0, 0, 0))
