"""Inputs given as functions of time, states and efforts, traced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from visviva.compiler.laws import InputLaw, canonical, symbols
from visviva.errors import ModelError
from visviva.language.jumping import written_breaks
from visviva.language.regularity import FEEDBACK, require_regular
from visviva.language.spaces import StateSpace
from visviva.language.trace import Traced, UntraceableError, Values, call, expressions, traced_array, wrap
from visviva.model import Feedback, Model

ARGUMENTS = ("t", "x", "z", "theta", "theta0")


def feedback_of(model: Model, port: str, function: Callable[..., Any]) -> Feedback:
    """The feedback of a port: u = function(t, x, z), with x the states and z the efforts by name.

    theta: absolute temperatures of entropy variables. Names with dots are asked for as x["arm.q"].
    """
    import sympy

    what = f"the input of port {port!r}"
    spaces = {variable.name: variable.space for variable in model.variables}
    hot = {variable.name for variable in model.variables if variable.entropy}
    hot |= {junction.name for junction in model.junctions if junction.entropy}
    dims = {name: at.stop - at.start for name, at in model.layout.z.items() if at.start < model.layout.solved}
    seen: dict[str, dict[str, list[Any]]] = {"x": {}, "z": {}}
    theta0 = sympy.Symbol("theta0", real=True)

    def state(name: str) -> Any:
        own = [sympy.Symbol(f"state {name} {k}", real=True) for k in range(spaces[name].size)]
        seen["x"][name] = own
        return wrap(StateSpace("", spaces[name]), own)

    def effort(name: str) -> Any:
        own = [sympy.Symbol(f"effort {name} {k}", real=True) for k in range(dims[name])]
        seen["z"][name] = own
        return Traced(own[0]) if len(own) == 1 else traced_array(own)

    available = {
        "t": Traced(symbols("t", 1)[0]),
        "x": _Lazy("x", list(spaces), state),
        "z": _Lazy("z", list(dims), effort),
        "theta": _Lazy("theta", [name for name in dims if name in hot], lambda name: effort(name) + Traced(theta0)),
        "theta0": Traced(theta0),
    }
    values = np.atleast_1d(expressions(call(function, available, what), what))
    width = next(part.width for part in model.ports if part.name == port)
    if values.shape != (width,):
        raise ModelError(f"{what} must be {width} numbers, got shape {values.shape}.")
    coordinates = [symbol for own in seen["x"].values() for symbol in own]
    efforts = [symbol for own in seen["z"].values() for symbol in own]
    called = {s: _called(kind, name, k, len(own)) for kind, every in seen.items()
              for name, own in every.items() for k, s in enumerate(own)}  # fmt: skip
    moving = [value.xreplace(called) for value in values]
    require_regular(moving, list(called.values()), {theta0: model.theta0}, what, FEEDBACK)
    given, numbers = canonical(list(values), {"x": coordinates, "e": efforts}, [(theta0, model.theta0)])
    law = InputLaw(given, (len(coordinates), len(efforts), len(numbers)))
    breaks = written_breaks(values, symbols("t", 1)[0])
    return Feedback(port, tuple(seen["x"]), tuple(seen["z"]), law, np.array(numbers), breaks)


def _called(kind: str, name: str, k: int, n: int) -> Any:
    """A symbol that reads as what the user wrote."""
    import sympy

    return sympy.Symbol(f'{kind}["{name}"]' + (f"[{k}]" if n > 1 else ""), real=True)


class _Lazy(Values):
    """Values that are made when they are asked for: a model may have very many."""

    def __init__(self, kind: str, names: list[str], make: Callable[[str], Any]) -> None:
        super().__init__(kind, {})
        self._names = names
        self._make = make

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._values:
            if name not in self._names:
                known = ", ".join(self._names[:12]) or "none"
                raise UntraceableError(f"it asks for {self._kind}[{name!r}]; there is {known}")
            self._values[name] = self._make(name)
        return self._values[name]
