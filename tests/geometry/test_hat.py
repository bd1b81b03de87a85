from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.errors import ModelError
from visviva.geometry import skew, skew2, vee, vee2
from visviva.geometry.hat import isotropic


@pytest.fixture
def w():
    return np.random.default_rng(0).normal(size=(2, 5, 3))


def test_skew_is_the_cross_product(w):
    u = np.array([0.3, -1.0, 2.0])
    assert_allclose(skew(w) @ u, np.cross(w, u))


def test_vee_inverts_skew_and_takes_the_skew_part(w):
    assert_allclose(vee(skew(w)), w)
    assert_allclose(vee(skew(w) + np.ones((3, 3))), w)


def test_skew2_is_a_quarter_turn():
    assert_allclose(skew2([2.0, -1.0]) @ [1.0, 0.0], [[0.0, 2.0], [0.0, -1.0]])
    assert_allclose(vee2(skew2([2.0, -1.0])), [2.0, -1.0])


def test_isotropic_is_its_formula(w):
    wwT = w[..., :, None] * w[..., None, :]
    assert_allclose(isotropic(2.0, 3.0, 5.0, w), 2 * np.eye(3) + 3 * skew(w) + 5 * wwT)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: skew([1.0, 2.0]), r"skew takes vectors of 3 numbers in the last axis, got shape \(2,\)"),
        (lambda: vee(np.eye(2)), r"vee takes matrices \(..., 3, 3\), got shape \(2, 2\)"),
        (lambda: vee2(np.eye(3)), r"vee2 takes matrices \(..., 2, 2\), got shape \(3, 3\)"),
    ],
)
def test_wrong_shapes_are_refused(call, message):
    with pytest.raises(ModelError, match=message):
        call()
