"""Inputs of a run: constants, functions of time, or of time, states and efforts; by port name, checked."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.compiler.conditions import with_laws
from visviva.compiler.feedback import ARGUMENTS, feedback_of, feedback_of_ports
from visviva.errors import ModelError
from visviva.integrate.given_efforts import MeanEffort, mean_efforts
from visviva.language.jumping import next_break, next_of, said_breaks
from visviva.mechanism.motion_laws import MotionLaw, law_of_rate
from visviva.model import Model
from visviva.model.control_law import AbstractControlLaw, AbstractHoldingLaw

Input = ArrayLike | Callable[..., ArrayLike]
AllInputs = Mapping[str, Input] | Callable[..., Mapping[str, ArrayLike]]


class BadInput(ModelError):
    """An input function returned something that is no finite vector of the port's width."""


@final
@dataclass(eq=False)
class TimeInputs:
    """u(t) for all ports in order. constant: its value, if it does not depend on time.

    Some of them may be held at values of the user until others are, see `hold`; changes counts how often that changed.

    laws: of what inputs prescribe, see `mechanism.motion_laws`: over a step they count by their mean.
    efforts: functions of sources, see `Model.sources`: over a step they count by the mean of both ends. The effort of a
            quadratic energy is that mean as well, so that states follow what is prescribed at every node, and flows
            do not alternate; jumps too, within the step that they are in.
    means:  of sources that hold storages with other energies, see `given_efforts`: the mean effort between both ends.
    breaks: times at which inputs that depend on states may jump or bend, as far as they are known, in order [s].
    """

    widths: dict[str, int]
    functions: dict[str, Callable[[float], ArrayLike]]
    base: Array  # with zeros for the functions
    columns: dict[str, slice]
    laws: dict[str, MotionLaw]
    efforts: dict[str, Callable[[float], ArrayLike]] = field(default_factory=dict)
    breaks: tuple[float, ...] = ()
    means: dict[str, MeanEffort] = field(default_factory=dict)
    changes: int = 0
    _values: Array | None = None  # those that are held; not a number: as given over time
    _held: frozenset[str] = frozenset()  # ports of which all are
    _constant: Array | None = None  # the inputs that are held, where none is given over time

    def hold(self, values: Array | None) -> None:
        """Hold inputs at values, but for those that are not a number; None: hold none."""
        if values is None and self._values is None:
            return
        self._values, self._constant = values, None
        if self.changing:
            held = [] if values is None else [k for k, at in self.columns.items() if not np.isnan(values[at]).any()]
            self._held = frozenset(held)
        self.changes += 1

    @property
    def values(self) -> Array | None:
        """Those that are held, as `hold` takes them."""
        return self._values

    def become(self, other: TimeInputs) -> None:
        """Be other inputs of the same ports."""
        vars(self).update(vars(other) | {"changes": self.changes + 1})

    @property
    def changing(self) -> bool:
        """Whether some of them are given over time."""
        return bool(self.functions or self.laws or self.efforts)

    def _with_held(self, u: Array) -> Array:
        return u if self._values is None else np.where(np.isnan(self._values), u, self._values)

    @property
    def constant(self) -> Array | None:
        """The inputs where they do not change, until others are held."""
        if self._constant is not None:
            return self._constant
        if self.changing and (self.functions.keys() | self.laws.keys() | self.efforts.keys()) - self._held:
            return None
        self._constant = self._with_held(self.base)
        return self._constant

    @property
    def calls(self) -> bool:
        """Whether functions of the user are called for them while a run is made."""
        return bool(self.functions or self.efforts) or any(law.calls for law in self.laws.values())

    def next_break(self, t: float) -> float:
        """The next time after t at which an input may jump or bend, as far as that is known [s]; else infinite."""
        given = [next_break(function, t) for function in (*self.functions.values(), *self.efforts.values())]
        return min([next_of(self.breaks, t), *given, *(law.next_break(t) for law in self.laws.values())])

    @property
    def said_breaks(self) -> dict[str, tuple[float, ...]]:
        """The times at which functions are said to jump, by port."""
        said = {name: said_breaks(function) for name, function in (self.functions | self.efforts).items()}
        return {name: times for name, times in said.items() if times}

    def __call__(self, t: float) -> Array:
        """All inputs at a time."""
        return self._between(t, 0.0, (t, t))

    @contextmanager
    def held(self, u: Array) -> Iterator[None]:
        """For a while, functions of the user are not called: their inputs keep the values that they have in u.

        But for what is prescribed: states follow it, and it does not stand still for them.
        """
        given = dict(self.functions)
        self.functions.update({name: _constant_function(u[self.columns[name]]) for name in given})
        try:
            yield
        finally:
            self.functions.update(given)

    def over(self, t0: float, place: float, length: float, h: float) -> Array:
        """All inputs of a part of a step h: its middle is at t0 + place h, its length is that of `length` steps.

        Values in the middle, mean rates of what is prescribed, the mean of both ends for efforts. Times of nodes round
        in the same way for the step before and the one after, so that a jump there is seen by one of them.
        """
        half = 0.5 * length
        return self._between(t0 + place * h, length * h, (t0 + (place - half) * h, t0 + (place + half) * h))

    def _between(self, t: float, h: float, ends: tuple[float, float]) -> Array:
        values = self.base.copy()
        for name, function in self.functions.items():
            if name not in self._held:
                values[self.columns[name]] = _called(function, t, self.widths[name], name)
        for name, law in self.laws.items():
            if name not in self._held:
                values[self.columns[name]] = _mean_rate(law, t, h)
        for name, function in self.efforts.items():
            if name not in self._held:
                first, last = (_called(function, end, self.widths[name], name) for end in ends)
                mean = self.means.get(name)
                values[self.columns[name]] = 0.5 * (first + last) if mean is None else mean(first, last)
        return self._with_held(values)


