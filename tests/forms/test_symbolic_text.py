"""How symbolic equations print: LaTeX that converters take, text, and short trigonometric forms."""

from __future__ import annotations

import latex2mathml.converter
import numpy as np
import pytest
import sympy
from symbolic_models import double_pendulum, six_joint_arm, top

import visviva as vv
from visviva import demo
from visviva.forms.symbols.trigonometry import shortest

FORMS = ("minimal", "kane-velocity", "kane-momentum", "lagrange", "hamilton", "directors")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("build", [top, demo.four_bar])
def test_latex_is_what_converters_take(build, form):
    e = vv.symbols(build(), form)
    text = e.latex()
    assert text.startswith("\\begin{aligned}")
    assert text.count("{") == text.count("}")
    assert text.count("\\left") == text.count("\\right")
    assert latex2mathml.converter.convert(text)
    assert e._repr_latex_() == f"$$\n{text}\n$$"


def test_rates_are_written_as_rates():
    text = vv.symbols(double_pendulum()).latex()
    assert r"M \ddot{q} + c &= f" in text
    assert r"\dot{q}_{2}" in text
    assert r"M \dot{\xi} + c &= f" in vv.symbols(top()).latex()


def test_text_has_the_equation_and_its_matrices():
    text = str(vv.symbols(double_pendulum()))
    assert text.splitlines()[:4] == [
        "double pendulum, minimal form:",
        "  M q_ddot + c = f",
        "where",
        "  q = [q_1, q_2]",
    ]
    assert "c = [-l_2*l_c_two*m_two*qdot_2*(2*qdot_1 + qdot_2)*sin(q_2), l_2*l_c_two*m_two*qdot_1**2*sin(q_2)]" in text


def test_loops_have_constraints_and_multipliers():
    e = vv.symbols(demo.four_bar())
    assert "M q_ddot + c = f - Z^T lam" in str(e)
    assert "  Phi = 0" in str(e)
    assert "  Z q_dot = 0" in str(e)
    assert [(part.name, part.kind, len(part.z)) for part in e.rows] == [("C", "holonomic", 5)]


def test_long_equations_have_definitions_below():
    e = vv.symbols(six_joint_arm())
    text = str(e)
    assert all(f"  {symbol} = " in text for symbol in e.definitions())


def test_representations_are_short():
    assert repr(vv.symbols(double_pendulum())) == (
        "<SymbolicEquations of 'double pendulum' in minimal form: 2 coordinates, 2 velocities, 0 constraint rows>"
    )
    assert repr(vv.symbols(double_pendulum(), "directors")) == (
        "<DirectorEquations of 'double pendulum': 24 coordinates, 22 multipliers>"
    )


# -- trigonometry ------------------------------------------------------------------------------------------------------

a, b, x, y = sympy.symbols("a b x y", real=True)


@pytest.mark.parametrize(
    ("long", "short"),
    [
        (sympy.cos(x) ** 2 + sympy.sin(x) ** 2, 1),
        (sympy.cos(x) * sympy.cos(x + y) + sympy.sin(x) * sympy.sin(x + y), sympy.cos(y)),
        (sympy.sin(x) * sympy.cos(y) - sympy.cos(x) * sympy.sin(y), sympy.sin(x - y)),
        (a * sympy.sin(x) ** 2 + a * sympy.cos(x) ** 2 + b * sympy.sin(x) ** 2, a + b * sympy.sin(x) ** 2),
        (a * b + a**2 * b, a * b * (a + 1)),
    ],
)
def test_short_forms_are_found(long, short):
    assert sympy.expand(shortest(long) - short) == 0
    assert shortest(long).count_ops() <= sympy.sympify(short).count_ops()


def test_short_forms_have_the_same_values():
    rng = np.random.default_rng(1)
    angles = [x, y, x + y, 2 * x - y]
    for _ in range(20):
        terms = [
            sympy.Integer(int(rng.integers(-3, 4)))
            * a ** int(rng.integers(0, 3))
            * sympy.cos(angles[rng.integers(4)]) ** int(rng.integers(0, 4))
            * sympy.sin(angles[rng.integers(4)]) ** int(rng.integers(0, 4))
            for _ in range(4)
        ]
        value = sympy.Add(*terms)
        at = {a: 0.7, x: 0.4, y: -1.3}
        assert abs(float((shortest(value) - value).subs(at))) < 1e-12
