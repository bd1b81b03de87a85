"""The joints of the builder: where they are placed, what may be joined, and what is refused, with the way out."""

from __future__ import annotations

import numpy as np
import pytest
from messages import says
from numpy.testing import assert_allclose, assert_array_equal

import visviva as vv
from visviva.library.joints import Cylindrical, Distance, rod
from visviva.mechanism.coordinates import as_built, joint_rows, movers
from visviva.mechanism.elements import JointElement
from visviva.mechanism.joint_coordinates import coordinate_values, turn_names

BOX = vv.inertia.box(1.0, (0.1, 0.2, 0.3))
NAN = float("nan")
Z = (0, 0, 1)

BUILD = {
    "fixed": lambda m, a, b, **more: m.fixed("j", a, b, **more),
    "revolute": lambda m, a, b, **more: m.revolute("j", a, b, at=(0, 0, 0), axis=Z, **more),
    "prismatic": lambda m, a, b, **more: m.prismatic("j", a, b, axis=Z, **more),
    "cylindrical": lambda m, a, b, **more: m.cylindrical("j", a, b, at=(0, 0, 0), axis=Z, **more),
    "universal": lambda m, a, b, **more: m.universal("j", a, b, at=(0, 0, 0), axes=(Z, (1, 0, 0)), **more),
    "spherical": lambda m, a, b, **more: m.spherical("j", a, b, at=(0, 0, 0), **more),
    "planar": lambda m, a, b, **more: m.planar("j", a, b, at=(0, 0, 0), normal=Z, **more),
    "free": lambda m, a, b, **more: m.free("j", a, b, **more),
    "distance": lambda m, a, b, **more: m.distance("j", a, b, at_a=(0, 0, 5), at_b=(0, 0, 1), **more),
    "point_on_plane": lambda m, a, b, **more: m.point_on_plane("j", a, b, at=(0, 0, 0), normal=Z, **more),
    "point_on_line": lambda m, a, b, **more: m.point_on_line("j", a, b, at=(0, 0, 0), axis=Z, **more),
}
every_kind = pytest.mark.parametrize("kind", BUILD)


# -- what every joint does --------------------------------------------------------------------------------------


@every_kind
def test_every_joint_is_closed_as_built_with_all_coordinates_zero(m, kind):
    joint = BUILD[kind](m, "rod", m["plate"])
    q = np.concatenate([as_built(end) for end in movers(joint)])
    assert joint.joint.kind == kind
    assert_allclose(joint_rows(joint).value(q), 0, atol=1e-15)
    assert_allclose(coordinate_values(joint, q), 0, atol=1e-15)
    assert_array_equal(joint.friction, np.zeros(len(joint.joint.coordinates)))
    assert joint.rate is None
    assert m["j"] is joint


@every_kind
def test_no_joint_connects_a_part_with_itself(m, kind):
    before = dict(m.parts)
    with pytest.raises(vv.ModelError, match=says("joint 'j' connects 'rod' with itself", "must differ")):
        BUILD[kind](m, "rod", m["rod"])
    m.frame("tool", "rod", at=(1, 0, 0))
    with pytest.raises(vv.ModelError, match=says("joint 'j' connects 'rod' with itself")):
        BUILD[kind](m, "tool", "rod")
    assert m.parts.keys() == before.keys() | {"tool"}


@every_kind
def test_every_joint_names_the_part_that_is_not_there(m, kind):
    with pytest.raises(vv.ModelError, match=says("mechanism 'arm' has no 'plat'", "Did you mean 'plate'?")):
        BUILD[kind](m, "ground", "plat")
    BUILD["free"](m, "ground", "rod")
    with pytest.raises(vv.ModelError, match=says("the name 'j' is taken")):
        BUILD[kind](m, "ground", "rod")


ORIENTED = {"fixed", "revolute", "prismatic", "cylindrical", "universal", "planar"}


@every_kind
def test_a_particle_can_be_where_no_orientation_is_needed(m, kind):
    if kind in ORIENTED:
        with pytest.raises(vv.ModelError, match=says(f"joint 'j' is {kind}", "'dot' is a particle", "no orientation")):
            BUILD[kind](m, "ground", "dot")
        return
    if kind == "distance":
        m.distance("j", "ground", "dot", at_a=(0, 0, 5))
    else:
        BUILD[kind](m, "ground", "dot")
    assert m["j"].child is m["dot"]


