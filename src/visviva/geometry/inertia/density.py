"""The inertia of a body whose density is a function of place."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_vector
from visviva.errors import ModelError
from visviva.geometry.inertia.inertia import Inertia
from visviva.geometry.linear import dot

NODES = 16  # Gauss nodes per cell and direction
CELLS = (1, 2, 4)  # per direction, one refinement after the other
CONVERGED = 1e-9  # relative change of mass and moments at the last refinement

Chart = Callable[[Array], ArrayLike]


def density(rho: Callable[[Array], ArrayLike], low: ArrayLike, high: ArrayLike, chart: Chart | None = None) -> Inertia:
    """Mass, centre and inertia tensor of ρ(x) [kg/m³], m = ∫ ρ dV, c = ∫ x ρ dV / m, E = ∫ (x - c)(x - c)ᵀ ρ dV.

    rho:        density at places (n, 3), as n numbers, none negative.
    low, high:  corners of the box that the body fills, (3,) [m].
    chart:      where the body is no box: places (n, 3) for n points of the box, smooth and one to one inside, such as
                cylinder or sphere coordinates.

    Gauss quadrature on finer and finer cells, until nothing changes; the Jacobian of the chart is that of its
    polynomial through the nodes. Limits:  a density that jumps converges too slowly and is refused; divide the body
    where it jumps, and add the parts.
    Source:  Stramigioli, Maschke and Bidard, section 2.2.2: a body is a part of a space with a density.
    """
    a, b = finite_vector(low, "low corner of the box", 3), finite_vector(high, "high corner of the box", 3)
    if not (a < b).all():
        raise ModelError(f"the box from {a.tolist()} to {b.tolist()} has no volume; low must be below high everywhere.")
    middle = ((a + b) / 2)[None, None, None]
    origin = (middle if chart is None else _values(chart, middle, "chart", (3,)))[
        0, 0, 0
    ]  # near the body: no digits lost
    before = np.full(10, np.inf)
    for cells in CELLS:
        moments = _moments(rho, chart, a, b, cells, origin)
        if moments[0] <= 0:
            raise ModelError("the body has no mass: its density is zero wherever it was asked for.")
        if np.abs((moments - before) / _scale(moments)).max() <= CONVERGED:
            return _inertia(moments, origin)
        before = moments
    raise ModelError(
        f"the moments of the density still change with {CELLS[-1] * NODES}³ points: it jumps, or the chart does.\n"
        "Divide the body where the density jumps and add the parts, or give a chart whose box is the body."
    )


def _moments(
    rho: Callable[[Array], ArrayLike], chart: Chart | None, a: Array, b: Array, cells: int, origin: Array
) -> Array:
    """∫ρ, ∫xρ and the six ∫x_i x_j ρ with x from an origin, shape (10,)."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    unit = np.stack(np.meshgrid(nodes, nodes, nodes, indexing="ij"), axis=-1)  # (N, N, N, 3)
    weight = np.einsum("i,j,k->ijk", weights, weights, weights)
    half = (b - a) / (2 * cells)
    total = np.zeros(10)
    for cell in product(range(cells), repeat=3):
        s = a + half * (2 * np.array(cell) + 1 + unit)
        x = s if chart is None else _values(chart, s, "chart", (3,))
        volume = weight * (np.prod(half) if chart is None else _volumes(x, nodes))
        dm = _values(rho, x, "density", ()) * volume
        if (dm < 0).any():
            place = x[np.unravel_index(np.argmin(dm), dm.shape)]
            raise ModelError(f"density is negative at {place.tolist()}.\nFor a hole subtract an Inertia of its own.")
        i, j = np.triu_indices(3)
        d = x - origin
        total[0] += dm.sum()
        total[1:4] += np.einsum("abc,abci->i", dm, d)
        total[4:] += np.einsum("abc,abci->i", dm, d[..., i] * d[..., j])
    return total


def _values(function: Callable[[Array], ArrayLike], x: Array, what: str, shape: tuple[int, ...]) -> Array:
    """A function of places (n, 3) on the nodes of a cell."""
    found = finite_array(function(x.reshape(-1, 3)), what)
    count = x.size // 3
    if found.shape not in (shape, (count, *shape)):
        raise ModelError(f"{what} must return shape {(count, *shape)} for {count} places, got {found.shape}.")
    return np.broadcast_to(found, (count, *shape)).reshape(*x.shape[:3], *shape)


def _volumes(x: Array, nodes: Array) -> Array:
    """|det dx/ds| on a cell of side 2, by the polynomial through its nodes, shape (N, N, N).

    Per cell of side 2: the factor to the real side and that of the weights cancel.
    """
    gaps = nodes[:, None] - nodes + np.eye(len(nodes))
    c = gaps.prod(axis=1)
    D = c[:, None] / c / gaps
    np.fill_diagonal(D, 0.0)
    np.fill_diagonal(D, -D.sum(axis=1))
    a, b, c = (np.moveaxis(np.tensordot(D, x, (1, axis)), 0, axis) for axis in range(3))
    return np.abs(dot(np.cross(a, b), c))


def _scale(moments: Array) -> Array:
    """What changes of the moments are compared with."""
    mass, square = moments[0], moments[[4, 7, 9]].sum()
    return np.concatenate([[mass], np.full(3, np.sqrt(mass * square)), np.full(6, square)])


def _inertia(moments: Array, origin: Array) -> Inertia:
    mass, c = float(moments[0]), moments[1:4] / moments[0]
    second = np.zeros((3, 3))
    second[np.triu_indices(3)] = moments[4:]
    second = second + np.triu(second, 1).T
    return Inertia.from_euler(mass, second - mass * np.outer(c, c), origin + c)
