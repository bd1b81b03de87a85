"""Boxes in the builder: composites of the language as parts of a mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from visviva._suggestions import hint_of
from visviva.errors import ModelError
from visviva.language import Composite, Environment, Storage
from visviva.mechanism.box import MOMENTA, POSITIONS, Box
from visviva.mechanism.builder import Builder, kind_of
from visviva.mechanism.parts import JointCoordinate
from visviva.mechanism.thermal import Thermal

ENVIRONMENT = "environment"
RESULTS = frozenset({"exergy_power", "flow", "power", "u", "work"})  # ends of names that results of a box have


class BoxMethods(Builder):
    """A box is a system with states of its own, wired by ports."""

    theta0: float

    def box(self, name: str, system: Composite, ports: Mapping[str, Any] | None = None) -> Box:
        """Any composite of the language as a part: its outer ports sit on joints and thermal nodes.

            m.box("dc", motor, ports={"shaft": "hinge", "s": "housing"})

        ports: where its ports are, by name.
               A port of an angular momentum sits on an angle of a joint, that of a momentum on a displacement: its
               effort is the rate of the coordinate, its flow the force of the parent on the child along it.
               A port of an angle or a displacement is the coordinate itself: for springs, and for laws that read it.
               A port of entropy sits on a thermal node; left out, or "environment": on the environment.
        All other ports stay inputs: `inputs={"dc.supply": 24.0}`, or "dc" where there is one only.

        Its states start as the system does, see `visviva.language.starting`, or as `initial={"dc.phi": 0.1}` says.
        Results are `run["dc.phi"]` for each of its states, `run["energy.dc"]`, `run["heat.dc"]`, and
        `run["dc.shaft.power"]`, `run["dc.shaft.force"]` of what goes through a port.
        """
        self._new_name(name, "box")
        where = f"box {name!r}"
        if not isinstance(system, Composite):
            raise ModelError(
                f"{where} must hold a composite system, got {type(system).__name__}.\n"
                "Wire components by visviva.language.compose(...), and show what the mechanism needs by outer=."
            )
        if ports is not None and not isinstance(ports, Mapping):
            raise ModelError(f"ports of {where} are a dictionary {{port: joint or node}}, got {ports!r}.")
        given = dict(ports or {})
        known = system.interface
        for asked in given:
            if asked not in known:
                listed = ", ".join(known) or "none"
                hint = hint_of(str(asked), known)
                raise ModelError(f"{where} has no port {asked!r}; its ports are: {listed}. {hint}")
        rates: dict[str, JointCoordinate] = {}
        places: dict[str, JointCoordinate] = {}
        nodes: dict[str, Thermal | None] = {}
        for port in known.values():
            what, at = f"port {port.name!r} of {where}", given.get(port.name)
            if port.quantity.is_entropy:
                if port.name in given or _loose(system, port.name):
                    nodes[port.name] = self._node(at, what)
            elif port.name in given and port.quantity in MOMENTA:
                rates[port.name] = self._coordinate(at, what, turns=MOMENTA[port.quantity])  # type: ignore[arg-type]
            elif port.name in given and port.quantity in POSITIONS:
                places[port.name] = self._coordinate(at, what, turns=POSITIONS[port.quantity])  # type: ignore[arg-type]
            elif port.name in given:
                raise ModelError(
                    f"{what} exchanges {port.quantity.name}, which no joint and no node does.\n"
                    "Momenta and displacements sit on joints, entropy on thermal nodes; others stay inputs."
                )
        box = Box(name, system, rates, places, nodes)
        self._check_box(box, where)
        return self._add(box)

    def _node(self, at: Any, what: str) -> Thermal | None:
        if at is None or (isinstance(at, str) and at == ENVIRONMENT):
            return None
        part = self._find(at, what)
        if not isinstance(part, Thermal):
            raise ModelError(
                f"{what} is at {kind_of(part)} {part.name!r}, which takes up no heat: give a node made by\n"
                "m.thermal(...), or leave it out: then the heat goes to the environment."
            )
        return part

    def _check_box(self, box: Box, where: str) -> None:
        flat = box.flat
        for name, part in flat.boxes.items():
            if isinstance(part, Environment) and part.theta0 != self.theta0:
                raise ModelError(
                    f"{where} has an environment {name!r} at {part.theta0:g} K, mechanism {self.name!r} one at "
                    f"{self.theta0:g} K.\nExergy needs one: make them the same, by theta0= of vv.Mechanism(...)."
                )
        for name in (*box.states, *(flat.outer[port] for port in box.places)):
            if name in RESULTS:
                raise ModelError(
                    f"{where} has a state {name!r}, but run[{box.variable(name)!r}] is another result of it: call the "
                    f"junction otherwise.\nReserved are {', '.join(sorted(RESULTS))}."
                )
        for port in (*box.rates, *box.places, *box.nodes):
            junction = flat.outer[port]
            holder = box.holder(junction)
            ends = [f"{one}.{inner}" for one, inner in flat.junctions[junction].ends]
            if isinstance(holder, Environment) or (port in box.nodes and isinstance(holder, Storage)):
                raise ModelError(
                    f"port {port!r} of {where} is held inside, by {', '.join(ends)}: two parts would set its effort.\n"
                    "Put a wall (thermal.conduction) or a spring between them, or leave the inner one out."
                )
            others = [
                f"{one}.{inner}"
                for one, inner in flat.junctions[junction].ends
                if flat.boxes[one].interface[inner].power and not isinstance(flat.boxes[one], Storage)
            ]
            if port in box.places and others:
                raise ModelError(
                    f"port {port!r} of {where} is a coordinate of a joint, and {', '.join(others)} would change it as "
                    "well.\nThere, springs may act and laws may read it (quantity.state). What has a rate of its own "
                    "goes to a port of momentum."
                )


def _loose(system: Composite, port: str) -> bool:
    """Whether a port of entropy is held by nothing inside, so that its heat goes to the environment."""
    flat = system.flatten()
    parts = (flat.boxes[box] for box, _ in flat.junctions[flat.outer[port]].ends)
    return not any(isinstance(part, Storage | Environment) for part in parts)