@pytest.mark.parametrize("kind", ["point_on_plane", "point_on_line"])
def test_a_plane_or_line_cannot_be_fixed_in_a_particle(m, kind):
    with pytest.raises(vv.ModelError, match=says(f"'j' is {kind}", "'dot' is a particle", "no orientation", "a body")):
        BUILD[kind](m, "dot", "rod")


# -- rates and friction -----------------------------------------------------------------------------------------


RATES = {
    "revolute": (1, "rate of joint 'j' [rad/s]", "friction of joint 'j' [N m s/rad]"),
    "prismatic": (1, "rate of joint 'j' [m/s]", "friction of joint 'j' [N s/m]"),
    "cylindrical": (2, "rate of joint 'j' [rad/s, m/s]", "friction of joint 'j' [N m s/rad, N s/m]"),
    "universal": (2, "rate of joint 'j' [rad/s, rad/s]", None),
    "planar": (3, "rate of joint 'j' [rad/s, m/s, m/s]", "friction of joint 'j' [N m s/rad, N s/m, N s/m]"),
}


@pytest.mark.parametrize("kind", RATES)
def test_rates_and_friction_are_one_number_for_each_coordinate(m, kind):
    k, rate, friction = RATES[kind]
    given = 1.5 if k == 1 else np.arange(1.0, k + 1)
    losses = {} if friction is None else {"friction": given}
    joint = BUILD[kind](m, m.ground, "rod", rate=given, **losses)
    assert_array_equal(joint.rate, np.atleast_1d(given))
    assert_array_equal(joint.friction, np.atleast_1d(given) if friction else np.zeros(k))
    wrong = (1.0, 2.0, 3.0, 4.0) if k > 1 else (1.0, 2.0)
    with pytest.raises(vv.ModelError, match=says(rate, f"({len(wrong)},)")):
        BUILD[kind](vv_copy(m), "ground", "plate", rate=wrong)
    bad = NAN if k == 1 else [NAN] * k
    with pytest.raises(vv.ModelError, match=says(rate, "finite")):
        BUILD[kind](vv_copy(m), "ground", "plate", rate=bad)
    if friction:
        negative = -0.5 if k == 1 else [0.1] * (k - 1) + [-0.5]
        with pytest.raises(vv.ModelError, match=says(friction, "at least 0", "-0.5")):
            BUILD[kind](vv_copy(m), "ground", "plate", friction=negative)
    if friction and k > 1:  # one number for coefficients of several units would be a guess
        with pytest.raises(vv.ModelError, match=says(friction, f"shape ({k},)")):
            BUILD[kind](vv_copy(m), "ground", "plate", friction=0.5)


def vv_copy(m: vv.Mechanism) -> vv.Mechanism:
    """The mechanism without its joint."""
    copy = m.snapshot()
    copy.parts.pop("j", None)
    return copy


@pytest.mark.parametrize("kind", RATES)
def test_an_initial_rate_is_that_of_the_coordinates(m, kind):
    k = RATES[kind][0]
    rate = 1.5 if k == 1 else np.arange(1.0, k + 1) - 2.5
    BUILD[kind](m, m.ground, "rod", rate=rate)
    m.free("loose", m.ground, "plate")
    m.free("lost", m.ground, "dot")
    run = vv.simulate(m, 0.0, 0.01)
    assert_allclose(run["j.rate"][0], rate, rtol=0, atol=1e-13)
    assert_allclose(run["j.q"][0], 0.0 * np.asarray(rate), rtol=0, atol=1e-15)


# -- placement --------------------------------------------------------------------------------------------------


def test_a_weld_and_a_slide_default_to_the_centre_of_mass_of_the_child(m):
    assert_allclose(m.fixed("weld", "plate", "rod").r_W, (0.4, 0, 0), rtol=0, atol=1e-15)
    assert_allclose(m.prismatic("slide", "plate", "rod", axis=Z).r_W, (0.4, 0, 0), rtol=0, atol=1e-15)
    assert_allclose(m.fixed("nail", "plate", m.ground).r_W, (0, 0.5, 0), rtol=0, atol=1e-15)
    assert_allclose(m.fixed("here", "plate", "rod", at=(1, 2, 3)).r_W, (1, 2, 3))


