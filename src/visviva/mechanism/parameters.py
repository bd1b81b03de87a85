"""Parameters of a mechanism: the numbers that its builder was given, by name, and the mechanism with others.

    m.parameters["arm.mass"]                                    # 1.5
    other = m.with_parameters({"arm.mass": 2.0, "gravity": (0, 0, -1.6)})

A name is that of the part and the keyword of the call that made it, "spring.k", "hinge.at", "dc.resistance"; numbers of
a law of friction go behind it, "hinge.friction.level". The mechanism with other numbers is the one that the same calls
build with them, with the same checks; parts that no change reaches are shared.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._suggestions import hint_of
from visviva.errors import ModelError
from visviva.geometry import SE3, SO3
from visviva.mechanism.calls import Call, Lost, signature
from visviva.mechanism.friction import FrictionLaw, with_arguments
from visviva.mechanism.inclusion import with_shapes, without_shapes
from visviva.mechanism.parameter_units import unit_of
from visviva.mechanism.same_geometry import same_geometry

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition
    from visviva.mechanism.mechanism import Mechanism

STRUCTURE = frozenset(
    {"name", "parent", "child", "a", "b", "joint", "joint_a", "joint_b", "carrier", "pinion", "slide", "plane", "disc"}
    | {"parts", "joints", "kind", "heat_to", "massless", "frame", "against", "coordinate", "module", "on"}
    | {"ports", "system"}
)  # keywords that say what a part is and what it belongs to
OF_WHOLE = ("gravity", "theta0")
IN_LAW = re.compile(r"(.*\.friction)(?:\[(\d+)\])?\.(\w+)")
BESIDE_LAW = re.compile(r"(.*\.friction)\[(\d+)\]")


@final
class Parameters(Mapping[str, Any]):
    """The numbers of a mechanism by name, as they were given or by default; prints as a table with units."""

    def __init__(self, m: Definition) -> None:
        self.definition = m
        self._calls = calls_by_name(m)

    @cached_property
    def _values(self) -> dict[str, Any]:
        found: dict[str, Any] = {word: getattr(self.definition, word) for word in OF_WHOLE}
        for name, call in self._calls.items():
            for keyword, value in _with_defaults(call).items():
                if keyword not in STRUCTURE:
                    found |= dict(_numbers(f"{name}.{keyword}", value))
        return found

    @property
    def known(self) -> list[str]:
        """All names that can be given a value, those without one yet included."""
        words = [
            f"{name}.{keyword}" for name, call in self._calls.items() for keyword in signature(call.method).parameters
        ]
        return [*self._values, *(word for word in words if word.rpartition(".")[2] not in STRUCTURE)]

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            raise self.unknown(name)
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def get(self, name: str, default: Any = None) -> Any:
        """The number of a name, or a default where there is none."""
        return self._values.get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def unknown(self, name: object) -> ModelError:
        """The error for a name that is none, or none of a number."""
        m = self.definition
        part, _, word = name.rpartition(".") if isinstance(name, str) else ("", "", "")
        if part in self._calls and word in STRUCTURE & set(signature(self._calls[part].method).parameters):
            return ModelError(
                f"{name!r} of mechanism {m.name!r} is no number: it says how the mechanism is put together. Build "
                "another\nmechanism for that."
            )
        if part in self._calls and word in signature(self._calls[part].method).parameters:
            return ModelError(f"{name!r} of mechanism {m.name!r} has no number: it was not given, or is a function.")
        box = next((one.name for one in m.boxes if str(name).startswith(f"{one.name}.")), None)
        if box is not None:
            return ModelError(
                f"{name!r} of mechanism {m.name!r} is inside of box {box!r}, whose numbers are those of its system.\n"
                "Build another system, and a mechanism with it."
            )
        return ModelError(f"mechanism {m.name!r} has no parameter {name!r}. {hint_of(str(name), self.known)}")

    def split(self, name: object) -> tuple[str, str]:
        """The part and the keyword of a name that can be given a value; "" and the word for the whole mechanism."""
        if name in OF_WHOLE:
            return "", str(name)
        part, _, word = name.rpartition(".") if isinstance(name, str) else ("", "", "")
        if part not in self._calls or word in STRUCTURE or word not in signature(self._calls[part].method).parameters:
            raise self.unknown(name)
        return part, word

    def changes(self, values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Values by part and keyword; "" is the whole mechanism. Numbers of laws of friction become laws."""
        if not isinstance(values, Mapping):
            raise ModelError(f"parameters are given by name, e.g. {{'arm.mass': 2.0}}, got {values!r}.")
        found: dict[str, dict[str, Any]] = {}
        laws: dict[str, dict[int | None, Any]] = {}  # new numbers of each, or a number in the place of one
        for name, value in values.items():
            inside = IN_LAW.fullmatch(name) if isinstance(name, str) else None
            beside = BESIDE_LAW.fullmatch(name) if isinstance(name, str) else None
            if beside is not None and name in self._values:  # "hinge.friction[1]"
                laws.setdefault(beside[1], {})[int(beside[2])] = value
            elif inside is not None and name in self._values and inside[1] not in self._calls:
                number = None if inside[2] is None else int(inside[2])
                laws.setdefault(inside[1], {}).setdefault(number, {})[inside[3]] = value
            else:
                part, word = self.split(name)
                found.setdefault(part, {})[word] = value
        for name, numbers in laws.items():
            part, word = self.split(name)
            if word in found.get(part, {}):
                raise ModelError(f"{name!r} is given as a whole and by numbers of it: give one of both.")
            given = self._calls[part].given[word]
            found.setdefault(part, {})[word] = _changed_laws(given, numbers)
        return found

    def __str__(self) -> str:
        from visviva.mechanism.parameter_units import shown

        rows = [(name, shown(value), unit_of(self.definition, self._calls, name)) for name, value in self.items()]
        wide = [max(len(row[k]) for row in rows) for k in range(2)]
        lines = [f"{name:<{wide[0]}}  {value:<{wide[1]}}  {unit}".rstrip() for name, value, unit in rows]
        return "\n".join([f"parameters of {self.definition.name!r}", *lines])

    __repr__ = __str__


