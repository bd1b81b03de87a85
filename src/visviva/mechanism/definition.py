"""The definition of a mechanism: its parts as data, which all readings of it take and nothing changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, final

from visviva._arrays import Array
from visviva.mechanism.inventory import Part, Parts
from visviva.mechanism.parts import Ground
from visviva.mechanism.shapes import Shape

if TYPE_CHECKING:
    from visviva.mechanism.calls import Call


@final
@dataclass(frozen=True, eq=False)
class Definition(Parts):
    """A mechanism as it was when it was asked for, `m.definition`: parts added to the builder later do not reach it.

    gravity: acceleration [m/s²] in world axes.   theta0: temperature [K] of the environment.
    shapes:  what bodies and the ground look like, by name.
    calls:   those that have built it, so that it can be built again with other numbers.
    laws:    traced functions, which mechanisms with other numbers share.
    made:    what others have made of it, by keys of theirs: models, states by name, simulators.
    alike:   the same of its geometry, which mechanisms with other masses, stiffnesses and laws share.

    Files hold neither what was traced nor what was made.
    """

    name: str
    gravity: Array
    theta0: float
    ground: Ground
    parts: Mapping[str, Part]
    shapes: Mapping[str, tuple[Shape, ...]]
    inclusions: Mapping[str, Mapping[str, tuple[Shape, ...]]]
    calls: tuple[Call, ...]
    laws: dict[Any, Any]
    made: dict[Any, Any] = field(default_factory=dict)
    alike: dict[Any, Any] = field(default_factory=dict)

    def variant(self, **changes: Any) -> Definition:
        """The same with other values of some fields, and nothing made of it yet."""
        return replace(self, **{"made": {}, "alike": {}} | changes)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "laws": {}, "made": {}, "alike": {}}

    def __repr__(self) -> str:
        counts = f"{len(self.bodies)} bodies, {len(self.joints)} joints, {len(self.ports)} ports"
        return f"<Definition of {self.name!r}: {counts}>"
