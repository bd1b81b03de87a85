"""A Lagrangian system, given as a Model, in symbols: what `vv.lagrangian` was told, read back from the laws of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva.compiler.laws import symbols as canonical_symbols
from visviva.errors import ModelError
from visviva.forms.component_equations import ComponentEquations
from visviva.language.slopes import slope
from visviva.model import Dissipation, Kinetic, Model, Port
from visviva.model.curved import Curved
from visviva.model.law import LawEnergy, LawMatrix
from visviva.model.maps import LawMap
from visviva.model.motion import GeneralMotion, MassMotion
from visviva.views.equations_names import Label


@final
@dataclass(frozen=True, eq=False)
class SymbolicLagrangian:
    """L(q, v) = v·p - H - V with p = ∂L/∂v, and what acts besides; parameters are numbers.

    momenta: p (n,).   kinetic: H without V.   V: potential energy.   damping: R v (n,).   inputs: by port B (n, w).
    constraints: by name g(q), an object array.
    """

    name: str
    q: tuple[Any, ...]
    v: tuple[Any, ...]
    momenta: Any
    kinetic: Any
    V: Any
    damping: Any
    inputs: dict[str, Any]
    constraints: dict[str, Any]

    @property
    def mass(self) -> Any:
        """∂²L/∂v², an object array (n, n)."""
        return _slopes(self.momenta, self.v)

    @property
    def drift(self) -> Any:
        """(∂p/∂q) v, (n,)."""
        return _slopes(self.momenta, self.q) @ np.array(self.v, dtype=object)

    @property
    def pushed(self) -> Any:
        """∂(v·p - H)/∂q, (n,): what generates forces besides V."""
        L = np.array(self.v, dtype=object) @ self.momenta - self.kinetic
        return np.array([slope(L, s) for s in self.q], dtype=object)


def _slopes(values: Any, by: tuple[Any, ...]) -> Any:
    return np.array([[slope(entry, s) for s in by] for entry in values], dtype=object).reshape(len(values), len(by))


def symbolic_lagrangian(model: Model) -> SymbolicLagrangian:
    """Of a Model that `vv.lagrangian` made."""
    import sympy

    if not model.coordinates:
        raise ModelError(f"model {model.name!r} is no Lagrangian system: give the description that it was made of.")
    q = tuple(sympy.Symbol(name, real=True) for name in model.coordinates)
    v = tuple(sympy.Symbol(f"{name}_dot", real=True) for name in model.coordinates)
    n, speed = len(q), np.array(v, dtype=object)
    momenta, kinetic, V = np.zeros(n, dtype=object), sympy.Integer(0), sympy.Integer(0)
    for part in model.storages:
        match part:
            case Kinetic():
                momenta = _exact(part.M) @ speed
                kinetic = speed @ momenta / 2
            case MassMotion():
                M = _of_map(part.M, q).reshape(n, n)
                momenta = M @ speed + _of_map(part.a, q)
                kinetic = speed @ M @ speed / 2
            case GeneralMotion():
                momenta = _of_map(part.p, (*q, *v))
                kinetic = _placed([part.law.H], part.parameters, x=(*q, *v))[0]  # type: ignore[attr-defined]
            case LawEnergy():
                V = V + _placed([part.law.H], part.parameters, x=q)[0]  # type: ignore[attr-defined]
    damping = np.zeros(n, dtype=object)
    inputs, constraints = dict[str, Any](), dict[str, Any]()
    for structure in model.structures:
        match structure:
            case Dissipation():
                damping = damping + _matrix(structure.matrix, q, v) @ speed
            case Port():
                inputs[structure.name] = _matrix(structure.matrix, q, v)
            case Curved():
                constraints[structure.name] = _of_map(structure.g, q)
    return SymbolicLagrangian(model.name, q, v, momenta, kinetic, V, damping, inputs, constraints)


def _placed(values: Any, parameters: Any, **given: Any) -> Any:
    """Canonical expressions in other symbols, with the numbers of parameters."""
    import sympy

    known = dict(zip(canonical_symbols("p", len(parameters)), map(_exact_number, parameters), strict=True))
    for letter, own in given.items():
        known |= dict(zip(canonical_symbols(letter, len(own)), own, strict=True))
    found = np.empty(len(values), dtype=object)
    found[:] = [sympy.sympify(value).xreplace(known) for value in values]
    return found


def _of_map(given: LawMap, x: tuple[Any, ...]) -> Any:
    law: Any = given.law
    return _placed(law.values, given.parameters, x=x)


def _matrix(given: Any, q: tuple[Any, ...], v: tuple[Any, ...]) -> Any:
    if isinstance(given, LawMatrix):
        law: Any = given.law
        return _placed(law.values, given.parameters, x=q, e=v).reshape(law.shape)
    return _exact(given)


def _exact(values: Any) -> Any:
    return np.vectorize(_exact_number, otypes=[object])(np.asarray(values))


def _exact_number(value: Any) -> Any:
    """Whole numbers as such."""
    import sympy

    return sympy.Integer(int(value)) if float(value).is_integer() else sympy.Float(float(value))


def lagrangian_equations(model: Model) -> ComponentEquations:
    """(∂²L/∂v²) v̇ + (∂p/∂q) v = ∂L/∂q - (∂g/∂q)ᵀλ - R v + B u, and g = 0, by components."""
    import sympy

    s = symbolic_lagrangian(model)
    spelling = {symbol: Label(str(symbol)).latex for symbol in s.q}
    spelling |= {symbol: Label(str(x)).dotted for symbol, x in zip(s.v, s.q, strict=True)}
    v_dot = [sympy.Symbol(f"{x}_ddot", real=True) for x in s.q]
    spelling |= {symbol: Label(str(x)).with_dots(2) for symbol, x in zip(v_dot, s.q, strict=True)}
    left = s.mass @ np.array(v_dot, dtype=object) + s.drift
    right = s.pushed - np.array([slope(s.V, x) for x in s.q], dtype=object) - s.damping
    for name, B in s.inputs.items():
        u = _numbered(name, B.shape[1], spelling)
        right = right + B @ np.array(u, dtype=object)
    conditions = []
    for name, g in s.constraints.items():
        lam = _numbered(f"lam_{name}", len(g), spelling)
        right = right - _slopes(g, s.q).T @ np.array(lam, dtype=object)
        conditions += [(entry, sympy.Integer(0)) for entry in g]
    energy = [(_spelled("T", spelling), s.kinetic), (_spelled("V", spelling), s.V)]
    rows = [(sympy.expand(a), sympy.expand(b)) for a, b in zip(left, right, strict=True)]
    return ComponentEquations(model.name, "lagrange", tuple(rows), tuple(conditions), tuple(energy), spelling)


def _numbered(name: str, n: int, spelling: dict[Any, str]) -> list[Any]:
    return [_spelled(name if n == 1 else f"{name}_{k + 1}", spelling) for k in range(n)]


def _spelled(name: str, spelling: dict[Any, str]) -> Any:
    import sympy

    symbol = sympy.Symbol(name, real=True)
    spelling[symbol] = Label(name).latex
    return symbol
