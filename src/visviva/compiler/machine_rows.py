"""Conditions of a mechanism that are generated rows, as tables of its compiled steps; see `kernels.multibody.rows`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva.compiler.machine_functions import Functions, Int, table
from visviva.compiler.row_laws import row_law_of
from visviva.mechanism.conditions import AbstractCondition
from visviva.mechanism.coupling import Coupling
from visviva.model import Model

if TYPE_CHECKING:
    from visviva.kernels.multibody.tables import GeneratedRows


def row_tables(model: Model, functions: Functions, first: int) -> GeneratedRows:
    """Tables of all conditions but couplings, whose multipliers follow those of joints and couplings from a place on.

    Raises `NotCompilable` for one without compiled form.
    """
    from visviva.compiler.build import row_address
    from visviva.kernels.multibody.tables import GeneratedRows

    owner = {part.name: k for k, part in enumerate(model.constraints)}
    rows, movers, numbers = [], list[int](), [np.zeros(0)]
    at, widest, most = 0, 0, 0
    for condition in _generated(model):
        law, own = row_law_of(condition)
        place = (at, len(movers), int(law.has_g), owner[condition.name])
        rows.append((row_address(law), law.bodies, law.rows, first, *place))
        movers += [functions.end(mover) for mover in condition.movers]
        numbers.append(own)
        at, first = at + len(own), first + law.rows
        widest, most = max(widest, law.bodies), max(most, len(law.values))
    return GeneratedRows(
        table(rows, 8), np.array(movers, dtype=np.int64), np.concatenate(numbers), np.zeros(first),
        np.zeros((3, 12 * widest)), np.zeros(most), np.zeros(most), np.zeros(6 * widest),
    )  # fmt: skip


def row_places(model: Model) -> Int:
    """Places of their multipliers among the algebraic unknowns of the model."""
    names = tuple(condition.name for condition in _generated(model))
    return (model.layout.act(names) - model.layout.dim).astype(np.int64)


def _generated(model: Model) -> list[AbstractCondition]:
    assert model.definition is not None
    return [condition for condition in model.definition.conditions if not isinstance(condition, Coupling)]


def row_pattern(c: GeneratedRows, bodies: int) -> tuple[Int, Int]:
    """Rows and columns of the values that they add to the sparse matrix, in their order."""
    from visviva.kernels.multibody.tables import BODIES, FIRST, MOVERS, ROWS

    rows, cols = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for line in c.table:
        own = c.movers[line[MOVERS] : line[MOVERS] + line[BODIES]]
        velocities = (6 * own[:, None] + np.arange(6)).ravel()
        multipliers = 6 * bodies + line[FIRST] + np.arange(line[ROWS])
        down, across = np.repeat(velocities, len(velocities)), np.tile(velocities, len(velocities))
        each, every = np.repeat(multipliers, len(velocities)), np.tile(velocities, line[ROWS])
        rows += [down, every, each, multipliers]
        cols += [across, each, every, multipliers]
    return np.concatenate(rows), np.concatenate(cols)
