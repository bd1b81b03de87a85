"""The matrix of a step of any mechanism as the values of a sparse matrix with a fixed pattern.

Unknowns: six per body, then the multipliers of the joints. Values, in this order: own blocks of the bodies (36 each),
blocks between the bodies of a pair (72 each), per multiplier impulses and slopes on both bodies (24) and its diagonal,
for rows of couplings impulses and slopes on each of their bodies (12 each), and what generated rows add, see `rows`.
"""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.functions import inner
from visviva.kernels.multibody.algebra import Vector
from visviva.kernels.multibody.couplings import coupling_columns
from visviva.kernels.multibody.curvature import columns_of, curve, curve_meet
from visviva.kernels.multibody.tables import DU, FORCE, KIND, KVV, MEET, PLACE, Couplings, Int, Machine

PER_BODY, PER_PAIR, PER_ROW = 36, 72, 25


class Graph(NamedTuple):
    """Memory of the sparse matrix of a mechanism."""

    V: Array  # values
    LU: Array
    b: Array  # (unknowns,) right-hand side, then solution
    pad: Array  # (unknowns,)
    q: Array  # (25,) scratch


@inner
def first_row(B: Array, Z: Array) -> int:
    """Place of the first value that belongs to a multiplier; those of blocks come before."""
    return PER_BODY * (B.shape[0] - 1) + PER_PAIR * Z.shape[0]


@inner
def put_row(V: Array, at: int, q: Array, active: bool) -> None:
    """Impulses and slopes of a multiplier, (24,); one that is not solved for stays as it is."""
    for j in range(24):
        V[at + j] = q[j] if active else 0.0
    V[at + 24] = 0.0 if active else 1.0


@inner
def put_blocks(B: Array, Z: Array, V: Array) -> None:
    """Own blocks of the bodies, and those between bodies."""
    n = B.shape[0] - 1
    for b in range(n):
        for j in range(PER_BODY):
            V[PER_BODY * b + j] = B[b, KVV + j]
    for p in range(Z.shape[0]):
        for j in range(PER_PAIR):
            V[PER_BODY * n + PER_PAIR * p + j] = Z[p, j]


@inner
def curve_joints(M: Machine, lam: Array, Z: Array, pairs: Int, h: float) -> None:
    """What the impulses lam of all joints add to the blocks."""
    for i in range(M.sizes[1]):
        k = M.K[i, PLACE]
        if M.K[i, KIND] == MEET:
            L: Vector = (lam[k], lam[k + 1], lam[k + 2])
            curve_meet(M.B, M.X, M.K, i, L, h)
        else:
            curve(M.B, M.X, M.K, Z, pairs[i], i, lam[k], h)


@inner
def assemble_graph(M: Machine, g: Graph, Z: Array, pairs: Int, h: float) -> int:
    """All values but those of conditions, whose place it returns; bodies' own blocks and Z hold what others add."""
    curve_joints(M, M.lam, Z, pairs, h)
    put_blocks(M.B, Z, g.V)
    first = first_row(M.B, Z)
    for i in range(M.sizes[1]):
        k = M.K[i, PLACE]
        for part in range(3 if M.K[i, KIND] == MEET else 1):
            columns_of(M.B, M.X, M.K, i, part, g.q)
            put_row(g.V, first + PER_ROW * (k + part), g.q, M.active[k + part])
    return first + PER_ROW * M.lam.size


@inner
def assemble_couplings(M: Machine, g: Graph, c: Couplings, Z: Array, at: int) -> int:
    """The values of couplings, from a place on; returns that of generated rows."""
    first = first_row(M.B, Z)
    for r in range(c.rows.shape[0]):
        k, width = c.rows[r, 0], 12 * (c.rows[r, 5] - c.rows[r, 4])
        coupling_columns(c, M.B, M.X, M.K, r, g.q, g.V, at)
        for j in range(0 if M.active[k] else width):
            g.V[at + j] = 0.0
        g.V[first + PER_ROW * k + 24] = 0.0 if M.active[k] else 1.0
        at += width
    return at


@inner
def load_graph(M: Machine, g: Graph) -> None:
    """The right-hand side from the residual."""
    n = M.B.shape[0] - 1
    for b in range(n):
        for j in range(6):
            g.b[6 * b + j] = M.B[b, FORCE + j]
    for k in range(M.gap.size):
        g.b[6 * n + k] = M.gap[k] if M.active[k] else 0.0


@inner
def unload_graph(M: Machine, g: Graph) -> None:
    """Increments from the solution."""
    n = M.B.shape[0] - 1
    for b in range(n):
        for j in range(6):
            M.B[b, DU + j] = -g.b[6 * b + j]
    for k in range(M.gap.size):
        M.dlam[k] = -g.b[6 * n + k]
