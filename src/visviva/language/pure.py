"""Functions that may be run on symbols in the place of their calls: what they do is seen in their code.

A function is taken where its result depends on its arguments and on numbers around it alone, and where it changes
nothing: it stores nothing outside, catches no exception, imports nothing, and calls NumPy's and Python's functions of
numbers, or functions that are taken themselves. What is around it are numbers, names, arrays, and lists and tables of
them. It is run on copies of these, so that whatever it does, it does to the copies.
"""

from __future__ import annotations

import builtins
import copy
import dis
import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial, reduce
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from visviva.language.trace import _OPERATORS, _OWN, _UFUNCS, Condition, Traced, TracedArray, UntraceableError

MOST_NUMBERS = 1000  # of an array around a function: weights of a network are no expression that a compiler should see
_REFUSED = {
    "STORE_GLOBAL": "it changes a global variable", "DELETE_GLOBAL": "it changes a global variable",
    "STORE_NAME": "it changes a global variable", "STORE_ATTR": "it changes an attribute",
    "DELETE_ATTR": "it changes an attribute", "IMPORT_NAME": "it imports a module",
    "PUSH_EXC_INFO": "it catches exceptions, or has a with statement",
    "BEFORE_WITH": "it has a with statement", "LOAD_BUILD_CLASS": "it makes a class",
    "GET_AWAITABLE": "it is asynchronous", "IS_OP": "it compares by `is`",
}  # fmt: skip
_ARRAYS = {
    "array", "asarray", "zeros", "ones", "eye", "zeros_like", "ones_like", "full", "concatenate", "stack", "hstack",
    "vstack", "dot", "vdot", "cross", "inner", "outer", "sum", "diag", "transpose", "reshape", "ravel", "flatten", "T",
    "shape", "size", "ndim", "copy", "linalg", "norm", "arange", "linspace", "diff", "mean", "max", "min",
}  # fmt: skip
_FUNCTIONS = {*_UFUNCS, *_OPERATORS, *_OWN, "abs", "clip", "where", "select", "interp", "pi", "e", "inf", "tau"}
_FUNCTIONS |= {"greater", "greater_equal", "less", "less_equal", "logical_and", "logical_or", "logical_not", "float64"}
_OTHERS = {"t", "name", "items", "keys", "values"}  # of what a law sees, of ports, of tables
ATTRIBUTES = frozenset(_ARRAYS | _FUNCTIONS | _OTHERS)
_MATH = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "fabs": "abs", "pow": "power"}
_MATH |= {name: name for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "expm1", "log1p")}
_MAKING = {"array", "asarray", "stack", "hstack", "vstack", "concatenate"}
_SCALARS = (bool, int, float, str)
_TABLES = (list, tuple, set, frozenset, dict)
_PLAIN = (
    "abs", "bool", "dict", "enumerate", "int", "len", "list", "map", "range", "reversed", "round", "set",
    "sum", "tuple", "zip", "True", "False", "None",
)  # fmt: skip


def read_around(function: Callable[..., Any], ports: tuple[type, ...] = ()) -> Any:
    """All that a function reads besides its arguments, as one value that can be compared; an error where it may do
    more than to compute.

    ports: types of immutable objects that it may name.
    """
    return _fingerprint(function, ports, {})


def on_copies(function: Callable[..., Any], ports: tuple[type, ...] = ()) -> Callable[..., Any]:
    """A function that `read_around` has taken, on copies of what is around it."""
    return _sandboxed(function, ports, {})


# -- what is around a function ------------------------------------------------------------------------------------


def _fingerprint(value: Any, ports: tuple[type, ...], seen: dict[int, int]) -> Any:
    if value is None or type(value) in _SCALARS or (isinstance(value, np.number | np.bool_) and _is_numpy_type(value)):
        return type(value), repr(value)
    if id(value) in seen:
        return "again", seen[id(value)]
    seen[id(value)] = len(seen)
    count = value.size if isinstance(value, np.ndarray) else len(value) if isinstance(value, _TABLES) else 0
    if count > MOST_NUMBERS:
        raise UntraceableError(f"it uses {count} numbers at once, too many for an expression")
    if type(value) is np.ndarray and value.dtype.kind in "biuf":
        return "array", value.dtype.str, value.shape, value.tobytes()
    if type(value) in (list, tuple, set, frozenset):
        members = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
        return type(value), *(_fingerprint(part, ports, seen) for part in members)
    if type(value) is dict:
        return dict, *((_fingerprint(k, ports, seen), _fingerprint(v, ports, seen)) for k, v in value.items())
    if ports and isinstance(value, ports):
        return "port", value.name  # type: ignore[attr-defined]
    if value is np or isinstance(value, _NumPy):
        return "module", "numpy"
    if value is math or isinstance(value, _Math):
        return "module", "math"
    if _is_numpy(value):
        return "function", value.__name__
    if type(value) is partial:
        return "partial", *(_fingerprint(part, ports, seen) for part in (value.func, value.args, value.keywords))
    if type(value) is FunctionType:
        check_code(value.__code__)
        return value.__code__, *(_fingerprint(part, ports, seen) for _, part in _surroundings(value))
    raise UntraceableError(f"it uses {_named(value)}, of which it is not known what it does")


