"""Breaks of functions of time: where one may jump or bend, as it is said, compared or written."""

from __future__ import annotations

import inspect
import math
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.language.clock import span_of
from visviva.language.kinks import kinks_of


@final
@helpful
@dataclass(frozen=True, eq=False)
class Jumping:
    """A function of time that jumps, or bends, at given times [s]: steps of `Adaptive` end there.

    Where a function compares its time with numbers, as in `1.0 if 0.5 < t < 0.5001 else 0.0`, these times are found
    without it. It is for functions that do not say so: of other languages, of t², of tables read in other ways.
    """

    function: Callable[[float], Any]
    at: tuple[float, ...]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ModelError(f"vv.Jumping takes a function of time, got {self.function!r}.")
        try:
            inspect.signature(self.function).bind(0.0)
        except TypeError:
            raise ModelError(
                "vv.Jumping takes a function of time alone, e.g. vv.Jumping(lambda t: pulse(t), at=[0.5, 0.6])."
            ) from None
        except ValueError:  # a function of another language has no signature
            pass
        try:
            times = np.unique(np.asarray(self.at, dtype=np.float64).reshape(-1))
        except (TypeError, ValueError):
            times = np.array([np.nan])
        if not np.isfinite(times).all():
            raise ModelError(f"vv.Jumping takes the times of its jumps, e.g. at=[0.5, 0.6] [s], got {self.at!r}.")
        object.__setattr__(self, "at", tuple(times.tolist()))

    def __call__(self, t: float) -> Any:
        """Its value at a time [s]."""
        return self.function(t)


def said_breaks(function: object) -> tuple[float, ...]:
    """The times at which a function is said to jump, in order."""
    return function.at if isinstance(function, Jumping) else ()


def next_of(times: tuple[float, ...], t: float) -> float:
    """The first of some times in order after t; infinite where there is none."""
    k = bisect_right(times, t)
    return times[k] if k < len(times) else math.inf


def next_break(function: Callable[[float], Any], t: float) -> float:
    """The next time after t at which a function may jump or bend, as far as it is said or compared; else infinite."""
    return min(next_of(said_breaks(function), t), span_of(function, t)[1])


def written_breaks(values: Iterable[Any], t: Any) -> tuple[float, ...]:
    """The times at which expressions change a branch, where that is by a condition linear in the symbol t alone."""
    times = set[float]()
    for value in values:
        for node in kinks_of(value):
            args = node.args
            condition = args[0] - args[1] if type(node).__name__ in ("max_", "min_") else args[0]
            slope = condition.diff(t)
            if slope.is_number and slope != 0 and condition.free_symbols == {t}:
                times.add(float(-condition.subs(t, 0) / slope))
    return tuple(sorted(time for time in times if math.isfinite(time)))
