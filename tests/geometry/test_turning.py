"""Angles of quadratic cosines and sines: exact between two points, at every size of the step."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.geometry import turning
from visviva.geometry.quadratic import Affine, Quadratic

PLANE = Quadratic(  # (c, s) are the first two coordinates
    Affine(np.ones((2, 1)), np.zeros((2, 3))), Affine(np.zeros((2, 1)), np.eye(3)[:2]), np.zeros(2)
)


def random_functions(rng, n=6):
    u, w = (Affine(rng.normal(size=(2, n // 3)), rng.normal(size=(2, 3))) for _ in range(2))
    return Quadratic(u, w, (u.s * w.s).sum(-1) - np.array([3.0, 0.5]))


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e-6, 1e-9, 0.0])
def test_the_secant_gives_the_increment(size):
    rng = np.random.default_rng(3)
    functions = random_functions(rng)
    q0 = 0.1 * rng.normal(size=(20, 6))
    q1 = q0 + 0.1 * size * rng.normal(size=(20, 6))
    moved = turning.increment(functions, q0, q1)
    assert_allclose(
        (turning.secant(functions, q0, q1) * (q1 - q0)).sum(-1), moved, rtol=1e-14, atol=2e-16
    )  # rounding of c and s
    assert_allclose(turning.angle(functions, q1) - turning.angle(functions, q0), moved, atol=1e-15 + 1e-14 * size)


def test_turns_up_to_half_a_turn_are_exact_and_half_a_turn_is_refused():
    start = np.array([1.0, 0.0, 0.0])
    for turn in (3.1, -3.1, 1e-12, 0.0):
        end = np.array([np.cos(turn), np.sin(turn), 0.0])
        assert turning.increment(PLANE, start, end) == pytest.approx(turn, rel=1e-14)
        assert turning.secant(PLANE, start, end) @ (end - start) == pytest.approx(turn, rel=1e-13)
    assert np.isnan(turning.secant(PLANE, start, np.array([-1.0, 0.0, 0.0]))).all()


def test_the_increment_of_the_rate_is_exact_on_the_circle():
    rng = np.random.default_rng(0)
    angles = rng.uniform(-3, 3, (2, 50))
    q0, q1 = (np.stack([np.cos(a), np.sin(a), 0 * a], axis=-1) for a in angles)
    v0, v1 = rng.normal(size=(2, 50, 3))
    D_q, D_v = turning.rate_secants(PLANE, q0, q1, v0, v1)
    rate0, rate1 = ((turning.secant(PLANE, q, q) * v).sum(-1) for q, v in ((q0, v0), (q1, v1)))
    assert_allclose((D_q * (q1 - q0)).sum(-1) + (D_v * (v1 - v0)).sum(-1), rate1 - rate0, atol=1e-14)


def test_the_bend_is_the_derivative_of_the_rate():
    rng = np.random.default_rng(1)
    functions, q, v = random_functions(rng), 0.1 * rng.normal(size=6), rng.normal(size=6)

    def rate(x):
        return turning.secant(functions, x, x) @ v

    slope = (rate(q + 1e-6 * v) - rate(q - 1e-6 * v)) / 2e-6
    assert turning.bend(functions, q, v) == pytest.approx(slope, rel=1e-7)


def test_whole_turns_are_continued_and_nothing_else_is_touched():
    raw = np.array([0.3, -3.0, 3.0, 0.1])
    assert_allclose(
        turning.continued(raw, np.array([0.2, 3.2, -3.1, 63.0])),
        [0.3, 2 * np.pi - 3.0, 3 - 2 * np.pi, 20 * np.pi + 0.1],
    )
    assert turning.continued(np.array(0.3), np.array(0.0)) == 0.3
