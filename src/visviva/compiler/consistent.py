"""Consistent initial states: velocities and other states that satisfy all constraints of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, Mask, finite_vector
from visviva._suggestions import helpful
from visviva.compiler.system import compile_system
from visviva.errors import AssemblyError, ModelError
from visviva.language import Composite
from visviva.model import Model, RowKind
from visviva.model.layout import Index
from visviva.numerics.constrained import least_change
from visviva.numerics.convergence import Convergence
from visviva.numerics.nullspace import split
from visviva.numerics.projection import Gap, nearest_point, relative
from visviva.numerics.rank import DATA

TOLERANCE = 1e-9  # of the size of the terms of a row
EXACT = 1e-14  # of the same: rounding
ZERO = 1e-15  # efforts in SI units that are none
STEP = 1e-6  # of differences
NOISE = 100 * 2.2e-16 / STEP  # of slopes by them, beside the terms that are added up in a row


def algebraic_gap(model: Model, x: Array, u: Array | None = None) -> tuple[Array, Array]:
    """What remains of the algebraic rows at x with the best algebraic unknowns, and the size of the terms of each row.

    Rows that hold for some efforts of junctions and multipliers leave nothing; the others constrain the state itself.
    The matrix is taken at some generic unknowns, since a dissipation may vanish at zero. A row is measured by its own
    terms, whatever the efforts of other domains are, but not by their rounding: see `_measured`.
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
    slopes = np.abs(K[:, :solved]).max(-1, initial=0.0)
    reach = slopes * np.where(K[:, :dim] != 0, np.abs(e), 0.0).max(-1, initial=0.0)
    blocks = _blocks(K)
    for rows in blocks:
        by_w = K[rows, dim:solved]
        w = _least(by_w, -rest[rows])
        rest[rows] += by_w @ w
        size[rows] += np.abs(by_w) @ np.abs(w)
    return rest, _measured(size, reach, slopes, blocks)


def _least(K: Array, right: Array) -> Array:
    """The w of least squares of K w = right, with rows and columns in units of their own.

    Rates of joints beside forces of friction by laws may be of any size to each other: units in which rows and columns
    sum up to one tell small unknowns from none. But where there are more rows than unknowns no such units exist, and
    rows come to weigh anything: with rows of length one, before and after, none gives way to others, and what is missed
    in these units decides. Solved for again with what it misses: singular vectors mix all unknowns, and small ones
    round as the largest do.
    """
    from scipy.sparse import csc_array

    from visviva.kernels.ordering import equilibration

    there = np.flatnonzero(K.any(axis=0))
    A, w = K[:, there], np.zeros(K.shape[1])
    units = (_unit_lengths(A), equilibration(csc_array(A)))
    lengths, sums = ((rows, columns, split(rows[:, None] * A * columns, tolerance=DATA)) for rows, columns in units)
    missed = np.inf
    for rows, columns, parts in (lengths, sums, lengths):
        found = w[there]
        for _ in range(3):
            found = found + columns * parts.solve(rows * (right - A @ found))
        rest = float(np.linalg.norm(lengths[0] * (right - A @ found)))
        if rest < missed:
            w[there], missed = found, rest
    return w


def _unit_lengths(A: Array) -> tuple[Array, Array]:
    """Scales r, c for which rows of diag(r) A, then columns of diag(r) A diag(c), have length 1; 1 for zeros."""
    lengths = np.linalg.norm(A, axis=1)
    rows = 1 / np.where(lengths > 0, lengths, 1.0)
    lengths = np.linalg.norm(rows[:, None] * A, axis=0)
    return rows, 1 / np.where(lengths > 0, lengths, 1.0)


def _constraint_gap(model: Model, x: Array, u: Array | None) -> tuple[Array, Array]:
    """The same where all algebraic unknowns are multipliers, which no constraint contains: part by part."""
    e, dim = model.z(x), model.layout.dim
    rest, size, reach, slopes = ([np.zeros(0)] for _ in range(4))
    touched = np.zeros((model.layout.solved - dim, dim), dtype=bool)
    one_kind = model.definition is not None or bool(model.coordinates)  # all of them are rates of one motion
    at = 0
    for part in model.constraints:
        q, own = model.local(part, x, e)
        C = part.C(q)
        rest.append(C @ own)
        size.append(np.abs(C) @ np.abs(own))
        slopes.append(np.abs(C).max(-1, initial=0.0))
        reach.append(np.full(len(C), np.abs(C).max(initial=0.0) * np.abs(own).max(initial=0.0)))
        if not one_kind:
            acted = model.acts(part)
            touched[at : at + len(C), acted[acted < dim]] = True
        at += len(C)
    supplied = np.zeros(model.layout.total)
    if u is not None:
        for port in model.ports:
            supplied[model.acts(port)] += port.B(model.local(port, x)[0]) @ u[model.port_columns[port.name]]
    rows = supplied[dim : model.layout.solved]
    total, furthest, slope = np.concatenate(size) + np.abs(rows), np.concatenate(reach), np.concatenate(slopes)
    gap = np.concatenate(rest) + rows
    if one_kind:
        return gap, np.maximum(np.maximum(total, furthest.max(initial=0.0)), ZERO / TOLERANCE * slope)
    return gap, _measured(total, furthest, slope, _blocks(touched))


