"""Laws of friction in joints: viscous, Coulomb, Stribeck, or any function of the rate that takes energy out.

Units are those of the coordinate: N m and rad/s about an axis, N and m/s along one. A step that jumps over rates of the
size `v_reg` does not see how friction sets in; energy is exact all the same, and no step produces negative heat.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, final

import numpy as np

from visviva._arrays import Array, Mask, finite_number
from visviva.errors import ModelError
from visviva.language.regularity import LAW, require_regular
from visviva.language.trace import Traced, call, expressions
from visviva.library import rate_laws

__all__ = ["FrictionLaw", "coulomb", "stribeck", "viscous"]

Factor = Callable[[Any], Any]
RATES = np.concatenate([-np.logspace(4, -6, 201), [0.0], np.logspace(-6, 4, 201)])  # [rad/s, m/s] where laws are tried
TEMPERATURES = np.array([200.0, 250.0, 300.0, 350.0, 400.0, 500.0])  # [K] the same


@final
@dataclass(frozen=True, eq=False)
class FrictionLaw:
    """A force F(rate) or F(rate, temperature) against the rate of a coordinate, with rate · F ≥ 0.

    force:      SymPy expression in `rate_symbol()`, `temperature_symbol()` and the symbols of the parameters.
    parameters: symbols with their numbers.   v_reg: rate at which dry friction is regularised.
    d:          the coefficient, where the law is d · rate and nothing else.
    kind:       the function of this module that has made it, if one has.   arguments: its numbers, by keyword.
    factor:     SymPy expression in `temperature_symbol()` that the force is multiplied with, or None.
    """

    force: Any
    parameters: tuple[tuple[Any, float], ...] = ()
    v_reg: float | None = None
    d: float | None = None
    kind: str = ""
    arguments: tuple[tuple[str, float], ...] = ()
    factor: Any = None

    @property
    def warm(self) -> bool:
        """Whether it depends on the temperature of what it heats."""
        return temperature_symbol() in self.force.free_symbols

    def evaluate(self, rate: Array, temperature: Array) -> Array:
        """The force at rates and temperatures [K], any shapes that broadcast."""
        import sympy

        symbols = [rate_symbol(), temperature_symbol(), *(symbol for symbol, _ in self.parameters)]
        function = sympy.lambdify(symbols, self.force, modules="numpy")
        with np.errstate(all="ignore"):
            force = function(rate, temperature, *(number for _, number in self.parameters))
        return np.asarray(np.broadcast_to(force, np.broadcast_shapes(np.shape(rate), np.shape(temperature))), float)


def viscous(d: float, *, factor: Factor | None = None) -> FrictionLaw:
    """Viscous friction: force d · rate.

    d: [N m s/rad, N s/m], positive.   factor: a function of the temperature [K] of what the heat goes to, not negative,
    that the force is multiplied with; e.g. lambda theta: np.exp(-(theta - 300) / 40) for an oil that thins.
    """
    d = finite_number(d, "d of viscous friction [N m s/rad, N s/m]", positive=True)
    law = _law(_coefficient, {"d": d}, factor)
    return replace(law, d=d if factor is None else None, kind="viscous", arguments=(("d", d),))


def coulomb(level: float, *, v_reg: float, viscous: float = 0.0, factor: Factor | None = None) -> FrictionLaw:
    """Dry friction with a viscous part: level · rate/√(rate² + v_reg²) + viscous · rate.

    level: torque or force of sliding, positive.   v_reg: rate at which 71 % of it are reached, positive; below it the
    law creeps where dry friction would stick.   viscous: coefficient, at least 0.   factor: as in `viscous`.
    """
    level, v_reg, d = _checked("Coulomb", "level", level, v_reg, viscous)
    law = _law(rate_laws.coulomb, {"F_c": level, "v_reg": v_reg, "d": d}, factor, v_reg)
    return replace(law, kind="coulomb", arguments=(("level", level), ("v_reg", v_reg), ("viscous", d)))


def stribeck(
    *,
    coulomb: float,
    static: float,
    speed: float,
    v_reg: float,
    viscous: float = 0.0,
    factor: Factor | None = None,
) -> FrictionLaw:
    """Dry friction that is larger at rest; `visviva.library.rate_laws.stribeck` has the formula.

    coulomb: torque or force of sliding, positive.   static: of breaking loose, at least coulomb.   speed: Stribeck's
    rate, larger than v_reg, or the maximum would not be seen.   The rest as in `coulomb`.
    """
    level, v_reg, d = _checked("Stribeck", "coulomb", coulomb, v_reg, viscous)
    top = finite_number(static, "static of Stribeck friction [N m, N]", minimum=level)
    v_st = finite_number(speed, "speed of Stribeck friction [rad/s, m/s]", positive=True)
    rate_laws.check_stribeck_speed(v_st, v_reg, ("speed", "v_reg"), "rad/s or m/s")
    numbers = {"F_c": level, "F_s": top, "v_st": v_st, "v_reg": v_reg, "d": d}
    given = (("coulomb", level), ("static", top), ("speed", v_st), ("v_reg", v_reg), ("viscous", d))
    return replace(_law(rate_laws.stribeck, numbers, factor, v_reg), kind="stribeck", arguments=given)


def with_arguments(law: FrictionLaw, numbers: Mapping[str, float]) -> FrictionLaw:
    """A law of this module with other numbers, by the keywords of the function that makes it; checked as there."""
    makers: dict[str, Callable[..., FrictionLaw]] = {"viscous": viscous, "coulomb": coulomb, "stribeck": stribeck}
    made = makers[law.kind](**(dict(law.arguments) | dict(numbers)))
    return made if law.factor is None else _multiplied(replace(made, d=None), law.factor)


def law_of(given: object, where: str, unit: str) -> FrictionLaw | None:
    """The law of what was given for one coordinate: a number (viscous), a law, or a function; None for no friction."""
    if isinstance(given, FrictionLaw):
        return given
    if given is viscous or given is coulomb or given is stribeck:
        raise ModelError(f"{where} is the function vv.friction.{given.__name__} itself: call it with its numbers.")
    if callable(given):
        return _traced(given, where)
    d = finite_number(given, f"{where} [{unit}]", minimum=0.0)  # type: ignore[arg-type]
    return viscous(d) if d > 0 else None


@cache
def rate_symbol() -> Any:
    """The symbol of the rate in laws."""
    import sympy

    return sympy.Symbol("rate", real=True)


@cache
def temperature_symbol() -> Any:
    """The symbol of the temperature in laws."""
    import sympy

    return sympy.Symbol("temperature", positive=True)


def _law(
    coefficient: Callable[..., Any], numbers: dict[str, float], factor: Factor | None, v_reg: float | None = None
) -> FrictionLaw:
    """F = μ(rate) · rate · factor(temperature); parameters that are zero are left out, so that laws of a kind share."""
    present = tuple(name for name, number in numbers.items() if number != 0)
    force, symbols = _force(coefficient, tuple(numbers), present)
    law = FrictionLaw(force, tuple(zip(symbols, (numbers[name] for name in present), strict=True)), v_reg)
    if factor is None:
        return law
    what, theta = "factor of friction", Traced(temperature_symbol())
    if not callable(factor):
        raise ModelError(f"{what} must be a function of the temperature [K], got {factor!r}.")
    values = expressions(call(lambda: factor(theta), {}, what), what)
    if values.shape != ():
        raise ModelError(f"{what} must return one number, got shape {values.shape}.")
    return _multiplied(law, values.item())


def _coefficient(rate: Any, d: Any) -> Any:
    return d


@cache
def _force(
    coefficient: Callable[..., Any], names: tuple[str, ...], present: tuple[str, ...]
) -> tuple[Any, tuple[Any, ...]]:
    """μ(rate) · rate in symbols, and those of the parameters that are not zero; one for all numbers."""
    import sympy

    rate, symbols = Traced(rate_symbol()), {name: sympy.Symbol(name, real=True) for name in present}
    values = {name: Traced(symbols[name]) if name in symbols else 0 for name in names}
    return (coefficient(rate, **values) * rate).expr, tuple(symbols.values())


def _multiplied(law: FrictionLaw, factor: Any) -> FrictionLaw:
    """The law times a factor of the temperature."""
    found = replace(law, force=(Traced(law.force) * Traced(factor)).expr, factor=factor)
    _check_loss(found, "factor of friction")
    return found


def _traced(function: Callable[..., Any], where: str) -> FrictionLaw:
    arguments = (Traced(rate_symbol()), Traced(temperature_symbol()))[: _arguments(function, where)]
    values = expressions(call(lambda: function(*arguments), {}, where), where)
    if values.shape != ():
        raise ModelError(f"{where} must return one number, got shape {values.shape}.")
    law = FrictionLaw(values.item())
    _check_loss(law, where)
    return law


def _arguments(function: Callable[..., Any], where: str) -> int:
    """One, the rate, or two: rate and temperature."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    needed = [a.name for a in parameters if a.default is a.empty and a.kind not in (a.VAR_POSITIONAL, a.VAR_KEYWORD)]
    if len(needed) not in (1, 2):
        raise ModelError(
            f"{where} must be a function of the rate, or of rate and temperature; it has {len(needed)} arguments."
        )
    return len(needed)


