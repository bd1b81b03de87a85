"""Where heat goes: thermal nodes, with what they conduct, and the environment."""

from __future__ import annotations

from visviva.language import AbstractSystem, compose
from visviva.library import thermal
from visviva.mechanism.composite.exposure import Exposure
from visviva.mechanism.composite.wiring import HEAT, Wiring
from visviva.mechanism.thermal import Thermal

SURROUNDINGS = "environment"  # the box, and its junction where heat without a node goes elsewhere


def add_heat(net: Wiring, shown: Exposure) -> None:
    """Nodes; and one environment, which takes what has no node, unless that is shown, and what nodes conduct to it."""
    surroundings = SURROUNDINGS if shown.heat else HEAT
    for node in net.m.thermals:
        system, at = _node(node), {"s": net.heat(node), "out": surroundings}
        net.add(net.names[node.name], system, {port: at[port] for port in system.interface})
    if shown.heat and HEAT not in net.junctions:
        shown.refuse_heat()
    if surroundings in net.junctions or (net.m.thermals and not shown.heat):
        net.add(SURROUNDINGS, thermal.environment(net.m.theta0), {"s": surroundings})


def _node(node: Thermal) -> AbstractSystem:
    """A heat capacity, with what it conducts to the environment at the port `out`."""
    capacity = thermal.capacity(node.capacity, node.temperature)
    if not node.conductance:
        return capacity
    boxes = {"capacity": capacity, "wall": thermal.conduction(node.conductance)}
    return compose("node", boxes, {"s": ("capacity.s", "wall.s1"), "out": ("wall.s2",)}, outer=("s", "out"))
