"""A way into a shipped kernel for arguments of one layout, called from Python."""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import Any, NamedTuple, final

import numpy as np

from visviva.kernels.multibody.tables import Int
from visviva.kernels.pack import program_of
from visviva.kernels.shipped.layout import Unnamed, fits, flatten, layout_of, only_read

ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)  # without the global lock
PACK = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)  # with it
WORD = ctypes.c_int64
LEAST, GREATEST = -(2**63), 2**63 - 1
MOST = 4  # numbers that a kernel returns


@final
class Memory:
    """Of one call: the words of its arguments, and its results."""

    def __init__(self, words: Any) -> None:
        self.row = (WORD * len(words))(*words)
        self.out = (WORD * MOST)()
        self.reals = (ctypes.c_double * MOST).from_buffer(self.out)
        self.error = ctypes.c_void_p()
        self.addresses = ctypes.addressof(self.out), ctypes.addressof(self.error), ctypes.addressof(self.row)


class Packing(NamedTuple):
    """How arguments are packed: program, its address, whole numbers among them, how many there are, words that stay."""

    program: Int
    address: int
    whole: list[tuple[int, int]]
    arity: int
    template: list[int]


@final
class Entry:
    """The function of an entry, and how arguments are packed for it.

    results: a letter for each number that it returns, i or f.   layout: of the arguments that it is made for.
    """

    def __init__(self, address: int, results: str, layout: str) -> None:
        self._layout = layout
        self.function = ENTRY(address)
        self._results = results
        self._idle: list[Memory] = []  # calls of several threads may be under way
        self._packing: Packing | None = None  # assigned once, as a whole: several threads may learn it at once

    def prepare(self, arguments: tuple[Any, ...]) -> None:
        """Learn the layout from arguments that have it; what cannot be packed in compiled code is packed here."""
        if self._packing is not None:
            return
        words: list[int] = []
        flatten(arguments, words)
        row = np.zeros(len(words), dtype=np.int64)
        with suppress(Unnamed):
            program, whole = program_of(arguments, only_read(self._layout), row)
            self._packing = Packing(program, program.ctypes.data, whole, len(arguments), row.tolist())

    def call(self, pack: Any, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
        """Whether the arguments have the layout, and what the kernel returns then."""
        packing = self._packing
        if packing is None or len(arguments) != packing.arity:
            return False, None
        try:
            memory = self._idle.pop()
        except IndexError:
            memory = Memory(packing.template)
        for k, at in packing.whole:
            value = arguments[k]
            if (type(value) is not int and type(value) is not np.int64) or not LEAST <= value <= GREATEST:
                return False, None
            memory.row[at] = int(value)
        if pack(id(arguments), packing.address, memory.addresses[2]):
            return False, None
        return True, self._run(memory)

    def call_slowly(self, arguments: tuple[Any, ...]) -> Any:
        """The same for arguments whose layout was compared by name."""
        words: list[int] = []
        flatten(arguments, words)
        return self._run(Memory(words))

    def _run(self, memory: Memory) -> Any:
        if self.function(*memory.addresses):
            raise RuntimeError("a shipped kernel has failed")
        result: Any = None
        if self._results == "i":
            result = memory.out[0]
        elif self._results == "f":
            result = memory.reals[0]
        elif self._results:
            result = tuple((memory.out if how == "i" else memory.reals)[k] for k, how in enumerate(self._results))
        if self._packing is not None:
            self._idle.append(memory)
        return result


class AbstractEntries(ABC):
    """All ways into one kernel."""

    @abstractmethod
    def function(self, arguments: tuple[Any, ...], layout: str) -> Any:
        """The function i32 entry(results, error, row) for arguments of a layout, or None."""

    @abstractmethod
    def call(self, arguments: tuple[Any, ...]) -> tuple[bool, Any]:
        """Whether there is a way for these arguments, and what the kernel returns."""


@final
class Entries(AbstractEntries):
    """All ways into one kernel, by layout; the last one that was taken is tried first.

    found: by layout, what makes the entry.   pack: the function that packs arguments.
    """

    def __init__(self, found: dict[str, tuple[int, str]], pack: Any) -> None:
        self._made: dict[str, Entry | None] = {}  # by layout of arguments
        self._by_layout: dict[str, Entry] = {}  # by its own
        self._found, self._pack = found, pack
        self._last: Entry | None = None

    def function(self, arguments: tuple[Any, ...], layout: str) -> Any:  # noqa: D102
        entry = self._entry(layout)
        return None if entry is None else entry.function

    def call(self, arguments: tuple[Any, ...]) -> tuple[bool, Any]:  # noqa: D102
        last = self._last
        if last is not None:
            done, result = last.call(self._pack, arguments)
            if done:
                return True, result
        try:
            entry = self._entry(layout_of(arguments))
        except Unnamed:
            return False, None
        if entry is None:
            return False, None
        entry.prepare(arguments)
        self._last = entry
        return True, entry.call_slowly(arguments)

    def _entry(self, layout: str) -> Entry | None:
        if layout not in self._made:
            fitting = next((one for one in self._found if fits(layout, one)), None)
            self._made[layout] = (
                None if fitting is None else self._by_layout.setdefault(fitting, Entry(*self._found[fitting], fitting))
            )
        return self._made[layout]
