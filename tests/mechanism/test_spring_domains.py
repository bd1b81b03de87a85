"""Springs where their energy ends: errors that say which one, where it is, and what to do."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv

SCHEMES = [vv.PHMP(), vv.PHMP(compiled=False), vv.DiscreteGradient(), vv.DiscreteGradient(compiled=False), vv.PHMPGGL()]
NAMES = ["PHMP", "PHMP plain", "LieMidpoint", "LieMidpoint plain", "PHMPGGL"]


def bead(V, x):
    m = vv.Mechanism("bead")
    p = m.particle("p", mass=1.0, at=(x, 0, 0))
    m.spring("band", m.ground, p, energy=V, at_a=(0, 0, 0))
    return m


def test_a_length_outside_of_the_domain_is_said():
    with pytest.raises(vv.AssemblyError, match=r"'band' is not finite in the initial configuration, at the length 1 m"):
        vv.simulate(bead(lambda l: np.log(l - 2.0), 1.0), 1.0, 0.1)


def test_points_that_coincide_are_said_to():
    with pytest.raises(
        vv.AssemblyError, match=r"'band' is not finite in the initial configuration: its ends\ncoincide"
    ):
        vv.simulate(bead(lambda l: 3.0 * l, 0.0), 1.0, 0.1)


def test_an_angle_outside_of_the_domain_is_said():
    m = vv.Mechanism("door")
    leaf = m.body("leaf", inertia=vv.inertia.box(1.0, (1.0, 0.1, 2.0)), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, leaf, at=(0, 0, 0), axis=(0, 0, 1))
    m.torsion("coil", "hinge", energy=lambda q: np.log(q - 1.0))
    with pytest.raises(
        vv.AssemblyError, match=r"'coil' is not finite in the initial configuration, at the coordinates 0 rad"
    ):
        vv.simulate(m, 1.0, 0.1)


def spinner(speed, K=(0.01, 0.01, 0.01, 0, 0, 0), wobble=0.05):
    """It stores ½ 0.01 π² = 0.049 J at half a turn; the wheel has J = 0.02 kg m²."""
    m = vv.Mechanism("spinner")
    wheel = m.body("wheel", inertia=vv.inertia.cylinder(1.0, 0.2, 0.1), twist=(wobble, 0, speed, 0, 0, 0))
    m.spherical("ball", m.ground, wheel, at=(0, 0, 0))
    m.bushing("rubber", m.ground, wheel, K=K)
    return m


@pytest.mark.parametrize("scheme", SCHEMES, ids=NAMES)
def test_a_bushing_does_not_pass_half_a_turn(scheme):
    with pytest.raises(vv.ConvergenceError, match=r"[Bb]ushing 'rubber' (would pass|is near) half a turn") as end:
        vv.simulate(spinner(3.0), 3.0, 0.02, integrator=scheme)
    assert "m.trace_spring(...)" in str(end.value)
    run = end.value.run
    turned = run["wheel.R"][-1]
    assert np.arccos(0.5 * (np.trace(turned) - 1.0)) > np.pi - 0.06
    assert run.audit().g <= 1e-12


def test_a_bushing_that_turns_back_before_runs_on():
    run = vv.simulate(spinner(2.1), 6.0, 0.02)
    angle = np.arccos(np.clip(0.5 * (np.trace(run["wheel.R"], axis1=1, axis2=2) - 1.0), -1, 1))
    assert angle.max() > 2.9
    assert angle[angle.argmax() :].min() < 1.0
    assert run.audit().ok


def test_many_steps_at_a_time_end_at_the_half_turn(monkeypatch):
    monkeypatch.setattr("visviva.integrate.march.CHUNK_SECONDS", 10.0)
    with pytest.raises(vv.ConvergenceError) as many:
        vv.simulate(spinner(3.0), 3.0, 0.02)
    monkeypatch.setattr("visviva.integrate.march.CHUNK_SECONDS", 1e-9)
    with pytest.raises(vv.ConvergenceError) as single:
        vv.simulate(spinner(3.0), 3.0, 0.02)
    np.testing.assert_array_equal(many.value.run.t, single.value.run.t)


def test_a_bushing_without_stiffness_of_rotation_turns_freely():
    run = vv.simulate(spinner(3.0, K=(0, 0, 0, 5, 5, 5), wobble=0.0), 3.0, 0.02)
    assert run.audit().ok


def test_a_force_says_all_joints_that_slide():
    m = vv.Mechanism("door")
    leaf = m.body("leaf", inertia=vv.inertia.box(1.0, (1.0, 0.1, 2.0)), at=(0.5, 0, 0))
    bead = m.particle("bead", mass=0.1, at=(0, 0, 1))
    m.revolute("hinge", m.ground, leaf, at=(0, 0, 0), axis=(0, 0, 1))
    m.point_on_line("wire", m.ground, bead, axis=(1, 0, 0))
    with pytest.raises(vv.ModelError, match=r"of joint 'hinge', which is revolute,\n.*Give a coordinate that slides"):
        m.force("push", "hinge")
    m.force("pull", "wire")
    run = vv.simulate(m, 1.0, 0.1, inputs={"pull": 0.2})
    np.testing.assert_allclose(run["bead.r"][-1], (1.0, 0, 1), atol=1e-12)
