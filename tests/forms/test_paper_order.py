"""Formulas as a paper prints them: order of factors and terms, fractions, functions, squares of sums."""

from __future__ import annotations

import pytest
import sympy
from symbolic_models import double_pendulum

import visviva as vv
from visviva.forms.symbols.paper import Order, PaperWriter
from visviva.forms.symbols.trigonometry import shortest

m, J, g, a, b, q, r, v, w, D = sympy.symbols("m J g a b q r v w D", real=True)
UNITS = {m: "kg", J: "kg m²", g: "m/s²", a: "m", b: "m"}
WRITER = PaperWriter({}, Order((q, r), (v, w), UNITS))


@pytest.mark.parametrize(
    ("value", "latex"),
    [
        (g * a * m * sympy.cos(q), r"m g a \cos q"),
        (a * sympy.sin(q + r) * v**2 * m, r"m a v^{2} \sin\left(q + r\right)"),
        (v**2 * (m * a**2 + J) / 2, r"\frac{1}{2} \left(J + m a^{2}\right) v^{2}"),
        (m * a**2 * v**2 / 2 + 3 * m * v * w / 4, r"\frac{1}{2} m a^{2} v^{2} + \frac{3}{4} m v w"),
        (J * w**2 + J * v * w + J * v**2, r"J v^{2} + J v w + J w^{2}"),
        (2 * a * b * sympy.cos(q) + b**2 + a**2, r"a^{2} + b^{2} + 2 a b \cos q"),
        (m * g - m * a * v, r"m g - m a v"),
        (m * a * v - m * g, r"m a v - m g"),
        (-m * g, r"- m g"),
        (-m * (a + b) * sympy.sin(q) ** 2, r"- m \left(a + b\right) \sin^{2} q"),
        (v * (2 * w + v) * sympy.sin(q), r"v \left(v + 2 w\right) \sin q"),
        (m * a / b, r"\frac{m a}{b}"),
        (-m / (2 * a), r"- \frac{m}{2 a}"),
        (1 / a, r"\frac{1}{a}"),
        (-1 / (2 * a), r"- \frac{1}{2 a}"),
        (a / sympy.sqrt(a + b), r"\frac{a}{\sqrt{a + b}}"),
        (3 / (a * (a + b)), r"\frac{3}{a \left(a + b\right)}"),
        (m * D, r"m D"),
        (sympy.atan2(a, b), r"\operatorname{atan2}\left(a, b\right)"),
        (m * sympy.sign(v), r"m \operatorname{sign}\left(v\right)"),
        (a * sympy.exp(-q), r"a e^{- q}"),
        (sympy.Float(0.25) * m, r"0.25 m"),
        (sympy.Max(0, v) * m, r"m \max\left(0, v\right)"),
    ],
)
def test_products_sums_and_fractions(value, latex):
    assert WRITER.expression(value) == latex


def test_the_mass_matrix_of_a_double_pendulum_is_that_of_a_book():
    latex = vv.symbols(double_pendulum(), "lagrange").latex()
    J1, J2 = (rf"J_{{\mathrm{{{name}}},\mathrm{{zz}}}}" for name in ("one", "two"))
    m1, m2 = (rf"m_{{\mathrm{{{name}}}}}" for name in ("one", "two"))
    c1, c2 = (rf"l_{{c,\mathrm{{{name}}}}}" for name in ("one", "two"))
    M = rf"{J1} + {J2} + {m1} {c1}^{{2}} + {m2} \left(l_{{2}}^{{2}} + {c2}^{{2}} + 2 l_{{2}} {c2} \cos q_{{2}}\right)"
    assert rf"M_{{11}} &= {M} \\" in latex
    assert rf"T &= \frac{{1}}{{2}} \left({M}\right) \dot{{q}}_{{1}}^{{2}} + " in latex
    hanging = rf"\left(l_{{2}} \sin q_{{1}} + {c2} \sin\left(q_{{1}} + q_{{2}}\right)\right)"
    assert rf"V &= - {m1} g {c1} \sin q_{{1}} - {m2} g {hanging}" in latex


def test_terms_of_one_mass_stand_together():
    value = shortest(m * a**2 + J + 2 * m * a * b * sympy.cos(q) + m * b**2, frozenset({m, J}))
    assert value == J + m * (a**2 + b**2 + 2 * a * b * sympy.cos(q))
    assert shortest(J * m * a, frozenset({m, J})) == J * m * a


def test_squares_of_sums_are_found():
    value = a * (v**2 + 2 * v * w + w**2) * sympy.sin(q) + b * v * sympy.cos(q)
    assert shortest(value) == a * (v + w) ** 2 * sympy.sin(q) + b * v * sympy.cos(q)


# -- balls -------------------------------------------------------------------------------------------------------------


def suspended():
    """A slide that carries an arm on a hinge, and a body on a ball at its end."""
    s = vv.Mechanism("suspension", gravity=(0, 0, -9.81))
    s.body("frame", mass=3.0, inertia=(1, 1, 1))
    s.prismatic("heave", s.ground, "frame", axis=(0, 0, 1))
    s.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0))
    s.revolute("hinge", "frame", "arm", at=(0, 0, 0), axis=(0, 1, 0))
    s.body("knob", mass=2.0, inertia=(0.2, 0.3, 0.4), at=(1, 0, 0.3))
    s.spherical("ball", "arm", "knob", at=(1, 0, 0))
    return s


def test_rotations_of_balls_cancel():
    """|R v|² is |v|²: the slide moves the sum of all masses, and gravity pulls their sum."""
    e = vv.symbols(suspended())
    p = e.parameters
    total = p["m_frame"] + p["m_arm"] + p["m_knob"]
    assert e.M[0, 0] == total
    assert sympy.expand(e.f[0] + p["g"] * total) == 0
    assert not e.M[1, 1].free_symbols & set(e.q[2:])  # no quaternion but in the entries of R
    assert e.M[3, 3] == p["J_knob_yy"] + p["m_knob"] * p["l_c_knob"] ** 2


def test_a_slide_moves_what_hangs_on_it_by_a_ball():
    s = vv.Mechanism("slide", gravity=(0, 0, -9.81))
    s.body("cart", mass=3.0, inertia=(1, 1, 1))
    s.prismatic("rail", s.ground, "cart", axis=(1, 0, 0))
    s.body("load", mass=2.0, inertia=(0.2, 0.3, 0.4), at=(0, 0, -1))
    s.spherical("ball", "cart", "load", at=(0, 0, 0))
    e = vv.symbols(s)
    assert e.M[0, 0] == e.parameters["m_cart"] + e.parameters["m_load"]


def test_matrices_of_balls_keep_their_names():
    e = vv.symbols(suspended())
    names = {str(symbol): value for symbol, value in e.definitions(e.M).items()}
    assert names
    assert all(name.startswith("R_knob_") for name in names)
    _w, _x, y, z = e.q[2:]
    assert sympy.expand(names["R_knob_11"] - (1 - 2 * (y**2 + z**2))) == 0
    assert e.expanded(e.M).free_symbols <= {*e.q, *e.values}


def test_short_entries_of_long_matrices_are_short():
    from symbolic_models import six_joint_arm

    e = vv.symbols(six_joint_arm())
    p = e.parameters
    assert e.M[5, 5] == p["J_link6_zz"] + p["m_link6"] * (p["l_c_link6_x"] ** 2 + p["l_c_link6_y"] ** 2)
    assert e.definitions(e.M)