def with_parameters(m: Definition, values: Mapping[str, Any]) -> Definition:
    """The definition of the mechanism that the calls which built another one build with some other numbers."""
    return rebuilt(m, Parameters(m).changes(values)).definition


def rebuilt(m: Definition, changes: Mapping[str, Mapping[str, Any]], builder: Mechanism | None = None) -> Mechanism:
    """The same calls with other values of keywords, by part; calls that no change reaches share their parts.

    builder: what the mechanism was built with, where it has more to say than a `Mechanism`: the other one says it too.
    """
    from visviva.mechanism.mechanism import Mechanism as Plain

    whole = {word: getattr(m, word) for word in OF_WHOLE} | dict(changes.get("", {}))
    other = checked = Plain(m.name, **whole)
    if builder is not None:
        other = copy.copy(builder)
        other.gravity, other.theta0 = checked.gravity, checked.theta0
    other.ground, other.parts, other.shapes = m.ground, {}, dict(m.shapes)
    other._calls, other._laws, other.inclusions = [], dict(m.laws), {}
    for shapes in m.inclusions.values():
        other.shapes = without_shapes(other.shapes, shapes)
    new: set[str] = set()
    for call in live_calls(m):
        again = _changed_call(call, changes, other.theta0)
        at_theta0 = call.method == "thermal" and call.given.get("temperature") is None and m.theta0 != other.theta0
        if again is call and not at_theta0 and new.isdisjoint(call.references):
            other.parts.update((name, m.parts[name]) for name in call.parts)
            other._calls.append(call)
            if call.method == "include":
                other.inclusions |= {name: shapes for name, shapes in m.inclusions.items() if _inside(name, call.name)}
                other.shapes = with_shapes(other.shapes, m.inclusions[call.name])
        else:
            again.apply(other)
            new.update(other._calls[-1].parts)
    if same_geometry(m, other):
        other._define(m.alike)
    return other


def _changed_call(call: Call, changes: Mapping[str, Mapping[str, Any]], theta0: float) -> Call:
    """The same call with its changes; that of a module has those of its parts in it."""
    options = dict(changes.get(call.name, {}))
    if call.method == "include":
        module, start = call.given["module"], f"{call.name}."
        inner = {part.removeprefix(start): words for part, words in changes.items() if part.startswith(start)}
        if inner or module.theta0 != theta0:
            options["module"] = rebuilt(module, inner | {"": {"theta0": theta0}}).definition
    return call.with_options(options) if options else call


def _inside(name: str, module: str) -> bool:
    return name == module or name.startswith(f"{module}.")


def calls_by_name(m: Definition) -> dict[str, Call]:
    """The calls that have made the parts of a mechanism, by name; those of its modules by names with their prefix."""
    found: dict[str, Call] = {}
    for call in live_calls(m):
        found[call.name] = call
        if call.method == "include":
            found |= {f"{call.name}.{name}": inner for name, inner in calls_by_name(call.given["module"]).items()}
    return found


def live_calls(m: Definition) -> list[Call]:
    """The calls that have made the parts of a mechanism; an error where something else has put them there."""
    calls = [call for call in m.calls if any(name in m.parts for name in call.parts)]
    made = {name for call in calls for name in call.parts}
    if made != set(m.parts):
        odd = sorted(made.symmetric_difference(m.parts))
        raise ModelError(
            f"the parts of mechanism {m.name!r} are not those that its methods have added: {', '.join(odd)}.\n"
            "Numbers can be changed where all of it was built by m.body(...), m.revolute(...) and so on."
        )
    return calls


def _with_defaults(call: Call) -> dict[str, Any]:
    parameters = signature(call.method).parameters
    defaults = {word: each.default for word, each in parameters.items() if each.default is not each.empty}
    return defaults | call.numbers


def _numbers(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The numbers that a value is: itself, or those of its laws of friction."""
    if isinstance(value, FrictionLaw):
        yield from ((f"{name}.{word}", number) for word, number in value.arguments)
    elif isinstance(value, SO3 | SE3 | str | Mapping):
        yield name, value
    elif isinstance(value, tuple | list) and any(isinstance(one, FrictionLaw) or callable(one) for one in value):
        for k, one in enumerate(value):
            yield from _numbers(f"{name}[{k}]", one)
    elif value is not None and not callable(value) and not isinstance(value, Lost):
        yield name, _plain(value)


def _plain(value: Any) -> Any:
    """A number as one of Python, more as an array of their own where they are one."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        return value
    array.flags.writeable = False
    return float(array) if array.ndim == 0 else array


def _changed_laws(given: Any, numbers: Mapping[int | None, Any]) -> Any:
    if isinstance(given, FrictionLaw):
        return with_arguments(given, numbers[None])
    laws = list(given)
    for k, changed in numbers.items():
        assert k is not None
        laws[k] = with_arguments(laws[k], changed) if isinstance(laws[k], FrictionLaw) else changed
    return laws
