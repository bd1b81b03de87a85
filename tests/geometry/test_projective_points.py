"""Points of P³ and free vectors: representatives, differences, products, and what the printed product gets wrong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from visviva.errors import ModelError
from visviva.geometry import projective as pg

rng = np.random.default_rng(0)
numbers = st.floats(-1e3, 1e3).map(lambda x: 0.0 if abs(x) < 1e-6 else x)
places = arrays(np.float64, 3, elements=numbers)
factors = st.sampled_from([1.0, -1.0, 3.0, -1e-3, 1e-8, -1e5])


@given(x=places, y=places, z=places, a=factors, b=factors)
def test_differences_do_not_depend_on_representatives_and_add_up(x, y, z, a, b):
    p, q, r = (pg.point(c) for c in (x, y, z))
    scale = 1 + np.abs([x, y, z]).max()
    d = pg.difference(a * p, b * q)
    assert_allclose(d, [*(x - y), 0], rtol=0, atol=1e-14 * scale)
    assert d[3] == 0
    assert_allclose(pg.difference(p, q) + pg.difference(q, r), pg.difference(p, r), atol=1e-14 * scale)


@given(x=places, a=factors)
def test_sign_and_norm_of_a_representative(x, a):
    p = a * pg.point(x)
    assert pg.sigma(p) == np.sign(a)
    assert pg.p_norm(p) == abs(a)
    assert_allclose(pg.p_norm(p) ** 2, p @ pg.polarity() @ p, rtol=1e-14)
    assert_allclose(pg.normalised(p), pg.point(x), rtol=1e-14)
    assert_allclose(pg.cartesian(p), x, rtol=1e-14)
    assert pg.same_point(p, pg.point(x))
    assert not pg.is_infinite(p)


def test_infinite_points_have_no_sign_and_no_norm():
    p = pg.infinite_point([[1, 2, 3], [0, 0, -1]])
    assert pg.is_infinite(p).all()
    assert_allclose(pg.sigma(p), 0)
    assert_allclose(pg.p_norm(p), 0)


def test_regularised_polarities_are_adjoint():
    assert_allclose(pg.adjoint_polarity(1e-3) @ pg.polarity(1e-3), 1e-3 * np.eye(4))
    assert_allclose(pg.adjoint_polarity() @ pg.polarity(), 0)


@pytest.mark.parametrize(
    ("p", "q", "same"),
    [
        ([1e6, 0, 0, 1], [1e6, 1e-3, 0, 1], False),  # a millimetre, a thousand kilometres away
        ([1e6, 0, 0, 1], [2e6, 0, 0, 2], True),
        ([1, 0, 0, 0], [-2, 0, 0, 0], True),
        ([1, 0, 0, 0], [1, 1e-6, 0, 0], False),
        ([1, 0, 0, 0], [1, 0, 0, 1], False),
        ([0, 0, 0, 1], [0, 0, 0, -3], True),
    ],
)
def test_points_are_equal_up_to_a_factor(p, q, same):
    assert pg.same_point(p, q) == same


@given(u=places, v=places, w=places, a=factors, offset=numbers)
def test_the_scalar_product_is_bilinear_and_independent_of_the_hyperplane(u, v, w, a, offset):
    x, y, z = (pg.free_vector(c) for c in (u, v, w))
    scale = 1 + np.abs([u, v, w]).max()
    assert_allclose(pg.scalar_product(x, y), u @ v, atol=1e-12 * scale**2)
    left = pg.scalar_product(a * x + z, y)
    right = a * pg.scalar_product(x, y) + pg.scalar_product(z, y)
    assert_allclose(left, right, atol=1e-12 * max(1, abs(a)) * scale**2)
    h, k = pg.polar_plane(x, offset), pg.polar_plane(y)
    assert_allclose(h @ pg.adjoint_polarity() @ k, pg.scalar_product(x, y), atol=1e-12 * scale**2)
    assert_allclose(pg.adjoint_polarity() @ h, x)


def test_with_the_printed_root_the_product_is_not_bilinear():
    """(6) as printed: √(h₁ᵀ Q h₂). It does not exist for v₂ = -v₁, and is not linear elsewhere."""

    def printed(v, w):
        return np.sqrt(pg.polar_plane(v) @ pg.adjoint_polarity() @ pg.polar_plane(w))

    v, w = pg.free_vector([1, 2, 3]), pg.free_vector([2, 0, 1])
    with pytest.warns(RuntimeWarning, match="invalid value"):
        assert np.isnan(printed(v, -v))
    assert abs(printed(2 * v, w) - 2 * printed(v, w)) > 0.5
    assert pg.scalar_product(v, -v) == -14
    assert pg.scalar_product(2 * v, w) == 2 * pg.scalar_product(v, w)
    assert pg.norm(v) == pytest.approx(np.sqrt(14))


def test_orientation_and_vector_product():
    e = pg.free_vector(np.eye(3))
    assert pg.orientation(*e) == 1
    assert pg.orientation(e[1], e[0], e[2]) == -1
    assert_allclose(pg.vector_product(e[0], e[1]), e[2])
    x, y, z = pg.free_vector(rng.normal(size=(3, 7, 3)))
    assert_allclose(pg.orientation(x, y, z), pg.scalar_product(pg.vector_product(x, y), z))
    assert_allclose(pg.orientation(x, y, z), np.linalg.det(np.stack([x, y, z], axis=-1)[:, :3]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pg.difference([1, 2, 3, 1], [1, 0, 0, 0]), r"point is at infinity.*\nGive a finite point"),
        (lambda: pg.normalised([[1, 2, 3, 1], [1, 0, 0, 0]]), r"point \(number 1 of the batch\) is at infinity"),
        (lambda: pg.cartesian(pg.infinite_point([1, 0, 0])), "point is at infinity"),
        (lambda: pg.sigma([0, 0, 0, 0]), "point is the zero of R⁴"),
        (lambda: pg.point([1, 2]), r"point must have shape \(3,\)"),
        (lambda: pg.p_norm([1, np.nan, 0, 1]), "point must be finite"),
        (lambda: pg.infinite_point([0, 0, 0]), "direction is zero"),
        (lambda: pg.scalar_product([1, 2, 3, 1], [1, 0, 0, 0]), "free vector has a last coordinate other than 0"),
    ],
)
def test_bad_points_are_refused(call, message):
    with pytest.raises(ModelError, match=message):
        call()
