"""A thermal node of a mechanism: what takes up the heat of friction and of windings, and gets warm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, eq=False)
class Thermal:
    """A body of constant heat capacity c, in entropy s: U(s) = c θ_start (exp(s/c) - 1), θ = θ_start exp(s/c).

    capacity: c [J/K].   temperature: θ_start [K], where s and U are counted from.
    conductance: to the environment [W/K].
    """

    name: str
    capacity: float
    temperature: float
    conductance: float = 0.0
