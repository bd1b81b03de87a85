"""SO(2) and SO(3): half turns, quaternions, Euler angles, SciPy, and matrices that are no rotations."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from visviva.errors import ModelError
from visviva.geometry import SO2, SO3, LogBranch


@pytest.mark.parametrize("axis", [(1, 0, 0), (-1, 0, 0), (0, -1, 0), (0, 0, 1), (1, -2, 2), (0, -3, 4), (-1, 1, -1)])
def test_log_of_a_half_turn_takes_the_axis_with_a_positive_first_component(axis):
    n = np.array(axis) / np.linalg.norm(axis)
    wanted = np.pi * n * np.sign(n[np.flatnonzero(n)[0]])
    for sign in (1, -1):
        w, branch = SO3.exp(sign * np.pi * n).log_with_branch()
        assert_allclose(w, wanted, atol=1e-14)
        assert branch == LogBranch.HALF_TURN


def test_log_with_branch_says_which_elements_of_a_batch_were_half_turns():
    w = np.array([[0.0, 0.0, 3.0], [0.0, -np.pi, 0.0], [0.0, 0.0, 0.0]])
    got, branch = SO3.exp(w).log_with_branch()
    assert branch.tolist() == [LogBranch.PRINCIPAL, LogBranch.HALF_TURN, LogBranch.PRINCIPAL]
    assert_allclose(got, np.abs(w), atol=1e-14)


def test_log_of_a_plane_half_turn_is_plus_pi():
    angle, branch = SO2.exp([[np.pi], [-np.pi], [1.0]]).log_with_branch()
    assert_allclose(angle[:, 0], [np.pi, np.pi, 1.0])
    assert branch.tolist() == [LogBranch.HALF_TURN, LogBranch.HALF_TURN, LogBranch.PRINCIPAL]


def test_log_takes_the_shorter_way_round():
    assert_allclose(SO3.exp([0, 0, 1.5 * np.pi]).log(), [0, 0, -0.5 * np.pi], atol=1e-15)


@pytest.mark.parametrize(
    ("rotation", "message"),
    [
        (SO3(np.diag([1.0, -1.0, -1.0])), r"SO3.cay_inv: the element is a half turn.*\nUse log\(\)"),
        (SO3(np.tile(np.diag([-1.0, -1.0, 1.0]), (2, 1, 1))), "SO3.cay_inv: 2 elements are half turns"),
        (SO2(-np.eye(2)), "SO2.cay_inv: the element is a half turn"),
    ],
)
def test_half_turns_have_no_cayley_vector(rotation, message):
    with pytest.raises(ModelError, match=message):
        rotation.cay_inv()


def test_quaternions_are_scalar_first_and_agree_with_scipy():
    R = SO3.exp(np.random.default_rng(0).normal(size=(20, 3)))
    w, x, y, z = np.moveaxis(R.as_quat(), -1, 0)
    xyzw = np.stack([x, y, z, w], axis=-1)
    assert (w >= 0).all()
    assert_allclose(Rotation.from_quat(xyzw).as_matrix(), R.matrix, atol=1e-15)
    assert_allclose(SO3.from_quat(-3 * R.as_quat()).matrix, R.matrix, atol=1e-15)
    assert_allclose(SO3.from_quat([np.cos(0.2), 0, 0, np.sin(0.2)]).log(), [0, 0, 0.4])


def test_euler_angles_are_those_of_scipy():
    angles = np.array([0.3, -0.2, 0.9])
    z, y, x = (SO3.exp(angle * axis) for angle, axis in zip(angles, np.eye(3)[::-1], strict=True))
    assert_allclose(SO3.from_euler("ZYX", angles).matrix, (z @ y @ x).matrix, atol=1e-15)
    assert_allclose(SO3.from_euler("ZYX", angles).as_euler("ZYX"), angles)


def test_scipy_both_ways():
    R = SO3.exp(np.random.default_rng(1).normal(size=(4, 3)))
    assert_allclose(R.as_scipy().as_matrix(), R.matrix, atol=1e-15)
    assert_allclose(SO3.from_scipy(R.as_scipy()).matrix, R.matrix, atol=1e-15)


def test_act_broadcasts():
    R = SO3.exp(np.random.default_rng(1).normal(size=(4, 1, 3)))
    points = np.random.default_rng(2).normal(size=(7, 3))
    assert_allclose(R.act(points), np.einsum("nij,mj->nmi", R.matrix[:, 0], points))
    assert_allclose(SO2.exp([np.pi / 2]).act([1.0, 0.0]), [0.0, 1.0], atol=1e-16)


@pytest.mark.parametrize("group", [SO2, SO3])
def test_nearest_repairs_a_nearly_orthogonal_matrix(group):
    rng = np.random.default_rng(4)
    R = group.exp(rng.normal(size=(6, group.dim)))
    repaired = group.nearest(R.matrix + 1e-4 * rng.normal(size=R.matrix.shape))
    group.from_matrix(repaired.matrix)
    assert_allclose(repaired.matrix, R.matrix, atol=5e-4)


def test_nearest_of_a_rotation_is_itself_and_minimises_the_distance():
    rng = np.random.default_rng(5)
    M = rng.normal(size=(3, 3))
    distance = np.linalg.norm(SO3.nearest(M).matrix - M)
    others = SO3.nearest(M) @ SO3.exp(0.1 * rng.normal(size=(100, 3)))
    assert (np.linalg.norm(others.matrix - M, axis=(1, 2)) >= distance).all()


SKEWED = np.array([[1.0, 0.01, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: SO3.from_matrix(SKEWED, name="R_WB"),
            r"R_WB is not a rotation: RᵀR differs .* by 1.0e-02.*\n.*SO3.nearest",
        ),
        (lambda: SO3.from_matrix([np.eye(3), SKEWED]), r"rotation matrix\[1\] is not a rotation"),
        (
            lambda: SO3.from_matrix(np.diag([1.0, 1.0, -1.0])),
            r"is a reflection: its determinant is -1.*\n.*SO3.nearest",
        ),
        (lambda: SO2.from_matrix(np.diag([1.0, -1.0]), name="turn"), r"turn is a reflection.*\n.*SO2.nearest"),
        (lambda: SO3.from_matrix(np.full((3, 3), np.nan)), "rotation matrix must be finite"),
        (lambda: SO3.from_matrix(np.eye(4)), r"rotation matrix must have shape \(3, 3\), got \(4, 4\)"),
        (lambda: SO3.from_matrix("R"), "rotation matrix must be numbers"),
        (
            lambda: SO3.nearest(np.zeros((3, 3)), name="R_WB"),
            "R_WB has no single nearest rotation: its singular values",
        ),
        (lambda: SO3.nearest([np.eye(3), -np.eye(3)]), r"matrix\[1\] has no single nearest rotation"),
        (lambda: SO3.from_quat([0.0, 0, 0, 0], name="q"), "q is zero: no rotation"),
        (lambda: SO3.from_quat([1.0, 0, 0]), r"quaternion must have shape \(4,\)"),
        (lambda: SO3.from_euler("ZYQ", [0, 0, 0]), "Euler axes 'ZYQ'"),
        (lambda: SO3.identity().as_euler("Z"), "Euler axes 'Z'"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ModelError, match=message):
        call()
