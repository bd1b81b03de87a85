"""A port-Hamiltonian system as a Model: its functions as expressions, compiled and kept exact by discrete gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.compiler.laws import canonical, energy_law, matrix_law
from visviva.errors import ModelError
from visviva.forms.hamiltonian.port_hamiltonian import PortHamiltonian
from visviva.geometry.embedding import Flat
from visviva.language.regularity import ENERGY, require_regular
from visviva.model import Dissipation, Model, Port, Variable
from visviva.model.law import LawEnergy, LawMatrix
from visviva.model.structure import AbstractStructure, Routing

STATE = "state"
ROUNDING = 1e-14  # of the numbers in J


def hamiltonian_model(system: PortHamiltonian) -> Model:
    """E = 1, with J, R and G of (18); of inputs each is a port of its own name.

    An `UntraceableError` where a function cannot be run on symbols.
    """
    import sympy

    x = [sympy.Symbol(name, real=True) for name in system.states]
    H = system.H.expressions(x).item()
    require_regular(np.array(H, dtype=object), x, {}, f"H of {system.name!r}", ENERGY)
    J, R, G = (each.expressions(x) for each in (system.J_map, system.R_map, system.G_map))
    J = _skew(J, system)
    (energy,), numbers = canonical([H], {"x": x}, [])
    structures: list[AbstractStructure] = [Routing("J", (STATE,), *_matrix(J, x))]
    if any(entry != 0 for entry in R.ravel()):
        structures.append(Dissipation("R", (STATE,), *_matrix(R, x)))
    for k, name in enumerate(system.inputs):
        structures.append(Port(name, (STATE,), 1, *_matrix(G[:, [k]], x)))
    return Model(
        system.name,
        (Variable(STATE, Flat(system.n), names=system.states),),
        (LawEnergy("H", STATE, energy_law(energy, system.n, len(numbers)), np.array(numbers)),),
        tuple(structures),
    )


def _skew(J: Any, system: PortHamiltonian) -> Any:
    """J as it is, or its skew part where rounding of numbers is all that is left of J + Jᵀ; else an error."""
    import sympy

    rounded = False
    for i, j in zip(*np.triu_indices(len(J)), strict=True):
        left = sympy.simplify(J[i, j] + J[j, i])
        if left == 0:
            continue
        beside = J[i] if i == j else (J[i, j], J[j, i])
        if _largest([left]) > ROUNDING * _largest(beside):
            a, b = (repr(system.states[k]) for k in (i, j))
            raise ModelError(
                f"J of {system.name!r} must be skew, or it would create or lose power: of {a} and {b} is left {left}."
            )
        rounded = True
    return (J - J.T) / 2 if rounded else J


def _largest(entries: Any) -> float:
    """The largest number before the terms of expressions."""
    import sympy

    terms = [term for entry in entries for term in sympy.Add.make_args(sympy.expand(entry))]
    return max(abs(float(term.as_coeff_Mul()[0])) for term in terms)


def _matrix(values: Any, x: list[Any]) -> tuple[Any, tuple[str, ...]]:
    """Numbers where it is constant, else a law of x; and what it reads."""
    if not any(entry.free_symbols for entry in values.ravel()):
        return np.array(values.tolist(), dtype=np.float64), ()
    flat, numbers = canonical(list(values.ravel()), {"x": x}, [])
    law = matrix_law(flat, values.shape, (len(x), 0, len(numbers)))
    return LawMatrix(law, np.array(numbers)), (STATE,)
