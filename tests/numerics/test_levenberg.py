"""Levenberg and Marquardt's search: it comes nearer with every step, ends at rounding, and gives up where it must."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.testing import assert_allclose

from visviva.numerics.constrained import least_change
from visviva.numerics.convergence import Convergence
from visviva.numerics.levenberg import search


@dataclass(frozen=True, eq=False)
class At:
    """A point of the plane, a residual there and its slope; log: what was tried."""

    x: np.ndarray
    g: object
    slope: object
    log: list
    hole: bool = False

    @property
    def size(self):
        return float(np.linalg.norm(self.g(self.x)))

    def tried(self, damping):
        self.log.append(damping)
        if self.hole and damping < 1.0:
            return None
        step = least_change(self.slope(self.x), -self.g(self.x), np.eye(2), terms=np.ones(2), damping=damping)
        return replace(self, x=self.x + step)


def rosenbrock(scale=1.0, **more):
    def g(x):
        return scale * np.array([10.0 * (x[1] - x[0] ** 2), 1.0 - x[0]])

    return At(np.array([-1.2, 1.0]), g, lambda x: scale * np.array([[-20.0 * x[0], 10.0], [-1.0, 0.0]]), [], **more)


def adapted(mu, now, nearer):
    return 0.1 * mu if nearer else None if mu > 1e6 else 10.0 * max(mu, 1e-6)


def test_a_curved_valley_is_followed_to_rounding():
    found = search(rosenbrock(), 1.0, adapted, Convergence(1e-15, 1e-9), 100)
    assert_allclose(found.x, [1.0, 1.0], rtol=1e-14)


def test_a_step_that_leads_nowhere_is_damped_more():
    start = rosenbrock(hole=True)
    found = search(start, 1e-3, adapted, Convergence(1e-15, 1e-9), 300)
    assert found.size < start.size
    assert max(start.log) >= 1.0


def test_the_nearest_place_is_given_where_none_is_reached():
    """x² + 1 has no zero: the search stays above one, however long it goes on."""

    def g(x):
        return np.array([x[0] ** 2 + 1.0, x[1]])

    start = At(np.array([0.7, 0.3]), g, lambda x: np.array([[2 * x[0], 0.0], [0.0, 1.0]]), [])
    sizes = [search(start, 1e-2, adapted, Convergence(1e-15, 1e-9), n).size for n in (5, 50, 500)]
    assert sizes == sorted(sizes, reverse=True)
    assert 1.0 <= sizes[-1] < 1.001


def test_a_search_ends_where_no_damping_comes_nearer():
    start = At(np.zeros(2), lambda x: np.array([2.0, 0.0]), lambda x: np.eye(2), [])
    assert search(start, 0.0, adapted, Convergence(1e-15, 1e-9), 500) is start
    assert start.log[-1] > 1e6
    assert len(start.log) < 20


def test_where_all_is_well_nothing_is_tried():
    start = replace(rosenbrock(), x=np.ones(2))
    assert search(start, 1.0, adapted, Convergence(1e-15, 1e-9), 10) is start
    assert start.log == []


def test_rounding_ends_a_search_without_more_damping():
    """A residual that stays at 1e-11 whatever is done, near enough: no damping is tried but the first."""
    start = At(np.zeros(2), lambda x: np.array([1e-11, 0.0]), lambda x: np.eye(2), [])
    assert search(start, 0.0, adapted, Convergence(1e-15, 1e-9), 50) is start
    assert start.log == [0.0]
