import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.errors import ModelError
from visviva.forms.rigid.damping import Damping
from visviva.forms.rigid.moments import Moments
from visviva.geometry.se3 import SE3

D = np.array([0.5, 1.0, 2.0, 0.7])
POINTS = np.array([[1.0, 0, 0.2], [0, 1.0, 0], [0.3, 0.3, 1.0], [-0.4, 0.1, 0.6]])


def drag(X, V, velocity):
    """Generalised force ∂R/∂V of R = ½ Σ d |ṙ - v|², point by point, with v at its place (N, 3)."""
    relative = V[3:] + np.cross(V[:3], POINTS) - velocity @ X.R
    forces = D[:, None] * relative
    return np.concatenate([np.cross(POINTS, forces).sum(axis=0), forces.sum(axis=0)])


def wind(t, r):
    return np.column_stack([np.sin(r[:, 1] + t), r[:, 0] ** 2, 0.3 * r[:, 2]])


def test_points_in_any_fluid():
    """Konz (3.74) with the sign of its angular part corrected."""
    X, V = SE3.exp([0.4, -0.3, 0.8, 1.0, 2.0, 3.0]), np.array([0.1, -0.2, 0.5, 1.0, 0.4, -0.6])
    damping = Damping.of_points("ground", "body", D, POINTS, wind)
    there = POINTS @ X.R.T + X.r
    f = damping.moments.spatial() @ V - damping.stream(0.7, X)
    assert_allclose(f, drag(X, V, wind(0.7, there)), atol=1e-13)
    as_printed = f - 2 * np.concatenate([-damping.stream(0.7, X)[:3], np.zeros(3)])
    assert np.abs(as_printed - drag(X, V, wind(0.7, there))).max() > 1


def test_a_fluid_that_turns_and_shifts():
    """Konz (3.76): D ξ_E, of the same velocity field point by point."""
    rng = np.random.default_rng(0)
    X, V, V_F = SE3.exp(rng.normal(size=6)), rng.normal(size=6), rng.normal(size=6)
    damping = Damping.in_stream("ground", "body", Moments.from_points(D, POINTS), V_F)
    there = POINTS @ X.R.T + X.r
    expected = drag(X, V, V_F[3:] + np.cross(V_F[:3], there))
    assert_allclose(damping.moments.spatial() @ V - damping.stream(0.0, X), expected, atol=1e-12)
    # the text's form: a fluid frame R with body twist V_R, V_E = V - Ad(X_R⁻¹ X)⁻¹ V_R
    X_R, V_R = SE3.exp(rng.normal(size=6)), rng.normal(size=6)
    moved = Damping.in_stream("ground", "body", damping.moments, lambda t: X_R.Ad() @ V_R)
    V_E = V - (X_R.inverse() @ X).inverse().Ad() @ V_R
    found = damping.moments.spatial() @ V - moved.stream(0.0, X)
    assert_allclose(found, damping.moments.spatial() @ V_E, atol=1e-12)


def test_joint_friction_about_one_axis_is_a_damping():
    """Υ = diag(0, 0, 1) has no points: no triangle inequality is asked of it, as of masses."""
    friction = Damping("a", "b", Moments.from_parts(0.0, moment=(0, 0, 1)))
    assert_allclose(friction.moments.spatial(), np.diag([0, 0, 1, 0, 0, 0]), atol=1e-16)


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda: Damping("a", "b", Moments.from_parts(-1.0)), "damping of 'b' against 'a' is indefinite"),
        (lambda: Damping("a", "b", Moments.from_parts(1.0, (0, 0, 1), (0.5, 2, 1))), "indefinite"),
        (lambda: Damping("a", "a", Moments.from_parts(1.0)), "against itself"),
        (lambda: Damping.in_stream("a", "b", Moments.from_parts(1.0), [1, 2]), "twist of the fluid about 'b'"),
    ],
)
def test_wrong_dampings_are_refused(make, found):
    with pytest.raises(ModelError, match=found):
        make()


def test_a_velocity_field_of_wrong_shape_is_refused():
    damping = Damping.of_points("a", "b", D, POINTS, lambda t, r: np.zeros(3))
    with pytest.raises(ModelError, match=r"velocity of the fluid at the points of 'b' must have shape \(4, 3\)"):
        damping.stream(0.0, SE3.identity())
