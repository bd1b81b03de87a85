"""Tracing: an ordinary Python function of states becomes an expression, once, by running it on symbols."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, final

import numpy as np

from visviva.errors import ModelError
from visviva.geometry.embedding import Flat, Rotations
from visviva.language.kinks import continuous, heaviside, kink
from visviva.language.spaces import StateSpace

_UFUNCS = {
    "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "exp": "exp",
    "log": "log", "sqrt": "sqrt", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arctan2": "atan2",
}  # fmt: skip
_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
    "true_divide": lambda a, b: a / b, "divide": lambda a, b: a / b, "power": lambda a, b: a**b,
    "float_power": lambda a, b: a**b, "negative": lambda a: -a, "positive": lambda a: a, "square": lambda a: a**2,
    "reciprocal": lambda a: 1 / a,
}  # fmt: skip
_COMPARISONS: dict[str, tuple[int, bool]] = {  # sense of a - b, and whether a tie counts
    "greater": (1, False), "greater_equal": (1, True), "less": (-1, False), "less_equal": (-1, True),
}  # fmt: skip
_CONNECTIVES = {"logical_and", "bitwise_and", "logical_or", "bitwise_or", "logical_not", "invert"}
_STEPS = {"floor", "ceil", "rint", "trunc", "fix", "round", "remainder", "mod", "fmod", "floor_divide", "divmod"}
_CHOOSING = {*_COMPARISONS, *_CONNECTIVES, *_STEPS, "equal", "not_equal"}
_CHOOSING |= {"maximum", "minimum", "fmax", "fmin", "sign", "heaviside"}
_WAY_OUT = "np.where, np.minimum, np.maximum and np.clip say it without a branch"


MOST_TERMS = 20_000  # of an expression that is written out, where operations are counted


class UntraceableError(ModelError):
    """A function of the state that cannot be turned into an expression."""


@final
class _Budget:
    """How many operations are left, and how large expressions are when they are written out, shared parts and all:
    what walks over them takes as long, and a loop of ten lines can make millions of terms.
    """

    def __init__(self, operations: int) -> None:
        self.operations = operations
        self._sizes = dict[Any, int]()

    def take(self) -> None:
        self.operations -= 1
        if self.operations < 0:
            raise UntraceableError("it has too many operations for an expression")

    def weigh(self, values: list[Any]) -> None:
        if sum(map(self._size, values)) > MOST_TERMS:
            raise UntraceableError(f"its expression has more than {MOST_TERMS} terms when it is written out")

    def _size(self, part: Any) -> int:
        if part not in self._sizes:
            self._sizes[part] = 1 + sum(map(self._size, part.args))
        return self._sizes[part]


_left: ContextVar[_Budget | None] = ContextVar("operations that are left", default=None)


@final
class Condition:
    """What a comparison of traced numbers says: np.where takes it, and &, | and ~ join it; a branch is refused."""

    __slots__ = ("choose",)
    __array_priority__ = 1000

    def __init__(self, choose: Callable[[Any, Any], Any]) -> None:
        self.choose = choose  # (f, g) -> f where it holds, g elsewhere, as expressions

    @property
    def expr(self) -> Any:
        """1 where it holds, 0 elsewhere."""
        import sympy

        return self.choose(sympy.Integer(1), sympy.Integer(0))

    def __and__(self, other: Any) -> Condition:
        second = _condition(other)
        return Condition(lambda f, g: self.choose(second.choose(f, g), g))

    def __or__(self, other: Any) -> Condition:
        second = _condition(other)
        return Condition(lambda f, g: self.choose(f, second.choose(f, g)))

    __rand__, __ror__ = __and__, __or__

    def __invert__(self) -> Condition:
        return Condition(lambda f, g: self.choose(g, f))

    def __mul__(self, other: Any) -> Any:
        return Traced(self.expr) * other

    __rmul__ = __mul__

    def __bool__(self) -> bool:
        raise UntraceableError(
            f"it compares a state with something and branches on the answer (if, and, or, min, max, while);\n{_WAY_OUT}"
        )

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _function(function, args, kwargs)

    def __eq__(self, other: object) -> bool:
        raise UntraceableError(f"it compares the answers of comparisons with ==, != or in;\n{_WAY_OUT}")

    __ne__ = __eq__
    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        raise UntraceableError(f"it makes a text of the answer of a comparison;\n{_WAY_OUT}")

    def __repr__(self) -> str:
        return f"Condition({self.expr})"


@final
class Traced:
    """A symbolic number that NumPy's functions accept; a branch on its value is refused."""

    __slots__ = ("expr",)
    __array_priority__ = 1000

    def __init__(self, expr: Any) -> None:
        self.expr = expr

    def __format__(self, form: str) -> str:
        raise UntraceableError(f"it makes a text of a state;\n{_WAY_OUT}")

    # -- arithmetic --
    def __add__(self, other: Any) -> Any:
        return _binary("add", self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _binary("subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _binary("subtract", other, self)

    def __mul__(self, other: Any) -> Any:
        return _binary("multiply", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return _binary("divide", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _binary("divide", other, self)

    def __pow__(self, other: Any) -> Any:
        return _binary("power", self, other)

    def __rpow__(self, other: Any) -> Any:
        return _binary("power", other, self)

    def __neg__(self) -> Traced:
        return Traced(-self.expr)

    def __pos__(self) -> Traced:
        return self

    def __abs__(self) -> Any:
        return _apply("absolute", (self,))

    # -- comparisons --
    def __gt__(self, other: Any) -> Any:
        return _binary("greater", self, other)

    def __ge__(self, other: Any) -> Any:
        return _binary("greater_equal", self, other)

    def __lt__(self, other: Any) -> Any:
        return _binary("less", self, other)

    def __le__(self, other: Any) -> Any:
        return _binary("less_equal", self, other)

    # -- what cannot be traced --
    def __bool__(self) -> bool:
        raise UntraceableError(f"it branches on the value of a state (if, and, or, not, while);\n{_WAY_OUT}")

    def __eq__(self, other: object) -> Any:
        return _apply("equal", (self, other))

    def __ne__(self, other: object) -> Any:
        return _apply("not_equal", (self, other))

    __hash__ = None  # type: ignore[assignment]

    def __float__(self) -> float:
        raise UntraceableError(
            "it turns a state into a float, as functions of the math module and foreign libraries do"
        )

    __int__ = __index__ = __complex__ = __float__

    def __mod__(self, other: Any) -> Any:
        return _apply("mod", (self, other))

    def __floordiv__(self, other: Any) -> Any:
        return _apply("floor_divide", (self, other))

    def __round__(self, digits: int | None = None) -> Any:
        return _apply("round", (self,))

    # -- NumPy --
    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _function(function, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        # NumPy calls x.cos() and the like on the elements of an object array.
        if name in _UFUNCS or name in _OWN or name in _STEPS:
            return lambda *others: _apply(name, (self, *others))
        raise AttributeError(name)

    def __repr__(self) -> str:
        return f"Traced({self.expr})"


class TracedArray(np.ndarray):
    """Traced numbers that NumPy compares and chooses entry by entry."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        plain = tuple(np.asarray(value) if isinstance(value, TracedArray) else value for value in inputs)
        if ufunc.__name__ in _CHOOSING and method == "__call__" and not kwargs:
            return _elementwise(ufunc.__name__, plain)
        if ufunc.__name__ in _CHOOSING and method == "reduce":  # np.max and np.min of all entries
            along = kwargs.get("axis")
            others = {name for name, value in kwargs.items() if name != "axis" and not _is_default(name, value)}
            if others or (along is not None and plain[0].ndim > 1):
                raise UntraceableError(
                    "it asks for the largest or smallest along an axis, of some entries or with initial="
                )
            return reduce(lambda a, b: _apply(ufunc.__name__, (a, b)), plain[0].ravel())
        found = getattr(ufunc, method)(*plain, **kwargs)
        return found.view(TracedArray) if isinstance(found, np.ndarray) else found

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function.__name__ in ("where", "clip", "select", "interp"):
            return _function(function, args, kwargs)
        return super().__array_function__(function, types, args, kwargs)


def _is_default(name: str, value: Any) -> bool:
    """Whether an option of a reduction is as if it had not been given."""
    return value is None or value is False or value is np._NoValue or (name == "where" and value is True)


def traced_array(symbols: Iterable[Any]) -> Any:
    """Symbols in a row as traced numbers."""
    return np.array([Traced(symbol) for symbol in symbols], dtype=object).view(TracedArray)


def _binary(name: str, a: Any, b: Any) -> Any:
    for one in (a, b):
        if isinstance(one, np.ndarray):
            return _elementwise(name, (a, b))
        if _expression(one) is None:
            return NotImplemented
    return _apply(name, (a, b))


def _ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    if method != "__call__" or kwargs:
        raise UntraceableError(f"it uses np.{ufunc.__name__}.{method} or options of np.{ufunc.__name__}")
    return _elementwise(ufunc.__name__, inputs)


def _elementwise(name: str, inputs: tuple[Any, ...]) -> Any:
    """A function of numbers, of numbers and arrays, or of arrays of one shape."""
    if not any(isinstance(value, np.ndarray) for value in inputs):
        return _apply(name, inputs)
    arrays = [np.asarray(value) if isinstance(value, np.ndarray) else _boxed(value) for value in inputs]
    found = np.vectorize(lambda *values: _apply(name, values), otypes=[object])(*arrays)
    return found.view(TracedArray) if np.ndim(found) else found.item()


def _boxed(value: Any) -> Any:
    """A number as an array without axes; lists as arrays of objects."""
    if not isinstance(value, Traced | Condition):
        return np.asarray(value, dtype=object)
    box = np.empty((), dtype=object)
    box[()] = value
    return box


def _function(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Functions of NumPy that choose among values; all others see arrays of objects."""
    match function.__name__, args:
        case "where", (_, _, _) if not kwargs:
            return _elementwise("where", args)
        case "clip", (x, low, high) if not kwargs:
            above = x if low is None else _elementwise("maximum", (x, low))
            return above if high is None else _elementwise("minimum", (above, high))
        case "interp", (x, knots, values) if not kwargs:
            return _interpolated(x, np.asarray(knots, dtype=np.float64), np.asarray(values, dtype=np.float64))
        case "select", (conditions, values, *default) if len(default) <= 1 and len(conditions) == len(values):
            chosen = kwargs.get("default", default[0] if default else 0)
            for condition, value in zip(reversed(conditions), reversed(values), strict=True):
                chosen = _elementwise("where", (condition, value, chosen))
            return chosen
        case "interp", _:
            raise UntraceableError("it gives np.interp options; np.interp(x, knots, values) is known")
        case "where" | "clip" | "select" | "piecewise" | "round" | "around" | "fix", _:
            _apply(function.__name__, ())
    result = function(*map(_plain, args), **{key: _plain(value) for key, value in kwargs.items()})
    return result.item() if isinstance(result, np.ndarray) and result.ndim == 0 else result


def _interpolated(x: Any, knots: Any, values: Any) -> Any:
    """A table, straight between its knots and constant beyond: f_0 + Σ s_k (clip(x, x_k, x_k+1) - x_k)."""
    if knots.ndim != 1 or knots.shape != values.shape or not len(knots):
        raise UntraceableError(f"it gives np.interp {knots.shape} knots and {values.shape} values")
    if not (np.diff(knots) > 0).all() or not np.isfinite([*knots, *values]).all():
        raise UntraceableError("it gives np.interp knots that do not rise, or numbers that are not finite")
    found = values[0].item()
    for a, b, slope in zip(knots[:-1], knots[1:], np.diff(values) / np.diff(knots), strict=True):
        if slope != 0:
            inside = _elementwise("minimum", (_elementwise("maximum", (x, a.item())), b.item()))
            found = found + slope.item() * (inside - a.item())
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, Traced | Condition):
        return _boxed(value)
    return type(value)(map(_plain, value)) if type(value) in (list, tuple) else value


@contextmanager
def at_most(operations: int) -> Iterator[None]:
    """In it, a function with more operations on traced numbers cannot be traced."""
    token = _left.set(_Budget(operations))
    try:
        yield
    finally:
        _left.reset(token)


def _apply(name: str, inputs: tuple[Any, ...]) -> Any:
    import sympy

    left = _left.get()
    if left is not None:
        left.take()
    if name in ("equal", "not_equal"):
        raise UntraceableError(f"it compares a state with something for equality;\n{_WAY_OUT}")
    if name in _STEPS:
        raise UntraceableError(f"it uses np.{name}, which jumps: so would what is made of it")
    if name in _CONNECTIVES:
        first, *rest = map(_condition, inputs)
        return ~first if not rest else first & rest[0] if name.endswith("and") else first | rest[0]
    if name == "where" and inputs:
        condition, *inputs = _condition(inputs[0]), *inputs[1:]  # type: ignore[assignment]
    values = [_expression(value) for value in inputs]
    if any(value is None for value in values):
        raise UntraceableError(f"it gives np.{name} something that is no number")
    if left is not None:
        left.weigh(values)
    if name == "where" and inputs:
        return Traced(condition.choose(*values))
    if name in _COMPARISONS:
        sense, tie = _COMPARISONS[name]
        return _positive(sense * (values[0] - values[1]), tie)
    for known in (_OPERATORS, _OWN):
        if name in known:
            return Traced(known[name](*values))
    if name not in _UFUNCS:
        names = sorted({*_UFUNCS, *_OWN, "clip", "where"})
        raise UntraceableError(f"it uses np.{name} in a way that has no expression here; known: {', '.join(names)}")
    return Traced(getattr(sympy, _UFUNCS[name])(*values))


def _positive(c: Any, tie: bool) -> Condition:
    """c > 0, or c >= 0 where a tie counts."""
    return Condition(lambda f, g: kink("case_")(c, f, f if tie else g, g))


def _condition(value: Any) -> Condition:
    if isinstance(value, Condition):
        return value
    if isinstance(value, bool | np.bool_):
        return Condition((lambda f, g: f) if value else (lambda f, g: g))
    raise UntraceableError(f"it takes {value!r} for a condition; comparisons are, such as x.q > 0")


def _near_zero(name: str) -> Callable[[Any], Any]:
    def apply(a: Any) -> Any:
        from visviva.language.functions import near_zero

        return near_zero(name)(a)

    return apply


def _root_of_squares(a: Any, b: Any) -> Any:
    import sympy

    return sympy.sqrt(a**2 + b**2)


def _cube_root(a: Any) -> Any:
    import sympy

    return kink("sign_")(a) * kink("abs_")(a) ** sympy.Rational(1, 3)


_OWN: dict[str, Callable[..., Any]] = {
    "hypot": _root_of_squares,
    "cbrt": _cube_root,
    "copysign": lambda a, b: kink("case_")(b, kink("abs_")(a), kink("abs_")(a), -kink("abs_")(a)),
    "expm1": _near_zero("expm1"),
    "log1p": _near_zero("log1p"),
    "absolute": lambda a: kink("abs_")(a),
    "fabs": lambda a: kink("abs_")(a),
    "sign": lambda a: kink("sign_")(a),
    "heaviside": heaviside,
    "maximum": lambda a, b: kink("max_")(a, b),
    "fmax": lambda a, b: kink("max_")(a, b),
    "minimum": lambda a, b: kink("min_")(a, b),
    "fmin": lambda a, b: kink("min_")(a, b),
}


def _expression(value: Any) -> Any:
    """The SymPy form of a number, or None."""
    import sympy

    if isinstance(value, Traced | Condition):
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
    embedding, numbers = space.embedding, traced_array(symbols)
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
            f"{what} cannot be traced: {reason}.\nWrite it as one expression of states, with NumPy functions."
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
    return np.array([continuous(value) for value in flat], dtype=object).reshape(array.shape)
