"""The theorems of Chasles and Poinsot, in all degenerate cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

import visviva as vv
from visviva.errors import ModelError
from visviva.geometry import SE3
from visviva.geometry import projective as pg
from visviva.geometry.linear import apply, dot

S = vv.screws
N = 200
T = np.array([1.0, 2, 3, 4, 5, 6])
F = np.array([1.0, -1, 2, 3, 0, -2])


def draws(seed=0):
    rng = np.random.default_rng(seed)
    return SE3.exp(rng.normal(size=(N, 6))), rng.normal(size=(N, 6))


def test_axes_of_fixed_numbers():
    t, f = S.chasles(T), S.poinsot(F)
    assert t.pitch == pytest.approx(16 / 7)
    assert_allclose(t.point, np.array([-3, 6, -3]) / 14, atol=1e-15)
    assert t.magnitude == pytest.approx(np.sqrt(14))
    assert f.pitch == pytest.approx(-1 / 13)
    assert_allclose(f.point, np.array([-2, -8, -3]) / 13, atol=1e-15)
    assert_allclose(f.wrench(), F, atol=1e-14)


@given(
    w=arrays(np.float64, 3, elements=st.floats(-1, 1)),
    v=arrays(np.float64, 3, elements=st.floats(-1, 1)),
    size=st.sampled_from([1.0, 1e-3, 1e-8, 1e-100, 1e-140, 1e150, 0.0]),
)
def test_every_twist_but_zero_is_put_together_again(w, v, size):
    twist = np.concatenate([size * w, v])
    if not twist.any():
        return
    axis = S.chasles(twist)
    scale = np.abs(twist).max()
    assert_allclose(axis.twist() / scale, twist / scale, rtol=0, atol=1e-12)
    assert np.linalg.norm(axis.direction) == pytest.approx(1)
    assert pg.is_line(axis.line)
    wrench = S.as_wrench(twist)
    assert_allclose(S.poinsot(wrench).wrench() / scale, wrench / scale, rtol=0, atol=1e-12)


def test_the_theorem_of_chasles_on_screws():
    """t = α_l l + α_a p(l)."""
    _, t = draws()
    axis = S.chasles(t)
    line = axis.magnitude[:, None] * axis.line
    assert S.is_bound_line(line).all()
    assert_allclose(line + axis.pitch[:, None] * S.polar(line), t, atol=1e-12)


def test_the_speed_in_the_split_is_signed():
    """|ω| (û; r × û) + (û·v) (0; û); the printed |v| is off, by more than 0.1 on random twists."""
    _, t = draws()
    axis = S.chasles(t)
    u, v = axis.direction, t[:, 3:]
    turn = axis.magnitude[:, None] * axis.line

    def split(speed):
        return turn + speed[:, None] * np.concatenate([np.zeros_like(u), u], axis=1)

    assert_allclose(split(dot(u, v)), t, atol=1e-12)
    assert np.median(np.abs(split(np.linalg.norm(v, axis=1)) - t).max(axis=1)) > 0.1


def test_points_of_the_axis_move_along_it_and_are_unique_up_to_it():
    """v + ω × r = h ω for r and for r + λ ω: "unique" in the source holds modulo ω."""
    _, t = draws()
    axis = S.chasles(t)
    w, v = t[:, :3], t[:, 3:]
    for shift in (0.0, 2.5):
        r = axis.point + shift * w
        assert_allclose(v + np.cross(w, r), axis.pitch[:, None] * w, atol=1e-10)
    assert_allclose(dot(axis.point, w), 0, atol=1e-10)
    doubled = S.chasles(2 * t)
    assert pg.same_line(doubled.line, axis.line).all()  # and the line modulo a factor
    assert_allclose(doubled.pitch, axis.pitch)


def test_axes_move_with_displacements_and_pitches_stay():
    X, t = draws()
    before, after = S.chasles(t), S.chasles(apply(X.Ad(), t))
    assert_allclose(after.pitch, before.pitch, rtol=1e-9)
    assert_allclose(after.magnitude, before.magnitude, rtol=1e-12)
    assert pg.same_line(after.line, apply(X.Ad(), before.line), 1e-9).all()
    assert pg.passes_through(after.line, pg.point(X.act(before.point)), 1e-9).all()
    loads = S.as_wrench(t)
    moved = S.poinsot(apply(X.coAd(), loads))
    assert_allclose(moved.pitch, before.pitch, rtol=1e-9)
    assert pg.same_line(moved.line, apply(X.Ad(), before.line), 1e-9).all()


def test_degenerate_twists():
    turn = S.chasles([0, 0, 2, 0, -2, 0])
    assert turn.pitch == 0
    assert_allclose(turn.point, [1, 0, 0])
    shift = S.chasles([0, 0, 0, 3, 0, 4])
    assert np.isposinf(shift.pitch)
    assert shift.magnitude == 5
    assert_allclose(shift.line, [0, 0, 0, 0.6, 0, 0.8])
    assert pg.is_at_infinity(shift.line)
    screw = S.chasles([0, 0, 2, 0, 0, 1])
    assert screw.pitch == 0.5
    assert_allclose(screw.point, 0)
    skewed = S.chasles([0, 0, 1e-12, 0, 1, 0])  # almost a translation: the axis is far away
    assert skewed.pitch == 0
    assert_allclose(skewed.point, [-1e12, 0, 0])


def test_slow_turns_tend_to_a_translation():
    for size in (1e-3, 1e-8, 1e-100, 1e-149):
        axis = S.chasles([0, 0, size, 0, 0, 1])
        assert axis.pitch == pytest.approx(1 / size)
    for size in (1e-151, 1e-200, 5e-324, 0.0):
        axis = S.chasles([0, 0, size, 0, 0, 1])
        assert np.isposinf(axis.pitch)
        assert_allclose(axis.twist(), [0, 0, 0, 0, 0, 1])


def test_noise_may_count_as_zero():
    noisy = [1e-14, -2e-14, 1e-14, 0, 0, 1]
    assert S.chasles(noisy).pitch < 1e15
    assert np.isposinf(S.chasles(noisy, tolerance=1e-9).pitch)
    assert np.isposinf(S.poinsot(S.as_wrench(noisy), tolerance=1e-9).pitch)


def test_the_largest_and_smallest_numbers():
    for size in (1e-300, 1e300):
        axis = S.chasles(size * T)
        assert axis.pitch == pytest.approx(16 / 7)
        assert axis.magnitude == pytest.approx(size * np.sqrt(14))


def test_a_translation_is_the_difference_of_two_turns():
    v = np.random.default_rng(0).normal(size=(N, 3)) * np.array([1.0, 1e-3, 0])
    a = np.concatenate([np.zeros_like(v), v], axis=1)
    first, second = S.turns_of(a)
    assert_allclose(first - second, a, atol=1e-15)
    assert S.is_bound_line(np.stack([first, second])).all()
    apart = S.chasles(first).point - S.chasles(second).point
    w = first[:, :3]
    assert_allclose(dot(w, v), 0, atol=1e-14)
    assert_allclose(apart, np.cross(w, v), atol=1e-14)


def test_a_couple_is_the_difference_of_two_forces_on_lines():
    """Theorem 7 with L*: the forces act on lines; printed with R*, which would allow a couple less nothing."""
    m = np.random.default_rng(0).normal(size=(N, 3))
    c = np.concatenate([m, np.zeros_like(m)], axis=1)
    first, second = S.forces_of(c)
    assert_allclose(first - second, c, atol=1e-15)
    for force in (first, second):
        assert S.is_bound_line(S.as_twist(force)).all()
        assert_allclose(S.poinsot(force).pitch, 0, atol=1e-15)
    assert S.is_line_vector(S.as_twist(c)).all()  # c = c - 0 is a trivial solution in R*, and none in L*
    assert not S.is_bound_line(S.as_twist(c)).any()


def test_lines_span_all_twists():
    v = np.eye(3)
    turns = np.concatenate(S.turns_of(np.concatenate([np.zeros((3, 3)), v], axis=1)))
    about = np.concatenate([v, np.zeros((3, 3))], axis=1)
    lines = np.concatenate([turns, about])
    assert S.is_bound_line(lines).all()
    assert np.linalg.matrix_rank(lines) == 6


def test_batches_of_any_shape_equal_single_calls():
    t = np.random.default_rng(0).normal(size=(2, 3, 6))
    t[0, 1, :3] = 0
    batch = S.chasles(t)
    assert batch.pitch.shape == (2, 3)
    for i, j in np.ndindex(2, 3):
        one = S.chasles(t[i, j])
        for name in ("magnitude", "direction", "point", "pitch", "line"):
            assert_allclose(getattr(batch, name)[i, j], getattr(one, name), rtol=1e-14, atol=1e-15)
    assert_allclose(batch.twist(), t, atol=1e-14)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: S.chasles(np.zeros(6)), "twist is zero: at rest it has no axis"),
        (lambda: S.chasles([T, np.zeros(6)]), r"twist \(number 1 of the batch\) is zero"),
        (lambda: S.poinsot(np.zeros(6)), "wrench is zero: without load"),
        (lambda: S.turns_of(T), r"twist is no translation: ω ≠ 0"),
        (lambda: S.turns_of(np.zeros(6)), "translation is zero"),
        (lambda: S.forces_of(F), r"wrench is no couple: f ≠ 0"),
        (lambda: S.forces_of(np.zeros(6)), "couple is zero"),
        (lambda: S.chasles(np.ones((2, 5))), r"twist must have shape \(6,\)"),
        (lambda: S.poinsot([0, 0, 0, 0, 0, np.inf]), "wrench must be finite"),
    ],
)
def test_twists_without_an_axis_are_refused(call, message):
    with pytest.raises(ModelError, match=message):
        call()
