"""Where a margin vanishes along a path: between nodes where a determinant changes its sign, and at minima.

A determinant has a sign only in a basis of motions, and bases are found anew at each place: they are compared from one
place to the next, so that the sign is carried along.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.mechanism.transmission import Side, Transmission

SINGULAR = 1e-6  # margin that vanishes along a path: how near a search for its least value comes
Passing = Callable[[float], Transmission]


@final
class Determinant:
    """The margin of the inputs or of the outputs with the sign of its determinant, known at nodes of a path.

    each: transmissions at the nodes.   passing: the transmission at any place of the path.
    """

    def __init__(self, each: Sequence[Transmission], passing: Passing, side: Side) -> None:
        self._each, self._passing, self._side = each, passing, side

    def signs(self) -> Array | None:
        """At the nodes, (n,); None where rows and motions are not equally many, so that there is no determinant."""
        k = self._each[0].A.shape[1]
        if any(self._rows(one).shape != (k, k) for one in self._each):
            return None
        orientation = np.cumprod([1.0, *(_turn(a, b) for a, b in pairwise(self._each))])
        return np.asarray(orientation * [self._sign(one) for one in self._each], dtype=np.float64)

    def near(self, node: int) -> Callable[[float], float]:
        """The signed margin over the path, in the basis of a node."""

        def value(at: float) -> float:
            one = self._passing(at)
            if self._rows(one).shape != self._rows(self._each[node]).shape:
                return 0.0  # more motions than rows: some are left open
            return _turn(self._each[node], one) * self._sign(one) * one.margin(self._side)

        return value

    def _rows(self, one: Transmission) -> Array:
        return one.A if self._side == "input" else one.B

    def _sign(self, one: Transmission) -> float:
        return float(np.sign(np.linalg.det(self._rows(one))))


def crossings(s: Array, values: Array, determinant: Determinant) -> list[tuple[int, float]]:
    """Nodes k and zeros between k and k + 1, where the determinant changes its sign and no margin is zero already.

    Signs change at jumps as well, such as from one branch of a motion to another: these are no zeros.
    """
    from scipy.optimize import brentq

    signs = determinant.signs()
    if signs is None:
        return []
    changes = (signs[:-1] * signs[1:] < 0) & (np.minimum(values[:-1], values[1:]) >= SINGULAR)
    xtol = 1e-12 * max(1.0, float(np.abs(s).max()))
    found = []
    for k in np.flatnonzero(changes).tolist():
        value = determinant.near(k)
        at = float(brentq(value, s[k], s[k + 1], xtol=xtol))
        if abs(value(at)) < SINGULAR:
            found.append((k, at))
    return found


def zeros(
    s: Array, values: Array, margin: Callable[[float], float], determinant: Determinant | None = None
) -> list[float]:
    """Places where a margin vanishes: at nodes, where its determinant changes sign, and at minima that reach zero."""
    found = [float(at) for at, value in zip(s, values, strict=True) if value < SINGULAR]
    crossed = np.zeros(len(s), dtype=bool)
    for k, at in crossings(s, values, determinant) if determinant is not None else []:
        found.append(at)
        crossed[k : k + 2] = True
    for k in range(len(s)):
        if not crossed[k] and values[k] >= SINGULAR and _may_reach_zero(values, k):
            at, least = _minimum(margin, float(s[max(k - 1, 0)]), float(s[min(k + 1, len(s) - 1)]))
            if least < SINGULAR:
                found.append(at)
    return sorted(found)


def _may_reach_zero(values: Array, k: int) -> bool:
    """Whether a margin has a minimum at node k that is small against its changes from node to node near by."""
    near = values[max(k - 2, 0) : k + 3]
    return bool(values[k] <= values[max(k - 1, 0) : k + 2].min() and values[k] < np.abs(np.diff(near)).max())


def _minimum(margin: Callable[[float], float], a: float, b: float) -> tuple[float, float]:
    from scipy.optimize import minimize_scalar

    best = minimize_scalar(margin, bounds=(a, b), method="bounded", options={"xatol": 1e-9 * (b - a)})
    return float(best.x), float(best.fun)


def _turn(a: Transmission, b: Transmission) -> float:
    """Whether two bases of motions have one orientation: 1, or -1."""
    M, N = (one.motions.reshape(-1, one.motions.shape[-1]) for one in (a, b))
    return float(np.sign(np.linalg.det(np.linalg.pinv(M) @ N)))
