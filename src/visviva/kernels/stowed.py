"""Tuples of arrays in a row of whole numbers, for functions that are called by address: loops need not know the tuple.

The row has some whole numbers first, then the tuple as it is in memory. It holds no array alive: who stows a tuple
keeps it, and who takes it counts no references, as kernels without arrays of their own do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from visviva.kernels.cache import kernel
from visviva.kernels.multibody.tables import Int

WORDS = 11  # of an array with three axes: owner, parent, count, size, address, shape, strides
KINDS = {
    letter: types.Array(dtype, axes, "C")
    for letter, dtype, axes in (
        ("f", types.float64, 1),
        ("F", types.float64, 2),
        ("P", types.float64, 3),
        ("i", types.int64, 1),
        ("I", types.int64, 2),
        ("b", types.boolean, 1),
    )
}


def kind_of(tuple_class: Any, members: str) -> Any:
    """The type of a named tuple by letters, one for each member: f, F, P floats with one, two, three axes, i, I whole
    numbers, b truth values.
    """
    return types.NamedTuple([KINDS[letter] for letter in members.split()], tuple_class)


def _place(context: Any, builder: Any, kind: Any, row: Any, first: Any, value_kind: Any) -> Any:
    """Where in a row a tuple begins."""
    view = context.make_array(kind)(context, builder, row)
    at = builder.gep(view.data, [first])
    return builder.bitcast(at, context.get_value_type(value_kind).as_pointer())


def _stow(typing: Any, row: Any, first: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.store(args[2], _place(context, builder, sig.args[0], args[0], args[1], sig.args[2]))
        return context.get_dummy_value()

    return types.void(row, types.int64, value), codegen


_put: Any = intrinsic(_stow)


def taker(kind: Any) -> Any:
    """`take(row, first)` of tuples of one type."""

    def take(typing: Any, row: Any, first: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.load(_place(context, builder, sig.args[0], args[0], args[1], kind))

        return kind(row, types.int64), codegen

    return intrinsic(take)


@kernel
def _write(row: Int, first: int, value: Any) -> None:
    _put(row, first, value)


def stowed(numbers: list[int], value: Any, arrays: int) -> Int:
    """The row of a tuple with so many arrays, behind some whole numbers."""
    row = np.zeros(len(numbers) + WORDS * arrays, dtype=np.int64)
    row[: len(numbers)] = numbers
    _write(row, len(numbers), value)
    return row
