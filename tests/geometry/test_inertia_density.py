"""Bodies by their density."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.errors import ModelError

density = vv.inertia.density


def cylindrical(s):
    r, angle, z = s.T
    return np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)


def test_a_homogeneous_box():
    found = density(lambda x: 1000.0, (4, 0, -1), (5, 2, 2))
    expected = vv.inertia.box(density=1000.0, size=(1, 2, 3)).moved(at=(4.5, 1, 0.5))
    assert_allclose(found.matrix(), expected.matrix(), rtol=1e-12)


def test_a_homogeneous_cylinder_by_a_chart():
    found = density(lambda x: 500.0, (0, 0, -0.5), (0.2, 2 * np.pi, 0.5), chart=cylindrical)
    expected = vv.inertia.cylinder(density=500.0, radius=0.2, length=1.0)
    assert_allclose(found.matrix(), expected.matrix(), rtol=1e-9, atol=1e-9)


def test_a_density_that_changes():
    """ρ = e^{-x} on the unit cube: m = 1 - 1/e, c_x = (1 - 2/e)/m, ∫x²ρ = 2 - 5/e."""
    e = np.exp(-1)
    found = density(lambda x: np.exp(-x[:, 0]), (0, 0, 0), (1, 1, 1))
    m = 1 - e
    c = (1 - 2 * e) / m
    assert found.mass == pytest.approx(m, rel=1e-13)
    assert_allclose(found.com, [c, 0.5, 0.5], rtol=1e-13)
    square, side = 2 - 5 * e - m * c * c, m / 12
    assert_allclose(found.J, np.diag([2 * side, square + side, square + side]), atol=1e-14)


def test_the_centre_of_mass_is_where_the_tensor_is_about():
    """ρ = 1 + x y on the unit cube: m = 5/4, c = (8/15, 8/15, 1/2), ∫x²ρ = 11/24, ∫xyρ = 13/36, ∫xzρ = 1/3."""
    found = density(lambda x: 1 + x[:, 0] * x[:, 1], (0, 0, 0), (1, 1, 1))
    m, c = 1.25, np.array([8 / 15, 8 / 15, 0.5])
    about_corner = np.array([[11 / 24, 13 / 36, 1 / 3], [13 / 36, 11 / 24, 1 / 3], [1 / 3, 1 / 3, 5 / 12]])
    second = about_corner - m * np.outer(c, c)
    assert found.mass == pytest.approx(m, rel=1e-14)
    assert_allclose(found.com, c, rtol=1e-14)
    assert_allclose(found.J, np.trace(second) * np.eye(3) - second, atol=1e-14)


def test_a_far_body_keeps_its_digits():
    found = density(lambda x: 1.0, (1e4, 0, 0), (1e4 + 1, 1, 1))
    assert_allclose(found.J, np.eye(3) / 6, atol=1e-10)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: density(lambda x: (np.linalg.norm(x, axis=1) < 0.5) * 1.0, [-1] * 3, [1] * 3), "jumps, or the chart"),
        (lambda: density(lambda x: 0.0, [0] * 3, [1] * 3), "the body has no mass"),
        (lambda: density(lambda x: x[:, 0] - 0.5, [0] * 3, [1] * 3), "density is negative at"),
        (lambda: density(lambda x: x, [0] * 3, [1] * 3), r"density must return shape \(4096,\) for 4096 places"),
        (lambda: density(lambda x: np.nan, [0] * 3, [1] * 3), "density must be finite"),
        (lambda: density(lambda x: 1.0, [0] * 3, [1, 0, 1]), "has no volume"),
        (lambda: density(lambda x: 1.0, [0] * 3, [1] * 3, chart=lambda s: s[:, :2]), "chart must return shape"),
    ],
)
def test_bad_densities_are_refused(call, message):
    with pytest.raises(ModelError, match=message):
        call()
