"""What dissipates in a mechanism, as open ports of its implicit system: f is a rate, e the force that acts there.

Ports are `<joint>.friction`, `<spring>.damping`, `<stop>.damping`, and `<motor>.resistance` with a current and a
voltage. What they take, -e·f ⪰ 0, is heat, of the environment or of a thermal node.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array, finite_number
from visviva.errors import ModelError
from visviva.library.stops import stop_resistance
from visviva.mechanism.elements import Stop
from visviva.mechanism.parts import Joint
from visviva.mechanism.thermal import Thermal

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition

LOSS, FRICTION, RESISTANCE = ".damping", ".friction", ".resistance"  # behind the name of what dissipates
FLUX, ENTROPY, HEAT = ".flux", ".s", ".heat"  # states of motors and thermal nodes, and the port of a node


def inner_values(m: Definition, given: Mapping[str, float] | None) -> dict[str, float]:
    """Currents of motors [A] and temperatures of thermal nodes [K] by name: given ones, else those at the start."""
    values = {part.name: part.current for part in m.motors} | {part.name: part.temperature for part in m.thermals}
    for name, value in (given or {}).items():
        if name not in values:
            has = ", ".join(values) or "neither"
            raise ModelError(f"mechanism {m.name!r} has no motor or thermal node {name!r}: there is {has}.")
        values[name] = finite_number(value, f"current or temperature of {name!r}")
    for part in m.thermals:
        finite_number(values[part.name], f"temperature of {part.name!r} [K], absolute,", positive=True)
    return values


def rubbing(joint: Joint) -> int:
    """How many rates of a joint its friction acts on: those of its coordinates, or all three of a ball."""
    if not (joint.friction.any() or joint.laws or joint.spin_friction is not None):
        return 0
    return len(joint.friction) or 3


def friction_force(joint: Joint, rates: Array, values: Mapping[str, float]) -> Array:
    """The force of friction on the child along its rates; that of a ball is on |ω|, against ω."""
    theta = np.asarray(values[joint.heat_to.name] if joint.heat_to is not None else np.nan)
    if joint.spin_friction is not None:
        return -joint.spin_friction @ rates
    if not len(joint.friction):
        (law,), size = joint.laws, np.asarray(np.linalg.norm(rates))
        assert law is not None
        return -law.evaluate(size, theta) * rates / size if size > 0 else np.zeros(3)
    force = -joint.friction * rates
    for k, law in enumerate(joint.laws):
        if law is not None:
            force[k] = -law.evaluate(rates[k], theta)
    return force


def stop_loss(stop: Stop, slope: Array, rate: Array) -> Array:
    """Force of the loss in a stop with the elastic force U' = slope: see `library.stops.stop_resistance`."""
    return np.asarray(-stop_resistance(np.abs(slope), rate * np.sign(slope), stop.loss) * rate)


def heated(m: Definition) -> dict[str, Thermal | None]:
    """Ports that dissipate, and what takes up their heat; None: the environment."""
    found = {f"{part.name}{FRICTION}": part.heat_to for part in m.joints if rubbing(part)}
    found |= {f"{part.name}{LOSS}": part.heat_to for part in m.elements if part.damping is not None}
    found |= {f"{part.name}{LOSS}": part.heat_to for part in m.joint_elements if part.damping is not None}
    found |= {f"{part.name}{LOSS}": part.heat_to for part in m.stops if part.loss}
    return found | {f"{part.name}{RESISTANCE}": part.heat_to for part in m.motors}


def entropy_rates(
    m: Definition, f: Mapping[str, Array], e: Mapping[str, Array], values: Mapping[str, float]
) -> dict[str, Array]:
    """ṡ of thermal nodes by name: what dissipates there less what goes to the environment, over the temperature."""
    sinks, found = heated(m), dict[str, Array]()
    for node in m.thermals:
        heat = sum(-float(e[port] @ f[port]) for port, sink in sinks.items() if sink is node)
        theta = values[node.name]
        found[node.name] = np.array([(heat - node.conductance * (theta - m.theta0)) / theta])
    return found
