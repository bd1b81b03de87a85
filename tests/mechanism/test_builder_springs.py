"""Springs in the builder: what they are made of, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.errors import AssemblyError, ModelError
from visviva.geometry import SE3, SO3
from visviva.language import UntraceableError
from visviva.library.joints import rod


@pytest.fixture
def m():
    m = vv.Mechanism("m")
    a = m.body("a", mass=1.0, inertia=(1, 1, 1), com=(0.1, 0, 0))
    m.body("b", mass=1.0, inertia=(1, 1, 1), at=(1, 0, 0))
    m.particle("p", mass=1.0, at=(0, 2, 0))
    m.frame("f", a, at=(0.5, 0, 0), rotation=SO3.exp(np.array([0, 0, 0.3])))
    m.frame("f2", "b", at=(0.7, 0, 0))
    m.revolute("hinge", m.ground, a, at=(0, 0, 0), axis=(0, 0, 1))
    m.spherical("ball", m.ground, "b", at=(1, 0, 0))
    return m


def test_a_spring_goes_between_two_points_and_is_relaxed_as_built(m):
    s = m.spring("s", "a", "p", k=3.0)
    assert s.rows == (rod(),)
    assert s.line
    assert s.damping is None
    assert_allclose(s.frame_on(s.parent)[1], [0.1, 0, 0])  # the centre of mass
    assert_allclose(s.r_W, [0, 2, 0])
    assert s.energy.H.parameters["length"][1] == pytest.approx(np.hypot(0.1, 2))
    assert m["s"] is s
    assert m.elements == [s]


def test_points_of_a_spring_may_be_frames_or_given(m):
    s = m.spring("s", "f", m.ground, k=3.0, length=0.0, damping=0.5, at_b=(0, 0, 1))
    assert_allclose(s.frame_on(s.parent)[1], [0.5, 0, 0])
    assert_allclose(s.r_W, [0, 0, 1])
    assert_allclose(s.damping, [[0.5]])


def test_a_damper_alone_stores_nothing(m):
    assert m.spring("s", "a", "b", damping=1.0).energy is None
    assert m.torsion("tor", "hinge", damping=1.0).energy is None
    assert m.bushing("u", "a", "b", K=np.zeros(6), D=np.ones(6)).energy is None
    assert m.joint_elements[0].damping == 1.0


def test_frames_of_bushings_coincide_as_built_or_are_named(m):
    at = m.bushing("one", "a", "b", K=np.ones(6), at=(0.5, 0, 0.1))
    assert_allclose(at.frame_on(at.parent)[1], at.r_W)
    default = m.bushing("two", "a", "b", K=np.ones(6))
    assert_allclose(default.r_W, [1, 0, 0])
    to_ground = m.bushing("three", "a", m.ground, K=np.ones(6))
    assert_allclose(to_ground.r_W, [0.1, 0, 0])
    named = m.bushing("four", "f", "f2", K=np.ones(6))
    assert_allclose(named.frame_on(named.parent)[1], [0.5, 0, 0])
    assert_allclose(named.r_W, [0.7, 0, 0])
    half = m.bushing("five", m.ground, "f", K=np.ones(6))
    assert_allclose(half.frame_on(half.parent)[0], half.R_W)


def test_a_rest_pose_is_part_of_the_parents_frame(m):
    X = SE3.exp(np.array([0, 0, 0.4, 0.1, 0.2, 0]))
    for rest in (X, (X.R, X.r)):
        s = m.trace_spring(f"s{type(rest).__name__}", "f", "f2", G=np.ones(3), K=np.ones(3), rest=rest)
        R, r = s.frame_on(s.parent)
        frame = m["f"]
        assert_allclose(R, frame.R_WF @ X.R)
        assert_allclose(r, frame.r_WF + frame.R_WF @ X.r)


def raises(match, call, error=ModelError):
    with pytest.raises(error, match=match):
        call()


def test_springs_refuse_what_they_cannot_be(m):
    raises("spring 's' has no stiffness", lambda: m.spring("s", "a", "b"))
    raises("spring 's' has no stiffness", lambda: m.spring("s", "a", "b", length=1.0, damping=1.0))
    raises("an energy and k or length", lambda: m.spring("s", "a", "b", k=1.0, energy=lambda l: l**2))
    raises(r"k of spring 's' \[N/m\] must be positive", lambda: m.spring("s", "a", "b", k=-1.0))
    raises("length of spring 's'", lambda: m.spring("s", "a", "b", k=1.0, length=-0.1))
    raises("damping of spring 's'", lambda: m.spring("s", "a", "b", k=1.0, damping=-1.0))
    raises("connects 'a' with itself", lambda: m.spring("s", "a", "f", k=1.0))
    raises("ends on the ground", lambda: m.spring("s", "a", m.ground, k=1.0))
    raises("cannot hold joint 'hinge'", lambda: m.spring("s", "hinge", "b", k=1.0))
    raises("no 'x'", lambda: m.spring("s", "x", "b", k=1.0))
    raises("taken already", lambda: m.spring("a", "a", "b", k=1.0))
    raises("away", lambda: m.spring("s", "a", "p", k=1.0, at_b=(0, 0, 0)), AssemblyError)
    assert "s" not in m.parts


def test_given_energies_are_checked(m):
    raises("must be a function of the length", lambda: m.spring("s", "a", "b", energy=3.0))
    raises("of one argument, the length", lambda: m.spring("s", "a", "b", energy=lambda l, k: k * l))
    raises("of one argument", lambda: m.spring("s", "a", "b", energy=lambda: 1.0))
    raises("is constant", lambda: m.spring("s", "a", "b", energy=lambda l: 2.0))
    raises("must be one number", lambda: m.spring("s", "a", "b", energy=lambda l: np.array([l, l])))
    compares = "energy of spring 's' cannot be traced: it compares"
    raises(compares, lambda: m.spring("s", "a", "b", energy=lambda l: l if l > 1 else 0), UntraceableError)
    turned = "energy of torsion 'tor' cannot be traced"
    raises(turned, lambda: m.torsion("tor", "hinge", energy=lambda q: max(q, 0)), UntraceableError)
    assert m.spring("s", "a", "b", energy=lambda l, k=3.0: k * l**2).energy is not None


def test_torsion_springs_need_an_axis(m):
    raises("joint 'ball', which is spherical and has no coordinate", lambda: m.torsion("tor", "ball", k=1.0))
    raises("refers to body 'a': give a joint", lambda: m.torsion("tor", "a", k=1.0))
    raises("torsion 'tor' has no stiffness", lambda: m.torsion("tor", "hinge"))
    raises("an energy and k or angle", lambda: m.torsion("tor", "hinge", angle=1.0, energy=lambda q: q**2))
    raises("must be positive", lambda: m.torsion("tor", "hinge", k=0.0))
    raises("damping of torsion 'tor'", lambda: m.torsion("tor", "hinge", k=1.0, damping=-1.0))


def test_bushings_refuse_matrices_that_are_no_stiffness(m):
    raises(r"K of bushing 's' must have shape \(6, 6\)", lambda: m.bushing("s", "a", "b", K=np.eye(3)))
    skewed = np.eye(6)
    skewed[0, 1] = 0.1
    raises("must be symmetric", lambda: m.bushing("s", "a", "b", K=skewed))
    raises("K of bushing 's' must be positive semidefinite", lambda: m.bushing("s", "a", "b", K=-np.ones(6)))
    raises("D of bushing 's' must be positive", lambda: m.bushing("s", "a", "b", K=np.ones(6), D=-np.eye(6)))
    raises("is zero, and it has no damping", lambda: m.bushing("s", "a", "b", K=np.zeros(6)))
    raises("has no orientation", lambda: m.bushing("s", "a", "p", K=np.ones(6)))
    raises("is placed by frame 'f'", lambda: m.bushing("s", "f", "b", K=np.ones(6), at=(0, 0, 0)))
    m.frame("turned", "b", at=(0, 0, 0), rotation=np.diag([1.0, -1.0, -1.0]) @ m["f"].R_WF.T)
    m.frame("back", "b", at=(0, 0, 0), rotation=m["f"].R_WF @ np.diag([1.0, -1.0, -1.0]))
    raises("half a turn apart", lambda: m.bushing("s", "f", "back", K=np.ones(6)))


def test_trace_springs_refuse_what_pushes_away(m):
    ones = np.ones(3)
    unstable = r"tr\(G\) I - G of trace spring 's' must be positive semidefinite"
    raises(unstable, lambda: m.trace_spring("s", "a", "b", G=-ones, K=ones))
    raises("K of trace spring 's'", lambda: m.trace_spring("s", "a", "b", G=ones, K=-ones))
    raises("G and K of trace spring 's' are zero", lambda: m.trace_spring("s", "a", "b", G=0 * ones, K=0 * ones))
    raises(r"must be an SE3 or \(R, p\)", lambda: m.trace_spring("s", "a", "b", G=ones, K=ones, rest=1.0))


def test_point_springs_refuse_points_that_do_not_pair(m):
    def points(k=1.0, n=2, damping=0.0, end="b"):
        m.point_springs("s", "a", end, k=k, at_parent=np.zeros((2, 3)), at_child=np.ones((n, 3)), damping=damping)

    raises(r"must be n points each, shape \(n, 3\)", lambda: points(n=3))
    raises("must be one number or 2 of them", lambda: points(k=(1, 2, 3)))
    raises("must be at least 0, got -1", lambda: points(k=(1, -1)))
    raises("k and damping of point springs 's' are zero", lambda: points(k=0.0))
    raises("has no orientation", lambda: points(end="p"))


def test_a_spring_without_direction_is_refused_at_the_start():
    m = vv.Mechanism("m")
    m.particle("p", mass=1.0, at=(0, 0, 0))
    m.spring("s", m.ground, "p", k=1.0, length=0.5, at_a=(0, 0, 0))
    with pytest.raises(AssemblyError, match="force of spring 's' is not finite"):
        vv.simulate(m, t_end=1.0, h=0.1)
