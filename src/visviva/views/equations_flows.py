"""Flows into boxes and rows of constraints, as linear forms in efforts and multipliers."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, final

from visviva.language import Irreversible, Reversible
from visviva.language.expression import Expression
from visviva.views.equations_names import Label, candidates
from visviva.views.equations_pattern import ends
from visviva.views.equations_terms import Form, Term, Vector, block
from visviva.views.equations_variables import Variables


@final
@dataclass(frozen=True, eq=False)
class Balance:
    """By junction the sum of flows into boxes without a state of their own; by box the rows 0 = C e of constraints.

    sources: what sources give, by box, where that was eliminated.
    """

    flows: dict[str, Form]
    rows: dict[str, Form]
    sources: dict[str, Form] = field(default_factory=dict)


def balance(v: Variables) -> Balance:
    """Sum the flows at every junction: f = -J e + Cᵀ λ of reversible boxes, f = M e / θ0 of irreversible ones.

    A source has the row 0 = e - u, with what it gives as the multiplier.
    """
    flows: dict[str, Form] = dict.fromkeys(v.efforts, ())
    rows: dict[str, Form] = {}
    at = ends(v.flat)
    boxes = {name: box for name, box in v.flat.boxes.items() if isinstance(box, Reversible | Irreversible)}
    for name, options in candidates(boxes).items():
        box = boxes[name]
        ports = [(port.name, at[name, port.name]) for port in box.power_ports]
        if isinstance(box, Irreversible):
            for junction, column in zip((j for _, j in ports), _onsager(v, name, box, ports), strict=True):
                flows[junction] += (Term(1, (), column),)
            continue
        _add_skew(v, flows, name, box, ports, options)
        if box.C is not None:
            rows[name] = _add_rows(v, flows, name, box.C, ports, options)
    for name, given in v.given.items():
        junction = next(at[name, port] for port in v.flat.boxes[name].interface)
        flows[junction] += (Term(-1, (), v.multipliers[name]),)
        rows[name] = (Term(1, (), v.efforts[junction]), Term(-1, (), given))
    return Balance(flows, rows)


Ports = list[tuple[str, str]]  # port and its junction


def _slices(v: Variables, ports: Ports) -> list[slice]:
    stops = list(accumulate(v.efforts[junction].n for _, junction in ports))
    return [slice(start, stop) for start, stop in zip([0, *stops], stops, strict=False)]


def _add_skew(
    v: Variables, flows: dict[str, Form], name: str, box: Reversible, ports: Ports, options: list[Label]
) -> None:
    """-J e by blocks; the block below the diagonal is minus the transposed one above it."""
    J, cut = v.of(name, box.J), _slices(v, ports)
    pairs = [(i, k) for i in range(len(ports)) for k in range(i, len(ports))]
    for i, k in pairs:
        label = _block_label("J", options, [] if len(ports) == 1 else [ports[i][0], ports[k][0]])
        found = block(J[cut[i], cut[k]], label)
        if found is None:
            continue
        sign, factors = found
        (_, first), (_, second) = ports[i], ports[k]
        flows[first] += (Term(-sign, factors, v.efforts[second]),)
        if i != k:
            flows[second] += (Term(sign, tuple(f.T for f in reversed(factors)), v.efforts[first]),)


def _add_rows(
    v: Variables, flows: dict[str, Form], name: str, rows: Expression, ports: Ports, options: list[Label]
) -> Form:
    """The form C e; adds Cᵀ λ to the flows."""
    C, form = v.of(name, rows), []
    blocks = [C[:, cut] for cut in _slices(v, ports)]
    named = [found is not None and bool(found[1]) for found in (block(one, Label("")) for one in blocks)]
    for (port, junction), matrix in zip(ports, blocks, strict=True):
        found = block(matrix, _block_label("C", options, [port] if sum(named) > 1 else []))
        if found is not None:
            sign, factors = found
            form.append(Term(sign, factors, v.efforts[junction]))
            flows[junction] += (Term(sign, tuple(f.T for f in reversed(factors)), v.multipliers[name]),)
    return tuple(form)


def _block_label(letter: str, options: list[Label], ports: list[str]) -> Label:
    label = options[0]
    return Label(f"{letter}_{label.name}", (*label.subscripts, *ports))


def _onsager(v: Variables, name: str, box: Irreversible, ports: Ports) -> list[Vector]:
    import sympy

    M = v.of(name, box.M)
    e = sympy.Matrix([entry for _, junction in ports for entry in v.efforts[junction].entries])
    f = M * e / box.M.theta0
    return [Vector(tuple(map(_simplified, f[cut, 0]))) for cut in _slices(v, ports)]


def _simplified(expression: Any) -> Any:
    """Common factors cancelled, which floating-point numbers would spoil: with them products are only expanded."""
    import sympy

    return sympy.expand(expression) if expression.has(sympy.Float) else sympy.cancel(expression)
