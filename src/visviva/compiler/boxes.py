"""Boxes of a mechanism as blocks of its Model: the blocks of their composites, wired to coordinates and nodes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, final

import numpy as np

from visviva._arrays import Array
from visviva.compiler.elements import measure_along
from visviva.compiler.losses import ENVIRONMENT
from visviva.compiler.system import compile_system
from visviva.errors import AssemblyError
from visviva.geometry.embedding import AbstractSpace, Flat
from visviva.mechanism import Definition, Motion
from visviva.mechanism.box import Box
from visviva.mechanism.coordinates import movers, pair_functions
from visviva.mechanism.other_states import entropy_of
from visviva.mechanism.parts import Along, PairCoordinate
from visviva.mechanism.placement import coordinates_of, frame_pose
from visviva.mechanism.spring_slopes import coordinate_at
from visviva.model import Junction, Model, Port, Reservoir, Variable
from visviva.model.inner_unknowns import InnerUnknowns
from visviva.model.joined import JoinedPorts
from visviva.model.measured import LengthPort, Measured, MeasuredAngle, MeasuredLength, MeasuredPort
from visviva.model.placed import Measure, Placing, placed
from visviva.model.renaming import renamed_part
from visviva.model.storage import AbstractStorage
from visviva.model.structure import AbstractConstraint, AbstractPort, AbstractStructure
from visviva.model.turn import TurnPort
from visviva.model.twists import MeasuredTwist, TwistPort

MEET = 1e-12  # of how far points are from the origin: they meet
OTHER_RATE = 1e-3  # relative: more than the ends of runs leave between tied rates


@final
class BoxBlocks:
    """Variables and junctions `<box>.<junction>`, storages and structures by the name of the box, rows `<box>.<part>`.

    A junction without storage that sits on a coordinate is none of the model: what acts there acts on velocities, see
    `model.placed`. One with a storage, such as a rotor, is tied by a row `<box>.<port>:<joint>`: its multiplier is what
    the box takes from the joint.
    """

    def __init__(self, m: Definition, spaces: Mapping[str, AbstractSpace]) -> None:
        self.spaces = spaces
        self.theta0 = m.theta0
        self.variables: list[Variable] = []
        self.storages: list[AbstractStorage] = []
        self.structures: list[AbstractStructure] = []
        self.junctions: list[Junction] = []
        self.reservoirs: list[Reservoir] = []
        self.laws: dict[str, Callable[[float], Any]] = {}
        for box in m.boxes:
            self._box(box)

    def _box(self, box: Box) -> None:
        outer = box.flat.outer
        inner = compile_system(box.system, self.theta0, frozenset(outer[port] for port in box.places))
        at = {one.name: ENVIRONMENT for one in inner.reservoirs if one.entropy}
        at |= {outer[port]: ENVIRONMENT if node is None else entropy_of(node) for port, node in box.nodes.items()}

        def rename(name: str) -> str:
            return at.get(name, box.variable(name))

        loose = {outer[port]: one for port, one in box.rates.items() if outer[port] not in inner.layout.x}
        measures = {rename(name): self._measure(one, box.name) for name, one in loose.items()}
        gone = {*loose, *at}
        self.variables += [renamed_part(one, rename) for one in inner.variables]
        self.junctions += [renamed_part(one, rename) for one in inner.junctions if one.name not in gone]
        self.reservoirs += [renamed_part(one, rename) for one in inner.reservoirs if not one.entropy]
        for storage in inner.storages:
            self.storages.append(dataclasses.replace(renamed_part(storage, rename), name=box.name))
        sizes = {rename(one.name): one.space.size for one in inner.variables}
        sizes |= {f"{body}.q": space.size for body, space in self.spaces.items()}
        dims = {rename(name): part.stop - part.start for name, part in inner.layout.z.items()}
        dims |= {f"{body}.v": space.dim for body, space in self.spaces.items()}
        self.laws |= {box.inputs[source]: law for source, law in inner.laws.items()}
        taken = {*box.rates, *box.places, *box.nodes}
        for part in inner.structures:
            new = renamed_part(part, rename)
            if isinstance(part, AbstractPort):
                if part.name not in taken:
                    self.structures.append(dataclasses.replace(new, name=box.inputs[part.name]))
                continue
            name = new.name if isinstance(new, AbstractConstraint) else box.name
            if set(new.acts) & set(measures) or len(set(new.acts)) < len(new.acts):
                self.structures.append(placed(new, name, Placing(new, measures, sizes, dims)))
            else:
                self.structures.append(dataclasses.replace(new, name=name))
        self.variables += [Variable(box.length(port), Flat(1)) for port in box.lengths]
        for variable, followed in box.followed.items():
            measure = self._measure(followed, box.name, variable)
            assert not isinstance(measure, MeasuredTwist)  # it has no value to follow
            self.structures.append(measure)
        for variable, twist in box.axes.items():
            self.variables.append(Variable(variable, Flat(len(twist.twist.read))))
            y = pair_functions(twist, twist.twist.read)
            self.structures.append(Measured(box.name, *self._ends(twist, variable), y, self._spaces(twist)))
        for port, one in box.rates.items():
            if outer[port] not in loose:
                self.structures.append(self._tie(box, port, one, rename(outer[port])))

    def _measure(self, one: Along, name: str, variable: str = "") -> Measure:
        return measure_along(one, name, *self._ends(one, variable), self._spaces(one))

    def _ends(self, one: Along, variable: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What it reads, and what it acts on: a variable, then velocities."""
        reads, acts = (tuple(f"{end.name}.{letter}" for end in movers(one.pair)) for letter in "qv")
        return reads, (variable, *acts)

    def _spaces(self, one: Along) -> tuple[AbstractSpace, ...]:
        return tuple(self.spaces[end.name] for end in movers(one.pair))

    def _tie(self, box: Box, port: str, one: Along, junction: str) -> JoinedPorts:
        """Rows ẏ - e = 0 between a coordinate and a state of the box that has an energy."""
        measure, name = self._measure(one, box.name), box.tie(port)
        acts = measure.acts[1:]
        first: AbstractPort
        if isinstance(measure, MeasuredAngle):
            first = TurnPort(name, measure.reads, acts, measure.turn)
        elif isinstance(measure, MeasuredLength):
            first = LengthPort(name, measure.reads, acts, measure)
        elif isinstance(measure, MeasuredTwist):
            first = TwistPort(name, measure.reads, acts, measure)
        else:
            first = MeasuredPort(name, measure.reads, acts, measure.y, measure.spaces)
        read = sum(self.spaces[name.removesuffix(".q")].size for name in measure.reads)
        return JoinedPorts(name, first, Port(name, (junction,), one.width, np.eye(one.width)), read)


