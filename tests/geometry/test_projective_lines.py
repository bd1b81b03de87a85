"""Lines and planes of P³: joins, meets, distances, also at infinity."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.errors import ModelError
from visviva.geometry import projective as pg

N = 200
X_AXIS, Y_AXIS, Z_AXIS = pg.line(np.zeros(3), np.eye(3))


def places(seed, n=N):
    return np.random.default_rng(seed).normal(size=(n, 3))


def test_a_line_of_fixed_numbers():
    l = pg.join(pg.point([1, 0, 0]), pg.point([1, 2, 0]))
    assert_allclose(l, [0, 2, 0, 0, 0, 2])
    assert pg.klein(l, Z_AXIS) == 2


def test_any_two_points_of_a_line_give_it_up_to_a_factor():
    r, u = places(0), places(1)
    s, t, a, b = np.random.default_rng(2).uniform(0.5, 3, (4, N, 1))
    l = pg.join(a * pg.point(r - s * u), -b * pg.point(r + t * u))
    assert pg.same_line(l, pg.line(r, u)).all()
    assert pg.is_line(l).all()
    assert_allclose(pg.join(pg.point(r), pg.point(r + u)), pg.line(r, u), atol=1e-14)  # (4) and (5)
    assert pg.same_line(pg.join(pg.point(r), pg.infinite_point(u)), pg.line(r, u)).all()


def test_two_infinite_points_join_at_infinity():
    u, v = places(0), places(1)
    l = pg.join(pg.infinite_point(u), pg.infinite_point(v))
    assert pg.is_at_infinity(l).all()
    assert_allclose(l, pg.line_at_infinity(np.cross(u, v)))
    assert not pg.is_at_infinity(Z_AXIS)


def test_a_sum_of_skew_lines_is_no_line():
    k, l = Z_AXIS, pg.line([1, 0, 0], [0, 1, 0])
    assert not pg.are_coplanar(k, l)
    assert not pg.is_line(k + l)
    assert pg.is_line(X_AXIS + Z_AXIS)  # they meet


def test_points_of_a_line():
    l = pg.line(places(0), places(1))
    s = np.linspace(-5, 5, N)
    assert pg.passes_through(l, pg.point_on(l, s)).all()
    assert pg.passes_through(l, pg.infinite_point(l[:, :3])).all()
    assert not pg.passes_through(l, pg.point_on(l, s) + np.eye(4)[2]).any()
    assert_allclose((pg.foot(l) * l[:, :3]).sum(-1), 0, atol=1e-13)


def test_the_klein_form_of_unit_lines_is_distance_and_angle():
    """∘ = (r₁ - r₂)·(u₁ × u₂) = -d sin α with d = (r₂ - r₁)·(u₁ × u₂)/sin α."""
    r, q = places(0), places(1)
    u, v = (a / np.linalg.norm(a, axis=1, keepdims=True) for a in (places(2), places(3)))
    k, l = pg.line(r, u), pg.line(q, v)
    assert_allclose(pg.klein(k, l), ((r - q) * np.cross(u, v)).sum(-1), atol=1e-13)
    assert_allclose(pg.distance(k, l) * np.sin(pg.angle(k, l)), np.abs(pg.klein(k, l)), atol=1e-13)
    ends = pg.feet(k, l)
    assert_allclose(np.linalg.norm(ends[0] - ends[1], axis=-1), pg.distance(k, l), atol=1e-9)


def test_the_common_perpendicular_meets_both_at_right_angles():
    k, l = pg.line(places(0), places(1)), pg.line(places(2), places(3))
    n = pg.common_perpendicular(k, l)
    for a in (k, l):
        assert pg.are_coplanar(n, a).all()
        assert_allclose(pg.angle(n, a), np.pi / 2, atol=1e-9)


def test_lines_meet_where_they_were_made_to():
    p = places(0)
    k, l = pg.line(p, places(1)), pg.line(p, places(2))
    assert pg.are_coplanar(k, l).all()
    assert_allclose(pg.cartesian(pg.meet(k, l)), p, atol=1e-10)


def test_parallel_lines_meet_at_infinity():
    u = places(0)
    k, l = pg.line(places(1), u), pg.line(places(2), -2 * u)
    p = pg.meet(k, l)
    assert pg.is_infinite(p).all()
    assert pg.same_point(p, pg.infinite_point(u)).all()
    assert_allclose(pg.klein(k, l), 0, atol=1e-14)
    apart = np.linalg.norm(np.cross(places(1) - places(2), u), axis=1) / np.linalg.norm(u, axis=1)
    assert_allclose(pg.distance(k, l), apart, atol=1e-12)


def test_meets_at_infinity():
    plane = pg.line_at_infinity([0, 0, 1])  # of all horizontal planes
    assert pg.same_point(pg.meet(X_AXIS, plane), [1, 0, 0, 0])
    assert pg.same_point(pg.meet(plane, X_AXIS), [1, 0, 0, 0])
    assert pg.same_point(pg.meet(plane, pg.line_at_infinity([0, 1, 0])), [1, 0, 0, 0])


def test_one_call_meets_lines_of_every_kind():
    k = np.stack([X_AXIS, X_AXIS, X_AXIS])
    l = np.stack([Y_AXIS, pg.line([0, 1, 0], [1, 0, 0]), pg.line_at_infinity([0, 0, 1])])
    assert pg.same_point(pg.meet(k, l), [[0, 0, 0, 1], [1, 0, 0, 0], [1, 0, 0, 0]]).all()


def test_reciprocity_of_lines_is_incidence():
    """∘ = 0 exactly for lines of one plane: with a plane through both there is a point on both."""
    p = places(0)
    k, l = pg.line(p, places(1)), pg.line(p + 0.3 * places(3), places(2))
    assert (np.abs(pg.klein(k, l)) > 1e-6).all()
    assert not pg.are_coplanar(k, l).any()
    assert (pg.distance(k, l) > 1e-6).all()


def test_planes_join_and_meet_points_and_lines():
    a, b, c = (pg.point(places(seed)) for seed in (0, 1, 2))
    h = pg.join_point(pg.join(a, b), c)
    for p in (a, b, c):
        assert_allclose((h * p).sum(-1), 0, atol=1e-12)
    assert pg.same_point(pg.meet_plane(pg.join(c, pg.point(places(3))), h), c, 1e-9).all()
    same = pg.join_lines(pg.join(a, b), pg.join(b, c))
    assert pg.same_point(same, h, 1e-9).all()
    other = pg.join_point(pg.join(a, b), pg.point(places(4)))
    assert pg.same_line(pg.meet_planes(h, other), pg.join(a, b), 1e-9).all()


def test_planes_of_lines_through_the_origin_and_of_parallel_lines():
    assert pg.same_point(pg.join_lines(X_AXIS, Y_AXIS), [0, 0, 1, 0])
    assert pg.same_point(pg.join_lines(X_AXIS, pg.line([0, 0, 2], [1, 0, 0])), [0, 1, 0, 0])
    h = pg.join_lines(pg.line([0, 0, 2], [1, 0, 0]), pg.line([0, 1, 2], [1, 0, 0]))
    assert pg.same_point(h, pg.plane([0, 0, 1], [0, 0, 2]))


def test_parallel_planes_meet_at_infinity_and_a_parallel_line_in_an_infinite_point():
    g, h = pg.plane([0, 0, 1], [0, 0, 0]), pg.plane([0, 0, 2], [0, 0, 1])
    assert pg.same_line(pg.meet_planes(g, h), pg.line_at_infinity([0, 0, 1]))
    assert pg.same_point(pg.meet_plane(X_AXIS, h), [1, 0, 0, 0])
    assert_allclose(pg.cartesian(pg.meet_plane(Z_AXIS, h)), [0, 0, 1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pg.join([1, 2, 3, 1], [2, 4, 6, 2]), r"join of two points does not exist.*\nMany lines"),
        (lambda: pg.join([1, 0, 0, 0], [-1, 0, 0, 0]), "join of two points does not exist"),
        (lambda: pg.line([0, 0, 0], [0, 0, 0]), "direction of the line is zero"),
        (lambda: pg.line_at_infinity([0, 0, 0]), "normal of the line at infinity is zero"),
        (lambda: pg.meet(Z_AXIS, pg.line([1, 0, 0], [0, 1, 0])), r"meet of two lines does not exist: they are skew"),
        (lambda: pg.meet(Z_AXIS, -2 * Z_AXIS), "meet of two lines is no point: both are the same line"),
        (lambda: pg.foot([0, 0, 1, 0, 0, 1]), r"line is no line: .* u·m ≠ 0"),
        (lambda: pg.foot([[0, 0, 1, 0, 0, 0], [0, 0, 1, 0, 0, 1]]), r"line \(number 1 of the batch\) is no line"),
        (lambda: pg.foot(np.zeros(6)), "line is zero, which stands for no line"),
        (lambda: pg.foot(pg.line_at_infinity([0, 0, 1])), "line is at infinity"),
        (lambda: pg.distance(Z_AXIS, pg.line_at_infinity([0, 0, 1])), "second line is at infinity"),
        (lambda: pg.common_perpendicular(Z_AXIS, pg.line([1, 0, 0], [0, 0, 1])), "is not unique: they are parallel"),
        (lambda: pg.join_point(Z_AXIS, [0, 0, 5, 1]), "join of a line and a point does not exist"),
        (lambda: pg.meet_plane(X_AXIS, [0, 0, 1, 0]), "the line lies in the plane"),
        (lambda: pg.meet_planes([0, 0, 1, 1], [0, 0, -2, -2]), "both are the same plane"),
        (lambda: pg.plane([0, 0, 0], [1, 2, 3]), "normal of the plane is zero"),
        (lambda: pg.meet_plane(X_AXIS, np.zeros(4)), "plane is zero"),
    ],
)
def test_bad_lines_are_refused(call, message):
    with pytest.raises(ModelError, match=message):
        call()
