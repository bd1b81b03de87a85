"""Truncated Taylor series of time: arrays that carry their derivatives through arithmetic and NumPy's functions.

x(t + s) = Σ_k c_k s^k + O(s^(order + 1)),  c_k = x^(k)(t)/k!. Products are Cauchy's, functions follow from their
differential equations, so that every derivative is exact to rounding: no differences, no step size. Series about many
times t go through the same arithmetic at once.

Source: Griewank and Walther, Evaluating Derivatives (2008), chapter 13.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.errors import ModelError

JOIN = "Write the pieces as paths and join them in time: vv.control.joined(first, second)."


@final
class Series:
    """Taylor coefficients c, (order + 1, *shape), of an array of some shape; about n times (order + 1, n, *shape).

    lead: axes of c before those of the array, 1 or 2.
    """

    __slots__ = ("c", "lead")

    def __init__(self, c: Array, lead: int = 1) -> None:
        self.c, self.lead = c, lead

    @classmethod
    def time(cls, t: float | Array, order: int) -> Series:
        """t + s itself."""
        c = np.zeros((order + 1, *np.shape(t)))
        c[0] = t
        c[1:2] = 1.0
        return cls(c, c.ndim)

    @classmethod
    def constant(cls, value: ArrayLike, order: int) -> Series:
        """What does not change."""
        value = np.asarray(value, dtype=np.float64)
        c = np.zeros((order + 1, *value.shape))
        c[0] = value
        return cls(c)

    def __repr__(self) -> str:
        return f"Series({self.value.tolist()!r}, order {self.order})"

    @property
    def order(self) -> int:
        """Of the highest derivative."""
        return len(self.c) - 1

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array."""
        return self.c.shape[self.lead :]

    @property
    def ndim(self) -> int:
        """Of the array."""
        return self.c.ndim - self.lead

    @property
    def value(self) -> Array:
        """The array at s = 0."""
        return np.asarray(self.c[0])

    @property
    def derivatives(self) -> Array:
        """x, ẋ, ẍ, …, as `c` has them."""
        return np.asarray((self.c.T * [math.factorial(k) for k in range(len(self.c))]).T)

    @property
    def rate(self) -> Series:
        """ẋ, of one order less."""
        return self._like((self.c[1:].T * np.arange(1, len(self.c))).T)

    def integral(self, start: ArrayLike) -> Series:
        """∫ x ds from a start, of one order more."""
        head = np.broadcast_to(np.asarray(start, dtype=np.float64), self.c.shape[1:])[None]
        return self._like(np.concatenate([head, (self.c.T / np.arange(1, len(self.c) + 1)).T]))

    def upto(self, order: int) -> Series:
        """Cut off behind an order."""
        return self._like(self.c[: order + 1])

    def _like(self, c: Array) -> Series:
        return Series(c, self.lead)

    @property
    def T(self) -> Series:
        """Of a matrix, transposed."""
        return self._like(np.swapaxes(self.c, -1, -2)) if self.ndim > 1 else self

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a number has no length")  # NumPy then takes it as a scalar
        return self.shape[0]

    def __getitem__(self, key: Any) -> Series:
        if not self.shape:
            raise TypeError("a number has no entries")
        return self._like(self.c[(slice(None),) * self.lead + (key if isinstance(key, tuple) else (key,))])

    def __iter__(self) -> Iterator[Series]:
        return (self[k] for k in range(len(self)))

    # -- arithmetic ---------------------------------------------------------------------------------------------

    def _with(self, other: Any) -> tuple[Array, Array, int]:
        """Coefficients of two operands, of one order and of one number of axes, and the `lead` of what they make."""
        other = series_of(other, self.order)
        a, b, lead = self.c, other.c, self.lead
        if len(a) != len(b):
            n = min(len(a), len(b))
            a, b = a[:n], b[:n]
        if lead != other.lead:
            lead = 2
            a, b = about_many(a, self.lead), about_many(b, other.lead)
        if a.ndim != b.ndim:
            axes = max(a.ndim, b.ndim)
            a, b = (x.reshape(*x.shape[:lead], *(1,) * (axes - x.ndim), *x.shape[lead:]) for x in (a, b))
        return a, b, lead

    def __add__(self, other: Any) -> Series:
        a, b, lead = self._with(other)
        return Series(a + b, lead)

    __radd__ = __add__

    def __neg__(self) -> Series:
        return self._like(-self.c)

    def __pos__(self) -> Series:
        return self

    def __sub__(self, other: Any) -> Series:
        a, b, lead = self._with(other)
        return Series(a - b, lead)

    def __rsub__(self, other: Any) -> Series:
        return -self + other

    def __mul__(self, other: Any) -> Series:
        if not isinstance(other, Series):
            number = np.asarray(other)
            if number.dtype != object:
                a = self.c.reshape(*self.c.shape[: self.lead], *(1,) * (number.ndim - self.ndim), *self.shape)
                return self._like(a * number)
        a, b, lead = self._with(other)
        return Series(np.array([sum(a[j] * b[k - j] for j in range(k + 1)) for k in range(len(a))]), lead)

    __rmul__ = __mul__

    def __matmul__(self, other: Any) -> Series:
        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> Series:
        return matmul(series_of(other, self.order), self)

    def __truediv__(self, other: Any) -> Series:
        a, b, lead = self._with(other)
        if not b[0].all():
            raise ModelError("a path divides by zero: it has no value, and no derivatives there.")
        found = list[Array]()
        for k in range(len(a)):
            found.append((a[k] - sum(found[j] * b[k - j] for j in range(k))) / b[0])
        return Series(np.array(found), lead)

    def __rtruediv__(self, other: Any) -> Series:
        return series_of(other, self.order) / self

    def __pow__(self, other: Any) -> Series:
        if isinstance(other, Series):
            if other.lead == 2 or np.any(other.c[1:]):
                return (other * self.log()).exp()
            other = other.value
        p = np.asarray(other, dtype=np.float64)
        if p.ndim == 0 and p == np.floor(p) and 0 <= p <= 64:
            return self._whole_power(int(p))
        if p.ndim == 0 and p == np.floor(p) and p >= -64:
            return 1.0 / self._whole_power(int(-p))
        if p.ndim:
            return stacked([self**one for one in p.ravel()])
        if self.order and not (self.c[0] > 0).all():
            raise ModelError(
                f"a path takes {self.value.tolist()} to the power {float(p):g}: derivatives there need a positive base."
            )
        x, y = self.c, [np.asarray(self.c[0] ** p)]
        for k in range(1, len(x)):  # x ẏ = p ẋ y
            y.append(sum((p * j - (k - j)) * x[j] * y[k - j] for j in range(1, k + 1)) / (k * x[0]))
        return self._like(np.array(y))

    def __rpow__(self, other: Any) -> Series:
        return (self * np.log(np.asarray(other, dtype=np.float64))).exp()

    def _whole_power(self, n: int) -> Series:
        found, base = Series.constant(np.ones(self.shape), self.order), self
        while n:
            found, base, n = (found * base if n & 1 else found), base * base, n >> 1
        return found

    # -- functions, by the names under which NumPy looks for them in arrays of objects --------------------------------

    def sqrt(self) -> Series:
        """√x, of positive x."""
        return self**0.5

    def square(self) -> Series:
        """x²."""
        return self * self

    def exp(self) -> Series:
        """ẏ = ẋ y."""
        x, y = self.c, [np.exp(self.c[0])]
        for k in range(1, len(x)):
            y.append(np.asarray(sum(j * x[j] * y[k - j] for j in range(1, k + 1)) / k))
        return self._like(np.array(y))

    def log(self) -> Series:
        """ẏ = ẋ/x."""
        if not (self.c[0] > 0).all():
            raise ModelError(f"a path takes the logarithm of {self.value.tolist()}, which is not positive.")
        return self._by_rate(np.log, lambda: self.rate / self.upto(self.order - 1))

    def sin(self) -> Series:
        """With the cosine: ṡ = ẋ c, ċ = -ẋ s."""
        return self._sin_cos()[0]

    def cos(self) -> Series:
        """See `sin`."""
        return self._sin_cos()[1]

    def tan(self) -> Series:
        """Of sine and cosine."""
        s, c = self._sin_cos()
        return s / c

    def arctan(self) -> Series:
        """ẏ = ẋ/(1 + x²)."""
        x = self.upto(self.order - 1)
        return self._by_rate(np.arctan, lambda: self.rate / (x * x + 1.0))

    def arcsin(self) -> Series:
        """ẏ = ẋ/√(1 - x²), of |x| < 1."""
        x = self.upto(self.order - 1)
        return self._by_rate(np.arcsin, lambda: self.rate / (1.0 - x * x).sqrt())

    def arccos(self) -> Series:
        """π/2 - arcsin x."""
        return 0.5 * np.pi - self.arcsin()

    def sinh(self) -> Series:
        """(eˣ - e⁻ˣ)/2."""
        return (self.exp() - (-self).exp()) * 0.5

    def cosh(self) -> Series:
        """(eˣ + e⁻ˣ)/2."""
        return (self.exp() + (-self).exp()) * 0.5

    def tanh(self) -> Series:
        """ẏ = ẋ (1 - y²)."""
        y, rate = [np.tanh(self.c[0])], self.rate.c
        for k in range(1, len(self.c)):
            slope = Series.constant(np.ones(self.shape), k - 1) - self._like(np.array(y)).square()
            y.append((self._like(rate[:k]) * slope).c[k - 1] / k)
        return self._like(np.array(y))

    def arctan2(self, x: Any) -> Series:
        """atan2(y, x): its rate is (ẏ x - y ẋ)/(x² + y²)."""
        above, below, lead = self._with(x)
        y, x, n = Series(above, lead), Series(below, lead), len(above) - 1
        if not (np.square(y.c[0]) + np.square(x.c[0])).all():
            raise ModelError("a path takes arctan2(0, 0), which has no derivatives: a direction of nothing.")
        if not n:
            return y._like(np.arctan2(y.c, x.c))
        up, across = y.upto(n - 1), x.upto(n - 1)
        rate = (y.rate * across - up * x.rate) / (across * across + up * up)
        return rate.integral(np.arctan2(y.c[0], x.c[0]))

    def hypot(self, other: Any) -> Series:
        """√(x² + y²)."""
        other = series_of(other, self.order)
        return (self * self + other * other).sqrt()

    def degrees(self) -> Series:
        """180 x/π."""
        return self * (180.0 / np.pi)

    def radians(self) -> Series:
        """π x/180."""
        return self * (np.pi / 180.0)

    rad2deg, deg2rad = degrees, radians

    def sum(self, axis: int | None = None, **_: Any) -> Series:
        """Over one axis, or all."""
        if axis is None:
            return self._like(self.c.reshape(*self.c.shape[: self.lead], -1).sum(-1))
        return self._like(self.c.sum(axis + self.lead if axis >= 0 else axis))

    def _sin_cos(self) -> tuple[Series, Series]:
        x, s, c = self.c, [np.sin(self.c[0])], [np.cos(self.c[0])]
        for k in range(1, len(x)):
            ahead = sum(j * x[j] * c[k - j] for j in range(1, k + 1)) / k
            c.append(np.asarray(-sum(j * x[j] * s[k - j] for j in range(1, k + 1)) / k))
            s.append(np.asarray(ahead))
        return self._like(np.array(s)), self._like(np.array(c))

    def _by_rate(self, function: Callable[[Array], Array], rate: Callable[[], Series]) -> Series:
        start = function(self.c[0])
        return rate().integral(start) if self.order else self._like(np.asarray(start)[None])

    def composed(self, inner: Series) -> Series:
        """Σ c_k (x - x_0)^k: this series in x, about the value of a scalar x(s)."""
        ahead = np.concatenate([np.zeros((1, *inner.c.shape[1:])), inner.c[1:]])
        dx = inner._like(ahead.reshape(*ahead.shape, *(1,) * self.ndim))
        powers = [self._like(np.concatenate([c[None], np.zeros((inner.order, *c.shape))])) for c in self.c]
        found = powers[-1]
        for power in powers[-2::-1]:
            found = found * dx + power
        return found

    # -- NumPy ----------------------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        if method != "__call__" or keywords or ufunc.nout != 1:
            raise _unknown_function(f"np.{ufunc.__name__}")
        order = min(x.order for x in inputs if isinstance(x, Series))
        operands = [series_of(x, order) for x in inputs]
        name = OPERATORS.get(ufunc.__name__, ufunc.__name__)
        if name == ufunc.__name__ and name not in ELEMENTARY:
            raise _unknown_function(f"np.{ufunc.__name__}")
        return getattr(operands[0], name)(*operands[1:])

    def __array_function__(self, function: Any, types: Any, inputs: Any, keywords: Any) -> Any:
        own: Any = {
            np.stack: lambda x, axis=0: stacked(list(x), axis),
            np.concatenate: lambda x, axis=0: concatenated(list(x), axis),
            np.cross: cross,
            np.dot: matmul,
            np.sum: lambda x, axis=None: x.sum(axis),
            np.transpose: lambda x: x.T,
            np.linalg.norm: lambda x: (x * x).sum().sqrt(),
        }.get(function)
        if own is None:
            raise _unknown_function(f"np.{function.__name__}")
        return own(*inputs, **keywords)

    def _refuse_comparison(self, other: Any) -> NoReturn:
        raise ModelError(
            "a path compares its time with something: where it switches, derivatives may jump unseen.\n" + JOIN
        )

    __lt__ = __le__ = __gt__ = __ge__ = _refuse_comparison
    __eq__ = __ne__ = _refuse_comparison
    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        self._refuse_comparison(None)

    def __abs__(self) -> NoReturn:
        raise _unknown_function("abs")

    def __float__(self) -> float:
        raise ModelError(
            "a path turns its time into a plain number, float(t) or math.sin(t): use np.sin(t) and the like."
        )

    __int__ = __float__


