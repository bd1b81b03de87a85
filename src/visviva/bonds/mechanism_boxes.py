"""Boxes in the graph of a mechanism: the graph of their composite, at the junctions of joints and thermal nodes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from visviva.bonds.construction import plain
from visviva.bonds.elements import Se
from visviva.bonds.from_system import SystemParts, system_parts
from visviva.errors import ModelError
from visviva.mechanism.box import Box
from visviva.mechanism.parts import JointCoordinate

if TYPE_CHECKING:
    from visviva.bonds.acting import Acting


def add_box(acting: Acting, box: Box) -> None:
    """Elements `<box>.<element>` and their bonds.

    A junction of momentum at a coordinate is the 1-junction of its rate, one of a displacement hangs on it; a junction
    of entropy is that of its node, or has the environment. States have the names that they have in runs.
    """
    flat, name = box.flat, plain(box.name)
    variables = {junction: box.variable(junction) for junction in flat.junctions}
    work = system_parts(flat, acting.m.theta0, variables, _followed(acting, box))
    new = {element: f"{name}.{plain(element)}" for element in work.elements}
    gone = {work.sources[port] for port in (*box.rates, *box.places, *box.nodes)}
    for port, one in box.rates.items():
        label = work.junctions[flat.outer[port]]
        new[label] = acting.along(f"{box.name}.{port}", one)
        gone.add(label)
    for port, node in box.nodes.items():
        if node is not None:
            label = work.junctions[flat.outer[port]]
            new[label] = plain(node.name)
            gone.add(label)
    for source, given in box.inputs.items():
        label = work.sources[source]
        new[label] = _unused(plain(given), acting, new)
        old = work.elements[label]
        made = acting.source(given, old.widths[0] or 1, old.kind)
        work.elements[label] = replace(made, domain=old.domain)
    for label, element in work.elements.items():
        if label not in gone:
            acting.parts.add(new[label], element if element.label else replace(element, label=label))
    lost = {work.sources[port] for port in (*box.rates, *box.places, *box.nodes)}
    for tail, head in work.bonds:
        if tail not in lost:
            acting.parts.bonds.append(f"{_end(work, new, tail)} -> {_end(work, new, head)}")
    for port, one in box.places.items():
        here = acting.along(f"{box.name}.{port}", one)
        label = new[work.junctions[flat.outer[port]]]
        if box.holder(flat.outer[port]) is None:  # read only: nothing acts there
            del acting.parts.elements[label]
        else:
            acting.parts.bonds.append(f"{here} -> {label}")
    for port, node in box.nodes.items():
        if node is None:
            heat = new[work.junctions[flat.outer[port]]]
            acting.parts.add(f"{heat}.env", Se(acting.m.theta0, domain="thermal", label="θ0"), f"> {heat}")
    _start(acting, box)


def _end(work: SystemParts, new: dict[str, str], end: str) -> str:
    """The end of a bond, an element or one of its ports, by the names of the mechanism's graph."""
    if end in new:
        return new[end]
    element, _, port = end.rpartition(".")
    return f"{new[element]}.{port}"


def _unused(name: str, acting: Acting, new: dict[str, str]) -> str:
    taken = {*acting.parts.elements, *new.values()}
    return name if name not in taken else f"{name}.u"


def _followed(acting: Acting, box: Box) -> dict[str, tuple[str, ...]]:
    """Coordinates that a box reads and nothing in it stores: states of the graph, by junction."""
    form, found = acting.form, dict[str, tuple[str, ...]]()
    at = {(place.joint.name, place.coordinate): place.q for place in form.spanning.places if place.joint is not None}
    for port, one in box.places.items():
        junction = box.flat.outer[port]
        if box.holder(junction) is not None:
            continue
        if not isinstance(one, JointCoordinate):
            raise ModelError(
                f"port {port!r} of box {box.name!r} reads a displacement between points, which is no state of its bond "
                "graph.\nLet it read a coordinate of a joint, or give it an energy: a spring in the box at that port."
            )
        place = at.get((one.joint.name, one.number))
        if place is None:
            raise ModelError(
                f"port {port!r} of box {box.name!r} reads a coordinate of joint {one.joint.name!r}, which closes a "
                "loop and is no state of its bond graph.\nLet it read one of another joint of the loop."
            )
        found[junction] = tuple(form.q_names[place])
    return found


def _start(acting: Acting, box: Box) -> None:
    """Where its states start, but for those that follow from velocities."""
    form, inner = acting.form, acting.form.inner
    stored = [*box.states, *(box.flat.outer[port] for port in box.places if box.holder(box.flat.outer[port]))]
    for junction in stored:
        variable = box.variable(junction)
        if inner is not None and variable in inner.tied:
            continue
        values = acting.x0[form.model.layout.x[variable]]
        names = (variable,) if len(values) == 1 else tuple(f"{variable}[{k}]" for k in range(len(values)))
        acting.parts.start(names, values)