def _blocks(K: Array) -> list[Index]:
    """Rows that share columns, directly or by others."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    there = csr_array(K != 0)
    count, labels = connected_components(there @ there.T, directed=False)
    return [np.flatnonzero(labels == k) for k in range(count)]


def _measured(size: Array, reach: Array, slopes: Array, blocks: list[Index]) -> Array:
    """Sizes of rows that are no rounding of the largest terms of the rows that they are connected to, nor of zero.

    reach: coefficients times the largest effort of a row.   slopes: coefficients alone.
    """
    size, reach = np.maximum(size, ZERO / TOLERANCE * slopes), np.maximum(size, reach)
    for rows in blocks:
        size[rows] = np.maximum(size[rows], EXACT / TOLERANCE * reach[rows].max(initial=0.0))
    return size


def is_consistent(model: Model, x: Array, u: Array | None = None) -> bool:
    """Whether efforts at x satisfy all constraints and balances, within a tolerance of their terms."""
    return bool(relative(*algebraic_gap(model, x, u)).max(initial=0.0) <= TOLERANCE)


def check_consistent(model: Model, x: Array, u: Array | None = None) -> None:
    """An error that names the component or junction whose row the initial efforts violate."""
    rest, size = algebraic_gap(model, x, u)
    parts = relative(rest, size)
    if parts.max(initial=0.0) <= TOLERANCE:
        return
    worst = int(parts.argmax())
    name, kind = model.kinds[worst]
    what = "the balance of flows at junction" if kind is RowKind.EFFORT else "the constraint of"
    raise AssemblyError(
        f"the initial state of {model.name!r} violates {what} {name!r}: {rest[worst]:.3g} instead of 0.\n"
        "Give states or rates whose efforts (velocities, …) satisfy it, or let vv.consistent(...) find the nearest one"
        + (f",\nwith inputs={{{name!r}: ...}} as they start." if name in model.sources else ".")
    )


@helpful
def consistent(
    model: Model | Composite,
    guess: Mapping[str, ArrayLike],
    fixed: Sequence[str] = (),
    *,
    inputs: Mapping[str, ArrayLike] | None = None,
    iterations: int = 30,
) -> dict[str, Array]:
    """The state nearest to a guess that satisfies all constraints, as values by variable name.

    model: a Model, or a composite of the language.
    fixed: variables that keep their values. Nearest: least Euclidean change of the others, in their own units.
    inputs: values at the start by port, e.g. of sources, whose efforts states follow; default: their laws, or zero.
    """
    if isinstance(model, Composite):
        model = compile_system(model)
    if not isinstance(model, Model):
        raise ModelError(
            f"consistent() takes a Model or a composite system, got {type(model).__name__}; of a mechanism "
            "m.assemble(...) finds one."
        )
    x, u = model.pack(guess), _inputs(model, {name: law(0.0) for name, law in model.laws.items()} | dict(inputs or {}))
    unknown = [name for name in fixed if name not in model.layout.x]
    if unknown:
        raise ModelError(f"consistent(fixed=...) names {unknown[0]!r}; the variables are {', '.join(model.layout.x)}.")
    free = np.ones(model.layout.dim, dtype=bool)
    for name in fixed:
        free[model.layout.z[name]] = False

    def gap(x: Array) -> Gap:
        rest, size = algebraic_gap(model, x, u)
        return Gap(rest, size, lambda z: least_change(_slope(model, x, u, free, size), z, free=free))

    if free.any():
        x, _ = nearest_point(x, gap, model.retract, Convergence(EXACT, TOLERANCE), iterations)
    check_consistent(model, x, u)
    return {name: x[at] for name, at in model.layout.x.items()}


def _slope(model: Model, x: Array, u: Array, free: Mask, size: Array) -> Array:
    """Derivatives (m, dim) of what algebraic rows leave along free variables, by differences; zero along others.

    Rows that some unknowns of junctions satisfy have none but the rounding of the rows that they are connected to: they
    are zero, so that no unit of their own makes a direction of it.   size: of the terms of each row.
    """
    steps = STEP * np.eye(model.layout.dim)[free]
    pairs = zip(model.retract(x, steps), model.retract(x, -steps), strict=True)
    columns = np.array([algebraic_gap(model, a, u)[0] - algebraic_gap(model, b, u)[0] for a, b in pairs])
    slope = np.zeros((columns.shape[1], len(free)), order="F")
    slope[:, free] = columns.T / (2 * STEP)
    for rows in _blocks(slope):
        slope[rows[np.linalg.norm(slope[rows], axis=1) <= NOISE * size[rows].max()]] = 0.0
    return slope


def _inputs(model: Model, values: Mapping[str, ArrayLike]) -> Array:
    """All inputs in their order, from values by port."""
    u = np.zeros(sum(port.width for port in model.ports))
    for name, value in values.items():
        if name not in model.port_columns:
            ports = ", ".join(model.port_columns) or "none"
            raise ModelError(f"consistent(inputs=...) names {name!r}; the ports of {model.name!r} are: {ports}.")
        at = model.port_columns[name]
        u[at] = finite_vector(np.atleast_1d(value), f"the input of port {name!r}", at.stop - at.start)
    return u
