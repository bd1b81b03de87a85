"""Inputs given as functions of time, states, motion and efforts, traced."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, final

import numpy as np

from visviva._suggestions import nearest
from visviva.compiler.laws import canonical, input_law, symbols
from visviva.compiler.sensors import sensor_names, sensors_of
from visviva.errors import ModelError
from visviva.language.jumping import written_breaks
from visviva.language.regularity import FEEDBACK, require_regular
from visviva.language.spaces import StateSpace
from visviva.language.trace import Traced, UntraceableError, Values, call, expressions, traced_array, wrap
from visviva.model import Feedback, Model
from visviva.model.control_law import AbstractControlLaw, PortLaw
from visviva.model.sensor import AbstractSensor

ARGUMENTS = ("t", "x", "z", "theta", "theta0")
MOST_NAMES = 12  # that an error lists


def feedback_of(model: Model, port: str, function: Callable[..., Any]) -> Feedback:
    """The feedback of a port: u = function(t, x, z), with x the motion and the states and z the efforts by name.

    x: of a mechanism by the names of a run, x["hinge.q"], x["hinge.rate"], x["tool.r"], x["tool.R"], x["arm.twist"];
    in Lie form, and of other models, the states as well. theta: absolute temperatures of entropy variables.
    """
    tracing = _Tracing(model)
    what = f"the input of port {port!r}"
    return tracing.feedback(port, call(function, tracing.available, what))


def feedback_of_ports(
    model: Model, function: Callable[..., Any], check: Callable[[Iterable[str]], None]
) -> tuple[Feedback, ...]:
    """The feedback of all ports that one function returns by name; check: an error where a name is no port."""
    if isinstance(function, AbstractControlLaw):
        check(function.writes)
        return _feedback_of_law(model, function)
    tracing, what = _Tracing(model), "the law of the inputs"
    found = call(function, tracing.available, what)
    if not isinstance(found, Mapping):
        raise ModelError(f"{what} must return inputs by port name, e.g. {{'motor': -x['hinge.q']}}; got {found!r}.")
    named = {str(getattr(port, "name", port)): value for port, value in found.items()}
    check(named)
    return tuple(tracing.feedback(port, value) for port, value in named.items())


def _feedback_of_law(model: Model, law: AbstractControlLaw) -> tuple[Feedback, ...]:
    if model.definition is None:
        raise ModelError(f"a control law reads the motion of a mechanism; {model.name!r} is a model without one.")
    law.check(model, inside=True)
    sensors = list[AbstractSensor]()
    for name in law.reads:
        found = sensors_of(model, name)
        if isinstance(found, np.ndarray):
            raise ModelError(f"a control law reads {name!r}, which is fixed to the ground and does not move.")
        sensors += found
    laws, seen = [PortLaw(law, port) for port in law.writes], tuple(sensors)
    return tuple(
        Feedback(port, (), (), own, own.parameters, law.breaks, seen)
        for port, own in zip(law.writes, laws, strict=True)
    )


@final
class _Tracing:
    """What a function is run on, and what it has asked for."""

    def __init__(self, model: Model) -> None:
        import sympy

        self.model = model
        directors = model.definition is not None and model.form == "directors"  # no states that a user knows
        spaces = {} if directors else {variable.name: variable.space for variable in model.variables}
        hot = {variable.name for variable in model.variables if variable.entropy}
        hot |= {junction.name for junction in model.junctions if junction.entropy}
        places = {} if directors else model.layout.z
        dims = {name: at.stop - at.start for name, at in places.items() if at.start < model.layout.solved}
        motion = [] if model.definition is None else list(sensor_names(model.definition))
        self.theta0 = sympy.Symbol("theta0", real=True)
        self.states = dict[str, list[Any]]()
        self.efforts = dict[str, list[Any]]()
        self.sensed = dict[str, tuple[list[AbstractSensor], list[Any]]]()

        def state(name: str) -> Any:
            if name in motion:
                return self._motion(name)
            own = self.states[name] = _symbols("x", name, spaces[name].size)
            return wrap(StateSpace("", spaces[name]), own)

        def effort(name: str) -> Any:
            own = self.efforts[name] = _symbols("z", name, dims[name])
            return Traced(own[0]) if len(own) == 1 else traced_array(own)

        self.available = {
            "t": Traced(symbols("t", 1)[0]),
            "x": _Lazy("x", [*motion, *spaces], state),
            "z": _Lazy("z", list(dims), effort),
            "theta": _Lazy("theta", [n for n in dims if n in hot], lambda name: effort(name) + Traced(self.theta0)),
            "theta0": Traced(self.theta0),
        }

    def _motion(self, name: str) -> Any:
        """A quantity of the motion as a law sees it: a number, a vector, or a matrix of rotation."""
        found = sensors_of(self.model, name)
        if isinstance(found, np.ndarray):
            return found.reshape(3, 3) if name.endswith(".R") else found
        own = _symbols("x", name, sum(sensor.size for sensor in found))
        self.sensed[name] = found, own
        if name.endswith(".R"):
            return traced_array(own).reshape(3, 3)
        return Traced(own[0]) if len(own) == 1 else traced_array(own)

    def feedback(self, port: str, result: Any) -> Feedback:
        """That of a port, of what the function has returned for it."""
        model, what = self.model, f"the input of port {port!r}"
        values = np.atleast_1d(expressions(result, what))
        width = next(part.width for part in model.ports if part.name == port)
        if values.shape != (width,):
            raise ModelError(f"{what} must be {width} numbers, got shape {values.shape}.")
        used = set().union(*(value.free_symbols for value in values))
        reads = {name: own for name, own in self.states.items() if used & set(own)}
        feels = {name: own for name, own in self.efforts.items() if used & set(own)}
        sensed = [both for both in self.sensed.values() if used & set(both[1])]
        seen = [symbol for own in (*reads.values(), *(own for _, own in sensed)) for symbol in own]
        felt = [symbol for own in feels.values() for symbol in own]
        require_regular(values, [*seen, *felt], {self.theta0: model.theta0}, what, FEEDBACK)
        given, numbers = canonical(list(values), {"x": seen, "e": felt}, [(self.theta0, model.theta0)])
        law = input_law(given, (len(seen), len(felt), len(numbers)))
        breaks = written_breaks(values, symbols("t", 1)[0])
        sensors = tuple(sensor for parts, _ in sensed for sensor in parts)
        return Feedback(port, tuple(reads), tuple(feels), law, np.array(numbers), breaks, sensors)


def _symbols(kind: str, name: str, n: int) -> list[Any]:
    """Symbols that read as what the user wrote."""
    import sympy

    return [sympy.Symbol(f'{kind}["{name}"]' + (f"[{k}]" if n > 1 else ""), real=True) for k in range(n)]


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
                near = " or ".join(map(repr, nearest(name, self._names)))
                known = ", ".join(self._names[:MOST_NAMES]) + ", …" * (len(self._names) > MOST_NAMES) or "none"
                hint = f" (did you mean {near}?)" if near else ""
                raise UntraceableError(f"it asks for {self._kind}[{name!r}]; there is {known}{hint}")
            self._values[name] = self._make(name)
        return self._values[name]
