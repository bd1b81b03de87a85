"""A box of a mechanism: any composite of the language, with ports at coordinates, frames of heat and inputs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.language import AbstractSystem, Composite, Environment, Quantity, Reversible, Source, Storage
from visviva.library.quantities import angle, angular_momentum, displacement, momentum, momentum3, momentum6
from visviva.mechanism.parts import Along, JointCoordinate, OneAlong, PairCoordinate, PairTwist
from visviva.mechanism.thermal import Thermal

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition

MOMENTA = {angular_momentum: True, momentum: False}  # whether they belong to coordinates that turn
VECTORS = frozenset({momentum3, momentum6})  # momenta of a spin or a point, and of a frame
POSITIONS = {angle: True, displacement: False}
LINE, TWIST = "line", "twist"  # what ties of momenta between two frames are called


@final
@dataclass(frozen=True, eq=False)
class Box:
    """A composite system as a part of a mechanism.

    rates:  ports of momenta, whose effort is the rate of a coordinate, or a twist, and whose flow is a force along it.
    places: ports of angles and displacements, whose state is a coordinate and whose effort is a force against it.
    nodes:  ports of entropy, at thermal nodes; None: at the environment.
    All other power ports are inputs, see `inputs`.
    """

    name: str
    system: Composite
    rates: dict[str, Along]
    places: dict[str, OneAlong]
    nodes: dict[str, Thermal | None]

    @cached_property
    def flat(self) -> Composite:
        """The system without nesting."""
        return self.system.flatten()

    @cached_property
    def inputs(self) -> dict[str, str]:
        """Names of the inputs, by ports that are at no part and by sources inside; that of the box where it is one."""
        taken = {*self.rates, *self.places, *self.nodes}
        names = [name for name, port in self.flat.interface.items() if port.power and name not in taken]
        names += [name for name, part in self.flat.boxes.items() if part.kind == "source"]
        return {name: self.name if len(names) == 1 else f"{self.name}.{name}" for name in names}

    def input_quantity(self, name: str) -> Quantity:
        """That of a port which is an input, or of a source inside."""
        if name in self.flat.interface:
            return self.flat.interface[name].quantity
        (port,) = self.flat.boxes[name].interface.values()
        return port.quantity

    @cached_property
    def states(self) -> dict[str, int]:
        """Its own states by junction, with their numbers of coordinates; those that follow joints are none."""
        followed = {self.flat.outer[port] for port in self.places}
        return {
            name: junction.quantity.space.embedding.size
            for name, junction in self.flat.junctions.items()
            if name not in followed and isinstance(self.holder(name), Storage)
        }

    @cached_property
    def entropies(self) -> dict[str, Storage]:
        """Those of its states that are entropies, with their energies; each has a temperature dU/ds."""
        held = {name: self.holder(name) for name in self.states if self.flat.junctions[name].quantity.is_entropy}
        return {name: energy for name, energy in held.items() if isinstance(energy, Storage)}

    @cached_property
    def is_thermal(self) -> bool:
        """Whether it exchanges or stores heat."""
        return any(junction.quantity.is_entropy for junction in self.flat.junctions.values())

    @cached_property
    def along(self) -> dict[str, Along]:
        """What its ports of motion sit on, by port."""
        return {**self.rates, **self.places}

    @cached_property
    def coordinates(self) -> tuple[Along, ...]:
        """All coordinates and twists that it acts along, each once."""
        found = {(one.pair.name, one.number): one for one in (*self.rates.values(), *self.places.values())}
        return tuple(found.values())

    @cached_property
    def scalars(self) -> tuple[OneAlong, ...]:
        """What these are or follow from: coordinates, and the products of twists."""
        return tuple(
            one for each in self.coordinates for one in (each.scalars if isinstance(each, PairTwist) else (each,))
        )

    @cached_property
    def joint_coordinates(self) -> tuple[JointCoordinate, ...]:
        """Those of joints among them."""
        return tuple(one for one in self.coordinates if isinstance(one, JointCoordinate))

    @cached_property
    def pairs(self) -> dict[str, PairCoordinate | PairTwist]:
        """Displacements and twists between two frames that it acts along, by port."""
        return {port: one for port, one in self.along.items() if not isinstance(one, JointCoordinate)}

    @cached_property
    def twists(self) -> dict[str, PairTwist]:
        """Twists among them."""
        return {port: one for port, one in self.rates.items() if isinstance(one, PairTwist)}

    @cached_property
    def coordinate_states(self) -> dict[str, OneAlong]:
        """Coordinates that are states of it, angles over many turns, by the variable of each."""
        return {self.variable(self.flat.outer[port]): one for port, one in self.places.items()}

    @cached_property
    def joint_states(self) -> dict[str, JointCoordinate]:
        """Coordinates of joints among them."""
        return {name: one for name, one in self.coordinate_states.items() if isinstance(one, JointCoordinate)}

    @cached_property
    def followed(self) -> dict[str, OneAlong]:
        """What its model follows of the configuration, by variable: coordinates that are states, and distances."""
        return self.coordinate_states | {self.length(port): one for port, one in self.lengths.items()}

    @cached_property
    def axes(self) -> dict[str, PairTwist]:
        """Twists that depend on how their frames stand, which its model follows, by variable."""
        return {self.axes_of(port): one for port, one in self.twists.items() if one.twist.read}

    @cached_property
    def lengths(self) -> dict[str, PairCoordinate]:
        """Distances along which momenta of it act, by port."""
        return {port: one for port, one in self.rates.items() if isinstance(one, PairCoordinate) and one.is_length}

    def holder(self, junction: str) -> Storage | Environment | None:
        """What gives a junction its effort: a storage, an environment, or nothing."""
        parts = (self.flat.boxes[box] for box, _ in self.flat.junctions[junction].ends)
        return next((part for part in parts if isinstance(part, Storage | Environment)), None)

    @cached_property
    def may_tie(self) -> bool:
        """Whether rows of its parts leave coordinates less free than without it, as those of a gear or a source do.

        Rows are counted over junctions that they link: each takes a rate, of a coordinate or of a storage inside.
        """
        rates = {self.flat.outer[port] for port in self.rates}
        ends = {end: name for name, junction in self.flat.junctions.items() for end in junction.ends}
        groups: list[tuple[set[str], int]] = []
        for box, part in self.flat.boxes.items():
            rows = _rows_of(part)
            if rows:
                linked = {ends[box, port.name] for port in part.interface.values() if port.power}
                met = [group for group in groups if group[0] & linked]
                groups = [group for group in groups if group not in met]
                groups.append((linked.union(*(names for names, _ in met)), rows + sum(count for _, count in met)))
        return any(names & rates and rows > self._inner_rates(names - rates) for names, rows in groups)

    def _inner_rates(self, junctions: set[str]) -> int:
        """Number of efforts of the storages at some junctions."""
        held = (self.flat.junctions[name] for name in junctions if isinstance(self.holder(name), Storage))
        return sum(one.quantity.dim for one in held)

    def variable(self, junction: str) -> str:
        """The name of a state, or of a junction, in models and results."""
        return f"{self.name}.{junction}"

    def length(self, port: str) -> str:
        """The variable that follows a distance along which a momentum acts."""
        return f"{self.name}.{port}.length"

    def axes_of(self, port: str) -> str:
        """The variable that follows how the frames of a twist stand."""
        return f"{self.name}.{port}.axes"

    def tie(self, port: str) -> str:
        """The row that holds a state with an energy at a coordinate, such as that of a rotor."""
        one = self.rates[port]
        at = one.joint.name if isinstance(one, JointCoordinate) else TWIST if isinstance(one, PairTwist) else LINE
        return f"{self.name}.{port}:{at}"

    def start(self, others: dict[str, Any]) -> dict[str, Array]:
        """Values of its states by variable: as given by the names of a run, as the system starts, or zero."""
        found = {}
        for name, size in self.states.items():
            variable = self.variable(name)
            found[variable] = np.asarray(others.get(variable, self.flat.start.get(name, np.zeros(size))))
        return found


def _rows_of(part: AbstractSystem) -> int:
    """Number of rows on efforts that a primitive system has."""
    if isinstance(part, Source):
        return sum(port.quantity.dim for port in part.interface.values())
    return part.C.shape[0] if isinstance(part, Reversible) and part.C is not None else 0


def refuse_ties(m: Definition, what: str) -> None:
    """An error that names boxes which may tie joints; what: the reading that counts rows of parts of the mechanism."""
    tying = [repr(box.name) for box in m.boxes if box.may_tie]
    if tying:
        raise ModelError(
            f"box {', '.join(tying)} of mechanism {m.name!r} has rows on rates of joints, which {what} would not "
            "count.\nUse m.gear(...), m.rack(...), m.coupler(...) or m.drive(...) for what ties joints, or simulate "
            "with vv.LieMidpoint()."
        )
