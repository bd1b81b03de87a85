"""Tables of many steps and few columns: the same sums and extremes as NumPy's, in less time."""

from __future__ import annotations

import numpy as np
import pytest

from visviva.results.columns import FEW, SHORT, highest, row_highest, row_lowest, row_sums

ROWS = (0, 1, SHORT, SHORT + 1, 2 * SHORT + 1, 1000)
COLUMNS = (0, 1, 2, FEW, FEW + 1, 40)


def tables():
    dice = np.random.default_rng(0)
    return [dice.normal(size=(n, columns)) for n in ROWS for columns in COLUMNS]


@pytest.mark.parametrize("table", tables(), ids=lambda table: str(table.shape))
def test_sums_and_extremes_are_those_of_numpy(table):
    before = table.copy()
    np.testing.assert_allclose(row_sums(table), table.sum(-1), rtol=1e-15, atol=1e-14)
    np.testing.assert_array_equal(highest(table), table.max(0, initial=0.0))
    nothing = np.zeros(len(table))
    np.testing.assert_array_equal(row_highest(table), table.max(-1) if table.shape[1] else nothing)
    np.testing.assert_array_equal(row_lowest(table), table.min(-1) if table.shape[1] else nothing)
    np.testing.assert_array_equal(table, before)


@pytest.mark.parametrize("n", [3, 1000])
def test_what_is_not_a_number_is_not_lost(n):
    table = np.zeros((n, 3))
    table[n // 2, 1] = np.nan
    for found in (row_sums(table), row_highest(table), row_lowest(table)):
        assert np.isnan(found[n // 2])
        assert np.isfinite(np.delete(found, n // 2)).all()
    np.testing.assert_array_equal(np.isnan(highest(table)), [False, True, False])


def test_of_one_row_there_is_one_number():
    assert row_sums(np.array([1.0, 2.0])) == 3.0


def test_columns_that_are_parts_of_another_table_are_read_where_they_are():
    whole = np.arange(3000.0).reshape(500, 2, 3)
    np.testing.assert_array_equal(highest(whole[..., 1]), whole[..., 1].max(0))


def test_of_one_column_the_sum_is_another_array():
    table = np.ones((1000, 1))
    row_sums(table)[:] = 2.0
    assert (table == 1.0).all()
