"""Tuples of arrays in a row of whole numbers, for functions that are called by address: loops need not know the tuple.

The row has some whole numbers first, then the tuple as it is in memory. It holds no array alive: who stows a tuple
keeps it, and who takes it counts no references, as kernels without arrays of their own do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.kernels.functions import Deferred
from visviva.kernels.multibody.tables import Int
from visviva.kernels.shipped.layout import flatten

KINDS = {"f": ("float64", 1), "F": ("float64", 2), "P": ("float64", 3), "i": ("int64", 1), "I": ("int64", 2),
         "b": ("boolean", 1)}  # fmt: skip


def _carray() -> Any:
    import numba

    return vars(numba)["carray"]


carray: Any = Deferred(_carray)  # an array at an address, by its shape


def kind_of(tuple_class: Any, members: str) -> Any:
    """The type of a named tuple by letters, one for each member: f, F, P floats with one, two, three axes, i, I whole
    numbers, b truth values.
    """
    from numba import types

    letters = [letter for _, letter in zip(tuple_class._fields, members.split(), strict=True)]
    arrays = [(getattr(types, name), axes) for name, axes in (KINDS[letter] for letter in letters)]
    return types.NamedTuple([types.Array(dtype, axes, "C") for dtype, axes in arrays], tuple_class)


def taker(kind: Any) -> Any:
    """`take(row, first)` of tuples of one type, which is made when it is needed."""
    return Deferred(lambda: _taker(kind()))


def _taker(kind: Any) -> Any:
    from numba import types
    from numba.extending import intrinsic

    def take(typing: Any, row: Any, first: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            view = context.make_array(sig.args[0])(context, builder, args[0])
            at = builder.gep(view.data, [args[1]])
            return builder.load(builder.bitcast(at, context.get_value_type(kind).as_pointer()))

        return kind(row, types.int64), codegen

    return intrinsic(take)


def stowed(numbers: list[int], value: Any) -> Int:
    """The row of a tuple, behind some whole numbers."""
    words = list(numbers)
    flatten(value, words)
    return np.array(words, dtype=np.int64)
