"""Tracing: an ordinary Python function of states becomes an expression, once, by running it on symbols."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np

from visviva.errors import ModelError
from visviva.geometry.embedding import Flat, Rotations
from visviva.language.spaces import StateSpace

_UFUNCS = {
    "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "exp": "exp",
    "log": "log", "sqrt": "sqrt", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "absolute": "Abs",
    "arctan2": "atan2", "expm1": "_expm1", "log1p": "_log1p",
}  # fmt: skip
_BINARY = {"add", "subtract", "multiply", "true_divide", "divide", "power", "float_power"}


class UntraceableError(ModelError):
    """A function of the state that cannot be turned into an expression."""


@final
class Traced:
    """A symbolic number that NumPy's functions accept; a branch on its value is refused."""

    __slots__ = ("expr",)
    __array_priority__ = 1000

    def __init__(self, expr: Any) -> None:
        self.expr = expr

    # -- arithmetic --
    def __add__(self, other: Any) -> Any:
        return _binary(self, other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _binary(self, other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return _binary(self, other, lambda a, b: b - a)

    def __mul__(self, other: Any) -> Any:
        return _binary(self, other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return _binary(self, other, lambda a, b: a / b)

    def __rtruediv__(self, other: Any) -> Any:
        return _binary(self, other, lambda a, b: b / a)

    def __pow__(self, other: Any) -> Any:
        return _binary(self, other, lambda a, b: a**b)

    def __rpow__(self, other: Any) -> Any:
        return _binary(self, other, lambda a, b: b**a)

    def __neg__(self) -> Traced:
        return Traced(-self.expr)

    def __pos__(self) -> Traced:
        return self

    def __abs__(self) -> Traced:
        import sympy

        return Traced(sympy.Abs(self.expr))

    # -- what cannot be traced --
    def __bool__(self) -> bool:
        raise UntraceableError("it branches on the value of a state (if, and, or, min, max, while)")

    def _compare(self, other: Any) -> Any:
        raise UntraceableError("it compares a state with something")

    __lt__ = __le__ = __gt__ = __ge__ = _compare

    def __eq__(self, other: object) -> Any:
        return self._compare(other)

    def __ne__(self, other: object) -> Any:
        return self._compare(other)

    __hash__ = None  # type: ignore[assignment]

    def __float__(self) -> float:
        raise UntraceableError(
            "it turns a state into a float, as functions of the math module and foreign libraries do"
        )

    __int__ = __index__ = __complex__ = __float__

    # -- NumPy --
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs:
            raise UntraceableError(f"it uses np.{ufunc.__name__}.{method} or options of np.{ufunc.__name__}")
        if any(isinstance(value, np.ndarray) for value in inputs):
            objects = [
                np.asarray(value, dtype=object) if not isinstance(value, np.ndarray) else value for value in inputs
            ]
            return np.vectorize(lambda *values: _apply(ufunc.__name__, values), otypes=[object])(*objects)
        return _apply(ufunc.__name__, inputs)

    def __getattr__(self, name: str) -> Any:
        # NumPy calls x.cos() and the like on the elements of an object array.
        if name in _UFUNCS:
            return lambda *others: _apply(name, (self, *others))
        raise AttributeError(name)

    def __repr__(self) -> str:
        return f"Traced({self.expr})"


def _binary(a: Traced, b: Any, operation: Callable[[Any, Any], Any]) -> Any:
    if isinstance(b, np.ndarray):
        return np.vectorize(lambda value: _binary(a, value, operation), otypes=[object])(b)
    other = _expression(b)
    return NotImplemented if other is None else Traced(operation(a.expr, other))


def _apply(name: str, inputs: tuple[Any, ...]) -> Any:
    import sympy

    values = [_expression(value) for value in inputs]
    if any(value is None for value in values):
        raise UntraceableError(f"it gives np.{name} something that is no number")
    operators = {
        "negative": lambda a: -a,
        "positive": lambda a: a,
        "square": lambda a: a**2,
        "reciprocal": lambda a: 1 / a,
    }
    if name in operators:
        return Traced(operators[name](values[0]))
    if name in _BINARY:
        a, b = values
        return Traced({"add": a + b, "subtract": a - b, "multiply": a * b}.get(name, a / b if "div" in name else a**b))
    functions = {"expm1": lambda a: sympy.exp(a) - 1, "log1p": lambda a: sympy.log(1 + a)}
    if name in functions:
        return Traced(functions[name](*values))
    if name not in _UFUNCS:
        raise UntraceableError(
            f"it uses np.{name}, which has no smooth expression here; known: {', '.join(sorted(_UFUNCS))}"
        )
    return Traced(getattr(sympy, _UFUNCS[name])(*values))


def _expression(value: Any) -> Any:
    """The SymPy form of a number, or None."""
    import sympy

    if isinstance(value, Traced):
        return value.expr
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, int | np.integer):
        return sympy.Integer(int(value))
    if isinstance(value, float | np.floating):
        fraction = Fraction(float(value)) if np.isfinite(value) else None
        if fraction is not None and fraction.denominator <= 4096:  # 0.5 is meant as one half, and equations show it
            return sympy.Rational(fraction.numerator, fraction.denominator)
        return sympy.Float(float(value))
    return None


@final
@dataclass(frozen=True)
class Pose:
    """The value of a port whose quantity lives in a group, as a traced function sees it: rotation R, translation r."""

    R: Any
    r: Any


class Values:
    """The values of ports by name: x.q, e.p, theta.s."""

    def __init__(self, kind: str, values: Mapping[str, Any]) -> None:
        self._kind = kind
        self._values = dict(values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._values:
            known = ", ".join(f"{self._kind}.{port}" for port in self._values) or "none"
            raise UntraceableError(f"it asks for {self._kind}.{name}; there is {known}")
        return self._values[name]

    def __getitem__(self, name: str) -> Any:
        """The same for names with dots: x["arm.q"]."""
        return getattr(self, name)


def wrap(space: StateSpace, symbols: list[Any]) -> Any:
    """Symbols of a state as its user sees them: a number, a vector, or a pose."""
    embedding, numbers = space.embedding, np.array([Traced(symbol) for symbol in symbols], dtype=object)
    if isinstance(embedding, Flat):
        return numbers[0] if embedding.n == 1 else numbers
    if isinstance(embedding, Rotations):
        n, head = embedding.n, embedding.n if embedding.moves else 0
        R = numbers[head:].reshape(n, n).T
        return Pose(R, numbers[:head]) if embedding.moves else Pose(R, np.zeros(n))
    return numbers


def call(function: Callable[..., Any], available: Mapping[str, Any], what: str) -> Any:
    """Run a function on symbols, its arguments taken by name; an error says why it cannot be traced."""
    arguments = inspect.signature(function).parameters
    names = [name for name, argument in arguments.items() if argument.default is argument.empty or name in available]
    missing = [name for name in names if name not in available]
    if missing:
        known = ", ".join(available)
        raise ModelError(f"{what} asks for the argument {missing[0]!r}; it can have: {known}. Parameters are keywords.")
    try:
        return function(**{name: available[name] for name in names})
    except UntraceableError as reason:
        raise UntraceableError(
            f"{what} cannot be traced: {reason}.\nWrite it as one smooth expression of states, with NumPy functions."
        ) from None
    except Exception as reason:
        raise UntraceableError(
            f"{what} cannot be traced: {reason}.\nUse arithmetic and NumPy's functions only."
        ) from reason


def expressions(result: Any, what: str) -> Any:
    """The result of a traced function as an object array of SymPy expressions."""
    import sympy

    array = np.asarray(result, dtype=object)
    flat = [_expression(value) for value in array.ravel()]
    if any(value is None for value in flat):
        raise ModelError(f"{what} must return numbers, got {result!r}.")
    if any(value.has(sympy.nan, sympy.oo, -sympy.oo, sympy.zoo) for value in flat):
        raise ModelError(f"{what} must be finite, got {result!r}.")
    return np.array(flat, dtype=object).reshape(array.shape)
