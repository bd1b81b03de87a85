"""A plain Python function as a smooth map, differentiated by jets."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np

from visviva._arrays import Array, finite_array
from visviva.errors import ModelError
from visviva.forms.calculus.jets import Jet
from visviva.forms.calculus.maps import AbstractMap, Arguments, Taylor, shaped
from visviva.language.coordinates import Coordinates
from visviva.language.trace import Traced, UntraceableError, call, expressions


@final
class FunctionMap(AbstractMap):
    """A plain Python function, differentiated by jets."""

    def __init__(self, function: Callable[..., Any], arguments: Arguments, what: str, shape: Any) -> None:
        self.function, self.arguments, self.what, self.shape = function, arguments, what, shape
        known = arguments.arguments
        parameters = inspect.signature(function).parameters
        self.asked = [
            name for name, parameter in parameters.items() if parameter.default is parameter.empty or name in known
        ]
        for name in self.asked:
            if name not in known:
                raise ModelError(f"{what} asks for the argument {name!r}; it can have {', '.join(known)}.")

    def value(self, x: Array) -> Array:  # noqa: D102
        with np.errstate(all="ignore"):  # what is not finite is an error
            return shaped(finite_array(self._call(x), self.what), self.what, self.shape)

    def slope(self, x: Array) -> Array:  # noqa: D102
        return self._jets(x, np.eye(len(x)), None)[1]

    def bend(self, x: Array) -> Array:  # noqa: D102
        return self._jets(x, np.eye(len(x)), np.zeros((len(x), len(x), len(x))))[2]

    def along(self, x: Array, x_dot: Array, x_ddot: Array) -> Taylor:  # noqa: D102
        value, slope, bend = self._jets(x, x_dot[:, None], x_ddot[:, None, None])
        return value, slope[..., 0], bend[..., 0, 0]

    def expressions(self, symbols: Sequence[Any]) -> Any:  # noqa: D102
        available = self._arguments([Traced(symbol) for symbol in symbols], object)
        return shaped(expressions(call(self.function, available, self.what), self.what), self.what, self.shape)

    def _jets(self, x: Array, slopes: Array, bends: Array | None) -> Taylor:
        k = slopes.shape[1]
        seeds = [
            Jet(float(x[a]), slopes[a], None if bends is None else bends[a]) for a in range(len(x))
        ]  # one number of seeds for all
        result = shaped(np.asarray(self._call(seeds), dtype=object), self.what, self.shape)
        value, slope = np.zeros(result.shape), np.zeros((*result.shape, k))
        bend = np.zeros((*result.shape, k, k))
        for place, entry in np.ndenumerate(result):
            if isinstance(entry, Jet):
                value[place], slope[place] = entry.value, entry.slope
                if entry.bend is not None:
                    bend[place] = entry.bend
            else:
                value[place] = entry
        if not (np.isfinite(value).all() and np.isfinite(slope).all() and np.isfinite(bend).all()):
            raise ModelError(f"{self.what} or its derivatives are not finite at {self.arguments.shown(x)}.")
        return value, slope, bend

    def _call(self, x: Any) -> Any:
        available = self._arguments(x, np.float64 if isinstance(x, np.ndarray) else object)
        try:
            return self.function(**{name: available[name] for name in self.asked})
        except (ModelError, UntraceableError) as reason:
            at = self.arguments.shown([value.value if isinstance(value, Jet) else value for value in x])
            raise ModelError(
                f"{self.what} cannot be evaluated with its derivatives at {at}: {reason}.\n"
                "Write it with arithmetic and NumPy's functions, smooth at this place."
            ) from None
        except (TypeError, AttributeError, LookupError, ValueError, ArithmeticError) as reason:
            raise ModelError(
                f"{self.what} cannot be evaluated: {reason}.\nWrite it with arithmetic and NumPy's functions."
            ) from reason

    def _arguments(self, x: Any, dtype: Any) -> dict[str, Any]:
        available: dict[str, Any] = {}
        start = 0
        for key, names in self.arguments.vectors:
            available[key] = Coordinates.of(x[start : start + len(names)], names, dtype)
            start += len(names)
        if self.arguments.time:
            available["t"] = x[start]
        return available
