"""Laws of prescribed motion: a coordinate s over time, from its rate or from itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from visviva._arrays import Array, finite_number
from visviva.errors import ModelError
from visviva.language.clock import span_of
from visviva.language.expression import numeric
from visviva.language.jumping import next_break, next_of, said_breaks, written_breaks
from visviva.language.regularity import CONSTRAINT, require_regular
from visviva.language.slopes import slope
from visviva.language.trace import Traced, UntraceableError, call, expressions

NODES, WEIGHTS = np.polynomial.legendre.leggauss(5)
STEP = 1e-3  # [s] of the differences that stand for the derivative of what is no expression


@final
class TimeFunction:
    """A function of time: an expression where it can be traced, else the function as it was given.

    said: times at which it is said to jump or bend.
    """

    def __init__(
        self, what: str, expr: Any, function: Callable[[float], Any] | None, said: tuple[float, ...] = ()
    ) -> None:
        self.what = what
        self.expr = expr
        self.function = function
        self.said = said

    def __reduce__(self) -> Any:
        return TimeFunction, (self.what, self.expr, None if self.expr is not None else self.function, self.said)

    def next_break(self, t: float) -> float:
        """The next time after t at which it may jump or bend, as far as that is known [s]; else infinite."""
        if self.expr is not None:
            return next_of(self._breaks, t)
        assert self.function is not None
        return min(next_of(self.said, t), next_break(self.function, t))

    @cached_property
    def _breaks(self) -> tuple[float, ...]:
        return tuple(sorted({*self.said, *written_breaks([self.expr], _time())}))

    @cached_property
    def _evaluate(self) -> Callable[[float], Any]:
        if self.expr is None:
            assert self.function is not None
            return self.function
        evaluate = numeric(np.array(self.expr), [_time()], [])
        return lambda t: evaluate(np.array([t]))

    def __call__(self, t: float) -> float:
        """Its value at a time [s]."""
        try:
            value: Array = np.asarray(self._evaluate(t), dtype=np.float64).reshape(-1)
        except Exception as reason:
            raise ModelError(f"{self.what} raised {type(reason).__name__} at t = {t:g} s: {reason}.") from reason
        if value.shape != (1,) or not np.isfinite(value[0]):
            raise ModelError(f"{self.what} must be one finite number, got {value.tolist()} at t = {t:g} s.")
        return float(value[0])

    def slope(self) -> TimeFunction:
        """Its derivative; by differences of order 4 where it is no expression."""
        if self.expr is not None:
            return TimeFunction(f"the derivative of {self.what}", slope(self.expr, _time()), None, self.said)
        return TimeFunction(f"the derivative of {self.what}", None, self._difference, self.said)

    def _difference(self, t: float) -> float:
        """Across no break that is known: on one side of t where the next one is near."""
        first, last = self._span(t)
        if min(t - first, last - t) > 2.0 * STEP:
            ahead, behind, far, back = (self(t + k * STEP) for k in (1, -1, 2, -2))
            return (8.0 * (ahead - behind) - (far - back)) / (12.0 * STEP)
        step = min(STEP, (last - t) / 5.0) if last - t > t - first else -min(STEP, (t - first) / 5.0)
        values = [self(t + k * step) for k in range(5)]
        return float(np.array([-25.0, 48.0, -36.0, 16.0, -3.0]) @ values) / (12.0 * step)

    def _span(self, t: float) -> tuple[float, float]:
        """The times around t without a break that is known."""
        assert self.function is not None
        first, last = span_of(self.function, t)
        return max([first, *(time for time in self.said if time < t)]), min(last, next_of(self.said, t))


@final
@dataclass(frozen=True, eq=False)
class MotionLaw:
    """s(t) as far as a run needs it: its increments, its rate, and the derivative of that.

    position: s(t) [rad, m], or None: s begins where the mechanism is assembled, and follows its rate.
    rate:     ṡ(t) [rad/s, m/s].   acceleration: s̈(t).
    """

    rate: TimeFunction
    acceleration: TimeFunction
    position: TimeFunction | None = None

    @property
    def constant(self) -> float | None:
        """Its rate, where that is a number and nothing else is said."""
        expr = self.rate.expr
        return float(expr) if self.position is None and expr is not None and expr.is_number else None

    @property
    def calls(self) -> bool:
        """Whether one of them is a function that could not be traced, and is called as it was given."""
        given = (self.rate, self.position) if self.position is not None else (self.rate,)
        return any(function.expr is None for function in given)

    def next_break(self, t: float) -> float:
        """The next time after t at which its rate may jump or bend, as far as that is known [s]; else infinite."""
        return min(self.rate.next_break(t), np.inf if self.position is None else self.position.next_break(t))

    def mean_rate(self, t0: float, t1: float) -> float:
        """Δs/(t1 - t0) between two times: exact for a law of position, by Gauss's rule of order 10 for one of rate."""
        if t1 == t0:
            return self.rate(t0)
        if self.position is not None:
            return (self.position(t1) - self.position(t0)) / (t1 - t0)
        times = 0.5 * (t0 + t1) + 0.5 * (t1 - t0) * NODES
        return float(0.5 * WEIGHTS @ [self.rate(t) for t in times.tolist()])


