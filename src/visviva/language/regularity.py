"""What a function has to be in order to be simulated: without jumps, and with slopes that are bounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from visviva.language.jumps import refuse_jumps
from visviva.language.steep import refuse_steep


@final
@dataclass(frozen=True)
class Advice:
    """What to do instead of a jump, and instead of an unbounded slope."""

    jump: str
    steep: str


_ROUNDED = (
    "Round it off where it begins: (x**2 + width**2)**0.25 for abs(x)**0.5; powers above one, abs(x)**1.5, are allowed."
)
ENERGY = Advice(
    "An energy that jumps has no force there, and no step could balance it. Let its branches meet, e.g. by a constant\n"
    "added to one of them, or write a steep but smooth step, such as np.tanh(x / width).",
    f"An energy of that kind has an infinite force there. {_ROUNDED}",
)
LAW = Advice(
    "A law that jumps has no solution where it would have to stop halfway. Give it a slope: np.clip(v / v_reg, -1, 1)\n"
    "or np.tanh(v / v_reg) instead of np.sign(v); for dry friction there is vv.friction.coulomb(level, v_reg=...).",
    "A step needs the slope of a law, and no number tells an infinite one. Give it a finite one at its steepest:\n"
    "v / (v**2 + v_reg**2)**0.25 for np.sign(v) * abs(v)**0.5; powers above one are allowed.",
)
CONSTRAINT = Advice(
    "No motion can follow a constraint over a jump: let its branches meet.",
    f"A motion that follows it would have an infinite velocity there. {_ROUNDED}",
)
FEEDBACK = Advice(
    "A step solves for its inputs, and may find none between both values. Give it a slope: np.clip(x / width, -1, 1)\n"
    "or np.tanh(x / width) instead of np.sign(x). For dry friction there are the laws of vv.friction; a relay that is\n"
    "asked at ticks is vv.Sampled. Jumps in time alone are allowed.",
    "A step solves for its inputs with their slopes, and no number tells an infinite one. Give it a finite one:\n"
    "x / (x**2 + width**2)**0.25 for np.sign(x) * abs(x)**0.5; powers above one are allowed.",
)


def require_regular(
    values: Any, variables: Sequence[Any], parameters: Mapping[Any, float], what: str, advice: Advice
) -> None:
    """An error that names where one of some expressions jumps or has an unbounded slope.

    variables: symbols that move.   parameters: numbers of the others.
    """
    import sympy

    numbers = {symbol: sympy.sympify(number) for symbol, number in parameters.items()}
    for value in map(sympy.sympify, np.ravel(np.asarray(values, dtype=object))):
        number = value.xreplace(numbers)
        refuse_jumps(number, variables, what, advice.jump)
        refuse_steep(number, variables, what, advice.steep)
