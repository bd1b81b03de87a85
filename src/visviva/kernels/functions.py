"""Functions for compiled code, as the modules of kernels define them: nothing is compiled before somebody needs it.

A kernel that Python calls is looked for among those that are shipped, see `visviva.kernels.shipped`; only where it is
not among them Numba is imported, and compiles it or finds it in the cache, see `visviva.kernels.jit`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import TYPE_CHECKING, Any, TypeVar, cast, final

if TYPE_CHECKING:
    from visviva.kernels.shipped.entry import AbstractEntries

Function = TypeVar("Function", bound=Callable[..., Any])


class Deferred:
    """A global name of kernels whose meaning only Numba knows: an intrinsic function, or one of Numba's own.

    make: gives it, when the first kernel that uses it is compiled.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @cached_property
    def meaning(self) -> Any:
        """What Numba takes it for."""
        return self._make()

    def __call__(self, *arguments: Any) -> Any:
        """What plain Python makes of it, where nothing is compiled at all."""
        return self.meaning(*arguments)


@final
class Kernel(Deferred):
    """A Python function in the subset that Numba compiles; its text is `py_func`, its name `name`.

    A division by zero gives inf or nan, as in NumPy, and no exception: callers test what comes out. It works in memory
    that it is given: without an array of its own, nothing has to count who holds which.

    sources: digest of what it is made of, where that is more than the files of kernels; see `visviva.kernels.twins`.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], sources: str | None = None) -> None:
        self.py_func = function
        self.options = options
        self.sources = sources
        self.name = f"{function.__module__}.{function.__qualname__}"
        update_wrapper(self, function)

    @cached_property
    def meaning(self) -> Any:
        """What Numba makes of it: a function that is compiled for each set of argument types it is called with."""
        from visviva.kernels.jit import dispatcher

        return dispatcher(self.py_func, self.options, self.sources)

    @cached_property
    def entries(self) -> AbstractEntries | None:
        """The ways into it that are shipped; None without any."""
        from visviva.kernels.shipped.load import entries_of

        return entries_of(self.name, self.sources)

    def __call__(self, *arguments: Any) -> Any:
        """Run it, without Python's global lock."""
        entries = self.entries
        if entries is not None:
            found, result = entries.call(arguments)
            if found:
                return result
        return self.meaning(*arguments)


def kernel(function: Function) -> Function:
    """A `Kernel` that Python calls."""
    return cast("Function", Kernel(function, {}))


def unfused(function: Function) -> Function:
    """A `Kernel` in which each product and each sum rounds, as in laws."""
    return cast("Function", Kernel(function, {"fused": False}))


def inner(function: Function) -> Function:
    """A `Kernel` that only others call: what Python would need to call it is half of its compilation."""
    return cast("Function", Kernel(function, {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}))


def woven(function: Function) -> Function:
    """An `inner` kernel whose text is written into every caller.

    Many numbers go in and out, and stay in registers; of tables, nothing is copied: an array is some ten words on the
    stack of a call, all tables of a mechanism are hundreds, which is more work than what one joint or spring needs.
    """
    return cast(
        "Function", Kernel(function, {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "forceinline": True})
    )


def addressable(signature: str, function: Callable[..., Any]) -> int:
    """Address of `function` as C calls it, valid as long as the process lives.

    signature: one of `kernels.signatures`.
    """
    from visviva.kernels.shipped.load import address_of

    shipped = address_of(f"{function.__module__}.{function.__qualname__}", signature)
    if shipped is not None:
        return shipped
    from visviva.kernels.jit import callback

    return int(callback(signature, function).address)
