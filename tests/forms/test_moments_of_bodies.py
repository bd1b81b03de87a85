import numpy as np
import pytest

from visviva.errors import ModelError
from visviva.forms.rigid.moments import Moments
from visviva.geometry.inertia import Inertia


def test_moments_of_points_are_those_of_the_body_they_make():
    rng = np.random.default_rng(1)
    m, h = rng.uniform(0.5, 2.0, 5), rng.normal(size=(5, 3))
    moments = Moments.from_points(m, h)
    com = m @ h / m.sum()
    J = sum(w * ((d @ d) * np.eye(3) - np.outer(d, d)) for w, d in zip(m, h - com, strict=True))
    body = Inertia(m.sum(), J, com)
    np.testing.assert_allclose(moments.spatial(), body.matrix(), atol=1e-13)
    np.testing.assert_allclose(Moments.from_inertia(body).matrix, moments.matrix, atol=1e-13)
    theta = body.matrix()[:3, :3]
    np.testing.assert_allclose(Moments.from_parts(m.sum(), com, theta).matrix, moments.matrix, atol=1e-13)


def test_quadratic_form_is_the_sum_over_points():
    rng = np.random.default_rng(2)
    w, h, V = rng.uniform(0.5, 2.0, 4), rng.normal(size=(4, 3)), rng.normal(size=6)
    speeds = V[3:] + np.cross(V[:3], h)
    assert V @ Moments.from_points(w, h).spatial() @ V == pytest.approx(w @ (speeds**2).sum(axis=1))


def test_a_moment_without_a_total_has_no_centre_and_needs_none():
    torsion = Moments.from_parts(0.0, moment=(0.2, 0.3, 0.15))
    assert torsion.total == 0.0
    np.testing.assert_array_equal(torsion.first, np.zeros(3))
    np.testing.assert_allclose(torsion.spatial(), np.diag([0.2, 0.3, 0.15, 0, 0, 0]), atol=1e-16)


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda: Moments(np.eye(3)), r"must have shape \(4, 4\), got \(3, 3\)"),
        (lambda: Moments(np.triu(np.ones((4, 4)))), "not symmetric"),
        (lambda: Moments(np.full((4, 4), np.nan)), "must be finite"),
        (lambda: Moments.from_points([1.0, 2.0], [[0, 0, 0]]), "2 weights"),
        (lambda: Moments.from_parts(1.0, moment=np.ones(4)), r"\(3,\) or \(3, 3\)"),
    ],
)
def test_wrong_moments_are_refused(make, found):
    with pytest.raises(ModelError, match=found):
        make()
