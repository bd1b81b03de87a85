"""Equations of port-Hamiltonian systems and of Lagrangians in minimal velocities, by components."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.forms.calculus.hamel import Hamel
from visviva.forms.calculus.hamel_symbols import symbolic_equations, symbolic_hamilton
from visviva.forms.component_equations import ComponentEquations
from visviva.forms.hamiltonian.port_hamiltonian import PortHamiltonian
from visviva.language.slopes import slope
from visviva.views.equations_names import Label


def hamiltonian_equations(system: PortHamiltonian) -> ComponentEquations:
    """ẋ = (J - R) ∂H + G u, with the outputs y = Gᵀ ∂H below, and H."""
    import sympy

    spelling: dict[Any, str] = {}
    x, u = ([_symbol(name, spelling) for name in names] for names in (system.states, system.inputs))
    H = system.H.expressions(x).item()
    J, R, G = (each.expressions(x) for each in (system.J_map, system.R_map, system.G_map))
    dH = np.array([slope(H, s) for s in x], dtype=object)
    rates = (J - R) @ dH + G @ np.array(u, dtype=object)
    left = [_dotted(name, spelling) for name in system.states]
    outputs = [(_symbol(f"y_{name}", spelling), entry) for name, entry in zip(system.inputs, G.T @ dH, strict=True)]
    rows = tuple((a, sympy.expand(b)) for a, b in zip(left, rates, strict=True))
    where = (*outputs, (_symbol("H", spelling), H))
    return ComponentEquations(system.name, "port-Hamiltonian", rows, (), where, spelling)


def hamel_equations(system: Hamel, form: str) -> ComponentEquations:
    """Hamel's equations with q̇ = A ξ, or Hamilton's where the form is "hamilton"."""
    import sympy

    p, spelling = system.p, dict[Any, str]()
    for name in (*p.coordinates, *p.velocities):
        _symbol(name, spelling)
    q_dot = [_dotted(name, spelling) for name in p.coordinates]
    if form == "hamilton":
        found = symbolic_hamilton(system)
        momenta = [(_dotted(f"p_{name}", spelling), rate) for name, rate in zip(p.velocities, found.p_dot, strict=True)]
        rows = [*zip(q_dot, found.q_dot, strict=True), *momenta]
        return ComponentEquations(system.name, form, tuple(rows), (), ((_symbol("H", spelling), found.H),), spelling)
    e = symbolic_equations(system)
    spelling |= {rate: Label(name).dotted for rate, name in zip(e.xi_dot, p.velocities, strict=True)}
    moved = p.A_map.expressions(e.q) @ np.array(e.xi, dtype=object)
    rows = [*zip(q_dot, moved, strict=True), *zip(e.left, e.f, strict=True)]
    L = system.L.expressions((*e.q, *e.xi, e.t)).item()
    return ComponentEquations(
        system.name, "hamel", tuple(rows), (), ((_symbol("L", spelling), sympy.sympify(L)),), spelling
    )


def _symbol(name: str, spelling: dict[Any, str]) -> Any:
    import sympy

    symbol = sympy.Symbol(name, real=True)
    spelling[symbol] = Label(name).latex
    return symbol


def _dotted(name: str, spelling: dict[Any, str]) -> Any:
    import sympy

    symbol = sympy.Symbol(Label(name).rate.text, real=True)
    spelling[symbol] = Label(name).dotted
    return symbol
