"""Jets carry exact derivatives through arithmetic and NumPy, and refuse what would lose them."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy

from visviva import ModelError
from visviva.forms.calculus.function_map import FunctionMap
from visviva.forms.calculus.given import map_of
from visviva.forms.calculus.maps import Arguments

XY = Arguments((("q", ("x", "y")),))
AT = np.array([0.37, 0.81])

FUNCTIONS = {
    "polynomial": lambda q: 3 * q.x**3 * q.y - q.y**2 / 4 + 2 - q.x,
    "quotients": lambda q: (1 - q.x) / (2 + q.y) + 1 / q.x,
    "trigonometry": lambda q: np.sin(q.x) * np.cos(q.y) + np.tan(q.x * q.y),
    "inverse trigonometry": lambda q: np.arcsin(q.x) + np.arccos(q.y / 2) * np.arctan(q.x + q.y),
    "angle, near the x axis": lambda q: np.arctan2(q.x / 3, q.y),
    "angle, near the y axis": lambda q: np.arctan2(q.y, -q.x / 3),
    "angle of a number": lambda q: np.arctan2(q.x, 0.2) + np.arctan2(q.y, 3.0),
    "hyperbolic": lambda q: np.sinh(q.x) * np.cosh(q.y) - np.tanh(q.x * q.y),
    "exponentials": lambda q: np.exp(q.x) * np.log(q.y) + np.sqrt(q.x) + np.expm1(q.x) * np.log1p(q.y),
    "powers": lambda q: q.x**1.5 + q.x**-2 + 2.0**q.y + q.x**q.y + np.square(q.x),
    "length": lambda q: np.sqrt(q.x**2 + q.y**2) + abs(q.x - 1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_are_those_of_the_expression(name):
    jets = map_of(FUNCTIONS[name], XY, "f", ())
    x, y = sympy.symbols("x y", real=True)
    symbols = map_of(jets.expressions([x, y]).item(), XY, "f", ())
    assert isinstance(jets, FunctionMap)
    assert jets.value(AT) == pytest.approx(symbols.value(AT), rel=1e-14)
    np.testing.assert_allclose(jets.slope(AT), symbols.slope(AT), rtol=2e-14, atol=1e-15)
    np.testing.assert_allclose(jets.bend(AT), symbols.bend(AT), rtol=1e-13, atol=1e-14)
    along = [np.array([0.3, -0.7]), np.array([1.1, 0.4])]
    np.testing.assert_allclose(jets.along(AT, *along), symbols.along(AT, *along), rtol=1e-13, atol=1e-14)


def test_matrices_of_jets_multiply_and_have_lengths():
    def f(q):
        R = np.array([[np.cos(q.x), -np.sin(q.x)], [np.sin(q.x), np.cos(q.x)]])
        point = R @ np.array([q.y, 1.0])
        return [np.linalg.norm(point), np.trace(R @ R.T), point @ point]

    jets = map_of(f, XY, "f", (3,))
    np.testing.assert_allclose(jets.slope(AT), [[0, AT[1] / np.hypot(AT[1], 1)], [0, 0], [0, 2 * AT[1]]], atol=1e-15)


def test_small_arguments_keep_relative_accuracy():
    f = map_of(lambda q: q.x**2 * np.expm1(q.y), XY, "f", ())
    for size in (1.0, 1e-3, 1e-5, 1e-8):
        x, y = size, size / 3
        expected = [2 * x * np.expm1(y), x**2 * np.exp(y)]
        np.testing.assert_allclose(f.slope(np.array([x, y])), expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda q: math.cos(q.x), "turns a variable into a float"),
        (lambda q: np.array([q.x, q.y], dtype=float).sum(), "turns a variable into a float"),
        (lambda q: q.x if q.x == 0 else q.y, "compares a variable for equality"),
        (lambda q: abs(q.x - AT[0]), "abs of zero"),
        (lambda q: np.sqrt(q.x - AT[0]), r"np.sqrt has no derivatives at 0"),
        (lambda q: np.log(q.x - AT[0]), r"np.log has no derivatives at 0"),
        (lambda q: (q.x - 1) ** 0.5, r"x\*\*0.5 has no derivatives at -0.63"),
        (lambda q: (-2.0) ** q.x, "power of -2 with a variable exponent"),
        (lambda q: q.x / 0, "divides by zero"),
        (lambda q: 1 / (q.x - AT[0]), "1/x has no derivatives at 0"),
        (lambda q: np.floor(q.x), "cannot be evaluated"),
        (lambda q: q.z, "asks for the coordinate 'z'; there are x, y"),
    ],
)
def test_what_would_lose_derivatives_is_refused(function, message):
    with pytest.raises(ModelError, match=message):
        map_of(function, XY, "the energy", ()).slope(AT)


def test_an_unknown_argument_is_named():
    with pytest.raises(ModelError, match="the energy asks for the argument 'v'; it can have q"):
        map_of(lambda q, v: q.x, XY, "the energy", ())


def test_a_wrong_shape_is_named():
    with pytest.raises(ModelError, match=r"A must have shape \(2, 1\), got \(2,\)"):
        map_of(lambda q: [q.x, q.y], XY, "A", (2, 1)).value(AT)


def test_a_foreign_symbol_is_named():
    with pytest.raises(ModelError, match="has the symbol 'z'; it can have x, y"):
        map_of(sympy.Symbol("z") ** 2, XY, "the energy", ())


def test_expressions_without_derivatives_are_refused():
    x, at = sympy.Symbol("x", real=True), np.array([0.0, 1.0])
    for kink in (sympy.sqrt(x), sympy.Abs(x)):
        f = map_of(kink, XY, "the energy", ())
        for derivative in (f.slope, f.bend):
            with pytest.raises(ModelError, match=r"the energy or its derivatives are not finite at x = 0, y = 1"):
                derivative(at)
