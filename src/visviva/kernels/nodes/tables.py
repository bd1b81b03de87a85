"""What a mechanism is at one instant: bodies, pairs of frames, rows over velocities, and a tree that hangs bodies up.

Velocities of a body are (ω; v), ω in its principal axes, v of its centre of mass in world axes. A particle counts as a
body that does not turn. The ground is the last body.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from visviva._arrays import Array
from visviva.kernels.multibody.tables import Int

MEET, DOT, ALONG, ALONG_CHILD, ROD = range(5)  # kinds of rows, see `mechanism.kinematics`
KIND, PAIR, ON_PARENT, ON_CHILD = range(4)  # whole numbers of a row; axes of both frames
AT_Q, AT_V, WIDTH, COLUMN = range(4)  # of a body: places in a state, numbers of its velocity there, first of (ω; v)
BODY, ABOVE, FIRST, LAST, END = range(5)  # of a branch: body, the one above, rows of the joint, its end of the joint
DIRECTORS, POSE, POINT = 12, 6, 3  # numbers of velocities in states


class Linked(NamedTuple):
    """Bodies and joints."""

    bodies: Int  # (bodies, 4)
    inertia: Array  # (bodies, 6) moments and mass, over (ω; v); one for the rotation of a particle
    directors: Array  # (bodies, 4) mass, and E of the directors
    ends: Int  # (pairs, 2) bodies of parent and child
    arms: Array  # (2 pairs, 3) origins of the frames of both ends, in principal axes
    axes: Array  # (2 pairs, 9) their axes, in rows
    rows: Int  # (m, 4)
    branches: Int  # (bodies, 5) of the tree, from the ground on
    closing: Int  # rows that close loops
    size: Array  # (1,) of mechanisms: typical length, by which rotations are compared with translations
    metric: Array  # (bodies, 6) the inertia, positive for all motions


class Memory(NamedTuple):
    """Of one evaluation."""

    R: Array  # (bodies + 1, 9)
    r: Array  # (bodies + 1, 3)
    C: Array  # (m, 12) rows over (ω; v) of parent and child
    g: Array  # (m,) their values
    A: Array  # (bodies + 1, 6, 6) inertia of all that a body carries
    N: Array  # (bodies, 6, 6) motions that a joint leaves free, one column each
    K: Array  # (bodies, 6, 6) motion of a body with the one above
    Z: Array  # (bodies, 6, 6) L⁻¹ Nᵀ A
    L: Array  # (bodies, 6, 6) of L Lᵀ = Nᵀ A N
    z: Array  # (bodies, 6) L⁻¹ Nᵀ p
    p: Array  # (bodies + 1, 6) momenta
    V: Array  # (bodies + 1, 6) velocities
    free: Int  # (bodies + 6,) number of motions that are left free; then columns in work
    W: Array  # (6, 12) rows in work


class Loops(NamedTuple):
    """Memory of rows that close loops, and of those of conditions."""

    Y: Array  # (k, 6 bodies) motions that these rows make
    E: Array  # (k, 6 bodies) the rows
    S: Array  # (k, k)
    mu: Array  # (3, k) terms of these rows, what is missing or multipliers, 1/sizes
    order: Int  # (k,)


def memory(linked: Linked) -> Memory:
    """Memory for a mechanism."""
    n, m = len(linked.bodies), len(linked.rows)
    N, K, Z, L = np.zeros((4, n, 6, 6))
    R = np.zeros((n + 1, 9))
    R[:, ::4] = 1.0
    return Memory(
        R, np.zeros((n + 1, 3)), np.zeros((m, 12)), np.zeros(m), np.zeros((n + 1, 6, 6)), N, K, Z, L, np.zeros((n, 6)),
        np.zeros((n + 1, 6)), np.zeros((n + 1, 6)), np.zeros(n + 6, dtype=np.int64), np.zeros((6, 12)),
    )  # fmt: skip


def loops(linked: Linked, others: int) -> Loops | None:
    """Memory for rows that close loops, and so many others; None where there are none, so that code is left out."""
    n, k = len(linked.bodies), len(linked.closing) + others
    if not k:
        return None
    Y, E = np.zeros((2, k, 6 * n))
    return Loops(Y, E, np.zeros((k, k)), np.zeros((3, k)), np.zeros(k, dtype=np.int64))
