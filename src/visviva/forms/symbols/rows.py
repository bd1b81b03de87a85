"""Constraints that a tree of joints does not hold, as symbols: loops, couplings, contacts, functions, drives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva.compiler.conditions import shift_variable
from visviva.errors import ModelError
from visviva.forms.calculus.moving import Moving, stacked
from visviva.forms.symbols.moving import constant, function_of, named
from visviva.forms.symbols.parameters import exacts
from visviva.forms.symbols.places import AbstractPlaces
from visviva.forms.symbols.steps import zeros
from visviva.forms.symbols.variables import coordinate_unit
from visviva.library.joints import along, cosine
from visviva.mechanism.conditions import AbstractCondition
from visviva.mechanism.contact_height import ContactHeight
from visviva.mechanism.coupling import Coupling
from visviva.mechanism.function_condition import FunctionCondition
from visviva.mechanism.motion_laws import MotionLaw
from visviva.mechanism.parts import Joint
from visviva.mechanism.velocity_conditions import VelocityCondition
from visviva.views.equations_names import Label


@final
@dataclass(frozen=True, eq=False)
class ConstraintRows:
    """Rows of one constraint: g(q) = 0 where it has one, Z ξ = r(t), and Z ξ̇ = z.

    kind: "holonomic", "nonholonomic", "driven", or "acceleration" where nothing is asked of ξ itself (r is Z ξ then).
    r:    what drives prescribe, else zero.
    """

    name: str
    kind: str
    g: Any  # (k,), None where there is none
    Z: Any  # (k, n)
    r: Any  # (k,)
    z: Any  # (k,)


def constraint_rows(places: AbstractPlaces) -> Iterator[ConstraintRows]:
    """All of them, in the order of the multipliers of the Model."""
    m = places.m
    for name in places.constraints:
        part = m.parts.get(name)
        if isinstance(part, Joint):
            y = places.functions(part, part.joint.rows)
            yield ConstraintRows(name, "holonomic", y.value, y.row, zeros(len(y.value)), -y.bias)
        else:
            condition = next(one for one in m.conditions if one.name == name)
            yield _condition(places, condition)


def _condition(places: AbstractPlaces, part: AbstractCondition) -> ConstraintRows:
    import sympy

    y = named(measured(places, part), places.steps, Label("g", (part.name,)))
    if part.kind == "nonholonomic":
        return ConstraintRows(part.name, part.kind, None, y.row, zeros(part.rows), -y.bias)
    g, r, r_dot = y.value, sympy.Integer(0), sympy.Integer(0)
    if part.shifted:
        g = g - places.variables.s[places.states.s[shift_variable(part)]]
    if part.law is not None:
        r, r_dot = rate_and_slope(places, part.name, part.law)
    return ConstraintRows(part.name, part.kind, g, y.row, zeros(part.rows) + r, r_dot - y.bias)


def drive_rates(places: AbstractPlaces, s_dot: Any) -> None:
    """Writes the rates of what drives prescribe into those of the states."""
    for part in places.m.conditions:
        if part.law is not None:
            s_dot[places.states.s[shift_variable(part)]] = rate_and_slope(places, part.name, part.law)[0]


def rate_and_slope(places: AbstractPlaces, name: str, law: MotionLaw) -> tuple[Any, Any]:
    """Rate and acceleration of a drive: expressions of time, or inputs where it could not be traced."""
    import sympy

    if name in places.variables.driven:
        return places.variables.driven[name]
    t = {sympy.Symbol("t", real=True): places.variables.t}
    return law.rate.expr.xreplace(t), law.acceleration.expr.xreplace(t)


def measured(places: AbstractPlaces, part: AbstractCondition) -> Moving:
    """g and its rates, or the rows of a condition on velocities."""
    match part:
        case Coupling():
            return _coupling(places, part)
        case FunctionCondition():
            return _function(places, part)
        case ContactHeight():
            return _height(places, part)
        case VelocityCondition():
            return _velocities(places, part)
    raise ModelError(
        f"constraint {part.name!r} ({type(part).__name__}) has no symbols: its rows are known as numbers only."
    )


def _coupling(places: AbstractPlaces, part: Coupling) -> Moving:
    """Σ c_k q_k - offset."""
    total = constant(zeros(1), places.n)
    for k, term in enumerate(part.terms):
        label = Label("i", (part.name,) if len(part.terms) <= 2 else (part.name, str(k + 1)))
        alone = abs(term.coefficient) == 1
        unit = {(False, True): "m/rad", (True, False): "rad/m"}.get((part.terms[0].turns, term.turns), "1")
        c = int(term.coefficient) if alone else places.parameters.number(term.coefficient, label, unit)
        y = places.coordinate(term.joint, term.coordinate)
        total = Moving(
            total.value + c * y.value, total.row + c * y.row, total.rate + c * y.rate, total.bias + c * y.bias
        )
    offset = places.parameters.number(part.offset or 0.0, Label("q", (part.name, "0")), coordinate_unit(part))
    return Moving(total.value - offset, total.row, total.rate, total.bias)


def _function(places: AbstractPlaces, part: FunctionCondition) -> Moving:
    """g(y) with y = L q + c affine in the directors of the bodies."""
    x, L = places.directors(part.movers), exacts(part.placements.L)
    y = Moving(L @ x.value + exacts(part.placements.c), L @ x.row, L @ x.rate, L @ x.bias)
    y = named(y, places.steps, Label("y", (part.name,)))
    return stacked([function_of(g, part.placements.symbols(), y) for g in part.g])


def _height(places: AbstractPlaces, part: ContactHeight) -> Moving:
    """n·d - ρ |n x a|."""
    import sympy

    d, x, y = sympy.symbols("d x y", real=True)
    rho = places.parameters.number(part.radius, Label("rho", (part.name,)), "m")
    seen = places.functions(part, (along(2), cosine(0, 2), cosine(1, 2)))
    return function_of(d - rho * sympy.sqrt(x**2 + y**2), (d, x, y), seen)


def _velocities(places: AbstractPlaces, part: VelocityCondition) -> Moving:
    """A(x) V over the twists of bodies; bias A V̇ + Ȧ V."""
    import sympy

    law, x = part.twists.law, places.directors(part.movers)
    twists = stacked([places.twist(mover) for mover in part.movers])
    given = {
        sympy.Symbol(f"{letter}{k}", real=True): value
        for letter, values in (("x", x.value), ("v", x.rate), ("p", exacts(part.twists.numbers)))
        for k, value in enumerate(values)
    }
    lines, label = (
        law.tangents.lines,
        Label("w", (part.name,)),
    )  # common subexpressions: entries have thousands of terms
    for k, (symbol, expression) in enumerate(lines):
        given[symbol] = places.steps.name(expression.xreplace(given), label.at(str(k + 1)))

    def entries(values: list[Any], letter: str) -> Any:
        found = [sympy.sympify(value).xreplace(given) for value in values]
        return places.steps.names(np.array(found, dtype=object).reshape(law.shape), Label(letter, (part.name,)))

    A, A_dot = entries(law.tangents.values, "A"), entries(law.tangents.slopes, "Adot")
    return Moving(zeros(law.shape[0]), A @ twists.row, A @ twists.rate, A @ twists.bias + A_dot @ twists.rate)
