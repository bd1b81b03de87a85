"""Four numbers as one: what is written for numbers runs for four at once, in the vector registers of the processor.

An array with a last axis of length 4 is read by `load` and `item` as `Lanes`, an array without it as plain numbers; the
arithmetic between is the same text. The compiler does not find these instructions by itself: loops over four lanes
stay as slow as four evaluations. Arrays of complex numbers give those: their imaginary parts are derivatives.
"""

from __future__ import annotations

from typing import Any

from visviva.kernels.functions import Deferred

WIDTH = 4


def _function(name: str) -> Any:
    def meaning() -> Any:
        from visviva.kernels.trees.lane_types import FUNCTIONS

        return FUNCTIONS[name]

    return Deferred(meaning)


load = _function("load")
item = _function("item")
store = _function("store")
put_item = _function("put_item")
load_four = _function("load_four")
store_four = _function("store_four")
floor = _function("floor")
exceeds = _function("exceeds")
reciprocal = _function("reciprocal")
