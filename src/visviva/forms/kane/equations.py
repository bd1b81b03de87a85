"""Kane's equations as SymPy, as LaTeX and as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.errors import ModelError
from visviva.forms.component_equations import ComponentEquations
from visviva.forms.kane.rates import derivatives, momentum_drift, require_holonomic, rheonomic, rule
from visviva.forms.kane.system import KaneSystem, tidy
from visviva.views.equations_names import Label


def kane_equations(system: KaneSystem, form: str) -> ComponentEquations:
    """The equations of a system in a form, by components."""
    momenta, letters = rule(system, form).momenta, _Letters(system)
    if form in ("lagrange", "hamilton"):
        require_holonomic(system, form)
    where: list[tuple[Any, Any]] = []
    if form == "hamilton":
        rates = _hamilton(system, letters)
        where.append((letters.symbol(Label("T"), "T"), rates.pop()[1]))
    else:
        rates = letters.kinematics() + (_momentum(system, letters) if momenta else _accelerated(system, letters, form))
    if form == "momentum":
        where += [(letters.p[k], system.p[k]) for k in letters.u]
    where += [(system.symbols.xi[k], system.prescribed[name]) for k, name in letters.known]
    drives = tuple(_drives(system, letters))
    return ComponentEquations(system.name, form, tuple(rates), drives, tuple(where), letters.spelling, system.values)


class _Letters:
    """Symbols of rates, momenta and drives, with their spelling in LaTeX."""

    def __init__(self, system: KaneSystem) -> None:
        self.spelling: dict[Any, str] = {}
        self.system, s = system, system.symbols
        self.u = [s.velocities.index(name) for name in system.unknown]
        self.known = [(k, name) for k, name in enumerate(s.velocities) if name in system.prescribed]
        for symbol in (*s.q, *s.xi, *s.parameters):
            self.spelling[symbol] = Label(str(symbol)).latex
        self.q_dot = [self.symbol(Label(name).rate, Label(name).dotted) for name in s.coordinates]
        self.xi_dot, self.p, self.p_dot = [], [], []
        for symbol, name in zip(s.xi, s.velocities, strict=True):
            base = name.removesuffix("_dot")
            rate = base != name and base in s.coordinates
            label = Label(base)
            if rate:
                self.spelling[symbol] = label.dotted
            twice = label.dotted.replace(r"\dot", r"\ddot", 1)
            text = Label(name).rate if not rate else Label(f"{base}ddot")
            self.xi_dot.append(self.symbol(text, twice if rate else Label(name).dotted))
            self.p.append(self.symbol(Label("p", (base,)), Label("p", (base,)).latex))
            self.p_dot.append(self.symbol(Label("pdot", (base,)), Label("p", (base,)).dotted))

    def symbol(self, label: Label, latex: str) -> Any:
        """A real symbol that is spelled so."""
        import sympy

        symbol = sympy.Symbol(label.text, real=True)
        self.spelling[symbol] = latex
        return symbol

    def kinematics(self) -> list[tuple[Any, Any]]:
        """q̇ = Q ξ, without those that only say that a velocity is the rate of a coordinate of its name."""
        q_dot = tidy(self.system.q_dot)
        named = {str(symbol) for symbol in self.system.symbols.xi}
        rows = zip(self.q_dot, q_dot, self.system.coordinates, strict=True)
        return [
            (left, right) for left, right, name in rows if not (str(right) in named and str(right) == f"{name}_dot")
        ]


def _accelerated(system: KaneSystem, letters: _Letters, form: str) -> list[tuple[Any, Any]]:
    """A ξ̇ + D ξ = τ (14), (46); or A ξ̇ + (∂p̂/∂q) q̇ = τ + Dᵀξ (41), which is τ + ∂T/∂q (42) where T generates it."""
    xi_dot = [*letters.xi_dot, *([0] if system.explicit else [])]
    accelerated = system.A @ np.array(xi_dot, dtype=object)
    if form == "velocity":
        drift, force = tidy(system.D @ system.xi), system.tau
    elif form == "partially-lagrangian":
        drift, force = tidy(momentum_drift(system, system.p)), tidy(system.tau + system.gyration)
    else:
        p, _, slope = derivatives(system)
        drift = tidy(momentum_drift(system, p))
        force = tidy(np.array(system.tau, dtype=object)[: len(p), 0] + slope)
    return [(accelerated[k] + drift[k], force[k]) for k in letters.u]


def _momentum(system: KaneSystem, letters: _Letters) -> list[tuple[Any, Any]]:
    """ṗ = τ + Dᵀξ (25), (49)."""
    force = tidy(system.tau + system.gyration)
    return [(letters.p_dot[k], force[k]) for k in letters.u]


def _hamilton(system: KaneSystem, letters: _Letters) -> list[tuple[Any, Any]]:
    """q̇ = ∂T/∂p, ṗ = τ - ∂T/∂q with T = ½ pᵀA⁻¹p (36); T is the last row."""
    import sympy

    if rheonomic(system):
        raise ModelError(f"{system.name!r} has velocities prescribed in time: ask for the form 'momentum'.")
    p = sympy.Matrix(letters.p)
    determinant = tidy([system.A.det()])[0]
    solved = tidy(system.A.adjugate() @ p)  # A⁻¹p = solved/determinant
    twice_T = tidy([p.dot(solved)])[0]
    q_dot = [entry / determinant for entry in solved]
    still = dict(zip(system.symbols.xi, q_dot, strict=True))
    rows = list(zip(letters.q_dot, q_dot, strict=True))
    for p_dot, x, tau in zip(letters.p_dot, system.symbols.q, system.tau, strict=True):
        slope = tidy([twice_T.diff(x)])[0] / determinant - twice_T * tidy([determinant.diff(x)])[0] / determinant**2
        rows.append((p_dot, tau.subs(still) - slope / 2))
    return [*rows, (None, twice_T / (2 * determinant))]


def _drives(system: KaneSystem, letters: _Letters) -> list[tuple[Any, Any]]:
    """ᶜA ξ̇ + ᶜD ξ less impressed forces (48)."""
    if not letters.known:
        return []
    xi_dot = np.array([*letters.xi_dot, *([0] if system.explicit else [])], dtype=object)
    accelerated, force = system.A @ xi_dot, tidy(system.D @ system.xi - np.array(system.tau, dtype=object)[:, 0])
    return [
        (letters.symbol(Label("tau", (name,)), Label("tau", (name,)).latex), accelerated[k] + force[k])
        for k, name in letters.known
    ]
