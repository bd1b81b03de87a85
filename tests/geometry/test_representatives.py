"""Points, lines, planes and frames are what they are at every scale of the numbers that represent them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.errors import ModelError
from visviva.geometry import projective as pg

FACTORS = [(1e6, 1.0), (1e-6, 1.0), (1.0, -1e6), (1.0, 1e-6), (1e-7, -1e7), (1e6, 1e6), (1e-6, 1e-6)]
LINE = pg.line([1, 2, 3], [1, -1, 2])


@pytest.mark.parametrize(("a", "b"), FACTORS)
def test_incidence_does_not_depend_on_representatives(a, b):
    on, off = pg.point([2, 1, 5]), pg.point([2, 1, 5.001])
    assert pg.passes_through(a * LINE, b * on)
    assert not pg.passes_through(a * LINE, b * off)
    crossing, passing_by = pg.line([2, 1, 5], [0, 1, 0]), pg.line([2, 1, 5.001], [0, 1, 0])
    assert pg.are_coplanar(a * LINE, b * crossing)
    assert not pg.are_coplanar(a * LINE, b * passing_by)
    assert_allclose(pg.cartesian(pg.meet(a * LINE, b * crossing)), [2, 1, 5], atol=1e-9)
    assert pg.same_line(a * LINE, b * LINE)
    assert not pg.same_line(a * LINE, b * crossing)


@pytest.mark.parametrize(("a", "b"), FACTORS)
def test_planes_meet_at_every_scale(a, b):
    g, h, other = pg.plane([0, 0, 1], [0, 0, 2]), pg.plane([1, 0, 0], [3, 0, 0]), pg.plane([0, 0, 1], [0, 0, 2.001])
    assert pg.same_line(pg.meet_planes(a * g, b * h), pg.line([3, 0, 2], [0, 1, 0]))
    assert not pg.meet_planes(a * g, b * other)[:3].any()  # parallel: a line at infinity
    with pytest.raises(ModelError, match="both are the same plane"):
        pg.meet_planes(a * g, b * g)
    lying = pg.line([0, 0, 2], [1, 1, 0])
    with pytest.raises(ModelError, match="the line lies in the plane"):
        pg.meet_plane(a * lying, b * g)
    assert_allclose(pg.cartesian(pg.meet_plane(a * LINE, b * g)), [0.5, 2.5, 2], atol=1e-9)


@pytest.mark.parametrize("factor", [1.0, -2.5, 1e-3])
def test_points_of_a_line_are_counted_in_metres(factor):
    """The foot, and s along the direction of the representative, whatever its length."""
    u = np.sign(factor) * np.array([1, -1, 2]) / np.sqrt(6)
    for s in (0.0, 1.5, -2.0):
        p = pg.cartesian(pg.point_on(factor * LINE, s))
        assert_allclose(p, pg.foot(LINE) + s * u, atol=1e-12)
        assert pg.passes_through(LINE, pg.point(p))


@pytest.mark.parametrize("d", [0.0, 1.0, -2.5, 40.0])
def test_a_mirror_anywhere(d):
    """x - 2 n (n·x + d)/n²: places on the mirror stay, others change sides, twice is nothing."""
    n = np.array([1.0, 2.0, -2.0])
    mirror = pg.Collineation.reflection([*n, d])
    x = np.array([0.3, -1.2, 0.8])
    assert_allclose(pg.cartesian(mirror.act(pg.point(x))), x - 2 * n * (n @ x + d) / 9, atol=1e-12)
    on = x - n * (n @ x + d) / 9
    assert_allclose(pg.cartesian(mirror.act(pg.point(on))), on, atol=1e-12)
    assert_allclose((mirror @ mirror).matrix, np.eye(4), atol=1e-12)


def test_frames_may_be_small_or_long():
    """Axes of any lengths span space; only their directions decide."""
    p = pg.point([1.0, 2.0, 3.0])
    for lengths in ([1e-8, 1, 1], [1, 1e-8, 1], [1, 1, 1e-8], [1e-5, 1e-5, 1e-5], [1e6, 1e6, 1e6]):
        frame = pg.Frame([0, 0, 0], *np.diag(lengths), orthonormal=False)
        assert_allclose(frame.coordinates(p)[:3], [1, 2, 3] / np.array(lengths))
    for sizes in np.diag([1e6, 1e6, 1e6]) + 1.0:
        flat = np.array([[1.0, 0, 0], [0, 1, 0], [1, 1, 1e-14]]) * sizes[:, None]
        with pytest.raises(ModelError, match="linearly dependent"):
            pg.Frame([0, 0, 0], *flat, orthonormal=False)
