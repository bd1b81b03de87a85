"""Frames of a Euclidean space, spaces that move relative to each other."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.errors import ModelError
from visviva.geometry import SE3
from visviva.geometry import projective as pg

E = np.eye(3)
TURNED = SE3.exp([0.3, -0.5, 0.9, 1, 2, 3])
TIMES = np.linspace(0, 3, 7)


def test_coordinates_in_an_orthonormal_frame_are_those_of_its_pose():
    frame = pg.Frame(TURNED.r, *TURNED.R.T)
    x = np.random.default_rng(0).normal(size=(20, 3))
    assert_allclose(frame.pose().matrix, TURNED.matrix)
    assert_allclose(frame.coordinates(pg.point(x)), pg.point(TURNED.inverse().act(x)), atol=1e-14)
    assert_allclose(frame.represented(frame.coordinates(pg.point(x))), pg.point(x), atol=1e-14)


def test_coordinates_in_a_general_frame():
    frame = pg.Frame([1, 0, 0], [2, 0, 0], [1, 1, 0], [0, 0, -3], orthonormal=False)  # left-handed, too
    assert_allclose(frame.represented([1, 2, 3, 1]), [1 + 2 + 2, 2, -9, 1])
    assert_allclose(frame.coordinates([5, 2, -9, 1]), [1, 2, 3, 1])
    p = np.random.default_rng(0).normal(size=(20, 4))
    assert_allclose(frame.represented(frame.coordinates(p)), p, atol=1e-13)
    many = pg.Frame(p[:, :3], [2, 0, 0], [1, 1, 0], [0, 0, -3], orthonormal=False)
    assert_allclose(many.represented(many.coordinates(p)), p, atol=1e-12)


def test_the_last_coordinate_zero_is_the_improper_hyperplane_in_every_frame():
    frame = pg.Frame([1, 2, 3], [2, 0, 0], [1, 1, 0], [0, 0, -3], orthonormal=False)
    assert pg.is_infinite(frame.represented([1, 2, 3, 0]))
    assert frame.coordinates(pg.free_vector([1, 2, 3]))[3] == 0


def test_the_origin_is_a_finite_point_and_no_free_vector():
    """ψ⁻¹(0, 0, 0, 1), which is printed as ψ((0, 0, 0, 1)) in the dual of I³."""
    frame = pg.Frame(-2 * pg.point([1, 2, 3]), *E)
    o = frame.represented([0, 0, 0, 1])
    assert not pg.is_infinite(o)
    assert pg.p_norm(o) == 1
    assert_allclose(pg.cartesian(o), [1, 2, 3])
    assert_allclose(frame.coordinates([0, 0, 0, 1]), [-1, -2, -3, 1])  # ψ of the same numbers is another point


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pg.Frame([0, 0, 0], E[0], E[1], E[0] + E[1]), "axes of the frame are linearly dependent"),
        (lambda: pg.Frame([0, 0, 0], E[0], E[1], 2 * E[2]), r"not orthonormal.\nGive unit vectors"),
        (lambda: pg.Frame([0, 0, 0], E[1], E[0], E[2]), "left-handed: Ω"),
        (lambda: pg.Frame([1, 0, 0, 0], *E), "origin of the frame is at infinity"),
        (lambda: pg.Frame([0, 0, 0], [1, 0, 0, 1], E[1], E[2]), "axis x of the frame is a point"),
        (lambda: pg.Frame([0, 0, 0], E[0], 2 * E[1], E[2], orthonormal=False).pose(), "has no pose"),
        (lambda: pg.Frame([0, 0, 0], E[0], E[1], np.ones(5)), r"axis z of the frame must have shape \(4,\)"),
    ],
)
def test_bad_frames_are_refused(call, message):
    with pytest.raises(ModelError, match=message):
        call()


def moving(T, start=None):
    """t -> start exp(T t), with its body twist T."""
    start = SE3.identity() if start is None else start
    return lambda t: (start @ SE3.exp(np.multiply(T, t)), T)


def accelerating(t):
    return SE3(np.eye(3), np.array([t * t, 0, 0])), [0, 0, 0, 2 * t, 0, 0]


SYSTEM = pg.EuclideanSystem(
    {
        "train": moving([0, 0, 0, 30, 0, 0]),
        "ship": moving([0, 0, 0, 0, 8, 0], TURNED),
        "carousel": moving([0, 0, 1, 0, 0, 0]),
        "horse": moving([0, 0, 1, 0, 2, 0], SE3.from_parts(np.eye(3), [2, 0, 0])),  # fixed on the carousel
        "rocket": accelerating,
    },
    inertial="ground",
)


def test_only_uniform_translations_are_inertially_equivalent():
    assert SYSTEM.inertial_spaces(TIMES) == ("ground", "train", "ship")
    assert SYSTEM.inertially_equivalent("train", "ship", TIMES)
    assert SYSTEM.inertially_equivalent("ship", "train", TIMES)
    assert not SYSTEM.inertially_equivalent("ground", "carousel", TIMES)
    assert not SYSTEM.inertially_equivalent("rocket", "train", TIMES)


def test_what_turns_together_is_equivalent_too():
    assert SYSTEM.inertially_equivalent("horse", "carousel", TIMES)


def test_relative_poses_compose_and_relative_twists_are_their_rates():
    t, h = 0.7, 1e-6
    assert_allclose(
        (SYSTEM.pose("ship", "ground", t) @ SYSTEM.pose("horse", "ship", t)).X.matrix,
        SYSTEM.pose("horse", "ground", t).X.matrix,
        atol=1e-13,
    )
    before, after = (SYSTEM.pose("ship", "horse", t + s).X for s in (-h, h))
    rate = SE3.vee((after.matrix - before.matrix) / (2 * h) @ SYSTEM.pose("ship", "horse", t).X.inverse().matrix)
    twist = SYSTEM.twist("ship", "horse", t)
    assert_allclose(twist.vector, rate, rtol=1e-8, atol=1e-8)
    assert (twist.of, twist.wrt, twist.frame) == ("ship", "horse", "horse")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: SYSTEM.pose("plane", "ship", 0.0), "no space 'plane' in the system; there are: ground, train"),
        (lambda: SYSTEM.inertially_equivalent("ship", "train", [0.0]), "two times or more, got 1"),
        (lambda: pg.EuclideanSystem({"a": accelerating}, inertial="a"), "inertial space 'a' has a motion"),
        (
            lambda: pg.EuclideanSystem({"a": lambda t: (SE3.identity(), [0, 0])}).twist("a", "inertial", 0.0),
            r"twist of 'a' must have shape \(6,\)",
        ),
    ],
)
def test_bad_systems_of_spaces_are_refused(call, message):
    with pytest.raises(ModelError, match=message):
        call()
