"""Flow laws: what a structure lets flow, (J - R) z + B u of its own part, as expressions in canonical symbols.

    x0, …  coordinates read, at the mean of the step      y0, …  the same at its end      c0, …  Q = R̄⁻ᵀ of poses read
    e0, …  efforts acted on, own multipliers last         u0, …  inputs                   p0, …  parameters
    t0     time                                           k      1/h

The rows follow the efforts: one flow per effort acted on, and one row per multiplier.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, singledispatch
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.laws import InputLaw, MatrixLaw, canonical, symbols
from visviva.geometry.embedding import AbstractSpace, Flat, ProductSpace, Rotations
from visviva.language.trace import expressions, traced_array
from visviva.model.feedback import Feedback
from visviva.model.law import LawMatrix
from visviva.model.structure import AbstractPort, AbstractStructure, Dissipation, Port, Routing, Rows


class NotCompilable(Exception):
    """A block that has no expression; its message names it."""


@final
@dataclass(frozen=True)
class FlowLaw:
    """Flows in canonical symbols; equal laws share one compiled function.

    reads: spaces of the coordinates read.   acts: dimensions of the efforts acted on, own multipliers last.
    """

    flows: tuple[Any, ...]
    reads: tuple[AbstractSpace, ...]
    acts: tuple[int, ...]
    inputs: int
    width: int  # number of parameters
    supplied: tuple[Any, ...] = ()  # inputs that follow from the rest


def is_flat(space: AbstractSpace) -> bool:
    """Whether a space has no rotations: coordinates and tangent vectors are the same."""
    if isinstance(space, ProductSpace):
        return all(is_flat(factor) for factor in space.factors)
    return isinstance(space, Flat)


@singledispatch
def flow_of(part: AbstractStructure, reads: tuple[AbstractSpace, ...], acts: tuple[int, ...]) -> tuple[FlowLaw, Array]:
    """The flow law of a structure with its parameters. reads, acts: the spaces and dimensions behind its names."""
    raise NotCompilable(f"{part.name!r} is of the kind {type(part).__name__}, which has no expression")


@flow_of.register
def _(part: Routing, reads: tuple[AbstractSpace, ...], acts: tuple[int, ...]) -> tuple[FlowLaw, Array]:
    return _product(part, reads, acts, _routed)


@flow_of.register
def _(part: Dissipation, reads: tuple[AbstractSpace, ...], acts: tuple[int, ...]) -> tuple[FlowLaw, Array]:
    return _product(part, reads, acts, _dissipated)


@flow_of.register
def _(part: Port, reads: tuple[AbstractSpace, ...], acts: tuple[int, ...]) -> tuple[FlowLaw, Array]:
    return _product(part, reads, acts, _supplied, part.width)


@flow_of.register
def _(part: Rows, reads: tuple[AbstractSpace, ...], acts: tuple[int, ...]) -> tuple[FlowLaw, Array]:
    return _product(part, reads, (*acts, part.rows), _constrained)


def _product(
    part: Routing | Dissipation | Port | Rows,
    reads: tuple[AbstractSpace, ...],
    acts: tuple[int, ...],
    flows: Callable[[Any], tuple[Any, ...]],
    inputs: int = 0,
) -> tuple[FlowLaw, Array]:
    if isinstance(part.matrix, LawMatrix) and isinstance(part.matrix.law, MatrixLaw):
        law, numbers = part.matrix.law, part.matrix.parameters
        return _of_law(law, flows, reads, acts, inputs), numbers
    if not callable(part.matrix):
        constant = np.asarray(part.matrix, dtype=np.float64)
        return _of_constant(constant.tobytes(), constant.shape, flows, reads, acts, inputs)
    matrix = _traced(part, sum(space.size for space in reads), sum(acts))
    return _of_matrix(matrix, flows, reads, acts, inputs)


@cache
def _of_constant(data: bytes, shape: tuple[int, int], flows: Any, *rest: Any) -> tuple[FlowLaw, Array]:
    constant = np.frombuffer(data).reshape(shape)
    return _of_matrix(np.array([_number(value) for value in constant.flat], dtype=object).reshape(shape), flows, *rest)


def _of_matrix(
    matrix: Any, flows: Any, reads: tuple[AbstractSpace, ...], acts: tuple[int, ...], inputs: int
) -> tuple[FlowLaw, Array]:
    values, numbers = canonical(matrix.ravel(), {}, [])
    given = flows(np.array(values, dtype=object).reshape(matrix.shape))
    return flow_law(given, reads, acts, inputs, len(numbers)), np.array(numbers)


@cache
def _of_law(
    law: MatrixLaw, flows: Any, reads: tuple[AbstractSpace, ...], acts: tuple[int, ...], inputs: int
) -> FlowLaw:
    matrix = np.array(law.values, dtype=object).reshape(law.shape)
    return flow_law(flows(matrix), reads, acts, inputs, law.width)


@cache
def flow_law(
    flows: tuple[Any, ...],
    reads: tuple[AbstractSpace, ...],
    acts: tuple[int, ...],
    inputs: int,
    width: int,
    supplied: tuple[Any, ...] = (),
) -> FlowLaw:
    """One object for equal laws."""
    import sympy

    return FlowLaw(tuple(map(sympy.sympify, flows)), reads, acts, inputs, width, supplied)


def with_feedback(
    law: FlowLaw,
    numbers: Array,
    part: AbstractPort,
    feedback: Feedback,
    spaces: Mapping[str, AbstractSpace],
    dims: Mapping[str, int],
) -> tuple[FlowLaw, Array, tuple[str, ...], tuple[str, ...]]:
    """The flow of a port whose inputs follow a law, its parameters, and all that it reads and acts on, by name.

    Efforts that it only feels get no flow.
    """
    given = feedback.law
    assert isinstance(given, InputLaw)
    reads = tuple(dict.fromkeys((*part.reads, *feedback.reads)))
    acts = tuple(dict.fromkeys((*part.acts, *feedback.feels)))
    x = dict(zip(reads, _split("x", [spaces[name].size for name in reads]), strict=True))
    e = dict(zip(acts, _split("e", [dims[name] for name in acts]), strict=True))
    renamed = dict(zip(symbols("x", given.reads), [s for name in feedback.reads for s in x[name]], strict=True))
    renamed |= dict(zip(symbols("e", given.feels), [s for name in feedback.feels for s in e[name]], strict=True))
    renamed |= dict(zip(symbols("p", given.width), symbols("p", law.width + given.width)[law.width :], strict=True))
    values = tuple(value.xreplace(renamed) for value in given.values)
    put = dict(zip(symbols("u", law.inputs), values, strict=True))
    flows = [flow.xreplace(put) for flow in law.flows]
    flows += [flow * 0 for name in acts[len(part.acts) :] for flow in e[name]]
    sizes = tuple(dims[name] for name in acts)
    whole = flow_law(
        tuple(flows), tuple(spaces[name] for name in reads), sizes, law.inputs, law.width + given.width, values
    )
    return whole, np.concatenate([numbers, feedback.parameters]), reads, acts


def _split(letter: str, sizes: Sequence[int]) -> list[list[Any]]:
    every = iter(symbols(letter, sum(sizes)))
    return [[next(every) for _ in range(size)] for size in sizes]


def _routed(J: Any) -> tuple[Any, ...]:
    return tuple(J @ _vector("e", J.shape[1]))


def _dissipated(R: Any) -> tuple[Any, ...]:
    return tuple(-(R @ _vector("e", R.shape[1])))


def _supplied(B: Any) -> tuple[Any, ...]:
    return tuple(B @ _vector("u", B.shape[1]))


def _constrained(C: Any) -> tuple[Any, ...]:
    rows, n = C.shape
    e = _vector("e", n + rows)
    return (*(-(C.T @ e[n:])), *(C @ e[:n]))


def _vector(letter: str, n: int) -> Any:
    return np.array(symbols(letter, n), dtype=object)


def _number(value: float) -> Any:
    """A whole number or a simple fraction stays in the law; other numbers are parameters."""
    import sympy

    return sympy.Rational(value) if float(2 * value).is_integer() and abs(value) < 100 else sympy.Float(value)


def _traced(part: Routing | Dissipation | Port | Rows, size: int, width: int) -> Any:
    """The matrix of a structure that is given by a plain NumPy function, run on symbols."""
    q, e = traced_array(symbols("x", size)), traced_array(symbols("e", width))
    arguments = (q, e) if isinstance(part, Dissipation) else (q,)
    assert callable(part.matrix)
    try:
        return expressions(part.matrix(*arguments), f"the matrix of {part.name!r}")
    except Exception as reason:
        raise NotCompilable(f"the matrix of {part.name!r} cannot be traced: {reason}") from None


def rotation_of(space: AbstractSpace) -> Rotations | None:
    """The space as one of rotations, if it is."""
    return space if isinstance(space, Rotations) else None
