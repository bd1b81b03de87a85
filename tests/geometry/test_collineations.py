"""Collineations of Euclidean space on points, lines and planes; (7) and (8) and what their print leaves out."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.errors import ModelError
from visviva.geometry import SE3
from visviva.geometry import projective as pg
from visviva.geometry.screws import KLEIN

N = 200


def draws(seed=0):
    rng = np.random.default_rng(seed)
    X = SE3.exp(rng.normal(size=(N, 6)))
    return pg.Collineation(X.R, X.r, rng.choice([-1.0, 1.0], N)), rng


def test_the_image_of_a_join_is_the_join_of_the_images():
    c, rng = draws()
    p, q = pg.point(rng.normal(size=(2, N, 3)))
    assert set(c.sign) == {-1.0, 1.0}
    assert_allclose(pg.join(c.act(p), c.act(q)), c.act_on_lines(pg.join(p, q)), atol=1e-12)
    u = pg.infinite_point(rng.normal(size=(N, 3)))
    assert pg.is_infinite(c.act(u)).all()
    assert_allclose(pg.join(c.act(p), c.act(u)), c.act_on_lines(pg.join(p, u)), atol=1e-12)


def test_a_bar_in_the_place_of_the_tilde_does_not_map_lines():
    """(8) prints p̄ for the skew matrix: read as anything but it, images of joins are not joins of images."""
    c, rng = draws()
    p, q = pg.point(rng.normal(size=(2, N, 3)))
    M = c.on_lines.copy()
    M[:, 3:, :3] = (c.sign[:, None] * c.p)[:, :, None] * c.R  # diag(p) R
    wrong = np.einsum("nij,nj->ni", M, pg.join(p, q))
    assert (np.linalg.norm(wrong - pg.join(c.act(p), c.act(q)), axis=1) > 1e-3).all()
    assert not pg.is_line(wrong).any()


def test_the_klein_form_takes_up_the_sign():
    c, _ = draws()
    M = c.on_lines
    assert_allclose(np.swapaxes(M, 1, 2) @ KLEIN @ M, c.sign[:, None, None] * KLEIN, atol=1e-12)


def test_incidence_of_points_and_planes_stays():
    c, rng = draws()
    r, n = rng.normal(size=(2, N, 3))
    h = pg.plane(n, r)
    assert_allclose((c.act_on_planes(h) * c.act(pg.point(r))).sum(-1), 0, atol=1e-12)


def test_collineations_form_a_group():
    (a, _), (b, _) = draws(0), draws(1)
    assert_allclose((a @ b).matrix, a.matrix @ b.matrix, atol=1e-13)
    assert_allclose((a @ b).on_lines, a.on_lines @ b.on_lines, atol=1e-12)
    assert_allclose((a @ a.inverse()).matrix, np.broadcast_to(np.eye(4), (N, 4, 4)), atol=1e-13)
    again = pg.Collineation.from_matrix(-3 * a.matrix)  # a map of P³ is known up to a factor
    assert_allclose(again.R, a.R, atol=1e-13)
    assert_allclose(again.sign, a.sign)


def test_every_affine_map_keeps_the_polarity_but_not_its_adjoint():
    """Invariance of P alone, which the source asks for, is not enough for (7)."""
    shear = np.eye(4)
    shear[0, 1], shear[:3, 3] = 1.0, [1, 2, 3]
    assert pg.keeps_polarity(shear)
    assert not pg.keeps_adjoint(shear)
    c, _ = draws()
    assert pg.keeps_polarity(c.matrix).all()
    assert pg.keeps_adjoint(c.matrix).all()


def test_a_reflection_turns_right_handed_screws_into_left_handed_ones():
    mirror = pg.Collineation.reflection(pg.plane([0, 0, 2], [0, 0, 1]))
    assert_allclose(mirror.act([1, 2, 3, 1]), [1, 2, -1, 1])
    assert_allclose((mirror @ mirror).matrix, np.eye(4))
    k, l = pg.line([0, 0, 0], [1, 0, 0]), pg.line([0, 0, 2], [0, 1, 0])
    assert pg.klein(mirror.act_on_lines(k), mirror.act_on_lines(l)) == -pg.klein(k, l) != 0
    X = SE3.exp([0.1, 0.2, 0.3, 1, 2, 3])
    assert_allclose(pg.Collineation.from_pose(X).pose().matrix, X.matrix)
    assert_allclose(pg.Collineation.from_pose(X).on_lines, X.Ad())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pg.Collineation.from_matrix(np.diag([1.0, 1, 2, 1])), "changes lengths or angles"),
        (lambda: pg.Collineation.from_matrix(np.diag([1.0, 1, 1, 0])), "moves the origin to infinity"),
        (lambda: pg.Collineation.from_matrix(np.eye(4) + np.eye(4)[[3, 1, 2, 0]]), "moves infinite points"),
        (lambda: pg.Collineation.from_matrix(np.diag([1.0, 1, -1, 1])).pose(), "changes orientation"),
        (lambda: pg.Collineation.reflection([0, 0, 0, 1]), "plane of the reflection is at infinity"),
        (lambda: pg.Collineation.from_matrix(np.eye(3)), r"must have shape \(4, 4\)"),
    ],
)
def test_bad_collineations_are_refused(call, message):
    with pytest.raises(ModelError, match=message):
        call()
