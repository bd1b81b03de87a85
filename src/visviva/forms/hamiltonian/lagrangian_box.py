"""A Lagrangian system as a box of the language, with a port for each input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._suggestions import helpful
from visviva.compiler.lagrangian_trace import Tracing, coordinate_names
from visviva.errors import ModelError
from visviva.forms.hamiltonian.port_hamiltonian import PortHamiltonian
from visviva.language.slopes import slope

if TYPE_CHECKING:
    from visviva.language import Composite, Quantity

Function = Callable[..., Any]


@helpful
def lagrangian_box(
    name: str,
    q: int | str | Sequence[str],
    ports: Mapping[str, Quantity],
    *,
    L: Function | None = None,
    M: Function | ArrayLike | None = None,
    V: Function | None = None,
    inputs: Mapping[str, Function | ArrayLike],
    damping: Function | ArrayLike | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    theta0: float = 300.0,
) -> Composite:
    """A system of `vv.lagrangian` as a box, whose outer ports are its inputs: it composes with all others.

        q̇ = ∂H/∂p,   ṗ = -∂H/∂q - R ∂H/∂p + B u,   y = Bᵀ ∂H/∂p,   H = ½ p·M(q)⁻¹ p + V(q)

    ports:  by input, the quantity that it is a flow of: {"tau": angular_momentum} where y is an angular velocity.
    inputs: by name, one column B of forces each: numbers or a function of q.
    theta0: temperature [K] of the environment that the damping heats.
    Others: as `vv.lagrangian` has them, of a Lagrangian ½ v·M v - V without constraints. States are the variable "x" of
    the box, (q, p) with p = M v.
    """
    names = coordinate_names(name, q)
    tracing, n = Tracing(name, names, parameters or {}), len(names)
    mass, potential = _mass_and_potential(tracing, L, M, V)
    B = np.array([tracing.vector(given, f"input {label!r}") for label, given in inputs.items()], dtype=object).T
    if B.shape[0] != n:
        raise ModelError(f"inputs of the box {name!r} have one column each, of as many entries as coordinates, {n}.")
    D = np.zeros((n, n), dtype=object) if damping is None else tracing.matrix(damping, "damping")
    tracing.check_parameters()
    return _hamiltonian(tracing, mass, potential, B, D, tuple(inputs)).box(ports, theta0=theta0)


def _mass_and_potential(tracing: Tracing, L: Any, M: Any, V: Any) -> tuple[Any, Any]:
    """M(q) and V(q), given or those of L = ½ v·M v - V."""
    import sympy

    if (L is None) == (M is None) or (L is not None and V is not None):
        raise ModelError(f"{tracing.system!r} needs either L, a function of q and v, or M, with V for a potential.")
    if L is None:
        return tracing.matrix(M, "M"), sympy.Integer(0) if V is None else tracing.scalar(V, "V")
    whole, v = tracing.scalar(L, "L", velocities=True), tracing.v
    momenta, rest = [slope(whole, one) for one in v], dict.fromkeys(v, sympy.Integer(0))
    mass = np.array([[sympy.expand(slope(p, one)) for one in v] for p in momenta], dtype=object)
    if any(entry.free_symbols & set(v) for entry in mass.ravel()) or any(p.xreplace(rest) != 0 for p in momenta):
        raise ModelError(
            f"L of {tracing.system!r} is not ½ v·M(q) v - V(q): its momenta are no M v, and the box needs their "
            "inverse.\nJoin the Model of vv.lagrangian by vv.connect(...) instead."
        )
    return mass, -whole.xreplace(rest)


def _hamiltonian(
    tracing: Tracing, mass: Any, potential: Any, B: Any, D: Any, inputs: tuple[str, ...]
) -> PortHamiltonian:
    import sympy

    n = tracing.n
    p = sympy.Matrix([sympy.Symbol(f"p_{name}", real=True) for name in tracing.names])
    H = (p.T @ sympy.Matrix(mass).inv() @ p)[0] / 2 + potential
    J, R, G = (np.zeros(shape, dtype=object) for shape in ((2 * n, 2 * n), (2 * n, 2 * n), (2 * n, len(inputs))))
    J[:n, n:], J[n:, :n] = np.eye(n, dtype=int), -np.eye(n, dtype=int)
    R[n:, n:], G[n:] = D, B
    number = np.vectorize(lambda entry: sympy.sympify(entry).xreplace(tracing.parameters), otypes=[object])
    states = (*tracing.names, *map(str, p))
    return PortHamiltonian(
        states, number(H).item(), number(J), R=number(R), G=number(G), inputs=inputs, name=tracing.system
    )
