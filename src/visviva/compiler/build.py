"""Compiled laws: generated once per law, kept on disk, called by address."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from visviva.compiler.codegen import FlowLayout, energy_source, flow_source, gradient_source, input_source, rate_source
from visviva.compiler.flows import FlowLaw, is_flat
from visviva.compiler.laws import EnergyLaw, InputLaw, RateLaw
from visviva.compiler.row_laws import RowLaw, row_source
from visviva.model.control_law import PortLaw
from visviva.model.feedback import AbstractInputLaw


@cache
def _generator() -> str:
    """Hash of what writes sources, SymPy too: what was written before it changed is not used."""
    import sympy

    from visviva.language import discrete, tangents

    here = [Path(__file__).with_name(name) for name in ("codegen.py", "printing.py", "row_laws.py")]
    texts = [path.read_bytes() for path in (*here, Path(discrete.__file__), Path(tangents.__file__))]
    return hashlib.sha256(b"".join([sympy.__version__.encode(), *texts])).hexdigest()


def _key(*what: Any) -> str:
    return hashlib.sha256("\n".join([_generator(), *_parts(what)]).encode()).hexdigest()[:20]


def _parts(what: Any) -> list[str]:
    """Expressions, one line for each part: printed as a tree, what several parts share would be written many times."""
    import sympy

    numbers, lines = dict[tuple[type, Any], int](), list[str]()

    def number(part: Any) -> int:
        key = type(part), part
        if key not in numbers:
            inner = part if isinstance(part, tuple) else part.args if isinstance(part, sympy.Basic) else ()
            name = type(part).__name__ if inner else sympy.srepr(part) if isinstance(part, sympy.Number) else str(part)
            lines.append(f"{name} {[number(one) for one in inner]}")
            numbers[key] = len(numbers)
        return numbers[key]

    number(what)
    return lines


def _source(key: str, write: Callable[[], str]) -> str:
    """The generated source with a key, written if it is not on disk."""
    from visviva.kernels.laws import keep_source, kept_source

    source = kept_source(key)
    if source is None:
        source = write()
        keep_source(key, source)
    return source


@cache
def energy_address(law: EnergyLaw) -> int:
    """Address of the compiled discrete gradient of a law."""
    from visviva.kernels.laws import law_address
    from visviva.kernels.signatures import ENERGY

    source = _source(_key("energy", law.H, law.size, law.width, law.algorithmic), lambda: energy_source(law))
    return law_address(ENERGY, source)


@cache
def gradient_address(law: EnergyLaw) -> int:
    """Address of the compiled gradient of a law at one instant, and of its energy."""
    from visviva.kernels.laws import law_address
    from visviva.kernels.signatures import ENERGY

    source = _source(_key("gradient", law.H, law.size, law.width), lambda: gradient_source(law))
    return law_address(ENERGY, source)


def law_of_inputs(law: AbstractInputLaw) -> int | None:
    """Address of a law of feedback for compiled code, None where it has none."""
    match law:
        case InputLaw():
            return input_address(law)
        case PortLaw():
            return law.address
    return None


@cache
def rate_address(law: RateLaw) -> int:
    """Address of a compiled law of friction."""
    from visviva.kernels.laws import law_address
    from visviva.kernels.signatures import RATE

    return law_address(RATE, _source(_key("rate", law.F, law.width), lambda: rate_source(law)))


def input_address(law: InputLaw) -> int:
    """Address of a compiled law of feedback; each is one of its own."""
    from visviva.kernels.laws import law_address
    from visviva.kernels.signatures import INPUTS

    return law_address(INPUTS, _source(_key("inputs", law.values, law.sizes), lambda: input_source(law)))


@cache
def flow_address(law: FlowLaw, stages: int) -> tuple[int, FlowLayout]:
    """Address of the compiled flows of a law, and what a row of its table holds."""
    from visviva.kernels.laws import constants, law_address
    from visviva.kernels.signatures import FLOW

    key = _key("flow", law.flows, law.reads, law.acts, law.inputs, law.width, law.supplied, stages)
    source = _source(key, lambda: flow_source(law, stages))
    given = constants(source)
    layout = FlowLayout(tuple(is_flat(space) for space in law.reads), given["ENDS"], len(law.acts), given["PAIRS"])
    return law_address(FLOW, source), layout


@cache
def row_address(law: RowLaw) -> int:
    """Address of the compiled rows of a condition."""
    from visviva.kernels.laws import law_address
    from visviva.kernels.signatures import ROWS

    return law_address(ROWS, _source(_key("rows", law.values, law.rows, law.bodies), lambda: row_source(law)))
