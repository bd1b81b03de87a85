"""Freedoms and constraints of a body of a mechanism against another, as screw systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.geometry.projective.lines import foot
from visviva.geometry.screws import Screw, System, as_twist
from visviva.geometry.screws.screw import triple
from visviva.mechanism.motions import Coordinate, Motions, carrier_of, rate_rows
from visviva.mechanism.parts import Carrier, Joint, Particle
from visviva.numerics.nullspace import split
from visviva.numerics.rank import TOLERANCE

if TYPE_CHECKING:
    from visviva.mechanism.network import MechanismNetwork


@final
@dataclass(frozen=True)
class Words:
    """How screws of pitch zero, of any other finite pitch, and of an infinite one are called."""

    line: str
    screw: str
    free: str
    every: str


TWISTS = Words("turn about the line", "screw of pitch {:.6g} m/rad on the line", "shift along", "every motion")
WRENCHES = Words("force on the line", "wrench of pitch {:.6g} m/rad on the line", "couple about", "every wrench")


@final
@dataclass(frozen=True, eq=False)
class Freedom:
    """How a body can move against another one as the mechanism stands, and what holds it; prints as a text.

    twists:   all twists of the body against the other, in world axes at the world's origin.
    wrenches: all wrenches that do no work on them, as screws (f; m): what the mechanism resists between both.
    at:       a world point of the body, about which pictures show it.   locked: joints held, by name.
    """

    body: str
    against: str
    twists: System
    wrenches: System
    at: Array  # (3,)
    locked: tuple[str, ...] = ()

    @property
    def mobility(self) -> int:
        """Number of independent motions."""
        return self.twists.rank

    def __str__(self) -> str:
        held = f" with {', '.join(map(repr, self.locked))} locked" if self.locked else ""
        lines = [f"{self.body!r} against {self.against!r}{held}: mobility {self.mobility}"]
        lines += ["motions:", *lines_of(self.twists, TWISTS)] if self.twists.rank else ["it cannot move"]
        lines += ["held by:", *lines_of(self.wrenches, WRENCHES)] if self.wrenches.rank else ["nothing holds it"]
        return "\n".join(lines)


@final
@dataclass(frozen=True, eq=False)
class JointScrews:
    """What a joint allows, how far the rest of the mechanism lets it, and what it bears; prints as a text.

    allows: twists of the joint alone.   moves: those that occur in the mechanism.   bears: wrenches (f; m).
    """

    name: str
    kind: str
    allows: System
    moves: System
    bears: System

    @property
    def idle(self) -> int:
        """Freedoms of the joint that do not occur as the mechanism stands."""
        return self.allows.rank - self.moves.rank

    def __str__(self) -> str:
        lines = [
            f"{self.kind} {self.name!r}: freedom {self.allows.rank}, of which the mechanism uses {self.moves.rank}"
        ]
        lines += ["motions:", *lines_of(self.moves, TWISTS)] if self.moves.rank else []
        lines += ["bears:", *lines_of(self.bears, WRENCHES)] if self.bears.rank else []
        return "\n".join(lines)


def freedom_of(
    network: MechanismNetwork, body: Carrier | str, against: Carrier | str, locked: Sequence[Coordinate]
) -> Freedom:
    """Of the twists of all motions, those of one body against another."""
    m = network.definition
    a, b = (carrier_of(m, one, "freedom") for one in (body, against))
    if a is b:
        raise ModelError(f"freedom asks for {a.name!r} against itself: give two different bodies, or one and 'ground'.")
    motions = Motions(network, locked)
    twists = spanned(motions.between(a, b), motions.length)
    names = tuple(name for one in locked for name in rate_rows(network, one).names)
    shown = a if a is not m.ground else b
    at = network.motion.q[shown.name][:3]
    points = [network.motion.q[part.name] for part in (a, b) if isinstance(part, Particle)]
    wrenches = twists.reciprocal()
    for r in points:  # a particle takes forces through it and no couples
        wrenches = wrenches & System([np.concatenate([e, np.cross(r, e)]) for e in np.eye(3)], length=motions.length)
    return Freedom(a.name, b.name, twists, wrenches, at, names)


def joint_screws(network: MechanismNetwork, joint: Joint, motions: Motions) -> JointScrews:
    """The screws of one joint, alone and in the motions of its mechanism."""
    pair = network.kinestatics.pairs[joint.name]
    return JointScrews(
        joint.name,
        joint.joint.kind,
        spanned(pair.S, motions.length),
        spanned(motions.between(joint.child, joint.parent), motions.length),
        spanned(as_twist(pair.A).T, motions.length),
    )


def spanned(columns: Array, length: float) -> System:
    """The system of some screws (6, k) of which each may vanish, and all may depend on each other."""
    units = np.repeat([1.0, length], 3)
    scaled = columns / units[:, None]
    if not np.abs(scaled).max(initial=0.0) > TOLERANCE:
        return System(length=length)
    return System(split(scaled.T, np.full(scaled.shape[1], np.abs(scaled).max())).V.T * units, length=length)


def lines_of(system: System, words: Words) -> list[str]:
    """The principal screws of a system, one line each; its type where there are several."""
    if system.rank == 6:
        return [f"  {words.every}"]
    screws = system.principal().screws
    kind = [f"  {system.type}"] if 1 < system.rank < 5 else []
    return kind + [f"  {phrase(screw, words, system.length)}" for screw in screws]


def phrase(screw: Screw, words: Words, length: float = 1.0) -> str:
    """A screw in words, without its magnitude."""
    shape = screw.geometric()
    if not shape.line[:3].any():
        return f"{words.free} {triple(shape.line[3:])}"
    flat = abs(shape.pitch) <= TOLERANCE * length
    name = words.line if flat else words.screw.format(shape.pitch)
    return f"{name} through {triple(foot(shape.line))} along {triple(shape.line[:3])}"
