"""How a sensor is mounted and its bias, from poses at rest."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva import ModelError
from visviva.copter.estimation import calibrate_misalignment
from visviva.geometry import SO3

g = 9.8107
R_B, a_B = SO3.exp([0.03, -0.05, 0.08]).R, np.array([0.25, -0.2, 0.25])  # |a_B| = 0.41


def poses(n, noise=0.0, seed=0):
    """Attitudes in all directions, and means of the accelerometer."""
    rng = np.random.default_rng(seed)
    R = SO3.from_quat(rng.normal(size=(n, 4))).R
    return R, (R_B @ (g * R[:, 2, :, None]))[..., 0] + a_B + noise * rng.normal(size=(n, 3))


def angle_between(A, B):
    return np.linalg.norm(SO3(A.T @ B).log())


def test_without_noise_both_are_exact():
    for n in (3, 4, 20):
        found = calibrate_misalignment(*poses(n, seed=n), g)
        assert angle_between(found.R_B, R_B) < 1e-10
        assert_allclose(found.a_B, a_B, atol=1e-10)  # +a_B of the printed cost gives -a_B
        assert_allclose(found.residuals, 0, atol=1e-10)
        assert found.angle == pytest.approx(np.linalg.norm([0.03, -0.05, 0.08]))


@pytest.mark.parametrize("seed", range(20))
def test_twenty_poses_with_noise(seed):
    R, a = poses(20, 1e-3, seed)
    found = calibrate_misalignment(R, a, g)
    assert angle_between(found.R_B, R_B) < np.radians(0.02)
    assert np.abs(found.a_B - a_B).max() < 1e-3
    assert np.abs(found.compensated / g - 1).max() < 0.002
    assert 0.025 < np.abs(found.raw / g - 1).max() < 0.05


def test_it_minimises_the_squares():
    """Neither a turn nor a shift makes them smaller, with noise far larger than what is linear."""
    R, a = poses(6, 0.5)
    found = calibrate_misalignment(R, a, g)

    def cost(turn, shift):
        e = a - (found.R_B @ SO3.exp(turn).R @ (g * R[:, 2, :, None]))[..., 0] - (found.a_B + shift)
        return (e**2).sum()

    assert cost(np.zeros(3), np.zeros(3)) == pytest.approx((found.residuals**2).sum())
    for d in 1e-3 * np.vstack([np.eye(3), -np.eye(3)]):
        assert cost(d, np.zeros(3)) > cost(np.zeros(3), np.zeros(3)) < cost(np.zeros(3), d)


def test_measurements_in_axes_of_the_vehicle():
    R, a = poses(20)
    found = calibrate_misalignment(R, a, g)
    assert_allclose(found.aligned(a) - found.bias, g * R[:, 2, :], atol=1e-9)
    assert_allclose(found.compensated_gravity(R, a), np.tile([0, 0, -g], (20, 1)), atol=1e-9)


def test_poses_that_do_not_tell_are_refused():
    about_z = SO3.exp(np.outer(np.linspace(0, 3, 8), [0, 0, 1])).R
    with pytest.raises(ModelError, match="turned about other horizontal axes"):
        calibrate_misalignment(about_z, np.tile([0.1, 0.2, 9.8], (8, 1)), g)
    R, a = poses(5)
    with pytest.raises(ModelError, match="at least 3 poses"):
        calibrate_misalignment(R[:2], a[:2], g)
    with pytest.raises(ModelError, match="not a rotation"):
        calibrate_misalignment(1.1 * R, a, g)
    with pytest.raises(ModelError, match="finite"):
        calibrate_misalignment(R, np.where(a > 5, np.nan, a), g)
    with pytest.raises(ModelError, match="shape"):
        calibrate_misalignment(R, a[:4], g)
    with pytest.raises(ModelError, match="positive"):
        calibrate_misalignment(R, a, -g)


@pytest.mark.parametrize("n", [3, 20])
def test_units_signs_and_transposed_attitudes_are_named(n):
    """Of any of them a best R_B and a_B can be found, in a plane of three poses even without residuals."""
    R, a = poses(n, 1e-3, 2)
    transposed = np.swapaxes(R, 1, 2)
    for wrong, cause in (
        ((R, a / g), r"units of g: multiply them by 9\.8107"),
        ((R, -a), r"opposite sign, as in axes that point down \(NED, FRD\)"),
        ((transposed, a), "Attitudes are transposed: columns"),
        ((transposed, -a), "Attitudes are transposed, and"),
        ((R, -a / g), r"with the opposite sign: multiply them by -9\.8107"),
    ):
        with pytest.raises(ModelError, match=rf"not those of one sensor at rest.*\n.*{cause}"):
            calibrate_misalignment(*wrong, g)
    if n > 3:
        with pytest.raises(ModelError, match="same order"):
            calibrate_misalignment(R, np.roll(a, 1, axis=0), g)
        assert_allclose(calibrate_misalignment(R, a + 3, g).a_B, a_B + 3, atol=2e-3)  # large, and without residuals


def test_logs_in_north_east_down_are_turned():
    """q of FRD in NED, accelerations in FRD, at rest -g along z: diag(1, -1, -1) on both sides and of each vector."""
    down = np.diag([1.0, -1.0, -1.0])
    R, a = poses(20, seed=3)
    q = SO3(down @ R @ down).as_quat()
    level = SO3.exp([0.0, 0.0, 0.5]).R  # heading to the north east, nose first
    assert_allclose(level @ [1.0, 0, 0] * [1, -1, -1], [np.cos(0.5), -np.sin(0.5), 0], atol=1e-15)
    told = SO3.from_quat(q).R * np.outer([1, -1, -1], [1, -1, -1]), a @ down * [1, -1, -1]
    assert_allclose(calibrate_misalignment(*told, g).R_B, R_B, atol=1e-9)
    with pytest.raises(ModelError, match="NED"):
        calibrate_misalignment(SO3.from_quat(q).R, a @ down, g)
