"""The kinestatic network of a mechanism: its graph, its pairs as they stand, and what follows from both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import ArrayLike

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.mechanism.assembly import Motion, StateLike, coordinates, motion_of
from visviva.mechanism.body_twists import relative_twist
from visviva.mechanism.box import refuse_ties
from visviva.mechanism.closure import typical_length
from visviva.mechanism.condition_twists import linear_conditions
from visviva.mechanism.freedoms import Freedom, JointScrews, freedom_of, joint_screws
from visviva.mechanism.joint_pairs import pair_of
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.losses import LOSS, inner_values, rubbing
from visviva.mechanism.mobility_account import MobilityAccount, mobility_account
from visviva.mechanism.motions import Coordinate, Motions
from visviva.mechanism.names import unknown_name
from visviva.mechanism.parts import Carrier, Force, Joint, Motor, Particle, Torque
from visviva.mechanism.port_values import (
    port_efforts,
    port_flows,
    state_efforts,
    state_rates,
)
from visviva.mechanism.transmission import Transmission, transmission_of
from visviva.structure import Dirac, Implicit, Kinestatics

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition


@final
@dataclass(frozen=True, eq=False)
class MechanismNetwork:
    """Twists and wrenches that a mechanism allows at a motion, in world axes at the origin of the world.

    Bodies are the vertices of a graph; joints are edges with kinematic pairs, from child to parent; springs, and their
    dampers as `<spring>.damping`, are edges that stay open, and so are ports of boxes between two frames. Ports on
    joints act through actuated pairs. Couplings, rolling, drives and other conditions are rows over the twists of their
    bodies.

    Source: Stramigioli, Maschke and Bidard, sections 3.2 and 3.3.
    """

    definition: Definition
    motion: Motion
    kinestatics: Kinestatics

    @property
    def massless(self) -> tuple[str, ...]:
        """Bodies that take no wrench: they are no ports of the structure."""
        return tuple(part.name for part in self.definition.bodies if part.mass == 0)

    def structure(self) -> Dirac:
        """Dirac structure over all bodies with mass, open edges, joints on which something acts, and drives."""
        return self.kinestatics.structure(actuated=tuple(self.actuated()), massless=self.massless)

    def actuated(self) -> dict[str, Joint]:
        """Joints with friction, springs, stops, boxes or input ports about their axes."""
        m = self.definition
        acting = {one.joint.name for part in m.joint_elements for one in part.coordinates}
        acting |= {stop.joint.name for stop in m.stops}
        acting |= {port.joint.name for port in m.ports if isinstance(port, Torque | Force | Motor)}
        acting |= {one.joint.name for box in m.boxes for one in box.joint_coordinates}
        return {part.name: part for part in m.joints if part.name in acting or rubbing(part)}

    def joint(self, given: Joint | str) -> Joint:
        """A joint by its name, or as a handle."""
        joints = {part.name: part for part in self.definition.joints}
        name = given if isinstance(given, str) else getattr(given, "name", repr(given))
        if name not in joints:
            raise unknown_name(name, joints, f"mechanism {self.definition.name!r}")
        return joints[name]

    # -- screws -------------------------------------------------------------------------------------------------

    def freedom(
        self, body: Carrier | str, against: Carrier | str = "ground", *, locked: Sequence[Coordinate] = ()
    ) -> Freedom:
        """Twists of a body against another and the wrenches that hold it, as screw systems in the world.

        locked: joints, or coordinates (joint, number), that do not move, as those of motors at rest.
        """
        return freedom_of(self, body, against, locked)

    def at_joint(self, joint: Joint | str, *, locked: Sequence[Coordinate] = ()) -> JointScrews:
        """Screws of a joint: what it allows, what of that occurs in the mechanism, and what it bears."""
        return joint_screws(self, self.joint(joint), Motions(self, locked))

    def transmission(self, inputs: Sequence[Coordinate], outputs: Sequence[Carrier | Coordinate]) -> Transmission:
        """Rates and forces from inputs to outputs. inputs: joints or (joint, number); outputs: these, or bodies."""
        return transmission_of(self, inputs, outputs)

    def account(self) -> MobilityAccount:
        """Mobility against the count of Grübler and Kutzbach, and the reasons why they differ."""
        return mobility_account(self)

    # -- rank ---------------------------------------------------------------------------------------------------

    def mobility(self) -> int:
        """Number of independent velocities that the joints leave."""
        return self.kinestatics.mobility()

    def rank(self) -> int:
        """Number of independent constraint rows."""
        return self.kinestatics.rank()

    def redundancy(self) -> int:
        """Number of constraint rows beyond those: the dimension of the states of self-stress."""
        return self.kinestatics.redundancy()

    def self_stresses(self) -> dict[str, Array]:
        """Wrenches on the joints that load no body, by joint, shape (6, redundancy), in the world at its origin."""
        return self.kinestatics.self_stress_wrenches()

    def implicit(self) -> Implicit:
        """The implicit port-Hamiltonian system at this motion: see `mechanism.implicit`."""
        from visviva.mechanism.implicit import implicit_of

        return implicit_of(self)

    def constraints(self) -> dict[str, Array]:
        """Algebraic constraints C dH = 0 of `implicit()` by joint; the columns of Cᵀ are the rates of its reactions."""
        return self.implicit().constraints

    def rates(self, joint: Joint) -> Array:
        """Rates of the coordinates of a joint, shape (k,)."""
        S = self.kinestatics.pairs[joint.name].S
        return (np.linalg.pinv(S) @ relative_twist(joint, self.motion))[: len(joint.joint.coordinates)]

    def x_dot(
        self,
        accelerations: Mapping[str, Array],
        inputs: Mapping[str, ArrayLike] | None = None,
        inside: Mapping[str, float] | None = None,
    ) -> dict[str, Array]:
        """Rates by state of `implicit()`, for accelerations of the bodies as the model of the mechanism has them.

        inputs: by port, zero by default.
        inside: currents of motors [A] and temperatures of thermal nodes [K] by name; default: those at the start.
        """
        return state_rates(self, accelerations, inputs or {}, inner_values(self.definition, inside))

    def dH(
        self, slopes: Mapping[str, ArrayLike] | None = None, inside: Mapping[str, float] | None = None
    ) -> dict[str, Array]:
        """Efforts by state of `implicit()`.

        slopes: dU of a spring over what it measures, by its name; default: of its energy at this motion.
        """
        return state_efforts(self.definition, self.motion, slopes or {}, inner_values(self.definition, inside))

    def flows(self, inside: Mapping[str, float] | None = None) -> dict[str, Array]:
        """f by port of `implicit()`."""
        return port_flows(self, inner_values(self.definition, inside))

    def efforts(
        self, inputs: Mapping[str, ArrayLike] | None = None, inside: Mapping[str, float] | None = None
    ) -> dict[str, Array]:
        """e by port of `implicit()`: the inputs, zero by default, what dissipates, and entropy that enters nodes."""
        return port_efforts(self, inputs or {}, inner_values(self.definition, inside))

    def __str__(self) -> str:
        bodies, joints = len(self.kinestatics.bodies), len(self.kinestatics.pairs)
        rows = len(self.kinestatics.constraints())
        lines = [
            f"{bodies} bodies, {joints} joints",
            f"{rows} constraint rows, rank {self.rank()}: mobility {self.mobility()}, self-stress {self.redundancy()}",
        ]
        if stressed := self.self_stresses():
            lines.append(f"joints that can carry self-stress: {', '.join(stressed)}")
        return "\n".join(lines)


def kinestatics_of(m: Definition, at: StateLike | None = None) -> MechanismNetwork:
    """The network of a mechanism at a motion; as assembled by default."""
    if not m.bodies:
        raise ModelError(f"mechanism {m.name!r} has no bodies. Add one: m.body(...) or m.particle(...).")
    refuse_ties(m, "its kinestatics")
    motion = motion_of(m, at)
    edges = {part.name: (part.child.name, part.parent.name) for part in m.joints}
    for element in m.elements:
        ends = element.child.name, element.parent.name
        edges |= {element.name: ends} if element.energy is not None else {}
        edges |= {f"{element.name}{LOSS}": ends} if element.damping is not None else {}
    edges |= {one.name: (one.child.name, one.parent.name) for box in m.boxes for one in box.pairs.values()}
    pairs = {part.name: pair_of(part, motion) for part in m.joints}
    bodies = [part.name for part in m.bodies]
    particles = [part.name for part in m.bodies if isinstance(part, Particle)]
    conditions = linear_conditions(m, motion)
    linkage = Linkage(m)
    length = typical_length(linkage.kinematics)
    independent = linkage.rank(linkage.kinematics.place(coordinates(linkage, motion)))
    network = Kinestatics.of(bodies, edges, pairs, particles, conditions, length, independent)
    return MechanismNetwork(m, motion, network)
