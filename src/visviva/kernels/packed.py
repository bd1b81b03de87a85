"""Calls of a kernel whose arguments stay the same arrays: packed once, called by the address of the row they are in.

Numba takes every array of every tuple apart at each call, some 0.3 µs each and 30 µs for a mechanism, of which a step
takes two. Here a row of words holds all arguments as Numba lays them out in memory, and a function of two instructions
per word hands them on:

    array: owner, parent, number of entries, bytes of one, address, shape, strides;   None: one word;   tuples: flat
"""

from __future__ import annotations

import ctypes
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.kernels.multibody.tables import Int
from visviva.kernels.shipped.layout import flatten, layout_of

ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_entries: dict[tuple[Any, ...], tuple[Any, Any]] = {}  # by kernel and types, or layouts: function, its owner


@final
class PackedCall:
    """A kernel with its arguments: `call()` runs it, and returns the whole numbers that it returns.

    Arrays are those of the arguments: what is written into them is seen by the next call. Numbers among the arguments
    are fields of the row, see `number` and `put`; the row holds no array alive, this object does.
    """

    def __init__(self, kernel: Any, arguments: tuple[Any, ...], results: int) -> None:
        words: list[int] = []
        self._first = []
        for value in arguments:
            self._first.append(len(words))
            flatten(value, words)
        self._arguments = arguments
        self.row: Int = np.array(words, dtype=np.int64)
        self._out = np.zeros(results, dtype=np.int64)
        self._error = ctypes.c_void_p()
        self._entry = _entry_of(kernel, arguments)
        self._addresses = (self._out.ctypes.data, ctypes.addressof(self._error), self.row.ctypes.data)

    def number(self, argument: int) -> Int:
        """The place of a whole number among the arguments: assign to its [0]."""
        return self.row[self._first[argument] : self._first[argument] + 1]

    def real(self, argument: int) -> Array:
        """The same of a real number."""
        return self.number(argument).view(np.float64)

    def place(self, argument: int) -> int:
        """The place of an argument in the row."""
        return self._first[argument]

    @property
    def address(self) -> tuple[int, int, int, int]:
        """Addresses of the call, of its results, of its error and of the row, for other kernels that make it."""
        entry = ctypes.cast(self._entry, ctypes.c_void_p).value
        assert entry is not None
        return entry, *self._addresses

    @property
    def results(self) -> Int:
        """Where the whole numbers are that it returns."""
        return self._out

    def __call__(self) -> Int:
        """Run the kernel; the result is overwritten by the next call."""
        self._entry(*self._addresses)
        return self._out


def _entry_of(kernel: Any, arguments: tuple[Any, ...]) -> Any:
    """The function i32 entry(results, error, row) of a kernel for arguments of these types.

    It is found by their layouts: to ask Numba for their types takes longer than a step.
    """
    layout = layout_of(arguments)
    if (kernel.name, layout) not in _entries:
        shipped = None if kernel.entries is None else kernel.entries.function(arguments, layout)
        _entries[kernel.name, layout] = _compiled(kernel, arguments) if shipped is None else (shipped, None)
    return _entries[kernel.name, layout][0]


def _compiled(kernel: Any, arguments: tuple[Any, ...]) -> tuple[Any, Any]:
    """What Numba makes of it."""
    import numba

    kinds = tuple(numba.typeof(value) for value in arguments)
    kernel.meaning.compile(kinds)
    return _linked(kernel.meaning.overloads[kinds])


def _linked(compiled: Any) -> tuple[Any, Any]:
    """A function that loads the arguments from a row and calls the compiled code by its address."""
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.registry import cpu_target

    from visviva.kernels.jit import add_entry

    context = cpu_target.target_context
    name = f"packed.{compiled.fndesc.llvm_func_name}"
    library = context.codegen().create_library(name)
    module = library.create_ir_module(name)
    add_entry(module, name, compiled, compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))
    with global_compiler_lock:
        library.add_ir_module(module)
        library.finalize()
    return ENTRY(library.get_pointer_to_function(name)), (library, compiled)