def law_of_rate(name: str, rate: object) -> MotionLaw:
    """The law of a rate: a number, or a function of time; it need not be traceable."""
    function = _function(rate, f"the rate of drive {name!r}")
    return MotionLaw(function, function.slope())


def law_of_position(name: str, position: object, rate: object = None) -> MotionLaw:
    """The law of a position: a function of time that can be traced, or one whose rate is given as well."""
    function = _function(position, f"the position of drive {name!r}")
    if function.expr is not None:
        require_regular(function.expr, [_time()], {}, function.what, CONSTRAINT)
    if rate is not None:
        given = law_of_rate(name, rate)
        law = MotionLaw(given.rate, given.acceleration, function)
        _check_agreement(name, law, given)
        return law
    if function.expr is None:
        raise ModelError(
            f"{function.what} cannot be traced, so that its rate is not known.\n"
            "Write it with arithmetic and NumPy's functions, or give rate=..., a function of time, as well."
        )
    return MotionLaw(function.slope(), function.slope().slope(), function)


def _function(given: Any, what: str) -> TimeFunction:
    import sympy

    if not callable(given):
        return TimeFunction(what, sympy.Float(finite_number(given, f"{what} [SI]")), None)
    function: Callable[..., Any] = given
    _check_argument(function, what)
    try:
        value = expressions(call(lambda t: function(t), {"t": Traced(_time())}, what), what)
    except UntraceableError:
        found = TimeFunction(what, None, function, said_breaks(given))
    else:
        if value.shape not in ((), (1,)):
            raise ModelError(f"{what} must be one number at each time, got shape {value.shape}.")
        found = TimeFunction(what, value.item(), None, said_breaks(given))
    found(0.0)
    return found


def _check_argument(function: Callable[..., Any], what: str) -> None:
    try:
        inspect.signature(function).bind(0.0)
    except TypeError:
        raise ModelError(
            f"{what} must be a function of time alone, e.g. lambda t: 2.0 * t. What is prescribed cannot depend on\n"
            "states; for a torque or force that does, use m.torque(...) or m.force(...)."
        ) from None
    except ValueError:  # a function of another language has no signature
        return


def _time() -> Any:
    import sympy

    return sympy.Symbol("t", real=True)


def _check_agreement(name: str, law: MotionLaw, given: MotionLaw) -> None:
    """A rate that is not the derivative of the position is found near the start."""
    for end in (1e-3, 1e-1):
        by_position, by_rate = law.mean_rate(0.0, end), given.mean_rate(0.0, end)
        if abs(by_position - by_rate) > 1e-6 * max(abs(by_position), abs(by_rate), 1e-9 / end):
            raise ModelError(
                f"position and rate of drive {name!r} contradict each other: over the first {end:g} s the position\n"
                f"changes at {by_position:.6g} on the average, the rate is {by_rate:.6g}. Give one of them alone."
            )
