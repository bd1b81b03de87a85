"""One system of every kind in the library, so that each of its laws is met once.

A law does not depend on what its component is connected to, nor on its numbers: each component stands alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import visviva as vv
from visviva.language import AbstractSystem, Composite, Irreversible, compose, storage
from visviva.library import electric, friction, gas, hydraulic, rotation, thermal, translation
from visviva.library.multibody import LOWER_PAIRS, ground, joint, rigid_body
from visviva.library.quantities import angular_momentum, momentum
from visviva.mechanism.joint_friction import Friction

RATIO = 0.3  # no simple fraction: those stay in a law, other numbers are its parameters


def alone(system: AbstractSystem) -> Composite:
    """A system with each port at a junction of its own; heat goes to environments, states that are read are stored."""
    boxes = {"box": system}
    junctions: dict[str, tuple[str, ...]] = {port: (f"box.{port}",) for port in system.interface}
    for name, port in system.interface.items():
        if not port.power:
            boxes[f"at_{name}"] = storage({"x": port.quantity}, H=0.0)
            junctions[name] += (f"at_{name}.x",)
        elif port.quantity.is_entropy and isinstance(system, Irreversible):
            boxes[f"at_{name}"] = thermal.environment()
            junctions[name] += (f"at_{name}.s",)
    return compose("alone", boxes, junctions)


def oscillator() -> Composite:
    """The smallest system that moves, with a force as its input; its states are q and p."""
    boxes = {"pe": translation.spring(1.0), "ke": translation.mass(1.0), "pkc": translation.kinematic()}
    return compose("oscillator", boxes, {"q": ("pe.q", "pkc.q"), "p": ("ke.p", "pkc.p")}, outer=("p",))


def _translation() -> list[AbstractSystem]:
    return [
        translation.mass(1.0),
        translation.spring(1.0),
        translation.hard_spring(1.0, 1.0),
        translation.weight(1.0),
        translation.force(1.0),
        translation.stops(0.0, 1.0, k=1.0, width=0.1),
        translation.damped_stops(0.0, 1.0, k=1.0, d=1.0, width=0.1),
        translation.damper(1.0),
        translation.kinematic(),
        translation.kinematic(a=1, b=-1),
        translation.lever(RATIO),
    ]


def _rotation() -> list[AbstractSystem]:
    return [
        rotation.inertia(1.0),
        rotation.spring(1.0),
        rotation.pendulum(1.0, 1.0),
        rotation.torque(1.0),
        rotation.damper(1.0),
        rotation.kinematic(),
        rotation.kinematic(a=1, b=-1),
        rotation.gear(RATIO),
        rotation.rack(RATIO),
    ]


def _friction() -> list[AbstractSystem]:
    return [
        law
        for of in (momentum, angular_momentum)
        for law in (
            friction.viscous(1.0, of=of),
            friction.coulomb(1.0, v_reg=0.1, of=of),
            friction.coulomb(1.0, v_reg=0.1, d=1.0, of=of),
            friction.stribeck(1.0, 2.0, v_st=0.2, v_reg=0.1, of=of),
            friction.stribeck(1.0, 2.0, v_st=0.2, v_reg=0.1, d=1.0, of=of),
        )
    ]


def _electric() -> list[AbstractSystem]:
    return [
        electric.inductor(1.0),
        electric.capacitor(1.0),
        electric.nonlinear_capacitor(1.0, 1.0),
        electric.voltage_source(1.0),
        electric.current_source(1.0),
        electric.resistor(1.0),
        electric.conductor(1.0),
        electric.diode(1e-12),
        electric.series(),
        electric.series(a=1, b=-1),
        electric.parallel(),
        electric.parallel(a=1, b=-1),
        electric.transformer(RATIO),
        electric.motor(RATIO),
    ]


def _thermal() -> list[AbstractSystem]:
    return [
        thermal.capacity(1.0),
        thermal.power_law_capacity(1.0, 3.0),
        thermal.conduction(1.0),
        thermal.convection(1.0, 1.0),
        thermal.forced_convection(1.0, 1.0, 1.0),
        gas.IdealGas(n=1.0).system(),
        gas.piston(RATIO),
        gas.piston(RATIO, side=-1),
    ]


def _hydraulic() -> list[AbstractSystem]:
    return [
        hydraulic.compliance(1.0),
        hydraulic.tank(1.0),
        hydraulic.inertance(1.0),
        hydraulic.pressure_source(1.0),
        hydraulic.flow_source(1.0),
        hydraulic.laminar(1.0),
        hydraulic.turbulent(1.0),
        hydraulic.line(),
        hydraulic.node(),
        hydraulic.cylinder(RATIO),
    ]


def _multibody() -> list[AbstractSystem]:
    systems: list[AbstractSystem] = [rigid_body(1.0, (1.0, 1.0, 1.0)), ground()]
    for kind in LOWER_PAIRS:
        freedoms = {"spherical": 3, "planar": 3, "cylindrical": 2}.get(kind, 1)
        pitch = 0.1 if kind == "screw" else None
        systems.append(joint(kind, pitch=pitch, friction=np.ones(freedoms)))
    return systems


def arm(friction: Friction = 0.0) -> vv.Mechanism:
    """A pendulum with a spring about its hinge."""
    tree = vv.Mechanism("tree", gravity=(0, 0, -9.81))
    tree.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0))
    hinge = tree.revolute("hinge", tree.ground, "arm", at=(0, 0, 0), axis=(0, 1, 0), friction=friction)
    tree.torsion("coil", hinge, k=1.0)
    return tree


def driven() -> vv.Mechanism:
    """The same with a motor."""
    tree = arm()
    tree.torque("motor", "hinge")
    return tree


def mechanisms() -> list[vv.Mechanism]:
    """Eliminated along a tree of joints, without and with a law of friction, as a sparse matrix, and one that rolls."""
    graph = vv.Mechanism("graph")
    graph.body("a", mass=1.0, inertia=(0.1, 0.1, 0.1))
    graph.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(1, 0, 0))
    graph.cylindrical("slide", "a", "b", at=(0, 0, 0), axis=(1, 0, 0))
    graph.spring("spring", "a", "b", k=1.0, length=0.5)
    rolling = vv.Mechanism("rolling")
    rolling.body("plate", mass=1.0, inertia=(0.1, 0.1, 0.1))
    for name, plane in (("a", rolling.ground), ("b", "plate")):
        rolling.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, 1))
        rolling.rolling_disc(f"edge {name}", plane, name, radius=1.0, axis=(0, 1, 0))
        rolling.knife_edge(f"blade {name}", plane, name, direction=(1, 0, 0))
    return [arm(), arm(vv.friction.coulomb(0.1, v_reg=0.01)), graph, rolling]


DOMAINS: dict[str, Callable[[], list[AbstractSystem]]] = {
    "translation": _translation,
    "rotation": _rotation,
    "friction": _friction,
    "circuits": _electric,
    "heat and gases": _thermal,
    "hydraulics": _hydraulic,
    "bodies and joints": _multibody,
}
