"""A port-Hamiltonian system as a box of the language, with a port for each input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from visviva.errors import ModelError
from visviva.forms.hamiltonian.port_hamiltonian import PortHamiltonian
from visviva.language import (
    AbstractSystem,
    Composite,
    Quantity,
    compose,
    environment,
    irreversible,
    reversible,
    storage,
)
from visviva.language.trace import Traced

STATE = "x"
ENTROPY = Quantity("R", "entropy")


def hamiltonian_box(system: PortHamiltonian, ports: Mapping[str, Quantity], theta0: float) -> Composite:
    """Energy H(x), a coupling with J(x) and rows y = Gᵀ ∂H, and losses R(x) that heat an environment.

    An input u is what flows into x at its port, y = Gᵀ ∂H the effort there: of a momentum, force and velocity. With the
    multiplier λ = u of the row, ẋ = (J - R) ∂H + G λ and the port gives -λ: power y u goes in, and is nowhere lost.
    """
    import sympy

    _check(system, ports)
    n, p, names = system.n, len(system.inputs), tuple(ports)
    inside = {STATE: Quantity(f"R{n}", f"state of {system.name}")}
    pick = [system.inputs.index(name) for name in names]

    def matrix(given: Any, x: Any) -> Any:
        """A map of the system at traced states, as an array of traced numbers."""
        values = given.expressions([sympy.sympify(getattr(one, "expr", one)) for one in x.x])
        return np.vectorize(Traced, otypes=[object])(values) if values.ndim else Traced(values.item())

    def J(x: Any) -> Any:
        whole = np.zeros((n + len(names), n + len(names)), dtype=object)
        whole[:n, :n] = matrix(system.J_map, x)
        return whole

    def C(x: Any) -> Any:
        rows = np.zeros((len(names), n + len(names)), dtype=object)
        rows[:, :n] = matrix(system.G_map, x).reshape(n, p)[:, pick].T
        rows[:, n:] = -np.eye(len(names), dtype=int)
        return rows

    def M(x: Any, e: Any, theta: Any) -> Any:
        R = matrix(system.R_map, x)
        force = R @ e.x
        return np.block([[theta.s * R, -force[:, None]], [-force[None, :], np.array([[e.x @ force / theta.s]])]])

    structure = reversible(inside | dict(ports), J=J, C=C if names else None)
    boxes: dict[str, AbstractSystem] = {
        "energy": storage(inside, H=lambda x: matrix(system.H, x)),
        "structure": structure,
    }
    junctions = {STATE: [f"energy.{STATE}", f"structure.{STATE}"]}
    states = [sympy.Symbol(name, real=True) for name in system.states]
    if any(entry != 0 for entry in system.R_map.expressions(states).ravel()):
        boxes |= {"losses": irreversible(inside | {"s": ENTROPY}, M=M), "env": environment({"s": ENTROPY}, theta0)}
        junctions[STATE].append(f"losses.{STATE}")
        junctions["s"] = ["losses.s", "env.s"]
    junctions |= {name: [f"structure.{name}"] for name in names}
    return compose(system.name, boxes, junctions, outer=names)


def _check(system: PortHamiltonian, ports: Mapping[str, Quantity]) -> None:
    if not isinstance(ports, Mapping) or not all(isinstance(one, Quantity) for one in ports.values()):
        raise ModelError(
            f"ports of the box of {system.name!r} are quantities by input, as {{'tau': momentum}} with one of\n"
            f"visviva.library.quantities; got {ports!r}."
        )
    for name, quantity in ports.items():
        if name not in system.inputs:
            listed = ", ".join(system.inputs) or "none"
            raise ModelError(f"{system.name!r} has no input {name!r} for a port; its inputs are {listed}.")
        if quantity.dim != 1 or quantity.is_entropy:
            raise ModelError(
                f"port {name!r} of {system.name!r} is one number that flows, as a force into a momentum: its quantity "
                f"cannot be {quantity}."
            )
