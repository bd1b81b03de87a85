"""A time that notes what it is compared with: between these bounds a function takes one way."""

from __future__ import annotations

import bisect
import copy
import math
import pickle

import numpy as np
import pytest

import visviva as vv
from visviva.language.clock import Clock, Span, span_of

EDGES = [0.31, 0.77, 1.9]
INF = math.inf


@pytest.mark.parametrize(
    ("function", "t", "span"),
    [
        (lambda t: 1.0 if 0.5 < t < 0.5001 else 0.0, 0.4, (-INF, 0.5)),
        (lambda t: 1.0 if 0.5 < t < 0.5001 else 0.0, 0.50005, (0.5, 0.5001)),
        (lambda t: t % 1.0 < 0.1, 2.05, (2.0, 2.1)),
        (lambda t: t % 1.0 < 0.1, 2.5, (2.1, 3.0)),
        (lambda t: np.where(np.float64(0.5) < t, 1.0, 2.0), 0.4, (-INF, 0.5)),
        (lambda t: np.where(2 * t - 1 < np.float64(0.5), 1.0, 2.0), 0.4, (-INF, 0.75)),
        (lambda t: np.searchsorted(np.array(EDGES), t), 0.5, (0.31, 0.77)),
        (lambda t: np.interp(t, EDGES, [0.0, 1.0, 2.0]), 0.5, (0.31, 0.77)),
        (lambda t: bisect.bisect(EDGES, t), 0.5, (0.31, 0.77)),
        (lambda t: (np.array(EDGES) < t).sum(), 0.5, (0.31, 0.77)),
        (lambda t: np.heaviside(t - 0.7, 0.0), 0.5, (-INF, 0.7)),
        (lambda t: int(10 * t) % 2, 0.55, (0.5, 0.6)),
        (lambda t: math.floor(4 * t), 0.55, (0.5, 0.75)),
        (lambda t: round(t), 0.6, (0.5, 1.5)),
        (lambda t: np.clip(t, 0.0, 1.0), 0.5, (0.0, 1.0)),
        (lambda t: max(t, 1.0), 0.5, (-INF, 1.0)),
        (lambda t: abs(t - 1.0) < 0.1, 0.6, (-INF, 0.9)),
        (lambda t: np.sin(t) + t**2 + np.exp(-t), 0.5, (-INF, INF)),
        (lambda t: t**2 > 1.0, 0.5, (-INF, INF)),  # beyond what it follows
    ],
)
def test_a_function_keeps_its_way_between_the_times_it_compares_with(function, t, span):
    assert span_of(function, t) == pytest.approx(span, abs=1e-15)
    clock = Clock(t, 1.0, 0.0, Span(t))
    np.testing.assert_array_equal(function(clock), function(t))


def test_a_clock_that_is_kept_is_a_number():
    clock = Clock(0.5, 1.0, 0.0, Span(0.5))
    assert {clock: 1}[0.5] == 1
    for kept in (copy.copy(clock), copy.deepcopy(clock), pickle.loads(pickle.dumps(clock))):
        assert type(kept) is float
        assert kept == 0.5


def test_what_refuses_such_a_time_has_no_bounds():
    def strict(t):
        if type(t) is not float:
            raise TypeError
        return t

    assert span_of(strict, 1.0) == (-INF, INF)


@pytest.mark.parametrize(
    ("function", "at"), [(3.0, [1.0]), (lambda t, x: t, [1.0]), (lambda t: t, [np.nan]), (lambda t: t, "soon")]
)
def test_jumping_is_a_function_of_time_with_times(function, at):
    with pytest.raises(vv.ModelError, match="Jumping takes"):
        vv.Jumping(function, at=at)
