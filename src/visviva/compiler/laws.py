"""Laws made from traced expressions, in canonical symbols: equal laws are one object, however things were called.

A state is x0, x1, …, an effort e0, e1, …, a parameter p0, p1, …; numbers that are no small fractions are parameters
too. So `0.5 * k * x.q**2` and `stiff * x.s**2 / 2` are one law, and one compiled function serves both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.language.discrete import FUNCTIONS, NoRule, discrete_gradient
from visviva.language.slopes import slope
from visviva.model.feedback import AbstractInputLaw
from visviva.model.law import AbstractEnergyLaw, AbstractMatrixLaw, AbstractRateLaw
from visviva.model.storage import secant_of_gonzalez


def symbols(letter: str, n: int) -> list[Any]:
    """The canonical symbols of one kind."""
    import sympy

    return [sympy.Symbol(f"{letter}{k}", real=True) for k in range(n)]


def canonical(
    values: Sequence[Any], given: Mapping[str, Sequence[Any]], parameters: Sequence[tuple[Any, float]]
) -> tuple[tuple[Any, ...], list[float]]:
    """Expressions in canonical symbols, and the numbers of the parameters that occur in them.

    given: the symbols of each kind, by letter.
    """
    import sympy

    renamed = {old: new for letter, olds in given.items() for old, new in zip(olds, symbols(letter, len(olds)))}  # noqa: B905
    used = set().union(set(), *(value.free_symbols for value in values))
    known = [(symbol, number) for symbol, number in parameters if symbol in used]
    literals = sorted(set().union(set(), *(value.atoms(sympy.Float) for value in values)), key=float)
    places = symbols("p", len(known) + len(literals))
    renamed |= {symbol: place for (symbol, _), place in zip(known, places, strict=False)}
    renamed |= dict(zip(literals, places[len(known) :], strict=True))
    return tuple(value.xreplace(renamed) for value in values), [n for _, n in known] + [float(n) for n in literals]


def _terms(expr: Any) -> Any:
    """Σ |terms| of sums, products of them in products: 1 - cos(x) rounds as 1 + |cos(x)| does."""
    import sympy

    if expr.is_Add:
        return sympy.Add(*map(_terms, expr.args))
    if expr.is_Mul:
        return sympy.Mul(*map(_terms, expr.args))
    return sympy.Abs(expr)


@final
class EnergyLaw(AbstractEnergyLaw):
    """H(x0, …; p0, …), with the gradient and the discrete gradient that follow from it. Made by `energy_law`.

    algorithmic: whether the discrete gradient is the algorithmic one where it exists; else it is that of Gonzalez.
    """

    def __init__(self, H: Any, size: int, width: int, algorithmic: bool) -> None:
        self.H = H
        self.size = size
        self.width = width
        self.algorithmic = algorithmic

    def __reduce__(self) -> Any:
        return energy_law, (self.H, self.size, self.width, self.algorithmic)

    @cached_property
    def slopes(self) -> list[Any]:
        """∂H/∂x."""
        return [slope(self.H, x) for x in symbols("x", self.size)]

    @cached_property
    def differences(self) -> list[Any] | None:
        """The algorithmic discrete gradient between a0, … and b0, …; None where a function has no rule for it."""
        ends = symbols("a", self.size), symbols("b", self.size)
        if not self.algorithmic:
            return None
        try:
            return discrete_gradient(self.H, symbols("x", self.size), ends)
        except NoRule:
            return None

    @cached_property
    def quadratic(self) -> bool:  # type: ignore[override]
        """Homogeneous of second degree."""
        import sympy

        x = symbols("x", self.size)
        if not self.H.is_polynomial(*x):  # seen at once, where to expand it takes seconds
            return False
        return all(sum(powers) == 2 for powers in sympy.Poly(self.H, *x).monoms())

    @cached_property
    def _energy(self) -> Callable[..., Array]:
        return numeric_law([self.H], "x", (self.size,), self.width)

    @cached_property
    def _gradient(self) -> Callable[..., Array]:
        return numeric_law(self.slopes, "x", (self.size,), self.width)

    @cached_property
    def _secant(self) -> Callable[..., Array] | None:
        return (
            None
            if self.differences is None
            else numeric_law(self.differences, "ab", (self.size, self.size), self.width)
        )

    @cached_property
    def _magnitude(self) -> Callable[..., Array]:
        return numeric_law([_terms(self.H)], "x", (self.size,), self.width)

    def energy(self, q: Array, p: Array) -> Array:  # noqa: D102
        return self._energy(q, p)[..., 0]

    def magnitude(self, q: Array, p: Array) -> Array:  # noqa: D102
        return self._magnitude(q, p)[..., 0]

    def gradient(self, q: Array, p: Array) -> Array:  # noqa: D102
        return self._gradient(q, p)

    def secant(self, q0: Array, q1: Array, p: Array) -> Array:  # noqa: D102
        if self._secant is not None:
            return self._secant(q0, q1, p)
        return secant_of_gonzalez(lambda q: self.energy(q, p), lambda q: self.gradient(q, p), q0, q1)


@final
class MatrixLaw(AbstractMatrixLaw):
    """A matrix in x0, … (coordinates), e0, … (efforts) and p0, …; `values` row by row. Made by `matrix_law`."""

    def __init__(self, values: tuple[Any, ...], shape: tuple[int, int], sizes: tuple[int, int, int]) -> None:
        self.values = values
        self.shape = shape
        self.reads, self.acts, self.width = self.sizes = sizes

    def __reduce__(self) -> Any:
        return matrix_law, (self.values, self.shape, self.sizes)

    @cached_property
    def _matrix(self) -> Callable[..., Array]:
        return numeric_law(self.values, "xe", (self.reads, self.acts), self.width)

    def matrix(self, q: Array, e: Array, p: Array) -> Array:  # noqa: D102
        if not self.acts:  # J and C do not depend on efforts
            e = e[..., :0]
        flat = self._matrix(q, e, p)
        return flat.reshape(*flat.shape[:-1], *self.shape)


@final
class InputLaw(AbstractInputLaw):
    """Inputs in t0 (time), x0, … (coordinates), e0, … (efforts) and p0, …. Made by `input_law`."""

    def __init__(self, values: tuple[Any, ...], sizes: tuple[int, int, int]) -> None:
        self.values = values
        self.reads, self.feels, self.width = self.sizes = sizes

    def __reduce__(self) -> Any:
        return input_law, (self.values, self.sizes)

    @cached_property
    def _inputs(self) -> Callable[..., Array]:
        return numeric_law(self.values, "txe", (1, self.reads, self.feels), self.width)

    def inputs(self, t: Array, q: Array, z: Array, p: Array) -> Array:  # noqa: D102
        return self._inputs(t, q, z, p)


@final
class RateLaw(AbstractRateLaw):
    """A force in r0 (a rate), t0 (a temperature) and p0, …. Made by `rate_law`."""

    def __init__(self, F: Any, width: int) -> None:
        self.F = F
        self.width = width

    def __reduce__(self) -> Any:
        return rate_law, (self.F, self.width)

    @cached_property
    def warm(self) -> bool:  # type: ignore[override]
        """Whether it depends on the temperature."""
        return symbols("t", 1)[0] in self.F.free_symbols

    @cached_property
    def slopes(self) -> tuple[Any, Any]:
        """∂F/∂r and ∂F/∂θ."""
        return slope(self.F, symbols("r", 1)[0]), slope(self.F, symbols("t", 1)[0])

    @cached_property
    def _force(self) -> Callable[..., Array]:
        return numeric_law([self.F, self.slopes[0]], "rt", (1, 1), self.width)

    def coefficient(self, r: Array, theta: Array, p: Array) -> Array:  # noqa: D102
        values = self._force(np.asarray(r)[..., None], np.asarray(theta)[..., None], p)
        rest = r == 0
        return np.where(rest, values[..., 1], values[..., 0] / np.where(rest, 1.0, r))


@cache
def rate_law(F: Any, width: int) -> RateLaw:
    """The law of a friction in canonical symbols; one object for equal ones."""
    return RateLaw(F, width)


@lru_cache(maxsize=1000)  # each run traces its inputs anew
def input_law(values: tuple[Any, ...], sizes: tuple[int, int, int]) -> InputLaw:
    """The law of inputs in canonical symbols; one object for equal ones. sizes: reads, feels, parameters."""
    return InputLaw(values, sizes)


@cache
def energy_law(H: Any, size: int, width: int, algorithmic: bool = True) -> EnergyLaw:
    """The law of an energy in canonical symbols; one object for equal ones."""
    return EnergyLaw(H, size, width, algorithmic)


@cache
def matrix_law(values: tuple[Any, ...], shape: tuple[int, int], sizes: tuple[int, int, int]) -> MatrixLaw:
    """The law of a matrix in canonical symbols; one object for equal ones. sizes: reads, acts, parameters."""
    return MatrixLaw(values, shape, sizes)


def numeric_law(values: Sequence[Any], letters: str, sizes: tuple[int, ...], width: int) -> Callable[..., Array]:
    """A NumPy function of one array per letter and one of parameters; the last axes run over their entries."""
    import sympy

    kinds = zip((*letters, "p"), (*sizes, width), strict=True)
    arguments = [symbol for letter, n in kinds for symbol in symbols(letter, n)]
    function = sympy.lambdify(arguments, list(values), modules=[FUNCTIONS, "numpy"], cse=True)

    def evaluate(*arrays: Array) -> Array:
        batch = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
        with np.errstate(all="ignore"):  # what is not finite is refused where it is used
            columns = function(*(array[..., k] for array in arrays for k in range(array.shape[-1])))
        stacked = np.empty((*batch, len(columns)))
        for k, column in enumerate(columns):
            stacked[..., k] = column
        return stacked

    return evaluate
