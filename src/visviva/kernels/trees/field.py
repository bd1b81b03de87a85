"""The right-hand side that loops over time step: a tree under constant generalised forces."""

from __future__ import annotations

from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.cache import inner, woven
from visviva.kernels.calls import call_accelerate, call_energy_of_tree
from visviva.kernels.multibody.tables import Int
from visviva.kernels.trees.tables import DAMPING

DONE, SINGULAR, STALLED = -1, 0, 1  # how a loop ended: with all rows; at a joint without inertia; at a step not solved


LARGEST = 1e9  # of coordinates and velocities: angles beyond it have no digits left for their cosines


class Field(NamedTuple):
    """Tables of a tree, where its compiled functions are, forces, and memory."""

    addresses: Int  # (2,) accelerations, energies
    sizes: Int  # (4,)
    C: Array
    K: Int
    E: Array
    tau: Array  # (n,), with a last axis of 4 for lanes
    active: bool  # whether τ or damping is not zero
    L: Array  # (links, 6) wrenches, or an array without rows
    W: Array


@woven
def accelerate(f: Field, q: Array, xi: Array, xi_dot: Array) -> int:
    """ξ̇; a link whose joint has no inertia, or -1."""
    found: int = call_accelerate(
        f.addresses[0],
        (
            f.sizes.ctypes.data, f.C.ctypes.data, f.K.ctypes.data, f.E.ctypes.data, q.ctypes.data, xi.ctypes.data,
            f.tau.ctypes.data, f.L.ctypes.data, xi_dot.ctypes.data, f.W.ctypes.data,
        ),
    )  # fmt: skip
    return found


@woven
def energy(f: Field, q: Array, xi: Array) -> float:
    """Stored energy [J]."""
    found: float = call_energy_of_tree(
        f.addresses[1],
        (
            f.sizes.ctypes.data, f.C.ctypes.data, f.K.ctypes.data, f.E.ctypes.data, q.ctypes.data, xi.ctypes.data,
            f.W.ctypes.data,
        ),
    )  # fmt: skip
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
def powers(f: Field, xi: Array) -> tuple[float, float]:
    """τ·ξ, and what damping takes [W]."""
    supplied, dissipated = 0.0, 0.0
    for k in range(xi.shape[0]):
        supplied += f.tau[k] * xi[k]
        dissipated += f.E[k, DAMPING] * xi[k] * xi[k]
    return supplied, dissipated
