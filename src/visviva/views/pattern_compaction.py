"""From tracks to pixels: the shortest drawing in which things keep their order and their distance.

Along one axis the places X of tracks minimise Σ w (X_b - X_a), a weighted length of lines, under X_b - X_a ≥ d for all
things that must not touch: a linear program. Where its solution is not unique, the middle between the leftmost and the
rightmost one is taken, which keeps what is symmetric symmetric.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

Places = dict[int, float]
Order = tuple[int, int, int, int]
Weights = dict[tuple[int, int], float]  # of X_b - X_a by (a, b)
GAP = 12.0  # pixels between things
TILT = 1e-4  # weight that selects among equal solutions; lines weigh about 1


@final
@dataclass(frozen=True)
class Extent:
    """From `before` pixels in front of one track to `after` pixels behind another, or the same."""

    first: int
    last: int
    before: float = 0.0
    after: float = 0.0


@final
@dataclass(frozen=True)
class Item:
    """Something that takes space, and the tracks (x0, y0, x1, y1) that say on which side of other items it is."""

    x: Extent
    y: Extent
    order: Order
    node: bool = False


def hull(extents: Iterable[Extent], places: Places) -> tuple[float, float]:
    """From where to where some extents reach."""
    ends = [(places[extent.first] - extent.before, places[extent.last] + extent.after) for extent in extents]
    return min(first for first, _ in ends), max(last for _, last in ends)


def level_places(items: list[Item], weights: Weights) -> Places:
    """Places of level tracks. Boxes in different rows keep different heights; else only what has tracks in common."""
    x0, y0, x1, y1 = _orders(items)
    node = np.array([item.node for item in items])
    beside = (x0[:, None] <= x1) & (x0 <= x1[:, None])
    pairs = np.argwhere((y1[:, None] < y0) & (beside | (node[:, None] & node)))
    return _solve([item.y for item in items], pairs, weights)


def upright_places(items: list[Item], levels: Places, weights: Weights) -> Places:
    """Places of upright tracks, where it is known what is at the same height."""
    x0, _, x1, _ = _orders(items)
    top = np.array([levels[item.y.first] - item.y.before for item in items])
    bottom = np.array([levels[item.y.last] + item.y.after for item in items])
    level = (top[:, None] < bottom + GAP / 2) & (top < bottom[:, None] + GAP / 2)
    return _solve([item.x for item in items], np.argwhere((x1[:, None] < x0) & level), weights)


def _orders(items: list[Item]) -> tuple[np.ndarray, ...]:
    return tuple(np.array([item.order for item in items]).T)


def _solve(extents: list[Extent], pairs: Iterable[np.ndarray], weights: Weights) -> Places:
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    tracks = sorted({track for extent in extents for track in (extent.first, extent.last)})
    index = {track: k for k, track in enumerate(tracks)}
    least = {(a, a + 1): 0.0 for a in range(len(tracks) - 1)}
    for one, two in pairs:
        a, b = index[extents[one].last], index[extents[two].first]
        least[a, b] = max(least.get((a, b), 0.0), extents[one].after + GAP + extents[two].before)
    slope = np.zeros(len(tracks))
    for (first, last), weight in weights.items():
        slope[index[last]] += weight
        slope[index[first]] -= weight
    n, ends = len(least), np.array(list(least), dtype=int).reshape(-1, 2)
    rows = np.concatenate([np.arange(n), np.arange(n)])
    matrix: Any = coo_array((np.repeat([1.0, -1.0], n), (rows, ends.T.ravel())), shape=(n, len(tracks)))
    far = sum(least.values()) + 1.0
    solutions: list[Any] = [
        linprog(slope + tilt, A_ub=matrix, b_ub=-np.array(list(least.values())), bounds=(0.0, far), method="highs").x
        for tilt in (TILT, -TILT)
    ]
    shifted = [x - x[0] for x in solutions]
    return dict(zip(tracks, ((shifted[0] + shifted[1]) / 2).tolist(), strict=True))
