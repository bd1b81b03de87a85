"""Coordinates that are not zero as built: all that depends on a coordinate depends on the user's."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv

PLACE, AXIS, SKEW = (0.1, -0.2, 0.3), (0.3, 1.0, -0.4), ((1, 0, 0.5), (0.2, 1, -0.4))
JOINTS = {
    "revolute": ({"at": PLACE, "axis": AXIS}, 7.5),
    "prismatic": ({"axis": AXIS}, -0.3),
    "cylindrical": ({"at": PLACE, "axis": AXIS}, (-4.0, 0.25)),
    "screw": ({"at": PLACE, "axis": AXIS, "pitch": 0.07}, 8.0),
    "universal": ({"at": PLACE, "axes": SKEW}, (0.4, -3.9)),
    "planar": ({"at": PLACE, "normal": AXIS}, (5.0, 0.2, -0.1)),
    "point_on_line": ({"at": PLACE, "axis": AXIS}, 0.4),
    "point_on_plane": ({"at": PLACE, "normal": AXIS}, (0.3, -0.2)),
}
SCHEMES = (vv.PHMP(), vv.LieMidpoint(), vv.DOP853(compiled=False))


def hung(kind, **more):
    m = vv.Mechanism(kind, gravity=(0, 0, -9.81))
    arm = m.body("arm", mass=1.3, inertia=(0.02, 0.03, 0.04), at=(0.4, 0.1, 0.0))
    getattr(m, kind)("joint", m.ground, arm, **JOINTS[kind][0], **more)
    return m


@pytest.mark.parametrize("kind", JOINTS)
def test_a_joint_starts_at_its_coordinates_as_built_and_moves_as_before(kind):
    q = JOINTS[kind][1]
    run, plain = (vv.simulate(hung(kind, **more), 0.1, 0.01) for more in ({"q_built": q}, {}))
    assert_allclose(run["joint.q"][0], q, rtol=0, atol=1e-15 * 8)
    assert_allclose(run["joint.q"] - plain["joint.q"], np.broadcast_to(q, run["joint.q"].shape), atol=1e-10)
    assert_allclose(run["arm.r"], plain["arm.r"], atol=1e-10)


def limbs(shift):
    """Two hinges, a slide and a screw with all that acts on coordinates; moved and counted by `shift`."""

    def built(q):
        return q * shift or None

    m = vv.Mechanism("limbs", gravity=(0, 0, -9.81))
    a, b, c, d = (m.body(n, mass=1.0, inertia=(0.02, 0.03, 0.04), at=(0.4 * k, 0.1, 0.0)) for k, n in enumerate("abcd"))
    m.revolute(
        "h",
        m.ground,
        a,
        at=(-0.2, 0, 0),
        axis=(0, 1, 0),
        q_built=built(0.3),
        limits=(-0.2 + 0.3 * shift, 0.1 + 0.3 * shift),
        stop_stiffness=50.0,
        potential=lambda x: 2.0 * np.sin(x - 0.3 * shift),
    )
    m.revolute("w", a, b, at=(0.2, 0, 0), axis=(0, 0.2, 1), q_built=built(-7.0), rate=0.3)
    m.torsion("spring", "w", k=3.0, angle=0.1 - 7.0 * shift)
    m.prismatic(
        "s",
        b,
        c,
        axis=(1, 0, 0.1),
        q_built=built(0.2),
        limits=(-0.1 + 0.2 * shift, 0.02 + 0.2 * shift),
        stop_stiffness=900.0,
    )
    m.screw("n", m.ground, d, at=(1.2, 0, 0), axis=(0, 0, 1), pitch=0.05, q_built=built(9.0))
    m.coupler("g", {"h": 1.0, "n": 0.5}, offset=(0.3 + 4.5) * shift)
    m.frame("tip", c, at=(1.0, 0, 0))
    return m


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: type(scheme).__name__)
def test_energies_limits_couplings_and_screws_act_on_the_coordinate_of_the_user(scheme):
    run, plain = (vv.simulate(limbs(shift), 0.04, 4e-3, integrator=scheme) for shift in (1.0, 0.0))
    for name in ("tip.r", "tip.R", "h.rate", "n.rate", "energy", "w.reaction"):
        assert_allclose(run[name], plain[name], atol=1e-8, err_msg=name)
    for name, q in (("h", 0.3), ("w", -7.0), ("s", 0.2), ("n", 9.0)):
        assert_allclose(run[f"{name}.q"] - plain[f"{name}.q"], q, atol=1e-9, err_msg=name)


def test_drives_prescribe_the_coordinate_of_the_user():
    m = hung("revolute", q_built=6.5)
    m.drive("turn", "joint", position=lambda t: 6.9 + 0.5 * t)
    run = vv.simulate(m, 0.1, 0.01)
    assert_allclose(run["joint.q"], 6.9 + 0.5 * run.t, atol=1e-12)
    m = hung("revolute", q_built=6.5)
    m.drive("turn", "joint", rate=2.0)
    assert_allclose(vv.simulate(m, 0.1, 0.01)["joint.q"][-1], 6.7, atol=1e-12)


def test_minimal_coordinates_are_those_of_the_user():
    shifted, plain = (vv.analytical(limbs(shift)) for shift in (1.0, 0.0))
    q, p = shifted.initial.q, plain.initial.q
    order = {name: k for k, name in enumerate(shifted.q_names)}
    for name, value in (("h", 0.3), ("w", -7.0), ("s", 0.2)):
        assert q[order[f"{name}.q"]] - p[order[f"{name}.q"]] == pytest.approx(value, abs=1e-12)
    assert_allclose(
        shifted.accelerations(q, shifted.initial.xi), plain.accelerations(p, plain.initial.xi), rtol=1e-10, atol=1e-10
    )


def test_bond_graphs_composites_and_linear_systems_agree_with_those_of_frames():
    shifted, plain = (hung("revolute", q_built=q) for q in (0.7, None))
    for m, angle in ((shifted, 0.9), (plain, 0.2)):
        m.torsion("spring", "joint", k=2.0, angle=angle)
    a, b = (vv.linearise(m).A for m in (shifted, plain))
    assert_allclose(a, b, rtol=1e-8, atol=1e-8)
    for read in (
        lambda m: vv.simulate(m.system(), 0.05, 0.01, initial=m.system_state())["energy"],
        lambda m: vv.simulate(vv.bond_graph(m), 0.05, 0.01)["energy"],
    ):
        assert_allclose(read(shifted), read(plain), rtol=1e-9)


def test_named_frames_at_both_ends_say_themselves_what_a_coordinate_is():
    m = vv.Mechanism("frames")
    arm = m.body("arm", mass=1.0, inertia=(1, 1, 1))
    m.frame("low", m.ground, at=(0, 0, 0))
    m.frame("high", arm, at=(0, 0, 0))
    with pytest.raises(vv.ModelError, match=r"(?s)'joint' has q_built, and named frames at both ends.*one end only"):
        m.revolute("joint", "low", "high", q_built=0.3)
    m.revolute("joint", "low", arm, q_built=0.3)
    assert m.assemble()[0].angles == {"joint": 0.3}


@pytest.mark.parametrize(("given", "message"), [((1.0, 2.0), "one number"), (np.nan, "finite"), ("a", "numbers")])
def test_coordinates_as_built_are_checked(given, message):
    with pytest.raises(vv.ModelError, match=rf"q_built of joint 'joint'.*{message}"):
        hung("revolute", q_built=given)
