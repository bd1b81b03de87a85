"""Symbols of coordinates, velocities, other states and inputs of a mechanism, and how they are spelled."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from visviva.forms.minimal.form import MinimalForm
from visviva.forms.symbols.steps import Steps
from visviva.mechanism import Definition
from visviva.mechanism.conditions import AbstractCondition
from visviva.mechanism.coupling import Coupling
from visviva.mechanism.parts import Force, Motor, Torque, WrenchPort
from visviva.mechanism.spanning.links import SIZES
from visviva.results.boxes import flow_unit, state_unit
from visviva.views.equations_names import Label

UNITS = {
    "hinge": ("rad",), "slider": ("m",), "ball": ("1",) * 4, "free": ("m",) * 3 + ("1",) * 4, "fixed": (),
}  # fmt: skip  # of coordinates by kind of link
SPIN = {"ball": ("omega",) * 3, "free": ("omega",) * 3 + ("v",) * 3}


@final
@dataclass(frozen=True, eq=False)
class Variables:
    """Symbols as object arrays, and time; names: what the package calls each of them, units: theirs.

    q, xi, xi_dot, p: coordinates, velocities, their rates, momenta.   s: other states.
    u: inputs of ports, then rate and acceleration of each drive that is no expression, then inputs of boxes; `driven`
       and `box_inputs` have these by name.
    """

    q: Any
    xi: Any
    xi_dot: Any
    p: Any
    s: Any
    u: Any
    t: Any
    names: dict[Any, str]
    units: dict[Any, str]
    driven: dict[str, tuple[Any, Any]]
    box_inputs: dict[str, Any] = field(default_factory=dict)


def variables_of(form: MinimalForm, steps: Steps) -> Variables:
    """Those of a mechanism in minimal velocities; the rate of an angle is called so."""
    register = Register(steps)
    units = [unit for link in form.tree.links for unit in UNITS[link.kind]]
    q = register.symbols(form.q_names, [_label(name) for name in form.q_names], units)
    xi, xi_dot, p = list[Any](), list[Any](), list[Any]()
    for link, place in zip(form.tree.links, form.spanning.places, strict=True):
        given = form.xi_names[place.xi]
        letters = SPIN.get(link.kind, ("q",) * SIZES[link.kind][1])
        owner = place.carrier.name if place.joint is None else place.joint.name
        own = ("rad",) * 3 + ("m",) * 3 if link.kind in SPIN else UNITS[link.kind]
        for k, (name, letter, unit) in enumerate(zip(given, letters, own, strict=False)):
            label = _label(form.q_names[place.q.start]) if letter == "q" else Label(letter, (owner, str(k % 3 + 1)))
            xi.append(register.symbol(name, label, dots=1 if letter == "q" else 0, unit=f"{unit}/s"))
            xi_dot.append(steps.symbol(label, dots=2 if letter == "q" else 1))
            momentum = Label("p", label.subscripts if letter == "q" else (*label.subscripts[:-1], str(k + 1)))
            p.append(
                register.symbol(".p".join(name.rsplit(".rate", 1)), momentum, unit="N m s" if unit == "rad" else "N s")
            )
    velocities, accelerations, momenta = (np.array(each, dtype=object) for each in (xi, xi_dot, p))
    s, u, t, driven, boxes = register.others(form.definition, form.s_names)
    return Variables(q, velocities, accelerations, momenta, s, u, t, register.names, register.units, driven, boxes)


@final
class Register:
    """Makes symbols, and keeps what the package calls them."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.names: dict[Any, str] = {}
        self.units: dict[Any, str] = {}

    def symbol(self, name: str, label: Label, dots: int = 0, unit: str = "") -> Any:
        """One of them, or a rate of it."""
        symbol = self.steps.symbol(label, dots)
        self.names[symbol], self.units[symbol] = name, unit
        return symbol

    def symbols(self, names: Sequence[str], labels: Sequence[Label], units: Sequence[str]) -> Any:
        """An array of them."""
        each = zip(names, labels, units, strict=True)
        return np.array([self.symbol(name, label, unit=unit) for name, label, unit in each], dtype=object)

    def others(
        self, m: Definition, s_names: Sequence[str]
    ) -> tuple[Any, Any, Any, dict[str, tuple[Any, Any]], dict[str, Any]]:
        """Other states, inputs, time, both rates of drives that are no expressions of it, and inputs of boxes."""
        s = self.symbols(s_names, [_state(name) for name in s_names], [_state_unit(m, name) for name in s_names])
        names = [_of(port.name, k, port.width) for port in m.ports for k in range(port.width)]
        units = [_port_unit(port, k) for port in m.ports for k in range(port.width)]
        ports = list(self.symbols(names, [Label("u", _subscripts(name)) for name in names], units))
        driven = {
            part.name: self._rates(part.name, coordinate_unit(part))
            for part in m.conditions
            if part.law is not None and part.law.rate.expr is None
        }
        boxes = self.box_inputs(m)
        pairs = (symbol for pair in driven.values() for symbol in pair)
        u = np.array([*ports, *pairs, *(symbol for own in boxes.values() for symbol in own)], dtype=object)
        return s, u, self.steps.symbol(Label("t")), driven, boxes

    def box_inputs(self, m: Definition) -> dict[str, Any]:
        """Of each input of a box, by its name."""
        found = {}
        for box in m.boxes:
            for port, name in box.inputs.items():
                width = box.input_quantity(port).dim
                names = [_of(name, k, width) for k in range(width)]
                labels = [Label("u", (*one.partition("[")[0].split("."), *_subscripts(one)[1:])) for one in names]
                found[name] = self.symbols(names, labels, [flow_unit(box, name)] * width)
        return found

    def _rates(self, drive: str, unit: str) -> tuple[Any, Any]:
        label = Label(LETTERS["shift"], (drive,))
        rate = self.symbol(drive, label, dots=1, unit=f"{unit}/s")
        return rate, self.symbol(f"d/dt {drive}", label, dots=2, unit=f"{unit}/s²")