def test_the_place_of_a_particle_is_that_of_its_joint(m):
    assert_array_equal(m.spherical("ball", "rod", "dot").r_W, np.zeros(3))
    assert_array_equal(m.point_on_line("wire", "rod", "dot", axis=Z).r_W, np.zeros(3))
    with pytest.raises(vv.AssemblyError, match=says("joint 'x'", "(0.0, 0.0, 1.0)", "particle 'dot'", "1 m away")):
        m.point_on_plane("x", "rod", "dot", at=(0, 0, 1), normal=Z)


def test_the_axes_of_a_universal_joint_are_z_and_x_of_its_frame(m):
    R = m.universal("j", "rod", "plate", at=(0, 0, 0), axes=((0, 3, 4), (5, 0, 0))).R_W
    assert_allclose(R, np.column_stack([(1, 0, 0), (0, 0.8, -0.6), (0, 0.6, 0.8)]), rtol=0, atol=1e-15)
    assert list(turn_names(m["j"])) == ["j.0", "j.1"]


def test_a_distance_runs_between_the_points_given_or_the_obvious_ones(m):
    m.frame("tool", "plate", at=(0, 0.5, 2))
    joint = m.distance("a", "rod", "dot")
    assert joint.joint == Distance(0.4)
    assert_allclose(joint.frame_on(joint.parent)[1], (0.4, 0, 0), rtol=0, atol=1e-15)
    assert_array_equal(joint.frame_on(joint.child)[1], np.zeros(3))
    joint = m.distance("b", m.ground, "tool", at_a=(0, 0.5, 0), length=1.5)
    assert joint.joint.rows == (rod(1.5),)
    assert_allclose(joint.R_W[:, 2], Z, rtol=0, atol=1e-15)
    assert_array_equal(joint.r_W, (0, 0.5, 2))


REFUSED = {
    "no place": (lambda m: m.revolute("j", m.ground, "rod", axis=Z), ("joint 'j' has no place", "at=(x, y, z)")),
    "no axis": (lambda m: m.revolute("j", m.ground, "rod", at=(0, 0, 0)), ("joint 'j' has no axis", "axis=")),
    "slide without axis": (lambda m: m.prismatic("j", m.ground, "rod"), ("joint 'j' has no axis",)),
    "no normal": (lambda m: m.planar("j", m.ground, "rod", at=(0, 0, 0)), ("joint 'j' has no normal", "normal=")),
    "no axes": (lambda m: m.universal("j", m.ground, "rod", at=(0, 0, 0)), ("joint 'j' has no axes", "axes=")),
    "ball nowhere": (lambda m: m.spherical("j", m.ground, "rod"), ("joint 'j' has no place",)),
    "zero axis": (lambda m: m.prismatic("j", m.ground, "rod", axis=(0, 0, 0)), ("axis of joint 'j' is zero",)),
    "zero normal": (
        lambda m: m.planar("j", m.ground, "rod", at=(0, 0, 0), normal=(0, 0, 0)),
        ("normal of joint 'j' is zero", "normal=(0, 0, 1)"),
    ),
    "NaN normal": (
        lambda m: m.point_on_plane("j", m.ground, "rod", at=(0, 0, 0), normal=(0, NAN, 0)),
        ("normal of joint 'j'", "finite"),
    ),
    "zero second axis": (
        lambda m: m.universal("j", m.ground, "rod", at=(0, 0, 0), axes=(Z, (0, 0, 0))),
        ("axes[1] of joint 'j' is zero",),
    ),
    "axes not normal": (
        lambda m: m.universal("j", m.ground, "rod", at=(0, 0, 0), axes=(Z, (1, 0, 1))),
        ("universal joint 'j'", "45°", "normal to each other", "massless body between two revolute joints"),
    ),
    "one axis": (
        lambda m: m.universal("j", m.ground, "rod", at=(0, 0, 0), axes=Z),
        ("axes of joint 'j' must be two directions", "(0, 0, 1)"),
    ),
    "axes a number": (
        lambda m: m.universal("j", m.ground, "rod", at=(0, 0, 0), axes=3.0),
        ("axes of joint 'j' must be two directions", "3.0"),
    ),
    "no length": (
        lambda m: m.distance("j", m.ground, "dot", at_a=(0, 0, 0)),
        ("distance 'j'", "'ground' and 'dot' coincide", "spherical joint"),
    ),
    "distance from somewhere on the ground": (
        lambda m: m.distance("j", m.ground, "dot"),
        ("distance 'j' ends on the ground", "at_a=(x, y, z)"),
    ),
    "length zero": (
        lambda m: m.distance("j", "rod", "dot", length=0.0),
        ("length of distance 'j' [m]", "positive"),
    ),
    "length NaN": (lambda m: m.distance("j", "rod", "dot", length=NAN), ("length of distance 'j' [m]", "finite")),
    "point NaN": (lambda m: m.distance("j", "rod", "dot", at_a=(NAN, 0, 0)), ("at_a of distance 'j'", "finite")),
    "point off the particle": (
        lambda m: m.distance("j", "rod", "dot", at_b=(0, 1, 0)),
        ("distance 'j'", "particle 'dot'", "1 m away"),
    ),
    "joint on a port": (
        lambda m: (m.wrench("load", "rod"), m.fixed("j", "load", "plate")),
        ("joint 'j' cannot hold port 'load'",),
    ),
}


