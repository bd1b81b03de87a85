"""What the user gives of a Kane system, as expressions in coordinates, velocities, time and parameters."""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence
from copy import copy
from fractions import Fraction
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import finite_number
from visviva.errors import ModelError
from visviva.language.coordinates import Coordinates
from visviva.language.regularity import Advice, require_regular
from visviva.language.trace import Traced, call, expressions
from visviva.mechanism.names import check_new_name

ARGUMENTS = ("q", "xi", "t")
OWN = frozenset({*ARGUMENTS, "p", "power", "s", "time"})


@final
class KaneTracing:
    """Traces the functions of one system, reads its SymPy expressions, and keeps account of parameters.

    q, xi, t: symbols.   parameters: numbers by symbol.   A symbol of an expression is known by its name.
    """

    def __init__(
        self, system: str, q: Sequence[str], xi: Sequence[str], parameters: Mapping[str, ArrayLike] | None
    ) -> None:
        import sympy

        self.system = system
        self.coordinates = _names(system, q, "coordinate", ())
        self.velocities = _names(system, xi, "velocity", self.coordinates)
        labels = _names(system, tuple(parameters or {}), "parameter", (*self.coordinates, *self.velocities))
        self.q = [sympy.Symbol(name, real=True) for name in self.coordinates]
        self.xi = [sympy.Symbol(name, real=True) for name in self.velocities]
        self.t = sympy.Symbol("t", real=True)
        symbols = [sympy.Symbol(name, real=True) for name in labels]
        numbers = [
            finite_number(value, f"parameter {key!r} of {system!r}") for key, value in (parameters or {}).items()
        ]
        self.parameters: dict[Any, float] = dict(zip(symbols, numbers, strict=True))
        self._used: set[Any] = set()

    def extended(self, coordinate: Any, velocity: Any) -> KaneTracing:
        """The same names with one coordinate and one velocity more."""
        other = copy(self)
        other.q, other.xi = [*self.q, coordinate], [*self.xi, velocity]
        other.coordinates, other.velocities = (*self.coordinates, str(coordinate)), (*self.velocities, str(velocity))
        return other

    def values(self, given: Any, what: str, *, of: str = "q, xi and t") -> Any:
        """An object array of expressions of what a function returns, or of what is given itself.

        of: the arguments that it may depend on, among q, xi and t.
        """
        what = f"{what} of {self.system!r}"
        if callable(given) and not _is_expression(given):
            given = call(given, self._available(of), what)
        values = rational(expressions(_traced(self._own(given, what)), what))
        found = set().union(set(), *(value.free_symbols for value in values.ravel()))
        foreign = found - self._symbols(of) - set(self.parameters)
        if foreign:
            name = sorted(map(str, foreign))[0]
            raise ModelError(f"{what} depends on {name!r}; it may depend on {of or 'parameters only'}.")
        self._used |= found
        return values

    def shaped(self, given: Any, what: str, shapes: Sequence[tuple[int, ...]], *, of: str = "q, xi and t") -> Any:
        """The same with one of the shapes; a single column of a SymPy matrix counts as a vector."""
        values = self.values(given, what, of=of)
        if values.ndim == 2 and values.shape[1] == 1 and values.shape not in shapes:
            values = values[:, 0]
        if values.shape not in shapes:
            wanted = " or ".join("one number" if shape == () else str(shape) for shape in shapes)
            raise ModelError(f"{what} of {self.system!r} must have shape {wanted}, got {values.shape}.")
        return values

    def require_regular(self, values: Any, what: str, advice: Advice) -> None:
        """An error where expressions jump, or have unbounded slopes, as q and ξ move."""
        require_regular(values, [*self.q, *self.xi], self.parameters, f"{what} of {self.system!r}", advice)

    def number(self, value: Any) -> float:
        """An expression of parameters alone, as a number."""
        return float(value.subs(self.parameters))

    def check_parameters(self) -> None:
        """An error if a parameter is used by nothing."""
        for symbol in self.parameters:
            if symbol not in self._used:
                raise ModelError(f"nothing in {self.system!r} depends on its parameter {str(symbol)!r}: a misprint?")

    def _available(self, of: str) -> dict[str, Any]:
        available: dict[str, Any] = {
            "q": Coordinates.of([Traced(symbol) for symbol in self.q], self.coordinates),
            "xi": Coordinates.of([Traced(symbol) for symbol in self.xi], self.velocities),
            "t": Traced(self.t),
        }
        allowed = {name: value for name, value in available.items() if name in _words(of)}
        return allowed | {str(symbol): Traced(symbol) for symbol in self.parameters}

    def _symbols(self, of: str) -> set[Any]:
        kinds = {"q": self.q, "xi": self.xi, "t": [self.t]}
        return {symbol for name, symbols in kinds.items() if name in _words(of) for symbol in symbols}

    def _own(self, given: Any, what: str) -> Any:
        """SymPy expressions with the symbols of this system, which are told by their names."""
        import sympy

        known = {str(symbol): symbol for symbol in (*self.q, *self.xi, self.t, *self.parameters)}

        def own(value: Any) -> Any:
            if not isinstance(value, sympy.Expr):
                return value
            unknown = sorted(str(symbol) for symbol in value.free_symbols if str(symbol) not in known)
            if unknown:
                raise ModelError(
                    f"{what} has the symbol {unknown[0]!r}, which {self.system!r} does not know.\n"
                    f"It has {', '.join(known)}; a further number is one of parameters={{...}}."
                )
            return value.xreplace({symbol: known[str(symbol)] for symbol in value.free_symbols})

        array = np.asarray(given.tolist() if isinstance(given, sympy.MatrixBase) else given, dtype=object)
        return np.array([own(value) for value in array.ravel()], dtype=object).reshape(array.shape)


