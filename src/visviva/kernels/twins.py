"""Kernels made of plain functions of other packages, which run in Python as they stand.

A kernel is a function of this folder, and Python calls it compiled or not at all. Elsewhere a formula is better read,
tested and used as an ordinary function; `kernel_of` makes a `Kernel` of it and of all plain functions of its package
that it calls. It works in memory that it is given, as all kernels do: arrays of its own are an error of the compiler.
Numbers and functions are those that its modules have at its first call; what takes their place later is not seen.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from visviva.kernels.announce import announce
from visviva.kernels.cache import digest_of
from visviva.kernels.functions import Kernel

DEPTH = 2  # names of a module that tell its package: those of visviva.copter.models.plant are visviva.copter
BEGUN = time.time()  # of this session
SESSION = f"{os.getpid()} {BEGUN}".encode()
SHORT = 600  # bytes of a function that is written into its callers: calls copy all tables of a vehicle


@cache
def kernel_of(function: Callable[..., Any]) -> Kernel:
    """The kernel that Python calls in place of a plain function; on disk it is kept under a digest of its sources."""
    return Kernel(_twin(function), {}, digest_of_sources(function))


def prepare(kernel: Kernel, arguments: tuple[Any, ...], what: str) -> None:
    """Compile it for such arguments where it is not shipped, with a line on the terminal that says what that is."""
    if kernel.entries is None and hasattr(kernel.meaning, "compile"):
        import numba

        with announce(what):
            kernel.meaning.compile(tuple(map(numba.typeof, arguments)))


@cache
def _inner(function: Callable[..., Any]) -> Kernel:
    """What others call. On disk it is a part of them: alone, it would be there still when what it calls has changed."""
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "kept": False}
    short = len(function.__code__.co_code) < SHORT
    return Kernel(_twin(function), options | ({"forceinline": True} if short else {}))


def _twin(function: Any) -> Any:
    """A function of the same code that calls kernels in place of plain functions."""
    around = dict(function.__globals__)
    for name, used in _called(function):
        around[name] = _inner(used)
    twin = FunctionType(function.__code__, around, function.__name__, function.__defaults__, function.__closure__)
    twin.__module__, twin.__qualname__, twin.__doc__ = function.__module__, function.__qualname__, function.__doc__
    return twin


def _called(function: Any) -> Iterator[tuple[str, Any]]:
    """Plain functions of its package that a function names."""
    for name in function.__code__.co_names:
        used = function.__globals__.get(name)
        if isinstance(used, FunctionType) and package_of(used) == package_of(function):
            yield name, used


def package_of(used: Any) -> str:
    """The package whose functions may be part of a kernel."""
    name = used.__name__ if isinstance(used, ModuleType) else used.__module__
    return ".".join(name.split(".")[:DEPTH])


@cache
def digest_of_sources(function: Any) -> str:
    """Hash of the kernels here, of all modules from which its code and its tuples come, and of numbers it names.

    A file that was edited in this session is not what has been imported: its code is nobody else's.
    """
    digest = hashlib.sha256(digest_of().encode())
    modules, numbers = _made_of(function)
    for name in sorted(modules):
        file = Path(str(sys.modules[name].__file__))
        digest.update(f"{name}\n".encode() + file.read_bytes())
        if BEGUN < file.stat().st_mtime <= time.time():
            digest.update(SESSION)
    digest.update("\n".join(sorted(numbers)).encode())
    return digest.hexdigest()[:16]


def _made_of(function: Any) -> tuple[set[str], set[str]]:
    """Modules, and numbers with their names."""
    modules: set[str] = set()
    numbers: set[str] = set()
    todo, seen = [function], {function}
    while todo:
        own = todo.pop()
        modules.add(own.__module__)
        around, defaults = vars(sys.modules[own.__module__]), getattr(own, "__defaults__", None)
        numbers |= {f"{own.__module__}.{own.__qualname__} {text}" for text in map(_number, defaults or ()) if text}
        for name in _names(own):
            head, *rest = name.split(".")
            used = around.get(head)
            if isinstance(used, ModuleType) and package_of(used) == package_of(function):
                modules.add(used.__name__)
            for part in rest:
                used = getattr(used, part, None)
            if number := _number(used):
                numbers.add(f"{own.__module__}.{name} = {number}")
            elif _is_part(used) and package_of(used) == package_of(function):
                todo += [used] if used not in seen else []
                seen.add(used)
    return modules, numbers


def _number(used: Any) -> str:
    """What tells a constant from others; nothing of all else."""
    if isinstance(used, np.ndarray | np.generic):
        return f"{used.dtype} {used.shape} {used.tobytes().hex()}"
    if isinstance(used, tuple):
        return f"({', '.join(map(_number, used))})"
    return repr(used) if isinstance(used, int | float) else ""


def _is_part(used: Any) -> bool:
    return isinstance(used, FunctionType) or (isinstance(used, type) and hasattr(used, "_fields"))


def _names(own: Any) -> set[str]:
    """Global names in the code of a function, or in what is said of the members of a tuple."""
    code = getattr(own, "__code__", None)
    said = [str(getattr(kind, "__forward_arg__", kind)) for kind in own.__annotations__.values()]
    return set(code.co_names if code else ()).union(*(re.findall(r"[A-Za-z_][\w.]*", text) for text in said))
