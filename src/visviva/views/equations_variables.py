"""The variables of a flattened system: states, efforts, multipliers and parameters, each under its own symbols."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from visviva.errors import ModelError
from visviva.language import Composite, Environment, Reversible, Source, Storage
from visviva.language.expression import Expression
from visviva.views.equations_effort import name_efforts
from visviva.views.equations_names import Label, Names, candidates
from visviva.views.equations_pattern import expressed, expressions_of, holders, states_used, walk
from visviva.views.equations_states import Symbols, name_states
from visviva.views.equations_terms import Vector, named_vector


@final
@dataclass(frozen=True, eq=False)
class Variables:
    """By junction: the box that holds its state, label and symbols of the state, symbols of its rate, its effort.

    outer_efforts, outer_flows: of outer power ports, by junction.   multipliers: by box; of sources what they give.
    given:         efforts of sources, by box.
    parameters:    symbols by "box.parameter", with numbers in `values`.
    abbreviations: efforts that have a name, with what they stand for.
    spelling:      LaTeX of every symbol.
    """

    flat: Composite
    holder: dict[str, str]
    state_labels: dict[str, Label]
    states: dict[str, Symbols]
    rates: dict[str, Symbols]
    outer_efforts: dict[str, Vector]
    outer_flows: dict[str, Vector]
    multipliers: dict[str, Vector]
    given: dict[str, Vector]
    parameters: dict[str, Any]
    efforts: dict[str, Vector]
    abbreviations: tuple[tuple[Vector, Symbols], ...]
    values: dict[Any, float]
    spelling: dict[Any, str]

    def of(self, box: str, expression: Expression) -> Any:
        """The values of an expression of a box, as a matrix, in these variables."""
        efforts = {at: effort.entries for at, effort in self.efforts.items()}
        return expressed(self.flat, box, expression, self.states, self.parameters, efforts)


def variables(flat: Composite) -> Variables:
    """Name everything in a flattened composite: states first, then outer ports, multipliers, parameters, efforts."""
    import sympy

    names = Names()
    names.take([Label("theta_0")], lambda label: [label])
    theta0 = sympy.Symbol("theta_0", positive=True)
    holder = holders(flat)
    known = {*holder, *states_used(flat, holder)}
    state_labels, states, rates = name_states(flat, [at for at in walk(flat) if at in known], names)
    power = {at: port for port, at in flat.outer.items() if flat.interface[port].power}
    outer_efforts, outer_flows = (
        {
            at: named_vector(names, [Label(port, suffix=s)], flat.junctions[at].quantity.dim)
            for at, port in power.items()
        }
        for s in (".e", ".f")
    )
    rows = {
        name: box.C.shape[0] for name, box in flat.boxes.items() if isinstance(box, Reversible) and box.C is not None
    }
    named = candidates(rows, lambda _, name: f"lambda_{name}")
    multipliers = {name: named_vector(names, options, rows[name]) for name, options in named.items()}
    sources = {
        name: next(iter(box.interface.values())).quantity.dim
        for name, box in flat.boxes.items()
        if isinstance(box, Source)
    }
    given, taken = (
        {name: named_vector(names, [Label(name, suffix=s)], n) for name, n in sources.items()} for s in (".e", ".f")
    )
    multipliers |= taken
    parameters, values = _parameters(flat, names)
    stored = {
        at: expressed(flat, box, energy.H, states, parameters, {})[0]
        for at, box in holder.items()
        if isinstance(energy := flat.boxes[box], Storage)
    }
    efforts, abbreviations = name_efforts(flat, stored, states, outer_efforts, names, theta0)
    return Variables(
        flat, holder, state_labels, states, rates, outer_efforts, outer_flows, multipliers, given, parameters,
        efforts, abbreviations, values | _temperature(flat, theta0), names.spelling | {theta0: r"\theta_{0}"},
    )  # fmt: skip


def _temperature(flat: Composite, theta0: Any) -> dict[Any, float]:
    temperatures = {box.theta0: name for name, box in flat.boxes.items() if isinstance(box, Environment)}
    if len(temperatures) > 1:
        listed = ", ".join(f"{name} at {theta:g} K" for theta, name in temperatures.items())
        raise ModelError(f"{flat.name!r} has environments of different temperatures: {listed}. Exergy needs one θ0.")
    return dict(zip([theta0], temperatures, strict=False))


def _parameters(flat: Composite, names: Names) -> tuple[dict[str, Any], dict[Any, float]]:
    numbers = {
        f"{name}.{parameter}": number
        for name, box in flat.boxes.items()
        for expression in expressions_of(box)
        for parameter, (_, number) in expression.parameters.items()
    }
    symbols = {path: named_vector(names, options, 1).entries[0] for path, options in candidates(numbers).items()}
    return symbols, {symbols[path]: number for path, number in numbers.items()}
