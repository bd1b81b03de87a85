from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from visviva.errors import ModelError
from visviva.geometry import (
    SE3,
    Momentum,
    Pose,
    Twist,
    Wrench,
    is_positive_isometry,
    power,
    seen_from_source,
    seen_from_target,
)

seeds = st.integers(0, 2**32 - 1)


def random_pose(seed, src, dst, shape=()):
    return Pose(SE3.exp(np.random.default_rng(seed).normal(size=(*shape, 6))), src=src, dst=dst)


def random_vector(seed, shape=()):
    return np.random.default_rng(seed).normal(size=(*shape, 6))


@given(seed=seeds)
def test_poses_compose_along_their_frames(seed):
    X_WB, X_BC = random_pose(seed, "B", "W"), random_pose(seed + 1, "C", "B")
    X_WC = X_WB @ X_BC
    assert (X_WC.src, X_WC.dst) == ("C", "W")
    p_C = np.array([1.0, -2.0, 0.5])
    assert_allclose(X_WC.act(p_C), X_WB.act(X_BC.act(p_C)), atol=1e-12)
    one = X_WC @ X_WC.inverse()
    assert (one.src, one.dst) == ("W", "W")
    assert_allclose(one.X.matrix, np.eye(4), atol=1e-12)


@given(seed=seeds)
def test_power_is_the_same_in_every_frame(seed):
    X_WB = random_pose(seed, "B", "W")
    V = Twist(random_vector(seed + 1), of="arm", wrt="ground", frame="B")
    F = Wrench(random_vector(seed + 2), on="arm", frame="B")
    assert_allclose(power(F.in_frame(X_WB), V.in_frame(X_WB)), power(F, V), atol=1e-11)


@given(seed=seeds)
def test_velocity_of_a_point_does_not_depend_on_the_frame(seed):
    X_WB = random_pose(seed, "B", "W")
    V = Twist(random_vector(seed + 1), of="arm", wrt="ground", frame="B")
    p_B = np.array([0.3, 0.1, -2.0])
    v_W = V.in_frame(X_WB).velocity_at(X_WB.act(p_B))
    assert_allclose(v_W, X_WB.X.rotation.act(V.velocity_at(p_B)), atol=1e-11)


def test_body_and_spatial_twist_are_the_two_derivatives_of_a_pose():
    """T̂ = H⁻¹ dH/dt in the moving frame, dH/dt H⁻¹ in the fixed one."""
    X, xi, h = random_pose(0, "B", "W"), random_vector(1), 1e-6
    rate = ((X.X @ SE3.exp(h * xi)).matrix - (X.X @ SE3.exp(-h * xi)).matrix) / (2 * h)
    body = Twist(xi, of="B", wrt="W", frame="B")
    assert_allclose(SE3.hat(body.vector), X.X.inverse().matrix @ rate, atol=1e-8)
    assert_allclose(SE3.hat(body.in_frame(X).vector), rate @ X.X.inverse().matrix, atol=1e-8)


def test_twists_add_along_a_chain_in_either_order():
    ab = Twist(random_vector(0), of="A", wrt="B", frame="W")
    bc = Twist(random_vector(1), of="B", wrt="C", frame="W")
    for ac in (ab + bc, bc + ab):
        assert (ac.of, ac.wrt, ac.frame) == ("A", "C", "W")
        assert_allclose(ac.vector, ab.vector + bc.vector)
    ba = -ab
    assert (ba.of, ba.wrt) == ("B", "A")
    assert_allclose((ab + ba).vector, 0)


def test_momenta_change_frames_like_wrenches_and_batches_broadcast():
    X = random_pose(0, "B", "W", shape=(4,))
    F, P = random_vector(1), random_vector(1, (4,))
    assert_allclose(Wrench(F, "arm", "B").in_frame(X).vector, np.stack([X.X.coAd()[i] @ F for i in range(4)]))
    moved = Momentum(P, "arm", "B").in_frame(X)
    assert_allclose(moved.in_frame(X.inverse()).vector, P, atol=1e-12)
    assert moved.frame == "W"


def test_loads_and_momenta_of_one_body_add():
    a, b = random_vector(0), random_vector(1)
    assert_allclose((Wrench(a, "arm", "W") + Wrench(b, "arm", "W")).vector, a + b)
    assert_allclose((Momentum(a, "arm", "W") + Momentum(b, "arm", "W")).vector, a + b)


