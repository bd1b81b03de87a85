"""lagrangian: any Lagrangian system with holonomic constraints, as a Model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_vector
from visviva._suggestions import helpful
from visviva.compiler.lagrangian_trace import OWN, Tracing, coordinate_names
from visviva.compiler.laws import canonical, energy_law, matrix_law
from visviva.compiler.map_laws import map_of
from visviva.errors import ModelError
from visviva.geometry.embedding import Flat
from visviva.language.regularity import CONSTRAINT, ENERGY, LAW
from visviva.language.slopes import slope
from visviva.mechanism.names import check_new_name
from visviva.model import Dissipation, Kinetic, Model, Port, Variable
from visviva.model.checks import check_symmetric
from visviva.model.curved import Curved
from visviva.model.law import LawEnergy, LawMatrix
from visviva.model.motion import Coriolis, GeneralMotion, MassMotion
from visviva.model.storage import AbstractStorage
from visviva.model.structure import AbstractStructure
from visviva.model.structure import canonical as symplectic

Function = Callable[..., Any]
PLACE, SPEED = "q", "v"  # the variables


@helpful
def lagrangian(
    name: str,
    q: int | str | Sequence[str],
    *,
    L: Function | None = None,
    M: Function | ArrayLike | None = None,
    V: Function | None = None,
    g: Function | Mapping[str, Function] | None = None,
    inputs: Mapping[str, Function | ArrayLike] | None = None,
    damping: Function | ArrayLike | Mapping[str, Function | ArrayLike] | None = None,
    parameters: Mapping[str, ArrayLike] | None = None,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
) -> Model:
    """d/dt ∂L/∂v = ∂L/∂q - (∂g/∂q)ᵀλ - R v + B u,  q̇ = v,  g(q) = 0: the Model of it.

    q:          names of the coordinates, such as ("x", "y"), or their number.
    L:          the Lagrangian, a function of q and v; or
    M, V:       the mass matrix (numbers or a function of q; a vector is a diagonal), and the potential energy V(q), for
                L = ½ v·M v - V.
    g:          constraint functions of q, together or by name.
    inputs:     by name of the port, the columns B of its forces: numbers or a function of q; its outputs are Bᵀ v.
    damping:    R, symmetric ⪰ 0, numbers or a function of q and v, together or by name.
    parameters: numbers that the functions take by name.
    q0, v0:     where a run starts if no other values are given; v0 is zero by default.

    The functions are run once on symbols: q and v are vectors, q[0] or q.x, and NumPy's functions know them. The energy
    v·∂L/∂v - L, the constraints and their rates follow exactly, without differences.

    Source: Latussek, Kinon, Betsch, (8) for L(q, v), (19) for M(q), (24) for constant M.
    """
    if not isinstance(name, str):
        raise ModelError(f"the first argument of lagrangian() is the name of the system, got {name!r}.")
    names = coordinate_names(name, q)
    n, tracing, taken = len(names), Tracing(name, names, parameters or {}), {*OWN, *names}
    storages, structures = _energies(tracing, L, M, V)
    for label, given in _named(g, "constraint").items():
        structures.append(_constraint(tracing, _new(label, taken, name), given))
    for label, given in _named(damping, "damping").items():
        values = tracing.matrix(given, f"damping {label!r}", velocities=True)
        tracing.require_regular(values @ tracing.v, f"the force of damping {label!r}", LAW)
        R = _matrix(tracing, values, efforts=True)
        if isinstance(R, np.ndarray):
            check_symmetric(R, f"damping {label!r} of {name!r}", semidefinite=True)
        structures.append(Dissipation(_new(label, taken, name), (SPEED,), R, (PLACE,)))
    if inputs is not None and not isinstance(inputs, Mapping):
        raise ModelError(f"inputs of {name!r} are given by name, e.g. inputs={{'motor': [1, 0]}}, got {inputs!r}.")
    for label, given in (inputs or {}).items():
        B = tracing.columns(given, f"input {label!r}")
        structures.append(Port(_new(label, taken, name), (SPEED,), B.shape[1], _matrix(tracing, B), (PLACE,)))
    tracing.check_parameters()
    return Model(
        name,
        (Variable(PLACE, Flat(n)), Variable(SPEED, Flat(n))),
        tuple(storages),
        (symplectic("motion", PLACE, SPEED, n), *structures),
        start=_start(name, n, q0, v0),
        coordinates=names,
    )


def _named(given: Any, default: str) -> Mapping[str, Any]:
    if given is None:
        return {}
    return given if isinstance(given, Mapping) else {default: given}


def _new(label: str, taken: set[str], system: str) -> str:
    check_new_name(label, (), "part of a Lagrangian system")
    if label in taken:
        raise ModelError(f"the name {label!r} is taken in {system!r}, or one of its results has it: use another one.")
    taken.add(label)
    return label


def _start(system: str, n: int, q0: ArrayLike | None, v0: ArrayLike | None) -> dict[str, Array]:
    if q0 is None:
        if v0 is not None:
            raise ModelError(
                f"{system!r} has v0 but no q0: give both, or initial={{'q': ..., 'v': ...}} to simulate()."
            )
        return {}
    v0 = np.zeros(n) if v0 is None else v0
    given = {PLACE: (q0, "q0"), SPEED: (v0, "v0")}
    return {
        key: finite_vector(np.atleast_1d(value), f"{what} of {system!r}", n) for key, (value, what) in given.items()
    }


# -- energies ---------------------------------------------------------------------------------------------------


def _energies(tracing: Tracing, L: Any, M: Any, V: Any) -> tuple[list[AbstractStorage], list[AbstractStructure]]:
    """What stores energy, and the gyroscopic forces that belong to it."""
    import sympy

    system, v = tracing.system, tracing.v
    if (L is None) == (M is None):
        raise ModelError(f"{system!r} needs either L, a function of q and v, or M, with V where there is a potential.")
    if L is None:
        potential, mass = sympy.Integer(0) if V is None else tracing.scalar(V, "V"), tracing.matrix(M, "M")
        tracing.require_regular(potential, "V", ENERGY)
        tracing.require_regular(mass, "M", ENERGY)
        return _of_mass(tracing, mass, [sympy.Integer(0)] * tracing.n, potential)
    if V is not None:
        raise ModelError(f"{system!r} has both L and V: L holds the potential energy already.")
    L = tracing.scalar(L, "L", velocities=True)
    p = [slope(L, v_k) for v_k in v]
    tracing.require_regular(L, "L", ENERGY)
    tracing.require_regular(p, "a momentum ∂L/∂v", ENERGY)
    mass = np.array([[sympy.expand(slope(p_k, v_l)) for v_l in v] for p_k in p], dtype=object)
    if all(value == 0 for value in mass.ravel()):
        raise ModelError(
            f"L of {system!r} has no term of second or higher degree in v: without kinetic energy there is no motion."
        )
    rest = dict.fromkeys(v, sympy.Integer(0))
    if not any(value.free_symbols & set(v) for value in mass.ravel()):
        return _of_mass(tracing, mass, [p_k.xreplace(rest) for p_k in p], -L.xreplace(rest))
    potential = -L.xreplace(rest)
    if potential.has(sympy.zoo, sympy.oo, sympy.nan):
        raise ModelError(f"L of {system!r} is not finite at v = 0: it has no state of rest.")
    H = sum(v_k * p_k for v_k, p_k in zip(v, p, strict=True)) - L - potential
    (value,), numbers = canonical([H], {"x": [*tracing.q, *v]}, list(tracing.parameters.items()))
    law = energy_law(value, 2 * tracing.n, len(numbers))
    momentum = map_of(p, [*tracing.q, *v], tracing.parameters)
    motion = GeneralMotion("kinetic", SPEED, PLACE, law, np.array(numbers), momentum)
    return [motion, *_potential(tracing, potential)], [Coriolis("coriolis", motion)]


def _potential(tracing: Tracing, V: Any) -> list[AbstractStorage]:
    """The storage of V(q), if it depends on q."""
    if not V.free_symbols & set(tracing.q):
        return []
    (value,), numbers = canonical([V], {"x": tracing.q}, list(tracing.parameters.items()))
    return [LawEnergy("potential", PLACE, energy_law(value, tracing.n, len(numbers)), np.array(numbers))]


def _of_mass(
    tracing: Tracing, mass: Any, a: list[Any], potential: Any
) -> tuple[list[AbstractStorage], list[AbstractStructure]]:
    """L = ½ v·M v + a·v - V; constant M without a need no more than M."""
    q, storages = set(tracing.q), _potential(tracing, potential)
    M = map_of(list(mass.ravel()), tracing.q, tracing.parameters)
    if not any(value.free_symbols & q for value in (*mass.ravel(), *a)):
        constant = M.value(np.zeros(tracing.n)).reshape(tracing.n, tracing.n)
        return [Kinetic("kinetic", SPEED, constant), *storages], []
    motion = MassMotion("kinetic", SPEED, PLACE, M, map_of(a, tracing.q, tracing.parameters))
    return [motion, *storages], [Coriolis("coriolis", motion)]


# -- structures -------------------------------------------------------------------------------------------------


def _constraint(tracing: Tracing, label: str, given: Any) -> Curved:
    g = tracing.vector(given, f"g, constraint {label!r},")
    for row, value in enumerate(g):
        if not value.free_symbols & set(tracing.q):
            raise ModelError(
                f"constraint {label!r} of {tracing.system!r} does not depend on q: its entry {row} is {value}."
            )
    tracing.require_regular(g, f"constraint {label!r}", CONSTRAINT)
    G = [slope(value, q_k) for value in g for q_k in tracing.q]
    value, gradient = (map_of(values, tracing.q, tracing.parameters) for values in (g, G))
    return Curved(label, (PLACE,), (SPEED,), value, gradient)


def _matrix(tracing: Tracing, values: Any, *, efforts: bool = False) -> Any:
    """A matrix of expressions as a function of q and, where asked, of v; numbers where it is constant."""
    given = {"x": tracing.q} | ({"e": tracing.v} if efforts else {})
    used = set().union(*(value.free_symbols for value in values.ravel()))
    flat, numbers = canonical(list(values.ravel()), given, list(tracing.parameters.items()))
    law = matrix_law(flat, values.shape, (tracing.n, tracing.n if efforts else 0, len(numbers)))
    matrix = LawMatrix(law, np.array(numbers))
    if used & {*tracing.q, *tracing.v}:
        return matrix
    return matrix(np.zeros(tracing.n), np.zeros(tracing.n))