def _constant_function(value: Array) -> Callable[[float], Array]:
    return lambda t: value


def input_function(model: Model, inputs: AllInputs | None) -> tuple[TimeInputs, Model]:
    """Inputs over time, and the model with the feedback of those that depend on states, motion or efforts.

    Ports that are not given are zero; a name that is no port is an error.
    """
    if isinstance(inputs, AbstractHoldingLaw):
        raise ModelError(
            f"a {type(inputs).__name__} is given as inputs= without what it should follow: inputs=law.at(goal), with "
            "goal a vv.control.reference(...) or a configuration to hold."
        )
    law = inputs if callable(inputs) and not isinstance(inputs, Mapping | type) else None
    if inputs is not None and law is None and not isinstance(inputs, Mapping):
        raise ModelError(
            f"inputs are given by port name, e.g. inputs={{'motor': 0.1}}, got {type(inputs).__name__}; "
            "or by one law of all ports,\nlambda t, x: {'motor': ...}."
        )
    given = {port_name(port): value for port, value in inputs.items()} if isinstance(inputs, Mapping) else {}
    check_ports(model, given)
    given = {**model.laws, **given}
    widths = {port.name: port.width for port in model.ports}
    base, functions, efforts = np.zeros(sum(widths.values())), {}, {}
    feedback = [part for part in model.feedback if part.own]
    for part in feedback:
        if part.port in given:
            raise ModelError(f"port {part.port!r} of {model.name!r} has forces of the model itself: use another one.")
    driven = {port.name for port in model.prescribed.values()}
    model = with_laws(model, {name: law_of_rate(name, given.pop(name)) for name in driven & set(given)})
    laws = {port.name: port.condition.law for port in model.prescribed.values() if port.condition.law is not None}
    for name in [name for name, law in laws.items() if law.constant is not None]:
        base[model.port_columns[name]] = laws.pop(name).constant
    for name, value in given.items():
        if isinstance(value, AbstractControlLaw):
            raise ModelError(
                f"the input of port {name!r} is a control law, which gives the inputs of all of its ports at once:\n"
                "inputs=law.at(goal)."
            )
        if not callable(value):
            base[model.port_columns[name]] = _constant(value, widths[name], name)
        elif looks_back(name, value):
            _refuse_laws_of_states(model, (name,))
            feedback.append(feedback_of(model, name, value))
        elif name in model.sources:
            efforts[name] = value
        else:
            functions[name] = value
    if law is not None:
        feedback += feedback_of_ports(model, law, partial(_check_law_ports, model))
    model = dataclasses.replace(model, feedback=tuple(feedback)) if feedback or model.feedback else model
    breaks = tuple(sorted({t for part in model.feedback for t in part.breaks}))
    means = mean_efforts(model) if efforts else {}
    return TimeInputs(widths, functions, base, model.port_columns, laws, efforts, breaks, means), model


