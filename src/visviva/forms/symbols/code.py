"""Generated functions: quantities of symbolic equations as NumPy, Numba or C code, one line per definition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_array, finite_number
from visviva.errors import ModelError
from visviva.forms.symbols.targets import TARGETS, Assignments

MATRICES = {"A", "D", "M", "Z", "G", "R_v", "B_v", "E", "J", "R", "B"}  # may have one column, and are no vectors


class Quantities(Protocol):
    """What code can be generated from: symbols of arguments, quantities as attributes, and their definitions."""

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def arguments(self) -> dict[str, tuple[Any, ...]]: ...  # noqa: D102

    @property
    def values(self) -> Any: ...  # noqa: D102

    def definitions(self, *values: Any) -> dict[Any, Any]: ...  # noqa: D102


@final
@dataclass(frozen=True, eq=False)
class GeneratedFunction:
    """A function of the arguments of some equations, in their order; those after q that are left out are zero.

    It takes arrays with any leading axes that all arguments share, and returns an array, or a tuple of them, for the
    quantities it was made of. Parameters have their values unless others are given by name.

    source: the text of the function.   target: "numpy", "numba" or "c".
    """

    name: str
    quantities: tuple[str, ...]
    arguments: dict[str, int]
    shapes: tuple[tuple[int, ...], ...]
    parameters: dict[str, float]
    target: str
    source: str

    @cached_property
    def _run(self) -> Any:
        return TARGETS[self.target].load(self.source)

    def __call__(self, *given: ArrayLike, parameters: Mapping[str, float] | None = None) -> Any:
        """The quantities at values of the arguments."""
        x = self._packed(given, {} if parameters is None else parameters)
        out = np.empty((*x.shape[:-1], sum(int(np.prod(shape)) for shape in self.shapes)))
        if out.size:
            with np.errstate(all="ignore"):  # what is not finite is refused below
                self._run(x.reshape(-1, x.shape[-1]), out.reshape(-1, out.shape[-1]))
        found, first = [], 0
        for name, shape in zip(self.quantities, self.shapes, strict=True):
            size = int(np.prod(shape))
            part = out[..., first : first + size]
            if not np.isfinite(part).all():
                raise ModelError(f"{name} of {self.name!r} is not finite at this state: a division by zero, or a root.")
            found.append(part.reshape((*x.shape[:-1], *shape)))
            first += size
        return found[0] if len(found) == 1 else tuple(found)

    def _packed(self, given: Sequence[ArrayLike], parameters: Mapping[str, float]) -> Array:
        if not 1 <= len(given) <= len(self.arguments):
            raise ModelError(
                f"the function of {self.name!r} takes {', '.join(self.arguments)}; got {len(given)} values."
            )
        parts = [self._argument(name, given[k : k + 1]) for k, name in enumerate(self.arguments)]
        try:
            leading = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
        except ValueError:
            shapes = ", ".join(f"{n} {p.shape[:-1]}" for n, p in zip(self.arguments, parts, strict=True))
            raise ModelError(
                f"leading axes of arguments of the function of {self.name!r} do not go together: {shapes}."
            ) from None
        numbers = self._numbers(parameters)
        spread = [np.broadcast_to(part, (*leading, part.shape[-1])) for part in (*parts, numbers)]
        return np.ascontiguousarray(np.concatenate(spread, axis=-1))

    def _argument(self, name: str, given: Sequence[ArrayLike]) -> Array:
        """An argument with its entries along the last axis, zero where it is not given."""
        width, what = self.arguments[name], f"{name} of the function of {self.name!r}"
        if not given or width == 0 == np.size(given[0]):
            return np.zeros(width)
        value = finite_array(given[0], what)
        value = value[..., None] if name == "t" else value
        if value.shape[-1:] != (width,):
            raise ModelError(f"{what} must have {width} entries, got shape {value.shape}.")
        return value

    def _numbers(self, parameters: Mapping[str, float]) -> Array:
        """Values of all parameters, some of them other ones than those of the model."""
        if not isinstance(parameters, Mapping):
            raise ModelError(f"parameters of the function of {self.name!r} are {{name: number}}, got {parameters!r}.")
        unknown = [name for name in parameters if name not in self.parameters]
        if unknown:
            known = ", ".join(self.parameters) or "none"
            raise ModelError(f"the function of {self.name!r} has no parameter {str(unknown[0])!r}; it has {known}.")
        given = {name: finite_number(value, f"parameter {name!r}") for name, value in parameters.items()}
        return np.array([*(self.parameters | given).values()])


def generated(source: Quantities, names: Sequence[str], target: str) -> GeneratedFunction:
    """Code for some quantities."""
    import sympy

    if not isinstance(target, str) or target not in TARGETS:
        raise ModelError(f"code is generated for {', '.join(TARGETS)}, not for {target!r}.")
    quantities = [_quantity(source, name) for name in names]
    entries = [sympy.sympify(value) for array in quantities for value in array.ravel()]
    symbols = [symbol for group in source.arguments.values() for symbol in group]
    assignments = _assignments(source.definitions(*entries), entries, [*symbols, *source.values])
    text = TARGETS[target].write(assignments)
    return GeneratedFunction(
        source.name,
        tuple(names),
        {name: len(group) for name, group in source.arguments.items()},
        tuple(array.shape for array in quantities),
        {str(symbol): float(number) for symbol, number in source.values.items()},
        target,
        text,
    )


def _quantity(source: Any, name: str) -> Any:
    """An object array; columns of SymPy are vectors."""
    import sympy

    value = getattr(source, name, None) if isinstance(name, str) and not name.startswith("_") else None
    if isinstance(value, sympy.MatrixBase):
        array = np.array(value.tolist(), dtype=object).reshape(value.shape)
        return array[:, 0] if value.cols == 1 and name not in MATRICES else array
    if isinstance(value, sympy.Expr | np.ndarray):
        return np.asarray(value, dtype=object)
    raise ModelError(
        f"equations have no quantity {name!r} to generate code of: ask for matrices and expressions by name, such as\n"
        "M, f, g, T and V; those of single parts are in .forces, .energies and .rows."
    )


def _assignments(definitions: dict[Any, Any], entries: list[Any], symbols: list[Any]) -> Assignments:
    """In the symbols x0, … of arguments and w0, … of intermediates; what is short has its common parts taken out."""
    import sympy

    steps = list(definitions.items())
    if not steps:
        steps, entries = sympy.cse(entries, symbols=sympy.numbered_symbols("_common"), order="none")
    renamed = {symbol: sympy.Symbol(f"x{k}", real=True) for k, symbol in enumerate(symbols)}
    renamed |= {symbol: sympy.Symbol(f"w{k}", real=True) for k, (symbol, _) in enumerate(steps)}
    known = set(renamed)
    for value in (*(value for _, value in steps), *entries):
        if foreign := value.free_symbols - known:
            raise ModelError(
                f"the expression {value} depends on {sorted(map(str, foreign))[0]!r}, which is no argument."
            )
    used = set().union(set(), *(value.free_symbols for value in (*(v for _, v in steps), *entries)))
    loads = {k: renamed[symbol] for k, symbol in enumerate(symbols) if symbol in used}
    lines = [(renamed[s], v.xreplace(renamed)) for s, v in steps]
    return Assignments(loads, lines, [v.xreplace(renamed) for v in entries], {k: str(symbols[k]) for k in loads})
