"""Boxes of a mechanism as one program beside its tables, see `kernels.multibody.boxes`."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.flows import NotCompilable
from visviva.compiler.losses import ENVIRONMENT
from visviva.compiler.machine_functions import Int, table
from visviva.compiler.program import build_program
from visviva.compiler.system import compile_system
from visviva.compiler.tableau import MIDPOINT
from visviva.compiler.traced import energy_of, matrix_of, reads_of
from visviva.geometry.embedding import Flat
from visviva.library import thermal
from visviva.library.joints import Length, Twist
from visviva.mechanism import Definition
from visviva.mechanism.box import Box
from visviva.mechanism.other_states import entropy_of
from visviva.mechanism.parts import OneAlong, PairTwist
from visviva.mechanism.thermal import Thermal
from visviva.model import Dissipation, Junction, Model, Reservoir, Rows, Variable
from visviva.model.renaming import renamed_part
from visviva.model.storage import AbstractStorage
from visviva.model.structure import AbstractConstraint, AbstractPort, AbstractStructure, canonical

if TYPE_CHECKING:
    from visviva.compiler.compiled_model import CompiledModel


@final
@dataclass(frozen=True)
class PortPlace:
    """A port at a coordinate: the junction whose effort is the rate, the box, and which of its scalars.

    entry: which entry of the junction, where it has several.
    """

    junction: str
    box: int
    coordinate: int
    entry: int = 0


@final
@dataclass(frozen=True, eq=False)
class MachineBoxes:
    """A model of all boxes and of the thermal nodes that they heat, compiled, and how it hangs together with others.

    owners: of structures of the mechanism's model, from the first of boxes on, the numbers of those here, or -1.
    """

    compiled: CompiledModel
    ports: tuple[PortPlace, ...]
    nodes: tuple[Thermal, ...]
    owners: tuple[int, ...]

    @property
    def held(self) -> Int:
        """Rows of the ports: their efforts are given."""
        layout = self.compiled.model.layout
        return np.array([layout.z[port.junction].start + port.entry for port in self.ports], dtype=np.int64)


def machine_boxes(m: Definition) -> MachineBoxes | None:
    """The boxes of a mechanism, None without any; raises `NotCompilable` for one that has no compiled form."""
    if not m.boxes:
        return None
    tying = ", ".join(repr(box.name) for box in m.boxes if box.may_tie)
    if tying:
        raise NotCompilable(f"box {tying} has rows on rates of joints, which no step of its own can solve")
    return _Builder(m).build()


class _Builder:
    """Grows box by box; names are those of the mechanism's model, see `compiler.boxes`."""

    def __init__(self, m: Definition) -> None:
        self.m = m
        self.variables: list[Variable] = []
        self.storages: list[AbstractStorage] = []
        self.structures: list[AbstractStructure] = []
        self.junctions: list[Junction] = []
        self.reservoirs = [Reservoir(ENVIRONMENT)] if m.is_thermal else []
        self.ports: list[PortPlace] = []
        self.owners: list[int] = []
        for number, box in enumerate(m.boxes):
            self._box(number, box)
        self.nodes = tuple(
            node for node in m.thermals if any(node is one for box in m.boxes for one in box.nodes.values())
        )
        for node in self.nodes:
            self._node(node)

    def build(self) -> MachineBoxes:
        model = Model(
            f"boxes of {self.m.name}", tuple(self.variables), tuple(self.storages), tuple(self.structures),
            junctions=tuple(self.junctions), reservoirs=tuple(self.reservoirs), theta0=self.m.theta0,
        )  # fmt: skip
        try:
            compiled = build_program(model, MIDPOINT)
        except NotCompilable as reason:
            names = ", ".join(repr(box.name) for box in self.m.boxes)
            raise NotCompilable(f"box {names}: {reason}") from None
        return MachineBoxes(compiled, tuple(self.ports), self.nodes, tuple(self.owners))

    def _box(self, number: int, box: Box) -> None:
        outer = box.flat.outer
        inner = compile_system(box.system, self.m.theta0, frozenset(outer[port] for port in box.places))
        at = {one.name: ENVIRONMENT for one in inner.reservoirs if one.entropy}
        at |= {outer[port]: ENVIRONMENT if node is None else entropy_of(node) for port, node in box.nodes.items()}

        def rename(name: str) -> str:
            return at.get(name, box.variable(name))

        self.variables += [renamed_part(one, rename) for one in inner.variables]
        self.junctions += [renamed_part(one, rename) for one in inner.junctions if one.name not in at]
        self.reservoirs += [renamed_part(one, rename) for one in inner.reservoirs if not one.entropy]
        self.storages += [dataclasses.replace(renamed_part(one, rename), name=box.name) for one in inner.storages]
        taken = {*box.rates, *box.places, *box.nodes}
        for part in inner.structures:
            new = renamed_part(part, rename)
            if isinstance(part, AbstractPort):
                if part.name not in taken:
                    self._add(dataclasses.replace(new, name=box.inputs[part.name]))
            else:
                self._add(new if isinstance(new, AbstractConstraint) else dataclasses.replace(new, name=box.name))
        for variable, one in box.coordinate_states.items():
            rate = self._rate(variable)
            self._port(number, box, one, rate, variable)
            self._add(canonical(box.name, variable, rate, 1))
        for port in box.lengths:
            self.variables.append(Variable(box.length(port), Flat(1)))
            self._add(canonical(box.name, box.length(port), rename(outer[port]), 1))
        for variable, twist in box.axes.items():
            k = len(twist.twist.read)
            self.variables.append(Variable(variable, Flat(k)))
            self._add(canonical(box.name, variable, self._rate(variable, k), k))
        for port, at_rate in box.rates.items():
            junction = rename(outer[port])
            if outer[port] in inner.layout.x:
                k, rate = at_rate.width, self._rate(box.tie(port), at_rate.width)
                self._add(Rows(box.tie(port), (rate, junction), k, np.hstack([np.eye(k), -np.eye(k)])))
                junction = rate
            if isinstance(at_rate, PairTwist):
                self._twist(number, box, port, at_rate, junction)
            else:
                self._port(number, box, at_rate, junction, box.length(port))

    def _add(self, part: AbstractStructure) -> None:
        self.owners.append(len(self.structures))
        self.structures.append(part)

    def _rate(self, name: str, width: int = 1) -> str:
        """A junction of its own for the rate of a coordinate, or of several."""
        self.junctions.append(Junction(f"{name}.rate", width))
        return self.junctions[-1].name

    def _twist(self, number: int, box: Box, port: str, one: PairTwist, junction: str) -> None:
        """Its efforts e = W(ȳ) ẏ follow from rates of products y; those that W depends on are states of the program."""
        twist, axes = one.twist, box.axes_of(port)
        read = {axes: len(twist.read)} if twist.read else {}
        other = {f"{box.name}.{port}.place": len(twist.products) - len(twist.read)}
        rates = {f"{name}.rate": k for name, k in (read | other).items() if k}
        self.junctions += [Junction(name, k) for name, k in rates.items() if name != f"{axes}.rate"]
        rows = Rows(f"{box.name}.{port}:rows", (*rates, junction), one.width, _TwistRows(twist), tuple(read))
        self.structures.append(rows)
        places = [(name, k) for name, width in rates.items() for k in range(width)]
        for (name, k), scalar in zip(places, one.scalars, strict=True):
            self.ports.append(PortPlace(name, number, self._which(box, scalar), k))

    @staticmethod
    def _which(box: Box, one: OneAlong) -> int:
        return [(other.pair.name, other.number) for other in box.scalars].index((one.pair.name, one.number))

    def _port(self, number: int, box: Box, one: OneAlong, junction: str, length: str) -> None:
        """Its effort is given; of a distance l that of y = ½ l²: a row ẏ = l̄ l_dot with the state l of the program."""
        if isinstance(one.scalar, Length):
            rate = self._rate(f"{length}.half_square")
            self.structures.append(Rows(f"{length}:line", (rate, junction), 1, _lever, (length,)))
            junction = rate
        self.ports.append(PortPlace(junction, number, self._which(box, one)))

    def _node(self, node: Thermal) -> None:
        """A heat capacity, and the wall between it and the environment."""
        s, theta0 = entropy_of(node), self.m.theta0
        capacity = thermal.capacity(node.capacity, node.temperature)
        self.variables.append(Variable(s, Flat(1), entropy=True))
        self.storages.append(energy_of(node.name, s, capacity.H, capacity.interface["s"], theta0))
        if node.conductance > 0:
            M = thermal.conduction(node.conductance).M
            R = matrix_of(M, reads_of(M), theta0, over_theta0=True)
            self.structures.append(Dissipation(node.name, (s, ENVIRONMENT), R))


