"""Layout: which entries of x and of z belong to which name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from visviva.geometry.embedding import AbstractSpace

Index = NDArray[np.intp]


@final
@dataclass(frozen=True)
class Variable:
    """A named part of the state, in its own space; `entropy` says that it is one, with the effort θ - θ0.

    names: of its coordinates, where they have some.   efforts: of its efforts, empty for those that have none.
    """

    name: str
    space: AbstractSpace
    entropy: bool = False
    names: tuple[str, ...] = ()
    efforts: tuple[str, ...] = ()


@final
@dataclass(frozen=True)
class Junction:
    """A named junction without storage: its effort is an algebraic unknown, its row a balance of flows."""

    name: str
    dim: int
    entropy: bool = False


@final
@dataclass(frozen=True)
class Reservoir:
    """A named junction held at effort zero, such as an environment: it takes up what flows in, and is no unknown."""

    name: str
    dim: int = 1
    entropy: bool = True


@final
@dataclass(frozen=True, eq=False)
class Layout:
    """x = coordinates of all variables; z = (their efforts, efforts of junctions, multipliers, zeros of reservoirs)."""

    x: dict[str, slice]
    z: dict[str, slice]
    size: int  # of x
    dim: int  # of the efforts of the variables
    solved: int  # of z without reservoirs
    total: int  # of z

    def read(self, names: tuple[str, ...]) -> Index:
        """Where the coordinates of these variables are in x."""
        return _join([self.x[name] for name in names])

    def place(self, names: tuple[str, ...]) -> slice | Index:
        """The same; a slice for one variable."""
        return self.x[names[0]] if len(names) == 1 else self.read(names)

    def act(self, names: tuple[str, ...]) -> Index:
        """Where the efforts of these names are in z."""
        return _join([self.z[name] for name in names])


def lay_out(
    variables: tuple[Variable, ...], algebraic: list[tuple[str, int]], reservoirs: tuple[Reservoir, ...]
) -> Layout:
    """Variables in their order, then the algebraic unknowns in theirs, then the reservoirs."""
    x: dict[str, slice] = {}
    z: dict[str, slice] = {}
    size = total = 0
    for variable in variables:
        x[variable.name] = slice(size, size + variable.space.size)
        z[variable.name] = slice(total, total + variable.space.dim)
        size, total = size + variable.space.size, total + variable.space.dim
    dim = total
    for name, width in algebraic:
        z[name] = slice(total, total + width)
        total += width
    solved = total
    for reservoir in reservoirs:
        z[reservoir.name] = slice(total, total + reservoir.dim)
        total += reservoir.dim
    return Layout(x, z, size, dim, solved, total)


def _join(slices: list[slice]) -> Index:
    if not slices:
        return np.zeros(0, dtype=np.intp)
    return np.concatenate([np.arange(part.start, part.stop, dtype=np.intp) for part in slices])
