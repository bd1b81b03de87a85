"""Lagrangian systems as compiled blocks: constraint functions, and the balance of momentum where M depends on q.

Coordinates at both ends of a step are a = 2 x - y and b = y, with the mean x and the end y.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.flows import FlowLaw, NotCompilable, flow_law, flow_of
from visviva.compiler.laws import symbols
from visviva.compiler.map_laws import MapLaw
from visviva.geometry.embedding import AbstractSpace
from visviva.model import Kinetic, Model
from visviva.model.curved import Curved
from visviva.model.maps import LawMap
from visviva.model.motion import Coriolis, MassMotion
from visviva.model.structure import AbstractStructure


@final
@dataclass(frozen=True, eq=False)
class Balance(AbstractStructure):
    """-A Δv/h - D_q + (Bᵀ - B) v̄ as what flows into a velocity without inertia: the motion of a `MassMotion`."""

    name: str
    motion: MassMotion
    reads: tuple[str, ...]
    acts: tuple[str, ...]


def with_balances(model: Model) -> Model:
    """The same equations of a step with a constant E: what the compiled steps take."""
    motions = {part.variable: part for part in model.motions if isinstance(part, MassMotion)}
    if not motions:
        return model
    storages = []
    for part in model.storages:
        n = model.layout.x[part.variable].stop - model.layout.x[part.variable].start
        light = Kinetic(part.name, part.variable, np.zeros((n, n)))
        storages.append(light if isinstance(part, MassMotion) else part)
    structures = [
        Balance(part.name, part.motion, part.reads, part.acts)
        if isinstance(part, Coriolis) and isinstance(part.motion, MassMotion)
        else part
        for part in model.structures
    ]
    return dataclasses.replace(model, storages=tuple(storages), structures=tuple(structures))


@flow_of.register
def _(part: Curved, reads: tuple[AbstractSpace, ...], acts: tuple[int, ...]) -> tuple[FlowLaw, Array]:
    law = _law(part.g, part.name)
    n, m = law.size, law.rows
    slopes, values = _slopes(law, part.name, n), [value.xreplace(_end(n)) for value in law.values]
    lam, k = symbols("e", n + m)[n:], _inverse_step()
    forces = [-sum(slopes[row][i] * lam[row] for row in range(m)) for i in range(n)]
    return flow_law((*forces, *(k * value for value in values)), reads, (*acts, m), 0, law.width), part.g.parameters


@flow_of.register
def _(part: Balance, reads: tuple[AbstractSpace, ...], acts: tuple[int, ...]) -> tuple[FlowLaw, Array]:
    M, a = _law(part.motion.M, part.name), _law(part.motion.a, part.name)
    n, shift = M.size, dict(zip(symbols("p", a.width), symbols("p", M.width + a.width)[M.width :], strict=True))
    v = symbols("x", 2 * n)[n:]  # the mean
    v1 = symbols("y", 2 * n)[n:]
    gain = [2 * (end - mean) for mean, end in zip(v, v1, strict=True)]
    squares = [[mean_i * mean_j + d_i * d_j / 4 for mean_j, d_j in zip(v, gain, strict=True)]
               for mean_i, d_i in zip(v, gain, strict=True)]  # fmt: skip
    slopes = _slopes(M, part.name, 2 * n)
    bent = [[slope.xreplace(shift) for slope in row] for row in _slopes(a, part.name, 2 * n)]
    start, end = _start(n, 2 * n), _end(n)
    mass = [(value.xreplace(start) + value.xreplace(end)) / 2 for value in M.values]
    B = [[bent[i][l] + sum(slopes[i * n + j][l] * v[j] for j in range(n)) for l in range(n)] for i in range(n)]
    pairs = [(i, j) for i in range(n) for j in range(n)]
    flows = []
    for l in range(n):
        inertia = sum(mass[l * n + j] * gain[j] for j in range(n))
        D_q = sum(slopes[i * n + j][l] * squares[i][j] for i, j in pairs) / 2
        flows.append(-_inverse_step() * inertia - D_q + sum((B[i][l] - B[l][i]) * v[i] for i in range(n)))
    numbers = np.concatenate([part.motion.M.parameters, part.motion.a.parameters])
    return flow_law(tuple(flows), reads, acts, 0, M.width + a.width), numbers


def _law(given: LawMap, name: str) -> MapLaw:
    if not isinstance(given.law, MapLaw):
        raise NotCompilable(f"{name!r} was not traced")
    return given.law


def _slopes(law: MapLaw, name: str, width: int) -> list[list[Any]]:
    """The slopes of each function between both ends; width: number of coordinates read, those of the law first."""
    ends = dict(zip(symbols("a", law.size), _start(law.size, width).values(), strict=True))
    ends |= dict(zip(symbols("b", law.size), _end(law.size).values(), strict=True))
    rows = []
    for row in law.differences:
        if row is None:
            raise NotCompilable(f"a function of {name!r} has no rule for its slope between two states")
        rows.append([slope.xreplace(ends) for slope in row])
    return rows


def _start(n: int, width: int) -> dict[Any, Any]:
    x, y = symbols("x", width)[:n], symbols("y", width)[:n]
    return {mean: 2 * mean - end for mean, end in zip(x, y, strict=True)}


def _end(n: int) -> dict[Any, Any]:
    return dict(zip(symbols("x", n), symbols("y", n), strict=True))


def _inverse_step() -> Any:
    import sympy

    return sympy.Symbol("k", real=True)
