"""Convergence to rounding: an iteration ends at what is exact, or where it stagnates near it, and nowhere else."""

from __future__ import annotations

import math

import numpy as np
import pytest

from visviva.numerics.convergence import Convergence


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
