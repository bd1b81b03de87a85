"""The builder takes numbers that a mechanism can have, and says which one it cannot have and why."""

from __future__ import annotations

import numpy as np
import pytest
from messages import says
from numpy.testing import assert_allclose, assert_array_equal

import visviva as vv
from visviva.geometry import SO3

BOX = vv.inertia.box(1.0, (0.1, 0.2, 0.3))
NAN = float("nan")


@pytest.fixture
def m() -> vv.Mechanism:
    m = vv.Mechanism("arm")
    m.body("rod", inertia=BOX)
    return m


# -- numbers ----------------------------------------------------------------------------------------------------


NUMBERS = {
    "gravity NaN": (
        lambda m: vv.Mechanism("arm", gravity=(0, 0, NAN)),
        ("gravity of mechanism 'arm'", "finite", "nan"),
    ),
    "gravity shape": (
        lambda m: vv.Mechanism("arm", gravity=-9.81),
        ("gravity of mechanism 'arm'", "shape (3,)", "-9.81"),
    ),
    "theta0 zero": (lambda m: vv.Mechanism("arm", theta0=0), ("theta0 of mechanism 'arm' [K]", "positive", "0")),
    "theta0 negative": (lambda m: vv.Mechanism("arm", theta0=-1), ("theta0 of mechanism 'arm' [K]", "positive", "-1")),
    "at NaN": (lambda m: m.body("link", inertia=BOX, at=(0, NAN, 0)), ("at of body 'link'", "finite", "nan")),
    "at shape": (lambda m: m.body("link", inertia=BOX, at=(0, 1)), ("at of body 'link'", "shape (3,)", "(2,)")),
    "at batch": (
        lambda m: m.body("link", inertia=BOX, at=np.zeros((2, 3))),
        ("at of body 'link'", "one vector of 3 numbers", "(2, 3)"),
    ),
    "at text": (lambda m: m.body("link", inertia=BOX, at="here"), ("at of body 'link'", "numbers", "'here'")),
    "com": (lambda m: m.body("link", inertia=BOX, com=(0, 1)), ("com of body 'link'", "shape (3,)", "(2,)")),
    "twist": (
        lambda m: m.body("link", inertia=BOX, twist=(1, 2, 3)),
        ("twist (ω; v) of body 'link'", "shape (6,)", "(3,)"),
    ),
    "particle at": (lambda m: m.particle("dot", mass=1, at=(1,)), ("at of particle 'dot'", "shape (3,)")),
    "velocity": (
        lambda m: m.particle("dot", mass=1, at=(1, 0, 0), velocity=(NAN, 0, 0)),
        ("velocity of particle 'dot'", "finite"),
    ),
    "frame at": (lambda m: m.frame("tool", "rod", at=(NAN, 0, 0)), ("at of frame 'tool'", "finite")),
    "joint at": (
        lambda m: m.revolute("pin", m.ground, "rod", at=(0, 0), axis=(0, 0, 1)),
        ("at of joint 'pin'", "shape (3,)"),
    ),
    "ball at": (lambda m: m.spherical("pin", m.ground, "rod", at=(0, 0, NAN)), ("at of joint 'pin'", "finite")),
    "axis NaN": (
        lambda m: m.revolute("pin", m.ground, "rod", at=(0, 0, 0), axis=(0, NAN, 1)),
        ("axis of joint 'pin'", "finite"),
    ),
    "axis shape": (
        lambda m: m.revolute("pin", m.ground, "rod", at=(0, 0, 0), axis=2),
        ("axis of joint 'pin'", "shape (3,)"),
    ),
    "axis zero": (
        lambda m: m.revolute("pin", m.ground, "rod", at=(0, 0, 0), axis=(0, 0, 0)),
        ("axis of joint 'pin' is zero", "direction", "axis=(0, 0, 1)"),
    ),
    "rate": (
        lambda m: m.revolute("pin", m.ground, "rod", at=(0, 0, 0), axis=(0, 0, 1), rate=np.inf),
        ("rate of joint 'pin' [rad/s]", "finite", "inf"),
    ),
    "friction negative": (
        lambda m: m.revolute("pin", m.ground, "rod", at=(0, 0, 0), axis=(0, 0, 1), friction=-0.1),
        ("friction of joint 'pin' [N m s/rad]", "at least 0", "-0.1"),
    ),
    "friction NaN": (
        lambda m: m.revolute("pin", m.ground, "rod", at=(0, 0, 0), axis=(0, 0, 1), friction=NAN),
        ("friction of joint 'pin'", "finite"),
    ),
}


@pytest.mark.parametrize(("build", "parts"), NUMBERS.values(), ids=NUMBERS.keys())
def test_numbers_are_finite_and_of_the_right_shape(m, build, parts):
    with pytest.raises(vv.ModelError, match=says(*parts)):
        build(m)


@pytest.mark.parametrize("size", [1e-150, 1e-8, 1e8, 1e150])
def test_the_length_of_an_axis_does_not_matter(m, size):
    unit = m.revolute("a", m.ground, "rod", at=(0, 0, 0), axis=(0.6, 0, 0.8)).R_W
    long = m.revolute("b", m.ground, "rod", at=(0, 0, 0), axis=size * np.array([0.6, 0, 0.8])).R_W
    assert_allclose(long, unit, rtol=0, atol=1e-15)


