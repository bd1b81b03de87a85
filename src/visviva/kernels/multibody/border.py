"""Loops: rows of joints outside of the tree, solved after it as a small dense border.

    K x + Σ c_k δΛ_k = -r,   ρ_k·x = -g_k

K: the tree with its joints, c_k: impulses of the border's rows, ρ_k: their slopes.
"""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.functions import inner
from visviva.kernels.multibody.curvature import columns_of
from visviva.kernels.multibody.tables import DU, FORCE, PARENT, Int, Machine
from visviva.kernels.multibody.tree import Tree, solve_dense, solve_tree


class Border(NamedTuple):
    """Rows of loops that are solved, and their memory."""

    rows: Int  # (n, 3) function, which of its parts, place of the multiplier
    q: Array  # (n, 24) impulses and slopes on parent and child, see `columns_of`
    x: Array  # (n, bodies, 6) what one unit of each impulse does to the velocities
    dlam: Array  # (n, m) and to the impulses of the tree
    S: Array  # (n, n)
    pad: Array  # (n + 1, n)
    force: Array  # (bodies, 6) scratch
    gap: Array  # (m,) scratch


@inner
def _slope(M: Machine, border: Border, k: int) -> float:
    """ρ_k·x with the increments of the velocities that are in the table of bodies."""
    i, total = border.rows[k, 0], 0.0
    for side in range(2):
        b = M.K[i, PARENT + side]
        if b < M.B.shape[0] - 1:
            for j in range(6):
                total += border.q[k, 12 + 6 * side + j] * M.B[b, DU + j]
    return total


@inner
def factor_border(M: Machine, t: Tree, border: Border) -> None:
    """One solution of the tree for each row."""
    n, bodies = border.rows.shape[0], M.B.shape[0] - 1
    for b in range(bodies):
        for j in range(6):
            border.force[b, j] = M.B[b, FORCE + j]
    for k in range(M.gap.size):
        border.gap[k] = M.gap[k]
        M.gap[k] = 0.0
    for k in range(n):
        i = border.rows[k, 0]
        columns_of(M.B, M.X, M.K, i, border.rows[k, 1], border.q[k])
    for k in range(n):
        i = border.rows[k, 0]
        for b in range(bodies):
            for j in range(6):
                M.B[b, FORCE + j] = 0.0
        for side in range(2):
            b = M.K[i, PARENT + side]
            if b < bodies:
                for j in range(6):
                    M.B[b, FORCE + j] = border.q[k, 6 * side + j]
        solve_tree(M.B, M.K, M.gap, M.dlam, t.joints, t.Y, t.roots, t.six)
        for b in range(bodies):
            for j in range(6):
                border.x[k, b, j] = M.B[b, DU + j]
        for j in range(M.gap.size):
            border.dlam[k, j] = M.dlam[j]
        for l in range(n):
            border.S[l, k] = _slope(M, border, l)
    for b in range(bodies):
        for j in range(6):
            M.B[b, FORCE + j] = border.force[b, j]
    for k in range(M.gap.size):
        M.gap[k] = border.gap[k]


@inner
def solve_border(M: Machine, t: Tree, border: Border) -> None:
    """Increments of everything."""
    n, bodies = border.rows.shape[0], M.B.shape[0] - 1
    solve_tree(M.B, M.K, M.gap, M.dlam, t.joints, t.Y, t.roots, t.six)
    if n == 0:
        return
    for k in range(n):
        border.pad[n, k] = -M.gap[border.rows[k, 2]] - _slope(M, border, k)
        for l in range(n):
            border.pad[k, l] = border.S[k, l]
    solve_dense(n, border.pad, border.pad[n])
    for k in range(n):
        step = border.pad[n, k]
        for b in range(bodies):
            for j in range(6):
                M.B[b, DU + j] += step * border.x[k, b, j]
        for j in range(M.gap.size):
            M.dlam[j] += step * border.dlam[k, j]
    for k in range(n):
        M.dlam[border.rows[k, 2]] = border.pad[n, k]
