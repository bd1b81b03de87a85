"""Formulas of a motion in Kane's way that is known by numbers: functions of time, states and own input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array
from visviva.bonds.formula import Formula, Function
from visviva.bonds.kane import AbstractMotion

if TYPE_CHECKING:
    from visviva.bonds.laws import Laws

Evaluated = Callable[[str, float, Array, Array, Array], Any]  # role, t, q, ξ, s -> numbers
Velocity = Callable[[float, Array, Array, Array], Array]  # t, q, p, s -> ξ


@final
@dataclass(frozen=True)
class NumericRole:
    """A role of `AbstractMotion`.   rows: numbers of rows by closure.   momentum: whether ξ is the element's input."""

    role: str
    rows: Mapping[str, int]
    momentum: bool
    sign: int


def numeric_formula(
    motion: AbstractMotion, of: NumericRole, laws: Laws, evaluated: Evaluated, velocity: Velocity
) -> Formula:
    """A function of numbers; velocities are the input of the element where states are momenta."""
    n, R, m = len(motion.velocities), len(motion.coordinates), motion.masses
    names = laws.names
    momenta = tuple(f"p_{name}" for name in motion.velocities)
    q_at, s_at, xi_at, p_at = (
        _place(names, own) for own in (motion.coordinates, motion.others, motion.velocities, momenta)
    )

    def function(part: str) -> Function:
        def value(t: float, x: Array, given: Array) -> Array:
            q, s = x[q_at], x[s_at]
            xi = given if of.momentum else x[xi_at] if xi_at.stop else velocity(t, q, x[p_at], s)
            return np.asarray(of.sign * evaluated(part, t, q, xi, s))

        return value

    what, _, name = of.role.partition(" ")
    rows, every = of.rows.get(name, 0), sum(of.rows.values())
    shapes = {
        "Q": (R, n), "S": (m, n), "M": (m, m), "gyroscopic": (m, m), "A": (n, n), "others": (len(motion.others), n),
        "Z": (rows, n), "f": (rows,), "potential": (), "supplied": (), "unknown": (n, n),
        "rows": (every, n), "known": (every,),
    }  # fmt: skip
    shape, shown = shapes.get(what, (n,)), of.role.replace(" xi", " ξ")
    follow = {"S": "S_dot", "A": "A_dot", "f": f"f_dot {name}"}

    def further(part: str, shape: tuple[int, ...]) -> Formula:
        return Formula(f"rate of {shown}", laws.scope, shape, function=function(part))

    return Formula(
        shown if of.sign > 0 else f"-{shown}",
        laws.scope,
        shape,
        inputs=motion.velocities if of.momentum else (),
        function=function(of.role),
        rates=further(follow[what], shape) if what in follow else None,
        drift=further(f"Z_drift {name}", (rows,)) if what == "Z" else None,
    )


def _place(names: tuple[str, ...], own: tuple[str, ...]) -> slice:
    """Where some states are, which are one after the other; nowhere if a graph does not have them."""
    if not own or own[0] not in names:
        return slice(0, 0)
    first = names.index(own[0])
    return slice(first, first + len(own))
