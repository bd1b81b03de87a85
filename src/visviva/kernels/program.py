"""What a compiled model is: flat arrays that say where everything lives, and the memory that steps work in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array

Int = NDArray[np.int64]

# places in Program.sizes
X, Z, SOLVED, DIM, STAGES, VALUES, GAINS, TURNS, COORDINATES, OUTPUTS, SCRATCH = range(11)
# columns of Program.turned
(KIND, MOVES, AT_X, AT_Z, AT_S, AT_Q, AT_D, AT_E, AT_DD, AT_P, WIDTH_X, WIDTH_Z, ROW, COL, ROW_Q) = range(15)


class Program(NamedTuple):
    """A model for `advance`. Blocks are the variables, junctions, constraints and reservoirs, in the order of z.

    Unknowns and rows of a step: those of z without reservoirs, `stages` numbers each (rates of the variables, values
    of the algebraic unknowns). Matrix: one dense block per pair of blocks that meet in a component.
    """

    sizes: Int  # see above
    T: Int  # places of all instances of all laws
    P: Array  # parameters
    energies: Int  # (laws, 3) address, instances, first place in T
    flows: Int  # (laws, 3)
    flat: Int  # (k, 3) places in x, z and s of coordinates that are their own tangent vectors
    turned: Int  # (k, 15) factors of variables with rotations, see above
    turning: Int  # addresses of their functions
    masses: Int  # (k, 3) first row, dimension and place in P of the mass matrices of velocities
    units: Int  # rows of the other variables, where E is one
    E_at: Int  # places of E in the matrix, for all stages
    E_value: Array
    gains: Array  # (stages, GAINS) derivatives of z that never change: one for algebraic unknowns
    blocks: Int  # (variables, 4) first row, dimension, place in the derivatives of z, first coordinate
    hot: Int  # rows of z that are temperatures less θ0
    group: Int  # (SOLVED * STAGES,) rows of a kind share one size
    tableau: Array  # see `kernels.residual`
    theta0: Array  # (1,)


class Idle(NamedTuple):
    """Rows that are not solved, because they follow from the others: their unknowns are zero, the rows are checked."""

    rows: Int
    diagonal: Int  # places in the matrix
    others: Int  # places of all their other entries


class Work(NamedTuple):
    """Memory of a step."""

    x: Array
    end: Array
    s: Array  # (stages, COORDINATES)
    z: Array  # (stages, Z + SCRATCH)
    dE: Array  # (stages, GAINS)
    dX: Array
    amp: Array  # (stages, Z)
    r: Array
    rs: Array
    V: Array
    LU: Array
    y: Array  # unknowns
    best: Array
    move: Array
    pad: Array
    size: Array  # of the rows of each group
    out: Array  # (stages, OUTPUTS)
    nodes: Array  # (nodes, X) states at the nodes of a step
    D: Array  # (segments, DIM) discrete gradients
    dDa: Array  # (segments, GAINS)
    dDb: Array
    cx: Array  # (stages, 2 stages)
    rest: Array  # what rows that are not solved leave
