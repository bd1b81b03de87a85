"""What kind of equations a model has: states, algebraic unknowns, rank of the constraints, index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva._suggestions import helpful
from visviva.model import Model
from visviva.numerics.nullspace import split


@final
@dataclass(frozen=True)
class Analysis:
    """The structure of a model at a state; prints as a list.

    index:  0 for an ordinary differential equation; 1 if the algebraic rows determine the algebraic unknowns;
            2 if they constrain the states, so that they must be differentiated once.
    """

    name: str
    states: int
    junctions: tuple[str, ...]  # without storage: their efforts are algebraic
    reservoirs: tuple[str, ...]
    rows: int
    rank: int
    index: int

    def __str__(self) -> str:
        lines = [
            f"{self.name}: {self.states} states, index {self.index}",
            f"  junctions without storage: {', '.join(self.junctions) or 'none'}",
            f"  held by an environment: {', '.join(self.reservoirs) or 'none'}",
            f"  constraint rows: {self.rows} of rank {self.rank}",
        ]
        return "\n".join(lines)


@helpful
def analyse(model: Model, x: Array) -> Analysis:
    """Count, and find the index from the block of (J - R) among the algebraic unknowns."""
    z, dim, solved = model.z(x), model.layout.dim, model.layout.solved
    block = (model.J(x) - model.R(x, z))[dim:solved, dim:solved]
    algebraic = solved - dim
    index = 0 if not algebraic else 1 if split(block).rank == algebraic else 2
    C = model.C(x)
    return Analysis(
        model.name,
        dim,
        tuple(junction.name for junction in model.junctions),
        tuple(reservoir.name for reservoir in model.reservoirs),
        len(C),
        split(np.asarray(C)).rank,
        index,
    )
