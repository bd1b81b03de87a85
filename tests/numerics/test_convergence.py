"""Convergence to rounding: an iteration ends at what is exact, or where it stagnates near it, and nowhere else."""

from __future__ import annotations

import math

import numpy as np
import pytest

from visviva.numerics.convergence import Convergence, newton


def ended_at(residuals, exact=1e-14, nearly=1e-9):
    to_rounding = Convergence(exact, nearly)
    return next((k for k, r in enumerate(residuals) if to_rounding.ended(r)), None)


@pytest.mark.parametrize(
    ("residuals", "at"),
    [
        ([1e-1, 1e-3, 1e-7, 1e-15], 3),
        ([1e-15], 0),
        ([1e-1, 1e-5, 3e-12, 2e-12], 3),  # rounding keeps it above what is exact
        ([1e-1, 1e-5, 3e-12, 5e-12], 3),
        ([1e-1, 0.9e-1, 0.8e-1, 0.7e-1], None),  # slow, and far away
        ([1e-10, 1e-12, 1e-13], None),  # falls on
        ([math.nan, math.inf], None),
    ],
)
def test_an_iteration_ends_at_rounding_and_nowhere_else(residuals, at):
    assert ended_at(residuals) == at


def test_newtons_method_ends_with_all_digits_of_a_root():
    x, to_rounding = 3.0, Convergence(1e-17, 1e-10)
    for _ in range(20):
        if to_rounding.ended(abs(x * x - 2.0) / 2.0):
            break
        x -= (x * x - 2.0) / (2.0 * x)
    assert abs(x - math.sqrt(2.0)) <= 2 * np.finfo(float).eps


def root_of(f, slope, start, rule, iterations=50):
    asked = []

    def step(x):
        def following():
            asked.append(x)
            return x - f(x) / slope(x)

        return abs(f(x)), following

    return *newton(start, step, rule, iterations), len(asked)


def test_newton_ends_at_rounding_and_makes_no_step_more():
    x, reached, steps = root_of(lambda x: x * x - 2, lambda x: 2 * x, 1.0, Convergence(1e-15, 1e-9))
    assert reached
    assert x == pytest.approx(np.sqrt(2), abs=1e-15)
    assert steps <= 6
    assert root_of(lambda x: 0.0, lambda x: 1.0, 3.0, Convergence(1e-15, 1e-9)) == (3.0, True, 0)


def test_newton_gives_up_what_grows_and_what_does_not_end():
    cube = (lambda x: np.cbrt(x), lambda x: np.cbrt(x) ** -2 / 3)  # steps lead away, x -> -2 x
    _, reached, steps = root_of(*cube, 1.0, Convergence(1e-15, 1e-9, grown=1.0))
    assert (reached, steps) == (False, 1)
    _, reached, steps = root_of(*cube, 1.0, Convergence(1e-15, 1e-9), iterations=7)
    assert (reached, steps) == (False, 7)
    _, reached, steps = root_of(*cube, 1.0, Convergence(1e-15, 1e-9, grown=1.0, near=3.0), iterations=30)
    assert not reached
    assert 1 < steps < 10
    assert root_of(lambda x: math.nan, lambda x: 1.0, 0.0, Convergence(1e-15, 1e-9)) == (0.0, False, 0)


def test_an_iteration_that_falls_unevenly_may_stall_more_than_once():
    """Stages by fixed points: 0.9 of the least change is no stall, and one stall is no reason to end."""
    residuals = [1e-3, 1e-12, 0.95e-12, 0.5e-12, 0.49e-12, 0.48e-12]
    for stalls, at in ((1, 2), (2, 5)):
        rule = Convergence(1e-16, 1e-9, falls=0.9, stalls=stalls)
        assert next(k for k, r in enumerate(residuals) if rule.ended(r)) == at
