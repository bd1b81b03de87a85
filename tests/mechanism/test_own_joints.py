"""Joints that a user writes: chains that no tree of links has are closed by their rows, and are as right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.library.joints import TURN, AbstractJoint, Ball, Distance, Screw, Shift, Turn, along_child, cosine


class Back(AbstractJoint):
    """The screw of the library, with its shift written first."""

    kind, glyph, chain = "back", "thread", (Shift(2, 0, 0.1), Turn(2, 0))
    rows, sums = Screw(0.1).rows, Screw(0.1).sums
    coordinates, names, upright = (TURN,), ("angle",), (cosine(2, 2),)


class Constant(Back):
    """The same, in the order of the library, with a lead that is no number of the class."""

    kind, chain = "constant", Screw(0.1).chain


class Telescope(AbstractJoint):
    """A point on a line of the child."""

    kind, glyph, chain = "telescope", "bead_on_wire", (Ball(1), Shift(2, 0))
    rows = (along_child(0), along_child(1))
    coordinates, names = (along_child(2),), ("z",)


def falling(joint, **options):
    m = vv.Mechanism("m", gravity=(0, 0, -9.81))
    m.body("a", mass=1, inertia=(0.1, 0.2, 0.25), at=(0.3, 0, 0))
    m.joint("k", joint, "ground", "a", at=(0, 0, 0), **options)
    return m


@pytest.mark.parametrize("joint", [Back(), Constant()], ids=lambda one: one.kind)
def test_a_screw_by_another_name_falls_as_the_screw_does(joint):
    vv.testing.check_joint(joint)
    ends = {}
    for one in (Screw(0.1), joint):
        m = falling(one)
        ends[one.kind] = vv.simulate(m, 0.2, 0.01)["k.q"]
        assert vv.linearise(falling(one), at={}, residual_ok=True).A.shape == (2, 2)
        assert m.kinestatics().mobility() == 1
    assert_allclose(ends["screw"], ends[joint.kind], rtol=0, atol=1e-12)
    assert not Back().carries


def test_a_ball_before_a_slide_moves_along_the_axis_of_the_child():
    vv.testing.check_joint(Telescope())
    m = falling(Telescope())
    run = vv.simulate(m, 0.1, 0.005)
    S = m.kinestatics(run.final).kinestatics.pairs["k"].S
    axis = run["a.R"][-1] @ [0, 0, 1]
    assert_allclose(np.cross(S[3:, 0] / np.linalg.norm(S[3:, 0]), axis), 0, atol=1e-12)


def test_a_matrix_on_a_hinge_is_its_friction():
    rates = []
    for friction in (2.0, [[2.0]]):
        m = vv.Mechanism("t", gravity=(0, 0, 0))
        m.body("a", mass=1, inertia=(0.1, 0.2, 0.3), at=(0.5, 0, 0))
        m.revolute("r", "ground", "a", at=(0, 0, 0), axis=(0, 0, 1), rate=5.0, friction=friction)
        rates.append(vv.simulate(m, 0.5, 1e-2)["r.rate"][-1])
    assert rates[0] == rates[1] == pytest.approx(0.8116, abs=1e-3)


def test_a_constant_velocity_joint_needs_an_orientation_at_both_ends():
    m = vv.Mechanism("t")
    m.body("a", mass=1, inertia=(0.1, 0.2, 0.3))
    m.particle("p", mass=1, at=(0, 0, 0.3))
    with pytest.raises(vv.ModelError, match="'p' is a particle and has no orientation"):
        m.joint("k", "rzeppa", "a", "p", at=(0, 0, 0.3))


def test_units_of_several_coordinates_are_those_of_each():
    m = vv.Mechanism("t")
    m.body("a", mass=1, inertia=(0.1, 0.2, 0.3))
    m.planar("p", "ground", "a", at=(0, 0, 0), normal=(0, 0, 1))
    m.joint_spring("x", [("p", "x"), ("p", "angle")], energy=lambda x, a: x**2 + a**2)
    run = vv.simulate(m, 0.02, 0.01, integrator=vv.PHMP(compiled=False))
    assert (run.unit("x.y"), run.unit("x.force")) == ("m, rad", "N, N m")


def test_a_matrix_of_friction_gives_way_to_numbers():
    m = vv.Mechanism("t", gravity=(0, 0, 0))
    m.body("a", mass=1, inertia=(0.1, 0.2, 0.3))
    m.cylindrical("c", "ground", "a", at=(0, 0, 0), axis=(0, 0, 1), friction=np.diag([0.3, 0.4]), rate=(1.0, 2.0))
    ends = [
        vv.simulate(one, 0.2, 0.01, integrator=vv.PHMP(compiled=False))["c.rate"][-1]
        for one in (m, m.with_parameters({"c.friction": [0.3, 0.4]}))
    ]
    assert_allclose(*ends, rtol=0, atol=1e-12)


@dataclass(frozen=True)
class Geared(AbstractJoint):
    """A hinge with numbers of its own."""

    ratio: float
    teeth: int = 12
    kind, glyph, chain = "geared", "hinge", (Turn(2),)
    rows = Screw(0.1).rows


@pytest.mark.parametrize("value", [np.nan, np.inf, "long", None, (1.0, 2.0)], ids=str)
@pytest.mark.parametrize(("make", "what"), [(Screw, "pitch of a screw"), (Distance, "length of a distance"),
                                            (Geared, "ratio of a geared")])  # fmt: skip
def test_numbers_of_a_joint_are_checked(make, what, value):
    with pytest.raises(vv.ModelError, match=f"{what} joint must be"):
        make(value)


@pytest.mark.parametrize("length", [0, -0.3])
def test_a_rod_has_a_positive_length(length):
    with pytest.raises(vv.ModelError, match=r"length of a distance joint \[m\] must be positive, got"):
        Distance(length)


def test_numbers_of_a_joint_are_floats():
    assert type(Screw(np.float32(0.5)).pitch) is float
    assert type(Distance(2).length) is float
    assert Screw(-0.1).pitch == -0.1
    assert Geared(2).teeth == 12
