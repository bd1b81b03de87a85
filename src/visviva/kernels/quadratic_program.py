"""Strictly convex quadratic programmes of a few dozen unknowns, by a dual active-set method.

    min ½ (u - u₀)ᵀ H (u - u₀)   subject to   W u ≤ l,   H = Hᵀ > 0

With H = Uᵀ U and y = U (u - u₀) it is the point nearest to the origin (Lawson, Hanson, Solving Least Squares Problems
(1974), chapter 23):

    min ½ |y|²   subject to   a_i · y ≤ d_i
    a_i = σ_i U⁻ᵀ w_i,   d_i = σ_i (l_i - w_i · u₀),   σ_i = 1/√(w_iᵀ H⁻¹ w_i)

All a_i have length 1, whatever the units of inputs and rows. `prepare` makes U and a_i, `solve` the rest: as long as H
and W stay, only `solve` is called again.

The method (Goldfarb, Idnani (1983), Math. Programming 27, 1-33): y is the nearest point of the rows in a working set,
y = -Σ λ_i a_i with λ ≥ 0. The most violated row p is written as a_p = z + Σ r_i a_i, z normal to the set. Its
multiplier grows by t, those of the set by -t r, and a_p · y falls by t |z|². If a multiplier of the set gets zero
first, its row leaves; if the violation does, p enters. Each round the distance |y| grows, so that no set comes twice.
After each round y and λ are solved anew from the factors of the working set: nothing adds up, and any working set may
be the start, for rows with λ < 0 leave it first.

Infeasible rows: with z = 0 and all r ≤ 0, the weights μ = (1, -r) have Σ μ_i a_i = 0 and Σ μ_i d_i < 0, hence no y
satisfies a_i · y ≤ d_i + s with less than s = -Σ μ_i d_i / Σ μ_i, which is the violation of row p over Σ μ_i, since all
others hold with equality. All rows are relaxed by just that much and the method goes on, until there is a y: s is then
the least possible largest violation, in units of |y|, and y the point nearest to the origin among those that violate no
row by more (Dinkelbach (1967), Management Science 13, 492-498, finds the largest ratio in the same way).

Limits: rows that are parallel to 1e-9 in the metric of H, or depend on others so closely, count as dependent. Among
infeasible rows that are nearly so, rounding decides what comes next, and the limit of iterations may be reached.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.kernels.functions import kernel, woven
from visviva.kernels.working_set import add_rows, append, combination, dot, project, remove

Int = NDArray[np.int64]

OPTIMAL, INFEASIBLE_LEAST_VIOLATION, ITERATION_LIMIT, NOT_DEFINITE, NOT_FINITE = range(5)
VIOLATION, ITERATIONS = range(2)  # places of the report

DEFINITE_RTOL = 4e-16  # a pivot of H below n times this part of its diagonal is rounding
FEASIBLE_RTOL = 1e-12  # of the numbers that a row is made of: violations below are rounding
NEARLY_FEASIBLE_RTOL = 1e-10  # the same for a row that depends on others, whose difference is amplified
DEPENDENT = 1e-9  # |z| of a unit row that counts as a combination of others
MULTIPLIER_RTOL = 1e-12  # of the largest multiplier or coefficient: smaller ones are zero
REFACTORED = 100  # changes of a working set after which its factors are made anew
SQUARE_RANGE = 1e-200  # squares of numbers between this and its inverse neither vanish nor overflow


class Workspace(NamedTuple):
    """Memory for programmes of n inputs and m rows; what `prepare` leaves, above the line, `solve` only reads."""

    U: Array  # (n, n) upper triangular factor of H; the diagonal holds reciprocals
    W: Array  # (n, m) columns σ_i w_i
    A: Array  # (n, m) columns a_i
    scale: Array  # (m,) σ_i, 0 for a row of zeros
    # ---
    d: Array  # (m,) bounds in y
    size: Array  # (m,) size of the numbers in d_i, to which rounding is relative
    rtol: Array  # (m,) tolerance of a row, relative to its size
    excess: Array  # (m,) a_i · y - d_i
    Q: Array  # (n, n) factors of a working set, see `working_set`
    T: Array  # (n, n)
    kept: Int  # (n + 1,) the rows that they are of, -1 behind the last one; the last place counts changes
    lam: Array  # (n,) multipliers of the working set
    y: Array  # (n,)
    z: Array  # (n,)
    r: Array  # (n,)


def workspace(n: int, m: int) -> Workspace:
    """Empty memory for n inputs and m rows."""
    zeros = np.zeros
    return Workspace(
        *(zeros((n, n)), zeros((n, m)), zeros((n, m)), zeros(m)),
        *(zeros(m), zeros(m), zeros(m), zeros(m)),
        *(zeros((n, n)), zeros((n, n)), np.full(n + 1, -1, dtype=np.int64)),
        *(zeros(n), zeros(n), zeros(n), zeros(n)),
    )


@kernel
def prepare(H: Array, W: Array, work: Workspace) -> int:
    """Factor H and transform the rows of W; OPTIMAL, NOT_DEFINITE or NOT_FINITE, with which `work` is of no use.

    H: (n, n), of which the upper triangle is read.   W: (m, n).
    """
    n, m = work.A.shape
    U, V, A, scale = work.U, work.W, work.A, work.scale
    for i in range(n + 1):
        work.kept[i] = -1
    for i in range(n):
        for j in range(i, n):
            U[i, j] = H[i, j]
        k = 0
        while k + 2 <= i:
            U0, U1 = U[k, i], U[k + 1, i]
            for j in range(i, n):
                U[i, j] -= U0 * U[k, j] + U1 * U[k + 1, j]
            k += 2
        if k < i:
            U0 = U[k, i]
            for j in range(i, n):
                U[i, j] -= U0 * U[k, j]
        pivot = U[i, i]
        if not -math.inf < pivot < math.inf:
            return NOT_FINITE
        if not pivot > n * DEFINITE_RTOL * H[i, i]:
            return NOT_DEFINITE
        U_ii = 1.0 / math.sqrt(pivot)
        for j in range(i, n):
            U[i, j] *= U_ii
        U[i, i] = U_ii
    for j in range(n):
        for i in range(m):
            V[j, i] = W[i, j]
    for i in range(m):
        scale[i] = 0.0
    for j in range(n):
        for i in range(m):
            A[j, i] = V[j, i]
        k = 0
        while k + 4 <= j:  # at a time: the row is fetched and stored less often
            U0, U1, U2, U3 = U[k, j], U[k + 1, j], U[k + 2, j], U[k + 3, j]
            for i in range(m):
                A[j, i] -= (U0 * A[k, i] + U1 * A[k + 1, i]) + (U2 * A[k + 2, i] + U3 * A[k + 3, i])
            k += 4
        while k < j:
            U0 = U[k, j]
            for i in range(m):
                A[j, i] -= U0 * A[k, i]
            k += 1
        U_jj = U[j, j]
        for i in range(m):
            A[j, i] *= U_jj
            scale[i] += A[j, i] * A[j, i]
    for i in range(m):
        scale[i] = 1.0 / math.sqrt(scale[i]) if SQUARE_RANGE < scale[i] < 1.0 / SQUARE_RANGE else 0.0
    for j in range(n):
        for i in range(m):
            A[j, i] *= scale[i]
            V[j, i] *= scale[i]
    for i in range(m):
        if scale[i] == 0.0 and not transform_extreme_row(W, work, i):
            return NOT_FINITE
    return OPTIMAL


@woven
def transform_extreme_row(W: Array, work: Workspace, i: int) -> bool:
    """Row i of zeros, or of numbers whose squares vanish or overflow; False if one is not finite."""
    U, V, A, scale = work.U, work.W, work.A, work.scale
    n = U.shape[0]
    largest, square = 0.0, 0.0
    for j in range(n):
        if not -math.inf < W[i, j] < math.inf:
            return False
        largest = max(largest, abs(W[i, j]))
    for j in range(n):
        V[j, i] = W[i, j] / largest if largest > 0.0 else 0.0
        A[j, i] = V[j, i]
        for k in range(j):
            A[j, i] -= U[k, j] * A[k, i]
        A[j, i] *= U[j, j]
        square += A[j, i] * A[j, i]
    factor = 1.0 / math.sqrt(square) if square > 0.0 else 0.0
    scale[i] = factor / largest if largest > 0.0 else 0.0
    if not scale[i] < math.inf:  # denormal numbers are zeros
        scale[i], factor = 0.0, 0.0
    for j in range(n):
        A[j, i] *= factor
        V[j, i] *= factor
    return True


@woven
def bounds(work: Workspace, u0: Array, l: Array) -> float:
    """Bounds d in y and the sizes of their terms; returns by how much rows of zeros are violated, nan if not finite."""
    n, m = work.A.shape
    W, scale, d, size = work.W, work.scale, work.d, work.size
    for i in range(m):
        d[i] = l[i] * scale[i]
        size[i] = abs(d[i])
        work.rtol[i] = FEASIBLE_RTOL
    for j in range(n):
        u0_j = u0[j]
        if not -math.inf < u0_j < math.inf:
            return math.nan
        for i in range(m):
            term = W[j, i] * u0_j
            d[i] -= term
            size[i] += abs(term)
    worst = 0.0
    for i in range(m):
        if scale[i] == 0.0:
            if not l[i] > -math.inf:
                return math.nan
            d[i], size[i] = math.inf, 0.0
            worst = max(worst, -l[i])
        elif not d[i] > -math.inf or (d[i] == math.inf and l[i] < math.inf):
            return math.nan
    return worst


@woven
def nearest_point(work: Workspace, active: Int, k: int) -> float:
    """Point y nearest to the origin with a_i · y = d_i for the k rows of the working set, and λ; returns |y|."""
    n = work.y.size
    y, z, lam, T, Q, d = work.y, work.z, work.lam, work.T, work.Q, work.d
    for j in range(n):
        y[j] = 0.0
    square = 0.0
    for i in range(k):
        z[i] = (d[active[i]] - dot(T, i, z, 0, i)) / T[i, i]
        square += z[i] * z[i]
        lam[i] = -z[i]
    add_rows(Q, k, 1.0, z, y)
    combination(T, k, lam)
    return math.sqrt(square)


@woven
def leave(work: Workspace, active: Int, k: int, place: int) -> None:
    """The row at `place` leaves the working set of k rows."""
    remove(work.Q, work.T, k, place)
    for i in range(place, k - 1):
        active[i] = active[i + 1]
        work.lam[i] = work.lam[i + 1]
    active[k - 1] = -1


@woven
def project_row(work: Workspace, p: int, k: int) -> float:
    """Row p as a_p = z + Σ r_i a_i, with r still in terms of q_i; returns |z|²."""
    for j in range(work.z.size):
        work.z[j] = work.A[j, p]
    return project(work.Q, k, work.z, work.r, work.y)


@woven
def restore(work: Workspace, active: Int) -> int:
    """Factors of the working set that a call before has left; rows that are none, or depend on others, are left out.

    Factors of the same rows are taken as they are, unless rounding of many changes may have added up. Returns the
    number of rows.
    """
    n, m = work.A.shape
    kept = work.kept
    k, same = 0, kept[n] < REFACTORED
    while same and k < n and active[k] >= 0:
        same = active[k] == kept[k] and work.d[active[k]] < math.inf
        k += 1
    if same and (k == n or kept[k] < 0):
        return k
    k, kept[n] = 0, 0
    for given in range(n):
        p = active[given]
        active[given] = -1
        if 0 <= p < m and work.d[p] < math.inf:
            left = project_row(work, p, k)
            if left > DEPENDENT * DEPENDENT:
                append(work.Q, work.T, k, work.z, work.r, left)
                active[k] = p
                k += 1
    return k


@woven
def worst_row(work: Workspace, active: Int, k: int, norm: float) -> int:
    """The row with the largest excess a_i · y - d_i beyond its tolerance; -1 if there is none."""
    m = work.d.size
    excess, d = work.excess, work.d
    for i in range(m):
        excess[i] = -d[i]
    if k > 0:
        add_rows(work.A, work.y.size, 1.0, work.y, excess)
    for i in range(k):
        excess[active[i]] = -math.inf
    worst, largest = -1, 0.0
    for i in range(m):
        if excess[i] > largest and excess[i] > work.rtol[i] * (work.size[i] + norm):
            worst, largest = i, excess[i]
    return worst


@woven
def relax(work: Workspace, k: int, excess: float) -> float:
    """Relax all rows by the least s that removes an excess of the row Σ r_i a_i, r ≤ 0, with all a_i · y = d_i."""
    total = 1.0
    for i in range(k):
        total += abs(min(work.r[i], 0.0))
    s = excess / total
    for i in range(work.d.size):
        work.d[i] += s
        work.size[i] += s
    return s


@kernel
def solve(
    work: Workspace, u0: Array, l: Array, active: Int, limit: int, u: Array, multipliers: Array, report: Array
) -> int:
    """Solve a programme that `prepare` has prepared; returns its status.

    u0:     (n,) wanted input.   l: (m,) bounds; inf is none.
    active: (n,) rows of the working set, -1 behind the last one; the start, and what is found. Any content is allowed.
    limit:  number of changes of the working set.
    u, multipliers: (n,), (m,) what is found, H (u - u₀) + Wᵀ multipliers = 0.
    report: (2,) VIOLATION and ITERATIONS.

    OPTIMAL:                    the solution.
    INFEASIBLE_LEAST_VIOLATION: no u satisfies all rows. VIOLATION is the least s for which W u ≤ l + s / σ has a
                                solution, u the solution for these bounds. Rows of zeros with l_i < 0 are left out of
                                it, and VIOLATION is at least -l_i.
    ITERATION_LIMIT:            u is the solution for the rows of the working set alone, VIOLATION the largest of
                                σ_i (w_i · u - l_i).
    NOT_FINITE:                 a nan, an infinite number elsewhere than in l = inf, or squares that overflow; u is nan.
    """
    n, m = work.A.shape
    y, z, r, lam = work.y, work.z, work.r, work.lam
    for i in range(m):
        multipliers[i] = 0.0
    zeros = bounds(work, u0, l)
    k, iterations, relaxed, status = 0, 0, 0.0, OPTIMAL
    if zeros == zeros:
        k = restore(work, active)
    else:
        status = NOT_FINITE
    while status == OPTIMAL:
        norm = nearest_point(work, active, k)
        if not norm < math.inf:
            status = NOT_FINITE
            break
        lowest, highest = 0, 0.0
        for i in range(k):
            highest = max(highest, abs(lam[i]))
            if lam[i] < lam[lowest]:
                lowest = i
        if k > 0 and lam[lowest] < -MULTIPLIER_RTOL * highest and iterations < limit:
            leave(work, active, k, lowest)
            k -= 1
            iterations += 1
            continue
        p = worst_row(work, active, k, norm)
        if p < 0:
            break
        excess, lam_p = work.excess[p], 0.0
        while True:
            if iterations >= limit:
                status = ITERATION_LIMIT
                break
            iterations += 1
            left = project_row(work, p, k)
            for i in range(k):
                y[i] = r[i]  # which `append` wants; y is free until the next point
            combination(work.T, k, r)
            dependent = k == n or left <= DEPENDENT * DEPENDENT
            t, blocking, highest = math.inf if dependent else excess / left, -1, 0.0
            for i in range(k):
                highest = max(highest, abs(r[i]))
            for i in range(k):
                if r[i] > MULTIPLIER_RTOL * highest and max(lam[i], 0.0) < t * r[i]:
                    t, blocking = max(lam[i], 0.0) / r[i], i
            if blocking >= 0:
                for i in range(k):
                    lam[i] -= t * r[i]
                lam_p += t
                if not dependent:
                    excess -= t * left
                leave(work, active, k, blocking)
                k -= 1
            elif not dependent:
                append(work.Q, work.T, k, z, y, left)
                active[k] = p
                k += 1
                break
            else:
                if excess > NEARLY_FEASIBLE_RTOL * (work.size[p] + norm):
                    relaxed += relax(work, k, excess)
                work.rtol[p] = NEARLY_FEASIBLE_RTOL
                break
    report[ITERATIONS] = iterations
    if status == NOT_FINITE:
        report[VIOLATION] = math.nan
        for j in range(n):
            u[j] = math.nan
            active[j] = -1
            work.kept[j] = -1  # factors may be those of any rows
        return NOT_FINITE
    for i in range(n):
        work.kept[i] = active[i]
    work.kept[n] += iterations
    if status == ITERATION_LIMIT:
        norm = nearest_point(work, active, k)
        p = worst_row(work, active, k, norm)
        relaxed += work.excess[p] if p >= 0 else 0.0
    elif relaxed > 0.0 or zeros > 0.0:
        status = INFEASIBLE_LEAST_VIOLATION
    report[VIOLATION] = max(relaxed, zeros)
    for i in range(k):
        if lam[i] > 0.0:
            multipliers[active[i]] = lam[i] * work.scale[active[i]]
    total = 0.0
    for j in range(n - 1, -1, -1):
        y[j] = (y[j] - dot(work.U, j, y, j + 1, n)) * work.U[j, j]
        u[j] = u0[j] + y[j]
        total += u[j]
    if total - total == 0.0:
        return status
    for j in range(n):
        u[j] = math.nan
    return NOT_FINITE
