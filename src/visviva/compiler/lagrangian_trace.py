"""What the user gives of a Lagrangian system, as expressions in its coordinates, velocities and parameters."""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import finite_number
from visviva.errors import ModelError
from visviva.language.coordinates import Coordinates
from visviva.language.regularity import Advice, require_regular
from visviva.language.trace import Traced, call, expressions
from visviva.mechanism.names import check_new_name

VARIABLES = ("q", "v")
OWN = frozenset({*VARIABLES, "p", "lam", "lam_mid", "motion", "coriolis", "kinetic", "potential"})


@final
class Tracing:
    """Traces the functions of one system, and keeps account of the parameters that they use.

    names: of the coordinates.   q, v: their symbols.   parameters: numbers by symbol.
    """

    def __init__(self, system: str, names: tuple[str, ...], parameters: Mapping[str, ArrayLike]) -> None:
        import sympy

        self.system = system
        self.names = names
        self.q = [sympy.Symbol(name, real=True) for name in names]
        self.v = [sympy.Symbol(f"v_{name}", real=True) for name in names]
        self.symbols: dict[str, Any] = {}
        self.parameters: dict[Any, float] = {}
        taken = {*VARIABLES, *(str(symbol) for symbol in (*self.q, *self.v))}
        for name, value in parameters.items():
            if name in taken:
                raise ModelError(f"the parameter {name!r} of {system!r} is called like a coordinate: use another name.")
            self.symbols[name] = sympy.Symbol(name, real=True)
            self.parameters[self.symbols[name]] = finite_number(value, f"parameter {name!r} of {system!r}")
        self._used: set[Any] = set()

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.q)

    def values(self, given: Any, what: str, *, velocities: bool = False) -> Any:
        """A function of q (and v) and parameters, or numbers, as an object array of expressions."""
        what = f"{what} of {self.system!r}"
        if not callable(given):
            return expressions(given, what)
        available: dict[str, Any] = {"q": Coordinates.of([Traced(symbol) for symbol in self.q], self.names)}
        if velocities:
            available["v"] = Coordinates.of([Traced(symbol) for symbol in self.v], self.names)
        available |= {name: Traced(symbol) for name, symbol in self.symbols.items()}
        values = expressions(call(given, available, what), what)
        self._used |= set().union(set(), *(value.free_symbols for value in values.ravel()))
        return values

    def scalar(self, given: Any, what: str, *, velocities: bool = False) -> Any:
        """One expression."""
        values = self.values(given, what, velocities=velocities)
        if values.size != 1:
            raise ModelError(f"{what} of {self.system!r} must be one number, got shape {values.shape}.")
        return values.item()

    def vector(self, given: Any, what: str) -> list[Any]:
        """Expressions in a row, at least one."""
        values = np.atleast_1d(self.values(given, what))
        if values.ndim != 1 or not values.size:
            raise ModelError(f"{what} of {self.system!r} must be a number or a vector, got shape {values.shape}.")
        return list(values)

    def matrix(self, given: Any, what: str, *, velocities: bool = False) -> Any:
        """Symmetric, (n, n); a number or a vector stands for a diagonal matrix."""
        values, n = self.values(given, what, velocities=velocities), self.n
        if values.ndim == 0:
            values = np.array([values.item()] * n, dtype=object)
        if values.shape == (n,):
            diagonal = values
            values = np.array([[self._zero] * n for _ in range(n)], dtype=object)
            values[range(n), range(n)] = diagonal
        if values.shape != (n, n):
            raise ModelError(f"{what} of {self.system!r} must have shape ({n}, {n}) or ({n},), got {values.shape}.")
        for i in range(n):
            for j in range(i):
                if is_zero(values[i, j] - values[j, i]):
                    values[i, j] = values[j, i]
                else:
                    raise ModelError(
                        f"{what} of {self.system!r} must be symmetric: entry [{i}, {j}] is {values[i, j]}, "
                        f"[{j}, {i}] is {values[j, i]}."
                    )
        return values

    def columns(self, given: Any, what: str) -> Any:
        """(n, k); a vector stands for one column."""
        values = self.values(given, what)
        values = values.reshape(-1, 1) if values.ndim < 2 else values
        if values.shape[0] != self.n or not values.size:
            wanted = f"({self.n},) or ({self.n}, k)"
            raise ModelError(f"{what} of {self.system!r} must have shape {wanted}, got {np.shape(values)}.")
        return values

    def require_regular(self, values: Any, what: str, advice: Advice) -> None:
        """An error where expressions jump, or have unbounded slopes, as q and v move."""
        require_regular(values, [*self.q, *self.v], self.parameters, f"{what} of {self.system!r}", advice)

    def check_parameters(self) -> None:
        """An error if a parameter is used by no function."""
        for name, symbol in self.symbols.items():
            if symbol not in self._used:
                raise ModelError(f"no function of {self.system!r} depends on its parameter {name!r}: a misprint?")

    @property
    def _zero(self) -> Any:
        import sympy

        return sympy.Integer(0)


def is_zero(value: Any) -> bool:
    """Whether an expression vanishes; where SymPy does not see it, at some generic points."""
    import sympy

    if value == 0 or sympy.expand(value) == 0:
        return True
    free = sorted(value.free_symbols, key=str)
    draws = np.random.default_rng(0).uniform(0.3, 1.2, (4, len(free)))
    size = sum(sympy.Abs(term) for term in sympy.Add.make_args(value))
    pairs = [(value.subs(point), size.subs(point)) for point in (dict(zip(free, draw, strict=True)) for draw in draws)]
    return all(bool(abs(complex(a)) <= 1e-12 * abs(complex(b))) for a, b in pairs)


def coordinate_names(system: str, q: object) -> tuple[str, ...]:
    """Names of the coordinates, from a number of them, one name or several."""
    if isinstance(q, bool) or not isinstance(q, int | str | Sequence):
        raise ModelError(f"q of {system!r} must be names such as ('x', 'y') or a number of coordinates, got {q!r}.")
    if isinstance(q, int):
        names: tuple[Any, ...] = tuple(f"q{k + 1}" for k in range(q))
    else:
        names = (q,) if isinstance(q, str) else tuple(q)
    if not names:
        raise ModelError(f"{system!r} has no coordinates: q must name at least one.")
    for k, name in enumerate(names):
        check_new_name(name, (), "coordinate")
        if name in names[:k]:
            raise ModelError(f"{system!r} has two coordinates called {name!r}.")
        if not name.isidentifier() or keyword.iskeyword(name) or name in OWN or hasattr(np.ndarray, name):
            raise ModelError(
                f"a coordinate of {system!r} cannot be called {name!r}: it must be a Python name, and none that\n"
                f"vectors or results have already ({', '.join(sorted(OWN))}, shape, T, ...)."
            )
    return names
