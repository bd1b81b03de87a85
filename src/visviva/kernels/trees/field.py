"""The right-hand side that loops over time step: a tree under generalised forces, and under what acts on its bodies."""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.calls import call_accelerate, call_act, call_energy_of_tree, call_stored
from visviva.kernels.functions import inner, woven
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.tables import DAMPING

DONE, SINGULAR, STALLED = -1, 0, 1  # how a loop ended: with all rows; at a joint without inertia; at a step not solved


ACTS, STORES = 2, 3  # places among the addresses of a field
LARGEST = 1e9  # of coordinates and velocities: angles beyond it have no digits left for their cosines


class Drive(NamedTuple):
    """Inputs: at the stages of fixed steps, as polynomials in time, or constant where there are neither.

    A polynomial is that of Chebyshev's, Σ P_k T_k(x) with x from -1 at the start of its piece to 1 at its end.
    """

    ports: Int  # (m,) the velocity that each one is a force along, or -1: what acts on bodies knows where
    U: Array  # (steps, stages, m) or without rows
    breaks: Array  # (pieces + 1,) times, or one
    P: Array  # (pieces, degree + 1, m) or without rows
    u: Array  # (m,) at the stage that is evaluated, with a last axis of 4 for lanes
    t: Array  # (1,) time of the stage, or (4,)


class Field(NamedTuple):
    """Tables of a tree, where its compiled functions are, forces, and memory."""

    addresses: Int  # (4,) accelerations, energies, what acts on bodies and what it stores; 0: nothing does
    sizes: Int  # (4,)
    C: Array
    K: Int
    E: Array
    constant: Array  # (n,) constant part of τ
    drive: Drive
    tau: Array  # (n,), with a last axis of 4 for lanes
    active: bool  # whether τ or damping is not zero
    L: Array  # (links, 6) wrenches, or an array without rows
    W: Array
    acting: Int  # tables of what acts on bodies, see `acting`
    P: Array  # (powers,) of what acts on bodies, as `powers` has them, with a last axis of 4 for lanes


@woven
def accelerate(f: Field, q: Array, xi: Array, xi_dot: Array) -> int:
    """ξ̇; a link whose joint has no inertia, or -1."""
    if f.addresses[ACTS] != 0:
        call_act(
            f.addresses[ACTS],
            (
                f.acting.ctypes.data, f.drive.t.ctypes.data, q.ctypes.data, xi.ctypes.data, f.drive.u.ctypes.data,
                f.L.ctypes.data, f.P.ctypes.data,
            ),
        )  # fmt: skip
    found: int = call_accelerate(
        f.addresses[0],
        (
            f.sizes.ctypes.data, f.C.ctypes.data, f.K.ctypes.data, f.E.ctypes.data, q.ctypes.data, xi.ctypes.data,
            f.tau.ctypes.data, f.L.ctypes.data, xi_dot.ctypes.data, f.W.ctypes.data,
        ),
    )  # fmt: skip
    return found


@woven
def energy(f: Field, q: Array, xi: Array, W: Array) -> float:
    """Stored energy [J]; W: memory without lanes."""
    found: float = call_energy_of_tree(
        f.addresses[1],
        (
            f.sizes.ctypes.data, f.C.ctypes.data, f.K.ctypes.data, f.E.ctypes.data, q.ctypes.data, xi.ctypes.data,
            W.ctypes.data,
        ),
    )  # fmt: skip
    if f.addresses[STORES] != 0:
        found += call_stored(f.addresses[STORES], (f.acting.ctypes.data, q.ctypes.data))
    return found


@inner
def bounded(x: Array) -> bool:
    """Whether all of a vector, or of lanes, are numbers that a motion can have."""
    largest = 0.0
    for value in x.flat:
        if not abs(value) <= largest:  # also where it is not a number
            largest = abs(value)
    return largest < LARGEST


@woven
def failed(singular: int, q: Array, xi: Array, end: Int) -> None:
    """Notes why an evaluation failed: with numbers out of bounds, nothing has an inertia."""
    end[1], end[2] = SINGULAR if bounded(q) and bounded(xi) else STALLED, singular


@woven
def drive_at(f: Field, t: float, step: int, stage: int) -> None:
    """Time, inputs and τ at a stage."""
    f.drive.t[0] = t
    if f.drive.ports.shape[0] > 0:
        _drive(f.drive, f.constant, f.tau, t, step, stage)


@inner
def _drive(d: Drive, constant: Array, tau: Array, t: float, step: int, stage: int) -> None:
    """τ is its constant part and the inputs, at time t where they are polynomials."""
    m = d.ports.shape[0]
    if d.U.shape[0] > 0:
        for p in range(m):
            d.u[p] = d.U[step, stage, p]
    elif d.P.shape[0] > 0:
        _interpolate(d, t)
    if d.ports[0] < 0:
        return
    for p in range(m):
        tau[d.ports[p]] = constant[d.ports[p]]
    for p in range(m):
        tau[d.ports[p]] += d.u[p]


@woven
def _interpolate(d: Drive, t: float) -> None:
    """Clenshaw's recurrence on the piece that has t."""
    first, last = 0, d.P.shape[0] - 1
    while first < last:
        middle = (first + last) // 2
        if t < d.breaks[middle + 1]:
            last = middle
        else:
            first = middle + 1
    begin, end = d.breaks[first], d.breaks[first + 1]
    x = (2.0 * t - begin - end) / (end - begin)
    for p in range(d.ports.shape[0]):
        a, b = 0.0, 0.0
        for k in range(d.P.shape[1] - 1, 0, -1):
            a, b = d.P[first, k, p] + 2.0 * x * a - b, a
        d.u[p] = d.P[first, 0, p] + x * a - b


@woven
def powers(f: Field, xi: Array, P: Array) -> None:
    """What is supplied, what is dissipated, what each input gives [W]; then the inputs; then what each damper takes.

    The last are those of what acts on bodies alone, which has them from the evaluation of accelerations.
    """
    if f.addresses[ACTS] != 0:
        for k in range(P.shape[0]):
            P[k] = f.P[k]
        return
    P[0], P[1] = 0.0, 0.0
    for k in range(xi.shape[0]):
        P[0] += f.tau[k] * xi[k]
        P[1] += f.E[k, DAMPING] * xi[k] * xi[k]
    m = f.drive.ports.shape[0]
    for p in range(m):
        P[2 + p] = f.drive.u[p] * xi[f.drive.ports[p]]
        P[2 + m + p] = f.drive.u[p]
