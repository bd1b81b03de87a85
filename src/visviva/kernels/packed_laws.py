"""Laws of feedback that are a packed call, inputs(n, T, P, t, x, u): laws of other packages, see `twins`.

P has two numbers, which of its inputs are wanted, and then the tuple of what the call works in, bit by bit.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from visviva._arrays import Array
from visviva.kernels.calls import call_packed
from visviva.kernels.functions import addressable, inner
from visviva.kernels.multibody.tables import Int
from visviva.kernels.signatures import INPUTS
from visviva.kernels.stowed import carray, kind_of, stowed, taker

UNKNOWN = 1 << 40  # length of an array of which only the address is known
FIRST, COUNT, LAW = range(3)  # of P


class PackedLaw(NamedTuple):
    """A packed call, and the memory that it finds its time and what it reads in, and leaves inputs in."""

    call: Int  # (4,) address of the call, of its results, its error and its row
    t: Array  # (1,)
    y: Array
    u: Array


take = taker(lambda: kind_of(PackedLaw, "i f f f"))


def parameters_of(law: PackedLaw, first: int, width: int) -> Array:
    """P of some inputs of a law; valid as long as its arrays live."""
    return stowed([], (float(first), float(width), law)).view("f8")


@inner
def ask(places: Int, numbers: Array, t: float, seen: Array, given: Array) -> None:
    """Ask a law by what it reads at its places."""
    own = places[0]
    law = take(numbers, own + LAW)
    law.t[0] = t
    for i in range(law.y.shape[0]):
        law.y[i] = seen[places[2 + i]]
    call_packed(law.call[0], (law.call[1], law.call[2], law.call[3]))
    first = int(numbers[own + FIRST])
    for i in range(int(numbers[own + COUNT])):
        given[places[1] + i] = law.u[first + i]


def packed_law(n: int, T: Int, P: Array, t: float, x: Array, u: Array) -> None:
    """`ask` as C calls it."""
    ask(carray(T, (UNKNOWN,)), carray(P, (UNKNOWN,)), t, carray(x, (UNKNOWN,)), carray(u, (UNKNOWN,)))


@cache
def packed_law_address() -> int:
    """The address of `packed_law`."""
    return addressable(INPUTS, packed_law)
