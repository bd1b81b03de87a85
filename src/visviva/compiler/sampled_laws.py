"""Sampled laws as compiled code calls them: traced once, on symbols for what they see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.laws import InputLaw, canonical, symbols
from visviva.compiler.sensors import sensor_names
from visviva.errors import ModelError
from visviva.language.pure import on_copies, read_around
from visviva.language.trace import Traced, UntraceableError, expressions, traced_array
from visviva.mechanism.parts import Force, Joint, Motor, Torque, WrenchPort
from visviva.model import Model

PORTS = (Torque, Force, WrenchPort, Motor)  # that a law may name by their handles
SIZES = {"r": 3, "R": 9, "twist": 6, "v": 3}


@final
@dataclass(frozen=True, eq=False)
class SampledLaw:
    """Inputs u = law(t, y) of some ports, one after the other.

    names: quantities y by the names of a run, and how many numbers each has.
    """

    ports: tuple[str, ...]
    names: tuple[tuple[str, int], ...]
    law: InputLaw
    numbers: Array


@final
class _Symbols:
    """What a law is run on: quantities of the motion and the time as symbols."""

    def __init__(self, model: Model) -> None:
        assert model.mechanism is not None
        self.t = Traced(symbols("t", 1)[0])
        self._parts = model.mechanism.parts
        self._known = frozenset(sensor_names(model.mechanism))
        self.seen = dict[str, tuple[list[Any], Any]]()

    def __getitem__(self, name: str) -> Any:
        import sympy

        if not isinstance(name, str) or name not in self._known:
            raise UntraceableError(f"it asks for {name!r}, which is no quantity of the motion")
        if name not in self.seen:
            carrier, _, ending = name.rpartition(".")
            part = self._parts[carrier]
            n = len(part.joint.coordinates) if isinstance(part, Joint) else SIZES[ending]
            own = [sympy.Symbol(f"{name}[{k}]", real=True) for k in range(n)]
            value = Traced(own[0]) if n == 1 else traced_array(own)
            self.seen[name] = own, value.reshape(3, 3) if ending == "R" else value
        return self.seen[name][1]


def seen_by(law: Callable[..., Any]) -> Any:
    """What a law reads around it, to be compared; `UntraceableError` where it may do more than to compute."""
    return read_around(law, PORTS)


def sampled_law(model: Model, law: Callable[..., Any]) -> SampledLaw:
    """A law of what is seen at a tick as an expression, or `UntraceableError` with what keeps it from being one."""
    before, copied, now = read_around(law, PORTS), on_copies(law, PORTS), _Symbols(model)
    try:
        found = copied(now)
    except ModelError:
        raise
    except Exception as reason:
        raise UntraceableError(f"{type(reason).__name__}: {reason}") from reason
    if read_around(copied, PORTS) != before:
        raise UntraceableError("it changes what is around it")
    if not isinstance(found, Mapping):
        raise UntraceableError("it does not return inputs by port name")
    named = {str(getattr(port, "name", port)): value for port, value in found.items()}
    return _written(model, named, now)


def _written(model: Model, named: Mapping[str, Any], now: _Symbols) -> SampledLaw:
    widths, values = {port.name: port.width for port in model.ports}, list[Any]()
    for port, value in named.items():
        own = np.atleast_1d(expressions(value, f"the input of port {port!r}"))
        if port not in widths or own.shape != (widths[port],):
            raise UntraceableError(f"it gives {port!r} a value that is none of a port")
        values += list(own)
    if not values:
        raise UntraceableError("it gives no inputs")
    used = set().union(*(value.free_symbols for value in values))
    read = {name: own for name, (own, _) in now.seen.items() if used & set(own)}
    given, numbers = canonical(values, {"x": [symbol for own in read.values() for symbol in own]}, [])
    law = InputLaw(given, (sum(map(len, read.values())), 0, len(numbers)))
    return SampledLaw(tuple(named), tuple((name, len(own)) for name, own in read.items()), law, np.array(numbers))
