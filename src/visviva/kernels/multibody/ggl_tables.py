"""What a step that keeps the rates of constraints as well has besides the tables of a mechanism."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.kernels.lu import Plan
from visviva.kernels.multibody.tables import ALONG, ALONG_CHILD, DOT, MEET, ROD, Int, columns

# Columns of a body, in the letters of `ggl_bodies`. V1: velocity of the centre of mass at the end of a step, PSI:
# angular velocity there, seen from the start. PUSH, Q: forces of all G, and the sum of G f pᵀ. KIN_T, KIN_R: the rows
# of its kinematics.
V1, PSI, DV1, DPSI, Z0, B0, PUSH, Q, W_, S_, KIN_T, KIN_R, RATE_BODY = columns(3, 3, 3, 3, 9, 9, 3, 9, 9, 9, 3, 3)

# Columns of a function. Of its objects, in their order: what ψ x p becomes in the middle of a step, mean velocities in
# it, velocities at its end; the last two end with the difference of both points.
HALF, MEAN, MEAN_D, END, END_D, RATE_FUNCTION = columns(12, 12, 3, 12, 3)

# Objects of a function: the vectors u (on the parent) and w (on the child), the points a and b, in the order in which
# their columns are. Odd ones are on the child, the last two are points.
OBJECTS, POINTS = 4, 2
PRESENT = np.zeros((5, OBJECTS), dtype=np.bool_)
for kind, objects in ((MEET, (2, 3)), (DOT, (0, 1)), (ALONG, (0, 2, 3)), (ALONG_CHILD, (1, 2, 3)), (ROD, (2, 3))):
    PRESENT[kind, list(objects)] = True

# Which object's force changes with which object: δf = α δy. (5 kinds, 4, 3) force on, motion of, α
COUPLED = np.zeros((5, 4, 3), dtype=np.int64)
COUPLED[DOT, :2] = (0, 1, 1), (1, 0, 1)
COUPLED[ALONG] = (0, 2, -1), (0, 3, 1), (2, 0, -1), (3, 0, 1)
COUPLED[ALONG_CHILD] = (1, 2, -1), (1, 3, 1), (2, 1, -1), (3, 1, 1)
COUPLED[ROD] = (2, 2, 1), (3, 3, 1), (2, 3, -1), (3, 2, -1)


Blocks = NDArray[np.float64]  # (slots, 36): matrices (6, 6), row by row
JOINT_SLOTS, SCRATCH_SLOTS = 18, 7


class RateTree(NamedTuple):
    """Joints in the order of elimination, as in `Tree`, and the memory of both levels."""

    joints: Int  # (joints, 6)
    roots: Int
    K: Blocks  # (bodies, 4, 36)
    Y: Blocks  # (joints + roots, JOINT_SLOTS, 36)
    y: Array  # (joints, 18)
    r: Array  # (bodies, 12) residuals, then increments: t, then r
    g: Array  # (2, 12) scratch
    scratch: Blocks  # (SCRATCH_SLOTS, 36)


class RateBorder(NamedTuple):
    """Rows that are solved after the tree, as in `Border`, and their memory; unknowns are their G, then their Λ.

    V: 12 numbers for each body of a row: impulse of G in the kinematics and slope of the value, impulse of G in the
       momentum and slope of the rate by u and ω, impulse of Λ and slope of the rate by v1 and ψ.
    """

    rows: Int  # (n, BORDER_ROW)
    bodies: Int
    V: Array  # (3, 12 bodies)
    diagonal: Array  # (2 n,)
    q: Array  # (3, 24) scratch
    x: Array  # (2 n, bodies, 12) what one unit of each unknown does to the velocities
    mu: Array  # (2 n, 2, m) and to the multipliers of the tree
    S: Array  # (2 n, 2 n)
    pad: Array  # (2 n + 1, 2 n)
    none: Array  # (m,) zeros


class Rates(NamedTuple):
    """Unknowns of the second level, and the memory of the matrix of both.

    Each level has velocities and one multiplier per row of a joint: u, ω with G = -γ, then v1, ψ with Λ.
    """

    B: Array  # (bodies + 1, RATE_BODY)
    X: Array  # (functions, RATE_FUNCTION)
    G: Array  # (m,) multipliers of the rates, with the opposite sign
    dG: Array  # (m,)
    gap: Array  # (m,) rows: rates of the constraints at the end of a step
    V: Array  # values of the matrix: blocks (1, 1), (2, 1), (2, 2), then the bodies' own of (1, 2)
    size: Int  # (1,) number of values of one of the first three
    LU: Array
    b: Array  # (unknowns,) right-hand side, then solution
    pad: Array  # (unknowns,)
    q: Array  # (2, 24) scratch
    plan: Plan
    best: Array  # (6 bodies + m,) of the best iterate, the second level
    tree: RateTree
    border: RateBorder
