"""Inputs that are more than what they act on: the nearest accelerations first, then the lightest inputs.

B u = Yᵀ w with w = Tᵀ u: the r rows of Y are independent directions of force, T (nu, r) the share of each input in
them. Where Gauss' principle wants w0, in the metric G, the lightest inputs are

    u0 = K w0,     K = weight⁻¹ T (Tᵀ weight⁻¹ T)⁻¹,     Tᵀ K = 1 ,

and within limits W u ≤ l, by the two programmes of `control.lexicographic`,

    u1 ∈ argmin ½ ‖Tᵀ u - w0‖²_G,   W u ≤ l;     u = u1 + Π y,   y = argmin ½ ‖u1 + y‖²_weight,   W Π y ≤ l - W u1 ,

where Π = 1 - K Tᵀ: what T sees of y is not limited, and does not change the rest, normal to it in the weight.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.control.dense import DEFINITE_RTOL, factor_cholesky, solve_cholesky
from visviva.kernels.functions import inner
from visviva.kernels.multibody.tables import Int
from visviva.kernels.quadratic_program import INFEASIBLE_LEAST_VIOLATION, NOT_DEFINITE, OPTIMAL, Workspace, prepare
from visviva.kernels.quadratic_program import solve as solve_program

RANK_RTOL = 1.5e-8  # of a unit column of B: less is a combination of others, as `numerics.rank` has it
PROXIMAL, MOST_POINTS, STATIONARY, IDLE = 1e-7, 50, 1e-14, 1e-12  # as `control.lexicographic` has them
COSTLY = 1e-6  # of the wanted accelerations: limits that take less only shift work from one input to another
TARGET, LAST, CHANGE = range(3)  # rows of `vectors`


class Redundant(NamedTuple):
    """Weight and memory, for nu inputs and m limits; empty where inputs act independently."""

    weight: Array  # (nu, nu)
    inverse: Array  # (nu, nu) of the weight
    T: Array  # (nu, nu) of which r columns are written
    K: Array  # (nu, nu) the same
    S: Array  # (nu, nu)
    near: Array  # (nu, nu)
    w: Array  # (2, nu) w0, and another
    vectors: Array  # (3, nu)
    rows: Array  # (m, nu) W Π
    room: Array  # (m,) l - W u1
    active: Int  # (nu,) limits that acted on y


@inner
def find_directions(B: Array, rest: Array, lengths: Array, Y: Array, T: Array) -> int:
    """Y and T by orthogonalisation of the longest rest of all unit columns; their number r.

    rest: (nu, n), lengths: (nu,), memory.
    """
    n, nu = B.shape
    for i in range(nu):
        length = 0.0
        for j in range(n):
            length += B[j, i] * B[j, i]
        lengths[i] = math.sqrt(length)
        for j in range(n):
            rest[i, j] = B[j, i] / lengths[i] if length > 0.0 else 0.0
    for r in range(min(n, nu)):
        best, largest = 0, 0.0
        for i in range(nu):
            square = 0.0
            for j in range(n):
                square += rest[i, j] * rest[i, j]
            if square > largest:
                best, largest = i, square
        if not largest > RANK_RTOL * RANK_RTOL:
            return r
        over = 1.0 / math.sqrt(largest)
        for j in range(n):
            Y[r, j] = over * rest[best, j]
        for i in range(nu):
            s = 0.0
            for j in range(n):
                s += Y[r, j] * rest[i, j]
            for j in range(n):
                rest[i, j] -= s * Y[r, j]
            T[i, r] = lengths[i] * s
    return min(n, nu)


@inner
def invert_shares(p: Redundant, r: int) -> bool:
    """K of T; False where that is singular."""
    nu = p.T.shape[0]
    for i in range(nu):
        for k in range(r):
            s = 0.0
            for j in range(nu):
                s += p.inverse[i, j] * p.T[j, k]
            p.K[i, k] = s
    for i in range(r):
        for k in range(i + 1):
            s = 0.0
            for j in range(nu):
                s += p.T[j, i] * p.K[j, k]
            p.S[i, k] = s
    if not factor_cholesky(p.S, r, DEFINITE_RTOL):
        return False
    for i in range(nu):
        solve_cholesky(p.S, r, p.K[i])
    return True


@inner
def put_seen(p: Redundant, r: int, u: Array, w: Array) -> None:
    """w = Tᵀ u."""
    for k in range(r):
        w[k] = 0.0
        for i in range(u.shape[0]):
            w[k] += p.T[i, k] * u[i]


@inner
def put_lightest(p: Redundant, r: int, w: Array, u: Array) -> None:
    """u = K w."""
    for i in range(u.shape[0]):
        u[i] = 0.0
        for k in range(r):
            u[i] += p.K[i, k] * w[k]


@inner
def put_slope(p: Redundant, r: int, G: Array, w: Array, out: Array) -> None:
    """T G w; G symmetric."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    for k in range(r):
        s = 0.0
        for j in range(r):
            s += G[k, j] * w[j]
        for i in range(out.shape[0]):
            out[i] += p.T[i, k] * s


