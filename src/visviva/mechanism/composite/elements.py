"""Springs between frames, springs along coordinates of joints and end stops as boxes."""

from __future__ import annotations

from visviva.library.multibody import coordinate_spring, coordinate_stop, spring
from visviva.mechanism.composite.wiring import Wiring, offsets, particles, unit_of


def add_elements(net: Wiring) -> None:
    """One box for each."""
    for element in net.m.elements:
        system = spring(
            element.rows,
            *offsets(element),
            particles=particles(element),
            energy=element.energy,
            damping=element.damping,
            line=element.line,
            theta0=None,
        )
        net.add_between(element, net.names[element.name], system, {"s": net.heat(element.heat_to)})
    for along in net.m.joint_elements:
        units = [unit_of(one) for one in along.coordinates]
        system = coordinate_spring(units, energy=along.energy, damping=along.damping, theta0=None)
        rates = {f"r{k + 1}": net.rate(one) for k, one in enumerate(along.coordinates)}
        heat = {"s": net.heat(along.heat_to)} if "s" in system.interface else {}
        net.add(net.names[along.name], system, rates | heat)
    for stop in net.m.stops:
        system = coordinate_stop(unit_of(stop.at), stop.energy, stop.loss, None)
        heat = {"s": net.heat(stop.heat_to)} if "s" in system.interface else {}
        net.add(net.names[stop.name], system, {"r": net.rate(stop.at)} | heat)