def test_an_axis_too_long_for_its_square_is_a_direction_all_the_same(m):
    frame = m.revolute("a", m.ground, "rod", at=(0, 0, 0), axis=(0, 1e200, 0)).R_W
    assert_array_equal(frame[:, 2], (0, 1, 0))


# -- mass and inertia -------------------------------------------------------------------------------------------


MASSES = {
    "negative": ({"mass": -1.0, "inertia": (1, 1, 1)}, ("mass of body 'link'", "positive", "-1")),
    "zero": ({"mass": 0.0, "inertia": (1, 1, 1)}, ("mass of body 'link'", "positive", "0")),
    "no mass": ({"inertia": (1, 1, 1)}, ("body 'link' has no mass", "mass=... [kg]")),
    "no inertia": ({"mass": 1.0}, ("body 'link' has no inertia", "vv.inertia.box", "m.particle(...)")),
    "contradiction": (
        {"mass": 2.0, "inertia": BOX},
        ("body 'link'", "mass=2 kg", "made for 1 kg", "Leave the mass out, or make both the same"),
    ),
    "NaN against Inertia": ({"mass": NAN, "inertia": BOX}, ("body 'link'", "nan")),
    "text against Inertia": ({"mass": "heavy", "inertia": BOX}, ("body 'link'", "'heavy'")),
    "two masses against Inertia": ({"mass": [1.0, 2.0], "inertia": BOX}, ("body 'link'", "one number")),
    "triangle": ({"mass": 1.0, "inertia": (1, 1, 3)}, ("body 'link'", "triangle inequality", "axis z", "by 1 kg m²")),
    "negative moment": ({"mass": 1.0, "inertia": (1, -1, 1)}, ("body 'link'", "negative principal moment", "axis y")),
    "not symmetric": (
        {"mass": 1.0, "inertia": [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]},
        ("body 'link'", "not symmetric", "J_xy", "correct the wrong one"),
    ),
    "shape": ({"mass": 1.0, "inertia": (1, 1)}, ("inertia of body 'link'", "(3,)", "(3, 3)", "(2,)")),
    "NaN moment": ({"mass": 1.0, "inertia": (1, 1, NAN)}, ("inertia of body 'link'", "finite")),
}


@pytest.mark.parametrize(("data", "parts"), MASSES.values(), ids=MASSES.keys())
def test_a_body_has_a_possible_mass_and_inertia(m, data, parts):
    with pytest.raises(vv.ModelError, match=says(*parts)):
        m.body("link", **data)


@pytest.mark.parametrize("mass", [0.0, -2.0, NAN])
def test_a_particle_has_a_positive_mass(m, mass):
    with pytest.raises(vv.ModelError, match=says("mass of particle 'dot' [kg]")):
        m.particle("dot", mass=mass, at=(0, 0, 0))


def test_the_ways_to_give_an_inertia_agree(m):
    tensor = np.diag(BOX.J)
    ways = [m.body("a", inertia=BOX), m.body("b", mass=1.0, inertia=BOX), m.body("c", mass=1.0, inertia=tensor)]
    ways.append(m.body("d", mass=1.0, inertia=np.diag(tensor)))
    for body in ways:
        assert body.mass == 1.0
        assert_array_equal(body.J, BOX.J)
        assert_array_equal(body.com, np.zeros(3))


def test_a_given_centre_of_mass_comes_before_that_of_the_inertia(m):
    shifted = vv.inertia.Inertia(1.0, BOX.J, com=(1, 2, 3))
    assert_array_equal(m.body("a", inertia=shifted).com, (1, 2, 3))
    assert_array_equal(m.body("b", inertia=shifted, com=(4, 5, 6)).com, (4, 5, 6))


# -- rotations --------------------------------------------------------------------------------------------------


ROTATIONS = {
    "scaled": (2 * np.eye(3), ("is not a rotation", "3.0e+00", "SO3.nearest")),
    "reflection": (np.diag([1, 1, -1]), ("is a reflection", "determinant", "SO3.nearest")),
    "NaN": (np.full((3, 3), NAN), ("must be finite",)),
    "vector": ((0, 0, 1), ("must have shape (3, 3)", "(3,)")),
    "two matrices": (np.stack([np.eye(3)] * 2), ("(2, 3, 3)",)),
    "two rotations": (SO3.identity((2,)), ("(2,",)),
    "unchecked SO3": (SO3(2 * np.eye(3)), ("is not a rotation",)),
}


@pytest.mark.parametrize(("rotation", "parts"), ROTATIONS.values(), ids=ROTATIONS.keys())
def test_the_rotation_of_a_body_is_one_rotation(m, rotation, parts):
    with pytest.raises(vv.ModelError, match=says("rotation of body 'link'", *parts)):
        m.body("link", inertia=BOX, rotation=rotation)


@pytest.mark.parametrize(("rotation", "parts"), ROTATIONS.values(), ids=ROTATIONS.keys())
def test_the_rotation_of_a_frame_is_one_rotation(m, rotation, parts):
    with pytest.raises(vv.ModelError, match=says("rotation of frame 'tool'", *parts)):
        m.frame("tool", "rod", at=(0, 0, 0), rotation=rotation)


def test_a_rotation_may_be_a_matrix_or_an_SO3(m):
    turn = SO3.exp((0.1, -0.2, 0.3))
    assert_array_equal(m.body("a", inertia=BOX, rotation=turn).R_WB, turn.matrix)
    assert_array_equal(m.body("b", inertia=BOX, rotation=turn.matrix).R_WB, turn.matrix)
