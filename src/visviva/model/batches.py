"""Batches: all instances of a law, evaluated at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.geometry.embedding import AbstractSpace, Flat
from visviva.model.law import AbstractEnergyLaw, AbstractMatrixLaw, LawEnergy, LawMatrix
from visviva.model.layout import Index, Layout
from visviva.model.storage import AbstractStorage, Kinetic, Linear
from visviva.model.structure import AbstractStructure


@final
@dataclass(frozen=True, eq=False)
class EnergyBatch:
    """Storages of one law on flat variables.

    which: their numbers among all storages.   x: their coordinates, (k, size).   z: their efforts, (k, size).
    """

    law: AbstractEnergyLaw
    parameters: Array  # (k, width)
    which: Index
    x: Index
    z: Index

    def energies(self, x: Array) -> Array:
        """H of each, shape (..., k)."""
        return self.law.energy(x[..., self.x], self.parameters)

    def magnitudes(self, x: Array) -> Array:
        """Sum of the moduli of the terms of each H, shape (..., k)."""
        return self.law.magnitude(x[..., self.x], self.parameters)

    def changes(self, x0: Array, x: Array) -> tuple[Array, Array]:
        """H(x) - H(x0) of each, and the sizes of its terms, shape (..., k) both."""
        return self.law.change(x0[..., self.x], x[..., self.x], self.parameters)

    def efforts(self, x0: Array, x1: Array) -> Array:
        """Discrete gradient of each, shape (..., k, size)."""
        return self.law.secant(x0[..., self.x], x1[..., self.x], self.parameters)


@final
@dataclass(frozen=True, eq=False)
class MatrixBatch:
    """Structures of one kind whose matrices have one law."""

    parts: tuple[AbstractStructure, ...]
    law: AbstractMatrixLaw
    parameters: Array
    reads: Index  # (k, ...) in x
    acts: Index  # (k, ...) in z

    def matrices(self, x: Array, z: Array) -> Array:
        """One matrix each, shape (k, *shape)."""
        return self.law.matrix(x[self.reads], z[self.acts], self.parameters)


@final
@dataclass(frozen=True, eq=False)
class PlainBatch:
    """Storages whose efforts are M q, or constant c, of variables of one size; see `Kinetic` and `Linear`.

    which: their numbers among all storages.   x: their coordinates, (k, size).
    """

    which: Index
    x: Index
    numbers: Array  # (k, size, size) or (k, size)

    def changes(self, x0: Array, x: Array) -> tuple[Array, Array]:
        """H(x) - H(x0) of each, and |H(x)|, shape (..., k) both."""
        H = self._energies(x[..., self.x])
        return H - self._energies(x0[..., self.x]), np.abs(H)

    def _energies(self, q: Array) -> Array:
        if self.numbers.ndim == 2:
            return np.asarray((q * self.numbers).sum(-1))
        return np.asarray(0.5 * (q * (q[..., None, :] @ self.numbers)[..., 0, :]).sum(-1))

    def energies(self, x: Array) -> tuple[Array, Array]:
        """H of each at one state, and Σ |∂H/∂x| |x|, by which they round, (k,) both."""
        q = x[self.x]
        if self.numbers.ndim == 2:
            return (q * self.numbers).sum(-1), np.abs(q * self.numbers).sum(-1)
        terms = q * (q[:, None] @ self.numbers)[:, 0]
        return 0.5 * terms.sum(-1), np.abs(terms).sum(-1)


def plain_batches(storages: Iterable[AbstractStorage], layout: Layout) -> tuple[list[PlainBatch], list[int]]:
    """The batches, and the numbers of the storages that are in none."""
    found: dict[tuple[type, int], list[tuple[int, Kinetic | Linear]]] = {}
    single = []
    for k, part in enumerate(storages):
        if isinstance(part, Kinetic | Linear):
            at = layout.x[part.variable]
            found.setdefault((type(part), at.stop - at.start), []).append((k, part))
        else:
            single.append(k)
    batches = []
    for (_, size), members in found.items():
        starts = np.array([layout.x[part.variable].start for _, part in members], dtype=np.intp)
        numbers = np.array([part.M if isinstance(part, Kinetic) else part.c for _, part in members])
        which = np.array([k for k, _ in members], dtype=np.intp)
        batches.append(PlainBatch(which, starts[:, None] + np.arange(size, dtype=np.intp), numbers))
    return batches, single


def energy_batches(
    storages: Iterable[AbstractStorage], layout: Layout, spaces: dict[str, AbstractSpace]
) -> tuple[list[EnergyBatch], list[int]]:
    """The batches, and the numbers of the storages that are in none; a variable with several has them one by one."""
    storages = tuple(storages)
    holders = Counter(part.variable for part in storages)
    found: dict[AbstractEnergyLaw, list[tuple[int, LawEnergy]]] = {}
    single = []
    for k, part in enumerate(storages):
        alone = holders[part.variable] == 1 and isinstance(spaces[part.variable], Flat)
        if isinstance(part, LawEnergy) and alone:
            found.setdefault(part.law, []).append((k, part))
        else:
            single.append(k)
    batches = []
    for law, members in found.items():
        names = [part.variable for _, part in members]
        size = spaces[names[0]].size
        lanes = np.arange(size, dtype=np.intp)
        batches.append(
            EnergyBatch(
                law,
                np.array([part.parameters for _, part in members]),
                np.array([k for k, _ in members], dtype=np.intp),
                np.array([layout.x[name].start for name in names], dtype=np.intp)[:, None] + lanes,
                np.array([layout.z[name].start for name in names], dtype=np.intp)[:, None] + lanes,
            )
        )
    return batches, single


def matrix_batches(
    structures: Iterable[AbstractStructure], places: dict[AbstractStructure, tuple[Index, Index]]
) -> tuple[list[MatrixBatch], list[AbstractStructure]]:
    """The batches, and the structures that are in none."""
    found: dict[Any, list[AbstractStructure]] = {}
    single = []
    for part in structures:
        matrix = getattr(part, "matrix", None)
        if isinstance(matrix, LawMatrix):
            found.setdefault((type(part), matrix.law), []).append(part)
        else:
            single.append(part)
    batches = []
    for (_, law), parts in found.items():
        numbers = np.array([part.matrix.parameters for part in parts])  # type: ignore[attr-defined]
        reads, acts = (np.array([places[part][side] for part in parts], dtype=np.intp) for side in (0, 1))
        batches.append(MatrixBatch(tuple(parts), law, numbers, reads, acts))
    return batches, single
