"""Inputs of many runs: by port name or as one array, for all members or one by one, held over each step."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.integrate.inputs import Input, TimeInputs, check_ports, looks_back, port_name, refuse_held_sources
from visviva.model import Model

MemberInputs = Mapping[str, Input] | ArrayLike | None


@final
@dataclass(frozen=True, eq=False)
class HeldTable:
    """What is held: for some inputs an array (members or 1, steps or 1, inputs of the port)."""

    width: int
    entries: tuple[tuple[str, slice, Array], ...]

    def counts(self) -> dict[str, int]:
        """How many members each array has, where that is not one for all."""
        return {what: len(values) for what, _, values in self.entries if len(values) > 1}

    def rows(self, i: int) -> Array | None:
        """Those of a member, (steps or 1, inputs), not a number where they are as given over time; None: nowhere."""
        if not self.entries:
            return None
        steps = max(values.shape[1] for _, _, values in self.entries)
        rows = np.full((steps, self.width), np.nan)
        for _, at, values in self.entries:
            rows[:, at] = values[i if len(values) > 1 else 0]
        return rows

    def part(self, members: slice) -> HeldTable:
        """Those of some members."""
        entries = [(what, at, values[members] if len(values) > 1 else values) for what, at, values in self.entries]
        return HeldTable(self.width, tuple(entries))


Functions = dict[str, Callable[[float], ArrayLike]]


def over_time(given: TimeInputs, functions: Functions) -> TimeInputs:
    """Inputs of a simulator over time, with other functions for some ports, and nothing held."""
    all_of_them = given.functions | functions
    return dataclasses.replace(given, functions=all_of_them, _values=None, _held=frozenset(), _constant=None)


def member_inputs(
    model: Model, given: TimeInputs, inputs: MemberInputs, names: tuple[str, ...], steps: int
) -> tuple[Functions, HeldTable]:
    """Functions of time that all members share, and what is held for each.

    given: inputs of the simulator.   names: of all inputs in order.
    """
    width, functions = len(given.base), Functions()
    if inputs is None:
        return functions, HeldTable(width, ())
    solved = [part.port for part in model.feedback]
    if not isinstance(inputs, Mapping):
        if solved:
            raise _solved(solved[0])
        refuse_held_sources(model, model.port_columns)
        values = _numbers(inputs, "inputs of a rollout")
        if values.ndim != 3 or values.shape[2] != width or values.shape[1] not in (1, steps):
            raise ModelError(
                f"inputs of a rollout as one array have the shape (members, steps, inputs) = (B, {steps}, {width}), "
                f"the last in the order\n{', '.join(names) or 'of no inputs'}; got {values.shape}. Axes of length 1 "
                "are for all members, or all steps."
            )
        return functions, HeldTable(width, (("inputs", slice(0, width), values),))
    check_ports(model, map(port_name, inputs))
    entries = list[tuple[str, slice, Array]]()
    for port, value in inputs.items():
        name = port_name(port)
        if name in solved:
            raise _solved(name)
        refuse_held_sources(model, (name,))
        if not callable(value):
            at = given.columns[name]
            entries.append((f"input {name!r}", at, _held(value, name, at.stop - at.start, steps)))
        elif looks_back(name, value) or name in given.laws or name in _driven(model):
            raise ModelError(
                f"the input of port {name!r} is a law that is solved inside of steps, or prescribes a motion: it "
                "belongs to the\nequations. Give it to the Simulator: vv.Simulator(m, h=..., inputs={...})."
            )
        else:
            functions[name] = value
    return functions, HeldTable(width, tuple(entries))


def _driven(model: Model) -> set[str]:
    return {port.name for port in model.prescribed.values()}


def _held(value: ArrayLike, name: str, width: int, steps: int) -> Array:
    """As (members or 1, steps or 1, width)."""
    values = _numbers(value, f"the input of port {name!r} in a rollout")
    values = values[..., None] if width == 1 else values
    if values.ndim == 1:
        values = values[None]
    if values.ndim == 2:
        values = values[:, None]
    if values.ndim == 3 and values.shape[1] in (1, steps) and values.shape[2] == width:
        return values
    tail = "" if width == 1 else f", {width}"
    one = "a number" if width == 1 else f"{width} numbers"
    raise ModelError(
        f"the input of port {name!r} in a rollout is {one} for all, (B{tail or ','}) for each member, or "
        f"(B, {steps}{tail}) held over each\nof {steps} steps, or a function of time; got the shape {np.shape(value)}. "
        "An axis of length 1 is for all members, or all steps."
    )


def _numbers(value: Any, what: str) -> Array:
    try:
        values = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ModelError(f"{what} must be numbers or a function of time, got {type(value).__name__}.") from None
    if not np.isfinite(values).all():
        at = tuple(int(k) for k in np.argwhere(~np.isfinite(values))[0])
        raise ModelError(f"{what} must be finite numbers, got {values[at]} at {at}.")
    return values


def _solved(name: str) -> ModelError:
    return ModelError(
        f"the input of port {name!r} is a law of states or efforts, which is solved inside of steps: it cannot be held "
        "at another value.\nName other ports only, or make the Simulator without that law."
    )
