"""LaTeX of symbols and reports, read as a compiler reads it: commands, environments, fences, scripts, escapes."""

from __future__ import annotations

import pytest
from latex_syntax import check_document, check_formula
from symbolic_models import double_pendulum

import visviva as vv
from visviva import demo
from visviva.forms.symbols.build import FORMS

NAMES = (
    "a b", "θ", "a_b", "x^2", "50%", "$x$", "#1", "a&b", "lambda", "double", "omicron", "Alpha", "\\alpha", "{", "}",
    "α_β", "été", "\\end{aligned}", "<b>", "~", "_", "a__b", "a'", "1", "b1", "_x",
)  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_loop_with_a_motor(form):
    check_formula(vv.symbols(demo.slider_crank(), form).latex())


@pytest.mark.parametrize("build", [double_pendulum, demo.heavy_top, demo.rolling_disc, demo.four_bar])
def test_reports_of_mechanisms(build):
    check_document(vv.report(build()).latex)


def named(name):
    m = vv.Mechanism(name, gravity=(0, 0, -9.81))
    m.body(name, mass=1.0, inertia=(0.1, 0.2, 0.3), at=(0.5, 0, 0))
    m.revolute(f"j{name}", m.ground, name, at=(0, 0, 0), axis=(0, 1, 0), friction=0.1)
    m.spring(f"s{name}", m.ground, name, at_a=(0, 0, 1), k=1.0)
    return m


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if k % 3 == 0 else [pytest.mark.slow]) for k, name in enumerate(NAMES)]
)
def test_any_name(name):
    """Of a mechanism, a body, a joint and a spring; in formulas and among words."""
    m = named(name)
    check_formula(vv.symbols(m).latex())
    report = vv.report(m)
    check_document(report.latex)
    assert report.html


def test_names_that_look_alike_stay_apart():
    m = vv.Mechanism("alike")
    for name in ("a-b", "a b", "a1", "a_1", "%", "&", "A", "a", "α", "alpha"):
        m.body(name, mass=1, inertia=(1, 1, 1))
        m.revolute(f"{name} j", m.ground, name, at=(1, 0, 0), axis=(0, 0, 1))
    e = vv.symbols(m)
    symbols = [*e.q, *e.xi, *e.xi_dot, *e.p, *e.values]
    assert len({e.spelling[symbol] for symbol in symbols}) == len(symbols)
    assert len({str(symbol) for symbol in symbols}) == len(symbols)


@pytest.mark.parametrize(
    "wrong",
    [
        "a_", "{a", "a}", r"\strange", r"\left(a", r"\left(a\right", "a_b_c", "a^{}", "%", "#", "a & b", "_{a}",
        r"\begin{matrix}a", r"\begin{table}\end{table}", r"\text{a_b}", "θ", r"\frac12", r"\text{\alpha}",
    ],
)  # fmt: skip
def test_the_reader_sees_what_is_wrong(wrong):
    with pytest.raises((AssertionError, IndexError)):
        check_formula(wrong)
