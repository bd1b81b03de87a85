"""Generated source of laws: what is written, what is shared, and that text means what the expression means."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
import sympy
from compiled_models import curved, ruleless
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from systems import coupling, displacement, hot, mass, spring
from test_models import series_damper

import visviva as vv
from visviva.compiler.build import _key, energy_address, flow_address
from visviva.compiler.codegen import FlowLayout, energy_source, flow_source
from visviva.compiler.energies import energy_law_of
from visviva.compiler.flows import flow_of
from visviva.compiler.laws import energy_law, matrix_law, symbols
from visviva.compiler.printing import shared, text
from visviva.compiler.program import build_program
from visviva.compiler.tableau import MIDPOINT
from visviva.geometry.embedding import SE3_SPACE, Flat
from visviva.language import compose, storage
from visviva.model import Dissipation, Linear, QuadraticEnergy, Routing
from visviva.model.law import LawMatrix

X, Y = symbols("x", 2)


# -- expressions as text -------------------------------------------------------------------------------------------

EXPRESSIONS = [
    X**2 + 3 * Y,
    X**-3,
    (X + Y) ** 8,
    sympy.Rational(1, 3) * X,
    sympy.sqrt(X) * Y,
    X ** sympy.Rational(3, 2),
    X ** sympy.Rational(-1, 2),
    X ** sympy.Rational(-5, 2),
    X**Y,
    X ** sympy.Rational(2, 3),
    sympy.Abs(X - 2 * Y),
    sympy.sign(Y - X) * X,
    sympy.exp(-X) * sympy.log(1 + Y**2) + sympy.tanh(X) + sympy.atan(Y) - sympy.atan2(X, Y),
    sympy.asin(X / 10) + sympy.acos(Y / 10) + sympy.cosh(X) - sympy.sinh(Y) + sympy.tan(X),
    sympy.pi * X + sympy.E,
]


@pytest.mark.parametrize("expr", EXPRESSIONS, ids=str)
@given(x=st.floats(0.1, 3.0), y=st.floats(0.1, 3.0))
def test_text_means_what_the_expression_means(expr, x, y):
    value = eval(text(expr), {"math": math, "x0": x, "x1": y})
    assert value == pytest.approx(float(expr.xreplace({X: sympy.Float(x, 30), Y: sympy.Float(y, 30)})), rel=1e-13)


def test_small_powers_are_products():
    assert "**" not in text(X**8 + X**-2 + sympy.sqrt(X))
    assert "**" in text(X**9)


def test_the_slope_of_a_sign_is_none():
    assert eval(text(sympy.sign(X).diff(X)), {"math": math, "x0": 0.3}) == 0.0


def test_shared_parts_are_assigned_once_and_before_they_are_used():
    w = sympy.exp(X) * sympy.sin(Y)
    groups = [[w + 1, w * X], [w**2, sympy.cos(Y) + w]]
    lines, values = shared(groups)
    given, seen = {"math": math, "x0": 0.3, "x1": 0.7}, set()
    for assignments, texts, group in zip(lines, values, groups, strict=True):
        for line in assignments:
            name = line.split(" = ")[0]
            assert name not in seen
            seen.add(name)
            exec(line, given)
        expected = [float(expr.xreplace({X: sympy.Float(0.3), Y: sympy.Float(0.7)})) for expr in group]
        assert_allclose([eval(value, given) for value in texts], expected, rtol=1e-14)
    assert sum("math.exp" in line for assignments in lines for line in assignments) == 1


# -- modules -------------------------------------------------------------------------------------------------------


def test_only_helpers_that_are_used_are_imported():
    assert "import sinc_, sinhc_, dsinc_, dsinhc_" in energy_source(curved(3).law)
    assert "elementary" not in energy_source(energy_law(X**4, 2, 0))


def test_an_energy_without_rule_is_corrected_as_gonzalez_does_it():
    source = energy_source(ruleless(1).law)
    assert "gap / square if live" in source
    assert "gap" not in energy_source(curved(1).law)


def test_slopes_that_are_zero_are_not_written():
    source = energy_source(energy_law(X**4 + Y**2, 2, 0))
    assert len(re.findall(r"dE\[.*?\] \+=", source)) == 2


def swirl(values, n=3):
    return flow_of(Routing("swirl", ("x",), np.array(values)), (), (n,))[0]


def test_couplings_that_are_zero_are_not_written():
    law = flow_of(Routing("pair", ("q", "p"), np.array([[0.0, 1.0], [-1.0, 0.0]])), (), (1, 1))[0]
    source = flow_source(law, 1)
    assert "PAIRS = ((0, 1), (1, 0))\nENDS = ()\n" in source
    assert source.count("V[") == 2


def test_a_row_of_places_is_as_wide_as_its_layout():
    def R(q, e):
        return (1 + q[..., :1] ** 2 * e**2)[..., None]

    for reads, plain in (((Flat(1),), (True,)), ((SE3_SPACE,), (False,))):
        law, _ = flow_of(Dissipation("drag", ("v",), R, ("x",)), reads, (1,))
        source = flow_source(law, 1)
        layout = FlowLayout(plain, (), 1, ((0, 0), (0, 1)))
        assert f"o = instance * {layout.width}" in source
        assert max(map(int, re.findall(r"T\[o \+ (\d+)\]", source))) == layout.width - 1


def test_stages_are_lanes_of_a_row():
    law = swirl([[0.0, 1.5, 0.0], [-1.5, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert "* 1 + stage" in flow_source(law, 1)
    assert "* 2 + stage" in flow_source(law, 2)


# -- one law, many instances ---------------------------------------------------------------------------------------


def test_numbers_are_parameters_and_not_code():
    laws = {energy_law_of(QuadraticEnergy("k", "x", np.array([[k]])), 1)[0] for k in (1.0, 2.7, 1e6)}
    assert len(laws) == 1
    laws = {energy_law_of(Linear("w", "x", np.array([c, 1.0])), 2)[0] for c in (1.0, -9.81)}
    assert len(laws) == 1
    laws = [swirl([[0.0, k, 0.0], [-k, 0.0, 0.0], [0.0, 0.0, 0.0]]) for k in (1.37, 4.21)]
    assert laws[0] is laws[1]
    assert flow_address(laws[0], 1)[0] == flow_address(laws[1], 1)[0]


def test_laws_do_not_know_what_users_call_things():
    renamed = storage({"s": displacement}, H=lambda x, stiff: stiff * x.s**2 / 2, stiff=9.0)
    boxes = ((spring(), "q"), (renamed, "s"))
    models = [vv.compile(compose("one", {"box": box}, {"j": (f"box.{port}",)})) for box, port in boxes]
    one, two = (model.storages[0].law for model in models)
    assert one is two
    assert energy_address(one) == energy_address(two)


def test_a_chain_has_as_many_laws_as_kinds_of_components():
    n = 50
    boxes = {f"{what}{k}": make() for k in range(n) for what, make in (("pe", spring), ("ke", mass), ("pkc", coupling))}
    junctions = {}
    for k in range(n):
        junctions |= {f"q{k}": (f"pe{k}.q", f"pkc{k}.q"), f"p{k}": (f"ke{k}.p", f"pkc{k}.p")}
    c = build_program(vv.compile(compose("chain", boxes, junctions)), MIDPOINT)
    assert c.program.energies[:, 1].tolist() == [n, n]
    assert c.program.flows[:, 1].tolist() == [n]
    assert len(c.rows) == 4 * n


def test_a_matrix_law_of_the_language_keeps_its_object():
    law = matrix_law((symbols("p", 1)[0] * symbols("e", 1)[0] ** 2,), (1, 1), (0, 1, 1))
    flows = [flow_of(Dissipation("d", ("x",), LawMatrix(law, np.array([p]))), (), (1,)) for p in (0.1, 0.2)]
    assert flows[0][0] is flows[1][0]
    assert [numbers.tolist() for _, numbers in flows] == [[0.1], [0.2]]


@pytest.mark.parametrize("model", [vv.compile(hot()), series_damper()], ids=["hot", "series damper"])
def test_flows_carry_the_power_that_the_components_take(model):
    """POWER of a law is Σ e f: what a component gives to the junctions it acts on."""
    start = dict.fromkeys(model.layout.x, 0.3)
    run = vv.simulate(model, t_end=0.5, h=0.1, initial=start, integrator=vv.DiscreteGradient())
    H = model.H(run.record.x)
    assert_allclose(np.diff(H), -run.record.heat.sum(-1), rtol=0, atol=1e-13 * run.energy_unit)


def test_a_law_is_named_by_its_parts_each_once():
    """Printed as a tree, an expression whose parts share others may be longer than any memory."""
    f, g, x, y = sympy.Function("f"), sympy.Function("g"), *sympy.symbols("x y")

    def nested(part):
        for _ in range(60):
            part = f(part, part)
        return part

    names = {_key("rows", (value,), 1) for value in (nested(x), nested(y), nested(f(x, x)), nested(g(x, x)))}
    names |= {
        _key("rows", (x - y,), 1),
        _key("rows", (y - x,), 1),
        _key("rows", (x - y,), 2),
        _key("rate", (x - y,), 1),
    }
    names |= {
        _key("rows", (2.0 * x,), 1),
        _key("rows", (2 * x,), 1),
        _key("rows", (x, y), 1),
        _key("rows", ((x,), y), 1),
    }
    assert len(names) == 12
    assert _key("rows", (nested(x),), 1) in names
