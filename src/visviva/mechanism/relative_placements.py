"""Functions of placements, as they are seen from a frame that may move: what a user has written for a world at rest.

With the pose (R_F, r_F) of the frame, a part at (R, r) in the world is seen at R_Fᵀ (r - r_F) and R_Fᵀ R. These are
scalar products of vectors that move with frame and part: conditions on them keep momentum.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from visviva._arrays import Array
from visviva.mechanism.function_condition import PlacementFunction
from visviva.mechanism.parts import Frame, Ground, Particle
from visviva.mechanism.placements import Placed, Placements, placements_of
from visviva.mechanism.sliding_contacts import OwnRows


def function_seen_from(
    frame: Frame, parts: tuple[Placed, ...], function: PlacementFunction
) -> tuple[Placements, PlacementFunction]:
    """g of the placements of parts against a frame, and the placements in the world that it then is a function of."""
    if _is_world(frame):
        return placements_of(parts), function
    return placements_of((frame, *parts)), _relative_function(function.g, _points(parts))


def rows_seen_from(frame: Frame, parts: tuple[Placed, ...], rows: OwnRows) -> OwnRows:
    """Rows over the twists of parts against a frame, in its axes, as rows over twists in the world.

    A row (α; β) of a part is R_F (α; β) there, and -Σ (R_F α + (r - r_F) x R_F β; R_F β) on the frame, where it moves.
    """
    if _is_world(frame):
        return OwnRows(rows.values, placements_of(parts))
    shape, moves = rows.values.shape, not isinstance(frame.carrier, Ground)
    values = _relative_rows(tuple(rows.values.ravel()), shape, _points(parts), moves)
    return OwnRows(np.array(values, dtype=object).reshape(shape[0], -1), placements_of((frame, *parts)))


def _is_world(frame: Frame) -> bool:
    return isinstance(frame.carrier, Ground) and same_as_world(frame.R_WF, frame.r_WF)


def same_as_world(R: Array, r: Array) -> bool:
    """Whether a pose is the identity, to the last bit."""
    return bool((np.eye(3) == R).all()) and not r.any()


def _points(parts: tuple[Placed, ...]) -> tuple[bool, ...]:
    """Which of the parts are particles."""
    return tuple(isinstance(part, Particle) for part in parts)


@lru_cache(256)
def _relative_function(g: tuple[Any, ...], points: tuple[bool, ...]) -> PlacementFunction:
    """One for equal expressions: mechanisms with other numbers share it."""
    seen = _substitution(points)
    return PlacementFunction(tuple(value.xreplace(seen) for value in g), 12 + _size(points))


@lru_cache(256)
def _relative_rows(
    given: tuple[Any, ...], shape: tuple[int, int], points: tuple[bool, ...], moves: bool
) -> tuple[Any, ...]:
    import sympy

    seen, y = _substitution(points), _symbols(12 + _size(points))
    R_F, r_F = sympy.Matrix(3, 3, y[3:12]), sympy.Matrix(y[:3])
    found = []
    for k in range(shape[0]):
        row = [value.xreplace(seen) for value in given[k * shape[1] : (k + 1) * shape[1]]]
        turned, on_frame, at, first = list[Any](), sympy.zeros(6, 1), 0, 12
        for point in points:
            n = 3 if point else 6
            halves = [R_F * sympy.Matrix(row[at + j : at + j + 3]) for j in range(0, n, 3)]
            beta, d = halves[-1], sympy.Matrix(y[first : first + 3]) - r_F
            alpha = sympy.zeros(3, 1) if point else halves[0]
            on_frame -= sympy.Matrix([*(alpha + d.cross(beta)), *beta])
            turned += [value for half in halves for value in half]
            at, first = at + n, first + (3 if point else 12)
        found += [*(on_frame if moves else ()), *turned]
    return tuple(found)


def _substitution(points: tuple[bool, ...]) -> dict[Any, Any]:
    """Placements against the frame in symbols of those in the world, with the frame's own first."""
    import sympy

    y, old = _symbols(12 + _size(points)), _symbols(_size(points))
    R_F, r_F, at, found = sympy.Matrix(3, 3, y[3:12]), sympy.Matrix(y[:3]), 0, list[Any]()
    for point in points:
        own = y[12 + at :]
        found += list(R_F.T * (sympy.Matrix(own[:3]) - r_F))
        if not point:
            found += list(R_F.T * sympy.Matrix(3, 3, own[3:12]))
        at += 3 if point else 12
    return dict(zip(old, found, strict=True))


def _size(points: tuple[bool, ...]) -> int:
    return sum(3 if point else 12 for point in points)


def _symbols(n: int) -> list[Any]:
    import sympy

    return [sympy.Symbol(f"y{k}", real=True) for k in range(n)]
