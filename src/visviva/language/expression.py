"""Expressions: traced functions of states, efforts, temperatures and parameters, ready for symbols and for numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from visviva._arrays import Array, finite_number
from visviva.errors import ModelError
from visviva.language.quantity import Port
from visviva.language.regularity import Advice, require_regular
from visviva.language.trace import Traced, Values, call, expressions, traced_array, wrap


@final
@dataclass(frozen=True, eq=False)
class Expression:
    """An array of SymPy expressions in named arguments.

    values:     the array.   states, efforts: symbols by port.   parameters: symbols by name, with their numbers.
    theta0:     the symbol of the environment's temperature.
    """

    values: Any  # object array
    states: dict[str, list[Any]]
    efforts: dict[str, list[Any]]
    parameters: dict[str, tuple[Any, float]]
    theta0: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return tuple(self.values.shape)

    @cached_property
    def arguments(self) -> list[Any]:
        """All symbols: states and efforts port by port, θ0, parameters."""
        flat = [symbol for symbols in (*self.states.values(), *self.efforts.values()) for symbol in symbols]
        return [*flat, self.theta0, *(symbol for symbol, _ in self.parameters.values())]

    def require_regular(self, what: str, advice: Advice, values: Any = None, theta0: float = 300.0) -> None:
        """An error where the array, or other values in its symbols, jump or are too steep as states move."""
        moving = [symbol for symbols in (*self.states.values(), *self.efforts.values()) for symbol in symbols]
        numbers = {self.theta0: theta0} | dict(self.parameters.values())
        require_regular(self.values if values is None else values, moving, numbers, what, advice)

    def numeric(self, theta0: float) -> Callable[[Array], Array]:
        """A NumPy function of (states and efforts, as one array with any leading batch shape)."""
        return numeric(self.values, self.arguments, [theta0, *(value for _, value in self.parameters.values())])


def traced(
    given: Any, ports: Mapping[str, Port], parameters: Mapping[str, Any], what: str, *, efforts: bool = False
) -> Expression:
    """The expression of a function or of constants.

    A function may have the arguments x (states by port), e (efforts), theta (absolute temperatures of entropy ports),
    theta0 and the names of the parameters; e and theta only where `efforts` is set.
    """
    import sympy

    states = {
        name: [sympy.Symbol(_label(name, k, port.quantity.space.embedding.size), real=True)
               for k in range(port.quantity.space.embedding.size)]
        for name, port in ports.items()
    }  # fmt: skip
    power = {name: port for name, port in ports.items() if port.power}
    symbols_e = {
        name: [sympy.Symbol("e_" + _label(name, k, port.quantity.dim), real=True) for k in range(port.quantity.dim)]
        for name, port in power.items()
        if efforts
    }
    theta0 = sympy.Symbol("theta_0", positive=True)
    numbers = {}
    for name, value in parameters.items():
        if name in ("x", "e", "theta", "theta0"):
            raise ModelError(f"{what} has a parameter {name!r}, which is the name of an argument: use another name.")
        numbers[name] = (sympy.Symbol(name, real=True), finite_number(value, f"parameter {name!r} of {what}"))
    if not callable(given):
        values = expressions(given, what)
    else:
        available: dict[str, Any] = {"x": Values("x", {n: wrap(ports[n].quantity.space, s) for n, s in states.items()})}
        if efforts:
            available["e"] = Values("e", {n: _vector(s) for n, s in symbols_e.items()})
            hot = {n: Traced(theta0 + s[0]) for n, s in symbols_e.items() if ports[n].quantity.is_entropy}
            available["theta"] = Values("theta", hot)
        available["theta0"] = Traced(theta0)
        available |= {name: Traced(symbol) for name, (symbol, _) in numbers.items()}
        values = expressions(call(given, available, what), what)
    used = set().union(*(value.free_symbols for value in values.ravel()))
    unused = [name for name, (symbol, _) in numbers.items() if symbol not in used]
    if unused:
        raise ModelError(f"{what} does not depend on its parameter {unused[0]!r}: a misprint?")
    expression = Expression(values, states, symbols_e, numbers, theta0)
    _check_spelling(expression, what)
    return expression


def _check_spelling(expression: Expression, what: str) -> None:
    """Two symbols of one spelling would be taken for one."""
    spelled = [str(symbol) for symbol in expression.arguments]
    twice = sorted({name for name in spelled if spelled.count(name) > 1})
    if twice:
        raise ModelError(
            f"{what} has two things called {twice[0]!r}: a parameter must not be called like a port, its component\n"
            "(q_1) or effort (e_p), nor theta_0. Rename the parameter or the port."
        )


def numeric(
    values: Any, arguments: list[Any], constants: list[float], functions: Mapping[str, Any] | None = None
) -> Callable[[Array], Array]:
    """A NumPy function of an array of expressions; the last arguments are bound to the constants.

    It takes the other arguments as one array with any leading batch shape. functions: what SymPy does not know.
    """
    import sympy

    function = sympy.lambdify(arguments, list(np.ravel(values)), modules=[dict(functions or {}), "numpy"], cse=True)
    shape, free = np.shape(values), len(arguments) - len(constants)

    def evaluate(y: Array) -> Array:
        with np.errstate(all="ignore"):  # what is not finite is refused where it is used
            columns = function(*(y[..., k] for k in range(free)), *constants)
        stacked = np.stack([np.broadcast_to(column, y.shape[:-1]) for column in columns], axis=-1)
        return np.asarray(stacked, dtype=np.float64).reshape((*y.shape[:-1], *shape))

    return evaluate


def _vector(symbols: list[Any]) -> Any:
    numbers = traced_array(symbols)
    return numbers[0] if len(symbols) == 1 else numbers


def _label(name: str, k: int, n: int) -> str:
    return name if n == 1 else f"{name}_{k + 1}"
