"""Rows over the velocities of any number of bodies and particles, as rolling, blades and own constraints have them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from visviva.language import Reversible
from visviva.language.slopes import slope
from visviva.language.trace import Traced
from visviva.library.multibody.parameters import numbered, singular_constraint_box
from visviva.library.multibody.rows import BODY, POSITION, PUSH, spin


def twist_rows(
    values: Any, coordinates: Sequence[Any], numbers: Sequence[tuple[Any, float]], particles: Sequence[bool]
) -> Reversible:
    """0 = A(q; p) V over the velocities of some carriers, V = (ω; v) in world axes of a body, v of a particle.

    values:      A, SymPy expressions (rows, 6 or 3 each).
    coordinates: the symbols of q, carrier by carrier: r of a particle; of a body r, then the columns of R.
    numbers:     the symbols of p with their values; those that A does not have are left out.
    particles:   which of the carriers are particles.
    Ports:       q_1, p_1, q_2, p_2, …, of the carriers in order; poses are in SO3xR3.
    """
    used = set().union(*(value.free_symbols for value in np.ravel(values)))
    given = {symbol.name: float(number) for symbol, number in numbers if symbol in used}
    flat = tuple(np.ravel(values))
    return numbered(_box(flat, np.shape(values), tuple(coordinates), tuple(given), tuple(particles)), given)


def gradient_rows(g: Sequence[Any], coordinates: Sequence[Any], particles: Sequence[bool]) -> Any:
    """A(q) of `twist_rows` with A V = dg/dt for functions g(q): with R = (d1, d2, d3), ω has Σ d_k x ∂g/∂d_k."""
    found = []
    for one in g:
        row, first = list[Any](), 0
        for particle in particles:
            at = list(coordinates[first : first + (3 if particle else 12)])
            first += len(at)
            slopes = np.array([slope(one, symbol) for symbol in at], dtype=object)
            if not particle:
                axes = np.array(at, dtype=object).reshape(4, 3)
                row += np.cross(axes[1:], slopes.reshape(4, 3)[1:]).sum(0).tolist()
            row += slopes[:3].tolist()
        found.append(row)
    return np.array(found, dtype=object)


@cache
def _box(
    values: tuple[Any, ...],
    shape: tuple[int, int],
    coordinates: tuple[Any, ...],
    names: tuple[str, ...],
    particles: tuple[bool, ...],
) -> Reversible:
    import sympy

    def C(given: dict[str, Any]) -> Any:
        states = [getattr(given["x"], f"q_{k + 1}") for k in range(len(particles))]
        entries = [
            q if particle else np.concatenate([q.r, q.R.T.ravel()])
            for q, particle in zip(states, particles, strict=True)
        ]
        at = {symbol: entry.expr for symbol, entry in zip(coordinates, np.concatenate(entries), strict=True)}
        at |= {sympy.Symbol(name, real=True): given[name].expr for name in names}
        A = np.array([Traced(value.xreplace(at)) for value in values], dtype=object).reshape(shape)
        columns, first = list[Any](), 0
        for q, particle in zip(states, particles, strict=True):
            if not particle:
                columns.append(A[:, first : first + 3] @ spin(q.R))
                first += 3
            columns.append(A[:, first : first + 3])
            first += 3
        return np.hstack(columns)

    ports: dict[str, Any] = {}
    for k, particle in enumerate(particles):
        ports[f"q_{k + 1}"] = (POSITION if particle else BODY.pose).state
        ports[f"p_{k + 1}"] = PUSH if particle else BODY.momentum
    return singular_constraint_box(ports, C, names)
