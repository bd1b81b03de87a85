"""A path: a number, vector or matrix as a function of time that knows its derivatives."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number
from visviva._suggestions import suggesting
from visviva.control.series import Series, series_of, stacked
from visviva.errors import ModelError

RESTS = 1e-9  # of the size of a path over its duration: slower than that at an end, it stands still there
ALWAYS = (-math.inf, math.inf)


class AbstractPath(ABC):
    """x(t) with all of its derivatives.

    shape:  () of a number, (n,) of a vector.
    ends:   [s] between which it is defined; beyond them it stays where it rests, or it is an error to ask.
    breaks: [s] times at which some derivative may jump.
    total:  whether `inner` knows what is beyond the ends.
    """

    shape: tuple[int, ...]
    ends: tuple[float, float]
    breaks: tuple[float, ...]
    total: bool = False

    @abstractmethod
    def inner(self, t: float, order: int) -> Series:
        """Taylor series about a time between the ends; of a jump what follows it."""

    def inner_many(self, t: Array, order: int) -> Series:
        """The same about many times: one by one, where a path does not know better."""
        return Series(np.stack([self.inner(one, order).c for one in t.tolist()], axis=1), 2)

    def series(self, t: float | Array, order: int = 2) -> Series:
        """Taylor series about any time, or about many: beyond its ends a path that rests there stays."""
        if isinstance(t, np.ndarray):
            return self._about_many(t, order)
        begin, end = self.ends
        if self.total or begin <= t <= end:
            return self.inner(t, order)
        at = begin if t < begin else end
        there = self.inner(at if t < begin else before(at), max(order, 1))
        speed = float(np.abs(there.c[1]).max(initial=0.0))
        size = max(float(np.abs(there.c[0]).max(initial=0.0)), 1.0) / max(min(end - begin, 1e3), 1e-3)
        if speed > RESTS * size:
            raise ModelError(
                f"a path is asked for at t = {t:g} s, and {'begins' if t < begin else 'ends'} at {at:g} s with a speed "
                f"of {speed:.4g} units/s.\nAsk between {begin:g} and {end:g} s, or join what it does beyond: "
                "vv.control.joined(...)."
            )
        return Series.constant(self.inner(at, 0).c[0], order)

    def _about_many(self, t: Array, order: int) -> Series:
        begin, end = self.ends
        outside = [] if self.total else [side for side in (t < begin, t > end) if side.any()]
        if not outside:
            return self.inner_many(t, order)
        c = np.empty((order + 1, len(t), *self.shape))
        for side in outside:
            c[:, side] = self.series(float(t[side][0]), order).c[:, None]
        within = (begin <= t) & (t <= end)
        if within.any():
            c[:, within] = self.inner_many(t[within], order).c
        return Series(c, 2)

    def __call__(self, t: ArrayLike, order: int = 0) -> Array:
        """The derivative of some order at one time or at many, (..., *shape)."""
        times = finite_array(t, "time of a path")
        if not times.ndim:
            return np.asarray(self.series(float(times), order).c[order] * math.factorial(order))
        found = series_about(self.series, times.ravel(), order).c[order] * math.factorial(order)
        return np.asarray(found).reshape((*times.shape, *self.shape))

    def derivatives(self, t: float, order: int = 2) -> Array:
        """x, ẋ, ẍ, … at one time, (order + 1, *shape)."""
        return self.series(finite_number(t, "time of a path"), order).derivatives

    @property
    def duration(self) -> float:
        """[s] from end to end."""
        return self.ends[1] - self.ends[0]

    # -- changed in time ----------------------------------------------------------------------------------------

    def delayed(self, by: float) -> AbstractPath:
        """The same some seconds later."""
        return self._in_time(1.0, finite_number(by, "delay of a path"))

    def stretched(self, factor: float) -> AbstractPath:
        """The same slower by a factor, from t = 0 on: at half of the speed with 2."""
        return self._in_time(finite_number(factor, "factor of a path in time", positive=True), 0.0)

    def _in_time(self, factor: float, delay: float) -> AbstractPath:
        """x((t - delay)/factor)."""
        begin, end = (factor * x + delay for x in self.ends)
        breaks, scale = tuple(factor * x + delay for x in self.breaks), 1.0 / factor
        own = dict(zip((begin, end, *breaks), (*self.ends, *self.breaks), strict=True))  # ends are hit exactly

        def inner(t: Any, order: int) -> Series:
            at = (t - delay) * scale
            if isinstance(t, np.ndarray):
                for moved, its in own.items():
                    at[t == moved] = its
            found = self.series(at if isinstance(t, np.ndarray) else own.get(t, at), order)
            return Series((found.c.T * scale ** np.arange(order + 1)).T, found.lead)

        return Computed(inner, self.shape, (begin, end), breaks, True, True)

    def timed(self, clock: Any) -> AbstractPath:
        """x(s(t)): the same places at the times of another path s, e.g. from rest to rest."""
        s = as_path(clock, (), "clock of a path")

        def inner(t: Any, order: int) -> Series:
            now = s.series(t, order)
            return self.series(now.value if now.lead == 2 else float(now.c[0]), order).composed(now)

        return Computed(inner, self.shape, s.ends, s.breaks, True, True)

    def rate(self, order: int = 1) -> AbstractPath:
        """ẋ(t), or a higher derivative, as a path."""

        def inner(t: Any, more: int) -> Series:
            found = self.series(t, more + order)
            for _ in range(order):
                found = found.rate
            return found

        return Computed(inner, self.shape, self.ends, self.breaks, True, True)

    # -- changed in space -----------------------------------------------------------------------------------------

    def mapped(self, function: Callable[[Any], Any]) -> AbstractPath:
        """A function of its value, of NumPy's functions: path.mapped(lambda x: np.sin(x))."""
        return combine_paths(function, self)

    def __getitem__(self, key: Any) -> AbstractPath:
        if not self.shape:
            raise TypeError("a path of one number has no entries")
        return combine_paths(lambda x: x[key], self)

    def __add__(self, other: Any) -> AbstractPath:
        return combine_paths(lambda x, y: x + y, self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> AbstractPath:
        return combine_paths(lambda x, y: x - y, self, other)

    def __rsub__(self, other: Any) -> AbstractPath:
        return combine_paths(lambda x, y: y - x, self, other)

    def __neg__(self) -> AbstractPath:
        return combine_paths(lambda x: -x, self)

    def __mul__(self, other: Any) -> AbstractPath:
        return combine_paths(lambda x, y: x * y, self, other)

    __rmul__ = __mul__
    __array_ufunc__ = None  # arrays leave operators to paths

    def __truediv__(self, other: Any) -> AbstractPath:
        return combine_paths(lambda x, y: x / y, self, other)

    def __repr__(self) -> str:
        what = "a number" if not self.shape else f"{' x '.join(map(str, self.shape))} numbers"
        return f"<path of {what}{span_of(self.ends)}>"


@suggesting
@final
@dataclass(frozen=True, eq=False, repr=False)
class Computed(AbstractPath):
    """By a function of (t, order) that returns its Taylor series.   many: whether t may be many times."""

    function: Callable[[Any, int], Series]
    shape: tuple[int, ...]
    ends: tuple[float, float] = ALWAYS
    breaks: tuple[float, ...] = ()
    total: bool = False
    many: bool = False

    def inner(self, t: float, order: int) -> Series:
        """Of the function."""
        return self.function(t, order)

    def inner_many(self, t: Array, order: int) -> Series:
        """Of the function."""
        if not self.many:
            return Series(np.stack([self.function(one, order).c for one in t.tolist()], axis=1), 2)
        found = self.function(t, order)
        if found.lead == 2:
            return found
        return Series(np.repeat(found.c[:, None], len(t), axis=1), 2)  # it stands still


@suggesting
@final
@dataclass(frozen=True, eq=False, repr=False)
class Hold(AbstractPath):
    """It stays where it is."""

    value: Array
    ends: tuple[float, float] = ALWAYS
    breaks: tuple[float, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """Of the value."""
        return self.value.shape

    def inner(self, t: float, order: int) -> Series:
        """All derivatives vanish."""
        return Series.constant(self.value, order)

    def inner_many(self, t: Array, order: int) -> Series:  # noqa: D102
        found = np.zeros((order + 1, len(t), *self.shape))
        found[0] = self.value
        return Series(found, 2)


def combine_paths(function: Callable[..., Any], *paths: Any) -> AbstractPath:
    """A function of several paths, of NumPy's functions; numbers among them stand still."""
    each = [as_path(path, None, "operand of a path") for path in paths]

    def inner(t: Any, order: int) -> Series:
        return series_of(function(*(path.series(t, order) for path in each)), order)

    ends, breaks = together(each)
    at = ends[0] if math.isfinite(ends[0]) else 0.0
    return Computed(inner, inner(at, 0).shape, ends, breaks, True, True)


def series_about(series: Callable[[Any, int], Series], t: Array, order: int) -> Series:
    """About many times at once; one by one where that cannot be: what is wrong is then said of one time."""
    try:
        if len(t):
            return series(t, order)
    except Exception:  # whatever the functions of a user make of many times
        pass
    each = [series(one, order).c for one in t.tolist()]
    return Series(np.stack(each, axis=1) if each else np.zeros((order + 1, 0)), 2)


def together(paths: list[AbstractPath]) -> tuple[tuple[float, float], tuple[float, ...]]:
    """From the first begin to the last end of paths, those that are always there left out, and all of their breaks."""
    begins = [x for x in (path.ends[0] for path in paths) if math.isfinite(x)]
    ends = [x for x in (path.ends[1] for path in paths) if math.isfinite(x)]
    limits = (min(begins, default=-math.inf), max(ends, default=math.inf))
    breaks = sorted({x for path in paths for x in (*path.breaks, *path.ends) if math.isfinite(x)} - set(limits))
    return limits, tuple(breaks)


def as_path(given: Any, shape: tuple[int, ...] | None, what: str) -> AbstractPath:
    """A path as it is, numbers as one that stands still, a function of time, or a list of all these."""
    path = _as_path(given, what)
    if shape is not None and path.shape != shape:
        wanted = "one number" if shape == () else f"{' x '.join(map(str, shape))} numbers"
        found = "one number" if path.shape == () else f"shape {path.shape}"
        raise ModelError(f"{what} is a path of {wanted}, got one of {found}.")
    return path


def _as_path(given: Any, what: str) -> AbstractPath:
    if isinstance(given, AbstractPath):
        return given
    if callable(given):
        return function_path(given, what)
    if isinstance(given, list | tuple) and any(isinstance(one, AbstractPath) or callable(one) for one in given):
        return combine_paths(lambda *parts: stacked(parts), *(_as_path(one, what) for one in given))
    return Hold(finite_array(given, what))


def function_path(function: Callable[[Any], Any], what: str = "path") -> AbstractPath:
    """Of a user's function of time, whose derivatives are found by passing a series of time through it."""

    def inner(t: Any, order: int) -> Series:
        found = function(Series.time(t, order))
        series = series_of(found, order)
        if not np.isfinite(series.c).all():
            at = f"t = {t:g} s" if np.ndim(t) == 0 else "some times"
            raise ModelError(f"{what}: the function is not finite at {at}, or one of its derivatives is not.")
        return series

    try:
        shape = inner(0.0, 0).shape
    except TypeError as cause:
        raise ModelError(f"{what}: a function of time is called as f(t), and this one cannot be: {cause}.") from cause
    except ModelError:  # it may be defined elsewhere
        shape = inner(0.5, 0).shape
    return Computed(inner, shape, many=True)


def path(given: Any) -> AbstractPath:
    """A path of a function of time, of numbers, or of a list of paths, functions and numbers.

    Functions are written with NumPy: vv.control.path(lambda t: [np.cos(t), np.sin(2 * t), 0.1 * t]). Derivatives of any
    order are exact, by Taylor series.
    """
    return as_path(given, None, "a path")


def span_of(ends: tuple[float, float]) -> str:
    """In words."""
    begin, end = ends
    first = f" from {begin:g} s" if math.isfinite(begin) else ""
    return first + (f" to {end:g} s" if math.isfinite(end) else "" if first else ", at all times")


def before(t: float) -> float:
    """The last time before a jump."""
    return float(np.nextafter(t, -math.inf))


@dataclass(frozen=True)
class Jump:
    """The lowest derivative that jumps at a time, and by how much."""

    t: float
    order: int
    size: float


def jumps(path: AbstractPath, order: int = 4) -> tuple[Jump, ...]:
    """Where derivatives of a path up to some order jump, the lowest one at each time.

    The begin and end of a path that rests are among these times, since it stays there.
    """
    found = list[Jump]()
    end = path.ends[1]
    for t in sorted({*path.breaks, *(x for x in path.ends if math.isfinite(x))}):
        try:
            after = path.series(t if t < end else math.nextafter(t, math.inf), order).derivatives
            ahead = path.series(before(t), order).derivatives
        except ModelError:  # an end at which it does not rest: nothing is beyond
            continue
        scale = max(1.0, *(float(np.abs(x).max(initial=0.0)) for x in (after, ahead)))
        for k, (x, y) in enumerate(zip(ahead, after, strict=True)):
            size = float(np.abs(y - x).max(initial=0.0))
            if size > 1e-7 * scale:
                found.append(Jump(t, k, size))
                break
    return tuple(found)
