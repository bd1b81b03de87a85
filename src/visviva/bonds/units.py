"""Units of what elements are given: "100 mH" is 0.1 in SI units, and has the dimension of an inductance.

A unit is a product of names with powers, "N m", "kg m^2", "m³/s", "N/(m/s)"; a slash is before one name or bracket.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from visviva.errors import ModelError

BASE = ("kg", "m", "s", "A", "K", "mol")
PREFIXES = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "c": 1e-2, "k": 1e3, "M": 1e6, "G": 1e9}
PLAIN = str.maketrans("⁻⁰¹²³⁴µμ\u2126", "-01234uuΩ")  # superscripts, both micros, the sign of the ohm


@final
@dataclass(frozen=True)
class Unit:
    """A unit as it was written, its size in SI units, and the powers of the base units kg, m, s, A, K and mol."""

    text: str
    size: float = 1.0
    powers: tuple[Fraction, ...] = (Fraction(0),) * len(BASE)

    def __mul__(self, other: Unit) -> Unit:
        powers = tuple(a + b for a, b in zip(self.powers, other.powers, strict=True))
        return Unit(_text(powers), self.size * other.size, powers)

    def __truediv__(self, other: Unit) -> Unit:
        return self * other ** Fraction(-1)

    def __pow__(self, power: Fraction) -> Unit:
        powers = tuple(power * a for a in self.powers)
        return Unit(_text(powers), self.size ** float(power), powers)

    @property
    def in_base(self) -> str:
        """The coherent unit of the same dimension, as a text of base units."""
        return _text(self.powers)

    def fits(self, other: Unit) -> bool:
        """Whether both have one dimension."""
        return self.powers == other.powers


def _text(powers: tuple[Fraction, ...]) -> str:
    parts = [name if power == 1 else f"{name}^{power}" for name, power in zip(BASE, powers, strict=True) if power]
    return " ".join(parts) or "1"


def _made(size: float, *powers: int) -> Unit:
    found = tuple(Fraction(power) for power in (*powers, *(0,) * (len(BASE) - len(powers))))
    return Unit(_text(found), size, found)


ONE = _made(1.0)
SECOND = _made(1.0, 0, 0, 1)
UNITS = {
    "1": ONE, "rad": ONE, "deg": _made(0.017453292519943295), "m": _made(1.0, 0, 1), "g": _made(1e-3, 1), "s": SECOND,
    "A": _made(1.0, 0, 0, 0, 1), "K": _made(1.0, 0, 0, 0, 0, 1), "mol": _made(1.0, 0, 0, 0, 0, 0, 1),
    "N": _made(1.0, 1, 1, -2), "J": _made(1.0, 1, 2, -2), "W": _made(1.0, 1, 2, -3), "Pa": _made(1.0, 1, -1, -2),
    "bar": _made(1e5, 1, -1, -2), "Hz": _made(1.0, 0, 0, -1), "V": _made(1.0, 1, 2, -3, -1),
    "C": _made(1.0, 0, 0, 1, 1), "F": _made(1.0, -1, -2, 4, 2), "Ohm": _made(1.0, 1, 2, -3, -2),
    "Ω": _made(1.0, 1, 2, -3, -2), "S": _made(1.0, -1, -2, 3, 2), "H": _made(1.0, 1, 2, -2, -2),
    "Wb": _made(1.0, 1, 2, -2, -1), "T": _made(1.0, 1, 0, -2, -1), "L": _made(1e-3, 0, 3), "min": _made(60.0, 0, 0, 1),
    "h": _made(3600.0, 0, 0, 1), "rpm": _made(0.10471975511965977, 0, 0, -1),
}  # fmt: skip
TOKEN = re.compile(r"\s*([A-Za-zΩ]+|1(?![0-9])|[()/*·])(?:\^?(-?[0-9]+))?")
NUMBER = re.compile(r"\s*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*")
SI = re.compile(NUMBER.pattern + r"\s[A-Za-zµμΩ\u2126(1]")  # how a number with a unit begins


def unit(text: str, what: str) -> Unit:
    """The unit of a text."""
    plain = text.translate(PLAIN).strip()
    tokens, at = list[tuple[str, str]](), 0
    while at < len(plain):
        found = TOKEN.match(plain, at)
        if found is None:
            raise _no_unit(text, what)
        tokens.append((found[1], found[2] or "1"))
        at = found.end()
    try:
        value = _product(tokens, text, what)
    except IndexError:
        raise _no_unit(text, what) from None
    if tokens:
        raise _no_unit(text, what)
    return Unit(text.strip(), value.size, value.powers)


def _product(tokens: list[tuple[str, str]], text: str, what: str) -> Unit:
    """Factors until the end or a closing bracket; tokens are used up."""
    value, divided = _factor(tokens, text, what), False
    while tokens and tokens[0][0] != ")":
        sign = tokens.pop(0)[0] if tokens[0][0] in "/*·" else "*"
        if divided:
            raise ModelError(f"{what} has the unit {text!r}, which can be read in two ways: use brackets, a/(b c).")
        factor, divided = _factor(tokens, text, what), sign == "/"
        value = value / factor if divided else value * factor
    return value


def _factor(tokens: list[tuple[str, str]], text: str, what: str) -> Unit:
    name, power = tokens.pop(0)
    if name == "(":
        value = _product(tokens, text, what)
        power = tokens.pop(0)[1]
    elif name in UNITS:
        value = UNITS[name]
    elif name[0] in PREFIXES and name[1:] in UNITS and name[1:] != "1":
        base = UNITS[name[1:]]
        value = Unit(name, PREFIXES[name[0]] * base.size, base.powers)
    else:
        raise ModelError(f"{what} has the unit {text!r}; {name!r} is none of {', '.join(list(UNITS)[1:])}.")
    return value ** Fraction(power)


def _no_unit(text: str, what: str) -> ModelError:
    return ModelError(f"{what} has the unit {text!r}, which must be names with powers such as 'N m' or 'kg m^2/s'.")


def measured(text: str, what: str) -> tuple[float, Unit]:
    """The number in SI units, and the unit, of a text such as "100 mH"."""
    found = NUMBER.match(text)
    if found is None or not text[found.end() :].strip():
        raise ModelError(f"{what} must be a number, or a number with a unit such as '100 mH', got {text!r}.")
    by = unit(text[found.end() :], what)
    return float(found[1]) * by.size, by