def _is_numpy_type(value: Any) -> bool:
    return type(value).__module__ == "numpy"


def _is_numpy(value: Any) -> bool:
    name = getattr(value, "__name__", "")
    return isinstance(name, str) and name in _FUNCTIONS | _ARRAYS and getattr(np, name, None) is value


def _named(value: Any) -> str:
    if isinstance(value, ModuleType):
        return f"the module {value.__name__!r}"
    return f"{getattr(value, '__name__', '') or type(value).__name__!r}"


def _surroundings(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Variables of enclosing functions, globals, and defaults."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:
            raise UntraceableError(f"it uses {name!r}, which has no value yet") from None
    for name in _globals(function.__code__):
        if name in function.__globals__:
            yield name, function.__globals__[name]
        elif name not in _builtins():
            raise UntraceableError(f"it uses {name!r}, of which it is not known what it does")
    yield "", function.__defaults__
    yield "", function.__kwdefaults__


# -- code ---------------------------------------------------------------------------------------------------------


@cache
def check_code(code: CodeType, inside: bool = False) -> None:
    """An error where code does something else than to compute. inside: whether it is that of a function within."""
    for instruction in dis.get_instructions(code):
        name, value = instruction.opname, instruction.argval
        if name in _REFUSED:
            raise UntraceableError(_REFUSED[name])
        if name in ("STORE_DEREF", "DELETE_DEREF") and value in code.co_freevars:
            raise UntraceableError(f"it changes {value!r}, which is around it")
        if name in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR") and value not in ATTRIBUTES:
            raise UntraceableError(f"it uses .{value}, of which it is not known what it does")
        if name == "YIELD_VALUE" and not (inside and code.co_name == "<genexpr>"):
            raise UntraceableError("it yields values")
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            check_code(constant, True)


@cache
def _globals(code: CodeType) -> tuple[str, ...]:
    """Names of globals, those of functions within included."""
    own = [i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")]
    within = [name for part in code.co_consts if isinstance(part, CodeType) for name in _globals(part)]
    return tuple(dict.fromkeys([*own, *within]))


# -- copies -------------------------------------------------------------------------------------------------------


def _sandboxed(value: Any, ports: tuple[type, ...], done: dict[int, Any]) -> Any:
    """A copy of a value, functions on copies of what is around them."""
    if id(value) in done:
        return done[id(value)]
    if isinstance(value, partial):
        parts = (_sandboxed(part, ports, done) for part in (value.func, value.args, value.keywords))
        function, args, keywords = parts
        return partial(function, *args, **keywords)
    if isinstance(value, FunctionType):
        return _copied_function(value, ports, done)
    if value is np:
        return _NumPy()
    if value is math:
        return _Math()
    if type(value) in (list, tuple, set, frozenset):
        return done.setdefault(id(value), type(value)(_sandboxed(part, ports, done) for part in value))
    if type(value) is dict:
        return done.setdefault(id(value), {k: _sandboxed(v, ports, done) for k, v in value.items()})
    return done.setdefault(id(value), copy.copy(value)) if type(value) is np.ndarray else value


def _copied_function(function: FunctionType, ports: tuple[type, ...], done: dict[int, Any]) -> FunctionType:
    code, around = function.__code__, dict[str, Any]({"__builtins__": dict(_builtins())})
    cells = tuple(CellType() for _ in code.co_freevars)
    found = done[id(function)] = FunctionType(code, around, function.__name__, None, cells or None)
    for cell, other in zip(cells, function.__closure__ or (), strict=True):
        cell.cell_contents = _sandboxed(other.cell_contents, ports, done)
    for name in _globals(code):
        if name in function.__globals__:
            around[name] = _sandboxed(function.__globals__[name], ports, done)
    found.__defaults__ = _sandboxed(function.__defaults__, ports, done)
    found.__kwdefaults__ = _sandboxed(function.__kwdefaults__, ports, done)
    return found


@cache
def _builtins() -> Mapping[str, Any]:
    """Python's functions of numbers and tables; smallest and largest of traced numbers, too."""
    known = {name: getattr(builtins, name) for name in _PLAIN} | {"float": _number}
    return known | {"min": partial(_extreme, min, np.minimum), "max": partial(_extreme, max, np.maximum)}


def _number(value: Any = 0.0) -> Any:
    return value if isinstance(value, Traced) else float(value)


def _extreme(plain: Callable[..., Any], two: Callable[[Any, Any], Any], *values: Any, **options: Any) -> Any:
    members = tuple(values[0]) if len(values) == 1 else values
    if options or not any(isinstance(value, Traced | Condition | TracedArray) for value in members):
        return plain(members, **options)
    return reduce(two, members)


class _NumPy:
    """NumPy, whose arrays of traced numbers are such."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        return partial(_made, found) if name in _MAKING else found


def _made(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    found = function(*args, **kwargs)
    return found.view(TracedArray) if isinstance(found, np.ndarray) and found.dtype == object else found


class _Math:
    """The math module, for traced numbers as well."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(math, name)
        return partial(_either, found, getattr(np, _MATH[name])) if name in _MATH else found


def _either(plain: Callable[..., Any], traced: Callable[..., Any], *values: Any) -> Any:
    return traced(*values) if any(isinstance(value, Traced) for value in values) else plain(*values)
