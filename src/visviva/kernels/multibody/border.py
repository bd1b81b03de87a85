"""Loops, couplings and stiffness across joints beside the tree: solved after it as a small dense border.

    K x + Σ c_k μ_k = -r,   ρ_k·x + d_k μ_k = -g_k

K: the tree with its joints, c_k: impulses of the border's unknowns, ρ_k: slopes of its rows. Rows of joints outside of
the tree and of couplings have d = 0, and μ is the increment of their multiplier. Where the effort along a coordinate
a changes with others b, μ_a = h² Σ S_ab (t_b·x) is how its impulse does: d = -1, and g = 0.
"""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.functions import inner
from visviva.kernels.multibody.couplings import coupling_columns
from visviva.kernels.multibody.curvature import Across, columns_of
from visviva.kernels.multibody.tables import DU, FORCE, PARENT, Conditions, Elements, Int, Machine
from visviva.kernels.multibody.tree import Tree, solve_dense, solve_tree

# Whole numbers of a row: what it is, and which: function, coupling or member of a stack; which of the three functions
# of a MEET, or the stack; its multiplier or -1; its bodies, from and to.
ROW_KIND, ROW_NUMBER, ROW_PART, ROW_PLACE, ROW_FROM, ROW_TO, BORDER_ROW = range(7)
OF_LOOP, OF_COUPLING, OF_STACK = range(3)


class Border(NamedTuple):
    """Rows that are solved after the tree, and their memory."""

    rows: Int  # (n, BORDER_ROW)
    bodies: Int  # those of all rows
    V: Array  # 12 numbers for each of them: impulse and slope
    diagonal: Array  # (n,)
    x: Array  # (n, bodies, 6) what one unit of each impulse does to the velocities
    dlam: Array  # (n, m) and to the impulses of the tree
    S: Array  # (n, n)
    pad: Array  # (n + 1, n)
    force: Array  # (bodies, 6) scratch
    gap: Array  # (m,) scratch
    q: Array  # (24,) scratch


@inner
def slot_of(bodies: Int, first: int, last: int, b: int) -> int:
    """Where a body is among those of a row; -1 for the ground."""
    for slot in range(first, last):
        if bodies[slot] == b:
            return slot
    return -1


@inner
def spread(M: Machine, bodies: Int, row: Int, i: int, q: Array, V: Array) -> None:
    """Impulses and slopes of a function i on its two bodies, see `columns_of`, to those of a row."""
    for side in range(2):
        slot = slot_of(bodies, row[ROW_FROM], row[ROW_TO], M.K[i, PARENT + side])
        if slot >= 0:
            for j in range(6):
                V[12 * slot + j], V[12 * slot + 6 + j] = q[6 * side + j], q[12 + 6 * side + j]


@inner
def stack_columns(M: Machine, e: Elements, a: Across, bodies: Int, row: Int, V: Array, W: Array, h: float) -> None:
    """Impulses along a coordinate to V, 12 numbers for each body; slopes by the others of its stack to W."""
    member, stack, first, last = row[ROW_NUMBER], row[ROW_PART], row[ROW_FROM], row[ROW_TO]
    n, s, begin = e.stacks[stack, 1], e.stacks[stack, 2], a.members[member, 2]
    for slot in range(first, last):
        for j in range(12):
            V[12 * slot + j] = W[12 * slot + j] = 0.0
    for l in range(n):
        other, stiffness = begin + l, h * h * e.slope[s + n * (member - begin) + l]
        for side in range(2):
            t, i = a.members[other, 0], a.members[other, 1]
            slot = slot_of(bodies, first, last, M.TK[t, side] if t >= 0 else M.K[i, PARENT + side])
            if slot < 0:
                continue
            for j in range(6):
                if other == member:
                    V[12 * slot + j] += a.q[other, 6 * side + j]
                else:
                    W[12 * slot + 6 + j] += stiffness * a.q[other, 12 + 6 * side + j]


@inner
def _columns(M: Machine, e: Elements, conditions: Conditions | None, a: Across, border: Border, h: float) -> None:
    """Impulses and slopes of all rows."""
    for k in range(border.rows.shape[0]):
        row = border.rows[k]
        if row[ROW_KIND] == OF_LOOP:
            columns_of(M.B, M.X, M.K, row[ROW_NUMBER], row[ROW_PART], border.q)
            spread(M, border.bodies, row, row[ROW_NUMBER], border.q, border.V)
        elif row[ROW_KIND] == OF_STACK:
            stack_columns(M, e, a, border.bodies, row, border.V, border.V, h)
        elif conditions is not None:
            c = conditions.couplings
            coupling_columns(c, M.B, M.X, M.K, row[ROW_NUMBER], border.q, border.V, 12 * row[ROW_FROM])


@inner
def _slope(M: Machine, border: Border, k: int) -> float:
    """ρ_k·x with the increments of the velocities that are in the table of bodies."""
    total = 0.0
    for slot in range(border.rows[k, ROW_FROM], border.rows[k, ROW_TO]):
        b = border.bodies[slot]
        for j in range(6):
            total += border.V[12 * slot + 6 + j] * M.B[b, DU + j]
    return total


@inner
def factor_border(
    M: Machine, e: Elements, conditions: Conditions | None, t: Tree, a: Across, border: Border, h: float
) -> None:
    """One solution of the tree for each row."""
    n, bodies = border.rows.shape[0], M.B.shape[0] - 1
    for b in range(bodies):
        for j in range(6):
            border.force[b, j] = M.B[b, FORCE + j]
    for k in range(M.gap.size):
        border.gap[k] = M.gap[k]
        M.gap[k] = 0.0
    _columns(M, e, conditions, a, border, h)
    for k in range(n):
        for b in range(bodies):
            for j in range(6):
                M.B[b, FORCE + j] = 0.0
        for slot in range(border.rows[k, ROW_FROM], border.rows[k, ROW_TO]):
            for j in range(6):
                M.B[border.bodies[slot], FORCE + j] = border.V[12 * slot + j]
        solve_tree(M.B, M.K, M.gap, M.dlam, t.joints, t.Y, t.roots, t.six, True)
        for b in range(bodies):
            for j in range(6):
                border.x[k, b, j] = M.B[b, DU + j]
        for j in range(M.gap.size):
            border.dlam[k, j] = M.dlam[j]
        for l in range(n):
            border.S[l, k] = _slope(M, border, l)
        border.S[k, k] += border.diagonal[k]
    for b in range(bodies):
        for j in range(6):
            M.B[b, FORCE + j] = border.force[b, j]
    for k in range(M.gap.size):
        M.gap[k] = border.gap[k]


@inner
def solve_border(M: Machine, t: Tree, border: Border) -> None:
    """Increments of everything."""
    n, bodies = border.rows.shape[0], M.B.shape[0] - 1
    solve_tree(M.B, M.K, M.gap, M.dlam, t.joints, t.Y, t.roots, t.six, False)
    if n == 0:
        return
    for k in range(n):
        place = border.rows[k, ROW_PLACE]
        border.pad[n, k] = -_slope(M, border, k) - (M.gap[place] if place >= 0 else 0.0)
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
        if border.rows[k, ROW_PLACE] >= 0:
            M.dlam[border.rows[k, ROW_PLACE]] = border.pad[n, k]
