"""Composition: boxes joined at junctions, some of which are shown outside; the result is a system again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import final

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.language.quantity import Port, Quantity
from visviva.language.system import AbstractSystem, Kind

End = tuple[str, str]  # (box, port)


@final
@dataclass(frozen=True)
class Junction:
    """A shared energy domain: all its ports have one state and one effort, and their flows balance."""

    name: str
    quantity: Quantity
    ends: tuple[End, ...]


@final
@dataclass(frozen=True, eq=False)
class Composite(AbstractSystem):
    """A pattern filled with systems: boxes by name, junctions by name, and the junctions shown as outer ports.

    start: initial values by the names of flattened junctions, see `language.starting`.
    """

    name: str
    boxes: dict[str, AbstractSystem]
    junctions: dict[str, Junction]
    outer: dict[str, str]  # outer port -> junction
    start: dict[str, Array] = field(default_factory=dict)
    kind: Kind = field(default="composite", init=False)

    @property
    def interface(self) -> dict[str, Port]:  # type: ignore[override]
        """The outer ports; one is a power port if any port at its junction is."""
        return {port: Port(port, self.junctions[at].quantity, self._has_power(at)) for port, at in self.outer.items()}

    def _has_power(self, junction: str) -> bool:
        ends = self.junctions[junction].ends
        return any(self.boxes[box].interface[port].power for box, port in ends)

    def flatten(self) -> Composite:
        """The same system without nesting: every box is primitive, with a dotted name. There is one such system."""
        from visviva.language.flatten import flatten

        return flatten(self)

    def __repr__(self) -> str:
        return (
            f"<Composite {self.name!r}: boxes {', '.join(self.boxes)}; outer ports {', '.join(self.outer) or 'none'}>"
        )


def compose(
    name: str,
    boxes: Mapping[str, AbstractSystem],
    junctions: Mapping[str, Iterable[str]],
    outer: str | Iterable[str] | Mapping[str, str] | None = (),
) -> Composite:
    """Join systems, e.g. compose("osc", dict(spring=spring, ...), {"q": ("spring.q", "pkc.q"), ...}, outer=("p",)).

    junctions: by name, the ports "box.port" that share an energy domain. Every port of every box is in exactly one.
    outer:     names of junctions to show outside, or {outer port: junction} for other names.
    """
    for what, given in (("boxes", boxes), ("junctions", junctions)):
        if not isinstance(given, Mapping):
            raise ModelError(f"the {what} of {name!r} are a dictionary by name, got {type(given).__name__}.")
    _check_boxes(name, boxes)
    joined = {at: _junction(name, at, ports, boxes) for at, ports in dict(junctions).items()}
    _check_ends(name, boxes, joined)
    outer = (outer,) if isinstance(outer, str) else outer
    shown = dict(outer) if isinstance(outer, Mapping) else {port: port for port in outer or ()}
    for port, at in shown.items():
        if at not in joined:
            raise ModelError(f"outer port {port!r} of {name!r} shows junction {at!r}; there is {_listed(joined)}.")
        if not port.isidentifier():
            raise ModelError(f"the outer port name {port!r} of {name!r} is no identifier.")
    if len(set(shown.values())) < len(shown):
        raise ModelError(f"two outer ports of {name!r} show the same junction: {shown}. One junction, one port.")
    return Composite(name, dict(boxes), joined, shown)


def _check_boxes(name: str, boxes: Mapping[str, AbstractSystem]) -> None:
    if not isinstance(name, str) or not name:
        raise ModelError(f"the name of a composite must be a non-empty string, got {name!r}.")
    for box, system in boxes.items():
        if not isinstance(box, str) or not box.isidentifier():
            raise ModelError(f"the box name {box!r} in {name!r} is no identifier: use letters, digits and underscores.")
        if not isinstance(system, AbstractSystem):
            raise ModelError(f"box {box!r} of {name!r} must hold a system, got {system!r}.")


def _junction(name: str, at: str, ports: Iterable[str], boxes: Mapping[str, AbstractSystem]) -> Junction:
    if not isinstance(at, str) or not at.isidentifier():
        raise ModelError(f"the junction name {at!r} in {name!r} is no identifier: use letters, digits and underscores.")
    if isinstance(ports, str):
        raise ModelError(f"junction {at!r} of {name!r} takes several ports, e.g. ({ports!r}, ...), got one string.")
    ends = []
    for text in ports:
        box, dot, port = str(text).partition(".")
        if not dot or box not in boxes:
            raise ModelError(
                f"junction {at!r} of {name!r} joins {text!r}: give 'box.port' with a box of {_listed(boxes)}."
            )
        if port not in boxes[box].interface:
            known = _listed(boxes[box].interface)
            raise ModelError(f"junction {at!r} of {name!r} joins {text!r}, but box {box!r} has the ports {known}.")
        ends.append((box, port))
    if not ends:
        raise ModelError(f"junction {at!r} of {name!r} joins nothing.")
    first = boxes[ends[0][0]].interface[ends[0][1]].quantity
    for box, port in ends[1:]:
        other = boxes[box].interface[port].quantity
        if other != first:
            raise ModelError(
                f"junction {at!r} of {name!r} joins {'.'.join(ends[0])} of quantity {first} "
                f"with {box}.{port} of quantity {other}.\nOnly ports of the same quantity share an energy domain."
            )
    return Junction(at, first, tuple(ends))


def _check_ends(name: str, boxes: Mapping[str, AbstractSystem], junctions: Mapping[str, Junction]) -> None:
    seen: dict[End, str] = {}
    for at, junction in junctions.items():
        for end in junction.ends:
            if end in seen:
                raise ModelError(
                    f"port {'.'.join(end)} of {name!r} is at two junctions, {seen[end]!r} and {at!r}: one only."
                )
            seen[end] = at
    loose = [f"{box}.{port}" for box, system in boxes.items() for port in system.interface if (box, port) not in seen]
    if loose:
        raise ModelError(
            f"{name!r} leaves ports unconnected: {', '.join(loose)}.\n"
            "Every port belongs to a junction; a junction of one port, shown outside or not, is a junction too."
        )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def with_ends(junction: Junction, name: str, ends: tuple[End, ...]) -> Junction:
    """A junction under another name with other ends."""
    return replace(junction, name=name, ends=ends)
