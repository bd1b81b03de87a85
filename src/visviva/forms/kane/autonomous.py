"""Time as a coordinate: a Kane system that depends on time explicitly, with matrices that do not."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.forms.kane.system import TIME, KaneSystem

RATE = f"{TIME}_dot"


def depends_on_time(system: KaneSystem) -> bool:
    """Whether velocities or the potential do."""
    return system.explicit or bool(system.V.has(system.symbols.t))


def autonomous(system: KaneSystem) -> KaneSystem:
    """The same with one coordinate more, "time", whose velocity "time_dot" is known to be 1.

        q̇ = Q ξ + Q_t,   V = S ξ + S_t      become      (q, t)˙ = [[Q, Q_t], [0, 1]] (ξ, ṫ),   V = [S, S_t] (ξ, ṫ)

    The drive of ṫ has the power that prescribed motion supplies, and that of a potential which changes with time.
    Impressed forces and known velocities stay functions of time.

    Source: Phillips and Amirouche, section 3.8: rheonomic constraints are known velocities of a scleronomic system.
    """
    import sympy

    if not depends_on_time(system):
        return system
    s = system.symbols
    time, rate = (sympy.Symbol(name, real=True) for name in (TIME, RATE))
    symbols = s.extended(time, rate)
    still = dict.fromkeys(s.xi, sympy.Integer(0))

    def placed(entry: Any) -> Any:
        return sympy.sympify(entry).xreplace({s.t: time})

    def homogeneous(entry: Any) -> Any:
        """Of rates of partial velocities, affine in ξ: what is left at ξ = 0 belongs to ṫ."""
        entry = placed(entry)
        own = entry.xreplace(still)
        return entry - own + own * rate

    def columns(values: Any) -> Any:
        return values if system.explicit else np.concatenate([values, np.zeros((*values.shape[:-1], 1), int)], axis=-1)

    rates = np.concatenate([_each(columns(system._rates), placed), np.eye(1, len(symbols.xi), len(s.xi), dtype=int)])
    return KaneSystem(
        system.name,
        symbols,
        rates,
        _each(columns(system._S), placed),
        _each(columns(system._S_dot), homogeneous),
        _each(system._inertias, placed),
        columns(system._loads),
        placed(system.V),
        system.prescribed | {RATE: sympy.Integer(1)},
        system.bodies,
        explicit=False,
    )


def _each(values: Any, change: Any) -> Any:
    flat = np.empty(np.size(values), dtype=object)
    flat[:] = [change(entry) for entry in np.ravel(values)]
    return flat.reshape(np.shape(values))
