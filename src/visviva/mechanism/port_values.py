"""Flows and efforts at the ports of a mechanism's implicit system, at a motion: see `mechanism.implicit`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array, finite_vector
from visviva.errors import ModelError
from visviva.mechanism.assembly import Motion
from visviva.mechanism.body_twists import (
    body_pose,
    end_twist,
    inertia_of,
    measured_rates,
    pair_rates,
    relative_twist,
    twist_of,
    twist_rate,
    world_twist,
)
from visviva.mechanism.elements import JointElement
from visviva.mechanism.joint_pairs import friction_rates
from visviva.mechanism.losses import (
    ENTROPY,
    FLUX,
    FRICTION,
    HEAT,
    LOSS,
    RESISTANCE,
    entropy_rates,
    friction_force,
    rubbing,
    stop_loss,
)
from visviva.mechanism.parts import Along, Body, JointCoordinate, Motor, Particle, WrenchPort
from visviva.mechanism.placement import principal_pose
from visviva.mechanism.spring_slopes import slopes_of

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition
    from visviva.mechanism.network import MechanismNetwork


def state_efforts(
    m: Definition, motion: Motion, slopes: Mapping[str, ArrayLike], values: Mapping[str, float]
) -> dict[str, Array]:
    """dH by state: twists, weights, wrenches of springs, torques, currents, and temperatures above the environment's.

    slopes: of energies of springs by name, where they are not those of the motion.
    """
    found: dict[str, Array] = {}
    for part in m.bodies:
        if isinstance(part, Particle):
            found |= {f"{part.name}.r": -part.mass * m.gravity, f"{part.name}.p": motion.V[part.name]}
        elif part.mass:
            weight = -part.mass * body_pose(part, motion).R.T @ m.gravity
            found[f"{part.name}.H"] = np.concatenate([np.cross(part.com, weight), weight])
            found[f"{part.name}.P"] = twist_of(part, motion)
    found |= _checked_slopes(slopes_of(m, motion), slopes)
    for element in m.elements:
        if element.energy is not None:
            found[element.name] = measured_rates(element, motion).T @ found[element.name]
    found |= {f"{part.name}{FLUX}": np.array([values[part.name]]) for part in m.motors}
    return found | {f"{part.name}{ENTROPY}": np.array([values[part.name] - m.theta0]) for part in m.thermals}


def state_rates(
    network: MechanismNetwork,
    accelerations: Mapping[str, Array],
    inputs: Mapping[str, ArrayLike],
    values: Mapping[str, float],
) -> dict[str, Array]:
    """ẋ by state, for accelerations (ω_dot; v_dot) of the bodies as those of the model of a mechanism."""
    m, motion, found = network.definition, network.motion, dict[str, Array]()
    for part in m.bodies:
        if isinstance(part, Particle):
            found |= {f"{part.name}.r": motion.V[part.name], f"{part.name}.p": part.mass * accelerations[part.name]}
        elif part.mass:
            found[f"{part.name}.H"] = twist_of(part, motion)
            found[f"{part.name}.P"] = inertia_of(part) @ twist_rate(part, motion, accelerations[part.name])
    for element in m.elements:
        if element.energy is not None:
            found[element.name] = end_twist(element, motion)
    found |= {part.name: _rates(network, part.coordinates) for part in m.joint_elements if part.energy is not None}
    found |= {stop.name: _rates(network, (stop.at,)) for stop in m.stops}
    e = port_efforts(network, inputs, values)
    for motor in m.motors:
        induced = motor.k * _rates(network, (motor.at,))
        found[f"{motor.name}{FLUX}"] = e[motor.name] + e[f"{motor.name}{RESISTANCE}"] - induced
    return found | {f"{node.name}{ENTROPY}": e[f"{node.name}{HEAT}"] for node in m.thermals}


def port_flows(network: MechanismNetwork, values: Mapping[str, float]) -> dict[str, Array]:
    """f by port: rates of joints, twists, currents and temperatures, to which the efforts are what enters there."""
    m, motion, found = network.definition, network.motion, dict[str, Array]()
    for port in m.ports:
        if isinstance(port, WrenchPort):
            V = motion.V[port.carrier.name]
            if not isinstance(port.carrier, Body):
                found[port.name] = V
                continue
            R_WC, R_CB = principal_pose(port.carrier, motion).R, port.R_CB
            own = (R_WC @ V[:3], V[3:]) if R_CB is None else (R_CB.T @ V[:3], (R_WC @ R_CB).T @ V[3:])
            found[port.name] = np.concatenate(own)
        elif isinstance(port, Motor):
            found[port.name] = found[f"{port.name}{RESISTANCE}"] = np.array([values[port.name]])
        else:
            found[port.name] = _rates(network, (port.at,))
    for box in m.boxes:
        found |= {box.variable(port): _rates(network, (one,)) for port, one in box.along.items()}
    carriers = {part.name: part for part in m.bodies}
    for name, part in network.kinestatics.conditions.items():
        if part.driven:
            found[name] = np.sum([A @ world_twist(carriers[body], motion) for body, A in part.rows.items()], axis=0)
    for joint in m.joints:
        if rubbing(joint):
            rates = friction_rates(joint, motion, network.kinestatics.pairs[joint.name].S)
            found[f"{joint.name}{FRICTION}"] = rates @ relative_twist(joint, motion)
    for element in m.elements:
        if element.damping is not None:
            found[f"{element.name}{LOSS}"] = end_twist(element, motion)
    damped = [part for part in m.joint_elements if part.damping is not None]
    found |= {f"{part.name}{LOSS}": _rates(network, part.coordinates) for part in damped}
    found |= {f"{stop.name}{LOSS}": _rates(network, (stop.at,)) for stop in m.stops if stop.loss}
    return found | {f"{node.name}{HEAT}": np.array([values[node.name] - m.theta0]) for node in m.thermals}


def port_efforts(
    network: MechanismNetwork, inputs: Mapping[str, ArrayLike], values: Mapping[str, float]
) -> dict[str, Array]:
    """e by port: inputs and reactions of drives, zero where left out, what dissipates, and entropy into nodes.

    inputs: also forces of boxes at joints, and the entropy that they give to a node [W/K], by `<box>.<port>`.
    """
    m, motion, f = network.definition, network.motion, port_flows(network, values)
    found = {port.name: np.zeros(port.width) for port in m.ports}
    found |= {name: np.zeros(part.count) for name, part in network.kinestatics.conditions.items() if part.driven}
    found |= {box.variable(port): np.zeros(one.width) for box in m.boxes for port, one in box.along.items()}
    heated = {box.variable(port): node for box in m.boxes for port, node in box.nodes.items() if node is not None}
    found |= {name: np.zeros(1) for name in heated}
    for name, value in inputs.items():
        if name not in found:
            raise ModelError(f"mechanism {m.name!r} has no port {name!r}; its ports are {', '.join(found) or 'none'}.")
        found[name] = finite_vector(np.atleast_1d(value), f"input of port {name!r}", len(found[name]))
    warmed = {name: found.pop(name) for name in heated}
    for joint in m.joints:
        if rubbing(joint):
            found[f"{joint.name}{FRICTION}"] = friction_force(joint, f[f"{joint.name}{FRICTION}"], values)
    for element in m.elements:
        if element.damping is not None:
            C, name = measured_rates(element, motion), f"{element.name}{LOSS}"
            D = element.damping / (C[:, 3:] @ C[:, 3:].T) if element.line else element.damping
            found[name] = -C.T @ D @ C @ f[name]
    for part in m.joint_elements:
        if part.damping is not None:
            found[f"{part.name}{LOSS}"] = -part.damping @ f[f"{part.name}{LOSS}"]
    slopes = slopes_of(m, motion)
    found |= {f"{s.name}{LOSS}": stop_loss(s, slopes[s.name], f[f"{s.name}{LOSS}"]) for s in m.stops if s.loss}
    found |= {f"{p.name}{RESISTANCE}": -p.resistance * f[f"{p.name}{RESISTANCE}"] for p in m.motors}
    found |= {f"{name}{HEAT}": rate for name, rate in entropy_rates(m, f, found, values).items()}
    for name, node in heated.items():
        found[f"{node.name}{HEAT}"] = found[f"{node.name}{HEAT}"] + warmed[name]
    return found


def element_ports(part: JointElement) -> list[str]:
    """Names of what a spring along coordinates of joints is in the implicit system: its state, and its damper."""
    return [part.name] * (part.energy is not None) + [f"{part.name}{LOSS}"] * (part.damping is not None)


def _rates(network: MechanismNetwork, coordinates: tuple[Along, ...]) -> Array:
    """Rates of coordinates of joints, or of displacements and twists of two frames, (k,)."""
    return np.concatenate(
        [
            network.rates(one.joint)[[one.number]]
            if isinstance(one, JointCoordinate)
            else pair_rates(one, network.motion) @ relative_twist(one, network.motion)
            for one in coordinates
        ]
    )


def _checked_slopes(own: dict[str, Array], given: Mapping[str, ArrayLike]) -> dict[str, Array]:
    """Slopes of the motion, with those that were given in their place."""
    for name, value in given.items():
        if name not in own:
            raise ModelError(f"{name!r} is no spring or stop with an energy; there is {', '.join(own) or 'none'}.")
        own[name] = finite_vector(np.atleast_1d(value), f"slope of spring {name!r}", len(own[name]))
    return own
