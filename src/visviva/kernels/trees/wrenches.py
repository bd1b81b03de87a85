"""Wrenches on bodies that fly, in axes of these, as all that acts on a tree: by constant matrices, without poses.

`push` takes the place of `acting.act`, which computes all that could act on a body.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.announce import announce
from visviva.kernels.functions import addressable, inner
from visviva.kernels.multibody.tables import Int
from visviva.kernels.signatures import ACT
from visviva.kernels.stowed import carray, kind_of, stowed, taker

SIZES = 6  # lanes, coordinates, velocities, inputs, links, powers: whole numbers before the tables
LINK, VELOCITY, PORT = range(3)  # columns of `at`


class Pushes(NamedTuple):
    """What each input acts on."""

    B: Array  # (inputs, 6) its wrench (m; f) at the origin of a link, in axes of that
    at: Int  # (inputs, 3) the link, the first of its velocities, the port


take = taker(lambda: kind_of(Pushes, "F I"))


@inner
def push(tables: Int, xi: Array, u: Array, L: Array, P: Array) -> None:
    """Wrenches L on links and powers P, see `field.powers`, at all lanes."""
    p, inputs, ports = take(tables, SIZES), u.shape[0], tables[5] - 2 - u.shape[0]
    for lane in range(u.shape[1]):
        for i in range(L.shape[0]):
            for j in range(6):
                L[i, j, lane] = 0.0
        for k in range(2 + ports):
            P[k, lane] = 0.0
        for k in range(inputs):
            i, at, power = p.at[k, LINK], p.at[k, VELOCITY], 0.0
            for j in range(6):
                force = p.B[k, j] * u[k, lane]
                L[i, j, lane] += force
                power += force * xi[at + j, lane]
            P[0, lane] += power
            P[2 + p.at[k, PORT], lane] += power
            P[2 + ports + k, lane] = u[k, lane]


def _push(tables: Int, t: Array, q: Array, xi: Array, u: Array, L: Array, P: Array) -> None:
    sizes = carray(tables, (SIZES,))
    lanes, _, n, inputs, links, powers = sizes
    push(
        sizes, carray(xi, (n, lanes)), carray(u, (inputs, lanes)), carray(L, (links, 6, lanes)),
        carray(P, (powers, lanes)),
    )  # fmt: skip


@cache
def pushes() -> int:
    """Address of `push`."""
    with announce("wrenches on bodies that fly"):
        return addressable(ACT, _push)


def row_of(p: Pushes, lanes: int, size_q: int, n: int, links: int, ports: int) -> Int:
    """As loops hand it on: keep `p` as long as it is used."""
    return stowed([lanes, size_q, n, len(p.B), links, 2 + ports + len(p.B)], p)