def _traced(values: Any) -> Any:
    import sympy

    wrapped = [Traced(value) if isinstance(value, sympy.Expr) else value for value in values.ravel()]
    result = np.empty(len(wrapped), dtype=object)
    result[:] = wrapped
    return result.reshape(values.shape)


def rational(values: Any) -> Any:
    """Decimal numbers and thirds as the fractions that they are meant to be, where these are the same floats."""
    import sympy

    def fraction(number: Any) -> Any:
        near = Fraction(float(number)).limit_denominator(10**5)
        return sympy.Rational(near.numerator, near.denominator) if float(near) == float(number) else number

    flat = [value.xreplace({a: fraction(a) for a in value.atoms(sympy.Float)}) for value in values.ravel()]
    return np.array(flat, dtype=object).reshape(values.shape)


def _is_expression(given: Any) -> bool:
    import sympy

    return isinstance(given, sympy.Basic | sympy.MatrixBase)


def _words(of: str) -> list[str]:
    return of.replace(",", " ").split()


def _names(system: str, given: Any, what: str, taken: Sequence[str]) -> tuple[str, ...]:
    """Names of coordinates, velocities or parameters; SymPy symbols stand for their names."""
    several = isinstance(given, Sequence) and not isinstance(given, str)
    names = tuple(str(name) if _is_expression(name) else name for name in (given if several else (given,)))
    for k, name in enumerate(names):
        if what != "parameter":  # parameters are no results
            check_new_name(name, (), what)
            if name.startswith("p_"):
                raise ModelError(f"a {what} of {system!r} cannot be called {name!r}: momenta of a run have such names.")
        if not str(name).isidentifier() or keyword.iskeyword(name) or name in OWN or hasattr(np.ndarray, name):
            raise ModelError(
                f"a {what} of {system!r} cannot be called {name!r}: it must be a Python name, and none that\n"
                f"arguments, vectors or results have already ({', '.join(sorted(OWN))}, shape, real, ...)."
            )
        if name in names[:k] or name in taken:
            raise ModelError(f"{system!r} has two things called {name!r}: its {what} needs a name of its own.")
    return names