def _rounding(one: Along, motion: Motion) -> float:
    """Distances that are none, for points that are as far from the origin of the world as these."""
    ends = (frame_pose(one.pair, end, motion).r for end in (one.pair.parent, one.pair.child))
    return MEET * max(float(np.linalg.norm(r)) for r in ends)


def turned_with(model: Model, motion: Motion, x: Array) -> Array:
    """States with momenta that rows of boxes tie to coordinates as fast as these: dH(p) = ẏ.

    One that is given has to move as fast; the end of a run with long steps does so to their order.
    """
    inner = InnerUnknowns(model, x)
    if not len(inner.at) or not inner.completes():
        return x
    found = inner.completed(x)
    given = sorted(set(inner.tied) & set(motion.others))
    for name in given:
        own, rate = (model.z(state)[model.layout.z[name]] for state in (x, found))
        if np.abs(own - rate).max() > OTHER_RATE * np.abs([own, rate]).max():
            first, second = (", ".join(f"{value:.6g}" for value in rates) for rates in (own, rate))
            raise AssemblyError(
                f"the initial state of {model.name!r} has {name!r} at the rate {first}, and the joints to which its "
                f"box ties it at {second}: they are tied.\nGive the rate of the joint and leave {name!r} out: it "
                "follows."
            )
    for name in given:
        found[model.layout.x[name]] = x[model.layout.x[name]]
    return found


def box_states(m: Definition, motion: Motion) -> dict[str, Array]:
    """Start values of the variables of boxes: their own, and coordinates of joints, over many turns."""
    values: dict[str, Array] = {}
    for box in m.boxes:
        values |= box.start(motion.others)
        for variable, one in box.followed.items():
            values[variable] = np.array([coordinate_at(one, motion)])
        for variable, twist in box.axes.items():
            values[variable] = pair_functions(twist, twist.twist.read).value(coordinates_of(twist, motion))
        lines = {port: one for port, one in box.pairs.items() if isinstance(one, PairCoordinate) and one.is_length}
        for port, line in lines.items():
            if not coordinate_at(line, motion) > _rounding(line, motion):
                raise AssemblyError(
                    f"port {port!r} of box {box.name!r} is between two points that coincide in the initial "
                    "configuration,\nwhere their distance has no direction. Move them apart."
                )
    return values
