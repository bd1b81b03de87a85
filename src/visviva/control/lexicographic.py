"""Inputs that are more than what they act on, within limits: two quadratic programmes one after the other.

H of Gauss' principle is singular then, H N = 0. First the least deviation of the accelerations within the limits, then
among all inputs that have it the least ½ uᵀ weight u:

    u1 ∈ argmin ½ ‖u - u0‖²_H,   W u ≤ l;        u = u1 + N y,   y = argmin ½ ‖u1 + N y‖²_weight,   W N y ≤ l - W u1 .

The first one is solved by proximal points, u(k+1) = argmin ½ ‖u - u0‖²_H + ½ ε ‖u - u(k)‖²_weight, which end where the
gradient of the first term alone is balanced by limits: ε is no compromise between both.

Where limits contradict each other they are shifted first, by as little as makes some u satisfy them: s with

    min ½ |s|²,   σ_i (w_i · u - l_i) ≤ s_i,   σ_i = 1/√(w_iᵀ weight⁻¹ w_i)

is unique. s_i is the distance of u from limit i in the metric of the weight, so that neither H, which does not see all
inputs, nor ε shares the violation out.

Source: Rockafellar (1976), SIAM J. Control Optim. 14, 877-898; Lawson, Hanson (1974), chapter 23, for non-negative
least squares.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.control.quadratic_program import QuadraticProgram, QuadraticSolution, QuadraticStatus
from visviva.numerics.nullspace import split

PROXIMAL = 1e-7  # ε, by the traces of H and of the weight
MOST_POINTS = 50  # two or three are usual
STATIONARY = 1e-14  # of the size of H u: what the last point leaves of the gradient
GIVEN = 1e-9  # of the largest distance from a limit: what is nearer is rounding
IDLE = 1e-12  # of a row of limits: what is less is rounding
ACTING = 1e-9  # of a limit: inputs that are nearer to it are at it


class Redundancy(NamedTuple):
    """What inputs do together that is nothing, and which of them should work."""

    weight: Array  # (nu, nu) of ½ uᵀ weight u
    idle: Array  # (nu, k) N, orthonormal: changes of inputs that B does not see


def lightest_inputs(
    H: Array, u0: Array, W: Array, l: Array, redundant: Redundancy, active: NDArray[np.intp] | None = None
) -> QuadraticSolution:
    """Of the inputs nearest to u0 in the metric H that satisfy W u ≤ l, those of least weight.

    Multipliers are those of the first programme: limits that cost accelerations; `active` are the rows of both. Where
    limits contradict each other, `violation` is the largest distance from one of them, in the metric of the weight.
    """
    weight, N = redundant
    nearest = _nearest(H, u0, W, l, weight, active)
    if nearest.status == QuadraticStatus.INFEASIBLE_LEAST_VIOLATION:
        return _least_violating(H, u0, W, l, weight)
    u, acting = _lighter(nearest.u, N, W, l, weight)
    return replace(nearest, u=u, active=tuple(dict.fromkeys([*nearest.active, *acting])))


def _lighter(u: Array, N: Array, W: Array, l: Array, weight: Array) -> tuple[Array, tuple[int, ...]]:
    """u + N y of least weight that satisfies the limits as u does, and the rows that act."""
    if not N.shape[1]:
        return u, ()
    G = N.T @ weight @ N
    wanted = -np.linalg.solve(G, N.T @ weight @ u)
    room, rows = np.maximum(l - W @ u, 0.0), W @ N
    rows[np.abs(rows).max(axis=1) <= IDLE * np.abs(W).max(axis=1)] = 0.0  # rounding of limits that N does not move
    change = QuadraticProgram((G + G.T) / 2, rows).solve(wanted, room)
    return u + N @ change.u, change.active


def _nearest(
    H: Array, u0: Array, W: Array, l: Array, weight: Array, active: NDArray[np.intp] | None = None
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


def _least_violating(H: Array, u0: Array, W: Array, l: Array, weight: Array) -> QuadraticSolution:
    """The same where limits contradict each other. Those that give way are equations then: u = u_s + F y, W_s F = 0."""
    from scipy.optimize import nnls

    u, s, sizes = least_shift(W, l, weight)
    given = s > GIVEN * s.max()
    others, acting = np.flatnonzero(~given), tuple[int, ...]()
    back = np.linalg.inv(np.linalg.cholesky(weight)).T  # inputs count by their weight, whatever their units
    F = back @ split(W[given] @ back).Z
    if F.shape[1]:
        values, axes = np.linalg.eigh(H)
        root = (axes * np.sqrt(np.maximum(values, 0.0))).T  # H = rootᵀ root
        seen, rows, room = split(root @ F), W[others], l[others]
        if seen.rank:
            y0, M = seen.solve(root @ (u0 - u)), (root @ F).T @ (root @ F)
            first = _nearest(M, y0, np.ascontiguousarray(rows @ F), room - rows @ u, np.eye(len(M)))
            u, acting = u + F @ first.u, first.active
        u, more = _lighter(u, F @ seen.Z, rows, room, weight)
        acting = tuple(others[k] for k in dict.fromkeys([*acting, *more]))
    active = (*np.flatnonzero(given).tolist(), *acting)
    at = np.flatnonzero(W @ u >= l + s * sizes - ACTING * (1.0 + np.abs(np.where(np.isfinite(l), l, 0.0))))
    multipliers = np.zeros(len(l))
    multipliers[at] = nnls(W[at].T, H @ (u0 - u))[0]
    status = QuadraticStatus.INFEASIBLE_LEAST_VIOLATION
    return QuadraticSolution(u, multipliers, active, status, float(s.max()), len(active))


def least_shift(W: Array, l: Array, weight: Array) -> tuple[Array, Array, Array]:
    """u from which limits W u ≤ l are least far away, these distances s (m,) in the metric, and sizes (m,) of the rows.

    With slacks t ≥ 0, s = W u / sizes - l / sizes + t is the residual of non-negative least squares in (u, t).
    """
    from scipy.optimize import nnls

    sizes = np.sqrt(np.einsum("ij,ji->i", W, np.linalg.solve(weight, W.T)))
    sizes = np.where(sizes > 0, sizes, 1.0)
    there, n = np.flatnonzero(np.isfinite(l)), W.shape[1]
    A, d = W[there] / sizes[there, None], l[there] / sizes[there]
    scale = float(np.abs(d).max(initial=0.0)) or 1.0
    found = nnls(np.hstack([A, -A, np.eye(len(d))]), d / scale)[0]
    u = scale * (found[:n] - found[n : 2 * n])
    s = np.zeros(len(l))
    s[there] = np.maximum(A @ u - d, 0.0)
    return u, s, sizes
