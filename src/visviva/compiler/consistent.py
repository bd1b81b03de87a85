"""Consistent initial states: velocities and other states that satisfy all constraints of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva._suggestions import helpful
from visviva.errors import AssemblyError, ModelError
from visviva.model import Model, RowKind
from visviva.numerics.rank import DATA

TOLERANCE = 1e-9  # of the size of the terms of a row
STEP = 1e-6  # of differences


def algebraic_gap(model: Model, x: Array, u: Array | None = None) -> tuple[Array, Array]:
    """What remains of the algebraic rows at x with the best algebraic unknowns, and the size of their terms.

    Rows that hold for some efforts of junctions and multipliers leave nothing; the others constrain the state itself.
    The matrix is taken at some generic unknowns, since a dissipation may vanish at zero.
    """
    dim, solved = model.layout.dim, model.layout.solved
    if dim == solved:
        return np.zeros(0), np.zeros(0)
    if not model.junctions:
        return _constraint_gap(model, x, u)
    z = model.z(x, np.random.default_rng(0).uniform(0.5, 1.5, len(model.kinds)))
    K = (model.J(x) - model.R(x, z))[dim:solved]
    e = z[:dim]
    supplied = model.B(x)[dim:solved] @ u if u is not None else np.zeros(solved - dim)
    rest, size = K[:, :dim] @ e + supplied, np.abs(K[:, :dim]) @ np.abs(e) + np.abs(supplied)
    largest = float(np.abs(K[:, :dim]).max(initial=0.0) * np.abs(e).max(initial=0.0))
    size = np.maximum(size, largest)  # rows whose terms are all zero are not measured by their rounding
    if len(K):
        w = np.linalg.lstsq(K[:, dim:solved], -rest, rcond=DATA)[0]
        rest = rest + K[:, dim:solved] @ w
    return rest, size


def _constraint_gap(model: Model, x: Array, u: Array | None) -> tuple[Array, Array]:
    """The same where all algebraic unknowns are multipliers, which no constraint contains: part by part."""
    e = model.z(x)
    rest, size = [np.zeros(0)], [np.zeros(0)]
    largest = 0.0
    for part in model.constraints:
        q, own = model.local(part, x, e)
        C = part.C(q)
        rest.append(C @ own)
        size.append(np.abs(C) @ np.abs(own))
        largest = max(largest, float(np.abs(C).max(initial=0.0)))
    supplied = np.zeros(model.layout.total)
    if u is not None:
        for port in model.ports:
            supplied[model.acts(port)] += port.B(model.local(port, x)[0]) @ u[model.port_columns[port.name]]
    rows = supplied[model.layout.dim : model.layout.solved]
    total = np.concatenate(size) + np.abs(rows)
    return np.concatenate(rest) + rows, np.maximum(total, largest * float(np.abs(e).max(initial=0.0)))


def check_consistent(model: Model, x: Array, u: Array | None = None) -> None:
    """An error that names the component or junction whose row the initial efforts violate."""
    rest, size = algebraic_gap(model, x, u)
    if np.abs(rest).max(initial=0.0) <= TOLERANCE * float(size.max(initial=0.0)):
        return
    worst = int(np.abs(rest).argmax())
    name, kind = model.kinds[worst]
    what = "the balance of flows at junction" if kind is RowKind.EFFORT else "the constraint of"
    raise AssemblyError(
        f"the initial state of {model.name!r} violates {what} {name!r}: {rest[worst]:.3g} instead of 0.\n"
        "Give states whose efforts (velocities, forces, …) satisfy it, or let vv.consistent(...) find the nearest one."
    )


@helpful
def consistent(
    model: Model, guess: Mapping[str, ArrayLike], fixed: Sequence[str] = (), *, iterations: int = 30
) -> dict[str, Array]:
    """The state nearest to a guess that satisfies all constraints, as values by variable name.

    fixed: variables that keep their values. Nearest: least Euclidean change of the others, in their own units.
    """
    x = model.pack(guess)
    unknown = [name for name in fixed if name not in model.layout.x]
    if unknown:
        raise ModelError(f"consistent(fixed=...) names {unknown[0]!r}; the variables are {', '.join(model.layout.x)}.")
    free = np.ones(model.layout.dim, dtype=bool)
    for name in fixed:
        free[model.layout.z[name]] = False
    for _ in range(iterations if free.any() else 0):
        rest, size = algebraic_gap(model, x)
        if np.abs(rest).max(initial=0.0) <= 1e-14 * float(size.max(initial=0.0)):
            break
        steps = STEP * np.eye(model.layout.dim)[free]
        ahead, behind = model.retract(x, steps), model.retract(x, -steps)
        pairs = zip(ahead, behind, strict=True)
        slope = np.array([algebraic_gap(model, a)[0] - algebraic_gap(model, b)[0] for a, b in pairs])
        change = np.zeros(model.layout.dim)
        change[free] = np.linalg.lstsq(slope.T / (2 * STEP), -rest, rcond=1e-10)[0]  # a step: it decides no rank
        x = model.retract(x, change)
    check_consistent(model, x)
    return {name: x[at] for name, at in model.layout.x.items()}
