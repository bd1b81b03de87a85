"""Checks of a model: its names fit together, and its matrices obey their laws."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva._kinds import of_kind
from visviva.errors import ModelError
from visviva.geometry.linear import transpose
from visviva.geometry.moments import matrix_of_moments
from visviva.mechanism.dampers import moment_damping
from visviva.model.batches import MatrixBatch, matrix_batches
from visviva.model.body import Gyroscopic
from visviva.model.measured import MeasuredDissipation
from visviva.model.storage import Kinetic
from visviva.model.structure import (
    AbstractDissipation,
    AbstractPort,
    AbstractRouting,
    AbstractStructure,
    Dissipation,
    Port,
    Routing,
    Rows,
)
from visviva.model.turn import TurnFriction

if TYPE_CHECKING:
    from visviva.model.model import Model

TOLERANCE = 1e-12  # of the largest entry
FIRST_ROW = (0, 1, 2, 9)  # of a pose (R, p) among its twelve entries


def check_description(model: Model) -> None:
    """An error if a name is missing or taken twice, a matrix does not fit, or a velocity has two storages."""
    where = f"model {model.name!r}"
    variables = [variable.name for variable in model.variables]
    rows = [part.name for part in model.constraints]
    widths = {part.name: part.dim for part in model.junctions} | {part.name: part.dim for part in model.reservoirs}
    holders = [*(part.name for part in model.junctions), *(part.name for part in model.reservoirs)]
    _check_unique([*variables, *holders, *rows], where)
    _check_unique([part.name for part in model.ports], f"the ports of {where}")
    known, efforts = set(variables), {*variables, *holders}
    driven = {*efforts, *rows}
    for part in model.structures:
        if not (known.issuperset(part.reads) and efforts.issuperset(part.acts)):
            targets = driven if isinstance(part, AbstractPort) else efforts  # a port on rows drives them
            _check_there(f"{part.name!r} of {where} reads", part.reads, known)
            _check_there(f"{part.name!r} of {where} acts on", part.acts, targets)
    widths |= {variable.name: variable.space.dim for variable in model.variables}
    widths |= {part.name: part.rows for part in model.constraints}
    for part in of_kind(model.structures, Routing | Dissipation | Port | Rows):
        if not callable(part.matrix):
            k = sum(widths[name] for name in part.acts)
            shape = (k, part.width) if isinstance(part, Port) else (part.rows, k) if isinstance(part, Rows) else (k, k)
            _check_shape(part.matrix, shape, f"the matrix of {part.name!r}, which acts on {', '.join(part.acts)},")
    holding = Counter(storage.variable for storage in model.storages)
    for storage in model.storages:
        if storage.variable not in known:
            raise ModelError(
                f"storage {storage.name!r} of {where} has no variable {storage.variable!r}: {', '.join(variables)}."
            )
        if isinstance(storage, Kinetic):
            _check_shape(storage.M, (widths[storage.variable],) * 2, f"the mass matrix of {storage.name!r}")
            check_symmetric(storage.M, f"the mass matrix of {storage.name!r}", semidefinite=True)
            if holding[storage.variable] > 1:
                others = [other.name for other in model.storages if other.variable == storage.variable]
                raise ModelError(
                    f"the velocity {storage.variable!r} of {where} has {len(others)} storages: {', '.join(others)}.\n"
                    "A velocity has exactly one kinetic energy: add the masses."
                )


def _check_there(what: str, names: tuple[str, ...], there: set[str]) -> None:
    for name in names:
        if name not in there:
            raise ModelError(f"{what} {name!r}, which is not there; there are: {', '.join(sorted(there))}.")


def check_laws(model: Model, x: Array) -> None:
    """An error if a structure violates its law at x: J skew, R symmetric ⪰ 0, all finite."""
    batches, alone = model.open_to_doubt
    if not batches and not alone:
        return
    z, single = model.z(x), list(alone)
    for batch in batches:
        matrices = batch.matrices(x, z)
        sign = -1.0 if isinstance(batch.parts[0], AbstractRouting) else 1.0
        gap = np.abs(matrices - sign * transpose(matrices)).max((-1, -2), initial=0.0)
        suspect = ~(gap <= 0.0)
        if sign > 0:
            suspect |= ~(np.diagonal(matrices, axis1=-2, axis2=-1) >= 0).all(-1) | (matrices.shape[-1] > 2)
        single += [part for part, wrong in zip(batch.parts, suspect, strict=True) if wrong]
    for part in single:
        if isinstance(part, AbstractRouting):
            check_skew(part.J(model.local(part, x)[0]), f"J of {part.name!r}")
        elif isinstance(part, AbstractDissipation):
            check_symmetric(part.R(*model.local(part, x, z)), f"R of {part.name!r}", semidefinite=True)


def open_to_doubt(model: Model) -> tuple[list[MatrixBatch], list[AbstractStructure]]:
    """Structures whose law depends on the state, in batches and alone; of constant ones those that violate it."""
    doubtful = [part for part in (*model.routings, *model.dissipations) if not _holds_by_its_form(part)]
    known: dict[bytes, bool] = {}  # bodies have few different matrices
    unsure = []
    for part in doubtful:
        if isinstance(part, Routing) and not callable(part.matrix):
            key = part.matrix.tobytes()
            if key not in known:
                known[key] = _holds_everywhere(part)
            holds = known[key]
        else:
            holds = _holds_everywhere(part)
        if not holds:
            unsure.append(part)
    return matrix_batches(unsure, model.places) if unsure else ([], [])


def _holds_everywhere(part: AbstractStructure) -> bool:
    """Whether its matrix is constant and obeys its law."""
    if not isinstance(part, Routing | Dissipation) or callable(part.matrix):
        return False
    try:
        if isinstance(part, Routing):
            check_skew(part.matrix, part.name)
        else:
            check_symmetric(part.matrix, part.name, semidefinite=True)
    except ModelError:  # said where a run starts
        return False
    return True


def _holds_by_its_form(part: AbstractStructure) -> bool:
    """Whether there is nothing to check: J of a turning body is a vector product, R of a hinge is d aᵀa."""
    if isinstance(part, MeasuredDissipation):
        return not part.line and _drags(part.D)
    return isinstance(part, Gyroscopic) or (isinstance(part, TurnFriction) and 0 <= part.d < np.inf)


def _drags(D: Array) -> bool:
    """Whether D (12, 12) is drag of a rigid pose: on what keeps it rigid it is ⪰ 0, see `moment_damping`."""
    if D.shape != (12, 12) or not np.isfinite(D).all():
        return False
    moments = D[np.ix_(FIRST_ROW, FIRST_ROW)]
    values = np.linalg.eigvalsh(matrix_of_moments(moments))
    return bool(np.array_equal(moment_damping(moments), D) and values[0] >= -TOLERANCE * values[-1])


def check_skew(matrix: Array, what: str) -> None:
    """An error if a matrix that must be skew is not, with the amount by which it fails."""
    _check_finite(matrix, what)
    excess = float(np.abs(matrix + np.swapaxes(matrix, -1, -2)).max(initial=0.0))
    if excess > TOLERANCE * float(np.abs(matrix).max(initial=0.0)):
        raise ModelError(f"{what} must be skew, or it would create or lose energy; |J + Jᵀ| is {excess:.3g}.")


def check_symmetric(matrix: Array, what: str, *, semidefinite: bool = False) -> None:
    """An error if a matrix that must be symmetric (and ⪰ 0) is not, with the amount by which it fails."""
    _check_finite(matrix, what)
    scale = float(np.abs(matrix).max(initial=0.0))
    skewness = float(np.abs(matrix - np.swapaxes(matrix, -1, -2)).max(initial=0.0))
    if skewness > TOLERANCE * scale:
        raise ModelError(f"{what} must be symmetric; it differs from its transpose by {skewness:.3g}.")
    if semidefinite and scale > 0:
        diagonal = np.diagonal(matrix, axis1=-2, axis2=-1)
        plain = np.count_nonzero(matrix) == np.count_nonzero(diagonal)
        lowest = float(diagonal.min() if plain else np.linalg.eigvalsh(matrix).min())
        if lowest < -TOLERANCE * scale:
            raise ModelError(f"{what} must be positive semidefinite; its smallest eigenvalue is {lowest:.6g}.")


def _check_finite(matrix: Array, what: str) -> None:
    if not np.isfinite(matrix).all():
        raise ModelError(f"{what} has entries that are not finite.")


def _check_shape(matrix: Array, shape: tuple[int, int], what: str) -> None:
    if np.shape(matrix) != shape:
        raise ModelError(f"{what} must have shape {shape}, got {np.shape(matrix)}.")


def _check_unique(names: list[str], where: str) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ModelError(f"a name is used twice in {where}: {', '.join(twice)}. Names are unique: rename one.")
