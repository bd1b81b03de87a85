"""The layout of arguments in memory: its name, by which an entry is found, and the words that it takes.

    array: owner, parent, number of entries, bytes of one, address, shape, strides;   None: one word;   tuples: flat

as Numba lays them out. Two values with one name have one type for Numba.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

READ_ONLY = "!"  # behind the order of an array
ARRAY = re.compile(rf"\w+ \d+[CFA]({READ_ONLY}?)")


class Unnamed(TypeError):
    """A value that no entry takes."""


def layout_of(value: Any) -> str:
    """The name of the layout of a value, such as `f8 2C` for a matrix; `f8 2C!` if it may only be read."""
    if isinstance(value, np.ndarray):
        if type(value) is not np.ndarray or not value.dtype.isnative or not value.flags.aligned:
            raise Unnamed(f"{type(value).__name__} of {value.dtype}")
        order = "C" if value.flags.c_contiguous else "F" if value.flags.f_contiguous else "A"
        return f"{value.dtype.str[1:]} {value.ndim}{order}{'' if value.flags.writeable else READ_ONLY}"
    if isinstance(value, tuple):
        kind = "" if type(value) is tuple else type(value).__name__
        return f"{kind}({', '.join(map(layout_of, value))})"
    if value is None:
        return "None"
    if isinstance(value, bool | np.bool_):
        return "b"
    if isinstance(value, int | np.int64) and -(2**63) <= value < 2**63:
        return "i"
    if isinstance(value, float):  # those of NumPy with 64 bits as well
        return "f"
    raise Unnamed(type(value).__name__)


def fits(given: str, entry: str) -> bool:
    """Whether an entry of one layout takes arguments of another: what it only reads may be written to by others."""
    if given == entry:
        return True
    one, other = given.split(READ_ONLY), entry.split(READ_ONLY)
    return len(one) <= len(other) and "".join(one) == "".join(other) and _places(one) <= _places(other)


def _places(parts: list[str]) -> set[int]:
    """Where a text was divided, counted without the divisions."""
    return set(np.cumsum([len(part) for part in parts[:-1]]).tolist())


def only_read(layout: str) -> list[bool]:
    """Which of the arrays of a layout may only be read, in their order."""
    return [bool(mark) for mark in ARRAY.findall(layout)]


def flatten(value: Any, words: list[int]) -> None:
    """Append the words of a value in memory."""
    if value is None:
        words.append(0)
    elif isinstance(value, np.ndarray):
        words += [0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides]
    elif isinstance(value, tuple):
        for member in value:
            flatten(member, words)
    elif isinstance(value, float | np.floating):
        words.append(int(np.float64(value).view(np.int64)))
    else:
        words.append(int(value))