def _mean_rate(law: MotionLaw, t: float, h: float) -> float:
    try:
        return law.mean_rate(t - 0.5 * h, t + 0.5 * h)
    except ModelError as error:
        raise BadInput(str(error)) from error


def looks_back(port: str, function: Callable[..., Any]) -> bool:
    """Whether an input asks for states or efforts, by the names of its arguments."""
    try:
        arguments = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    names = [a.name for a in arguments if a.default is a.empty and a.kind is a.POSITIONAL_OR_KEYWORD]
    if len(names) > 1 and not set(names) <= set(ARGUMENTS):
        raise ModelError(
            f"the input of port {port!r} asks for {', '.join(names)}; a law takes t, the time, and x, the motion by "
            "name:\nlambda t, x: -x['hinge.q']. Parameters of a law come from around it, or have defaults."
        )
    return bool(names) and set(names) <= set(ARGUMENTS) and names != ["t"]


def check_ports(model: Model, names: Iterable[str]) -> None:
    """An error where a name is no port."""
    unknown = [name for name in names if name not in model.port_columns]
    if unknown:
        hint = "none; add one with m.torque(...) or m.wrench(...)" if model.definition is not None else "none"
        ports = ", ".join(model.port_columns) or hint
        raise ModelError(f"inputs name {', '.join(map(repr, unknown))}, but the ports of {model.name!r} are: {ports}.")


def refuse_held_sources(model: Model, names: Iterable[str]) -> None:
    """An error where an input that prescribes an effort would be held: each new value of it would be a jump."""
    held = [name for name in names if name in model.sources]
    if held:
        raise ModelError(
            f"port {held[0]!r} prescribes an effort: held over steps it would jump from one to the next, and states "
            "follow it\nonly by impulses. Give it as a function of time, inputs={...} of vv.simulate or vv.Simulator."
        )


def _refuse_laws_of_states(model: Model, names: Iterable[str]) -> None:
    """An error where a law of states would prescribe an effort: steps know it in their middle, not at their ends."""
    found = [name for name in names if name in model.sources]
    if found:
        raise ModelError(
            f"port {found[0]!r} prescribes an effort: a source follows a function of time, and no law of states or of "
            "all ports, which\nsteps take in their middle, so that states alternate about it. Give it a function of t "
            "by name, or let the law act by a\nflow: on an outer port, such as a force on a mass."
        )


def _check_law_ports(model: Model, names: Iterable[str]) -> None:
    """An error where a law of all inputs returns what is no port, or one that prescribes a motion or an effort."""
    names = list(names)
    check_ports(model, names)
    _refuse_laws_of_states(model, names)
    driven = [port.name for port in model.prescribed.values() if port.name in names]
    if driven:
        raise ModelError(
            f"port {driven[0]!r} prescribes a motion: its input is a law of time, and no law of states.\n"
            "Give it a function of t by name, or drive the joint by a torque or a force instead."
        )


def port_name(port: object) -> str:
    """Ports may be named by their handles as well."""
    return port if isinstance(port, str) else str(getattr(port, "name", port))


def _called(function: Any, t: float, width: int, name: str) -> Array:
    try:
        value = function(t)
    except Exception as error:
        raise BadInput(f"the input of port {name!r} raised {type(error).__name__} at t = {t:g} s: {error}.") from error
    return _vector(value, width, f"{name!r}, at t = {t:g} s,")


def _constant(value: ArrayLike, width: int, name: str) -> Array:
    try:
        return _vector(value, width, repr(name))
    except BadInput as error:
        raise ModelError(str(error)) from None


def _vector(value: ArrayLike, width: int, name: str) -> Array:
    try:
        vector = np.asarray(value, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        vector = np.zeros(0)
    if vector.shape != (width,) or not np.isfinite(vector).all():
        numbers = "one finite number" if width == 1 else f"{width} finite numbers"
        raise BadInput(f"the input of port {name} must be {numbers}, got {value!r}.")
    return vector
