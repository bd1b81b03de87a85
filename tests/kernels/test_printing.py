"""Source text of expressions means what the expressions mean."""

from __future__ import annotations

import math

import pytest
import sympy

from visviva.compiler.printing import text

x, y = sympy.symbols("x y", real=True)
POWERS = [sympy.Rational(p, q) for p, q in ((1, 2), (3, 2), (5, 2), (-1, 2), (-3, 2), (-5, 2), (2, 3), (7, 1), (-3, 1))]


@pytest.mark.parametrize("power", POWERS, ids=str)
@pytest.mark.parametrize("base", [x + y, x * y, x], ids=str)
def test_powers_of_sums_and_products(power, base):
    for expression in (base**power, 2 - x / base**power, -3 * base**power / (1 + base**power)):
        expected = float(expression.subs({x: 0.7, y: 1.9}))
        assert eval(text(expression), {"math": math, "x": 0.7, "y": 1.9}) == pytest.approx(expected, rel=1e-14)