def test_identification_with_a_group_depends_on_the_reference():
    h, r, other = (random_pose(seed, "i", "j") for seed in (0, 1, 2))
    source, target = seen_from_source(h, r), seen_from_target(h, r)
    assert (source.src, source.dst, target.src, target.dst) == ("i", "i", "j", "j")
    assert_allclose((r @ source).X.matrix, h.X.matrix, atol=1e-14)
    assert_allclose((target @ r).X.matrix, h.X.matrix, atol=1e-14)
    for identify in (seen_from_source, seen_from_target):
        assert np.abs(identify(h, r).X.matrix - identify(h, other).X.matrix).max() > 0.1
        assert_allclose(identify(r, r).X.matrix, np.eye(4), atol=1e-14)


def test_positive_isometries_are_the_displacements():
    maps = np.tile(np.eye(4), (5, 1, 1))
    maps[0] = random_pose(0, "B", "W").X.matrix
    maps[1, 2, 2] = -1.0  # a reflection keeps distances only
    maps[2, :3, :3] *= -1.0  # so does the inversion
    maps[3, 0, 1] = 0.1  # a shear keeps volume only
    maps[4, 3, 0] = 0.1  # not affine
    assert is_positive_isometry(maps).tolist() == [True, False, False, False, False]


V = Twist(np.ones(6), of="arm", wrt="ground", frame="B")
F = Wrench(np.ones(6), on="arm", frame="B")
P = Momentum(np.ones(6), of="arm", frame="B")
X_WB = Pose(SE3.identity(), src="B", dst="W")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: X_WB @ X_WB, r"cannot compose 'B' -> 'W' with 'B' -> 'W': .* starts from 'B', .* ends in 'W'"),
        (
            lambda: V.in_frame(X_WB.inverse()),
            r"the twist of 'arm' is in frame 'B', the pose 'W' -> 'B' starts from 'W'",
        ),
        (lambda: F.in_frame(X_WB.inverse()), "the wrench on 'arm' is in frame 'B'"),
        (lambda: P.in_frame(X_WB.inverse()), "the momentum of 'arm' is in frame 'B'"),
        (lambda: V + V.in_frame(X_WB), "cannot add twists in different frames, 'B' and 'W'"),
        (lambda: V + V, r"cannot add the twist of 'arm' with respect to 'ground' .*\nTwists add along a chain"),
        (lambda: F + F.in_frame(X_WB), "cannot add wrenches in different frames"),
        (lambda: F + Wrench(np.ones(6), "leg", "B"), "cannot add wrenches of different bodies, 'arm' and 'leg'"),
        (lambda: P + P.in_frame(X_WB), "cannot add momenta in different frames"),
        (lambda: P + Momentum(np.ones(6), "leg", "B"), "cannot add momenta of different bodies"),
        (lambda: power(F, V.in_frame(X_WB)), "cannot pair a wrench and a twist in different frames, 'B' and 'W'"),
        (lambda: power(F, -V), "the wrench acts on 'arm', the twist is that of 'ground'"),
        (lambda: Twist([1, 2, 3], "arm", "ground", "B"), r"twist of 'arm' must have shape \(6,\)"),
        (lambda: Wrench(np.full(6, np.nan), "arm", "B"), "wrench on 'arm' must be finite"),
        (lambda: Momentum("p", "arm", "B"), "momentum of 'arm' must be numbers"),
        (lambda: X_WB.act([1, 2]), r"points in frame 'B' must have shape \(3,\)"),
        (lambda: V.velocity_at([np.nan, 0, 0]), "points in frame 'B' must be finite"),
        (lambda: seen_from_source(X_WB, X_WB.inverse()), "the reference 'W' -> 'B' does not fit the pose 'B' -> 'W'"),
        (lambda: seen_from_target(X_WB, X_WB.inverse()), "the reference 'W' -> 'B' does not fit"),
        (lambda: is_positive_isometry(np.eye(3)), r"affine map must have shape \(4, 4\)"),
    ],
)
def test_mismatches_are_refused_by_name(call, message):
    with pytest.raises(ModelError, match=message):
        call()
