"""Arguments of Python as the words that an entry takes, in compiled code: a hundred times as fast as by attributes.

The fields of an array have had these places since NumPy 1.7 and are part of its binary interface; those of tuples and
floats follow from the sizes that Python tells. Types are compared before anything else of an object is read. Objects
are only read: nothing here needs the interface of Python.

A program has one step for each tuple, array, float, truth value and None among the arguments:

    what, place of its first word, depth, indices from the outermost tuple on (3), then
    tuple: type, entries;   array: type of its entries, axes, flags that matter, flags that must be set
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.kernels.functions import Deferred, addressable
from visviva.kernels.multibody.tables import Int
from visviva.kernels.shipped.layout import Unnamed
from visviva.kernels.signatures import PACK

END, TUPLE, ARRAY, FLOAT, NONE, TRUTH = range(6)
STEP, DEEPEST = 10, 3  # words of a step; longest way to a member
ITEMS, SCALAR, ARRAY_TYPE, FLOAT_TYPE, NUMPY_FLOAT, NOTHING, TRUE, FALSE, HEAD = range(9)  # head of a program
TYPE, SIZE = 8, 16  # of an object, of a tuple, in bytes
DATA, AXES, SHAPE, STRIDES, ENTRIES, FLAGS = 16, 24, 32, 40, 56, 64  # of an array
CONTIGUOUS, FORTRAN, ALIGNED, WRITEABLE = 0x1, 0x2, 0x100, 0x400


def _reader(bits: int) -> Any:
    """An intrinsic function that reads a whole number at an address."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def read(typing: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = ir.IntType(bits)
            found = builder.load(builder.inttoptr(arguments[0], kind.as_pointer()))
            return found if bits == 64 else builder.zext(found, ir.IntType(64))

        return types.int64(types.int64), codegen

    return read


word = Deferred(lambda: _reader(64))
half = Deferred(lambda: _reader(32))


def pack(arguments: int, program: Int, row: Int) -> int:
    """Write the words of a tuple of arguments, given by its address; 0 if all of them fit, else 1.

    Whole numbers among them are left to the caller: their fields differ between versions of Python.
    """
    p = HEAD
    while program[p] != END:
        x = arguments
        for k in range(program[p + 2]):
            x = word(x + program[ITEMS] + 8 * program[p + 3 + k])
        kind, at, what = word(x + TYPE), program[p + 1], program[p]
        if what == TUPLE:
            if kind != program[p + 6] or word(x + SIZE) != program[p + 7]:
                return 1
        elif what == ARRAY:
            if kind != program[ARRAY_TYPE] or word(x + ENTRIES) != program[p + 6]:
                return 1
            axes = program[p + 7]
            if half(x + AXES) != axes or (half(x + FLAGS) & program[p + 8]) != program[p + 9]:
                return 1
            shape, strides, size = word(x + SHAPE), word(x + STRIDES), 1
            for k in range(axes):
                length = word(shape + 8 * k)
                size *= length
                row[at + 5 + k] = length
                row[at + 5 + axes + k] = word(strides + 8 * k)
            row[at + 2] = size
            row[at + 4] = word(x + DATA)
        elif what == FLOAT:
            if kind != program[FLOAT_TYPE] and kind != program[NUMPY_FLOAT]:
                return 1
            row[at] = word(x + program[SCALAR])
        elif what == TRUTH:
            if x != program[TRUE] and x != program[FALSE]:
                return 1
            row[at] = 1 if x == program[TRUE] else 0
        elif x != program[NOTHING]:
            return 1
        p += STEP
    return 0


def pack_address() -> int:
    """Address of `pack`."""
    return addressable(PACK, pack)


def program_of(
    arguments: tuple[Any, ...], read: list[bool], row: Int
) -> tuple[Int, list[tuple[int, int]]]:  # fmt: skip
    """The program that packs arguments of this layout, and which of them are whole numbers: places among the arguments
    and in the row. What is the same for all of the layout is written into the row.

    read: by array, whether it is only read: then it does not matter if it could be written to.

    Tuples that hold whole numbers, or that are nested deeper than `DEEPEST`, raise `Unnamed`.
    """
    head = [
        tuple.__basicsize__, object.__basicsize__, id(np.ndarray), id(float), id(np.float64), id(None),
        id(True), id(False),
    ]  # fmt: skip
    steps: list[int] = []
    whole: list[tuple[int, int]] = []
    words, marks = 0, iter(read)

    def add(value: Any, way: tuple[int, ...]) -> None:
        nonlocal words
        if len(way) > DEEPEST:
            raise Unnamed(f"tuples of arguments are nested more than {DEEPEST} times")
        prefix = [words, len(way), *way, *[0] * (DEEPEST - len(way))]
        if isinstance(value, tuple):
            steps.extend([TUPLE, *prefix, id(type(value)), len(value), 0, 0])
            for k, member in enumerate(value):
                add(member, (*way, k))
        elif isinstance(value, np.ndarray):
            flags = value.flags
            asked = ALIGNED | CONTIGUOUS | (0 if flags.c_contiguous else FORTRAN) | (0 if next(marks) else WRITEABLE)
            steps.extend([ARRAY, *prefix, id(np.dtype(value.dtype.str)), value.ndim, asked, flags.num & asked])
            row[words + 3] = value.itemsize
            words += 5 + 2 * value.ndim
        elif isinstance(value, float):
            steps.extend([FLOAT, *prefix, 0, 0, 0, 0])
            words += 1
        elif value is None or isinstance(value, bool):
            steps.extend([NONE if value is None else TRUTH, *prefix, 0, 0, 0, 0])
            words += 1
        elif len(way) == 1:
            whole.append((way[0], words))
            words += 1
        else:
            raise Unnamed("a tuple among the arguments holds a whole number")

    for k, value in enumerate(arguments):
        add(value, (k,))
    return np.array([*head, *steps, END], dtype=np.int64), whole
