"""Input ports as boxes with an outer port each: torques, forces, wrenches, and motors with their windings."""

from __future__ import annotations

from visviva.language import Composite, compose
from visviva.library import electric
from visviva.library.multibody import force_port, freedom_port, wrench_port
from visviva.library.quantities import momentum_along
from visviva.mechanism.composite.wiring import Wiring, unit_of
from visviva.mechanism.parts import Body, Force, Motor, Torque, WrenchPort


def add_ports(net: Wiring) -> None:
    """One box for each; the outer port has its name."""
    for port in net.m.ports:
        box = net.names[port.name]
        if isinstance(port, Motor):
            net.outer[box] = f"flux_{box}"
            ends = {"phi": f"flux_{box}", "p": net.rate(port.at), "s": net.heat(port.heat_to)}
            net.add(box, _motor(port), ends)
            continue
        net.outer[box] = f"port_{box}"
        if isinstance(port, Torque | Force):
            unit = unit_of(port.at)
            system = freedom_port(momentum_along(unit), 0, unit)
            net.add(box, system, {"p_r": net.rate(port.at), "port": f"port_{box}"})
            continue
        assert isinstance(port, WrenchPort)
        carrier, on_body = net.names[port.carrier.name], isinstance(port.carrier, Body)
        system = wrench_port(port.R_CB) if on_body else force_port()
        ends = {letter: f"{letter}_{carrier}" for letter in ("q", "p") if letter in system.interface}
        net.add(box, system, ends | {"port": f"port_{box}"})


def _motor(motor: Motor) -> Composite:
    """L di/dt = voltage - R i - k θ_dot, and the torque k i; boxes coil, wire and machine."""
    boxes = {
        "coil": electric.inductor(motor.inductance),
        "wire": electric.resistor(motor.resistance),
        "machine": electric.motor(motor.k),
    }
    junctions = {"phi": ("coil.phi", "wire.phi", "machine.phi"), "p": ("machine.p",), "s": ("wire.s",)}
    return compose("motor", boxes, junctions, outer=("phi", "p", "s"))
