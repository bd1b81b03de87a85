"""Quantities of a tree for calls from Python: tables and memory in one row, states one after the other.

A call of a compiled function costs time for each array that it is given. Here all that stays the same from call to call
is one row of whole numbers (see `stowed`), and a state is as good as many: arrays of states are flat. What is wrong
with them is found here as well, and said by a number:

    FINE        all went well.
    NOT_FINITE  some number of a state is nan or infinite.
    NOT_UNIT    some quaternion has another length than one.
    SINGULAR    and above: the joint of link `status - SINGULAR` moves no inertia.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.calls import call_accelerate, call_act
from visviva.kernels.functions import inner, kernel
from visviva.kernels.multibody.tables import Int
from visviva.kernels.stowed import kind_of, stowed, taker
from visviva.kernels.trees.frames import frame_acceleration, frame_jacobian, frame_pose
from visviva.kernels.trees.inverse import inverse, mass_matrix
from visviva.kernels.trees.tables import ACC, DAMPING

FINE, NOT_FINITE, NOT_UNIT, SINGULAR = range(4)
MOTION, GRAVITY, PASSIVE = 1, 2, 4  # parts of the bias, as bits
NEARLY_UNIT = 1e-6  # of the length of a quaternion


class Evaluated(NamedTuple):
    """A tree, what acts on it, and the memory of an evaluation; see `tables` and `acting`."""

    sizes: Int  # (8,) links, velocities, coordinates, rows of L; inputs, address of forward dynamics and of `act`
    C: Array
    K: Int
    E: Array
    S: Array
    gravity: Array  # (3,)
    W: Array
    A: Array  # a memory for forward dynamics alone: it wants zeros where inverse dynamics leaves forces
    Z: Array  # (links + 1, 10) composite inertias
    quaternions: Int  # where they begin in q
    ports: Int  # velocity that each input acts on, where `act` is not called
    acts: Int  # the row of `act`, empty where nothing acts on bodies
    L: Array  # (links or 0, 6) wrenches
    P: Array  # powers, which nobody asks for
    u: Array  # (inputs,)
    tau: Array  # (n,)
    still: Array  # (n,) zeros
    loose: Array  # (n, 3) zeros: no springs and dampers in joints


take = taker(lambda: kind_of(Evaluated, "i F I F F f F F F i i i F f f f f F"))


def row_of(evaluated: Evaluated) -> Int:
    """As the functions below take it; it is valid as long as `evaluated` lives."""
    return stowed([], evaluated)


@inner
def _finite(x: Array) -> bool:
    total = 0.0
    for k in range(x.shape[0]):
        total += x[k] * 0.0
    return total == 0.0


@inner
def _unit(places: Int, q: Array) -> bool:
    for at in places:
        square = q[at] * q[at] + q[at + 1] * q[at + 1] + q[at + 2] * q[at + 2] + q[at + 3] * q[at + 3]
        if not math.fabs(math.sqrt(square) - 1.0) <= NEARLY_UNIT:
            return False
    return True


@inner
def _set_gravity(e: Evaluated, on: bool) -> None:
    for k in range(3):
        e.W[e.C.shape[0], ACC + k] = -e.gravity[k] if on else 0.0


@inner
def _act(e: Evaluated, q: Array, v: Array) -> None:
    """Wrenches of all that acts on bodies, with the inputs e.u."""
    call_act(
        e.sizes[6],
        (
            e.acts.ctypes.data, e.P.ctypes.data, q.ctypes.data, v.ctypes.data, e.u.ctypes.data, e.L.ctypes.data,
            e.P[1:].ctypes.data,
        ),
    )  # fmt: skip


@kernel
def inverses(row: Int, parts: int, q: Array, v: Array, a: Array, out: Array) -> int:
    """out: M a and those parts of the bias that are asked for; without MOTION what is passive alone. Flat arrays."""
    e = take(row, 0)
    n, nq = e.sizes[1], e.sizes[2]
    if not (_finite(q) and _finite(v) and _finite(a)):
        return NOT_FINITE
    _set_gravity(e, parts & GRAVITY != 0)
    for b in range(out.shape[0] // n):
        q_b, v_b, a_b, tau = q[b * nq : b * nq + nq], v[b * n : b * n + n], a[b * n : b * n + n], out[b * n : b * n + n]
        if not _unit(e.quaternions, q_b):
            return NOT_UNIT
        E, L = e.loose, e.L[:0]
        if parts & PASSIVE:
            E = e.E
            if e.acts.shape[0] > 0:
                for k in range(e.u.shape[0]):
                    e.u[k] = 0.0
                _act(e, q_b, v_b)
                L = e.L
        if parts & MOTION:
            inverse(e.C, e.K, E, e.S, q_b, v_b, a_b, L, tau, e.W)
        else:
            inverse(e.C, e.K, E, e.S, q_b, e.still, a_b, L, tau, e.W)
            for k in range(n):
                tau[k] += E[k, DAMPING] * v_b[k]
    return FINE


@kernel
def forwards(row: Int, q: Array, v: Array, u: Array, tau: Array, out: Array) -> int:
    """out: accelerations with inputs u and further forces tau, flat; tau may be empty."""
    e = take(row, 0)
    n, nq, nu = e.sizes[1], e.sizes[2], e.sizes[4]
    if not (_finite(q) and _finite(v) and _finite(u) and _finite(tau)):
        return NOT_FINITE
    for b in range(out.shape[0] // n):
        q_b, v_b, a_b = q[b * nq : b * nq + nq], v[b * n : b * n + n], out[b * n : b * n + n]
        if not _unit(e.quaternions, q_b):
            return NOT_UNIT
        for k in range(n):
            e.tau[k] = tau[b * n + k] if tau.shape[0] > 0 else 0.0
        if e.acts.shape[0] > 0:
            for k in range(nu):
                e.u[k] = u[b * nu + k]
            _act(e, q_b, v_b)
        else:
            for k in range(nu):
                e.tau[e.ports[k]] += u[b * nu + k]
        singular = call_accelerate(
            e.sizes[5],
            (
                e.sizes.ctypes.data, e.C.ctypes.data, e.K.ctypes.data, e.E.ctypes.data, q_b.ctypes.data,
                v_b.ctypes.data, e.tau.ctypes.data, e.L.ctypes.data, a_b.ctypes.data, e.A.ctypes.data,
            ),
        )  # fmt: skip
        if singular >= 0:
            return SINGULAR + singular
    return FINE


@kernel
def masses(row: Int, q: Array, out: Array) -> int:
    """out (states, n, n): mass matrices."""
    e = take(row, 0)
    nq = e.sizes[2]
    if not _finite(q):
        return NOT_FINITE
    for b in range(out.shape[0]):
        q_b = q[b * nq : b * nq + nq]
        if not _unit(e.quaternions, q_b):
            return NOT_UNIT
        out[b] = 0.0
        mass_matrix(e.C, e.K, e.S, q_b, out[b], e.W, e.Z)
    return FINE


@kernel
def poses(row: Int, path: Int, X: Array, q: Array, R: Array, r: Array) -> int:
    """R (states, 3, 3) and r (states, 3): poses of a frame."""
    e = take(row, 0)
    nq = e.sizes[2]
    if not _finite(q):
        return NOT_FINITE
    for b in range(r.shape[0]):
        q_b = q[b * nq : b * nq + nq]
        if not _unit(e.quaternions, q_b):
            return NOT_UNIT
        frame_pose(e.C, e.K, e.W, path, X, q_b, R[b], r[b])
    return FINE


@kernel
def jacobians(row: Int, path: Int, X: Array, rows: int, q: Array, out: Array) -> int:
    """out (states, 6, n): Jacobians of a frame."""
    e = take(row, 0)
    nq = e.sizes[2]
    if not _finite(q):
        return NOT_FINITE
    for b in range(out.shape[0]):
        q_b = q[b * nq : b * nq + nq]
        if not _unit(e.quaternions, q_b):
            return NOT_UNIT
        frame_jacobian(e.C, e.K, e.S, e.W, path, X, rows, q_b, out[b])
    return FINE


@kernel
def accelerations(row: Int, path: Int, X: Array, rows: int, q: Array, v: Array, out: Array) -> int:
    """out (states, 6): J̇ v of a frame."""
    e = take(row, 0)
    n, nq = e.sizes[1], e.sizes[2]
    if not (_finite(q) and _finite(v)):
        return NOT_FINITE
    _set_gravity(e, False)
    for b in range(out.shape[0]):
        q_b = q[b * nq : b * nq + nq]
        if not _unit(e.quaternions, q_b):
            return NOT_UNIT
        frame_acceleration(e.C, e.K, e.S, e.W, path, X, rows, q_b, v[b * n : b * n + n], e.still, out[b])
    return FINE
