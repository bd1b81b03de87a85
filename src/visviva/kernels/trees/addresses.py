"""Forward dynamics and energy of trees as addresses: loops over time are compiled without them, and once for all.

sizes: (4,) moving links, velocities, coordinates, rows of wrenches.
"""

from __future__ import annotations

from functools import cache

from visviva._arrays import Array
from visviva.kernels.announce import announce
from visviva.kernels.functions import addressable
from visviva.kernels.multibody.tables import Int
from visviva.kernels.signatures import ACCELERATE, ACCELERATE_COMPLEX, ENERGY_OF_TREE
from visviva.kernels.stowed import carray
from visviva.kernels.trees.energy import energy
from visviva.kernels.trees.forward import accelerate
from visviva.kernels.trees.lanes import WIDTH
from visviva.kernels.trees.tables import CONSTANTS, MEMORY, WHOLE


def _accelerate(
    sizes: Int, C: Array, K: Int, E: Array, q: Array, xi: Array, tau: Array, L: Array, xi_dot: Array, W: Array
) -> int:
    links, n, size_q, loads = carray(sizes, (4,))
    return accelerate(
        carray(C, (links, CONSTANTS)), carray(K, (links, WHOLE)), carray(E, (n, 3)), carray(q, (size_q,)),
        carray(xi, (n,)), carray(tau, (n,)), carray(L, (loads, 6)), carray(xi_dot, (n,)),
        carray(W, (links + 1, MEMORY)),
    )  # fmt: skip


def _accelerate_lanes(
    sizes: Int, C: Array, K: Int, E: Array, q: Array, xi: Array, tau: Array, L: Array, xi_dot: Array, W: Array
) -> int:
    links, n, size_q, loads = carray(sizes, (4,))
    return accelerate(
        carray(C, (links, CONSTANTS)), carray(K, (links, WHOLE)), carray(E, (n, 3)), carray(q, (size_q, WIDTH)),
        carray(xi, (n, WIDTH)), carray(tau, (n, WIDTH)), carray(L, (loads, 6, WIDTH)), carray(xi_dot, (n, WIDTH)),
        carray(W, (links + 1, MEMORY, WIDTH)),
    )  # fmt: skip


def _energy(sizes: Int, C: Array, K: Int, E: Array, q: Array, xi: Array, W: Array) -> float:
    links, n, size_q, _ = carray(sizes, (4,))
    return energy(
        carray(C, (links, CONSTANTS)), carray(K, (links, WHOLE)), carray(E, (n, 3)), carray(q, (size_q,)),
        carray(xi, (n,)), carray(W, (links + 1, MEMORY)),
    )  # fmt: skip


@cache
def accelerations() -> int:
    """Address of `forward.accelerate` for one motion."""
    with announce("forward dynamics of trees"):
        return addressable(ACCELERATE, _accelerate)


@cache
def complex_accelerations() -> int:
    """Address of `forward.accelerate` for one motion with complex numbers."""
    with announce("derivatives of trees along a direction"):
        return addressable(ACCELERATE_COMPLEX, _accelerate)


@cache
def accelerations_in_lanes() -> int:
    """Address of `forward.accelerate` for four motions at once."""
    with announce("forward dynamics of trees, four at once"):
        return addressable(ACCELERATE, _accelerate_lanes)


@cache
def energies() -> int:
    """Address of `energy.energy`."""
    with announce("energy of trees"):
        return addressable(ENERGY_OF_TREE, _energy)
