"""Records: whatever nodes are kept, sums and extremes account for every step."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import visviva as vv
from visviva.results.record import NODES, Record, Recorder, joined, part, thin

WIDTHS = {"x": 4, "angles": 2, "u": 1, "u_mid": 1, "w_mid": 3, "x_before": 4, "heat": 2, "work": 1, "power": 1}
WIDTHS |= {"taken": 1, "g_v": 2, "g_v_terms": 2, "g_v_rows": 2}
STEPS = st.integers(0, 40)
EVERY = st.integers(1, 50)


def random_record(steps: int, seed: int = 0) -> Record:
    draw = np.random.default_rng(seed)
    columns = {}
    for field in dataclasses.fields(Record):
        rows = steps + 1 if field.name in NODES else steps
        shape = (rows, WIDTHS[field.name]) if field.name in WIDTHS else (rows,)
        columns[field.name] = draw.normal(size=shape)
    return Record(**columns)


def same(a: Record, b: Record) -> None:
    for field in dataclasses.fields(Record):
        assert_allclose(getattr(a, field.name), getattr(b, field.name), rtol=0, atol=1e-13, err_msg=field.name)


@given(STEPS, EVERY)
def test_thinning_keeps_sums(steps, every):
    record = random_record(steps)
    kept = thin(record, every)
    for name in ("heat", "work", "drift", "iterations"):
        assert_allclose(getattr(kept, name).sum(0), getattr(record, name).sum(0), rtol=0, atol=1e-12)


@given(STEPS.filter(bool), EVERY)
def test_thinning_keeps_extremes(steps, every):
    record = random_record(steps)
    kept = thin(record, every)
    for name in ("closure", "g", "turn", "residual"):
        assert getattr(kept, name).max() == getattr(record, name).max()
    assert kept.lowest_heat.min() == record.lowest_heat.min()


@given(STEPS, EVERY)
def test_thinning_keeps_each_nth_node_and_both_ends(steps, every):
    record = random_record(steps)
    kept = thin(record, every)
    nodes = sorted({*range(0, steps + 1, every), steps})
    for name in ("t", "x", "angles"):
        assert_array_equal(getattr(kept, name), getattr(record, name)[nodes])
    assert kept.steps == len(nodes) - 1


@given(STEPS.filter(bool), EVERY)
def test_an_interval_shows_its_last_step(steps, every):
    record = random_record(steps)
    kept = thin(record, every)
    ends = np.array(sorted({*range(0, steps + 1, every), steps}))[1:] - 1
    for name in ("t_mid", "h", "u_mid", "w_mid", "x_before"):
        assert_array_equal(getattr(kept, name), getattr(record, name)[ends])


@given(STEPS, st.data())
def test_parts_joined_are_the_whole(steps, data):
    record = random_record(steps)
    cut = data.draw(st.integers(0, steps))
    same(joined(part(record, 0, cut), part(record, cut, steps)), record)


@given(st.integers(0, 6), st.integers(0, 20), st.integers(1, 7))
def test_thinning_part_by_part_is_thinning_the_whole(intervals, more, every):
    """As long as the first part is a whole number of intervals: the time loop works that way."""
    cut = intervals * every
    record = random_record(cut + more)
    same(joined(thin(part(record, 0, cut), every), thin(part(record, cut, cut + more), every)), thin(record, every))


@pytest.mark.parametrize("every", [2, 7, 50, 1000])
def test_the_accounts_of_a_run_do_not_depend_on_which_nodes_are_kept(pendulum, every):
    full = vv.simulate(pendulum(friction=0.3), t_end=0.5, h=0.01)
    kept = vv.simulate(pendulum(friction=0.3), t_end=0.5, h=0.01, every=every)
    assert_allclose(kept["heat"][-1], full["heat"][-1], rtol=1e-14)
    assert_allclose(kept["entropy.hinge"][-1], full["entropy.hinge"][-1], rtol=1e-14)
    a, b = full.audit(), kept.audit()
    assert (a.second_law, a.g, a.steps) == (b.second_law, b.g, b.steps)
    assert b.iterations == pytest.approx(a.iterations, rel=1e-12)
    assert b.first_law * b.energy_scale == pytest.approx(a.first_law * a.energy_scale, rel=1e-12)
    for name, account in a.components.items():
        assert b.components[name].energy_in == pytest.approx(account.energy_in, rel=1e-12)


@given(STEPS, EVERY, st.lists(st.integers(0, 40), max_size=5))
def test_a_recorder_keeps_what_thinning_the_whole_keeps(steps, every, cuts):
    record = random_record(steps)
    ends = sorted({0, steps, *(min(cut, steps) for cut in cuts)})
    recorder = Recorder(part(record, 0, 0), every)
    for first, last in itertools.pairwise(ends):
        recorder.add(part(record, first, last))
    same(recorder.record(), thin(record, every))


def test_records_that_follow_each_other_in_memory_are_not_copied():
    whole = random_record(9)
    first, second = part(whole, 0, 4), part(whole, 4, 9)
    found = joined(first, second)
    same(found, whole)
    assert all(np.shares_memory(getattr(found, name), column) for name, column in vars(whole).items() if column.size)
    apart = joined(first, part(random_record(9), 4, 9))
    same(apart, whole)
    assert not np.shares_memory(apart.x, whole.x)


def test_records_that_lie_elsewhere_in_one_array_are_put_in_sequence():
    whole = random_record(9)
    for rows in ((0, 3, 5, 9), (5, 9, 0, 3), (0, 4, 2, 6)):
        found = joined(part(whole, *rows[:2]), part(whole, *rows[2:]))
        for name, column in vars(whole).items():
            more = int(name in NODES)
            assert_array_equal(
                getattr(found, name),
                np.concatenate([column[rows[0] : rows[1] + more], column[rows[2] + more : rows[3] + more]]),
            )