def _check_loss(law: FrictionLaw, where: str) -> None:
    """An error that says where a law adds energy, is not finite, or does not vanish at rest."""
    require_regular(law.force, [rate_symbol(), temperature_symbol()], dict(law.parameters), where, LAW)
    thetas = TEMPERATURES if law.warm else TEMPERATURES[:1]
    force = law.evaluate(RATES[:, None], thetas)
    finite = np.isfinite(force)
    if not finite.all():
        at = _at(law, ~finite, thetas)[1]
        raise ModelError(f"{where} is not finite at {at}: it must be a smooth function of the rate.")
    rest = force[RATES == 0][0]
    if np.abs(rest).max() > 1e-12 * np.abs(force).max():
        raise ModelError(
            f"{where} is {rest[np.abs(rest).argmax()]:.6g} at rest: a smooth law vanishes there.\n"
            "Regularise it, e.g. with vv.friction.coulomb(level, v_reg=...)."
        )
    wrong = RATES[:, None] * force < 0
    if wrong.any():
        place, at = _at(law, wrong, thetas)
        raise ModelError(
            f"{where} is {force[place]:.6g} at {at}: it would add energy there.\n"
            "Friction has the sign of the rate: it is the torque or force that the motion has to overcome."
        )


def _at(law: FrictionLaw, where: Mask, thetas: Array) -> tuple[tuple[int, int], str]:
    """The case nearest to a rate of one, and how it is called."""
    cases = np.argwhere(where)
    i, j = cases[np.abs(np.log(np.maximum(np.abs(RATES[cases[:, 0]]), 1e-9))).argmin()].tolist()
    return (i, j), f"rate = {RATES[i]:.6g}" + (f" and {thetas[j]:g} K" if law.warm else "")


def _checked(law: str, name: str, level: float, v_reg: float, d: float) -> tuple[float, float, float]:
    names = f"{name} of {{}} friction [N m, N]", "v_reg of {} friction [rad/s, m/s]", "viscous part of {} friction"
    return rate_laws.check_dry(law, names, (level, v_reg, d))
