"""Inputs that are more than what they act on, within limits: two quadratic programmes one after the other.

H of Gauss' principle is singular then, H N = 0. First the least deviation of the accelerations within the limits, then
among all inputs that have it the least ½ uᵀ weight u:

    u1 ∈ argmin ½ ‖u - u0‖²_H,   W u ≤ l;        u = u1 + N y,   y = argmin ½ ‖u1 + N y‖²_weight,   W N y ≤ l - W u1 .

The first one is solved by proximal points, u(k+1) = argmin ½ ‖u - u0‖²_H + ½ ε ‖u - u(k)‖²_weight, which end where the
gradient of the first term alone is balanced by limits: ε is no compromise between both.

Source: Rockafellar (1976), SIAM J. Control Optim. 14, 877-898.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.control.quadratic_program import QuadraticProgram, QuadraticSolution

PROXIMAL = 1e-7  # ε, by the traces of H and of the weight
MOST_POINTS = 50  # two or three are usual
STATIONARY = 1e-14  # of the size of H u: what the last point leaves of the gradient


class Redundancy(NamedTuple):
    """What inputs do together that is nothing, and which of them should work."""

    weight: Array  # (nu, nu) of ½ uᵀ weight u
    idle: Array  # (nu, k) N, orthonormal: changes of inputs that B does not see


def lightest_inputs(
    H: Array, u0: Array, W: Array, l: Array, redundant: Redundancy, active: NDArray[np.intp] | None = None
) -> QuadraticSolution:
    """Of the inputs nearest to u0 in the metric H that satisfy W u ≤ l, those of least weight.

    Multipliers are those of the first programme: limits that cost accelerations; `active` are the rows of both.
    """
    nearest = _nearest(H, u0, W, l, redundant.weight, active)
    N, weight = redundant.idle, redundant.weight
    G = N.T @ weight @ N
    wanted = -np.linalg.solve(G, N.T @ weight @ nearest.u)
    room = np.maximum(l - W @ nearest.u, 0.0)  # none where limits contradict each other
    change = QuadraticProgram((G + G.T) / 2, np.ascontiguousarray(W @ N)).solve(wanted, room)
    rows = tuple(dict.fromkeys([*nearest.active, *change.active]))
    return replace(nearest, u=nearest.u + N @ change.u, active=rows)


def _nearest(
    H: Array, u0: Array, W: Array, l: Array, weight: Array, active: NDArray[np.intp] | None
) -> QuadraticSolution:
    """One of the inputs nearest to u0 in the singular metric H."""
    small = PROXIMAL * np.trace(H) / np.trace(weight) * weight
    programme, both = QuadraticProgram(H + small, W), H + small
    enough = STATIONARY * float(np.linalg.norm(H)) * float(np.linalg.norm(u0))
    u, found = u0, programme.solve(u0, l, active)
    for _ in range(MOST_POINTS):
        if float(np.linalg.norm(small @ (found.u - u))) <= enough:
            break
        u = found.u
        found = programme.solve(u + np.linalg.solve(both, H @ (u0 - u)), l, found.active)
    return found
