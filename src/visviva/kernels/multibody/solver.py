"""How the matrix of a step of a mechanism is solved: memory and small parts of it."""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.functions import inner
from visviva.kernels.lu import Plan
from visviva.kernels.multibody.border import Border
from visviva.kernels.multibody.curvature import Across, curve, curve_meet
from visviva.kernels.multibody.graph import Graph
from visviva.kernels.multibody.tables import KIND, MEET, PLACE, Int, U
from visviva.kernels.multibody.tree import Tree


class Sparse(NamedTuple):
    """Any matrix of a step, solved as a sparse one."""

    graph: Graph
    plan: Plan


class Elimination(NamedTuple):
    """Memory for the matrix of a step; tree and border: where it is solved along a tree and not as `Sparse`."""

    Z: Array  # (pairs, 72) blocks between bodies, see `curvature`
    pairs: Int  # (functions,) rows of Z
    twist_pairs: Int  # (twists, 2) and whether the bodies are told the other way
    q: Array  # (functions of an element at most, 36) scratch
    across: Across
    loops: Int  # functions that are rows of joints outside of the tree
    tree: Tree
    border: Border
    best: Array  # (6 bodies + m,) the best iterate


@inner
def clear(Z: Array) -> None:
    """No blocks between bodies."""
    for p in range(Z.shape[0]):
        for j in range(Z.shape[1]):
            Z[p, j] = 0.0


@inner
def curve_loops(B: Array, X: Array, K: Int, lam: Array, loops: Int, Z: Array, pairs: Int, h: float) -> None:
    """What the joints outside of the tree add to the blocks of bodies."""
    for l in range(loops.size):
        i = loops[l]
        k = K[i, PLACE]
        if K[i, KIND] == MEET:
            curve_meet(B, X, K, i, (lam[k], lam[k + 1], lam[k + 2]), h)
        else:
            curve(B, X, K, Z, pairs[i], i, lam[k], h)


@inner
def keep(B: Array, lam: Array, y: Array) -> None:
    """Copy the unknowns to y."""
    n = B.shape[0] - 1
    for b in range(n):
        for j in range(6):
            y[6 * b + j] = B[b, U + j]
    for k in range(lam.size):
        y[6 * n + k] = lam[k]


@inner
def restore(B: Array, lam: Array, y: Array) -> None:
    """Copy the unknowns from y."""
    n = B.shape[0] - 1
    for b in range(n):
        for j in range(6):
            B[b, U + j] = y[6 * b + j]
    for k in range(lam.size):
        lam[k] = y[6 * n + k]
