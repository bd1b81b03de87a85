"""A flattened pattern as equations see it: who holds a state, who uses it, in which order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from visviva.errors import ModelError
from visviva.language import AbstractSystem, Composite, Irreversible, Reversible, Storage
from visviva.language.composite import End
from visviva.language.expression import Expression


def ends(flat: Composite) -> dict[End, str]:
    """The junction of every port, box by box: so the order of equations does not depend on nesting."""
    at = {end: name for name, junction in flat.junctions.items() for end in junction.ends}
    order = [(name, port) for name, box in flat.boxes.items() for port in box.interface]
    return {end: at[end] for end in order}


def walk(flat: Composite) -> list[str]:
    """Junctions as the boxes first meet them."""
    return list(dict.fromkeys(ends(flat).values()))


def holders(flat: Composite) -> dict[str, str]:
    """The storage or environment at each junction that has one."""
    holder: dict[str, str] = {}
    for (box, _), at in ends(flat).items():
        if flat.boxes[box].kind in ("storage", "environment"):
            if at in holder:
                raise ModelError(
                    f"junction {at!r} of {flat.name!r} has two boxes that hold its state: {holder[at]} and {box}.\n"
                    "One junction, one storage: make one storage with both energies, or join two junctions by rows C."
                )
            holder[at] = box
    return holder


def expressions_of(box: AbstractSystem) -> list[Expression]:
    """What a primitive system holds."""
    match box:
        case Storage():
            return [box.H]
        case Reversible():
            return [box.J, *([box.C] if box.C is not None else [])]
        case Irreversible():
            return [box.M]
    return []


def states_used(flat: Composite, holder: dict[str, str]) -> list[str]:
    """Junctions whose state appears in the structure of a box; it must be held there, or come from outside."""
    used: dict[str, str] = {}
    for (box, port), at in ends(flat).items():
        for expression in expressions_of(flat.boxes[box]):
            free = set().union(*(entry.free_symbols for entry in expression.values.ravel()), set())
            if free & set(expression.states.get(port, ())):
                used.setdefault(at, box)
    for at, box in used.items():
        if at not in holder and at not in flat.outer.values():
            raise ModelError(
                f"box {box!r} of {flat.name!r} depends on the state of junction {at!r}, where no box holds one.\n"
                "Add a storage there, if need be with the energy 0, or show the junction outside."
            )
    return list(used)


def expressed(
    flat: Composite,
    box: str,
    expression: Expression,
    states: Mapping[str, tuple[Any, ...]],
    parameters: Mapping[str, Any],
    efforts: Mapping[str, tuple[Any, ...]],
) -> Any:
    """The values of an expression of a box, as a matrix, in the system's own states, efforts and parameters."""
    import sympy

    at = {port: junction for (name, port), junction in ends(flat).items() if name == box}
    swap = {symbol: parameters[f"{box}.{name}"] for name, (symbol, _) in expression.parameters.items()}
    for port, own in expression.states.items():
        swap |= dict(zip(own, states.get(at[port], own), strict=True))
    for port, own in expression.efforts.items():
        swap |= dict(zip(own, efforts[at[port]], strict=True))
    matrix = (
        sympy.Matrix(1, 1, [expression.values.item()]) if expression.shape == () else sympy.Matrix(expression.values)
    )
    return matrix.applyfunc(lambda entry: entry.xreplace(swap))
