"""Paths: values and derivatives of all orders are exact, ends are met, and what has no derivatives is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import visviva as vv
from visviva import control
from visviva.control.series import Series, series_of

t = sp.symbols("t")
FUNCTIONS = {
    "decay": (lambda t: np.sin(t) * np.exp(-t / 3) + t**3, sp.sin(t) * sp.exp(-t / 3) + t**3),
    "root": (lambda t: np.sqrt(1 + t * t) / (2 + np.cos(t)), sp.sqrt(1 + t * t) / (2 + sp.cos(t))),
    "angle": (lambda t: np.arctan2(np.sin(3 * t), 2 + t), sp.atan2(sp.sin(3 * t), 2 + t)),
    "powers": (lambda t: np.tanh(t) ** 1.5 + np.log(t) + t**-2, sp.tanh(t) ** sp.Rational(3, 2) + sp.log(t) + t**-2),
    "arcs": (
        lambda t: np.arcsin(t / 3) + np.arccos(t / 4) * np.arctan(t),
        sp.asin(t / 3) + sp.acos(t / 4) * sp.atan(t),
    ),
    "hyperbolic": (
        lambda t: 2.0**t + np.tan(t / 2) + np.sinh(t) * np.cosh(t),
        2**t + sp.tan(t / 2) + sp.sinh(2 * t) / 2,
    ),
    "products": (lambda t: np.array([t, t**2]) @ np.array([np.sin(t), 3]), t * sp.sin(t) + 3 * t**2),
    "length": (lambda t: np.linalg.norm(series_of([t, t**2], 6)), sp.sqrt(t**2 + t**4)),
    "hypot": (lambda t: np.hypot(t, 2) ** t + np.radians(np.square(t)), sp.sqrt(t**2 + 4) ** t + sp.pi * t**2 / 180),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_of_functions_are_those_of_symbols(name):
    function, symbols = FUNCTIONS[name]
    found = control.path(function).derivatives(0.7, 5)
    wanted = [float(sp.diff(symbols, t, k).subs(t, sp.Rational(7, 10)).evalf(20)) for k in range(6)]
    assert_allclose(found, wanted, rtol=1e-12, atol=1e-12 * np.abs(wanted).max())


@pytest.mark.parametrize("degree", [5, 7, 9])
def test_polynomials_rest_at_both_ends(degree):
    path = control.polynomial([1.0, -2.0], [3.0, 5.0], 1.7, degree=degree, begin=0.3)
    assert_allclose(path(0.3), [1.0, -2.0], rtol=0, atol=0)
    assert_allclose(path(2.0), [3.0, 5.0], rtol=0, atol=0)
    for order in range(1, (degree + 1) // 2):
        assert_allclose(path([0.3, 2.0], order), 0.0, rtol=0, atol=1e-12)
    assert np.abs(path(0.3, (degree + 1) // 2)).min() > 1.0


def test_a_polynomial_of_degree_nine_moves_as_fast_as_it_should():
    path, times = control.polynomial(0.0, 2.0, 1.5, degree=9), np.linspace(0, 1.5, 3001)
    assert_allclose(np.abs(path(times, 1)).max(), 3.281, rtol=1e-3)
    assert_allclose(np.abs(path(times, 2)).max(), 8.331, rtol=1e-3)


@given(st.lists(st.floats(-3, 3), min_size=10, max_size=10), st.floats(0.1, 5))
def test_polynomials_have_the_derivatives_given_at_their_ends(values, duration):
    y0, y1, first, last = values[0], values[1], values[2:6], values[6:10]
    path = control.polynomial(y0, y1, duration, start_rates=first, end_rates=last)
    assert path.degree == 9
    size = max(1.0, np.abs(values).max()) * max(1.0, 1 / duration) ** 4 * max(1.0, duration) ** 4
    assert_allclose(path.derivatives(0.0, 4), [y0, *first], rtol=0, atol=1e-9 * size)
    assert_allclose(path.derivatives(path.ends[1], 4), [y1, *last], rtol=0, atol=1e-9 * size)


def test_far_from_zero_a_polynomial_keeps_its_digits():
    far, near = control.polynomial(1e6, 1e6 + 1.0, 1.0), control.polynomial(0.0, 1.0, 1.0)
    assert_allclose(far(0.4, 1), near(0.4, 1), rtol=1e-9)


PATHS = {
    "polynomial": control.polynomial([0.0, 1.0], [1.0, -1.0], 2.0, degree=9),
    "spline": control.spline([[0.0, 0.0], [1.0, 2.0], [0.5, 0.0], [2.0, 1.0]], [0.0, 0.5, 1.2, 2.0]),
    "natural spline": control.spline([0.0, 1.0, 0.5, 2.0], [0.0, 0.5, 1.2, 2.0], natural=True),
    "closed spline": control.spline([0.0, 1.0, 0.5, -1.0, 0.3, 0.0], [0.0, 0.5, 1.0, 1.3, 1.7, 2.0], closed=True),
    "circle": control.circle(0.5, control.polynomial(0.0, 6.0, 2.0), centre=(1, 2, 3), normal=(1, 1, 0)),
    "lissajous": control.lissajous([1.0, 2.0], [0.5, 0.3], phases=[0.1, 0.2], centre=[1.0, 0.0]),
    "line": control.line([1.0, 2.0], [0.3, -0.4]),
    "hold": control.hold([1.0, 2.0]),
    "function": control.path(lambda t: [np.cos(t), np.sin(2 * t) * t]),
    "delayed": control.polynomial(0.0, 1.0, 1.0, degree=7).delayed(0.5),
    "stretched": control.polynomial(0.0, 1.0, 1.0, degree=7).stretched(2.0),
    "timed": control.circle(1.0, 1.0).timed(control.polynomial(0.0, 3.0, 2.0, degree=7)),
    "sum": 2.0 * control.polynomial(0.0, 1.0, 2.0) + control.lissajous(0.3, 1.0) - 1.0,
    "quotient": control.path(lambda t: 1 + t) * control.line(0.0, 1.0) / control.path(lambda t: 2 + t),
    "mapped": control.polynomial(0.0, 1.0, 2.0).mapped(lambda x: np.sqrt(1 + x)),
    "rate": control.polynomial(0.0, 1.0, 2.0, degree=9).rate(2),
    "component": control.circle(0.5, 2.0)[1],
    "list": control.path([control.polynomial(0.0, 1.0, 2.0), np.sin, 3.0]),
}


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("order", range(5))
def test_each_derivative_is_the_rate_of_the_one_before(name, order):
    path, h = PATHS[name], 1e-3
    for at in (0.31, 0.87, 1.63):
        x = [path(at + k * h, order) for k in (-3, -2, -1, 1, 2, 3)]
        difference = (x[5] - 9 * x[4] + 45 * x[3] - 45 * x[2] + 9 * x[1] - x[0]) / (60 * h)
        found, size = path(at, order + 1), max(1.0, np.abs(path(at, order)).max())
        assert_allclose(difference, found, rtol=1e-6, atol=1e-8 * max(size, np.abs(found).max(initial=0.0)))


def test_splines_go_through_their_points_with_continuous_derivatives():
    points, times = np.array([[0.0, 0.0], [1.0, 2.0], [0.5, 0.0], [2.0, 1.0]]), [0.0, 0.5, 1.2, 2.0]
    path = control.spline(points, times)
    assert_allclose(path(times), points, rtol=0, atol=1e-13)
    assert_allclose(path([0.0, 2.0], 1), 0.0, rtol=0, atol=1e-12)
    assert_allclose(path([0.0, 2.0], 2), 0.0, rtol=0, atol=1e-11)
    inner = [jump for jump in control.jumps(path, 5) if 0 < jump.t < 2]
    assert inner
    assert {jump.order for jump in inner} == {5}


def test_a_closed_spline_repeats_itself():
    path = PATHS["closed spline"]
    for order in range(5):
        assert_allclose(path(0.3, order), path(4.3, order), rtol=1e-10, atol=1e-10)
        assert_allclose(path(2.0 - 1e-12, order), path(2.0, order), rtol=1e-6, atol=1e-7)


def test_joined_paths_follow_each_other():
    path = control.joined(control.hold(1.0, 0.5), control.polynomial(1.0, 2.0, 1.0, degree=7), control.hold(2.0))
    assert path.ends == (0.0, math.inf)
    assert_allclose(path([0.2, 0.5, 1.0, 1.5, 9.0]), [1.0, 1.0, 1.5, 2.0, 2.0], rtol=0, atol=1e-15)
    assert [(jump.t, jump.order) for jump in control.jumps(path, 4)] == [(0.5, 4), (1.5, 4)]


def test_a_path_rests_beyond_its_ends_if_it_rests_there():
    path = control.polynomial(0.0, 1.0, 1.0)
    assert_allclose(path([-1.0, 3.0]), [0.0, 1.0], rtol=0, atol=0)
    assert_allclose(path([-1.0, 3.0], 3), 0.0, rtol=0, atol=0)
    moving = control.polynomial(0.0, 1.0, 1.0, end_rates=[0.5])
    with pytest.raises(vv.ModelError, match=r"ends at 1 s with a speed of 0\.5"):
        moving(1.5)


def test_circles_have_their_radius_and_lie_in_their_plane():
    path, centre = PATHS["circle"], np.array([1.0, 2.0, 3.0])
    way = path(np.linspace(0, 2, 9)) - centre
    assert_allclose(np.linalg.norm(way, axis=1), 0.5, rtol=1e-14)
    assert_allclose(way @ [1.0, 1.0, 0.0], 0.0, rtol=0, atol=1e-15)
    assert_allclose(control.circle(2.0, 0.5)(0.0, 1), [0.0, 1.0, 0.0], rtol=0, atol=1e-15)  # counter-clockwise
    assert_allclose(control.circle(2.0, 0.5, toward="y")(0.0), [0.0, 2.0, 0.0], rtol=0, atol=1e-15)


ROTATIONS = {
    "turn": control.turn((1, 2, 2), control.polynomial(0.0, 2.0, 2.0, degree=7)),
    "spinning": control.turn("z", 3.0),
    "vector": control.rotation_vector(control.lissajous([1.0, 2.0, 0.5], [0.3, 0.2, 0.1])),
    "slerp": control.slerp(np.eye(3), vv.geometry.SO3.exp((1.0, -0.5, 0.7)), 2.0, degree=7),
    "product": control.turn("z", 1.0) @ control.turn("x", control.path(np.sin)),
    "from matrix": vv.geometry.SO3.exp((0.3, 0.2, 0.1)).R @ control.turn("y", 1.0),
    "inverse": control.rotation_vector(control.lissajous([1.0, 2.0, 0.5], [0.3, 0.2, 0.1])).T,
    "function": control.rotation(lambda t: [[np.cos(t), -np.sin(t), 0], [np.sin(t), np.cos(t), 0], [0, 0, 1]]),
}


@pytest.mark.parametrize("name", ROTATIONS)
def test_angular_velocities_are_rates_of_rotations(name):
    R, h = ROTATIONS[name], 1e-4
    for at in (0.0, 0.41, 1.3):
        assert_allclose(R(at).R.T @ R(at).R, np.eye(3), rtol=0, atol=1e-14)
        at = at or 2 * h
        w = (R(at - h).inverse() @ R(at + h)).log() / (2 * h)
        assert_allclose(R.angular_velocity(at), w, rtol=0, atol=1e-7)
        assert_allclose(R.angular_velocity(at), R(at).R.T @ R.spin(at, world=True).value, rtol=0, atol=1e-13)
        for k in range(3):
            difference = (R.angular_velocity(at + h, k) - R.angular_velocity(at - h, k)) / (2 * h)
            size = max(1.0, np.abs(R.angular_velocity(at, k + 1)).max())
            assert_allclose(R.angular_velocity(at, k + 1), difference, rtol=0, atol=2e-6 * size)


def test_the_exponential_is_smooth_where_the_vector_vanishes():
    R = control.rotation_vector(lambda t: [t**3, 0.0, 0.0])
    assert_allclose(R.series(0.0, 4).derivatives[3][2, 1], 6.0, rtol=1e-14)
    assert_allclose(control.rotation_vector(lambda t: [t, 0, 0]).angular_velocity(0.0, 3), 0.0, rtol=0, atol=1e-13)


def test_slerp_arrives_by_the_shortest_turn():
    end, R = vv.geometry.SO3.exp((1.0, -0.5, 0.7)), ROTATIONS["slerp"]
    assert_allclose(R(2.0).R, end.R, rtol=0, atol=1e-14)
    assert_allclose(R(1.0).log(), 0.5 * end.log(), rtol=0, atol=1e-14)
    assert_allclose(R.angular_velocity(2.0), 0.0, rtol=0, atol=1e-14)


def test_twists_of_poses_are_in_axes_of_the_body():
    X = control.pose(control.circle(0.5, 2.0), control.turn("z", 2.0))
    now = X.motion(0.7)
    assert_allclose(now.V, [0.0, 0.0, 2.0, 0.0, 1.0, 0.0], rtol=0, atol=1e-14)  # seen from the body it is always so
    assert_allclose(now.V_dot, 0.0, rtol=0, atol=1e-13)
    h, X = 1e-5, control.pose(control.lissajous([1.0, 0.5, 0.2], [0.3, 0.4, 0.5]), ROTATIONS["vector"])
    difference = (X(0.4 - h).inverse() @ X(0.4 + h)).log() / (2 * h)
    assert_allclose(X.motion(0.4).V, difference, rtol=0, atol=1e-8)
    assert_allclose(X.motion(0.4).V_dot, (X.motion(0.4 + h).V - X.motion(0.4 - h).V) / (2 * h), rtol=0, atol=1e-8)
    assert_allclose(X.delayed(1.0)(1.4).matrix, X(0.4).matrix, rtol=0, atol=1e-14)
    assert_allclose(X.timed(control.line(0.0, 2.0)).motion(0.2).V, 2 * X.motion(0.4).V, rtol=0, atol=1e-13)


REFUSED = {
    "abs": (lambda: control.path(lambda t: abs(t)), "calls abs, which has no derivatives"),
    "absolute": (lambda: control.path(lambda t: np.abs(t)), "calls np.absolute"),
    "maximum": (lambda: control.path(lambda t: np.maximum(t, 0)), "calls np.maximum"),
    "where": (lambda: control.path(lambda t: np.where(t, 1.0, 0.0)), "calls np.where"),
    "branch": (lambda: control.path(lambda t: 1.0 if t > 1 else 0.0), "compares its time"),
    "truth": (lambda: control.path(lambda t: t or 1.0), "compares its time"),
    "math": (lambda: control.path(lambda t: math.sin(t)), r"use np.sin\(t\)"),
    "root at zero": (lambda: control.path(np.sqrt).derivatives(0.0, 2), "need a positive base"),
    "division": (lambda: control.path(lambda t: 1 / t)(0.0), "divides by zero"),
    "logarithm": (lambda: control.path(lambda t: np.log(t - 1))(0.0), "not positive"),
    "direction": (lambda: control.path(lambda t: np.arctan2(t, t))(0.0), r"arctan2\(0, 0\)"),
    "no number": (lambda: control.path(lambda t: "here"), "computes with numbers"),
    "shapes": (lambda: control.path(lambda t: [t, [t, t]]), "different shapes"),
    "no argument": (lambda: control.path(lambda: 1.0), r"called as f\(t\)"),
    "even degree": (lambda: control.polynomial(0.0, 1.0, 1.0, degree=4), "an odd one"),
    "too many rates": (lambda: control.polynomial(0.0, 1.0, 1.0, degree=5, end_rates=[0, 0, 0]), "take degree=7"),
    "rates of a shape": (lambda: control.polynomial(0.0, 1.0, 1.0, end_rates=[[0, 0]]), "of its shape"),
    "ends of a shape": (lambda: control.polynomial(0.0, [1.0, 2.0], 1.0), "of one shape"),
    "duration": (lambda: control.polynomial(0.0, 1.0, -1.0), "must be positive"),
    "argument": (lambda: control.polynomial(0.0, 1.0, T=1.0), "has no argument 'T'"),
    "few points": (lambda: control.spline([0.0], [0.0]), "at least two"),
    "times": (lambda: control.spline([0.0, 1.0], [1.0, 0.0]), "increase"),
    "spline degree": (lambda: control.spline([0.0, 1.0], [0.0, 1.0], degree=4), "3, 5, 7 or 9"),
    "open spline": (lambda: control.spline([0.0, 1.0, 2.0], [0.0, 1.0, 2.0], closed=True), "ends where it begins"),
    "line": (lambda: control.line([0.0, 1.0], 1.0), "of one shape"),
    "lissajous": (lambda: control.lissajous([1.0, 2.0], [1.0, 2.0, 3.0]), "as many of everything"),
    "normal": (lambda: control.circle(1.0, 1.0, normal=(0, 0, 0)), "must not be zero"),
    "toward": (lambda: control.circle(1.0, 1.0, toward="z"), "must not be zero"),
    "angle": (lambda: control.circle(1.0, [1.0, 2.0]), "a path of one number"),
    "nothing joined": (lambda: control.joined(), "takes paths"),
    "gap": (
        lambda: control.joined(control.hold(0.0, 1.0), control.polynomial(1.0, 2.0, 1.0)),
        "a position that jumps by 1",
    ),
    "kick": (
        lambda: control.joined(control.hold(0.0, 1.0), control.line(0.0, 2.0, duration=1.0)),
        "a speed that jumps by 2 there",
    ),
    "endless": (lambda: control.joined(control.hold(0.0), control.hold(0.0, 1.0)), "has an end"),
    "joined shapes": (lambda: control.joined(control.hold(0.0, 1.0), control.hold([0.0], 1.0)), "of one shape"),
    "repeated": (lambda: control.repeated(control.line(0.0, 1.0)), "has a begin and an end"),
    "axis": (lambda: control.turn((0, 0, 0), 1.0), "must not be zero"),
    "no rotation": (
        lambda: control.rotation(lambda t: [[t, 0, 0], [0, 1, 0], [0, 0, 1]])(2.0),
        "no rotation, RᵀR - 1 is 3",
    ),
    "position": (lambda: control.pose([0.0, 1.0]), "a path of 3 numbers"),
    "infinite": (lambda: control.path(lambda t: np.exp(1e4 * t))(1.0), "not finite"),
    "attribute": (lambda: control.hold(1.0).delay(1.0), "delayed"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.filterwarnings("ignore:invalid value")
def test_what_cannot_be_a_path_is_refused(name):
    action, message = REFUSED[name]
    with pytest.raises((vv.ModelError, AttributeError), match=message):
        action()


def test_entries_of_a_number_are_refused():
    with pytest.raises(TypeError, match="no entries"):
        control.hold(1.0)[0]
    with pytest.raises(TypeError, match="no length"):
        len(Series.time(0.0, 1))


def test_a_wrong_derivative_would_be_seen():
    """The broken product that forgets the cross terms."""
    a = Series.time(0.7, 3).sin()
    broken = Series(a.c * a.c)
    assert np.abs(broken.derivatives - (a * a).derivatives).max() > 0.1
