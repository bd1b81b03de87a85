"""|x|, max, min and cases as symbols: values, slopes, what printers write, and how NumPy's functions are traced."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose

from visviva.errors import ModelError
from visviva.language import Quantity, UntraceableError, storage
from visviva.language.kinks import continuous, kink
from visviva.language.regularity import ENERGY, require_regular
from visviva.language.slopes import slope
from visviva.language.trace import Traced, expressions, traced_array

X, Y, K = sympy.symbols("x y k", real=True)
x, y, k = map(Traced, (X, Y, K))
POINTS = np.array([-2.0, -1.0, -0.3, 0.0, 0.3, 1.0, 2.0])


def traced(value):
    return expressions(value, "f").item()


def number(expr):
    """At POINTS."""
    return np.broadcast_to(sympy.lambdify([X], expr, modules="numpy")(POINTS), POINTS.shape)


FUNCTIONS = {
    "abs": np.abs,
    "builtin abs": abs,
    "fabs": np.fabs,
    "root of a square": lambda x: np.sqrt(x**2),
    "power": lambda x: abs(x) ** 1.5,
    "maximum": lambda x: np.maximum(x, 0.3),
    "minimum": lambda x: np.minimum(0.3, x),
    "fmax": lambda x: np.fmax(x, 1),
    "clip": lambda x: np.clip(x, -1, 0.5),
    "clip on one side": lambda x: np.clip(x, None, 0.5),
    "where": lambda x: np.where(x > 0, 2 * x, x),
    "where with a tie": lambda x: np.where(x >= 0, 2 * x + 1, x),
    "where from below": lambda x: np.where(x < 0.3, x, x**2),
    "and": lambda x: np.where((x > -1) & (x <= 1), x**2, 1),
    "or": lambda x: np.where((x < -1) | (x >= 1), x**2, 1),
    "not": lambda x: np.where(~(x > 0), x, 0),
    "logical and": lambda x: np.where(np.logical_and(x > -1, x < 1), x**2, 1),
    "select": lambda x: np.select([x > 1, x > 0], [2 * x - 1, x**2], default=0),
    "sign": lambda x: np.sign(x) * x**2,
    "heaviside": lambda x: np.heaviside(x, 0.5) * x,
    "truth as a number": lambda x: (x > 0) * x,
    "hypot": lambda x: np.hypot(x, 0.3),
    "cube root": lambda x: np.cbrt(x) ** 4,
    "copysign": lambda x: np.copysign(x**2, x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_traced_function_has_the_values_of_numpy(name):
    function = FUNCTIONS[name]
    assert_allclose(number(traced(function(x))), function(POINTS), rtol=1e-15)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_scalar_code_and_c_code_are_the_same_function(name):
    expr = traced(FUNCTIONS[name](x))
    scalar = sympy.lambdify([X], expr, modules="math")
    assert_allclose([scalar(float(point)) for point in POINTS], number(expr), rtol=1e-15)
    code = sympy.ccode(expr)
    for text, python in (("fabs", "abs"), ("fmax", "max"), ("fmin", "min"), ("sqrt", "math.sqrt"), ("pow", "math.pow")):
        code = code.replace(f"{text}(", f"{python}(")
    if "?" not in code:  # Python has no such operator
        import math

        values = [eval(code, {"math": math, "x": float(point)}) for point in POINTS]
        assert_allclose(values, number(expr), rtol=1e-15)


SLOPES = {  # value, slope, second slope
    "abs": (lambda: abs(x), np.sign(POINTS), 0 * POINTS),
    "cube": (lambda: abs(x) ** 3, 3 * POINTS**2 * np.sign(POINTS), 6 * np.abs(POINTS)),
    "root": (lambda: abs(x) ** 1.5, 1.5 * np.sqrt(np.abs(POINTS)) * np.sign(POINTS), None),
    "one side": (lambda: np.maximum(0, x - 0.3) ** 2, 2 * np.maximum(0, POINTS - 0.3), None),
    "tie of maxima": (
        lambda: np.maximum(-x, 2 * x),
        np.where(POINTS > 0, 2, np.where(POINTS < 0, -1, 0.5)),
        0 * POINTS,
    ),
    "tie of minima": (lambda: np.minimum(x, 3 * x), 2.0 - np.sign(POINTS), 0 * POINTS),
    "cases": (lambda: np.where(x > 0, x**2, 3 * x**2), np.where(POINTS > 0, 2, 6) * POINTS, np.where(POINTS > 0, 2, 6)),
    "odd square": (lambda: x**2 * np.sign(x), 2 * np.abs(POINTS), 2 * np.sign(POINTS)),
}


@pytest.mark.parametrize("name", SLOPES)
def test_slopes_are_those_of_the_branches_without_deltas(name):
    make, first, second = SLOPES[name]
    expr = traced(make())
    assert_allclose(number(slope(expr, X)), first, rtol=1e-15)
    assert not expr.diff(X, 2).has(sympy.DiracDelta, sympy.Derivative, sympy.Heaviside)
    if second is not None:
        assert_allclose(number(expr.diff(X, 2)), second, rtol=1e-15)


def test_an_exponent_may_be_a_parameter():
    expr = slope(traced(abs(x) ** k), X)
    assert expr.subs({K: sympy.Rational(3, 2), X: 0}) == 0
    assert float(expr.subs({K: 1.3, X: -2.0})) == pytest.approx(-1.3 * 2**0.3)


def test_an_inactive_branch_without_a_value_does_no_harm():
    rope = traced(np.maximum(0, np.sqrt(x) - 1) ** 2)  # the slope of the root is infinite at 0
    with np.errstate(divide="ignore"):
        found = sympy.lambdify([X], rope.diff(X), modules="numpy")(np.array([0.0, 4.0]))
    assert_allclose(found, [0.0, 0.5])


def test_vectors_are_compared_and_chosen_entry_by_entry():
    v = traced_array([X, Y])
    at = {X: 2.0, Y: -3.0}
    for found, expected in (
        (np.maximum(v, 0), [2, 0]),
        (np.where(v > 0, v, -2 * v), [2, 6]),
        (np.clip(v, -1, 1), [1, -1]),
        (np.sign(v), [1, -1]),
        ([np.max(v), np.min(v)], [2, -3]),
    ):
        assert [float(value.subs(at)) for value in expressions(found, "f")] == expected
    assert expressions(v @ np.maximum(v, 0), "f").item().subs(at) == 4.0


REFUSED = {
    "if": (lambda: x if x > 0 else 0, "compares a state with something and branches on the answer"),
    "max": (lambda: max(x, 0), "np.maximum and np.clip say it without a branch"),
    "chain": (lambda: np.where(0 < x < 1, 1, 0), "branches on the answer"),
    "equal": (lambda: np.where(x == 0, 1, 0), "for equality"),
    "floor": (lambda: np.floor(x), "np.floor, which jumps"),
    "round": (lambda: round(x), "np.round, which jumps"),
    "remainder": (lambda: x % 2, "np.mod, which jumps"),
    "number for a condition": (lambda: np.where(x, 1, 0), "comparisons are, such as x.q > 0"),
    "unknown": (lambda: np.logaddexp(x, 1), "np.logaddexp in a way that has no expression here"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_expression_says_what_has(name):
    make, message = REFUSED[name]
    with pytest.raises(UntraceableError, match=message):
        make()


def test_they_are_written_as_mathematics():
    def written(value):
        return sympy.latex(traced(value))

    assert written(abs(x) ** 3) == r"\left|{x}\right|^{3}"
    assert written(np.maximum(0, x - 1)) == r"\max\left(0, x - 1\right)"
    assert written(np.where(x >= 1, x, 1)) == (
        r"\begin{cases} x & \text{for}\: x \geq 1 \\ 1 & \text{for}\: x < 1 \end{cases}"
    )
    assert str(traced(np.where(x > y, x, 0))) == "where(x > y, x, 0)"
    assert sympy.pretty(traced(abs(x)), use_unicode=False) == "|x|"
    assert "for x > 0" in sympy.pretty(traced(np.where(x > 0, x, 0)), use_unicode=False)


def test_pickles_hold_them():
    expr = traced(abs(x) + np.maximum(x, 1) + np.where(x > 0, x, 0) + np.sign(x) * x + np.minimum(x, y))
    assert pickle.loads(pickle.dumps(expr)) == expr


def test_those_of_sympy_become_ours():
    given = sympy.Max(0, X, Y) + sympy.Piecewise((X, X > 0), (-X, True)) + sympy.Abs(X - 1) * sympy.sign(X - 1)
    ours = continuous(given)
    assert not ours.has(sympy.Max, sympy.Piecewise, sympy.Abs, sympy.sign)
    for point in ({X: 2, Y: 1}, {X: -2, Y: 1}, {X: sympy.Rational(1, 2), Y: 3}):
        assert ours.subs(point) == given.subs(point)
    joint = sympy.Piecewise((X, (X > 0) & (X < 1)), (1, X >= 1), (0, True)) + sympy.Heaviside(X) * X
    assert [continuous(joint).subs(X, value) for value in (-1, sympy.Rational(1, 2), 3)] == [0, 1, 4]
    assert kink("max_")(Y, 0) == kink("max_")(0, Y)


# -- jumps -----------------------------------------------------------------------------------------------------------

JUMPS = {
    "sign": (lambda: np.sign(x), "x = 0: it is -1 before and 1 after"),
    "step": (lambda: np.heaviside(x - 1, 0.5), "x = 1: it is 0 before and 1 after"),
    "gap": (lambda: np.where(x > 1, x**2, 2 * x), "x = 1: it is 2 before and 1 after"),
    "gap with a tie": (lambda: np.where(x >= 1, x**2, 2 * x), "x = 1: it is 2 before and 1 after"),
    "gap at a parameter": (lambda: np.where(x > k, x**2, 0), "x = 0.37: it is 0 before and 0.1369 after"),
    "gap at a curve": (lambda: np.where(x**2 + y**2 > 1, 2.0, 1.0 * x), "jumps at x = "),
    "small": (lambda: np.where(np.sin(x) > 0, np.sin(x) + 1e-6, 0), "x = 0: it is 0 before and 1e-06 after"),
    "in a root": (lambda: np.where(np.sqrt(2 * x) > 1, np.sqrt(2 * x), 0), "x = 0.5: it is 0 before and 1 after"),
}
MEETING = {
    "square by sign": lambda: x**2 * np.sign(x),
    "parabola and line": lambda: np.where(x > 1, 2 * x - 1, x**2),
    "decimals": lambda: np.where(x > 0.1, 100 * x**2, 20.0 * x - 1.0),
    "at a parameter": lambda: np.where(x > k, (x - k) ** 2, 0),
    "two cases that jump, and their sum not": lambda: np.where(x > 0, x + 1, 0) - np.where(x > 0, 1, 0),
    "at a curve": lambda: np.where(x**2 + y**2 > 1, x**2, 1 - y**2),
    "no value on the other side": lambda: np.where(x > 0, x**2 * np.log(x), 0),
}


@pytest.mark.parametrize("name", JUMPS)
def test_a_jump_is_refused_with_its_place(name):
    make, message = JUMPS[name]
    with pytest.raises(ModelError, match=f"^the energy .*{message}") as error:
        require_regular(traced(make()), [X, Y], {K: 0.37}, "the energy", ENERGY)
    assert "branches meet" in str(error.value)


@pytest.mark.parametrize("name", MEETING)
def test_branches_that_meet_are_accepted(name):
    require_regular(traced(MEETING[name]()), [X, Y], {K: 0.37}, "the energy", ENERGY)


def test_an_energy_of_a_storage_must_not_jump():
    with pytest.raises(ModelError, match=r"the energy H of a storage jumps at q = 0.5: it is 0 before and 0.25 after"):
        storage({"q": Quantity("R", "displacement")}, H=lambda x, a: np.where(x.q > a, x.q**2, 0), a=0.5)


# -- slopes that are not bounded -------------------------------------------------------------------------------------

STEEP = {
    "root": (lambda: abs(x) ** 0.5, "x = 0:"),
    "root of a square": (lambda: (x**2) ** 0.3, "x = 0:"),
    "nearly one": (lambda: abs(x - 0.3) ** 0.95, "x = 0.3:"),
    "odd root": (lambda: np.sign(x) * abs(x) ** 0.4, "x = 0:"),
    "one side": (lambda: np.maximum(x - 1, 0) ** 0.5, "x = 1:"),
    "one side down": (lambda: (-np.minimum(x, 0)) ** 0.5, "x = 0:"),
    "a branch": (lambda: np.where(x > 0, x**0.1, 0), "x = 0:"),
    "a logarithm": (lambda: np.where(x > 0, x * np.log(x), 0), "x = 0:"),
    "a logarithm of both sides": (lambda: x * np.log(abs(x)), "x = 0:"),
    "exponent that is a parameter": (lambda: abs(x) ** k, "x = 0:"),
    "function of a root": (lambda: np.cos(x) * np.exp(np.sqrt(abs(x - 2))), "x = 2:"),
    "end of an arc": (lambda: np.arcsin(np.clip(x, -1, 1)), "x = -?1:"),
    "beside what is larger": (lambda: 1e-3 * abs(x) ** 0.5 + 1e6 * x**2, "x = 0:"),
    "at a curve": (lambda: abs(x**2 + y**2 - 1) ** 0.5, "[xy] = "),
    "at a point of the plane": (lambda: ((x - 1) ** 2 + (y + 2) ** 2) ** 0.3, r"[xy] = .*(x = 1|y = -2)"),
}
BOUNDED = {
    "norm": lambda: np.sqrt(x**2 + y**2),
    "norm about a point": lambda: np.sqrt((x - 1) ** 2 + (y + 2) ** 2),
    "power of a norm": lambda: (x**2 + y**2) ** 0.6,
    "root of a square": lambda: np.sqrt(x**2),
    "power": lambda: abs(x - 0.3) ** 1.05,
    "one side": lambda: np.maximum(x, 0) ** 1.5,
    "product": lambda: x * np.sqrt(abs(x)),
    "end of a domain": lambda: np.sqrt(x),
    "end of a domain with a logarithm": lambda: x * np.log(x),
    "end of an arc": lambda: np.arcsin(x),
    "pole": lambda: 1 / abs(x) ** 0.5,
    "pole of a logarithm": lambda: np.log(abs(x)),
    "rounded root": lambda: (x**2 + 1e-12) ** 0.25,
    "rounded by a step": lambda: np.sqrt(np.maximum(x, 1e-8)),
    "chord": lambda: np.sqrt(1 - np.cos(x)),
    "saturated logarithm": lambda: np.log(np.maximum(x, 0.1)),
}


@pytest.mark.parametrize("name", STEEP)
def test_an_unbounded_slope_inside_a_domain_is_refused_with_its_place(name):
    make, message = STEEP[name]
    with pytest.raises(ModelError, match=f"^the energy has an unbounded slope at {message}") as error:
        require_regular(traced(make()), [X, Y], {K: 0.37}, "the energy", ENERGY)
    assert "infinite force" in str(error.value)


@pytest.mark.parametrize("name", BOUNDED)
def test_bounded_slopes_and_ends_of_domains_are_accepted(name):
    require_regular(traced(BOUNDED[name]()), [X, Y], {K: 0.37}, "the energy", ENERGY)


def test_curvatures_are_those_of_the_function_where_a_slope_vanishes():
    """-√(1 - x²/k) and √(k + x²) have one at 0, though neither radicand is positive by itself."""
    for value, curvature in ((-np.sqrt(1 - x**2 / k), 1 / K), (np.sqrt(k + x**2), 1 / sympy.sqrt(K))):
        found = slope(slope(traced(value), X), X)
        assert float(found.subs({X: 0, K: 4})) == float(curvature.subs(K, 4))