@inner
def put_near(p: Redundant, r: int, G: Array) -> tuple[float, float]:
    """H + ε weight, H = T G Tᵀ; ε by the traces of both, and the norm of H."""
    nu = p.T.shape[0]
    square, trace, weights = 0.0, 0.0, 0.0
    for i in range(nu):
        put_slope(p, r, G, p.T[i], p.near[i])
        for j in range(nu):
            square += p.near[i, j] * p.near[i, j]
        trace += p.near[i, i]
        weights += p.weight[i, i]
    small = PROXIMAL * trace / weights
    for i in range(nu):
        for j in range(i + 1):
            p.near[i, j] = p.near[j, i] = 0.5 * (p.near[i, j] + p.near[j, i]) + small * p.weight[i, j]
    return small, math.sqrt(square)


@inner
def approach(
    p: Redundant, r: int, G: Array, W: Array, l: Array, work: Workspace, u0: Array, most: int, active: Int, u: Array,
    multipliers: Array, report: Array,
) -> int:  # fmt: skip
    """u1, one of the inputs whose accelerations are nearest, by proximal points; the status of the programme."""
    nu = u.shape[0]
    small, size = put_near(p, r, G)
    if prepare(p.near, W, work) != OPTIMAL:
        return NOT_DEFINITE
    status = solve_program(work, u0, l, active, most, u, multipliers, report)
    if not factor_cholesky(p.near, nu, DEFINITE_RTOL):
        return NOT_DEFINITE
    target, last, change = p.vectors[TARGET], p.vectors[LAST], p.vectors[CHANGE]
    length = 0.0
    for i in range(nu):
        last[i] = u0[i]
        length += u0[i] * u0[i]
    enough = STATIONARY * size * math.sqrt(length)
    for _ in range(MOST_POINTS):
        square = 0.0
        for i in range(nu):
            s = 0.0
            for j in range(nu):
                s += p.weight[i, j] * (u[j] - last[j])
            square += s * s
        if small * math.sqrt(square) <= enough:
            break
        for i in range(nu):
            last[i] = u[i]
            change[i] = u0[i] - u[i]
        put_seen(p, r, change, p.w[1])
        put_slope(p, r, G, p.w[1], target)
        solve_cholesky(p.near, nu, target)
        for i in range(nu):
            target[i] += last[i]
        status = solve_program(work, target, l, active, most, u, multipliers, report)
    return status


@inner
def is_costly(p: Redundant, r: int, G: Array, u: Array) -> bool:
    """Whether accelerations under u are others than those of w0."""
    w, lost, wanted = p.w[1], 0.0, 0.0
    put_seen(p, r, u, w)
    for i in range(r):
        for k in range(r):
            lost += (w[i] - p.w[0, i]) * G[i, k] * (w[k] - p.w[0, k])
            wanted += p.w[0, i] * G[i, k] * p.w[0, k]
    return lost > COSTLY * COSTLY * wanted


@inner
def lighten(
    p: Redundant, r: int, W: Array, l: Array, work: Workspace, most: int, u: Array, multipliers: Array, report: Array
) -> bool:
    """The lightest inputs with accelerations of u within the limits, in its place."""
    nu = u.shape[0]
    y, target, w = p.vectors[CHANGE], p.vectors[TARGET], p.w[1]
    for i in range(l.shape[0]):
        put_row(p, r, W[i], w, p.rows[i])
        room = l[i]
        for k in range(nu):
            room -= W[i, k] * u[k]
        p.room[i] = max(room, 0.0)
    for k in range(nu):
        target[k] = -u[k]
    if prepare(p.weight, p.rows, work) != OPTIMAL:
        return False
    status = solve_program(work, target, p.room, p.active, most, y, multipliers, report)
    if status not in (OPTIMAL, INFEASIBLE_LEAST_VIOLATION):  # no change satisfies the limits: the other is by rounding
        return False
    put_seen(p, r, y, w)
    for i in range(nu):
        u[i] += y[i]
        for k in range(r):
            u[i] -= p.K[i, k] * w[k]
    return True


@inner
def put_row(p: Redundant, r: int, given: Array, w: Array, row: Array) -> None:
    """A row times Π, of zeros where it is rounding."""
    nu, size, left = given.shape[0], 0.0, 0.0
    for k in range(r):
        w[k] = 0.0
        for i in range(nu):
            w[k] += given[i] * p.K[i, k]
    for i in range(nu):
        row[i] = given[i]
        for k in range(r):
            row[i] -= w[k] * p.T[i, k]
        size, left = max(size, abs(given[i])), max(left, abs(row[i]))
    if left <= IDLE * size:
        for i in range(nu):
            row[i] = 0.0