@pytest.mark.parametrize(("build", "parts"), REFUSED.values(), ids=REFUSED)
def test_what_makes_no_sense_is_refused(m, build, parts):
    with pytest.raises((vv.ModelError, vv.AssemblyError), match=says(*parts)):
        build(m)
    assert "j" not in m.parts


# -- ports and potentials ---------------------------------------------------------------------------------------


def test_forces_act_where_something_slides_and_torques_where_it_turns(m):
    for kind in BUILD:
        one = vv_copy(m)
        joint = BUILD[kind](one, "ground", "rod")
        turns = [isinstance(part, vv.joints.Angle) for part in joint.joint.coordinates]
        for add, name, fits in ((one.force, "push", False), (one.torque, "motor", True)):
            count = turns.count(fits)
            if count == 1:
                assert add(name, "j").joint is joint
                continue
            reason = "several coordinates" if count else "which is"
            with pytest.raises(vv.ModelError, match=says(f"'{name}'", "joint 'j'", reason)):
                add(name, "j")
            for number, turning in enumerate(turns):
                if turning is fits:
                    assert add(f"{name} {number}", ("j", number)).at.number == number
                    assert add(f"{name} {number} by name", ("j", joint.joint.names[number])).at.number == number
    with pytest.raises(vv.ModelError, match=says("force 'push' refers to body 'rod'", "m.wrench")):
        m.force("push", "rod")


def test_the_potential_of_a_hinge_is_a_torsion_spring_of_its_name(m):
    joint = m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=Z, potential=lambda angle: 2.0 * angle**2)
    torsion = m["hinge.potential"]
    assert isinstance(torsion, JointElement)
    assert torsion.coordinates[0].joint is joint
    assert m.joint_elements == [torsion]


def test_a_potential_that_cannot_be_traced_leaves_no_hinge_behind(m):
    before = dict(m.parts)
    with pytest.raises(vv.ModelError, match="potential of joint 'hinge'"):
        m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=Z, potential=lambda angle: float(angle))
    assert m.parts == before


# -- massless bodies --------------------------------------------------------------------------------------------


def test_a_massless_body_has_no_mass_and_no_inertia(m):
    cross = m.body("cross", massless=True, at=(1, 2, 3))
    assert cross.mass == 0
    assert not cross.J.any()
    assert not cross.J_C.any()
    assert_array_equal(cross.r_WC, (1, 2, 3))


@pytest.mark.parametrize(
    "data", [{"mass": 1.0}, {"inertia": (1, 1, 1)}, {"inertia": BOX}], ids=["mass", "moments", "box"]
)
def test_a_massless_body_cannot_be_given_a_mass(m, data):
    with pytest.raises(vv.ModelError, match=says("body 'cross' is massless, but has a mass or an inertia")):
        m.body("cross", massless=True, **data)


@pytest.mark.parametrize("inertia", [(0, 0, 0), (1, 1, 1), BOX], ids=["none", "some", "box"])
def test_a_mass_of_zero_must_be_meant(m, inertia):
    with pytest.raises(vv.ModelError, match=says("mass of body 'cross'", "positive, got 0", "massless=True")):
        m.body("cross", mass=0.0, inertia=inertia)


def test_joints_of_the_library_are_values():
    assert Cylindrical() == Cylindrical()
    assert Distance(1.0) != Distance(2.0)