OPERATORS = {
    "add": "__add__",
    "subtract": "__sub__",
    "multiply": "__mul__",
    "divide": "__truediv__",
    "power": "__pow__",
    "float_power": "__pow__",
    "negative": "__neg__",
    "positive": "__pos__",
    "matmul": "__matmul__",
    "less": "_refuse_comparison",
    "less_equal": "_refuse_comparison",
    "greater": "_refuse_comparison",
    "greater_equal": "_refuse_comparison",
    "equal": "_refuse_comparison",
    "not_equal": "_refuse_comparison",
}
ROOTS = {"sqrt", "square", "exp", "log", "hypot", "degrees", "radians", "rad2deg", "deg2rad"}
ANGLES = {"sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "tanh"}
ELEMENTARY = frozenset(ROOTS | ANGLES)


def series_of(value: Any, order: int) -> Series:
    """Of a series, of numbers, or of nested lists and arrays of both."""
    if isinstance(value, Series):
        return value
    if isinstance(value, Sequence) and not isinstance(value, str) and value:
        return stacked([series_of(one, order) for one in value])
    if isinstance(value, np.ndarray) and value.dtype == object:
        return series_of(value.item() if value.ndim == 0 else list(value), order)
    try:
        return Series.constant(value, order)
    except (TypeError, ValueError) as cause:
        raise ModelError(f"a path computes with numbers and functions of its time, got {value!r}.") from cause


def stacked(parts: Sequence[Any], axis: int = 0) -> Series:
    """Series of one shape along a new axis."""
    order = min((part.order for part in parts if isinstance(part, Series)), default=0)
    each = [series_of(part, order).upto(order) for part in parts]
    if len({one.shape for one in each}) > 1:
        raise ModelError(f"a path stacks values of different shapes: {', '.join(str(one.shape) for one in each)}.")
    parts, lead = of_one_lead(each)
    return Series(np.stack(parts, axis + lead if axis >= 0 else axis), lead)


def concatenated(parts: Sequence[Any], axis: int = 0) -> Series:
    """Series along an axis that they have."""
    order = min((part.order for part in parts if isinstance(part, Series)), default=0)
    each, lead = of_one_lead([series_of(part, order).upto(order) for part in parts])
    return Series(np.concatenate(each, axis + lead if axis >= 0 else axis), lead)


def about_many(c: Array, lead: int) -> Array:
    """Coefficients with an axis of times."""
    return c if lead == 2 else c[:, None]


def of_one_lead(parts: Sequence[Series]) -> tuple[list[Array], int]:
    """Coefficients of series of one shape, about as many times as there are in any of them, and their `lead`."""
    lead = max((part.lead for part in parts), default=1)
    if all(part.lead == lead for part in parts):
        return [part.c for part in parts], lead
    n = max(part.c.shape[1] for part in parts if part.lead == 2)
    each = [about_many(part.c, part.lead) for part in parts]
    return [np.broadcast_to(c, (len(c), n, *c.shape[2:])) for c in each], 2


def matmul(a: Any, b: Any) -> Series:
    """a @ b of vectors and matrices; a vector and a vector make a number."""
    order = min(x.order for x in (a, b) if isinstance(x, Series))
    x, y = series_of(a, order), series_of(b, order)
    if x.lead == y.lead == 1:
        return Series(np.array([sum(x.c[j] @ y.c[k - j] for j in range(k + 1)) for k in range(order + 1)]))
    row, column = x.ndim == 1, y.ndim == 1
    p, q = about_many(x.c, x.lead), about_many(y.c, y.lead)
    p, q = (p[..., None, :] if row else p), (q[..., None] if column else q)
    found = np.array([sum(p[j] @ q[k - j] for j in range(k + 1)) for k in range(order + 1)])
    return Series(found.reshape(found.shape[:2] + found.shape[2 + row : found.ndim - column]), 2)


def cross(a: Any, b: Any) -> Series:
    """a x b of vectors of three."""
    order = min(x.order for x in (a, b) if isinstance(x, Series))
    a, b = series_of(a, order), series_of(b, order)
    return stacked([a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))])


def _unknown_function(name: str) -> ModelError:
    return ModelError(
        f"a path calls {name}, which has no derivatives of all orders, or none that are known here.\n"
        f"Known: {', '.join(sorted(ELEMENTARY))}, + - * / ** @. {JOIN}"
    )
