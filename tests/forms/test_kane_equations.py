"""Kane's equations as symbols: what they say is what the numbers do, and they can be read."""

from __future__ import annotations

import pytest
import sympy
from kane_systems import (
    HOLONOMIC,
    KANE,
    disc,
    double_pendulum,
    driven_pendulum,
    shaken_pendulum,
    sleigh,
    states,
)
from numpy.testing import assert_allclose

from visviva import ModelError
from visviva.forms.kane.system import tidy
from visviva.views.equations_names import Label

CASES = [(make, form) for make in (sleigh, disc, driven_pendulum, shaken_pendulum) for form in KANE]
CASES += [(double_pendulum, form) for form in (*KANE, *HOLONOMIC)] + [(driven_pendulum, "lagrange")]


@pytest.mark.parametrize(("make", "form"), CASES, ids=lambda value: getattr(value, "__name__", value))
def test_equations_are_satisfied_by_the_numbers(make, form):
    """All rows, with rates, momenta and drives from `at`, in every form."""
    system = make()
    equations = system.equations(form)
    for t, q, xi in states(system, seed=4, count=1):
        point = system.at(q, xi, t)
        values = {str(symbol): value for symbol, value in system.values.items()} | {"t": t}
        values |= dict(zip(system.coordinates, q, strict=True)) | dict(zip(system.velocities, point.xi, strict=False))
        values |= {Label(name).rate.text: rate for name, rate in zip(system.coordinates, point.q_dot, strict=True)}
        u = [system.velocities.index(name) for name in system.unknown]
        c = [k for k in range(len(system.velocities)) if k not in u]
        rates = dict(zip(u, point.xi_dot, strict=True)) | dict(zip(c, point.known_dot, strict=False))
        p_dot = dict(zip(u, point.p_dot, strict=True))
        for k, name in enumerate(system.velocities):
            base = name.removesuffix("_dot")
            values |= {(f"{base}ddot" if base != name else Label(name).rate.text): rates[k], f"p_{base}": point.p[k]}
            values |= {f"pdot_{base}": p_dot[k]} if k in p_dot else {}
        values |= {f"tau_{name}": force for name, force in point.drives.items()} | {"T": point.kinetic}
        rows = equations.as_sympy()
        assert len(rows) >= len(system.unknown)
        for row in rows:
            left, right = (
                float(side.subs({symbol: values[str(symbol)] for symbol in side.free_symbols})) for side in row.args
            )
            assert_allclose(left, right, rtol=0, atol=1e-11 * (1 + abs(left)), err_msg=str(row))
        assert not {str(symbol) for row in rows for symbol in row.free_symbols} - set(values)


def test_text_of_the_sleigh():
    assert str(sleigh().equations("momentum")) == "\n".join(
        [
            "sleigh, momentum form:",
            "  xdot = v*cos(theta)",
            "  ydot = v*sin(theta)",
            "  thetadot = w",
            "  pdot_w = -a*m*v*w",
            "  pdot_v = a*m*w**2",
            "where",
            "  p_w = w*(J + a**2*m)",
            "  p_v = m*v",
        ]
    )
    assert repr(sleigh().equations()) == "<ComponentEquations of 'sleigh' in velocity form: 5 equations>"


def test_latex_has_dots_and_greek_letters():
    text = double_pendulum().equations("velocity").latex()
    assert r"\ddot{a}" in text
    assert r"\dot{b}^{2}" in text
    shaken = shaken_pendulum().equations("momentum")
    assert r"\dot{p}_{\theta}" in shaken.latex()
    assert r"\dot{\theta}" in shaken.latex()
    assert shaken._repr_latex_().startswith("$$")


def test_driven_equations_have_the_force_of_the_drive():
    """(48), with the known velocity by its law."""
    equations = driven_pendulum().equations("velocity")
    ((name, force),) = equations.drives
    m, l, g, w, theta, u, u_dot, w_dot = sympy.symbols("m l g w theta u udot wdot", real=True)
    bob = m * (u_dot + g + l * (sympy.sin(theta) * w_dot + sympy.cos(theta) * w**2))
    assert str(name) == "tau_u"
    assert sympy.simplify(force - bob) == 0
    t = sympy.Symbol("t", real=True)
    assert equations.where == ((u, sympy.Rational(21, 10) * sympy.cos(7 * t)),)


def test_lagrange_and_hamilton_need_rates_of_coordinates():
    for form in HOLONOMIC:
        with pytest.raises(
            ModelError, match=r"needs velocities that are the rates of the coordinates; those of 'sleigh'"
        ):
            sleigh().equations(form)
        with pytest.raises(ModelError, match="Use 'momentum' or 'partially-lagrangian'"):
            sleigh().form(form)


def test_hamilton_needs_a_system_without_drives():
    for ask in (driven_pendulum().equations, driven_pendulum().form):
        with pytest.raises(ModelError, match="'driven pendulum' has velocities"):
            ask("hamilton")


def test_unknown_form_is_named():
    for ask in (sleigh().equations, sleigh().form):
        with pytest.raises(
            ModelError, match=r"'sleigh' has no form 'newton' of its equations\. Known: velocity, momentum"
        ):
            ask("newton")


def test_long_expressions_stay_as_they_are():
    """What is too long to simplify in reasonable time is left, and is still right."""
    x = sympy.Symbol("x", real=True)
    long = sum((sympy.sin(k * x) ** 2 + sympy.cos(k * x) ** 2 for k in range(1, 40)), sympy.Integer(0))
    short = sympy.sin(x) ** 2 + sympy.cos(x) ** 2
    assert tidy([long, short]) == sympy.Matrix([long, 1])
