"""Smooth maps of every kind: slope, bend and the Taylor expansion along a curve are derivatives of the value."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from visviva.forms.calculus.cached_map import CachedMap
from visviva.forms.calculus.given import map_of
from visviva.forms.calculus.maps import Arguments, Block, Blocks, Polynomial, Product

RNG = np.random.default_rng(6)
NAMES = Arguments((("q", ("x", "y")), ("xi", ("u",))))
x, y, u = sympy.symbols("x y u", real=True)
BENT = RNG.normal(size=(2, 2, 3, 3))
POLYNOMIAL = Polynomial(3, RNG.normal(size=(2, 2)), RNG.normal(size=(2, 2, 3)), BENT + BENT.swapaxes(-1, -2))
FUNCTION = map_of(lambda q, xi: [[q.x * np.sin(q.y), xi.u**2], [q.y / (2 + xi.u), 1.5]], NAMES, "f", (2, 2))
EXPRESSION = map_of([[sympy.exp(x) * y, u * x], [u**3, 2]], NAMES, "g", (2, 2))
MAPS = {
    "constant": Polynomial(3, np.ones((2, 2))),
    "polynomial": POLYNOMIAL,
    "function": FUNCTION,
    "expressions": EXPRESSION,
    "product": Product(FUNCTION, EXPRESSION),
    "recent": CachedMap(FUNCTION),
    "blocks": Blocks(3, (2, 3), (Block(Polynomial(1, np.ones((1, 1)), np.ones((1, 1, 1))), slice(2, 3),
                                       (slice(0, 1), slice(1, 2))),)),
}  # fmt: skip
POINT, RATE, SECOND, STEP = np.array([0.4, -0.7, 0.9]), np.array([1.1, 0.3, -0.5]), np.array([-0.2, 0.8, 0.6]), 1e-5


def differences(f):
    return np.stack([(f(POINT + STEP * e) - f(POINT - STEP * e)) / (2 * STEP) for e in np.eye(3)], axis=-1)


@pytest.mark.parametrize("f", MAPS.values(), ids=MAPS)
def test_slopes_and_bends_are_derivatives(f):
    np.testing.assert_allclose(f.slope(POINT), differences(f.value), atol=1e-8)
    np.testing.assert_allclose(f.bend(POINT), differences(f.slope), atol=1e-8)


@pytest.mark.parametrize("f", MAPS.values(), ids=MAPS)
def test_expansion_along_a_curve(f):
    def at(t):
        return f.value(POINT + t * RATE + t * t / 2 * SECOND)

    h = 1e-4
    value, rate, second = f.along(POINT, RATE, SECOND)
    np.testing.assert_allclose(value, at(0.0), atol=1e-14)
    np.testing.assert_allclose(rate, (at(h) - at(-h)) / (2 * h), atol=1e-7)
    np.testing.assert_allclose(second, (at(h) - 2 * at(0.0) + at(-h)) / h**2, atol=1e-6)


@pytest.mark.parametrize("f", MAPS.values(), ids=MAPS)
def test_symbols_have_the_same_value(f):
    values = np.vectorize(lambda entry: float(entry.subs(dict(zip((x, y, u), POINT, strict=True)))))
    np.testing.assert_allclose(values(f.expressions((x, y, u))), f.value(POINT), atol=1e-13)
