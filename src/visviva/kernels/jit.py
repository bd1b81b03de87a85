"""What Numba makes of kernels. It is imported where something has to be compiled, and not before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core.ccallback import CFunc
from numba.core.registry import cpu_target
from numba.core.sigutils import normalize_signature
from numba.extending import typeof_impl

from visviva.kernels.cache import folder
from visviva.kernels.code_files import CodeFiles
from visviva.kernels.functions import Deferred, Kernel
from visviva.kernels.fusing import FusedCompiler

LETTERS = {
    "": types.void,
    "n": types.int64,
    "w": types.int32,
    "x": types.float64,
    "I": types.CPointer(types.int64),
    "F": types.CPointer(types.float64),
    "C": types.CPointer(types.complex128),
}
_referenced: list[Any] = []  # what is called by address must outlive every caller
callbacks: dict[tuple[str, str], Any] = {}  # all of this process, by name


def _meaning(value: Deferred, context: Any) -> Any:
    """The type of a global name of kernels is that of what it stands for."""
    meaning = value.meaning
    if not isinstance(value, Kernel):
        cpu_target.typing_context.refresh()  # what has just been made is known to it then, and so are its instructions
        cpu_target.target_context.refresh()
    return cpu_target.typing_context.resolve_value_type(meaning)


for _kind in (Deferred, Kernel):
    typeof_impl.register(_kind)(_meaning)


def dispatcher(function: Callable[..., Any], options: dict[str, Any], sources: str | None = None) -> Any:
    """`function` compiled for each set of argument types, and kept on disk.

    options: of Numba, "fused": False for a rounding after each product, and "kept": False for nothing on disk.
    sources: digest of what it is made of, beside the files of kernels.
    """
    settings: dict[str, Any] = {"error_model": "numpy", "nogil": True, "_nrt": False} | options
    if settings.pop("fused", True):
        settings["pipeline_class"] = FusedCompiler
    kept = settings.pop("kept", True)
    compiled: Any = numba.njit(**settings)(function)
    if kept and compiled is not function:  # as it is where nothing is compiled
        compiled._cache = CodeFiles(function, folder(digest=sources))  # where Numba would put its own with cache=True
    return compiled


def types_of(signature: str) -> Any:
    """One of `kernels.signatures` in Numba's types."""
    arguments, _, result = signature.partition(":")
    return LETTERS[result](*(LETTERS[letter] for letter in arguments))


def callback(signature: str, function: Callable[..., Any]) -> Any:
    """`function` compiled as C calls it; its `address` is valid as long as the process lives."""
    compiled: Any = CFunc(
        function, normalize_signature(types_of(signature)), locals={}, options={"error_model": "numpy"}
    )
    compiled._cache = CodeFiles(function, folder())
    compiled.compile()
    _referenced.append(compiled)
    callbacks[f"{function.__module__}.{function.__qualname__}", signature] = compiled
    return compiled


def add_entry(module: Any, name: str, compiled: Any, address: int | None = None) -> None:
    """Adds i32 name(results, error, row) to a module of LLVM: it takes the arguments of a compiled function from a row
    of words and calls it, at an address or, without one, by its symbol.
    """
    word, descriptor = ir.IntType(64), compiled.fndesc
    kind = cpu_target.target_context.call_conv.get_function_type(descriptor.restype, descriptor.argtypes)
    function = ir.Function(module, ir.FunctionType(ir.IntType(32), [word, word, word]), name)
    builder = ir.IRBuilder(function.append_basic_block())
    row = builder.inttoptr(function.args[2], word.as_pointer())
    given = [builder.inttoptr(function.args[k], kind.args[k]) for k in range(2)]
    for k, argument in enumerate(kind.args[2:]):  # one word each
        value = builder.load(builder.gep(row, [ir.Constant(word, k)]))
        if isinstance(argument, ir.PointerType):
            value = builder.inttoptr(value, argument)
        elif isinstance(argument, ir.DoubleType):
            value = builder.bitcast(value, argument)
        elif argument != word:  # a truth value
            value = builder.trunc(value, argument)
        given.append(value)
    if address is None:
        callee: Any = ir.Function(module, kind, descriptor.llvm_func_name)
    else:
        callee = builder.inttoptr(ir.Constant(word, address), kind.as_pointer())
    builder.ret(builder.call(callee, given))
