"""Derivatives along a direction, line by line, against those of SymPy."""

from __future__ import annotations

import numpy as np
import sympy
from numpy.testing import assert_allclose

from visviva.language.tangents import numeric_tangents, tangents


def test_they_are_the_derivatives_of_sympy_in_batches():
    x, y, dx, dy = sympy.symbols("x y v0 v1", real=True)
    root = sympy.sqrt(1 + x**2 * y)
    values = [root * sympy.sin(x / root), sympy.Integer(2), sympy.exp(root) / y, x]
    found = tangents(values, {x: dx, y: dy})
    at = np.random.default_rng(0).uniform(0.5, 1.5, (3, 2, 4))
    expected = sympy.lambdify((x, y, dx, dy), [value.diff(x) * dx + value.diff(y) * dy for value in values])
    columns = [np.broadcast_to(one, (3, 2)) for one in expected(*np.moveaxis(at, -1, 0))]
    assert_allclose(numeric_tangents(found, [x, y, dx, dy])(at), np.stack(columns, -1), rtol=1e-13)


def test_vectors_built_of_each_other_stay_small():
    """Eight cross products in a row: the number of lines grows with them, not with their powers."""
    x = sympy.symbols("x0:3", real=True)
    vector = sympy.Matrix(x)
    for _ in range(8):
        vector = vector.cross(sympy.Matrix([x[1], x[2], x[0]])) + vector / sympy.sqrt(vector.dot(vector))
    found = tangents(list(vector), {symbol: sympy.Symbol(f"v{k}") for k, symbol in enumerate(x)})
    assert len(found.lines) < 600
