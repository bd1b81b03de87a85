"""The calls that have built a mechanism: kept with it, so that it can be built again with other numbers."""

from __future__ import annotations

import functools
import inspect
import itertools
import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, final

import numpy as np

from visviva._arrays import frozen
from visviva.errors import ModelError
from visviva.geometry.inertia import Inertia
from visviva.mechanism.builder import Builder
from visviva.mechanism.inventory import Part
from visviva.mechanism.parts import Ground

METHODS = (
    "body", "particle", "frame", "stream", "torque", "force", "wrench", "joint", "fixed", "revolute", "prismatic",
    "cylindrical", "screw", "universal", "spherical", "planar", "free", "distance", "point_on_plane", "point_on_line",
    "spring", "torsion", "joint_spring", "point_springs", "bushing", "trace_spring", "stiffness", "pose_spring",
    "damper", "thermal", "motor", "stop", "gear", "rack", "coupler", "drive", "constraint", "knife_edge",
    "rolling_disc", "velocity_constraint", "include", "box",
)  # fmt: skip
PLAIN = (float, int, str, type(None))

C = TypeVar("C", bound=type)


@final
@dataclass(frozen=True, eq=False)
class Call:
    """One call of the builder, with names in the place of handles.

    parts: names of what it has added, the part that goes by the name of the call among them.
    """

    method: str
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]
    parts: tuple[str, ...]

    @functools.cached_property
    def given(self) -> dict[str, Any]:
        """What was given, by keyword."""
        return dict(signature(self.method).bind(*self.arguments, **self.options).arguments)

    @functools.cached_property
    def numbers(self) -> dict[str, Any]:
        """The same with the numbers of an `Inertia` in its place."""
        inertia = self.given.get("inertia")
        if not isinstance(inertia, Inertia):
            return self.given
        com = self.given.get("com")
        return self.given | {"mass": inertia.mass, "inertia": inertia.J, "com": inertia.com if com is None else com}

    @property
    def name(self) -> str:
        """Of the part, or of the module."""
        return str(self.given["name"])

    @functools.cached_property
    def references(self) -> frozenset[str]:
        """All texts in its arguments: names of the parts that it refers to are among them."""
        return frozenset(_texts([*self.arguments, *self.options.values()]))

    def with_options(self, options: Mapping[str, Any]) -> Call:
        """The same with other values of some keywords."""
        whole = isinstance(options.get("inertia"), Inertia)  # it goes in the place of mass and centre of mass as well
        split = not whole and any(keyword in options for keyword in ("mass", "inertia", "com"))
        given = self.numbers if split else self.given
        if whole and "inertia" in self.given:
            given = {keyword: value for keyword, value in given.items() if keyword not in ("mass", "com")}
        return Call(self.method, (), {key: own(value) for key, value in (given | dict(options)).items()}, self.parts)

    def apply(self, m: Any) -> None:
        """Add its parts to a mechanism."""
        for keyword, value in self.options.items():
            if isinstance(value, Lost):
                raise ModelError(
                    f"{keyword} of {self.name!r} was a function that cannot be put into a file, and has been left "
                    f"behind there:\ngive it again, with_parameters({{'{self.name}.{keyword}': ...}})."
                )
        getattr(m, self.method)(*self.arguments, **self.options)

    def __deepcopy__(self, memo: object) -> Call:
        return self

    def __reduce__(self) -> Any:
        options = {keyword: _portable(value) for keyword, value in self.given.items()}
        return Call, (self.method, (), options, self.parts)


@final
@dataclass(frozen=True)
class Lost:
    """In the place of a function that a file could not hold."""


def _portable(value: Any) -> Any:
    if not any(callable(one) for one in (value if isinstance(value, tuple | list) else (value,))):
        return value
    try:
        pickle.dumps(value)
    except Exception:  # a lambda, a function of a notebook: each kind has an error of its own
        return Lost()
    return value


@cache
def signature(method: str) -> inspect.Signature:
    """Of a method of the builder, without self."""
    from visviva.mechanism.mechanism import Mechanism

    found = inspect.signature(getattr(Mechanism, method))
    return found.replace(parameters=list(found.parameters.values())[1:])


def recording(cls: C) -> C:
    """A builder that keeps its calls in `_calls`; those that a method of it makes itself are part of that one."""
    for name in METHODS:
        setattr(cls, name, _recorded(name, getattr(cls, name)))
    return cls


def _recorded(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def called(self: Any, *arguments: Any, **options: Any) -> Any:
        if self._inside_call:
            return method(self, *arguments, **options)
        before, self._inside_call = len(self.parts), True
        try:
            made = method(self, *arguments, **options)
        finally:
            self._inside_call = False
        parts = tuple(itertools.islice(reversed(self.parts), len(self.parts) - before))[::-1]
        kept = {keyword: own(value) for keyword, value in options.items()}
        self._calls.append(Call(name, tuple(map(own, arguments)), kept, parts))
        return made

    return called


def own(value: Any) -> Any:
    """A value with names in the place of handles, and arrays of its own."""
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, tuple | list):
        return type(value)(map(own, value)) if type(value) in (tuple, list) else value
    if isinstance(value, Mapping):
        return {own(key): own(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, Builder):
        return _module(value)
    return value.name if isinstance(value, Part | Ground) else value


def _module(m: Any) -> Any:
    """A mechanism as it is now, for an inclusion; its gravity is that of the host."""
    return m.definition.variant(gravity=frozen(np.zeros(3)))


def _texts(values: Any) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            yield from _texts([*value, *value.values()])
        elif isinstance(value, tuple | list):
            yield from _texts(value)
