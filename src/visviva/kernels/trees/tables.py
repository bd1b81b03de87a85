"""What a compiled tree is: one row of constants, one of whole numbers and one of memory per link.

Fixed links are part of what they are fixed to, so that every link here moves. A hinge has its frame spun about its axis
such that the rotation from its parent is made of turns about coordinate axes,

    R_PL = Rz(β) Rx(α) Rz(q + q0),   β = 0 for the first child of a hinge,

and every other link has R_PL = B R(q) with a constant B. The ground is the last row of the memory: it stays as it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from visviva._arrays import Array
from visviva.kernels.multibody.tables import Int, columns

HINGE, AXIS, BALL, FREE = range(4)  # AXIS turns TURN q about z and shifts SHIFT q along it: sliders and screws
VELOCITIES = (1, 1, 3, 6)
COORDINATES = (1, 1, 4, 7)

# Whole numbers of a link. COUNT: velocities; SPUN: β is not 0; OPENS: the last child, the first to give to its parent.
PARENT, KIND, AT_Q, AT_V, COUNT, SPUN, OPENS, WHOLE = range(8)

# Constants of a link: α and β; origin of the joint in the parent; m, m c, moments of inertia about the origin
# (xx, xy, xz, yy, yz, zz); q0; B; turn and shift per unit of q.
(
    COS_A, SIN_A, COS_B, SIN_B, ORIGIN, MASS, MOMENT, INERTIA, OFFSET, ROT, TURN, SHIFT, CONSTANTS,
) = columns(1, 1, 1, 1, 3, 1, 3, 6, 1, 9, 1, 1)  # fmt: skip

# Memory of a link, for accelerations: cos and sin of a hinge; ω; of all that the link carries the articulated inertia
# [[J, H], [Hᵀ, M]] for (α, a) and its forces (n, f); ω_P × (ω_P × r) and what else of the acceleration does not depend
# on accelerations, in the parent; columns U of the joint, 1/D, u; acceleration (α, a). Then for links that are no
# hinges: R_PL, r, ω × ω_rel, inverses, H with the link itself. For energies: v, the direction of -gravity, and -gravity
# times the position of the origin.
(
    COS, SIN, OMEGA, J, H, M, N, F, DRIFT, UW, UV, INVERSE, REST, ALPHA, ACC, R_PL, ARM, SPIN, JI, MI, RN, RF,
    COUPLING, LINEAR, UP, HEIGHT, MEMORY,
) = columns(1, 1, 3, 6, 9, 6, 3, 3, 3, 3, 3, 1, 1, 3, 3, 9, 3, 3, 6, 6, 3, 3, 9, 3, 3, 1)  # fmt: skip

NO_INERTIA = 1e-13  # below this part of the inertia across it, that of a joint is rounding

DAMPING, STIFFNESS, RELAXED = range(3)  # of a velocity; springs act on angles and shifts only


class Tables(NamedTuple):
    """Links in the order of the tree, parents first."""

    C: Array  # (links, CONSTANTS)
    K: Int  # (links, WHOLE)
    E: Array  # (velocities, 3) damping, stiffness, where the spring is relaxed
    S: Array  # (velocities, 6) unit velocities (ω; v) of the joints, in link axes
    gravity: Array  # (3,)


def memory(tables: Tables, lanes: int = 0, dtype: type = float) -> Array:
    """Memory of one evaluation, (links + 1, MEMORY), or with a last axis for several at once; the ground is written."""
    W: Array = np.zeros((len(tables.K) + 1, int(MEMORY), *([lanes] if lanes else [])), dtype)
    W[-1].T[..., ACC : ACC + 3] = W[-1].T[..., UP : UP + 3] = -tables.gravity
    W[-1, [R_PL, R_PL + 4, R_PL + 8]] = 1.0
    return W
