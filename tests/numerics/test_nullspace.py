"""Row spaces: motions by some of their velocities, and rows taken in an order."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.numerics.nullspace import Inclusion, determined, inclusion
from visviva.numerics.rank import pivots, preferred_rows, unit_rows

RNG = np.random.default_rng(3)
Z = RNG.normal(size=(3, 7))
TWICE = np.vstack([Z, Z[0] - Z[2]])


@pytest.mark.parametrize("rows", [Z, TWICE], ids=["independent", "redundant"])
@pytest.mark.parametrize("units", [1.0, 1e-4, 1e5])
def test_an_inclusion_is_the_identity_of_what_is_kept_and_satisfies_all_rows(rows, units):
    rows = np.append(units, np.ones(len(rows) - 1))[:, None] * rows
    kept, driving = np.sort(pivots(rows)[3:]), rows @ RNG.normal(size=(7, 2))
    N = inclusion(rows, kept, driving)
    assert_allclose(N[kept], np.eye(4, 6), atol=0)
    left = rows @ N + np.hstack([np.zeros((len(rows), 4)), driving])
    assert_allclose(left / np.linalg.norm(rows, axis=1)[:, None], 0, atol=1e-12)
    assert_allclose(inclusion(rows, kept), N[:, :4], atol=1e-12)


def test_without_rows_everything_is_kept_and_without_columns_nothing_is_determined():
    assert_allclose(inclusion(np.zeros((0, 3)), np.arange(3)), np.eye(3))
    assert determined(np.zeros((2, 0)), np.ones((2, 4))).shape == (0, 4)


def test_preferred_rows_come_in_their_order_unless_they_repeat_others():
    rows = unit_rows(TWICE)[0]
    assert preferred_rows(rows, 3) == [0, 1, 2]
    assert set(preferred_rows(rows, 3, [3, 2, 1, 0])) == {3, 2, 1}
    nearly = np.vstack([rows[0], rows[0] + 1e-6 * rows[1], rows[1]])
    assert set(preferred_rows(nearly, 2)) == {0, 2}


@pytest.mark.parametrize("L", [1e-9, 1.0, 1e9])
def test_an_inclusion_is_exact_in_the_units_of_what_it_gives(L):
    """A wheel of radius L on a rack, and one that it drives: the shift is L times an angle, to rounding of L."""
    Z, units = np.array([[2.0, 1.0, 0.0], [0.3 * L, 0.0, -1.0], [0.3 * L, 0.0, -1.0]]), np.array([1.0, 1.0, L])
    N = inclusion(Z, np.array([0]), units=units)
    assert_allclose(N[:, 0], [1.0, -2.0, 0.3 * L], rtol=1e-14)
    found = Inclusion(Z, np.array([0]), units, np.linalg.norm(Z * units, axis=1))
    assert_allclose(found.N, N, rtol=1e-14)
    x = found.following(np.array([1.0, L, L]))
    assert_allclose(x, [0.0, 1.0, -L], rtol=1e-14)
    assert_allclose(determined(Z[:, 1:], Z[:, :1], units[1:]), -N[1:], rtol=1e-14)


def test_an_inclusion_tells_columns_that_depend_on_each_other():
    Z = np.array([[1.0, 1.0, 1.0], [2.0, 1.0, 1.0]])
    assert Inclusion(Z, np.array([0]), np.ones(3), np.linalg.norm(Z, axis=1)).parts.rank == 1