@final
@dataclass(frozen=True)
class _TwistRows:
    """(W(y), -1) over the rates of products and the entries of a twist."""

    twist: Twist

    def __call__(self, y: Array) -> Array:
        """Shape (..., entries, products + entries)."""
        W = self.twist.matrix(y)
        k = W.shape[-2]
        return np.concatenate([W, np.broadcast_to(-np.eye(k), (*W.shape[:-2], k, k))], axis=-1)


def _lever(q: Array) -> Array:
    """(1, -l) over the rates of ½ l² and l."""
    return np.stack([1.0 + 0.0 * q, -q], axis=-1)


def box_tables(boxes: MachineBoxes, model: Model, measures: dict[tuple[int, int], int], slopes: Int) -> dict[str, Any]:
    """Those tables of `Boxes` that tell where parts of the program are in the mechanism.

    measures: by box and number of its coordinate.   slopes: (boxes, 2) first slope, number of coordinates.
    """
    c = boxes.compiled
    own, layout, rows = c.model, c.model.layout, boxes.held
    port_of = {int(row): p for p, row in enumerate(rows)}
    entries = [
        (k, port_of[row], col)
        for k, (row, col) in enumerate(zip(c.rows.tolist(), c.cols.tolist(), strict=True))
        if row in port_of
    ]
    others = model.structures[len(model.structures) - len(boxes.owners) :]
    number = {id(part): k for k, part in zip(boxes.owners, others, strict=True)}
    algebraic = [
        name for name in layout.z if layout.dim <= layout.z[name].start < layout.solved and name in model.layout.z
    ]
    reservoirs = [one.name for one in model.reservoirs]
    ports = [
        (row, measures[p.box, p.coordinate], p.coordinate, p.box) for row, p in zip(rows, boxes.ports, strict=True)
    ]
    columns = [(own.port_columns[port.name], model.port_columns[port.name]) for port in own.ports]
    x = [(layout.x[one.name], model.layout.x[one.name]) for one in own.variables]
    z = [(layout.z[name], model.layout.z[name]) for name in algebraic]
    heats = [(number[id(part)], k) for k, part in enumerate(model.dissipations) if id(part) in number]
    works = [(number[id(part)], k) for k, part in enumerate(model.ports) if id(part) in number]
    return {
        "ports": table(ports, 4),
        "slopes": slopes,
        "entries": table(entries, 3),
        "kept": np.zeros(len(entries)),
        "diagonal": np.array([_diagonal(c, int(row)) for row in rows], dtype=np.int64),
        "inputs": _both(columns),
        "u": np.zeros((1, c.inputs)),
        "states": _both(x),
        "algebraic": _both(z) - [layout.dim, model.layout.dim],
        "heats": table(heats, 2),
        "works": table(works, 2),
        "takers": np.array([reservoirs.index(one.name) for one in own.reservoirs], dtype=np.int64),
        "force": np.zeros(len(rows)),
        "past": np.zeros((4, c.unknowns)),
        "known": np.zeros(1, dtype=np.int64),
        "columns": np.zeros((len(rows), c.unknowns)),
        "due": np.zeros(c.unknowns),
        "factors": np.zeros(1, dtype=np.int64),
    }


def node_table(boxes: MachineBoxes, m: Definition, measures: dict[str, int]) -> Int:
    """Numbers, rows, gains, diagonals, measures and states of the thermal nodes; measures: by name."""
    c = boxes.compiled
    layout = c.model.layout
    gains = {int(row): int(at) for row, _, at, _ in c.program.blocks}
    lines = []
    for node in boxes.nodes:
        row, state = layout.z[entropy_of(node)].start, layout.x[entropy_of(node)].start
        lines.append((m.thermals.index(node), row, gains[row], _diagonal(c, row), measures[node.name], state))
    return table(lines, 6)


def _diagonal(c: CompiledModel, row: int) -> int:
    return int(np.flatnonzero((c.rows == row) & (c.cols == row))[0])


def _both(places: list[tuple[slice, slice]]) -> Int:
    """Places here and there, one by one."""
    return table([(own.start + k, other.start + k) for own, other in places for k in range(own.stop - own.start)], 2)
