"""States of a mechanism that are no motion: flux of motors and entropy of thermal nodes, by current and temperature."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva._arrays import Array
from visviva.mechanism.parts import Motor
from visviva.mechanism.thermal import Thermal

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition


def flux_of(motor: Motor) -> str:
    """The variable that is the flux linkage of a motor."""
    return f"{motor.name}.flux"


def entropy_of(node: Thermal) -> str:
    """The variable that is the entropy of a thermal node, counted from its start."""
    return f"{node.name}.s"


def flux_at(motor: Motor, others: Mapping[str, Any]) -> float:
    """L i [Wb] at the current that is given by the name of a run, or as built."""
    return motor.inductance * others.get(f"{motor.name}.current", motor.current)


def entropy_at(node: Thermal, others: Mapping[str, Any]) -> float:
    """s = c log(θ/θ_start) [J/K] at the temperature that is given by the name of a run, or as built."""
    theta = others.get(f"{node.name}.temperature", node.temperature)
    return float(node.capacity * np.log(theta / node.temperature))


def other_states(m: Definition, values: Mapping[str, Array]) -> dict[str, Any]:
    """Currents, temperatures and states of boxes by the names of a run, from the values of variables."""
    found: dict[str, Any] = {
        f"{motor.name}.current": float(values[flux_of(motor)][0]) / motor.inductance for motor in m.motors
    }
    found |= {f"{n.name}.temperature": float(temperature_at(n, values[entropy_of(n)][0])) for n in m.thermals}
    return found | {box.variable(at): values[box.variable(at)].copy() for box in m.boxes for at in box.states}


def temperature_at(node: Thermal, s: Any) -> Any:
    """θ = θ_start exp(s/c) [K]."""
    return node.temperature * np.exp(s / node.capacity)