def _of(name: str, k: int, width: int) -> str:
    return name if width == 1 else f"{name}[{k}]"


def _label(name: str) -> Label:
    """`hinge.q[2]`: q with the subscripts hinge, 3."""
    owner, _, _ = name.rpartition(".q")
    return Label("q", _subscripts(owner + name.removeprefix(f"{owner}.q")))


def _subscripts(name: str) -> tuple[str, ...]:
    match = re.fullmatch(r"(.*)\[(\d+)\]", name)
    return (match[1], str(int(match[2]) + 1)) if match else (name,)


LETTERS = {"flux": "psi", "s": "S", "shift": "sigma", "angle": "theta", "y": "y"}


def _state(name: str) -> Label:
    """`motor.flux`: ψ with the subscript motor."""
    owner, _, word = name.rpartition(".")
    base = word.partition("[")[0]
    return Label(LETTERS.get(base, base), (owner, *_subscripts(word)[1:]))


def _state_unit(m: Definition, name: str) -> str:
    """Of fluxes, entropies, angles, and of what couplings follow."""
    owner, _, word = name.rpartition(".")
    for box in m.boxes:
        if owner == box.name and word.partition("[")[0] in box.states:
            return state_unit(box, word.partition("[")[0])
    if word.partition("[")[0] == "shift":
        return next((coordinate_unit(part) for part in m.conditions if part.name == owner), "")
    return {"flux": "V s", "s": "J/K", "angle": "rad"}.get(word.partition("[")[0], "")


def coordinate_unit(part: AbstractCondition) -> str:
    """Of the first coordinate that a coupling or drive is about."""
    return ("rad" if part.terms[0].turns else "m") if isinstance(part, Coupling) else ""


def _port_unit(port: Torque | Force | WrenchPort | Motor, k: int) -> str:
    if isinstance(port, WrenchPort):
        return "N m" if port.width == 6 and k < 3 else "N"
    return "N m" if isinstance(port, Torque) else "N" if isinstance(port, Force) else "V"
