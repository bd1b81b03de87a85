"""Drives among the inputs of a linear system: which of them, and by position, rate or acceleration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from visviva.compiler import compile_mechanism
from visviva.compiler.conditions import with_laws
from visviva.errors import ModelError
from visviva.forms.minimal.form import MinimalForm
from visviva.integrate.inputs import AllInputs, input_function
from visviva.linear.excitation import ORDERS
from visviva.mechanism import Definition
from visviva.mechanism.motion_laws import law_of_position, law_of_rate


def driven_inputs(m: Definition, inputs: Sequence[str] | None) -> tuple[dict[str, int], Sequence[str] | None]:
    """Drives that are inputs, with the order of the derivative that is given, and all inputs by their full names.

    A drive is meant by "<drive>.position", ".rate" or ".acceleration"; its name alone is its rate, as in runs.
    """
    if inputs is None or isinstance(inputs, str):
        return {}, inputs
    known = {part.name for part in m.conditions if part.law is not None}
    found, names = dict[str, int](), list[str]()
    for name in inputs:
        drive, _, word = (name, "", "rate") if name in known else str(name).rpartition(".")
        if drive not in known or word not in ORDERS:
            names.append(name)
            continue
        if drive in found:
            raise ModelError(
                f"drive {drive!r} is given twice among the inputs: its position, rate and acceleration are one."
            )
        found[drive] = ORDERS.index(word)
        names.append(f"{drive}.{word}")
    return found, names


def form_with_drives_at_rest(m: Definition, operating: AllInputs | None, drives: Iterable[str]) -> MinimalForm:
    """The minimal form of a mechanism in which some drives stand where they are at t = 0."""
    model = compile_mechanism(m, "lie")
    laws, given = {}, operating if isinstance(operating, Mapping) else {}
    for port in model.prescribed.values():
        law = port.condition.law
        if port.name in drives and port.name not in given and law is not None:
            place = law.position
            laws[port.name] = law_of_rate(port.name, 0.0) if place is None else law_of_position(port.name, place(0.0))
    inputs, model = input_function(with_laws(model, laws), operating)
    return MinimalForm(model, inputs=inputs)
