"""Symbols of coordinates, velocities, other states and inputs of a mechanism, and how they are spelled."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva.forms.minimal.form import MinimalForm
from visviva.forms.symbols.steps import Steps
from visviva.forms.trees.links import SIZES
from visviva.views.equations_names import Label

SPIN = {"ball": ("omega",) * 3, "free": ("omega",) * 3 + ("v",) * 3}


@final
@dataclass(frozen=True, eq=False)
class Variables:
    """Symbols as object arrays, and time; names: what the package calls each of them.

    q, xi, xi_dot, p: coordinates, velocities, their rates, momenta.   s: other states.   u: inputs.   lam: multipliers.
    """

    q: Any
    xi: Any
    xi_dot: Any
    p: Any
    s: Any
    u: Any
    t: Any
    names: dict[Any, str]
    rates: dict[Any, str]  # LaTeX of the rates of q, p and s


def variables_of(form: MinimalForm, steps: Steps) -> Variables:
    """Those of a mechanism in minimal velocities; the rate of an angle is called so."""
    names: dict[Any, str] = {}
    rates: dict[Any, str] = {}

    def symbols(given: Sequence[str], labels: Sequence[Label], dotted: bool = False) -> Any:
        found = []
        for name, label in zip(given, labels, strict=True):
            symbol = steps.symbol(label.rate, label.dotted) if dotted else steps.symbol(label)
            names[symbol] = name
            rates[symbol] = label.dotted.replace(r"\dot", r"\ddot", 1) if dotted else label.dotted
            found.append(symbol)
        return np.array(found, dtype=object)

    q = symbols(form.q_names, [_label(name) for name in form.q_names])
    xi, xi_dot, p = list[Any](), list[Any](), list[Any]()
    for link, place in zip(form.tree.links, form.spanning.places, strict=True):
        given = form.xi_names[place.xi]
        letters = SPIN.get(link.kind, ("q",) * SIZES[link.kind][1])
        owner = place.carrier.name if place.joint is None else place.joint.name
        for k, (name, letter) in enumerate(zip(given, letters, strict=True)):
            label = _label(form.q_names[place.q.start]) if letter == "q" else Label(letter, (owner, str(k % 3 + 1)))
            xi.append(symbols([name], [label], dotted=letter == "q")[0])
            twice = label.dotted.replace(r"\dot", r"\ddot", 1) if letter == "q" else label.dotted
            xi_dot.append(steps.symbol(label.rate.rate if letter == "q" else label.rate, twice))
            momentum = Label("p", label.subscripts if letter == "q" else (*label.subscripts[:-1], str(k + 1)))
            p.append(symbols([name.replace(".rate", ".p")], [momentum])[0])
    s = symbols(form.s_names, [_state(name) for name in form.s_names])
    inputs = [_of(name, k, width) for name, width in _inputs(form) for k in range(width)]
    u = symbols(inputs, [Label("u", _subscripts(name)) for name in inputs])
    t = steps.symbol(Label("t"))
    return Variables(q, np.array(xi, dtype=object), np.array(xi_dot, dtype=object), np.array(p, dtype=object), s, u, t, names, rates)


def _inputs(form: MinimalForm) -> list[tuple[str, int]]:
    """Ports and their widths, in the order of u; drives follow their laws."""
    return [(port.name, port.width) for port in form.mechanism.ports]


def _of(name: str, k: int, width: int) -> str:
    return name if width == 1 else f"{name}[{k}]"


def _label(name: str) -> Label:
    """`hinge.q[2]`: q with the subscripts hinge, 3."""
    owner, _, _ = name.partition(".q")
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
