"""States, energies and constraints of a mechanism at many nodes of a motion of its tree.

Links are carried on in world axes, with a arm of the joint in its parent and k axis of a hinge:

    r = r_P + R_P a,   R = R_P R_PL,   ω = ω_P + k q̇,   v = v_P + ω_P × R_P a
"""

from __future__ import annotations

from visviva._arrays import Array
from visviva.kernels.functions import kernel, woven
from visviva.kernels.multibody.accounts import energies, rates, worst_gap
from visviva.kernels.multibody.bodies import start_energies
from visviva.kernels.multibody.functions import place_function
from visviva.kernels.multibody.states import Places, write_state
from visviva.kernels.trees.acting import Acting, Limbs, place_elements
from visviva.kernels.trees.algebra import cos_sin
from visviva.kernels.trees.joints import place_joint
from visviva.kernels.trees.kinematics import joint_velocity, origin_of, rotation_of, turn_by_hinge

from visviva.kernels.multibody.algebra import (  # isort: skip
    cross, matmul, matrix, mul, mul_t, plus, put, put_matrix, vector,
)  # fmt: skip
from visviva.kernels.multibody.tables import PHI, ROT, SPIN, VEL  # isort: skip
from visviva.kernels.trees.tables import (  # isort: skip
    ARM, AT_Q, AT_V, HINGE, KIND, LINEAR, OFFSET, OMEGA, ORIGIN, PARENT, R_PL,
)  # fmt: skip


@woven
def _carry(l: Limbs, i: int) -> None:
    """Pose, and velocities in world axes, of a link whose parent has them."""
    C, K, W, X, p = l.C, l.K, l.W, l.X, l.K[i, PARENT]
    R_P, w_P = rotation_of(X, p), vector(W, p, OMEGA)
    if K[i, KIND] == HINGE:
        c, s = cos_sin(l.q[K[i, AT_Q]] + C[i, OFFSET])
        R, arm, x = turn_by_hinge(C, K, i, R_P, c, s), mul(R_P, vector(C, i, ORIGIN)), l.xi[K[i, AT_V]]
        w = (w_P[0] + x * R[2], w_P[1] + x * R[5], w_P[2] + x * R[8])
        v = plus(vector(W, p, LINEAR), cross(w_P, arm))
    else:
        place_joint(C, K, W, i, l.q)
        R, arm = matmul(R_P, matrix(W, i, R_PL)), mul(R_P, vector(W, i, ARM))
        spin, shift = joint_velocity(K, l.S, i, l.xi)
        w = plus(w_P, mul(R, spin))
        v = plus(plus(vector(W, p, LINEAR), cross(w_P, arm)), mul(R, shift))
    r = plus(origin_of(X, p), arm)
    for k in range(3):
        X[i, k, 0], X[i, k, 1], X[i, k, 2], X[i, k, 3] = R[3 * k], R[3 * k + 1], R[3 * k + 2], r[k]
    put(W, i, OMEGA, w)
    put(W, i, LINEAR, v)


@woven
def _bodies(B: Array, l: Limbs) -> None:
    """Poses and velocities of all bodies."""
    for i in range(l.K.shape[0]):
        _carry(l, i)
    for b in range(l.carrier.shape[0]):
        i = l.carrier[b]
        R, w = rotation_of(l.X, i), vector(l.W, i, OMEGA)
        arm = mul(R, vector(l.centre, b, 9))
        put(B, b, PHI, plus(origin_of(l.X, i), arm))
        put(B, b, VEL, plus(vector(l.W, i, LINEAR), cross(w, arm)))
        if l.rigid[b]:
            R = matmul(R, matrix(l.centre, b, 0))
            put_matrix(B, b, ROT, R)
            put(B, b, SPIN, mul_t(R, w))


@kernel
def log_nodes(
    a: Acting, at: Places, Q: Array, XI: Array, begins: bool, every: int, x: Array, energy: Array, g: Array, g_v: Array
) -> None:
    """x[r] of the model at Q[r], XI[r], and with them what compiled steps of a mechanism count, see `Tallies`.

    begins: whether the first node is the start of a run, from which changes of energy count.
    energy: (nodes, 4), or without rows: states alone.   g, g_v: (nodes - 1, ...) of the nodes after the first; g_v may
    have no rows.
    every:  x has each so many-th node, and the last.
    """
    M, e, l, f = a.machine, a.elements, a.limbs, a.feedback
    B, lie, rows = M.B, M.sizes[0], M.sizes[1]
    last = Q.shape[0] - 1
    for r in range(Q.shape[0]):
        for k in range(Q.shape[1]):
            l.q[k] = Q[r, k]
        for k in range(XI.shape[1]):
            l.xi[k] = XI[r, k]
        _bodies(B, l)
        place_elements(M, e, l)
        if r % every == 0 or r == last:
            row = (r + every - 1) // every
            write_state(B, e.y, f.bodies, f.y, x[row])
            for k in range(f.turned.shape[0]):
                x[row, f.turned[k, 0]] = l.q[f.turned[k, 1]]
        if energy.shape[0] == 0:
            continue
        if r == 0 and begins:
            start_energies(B, lie, M.gravity)
        energies(B, lie, M.gravity, energy[r])
        if r > 0:
            for i in range(rows):
                place_function(B, M.X, M.K, i)
            g[r - 1] = worst_gap(M.X, M.K, rows)
            if g_v.shape[0] > 0:
                rates(B, M.X, M.K, rows, lie, at.owner, at.directors, g_v[r - 1])
