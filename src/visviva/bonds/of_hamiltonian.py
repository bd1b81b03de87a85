"""The bond graph of a port-Hamiltonian system: one store of energy, its structure as a gyrator, losses and ports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva.bonds.elements import PORTS, Element, Se
from visviva.bonds.formula import AbstractLaw, Formula
from visviva.bonds.graph import BondGraph
from visviva.forms.hamiltonian.port_hamiltonian import PortHamiltonian
from visviva.language.slopes import slope
from visviva.mechanism.names import unknown_name

if TYPE_CHECKING:
    from visviva.bonds.laws import Laws


@final
@dataclass(frozen=True, eq=False)
class GivenLaw(AbstractLaw):
    """Expressions of the states by role."""

    roles: dict[str, Any]

    def formulas(self, laws: Laws, label: str) -> dict[str, Formula]:
        """As they are: states are symbols of their names."""
        return {
            role: Formula(f"{role} of {label!r}", laws.scope, np.shape(values), np.asarray(values, dtype=object))
            for role, values in self.roles.items()
        }


def hamiltonian_graph(system: PortHamiltonian, inputs: Mapping[str, Any] | None) -> BondGraph:
    """ẋ = (J - R) ∂H + G u at one 1-junction, whose flow is ∂H:   I with H(x), GY with -J, R, and TF with -Gᵀ to Se.

    inputs: laws of u by name, numbers or functions of time; a source without one is an input.
    """
    import sympy

    n, p = system.n, len(system.inputs)
    x = [sympy.Symbol(name, real=True) for name in system.states]
    H = system.H.expressions(x).item()
    J, R, G = (each.expressions(x) for each in (system.J_map, system.R_map, system.G_map))
    stored = {"energy": np.array(H, dtype=object), "output": np.array([slope(H, s) for s in x], dtype=object)}
    elements: dict[str, Element] = {
        "f": Element("1", widths=(n,), ports=(), label="∂H"),
        "H": Element("I", GivenLaw(stored), widths=(n,), ports=PORTS["I"], names=system.states, energy=True),
        "J": Element("GY", GivenLaw({"matrix": -J}), widths=(n,), ports=("in",), modulated=_moves(J), label="-J"),
    }
    bonds = ["f -> H", "f -> J"]
    if any(entry != 0 for entry in R.ravel()):
        elements["R"] = Element("R", GivenLaw({"matrix": R}), widths=(n,), ports=PORTS["R"])
        bonds.append("f -> R")
    if p:
        law = GivenLaw({"matrix": -G.T})
        elements["G"] = Element("TF", law, widths=(n, p), ports=PORTS["TF"], modulated=_moves(G), label="-Gᵀ")
        elements["u"] = Se(_laws(system, inputs), width=p)
        bonds.append("f -> G -> u")
    return BondGraph(system.name, elements, bonds)


def _moves(values: Any) -> bool:
    return any(entry.free_symbols for entry in values.ravel())


def _laws(system: PortHamiltonian, inputs: Mapping[str, Any] | None) -> Any:
    """A function of time for all inputs; None where none was given."""
    for name in inputs or {}:
        if name not in system.inputs:
            raise unknown_name(name, system.inputs, f"{system.name!r}, whose inputs inputs= gives,")
    if inputs is None:
        return None
    given = [inputs.get(name, 0.0) for name in system.inputs]
    return lambda t: np.array([each(t) if callable(each) else each for each in given])
