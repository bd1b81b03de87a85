"""Names of states and of their rates: components of vectors, r and R of poses."""

from __future__ import annotations

from typing import Any

from visviva.geometry.embedding import AbstractSpace, Flat, ProductSpace, Rotations
from visviva.language import Composite
from visviva.views.equations_names import Label, Names, candidates, relettered

Symbols = tuple[Any, ...]


def name_states(
    flat: Composite, junctions: list[str], names: Names
) -> tuple[dict[str, Label], dict[str, Symbols], dict[str, Symbols]]:
    """Labels, symbols and symbols of the rates of the states at some junctions."""
    labels, states, rates = {}, {}, {}
    for at, options in candidates(junctions).items():
        space = flat.junctions[at].quantity.space.embedding
        label, symbols = names.take(options, lambda one, s=space: [*_parts(one, s), *_rates(one, s)])  # type: ignore[misc]
        labels[at], states[at], rates[at] = label, symbols[: space.size], symbols[space.size :]
        if isinstance(space, Flat):
            dotted = (part.dotted for part in label.components(space.n))
            names.spelling.update(zip(rates[at], dotted, strict=True))
    return labels, states, rates


def _parts(label: Label, space: AbstractSpace) -> list[Label]:
    """Names of the embedding coordinates, in their order: R by columns."""
    match space:
        case Rotations(n, moves):
            R, r = (Label(relettered(label.name, "q", letter), label.subscripts) for letter in "Rr")
            columns = [R.at(f"{i + 1}{k + 1}") for k in range(n) for i in range(n)]
            return [*r.components(n), *columns] if moves else columns
        case ProductSpace(factors):
            several = len({type(factor) for factor in factors}) < len(factors)
            parts = [(label.at(str(k + 1)) if several else label, factor) for k, factor in enumerate(factors)]
            return [name for one, factor in parts for name in _parts(one, factor)]
    return label.components(space.size)


def _rates(label: Label, space: AbstractSpace) -> list[Label]:
    """p_dot of a vector, the left-trivialised ξ of a group."""
    if isinstance(space, Flat):
        return label.rate.components(space.n)
    return Label(relettered(label.name, "q", "xi"), label.subscripts).components(space.dim)
