"""Names, units and sizes of what varies in a mechanism."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visviva._arrays import Array
from visviva.forms.minimal.form import MinimalForm
from visviva.mechanism.other_states import flux_of
from visviva.results.balances import input_unit
from visviva.results.boxes import state_unit


def increment_names(form: MinimalForm) -> tuple[str, ...]:
    """`<joint>.q` of hinges and sliders, numbered as its rates; `<joint>.turn[k]`, `<joint>.shift[k]` of the others.

    Turns are rotation vectors, shifts displacements, both in the axes of the body.
    """
    names: list[str] = []
    for link, place in zip(form.tree.links, form.spanning.places, strict=True):
        own = form.xi_names[place.xi]
        if link.kind in ("ball", "free"):
            owner = own[0].rsplit(".", 1)[0]
            names += [f"{owner}.{word}[{k}]" for word in ("turn", "shift")[: len(own) // 3] for k in range(3)]
        else:
            names += [".q".join(name.rsplit(".rate", 1)) for name in own]
    return tuple(names)


def input_names(form: MinimalForm) -> tuple[NDArray[np.intp], tuple[str, ...]]:
    """Which entries of u are inputs, and their names: all but what drives."""
    driven = {port.name for port in form.open.prescribed.values()}
    columns, names = list[int](), list[str]()
    for port in form.full.ports:
        if port.name in driven:
            continue
        at = form.full.port_columns[port.name]
        columns += range(at.start, at.stop)
        names += numbered(port.name, port.width)
    return np.array(columns, dtype=np.intp), tuple(names)


def numbered(name: str, width: int) -> list[str]:
    """`name`, or `name[k]` of several."""
    return [name] if width == 1 else [f"{name}[{k}]" for k in range(width)]


def port_units(form: MinimalForm, port: str, width: int) -> list[str]:
    """Of each number that an input takes."""
    both = input_unit(form.model, port).split(", ")
    return [both[k // 3] if len(both) == 2 else both[0] for k in range(width)]


def conjugate_units(form: MinimalForm, port: str, width: int) -> list[str]:
    """Of what makes power with each of them."""
    return [_CONJUGATE.get(unit, "") for unit in port_units(form, port, width)]


def sizes_and_units(
    form: MinimalForm, positions: tuple[str, ...], inputs: tuple[str, ...]
) -> tuple[Array, dict[str, str]]:
    """How far increments go in differences (n,), and the units of increments, other states and inputs by name."""
    turns = [turning for link in form.tree.links for turning in _TURNING[link.kind]]
    units = {name: "rad" if turning else "m" for name, turning in zip(positions, turns, strict=True)}
    units |= {flux_of(motor): "Wb" for motor in form.definition.motors}
    units |= {f"{node.name}.s": "J/K" for node in form.definition.thermals}
    for box in form.definition.boxes:
        for name, size in box.states.items():
            unit = state_unit(box, name)
            units |= dict.fromkeys(numbered(box.variable(name), size), unit)
    for port in form.full.ports:
        units |= zip(numbered(port.name, port.width), port_units(form, port.name, port.width), strict=True)
    return form.lengths, {name: units.get(name, "") for name in (*positions, *form.s_names, *inputs)}


_CONJUGATE = {
    "N m": "rad/s",
    "rad/s": "N m",
    "N": "m/s",
    "m/s": "N",
    "V": "A",
    "A": "V",
    "Pa": "m³/s",
    "m³/s": "Pa",
    "W/K": "K",
}

_TURNING = {
    "hinge": (True,),
    "slider": (False,),
    "ball": (True,) * 3,
    "free": (True,) * 3 + (False,) * 3,
    "fixed": (),
}
