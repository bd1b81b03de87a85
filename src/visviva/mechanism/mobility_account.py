"""Why a mechanism moves as it does: mobility against the count of its constraints, loop by loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from visviva.geometry.screws import System
from visviva.mechanism.assembly import coordinates
from visviva.mechanism.freedoms import TWISTS, WRENCHES, joint_screws, lines_of, phrase, spanned
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.mobility import left_out
from visviva.mechanism.motions import Motions
from visviva.mechanism.self_stress import State, lines_of_state, stresses_of
from visviva.numerics.nullspace import split
from visviva.structure.ports import spans

if TYPE_CHECKING:
    from visviva.mechanism.network import MechanismNetwork

NEARLY = 1e-4  # of a unit row: what is less independent than that was perhaps not meant to be


@final
@dataclass(frozen=True, eq=False)
class Loop:
    """A loop: the screws of its joints span a system; the wrenches reciprocal to it can run round it without any load.

    joints: all of them.   screws: what they span.   stress: its reciprocal system, as (f; m).
    """

    joints: tuple[str, ...]
    freedoms: int
    screws: System
    stress: System

    def __str__(self) -> str:
        text = f"loop {', '.join(self.joints)}: {self.freedoms} freedoms span a {self.screws.type}"
        if spare := self.stress.rank:
            rows = "row follows" if spare == 1 else "rows follow"
            held = "\n".join(f"  {line}" for line in lines_of(self.stress, WRENCHES))
            text += f";\n  {spare} {rows} from the others. Without any load it can carry\n{held}"
        return text


@final
@dataclass(frozen=True, eq=False)
class MobilityAccount:
    """Mobility of a mechanism as it stands, with reasons; prints as a text.

    gruebler:  velocities less all rows (Grübler, Kutzbach).   mobility = gruebler + redundant rows.
    redundant: rows that follow from others, by joint or condition; which of those that repeat each other is a choice.
    loops:     the independent ones, with what their joints span.
    local:     freedoms of a body between others that moves alone, as a rod that spins about itself, by body.
    resting:   joints with freedoms none of which occurs as the mechanism stands.
    nearly:    how far further rows are from following from others, where that is below 1e-4 of a unit row.
    stresses:  states of self-stress: wrenches on the joint as screws (f; m), children pressing on parents, by joint;
               conditions have their multipliers. First those of single loops, then what only several can carry.
    """

    name: str
    velocities: int
    rows: int
    mobility: int
    redundant: dict[str, int]
    loops: tuple[Loop, ...]
    local: dict[str, System]
    resting: tuple[str, ...]
    nearly: tuple[float, ...]
    stresses: tuple[State, ...]

    @property
    def gruebler(self) -> int:
        """What counting gives."""
        return self.velocities - self.rows

    def __str__(self) -> str:
        spare = self.mobility - self.gruebler
        head = f"{self.name!r}: {self.velocities} velocities - {self.rows} rows = {self.gruebler} (Grübler-Kutzbach)"
        lines = [f"{head}, mobility {self.mobility}"]
        if spare:
            where = ", ".join(f"{name} {count}" for name, count in self.redundant.items())
            lines.append(f"the difference of {spare} is in rows that follow from others: {where}")
        else:
            lines.append("no row follows from others: counting is right")
        if self.nearly:
            lines.append(
                f"{len(self.nearly)} more would follow but for {max(self.nearly):.2g}: the mobility is"
                f" {self.mobility + len(self.nearly)} if axes are meant to fit. Give them with more digits, or leave a"
                " configuration that is nearly singular."
            )
        lines += [str(loop) for loop in self.loops]
        for name, system in self.local.items():
            lines.append(f"{name} moves alone, with all others at rest, and counts: {_line(system)}")
        lines += [f"{name} has freedom and does not move" for name in self.resting]
        for k, state in enumerate(self.stresses, start=1):
            lines += [f"self-stress {k}:", *(f"  {names}: {part}" for names, part in lines_of_state(state))]
        return "\n".join(lines)


def mobility_account(network: MechanismNetwork) -> MobilityAccount:
    """The account of a network; loops are those of its joints."""
    m, kinestatics = network.definition, network.kinestatics
    linkage = Linkage(m)
    place = linkage.kinematics.place(coordinates(linkage, network.motion))
    rows, velocities = kinestatics.constraints().shape
    motions = Motions(network)
    length, each = motions.length, [joint_screws(network, joint, motions) for joint in m.joints]
    loops = []
    for k in linkage.topology.loops:
        tree = [
            int(linkage.topology.joint[body]) for body in linkage.topology.cycle(*linkage.kinematics.ends[k].tolist())
        ]
        names = tuple(linkage.joints[j].name for j in sorted({k, *tree}))
        S = np.hstack([kinestatics.pairs[name].S for name in names])
        screws = spanned(S, length)
        loops.append(Loop(names, S.shape[1], screws, screws.reciprocal()))
    return MobilityAccount(
        m.name,
        velocities,
        rows,
        network.mobility(),
        left_out(linkage, linkage.dependence(place)),
        tuple(loops),
        _local(network, length),
        tuple(screws.name for screws in each if screws.allows.rank and not screws.moves.rank),
        tuple(value for value in motions.independence().tolist() if value < NEARLY),
        stresses_of(network, [(loop.joints, loop.stress) for loop in loops]),
    )


def _local(network: MechanismNetwork, length: float) -> dict[str, System]:
    """Motions of single bodies between others, all else at rest."""
    m, G = network.definition, network.kinestatics.constraints()
    at = spans({part.name: 3 if part.name in network.kinestatics.particles else 6 for part in m.bodies})
    beside: dict[str, set[str]] = {part.name: set() for part in (*m.bodies, m.ground)}
    for joint in m.joints:
        beside[joint.parent.name].add(joint.child.name)
        beside[joint.child.name].add(joint.parent.name)
    found = {}
    for part in m.bodies:
        if len(beside[part.name]) > 1 and at[part.name].stop - at[part.name].start == 6:
            units = np.repeat([1.0, length], 3)
            own = split(G[:, at[part.name]] * units).Z
            if own.size:
                found[part.name] = spanned(units[:, None] * own, length)
    return found


def _line(system: System) -> str:
    return "; ".join(phrase(screw, TWISTS, system.length) for screw in system.principal().screws)
