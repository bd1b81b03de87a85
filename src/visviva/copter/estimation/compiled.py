"""Compiled twins of plain functions, for what runs hundreds of times per second of flight."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

SOURCES = Path(__file__).parents[1]  # what is kept on disk depends on all of them
PACKAGE = __name__.rpartition(".estimation")[0]


def compiled(function: Function) -> Function:
    """`function` as Numba compiles it, and with it all plain functions of its own and of this package that it calls.

    The updates of estimators are plain functions of arrays and parameters. They run in Python as they stand, and here
    in a flight: `tick = compiled(tick)` of a function that calls several of them makes one compiled function.

    Limits:  functions are compiled when they are first called; code of this package is kept on disk until its sources
             change, that of others is made anew in each process. Functions are no arguments.
    """
    return cast("Function", _twin(function, True))


@cache
def _twin(function: Any, from_python: bool) -> Any:
    """from_python: else only compiled code calls it; what Python needs to call it is not made, and nothing is kept.

    Where nothing is compiled, it is the twin itself.
    """
    import numba

    import visviva.kernels.jit  # noqa: F401 - it tells Numba what names of kernels stand for
    from visviva.kernels.cache import folder
    from visviva.kernels.code_files import CodeFiles

    around, own = dict(function.__globals__), function.__module__.startswith(PACKAGE)
    for name in function.__code__.co_names:
        used = around.get(name)
        if isinstance(used, FunctionType):
            same = not own and used.__module__.partition(".")[0] == function.__module__.partition(".")[0]
            if same or used.__module__.startswith(PACKAGE):
                around[name] = _twin(used, False)
    twin = FunctionType(function.__code__, around, function.__name__, function.__defaults__, function.__closure__)
    twin.__kwdefaults__ = function.__kwdefaults__
    options: dict[str, Any] = {} if from_python else {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    made: Any = numba.njit(error_model="numpy", nogil=True, **options)(twin)
    if made is not twin and own and from_python:  # others are part of the code of what calls them
        made._cache = CodeFiles(twin, folder(SOURCES))
    return made
