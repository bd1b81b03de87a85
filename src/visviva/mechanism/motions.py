"""All motions that a mechanism has as it stands, with some of its joints locked or not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.library.joints import Angle
from visviva.mechanism.closure import typical_length
from visviva.mechanism.inventory import kind_of, whole
from visviva.mechanism.kinematics import Kinematics
from visviva.mechanism.names import unknown_name
from visviva.mechanism.parts import Body, Carrier, Ground, Joint, Particle
from visviva.numerics.rank import rank, singular_values, unit_rows
from visviva.structure.subspace import range_and_complement

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition
    from visviva.mechanism.network import MechanismNetwork

Coordinate = Joint | str | tuple[Joint | str, int]


@final
@dataclass(frozen=True, eq=False)
class RateRows:
    """Rates of coordinates of joints over the twists of child against parent.

    names:  of each row, as it is printed.   rows: (k, 6).   turning: (k,) which of them are angles.
    """

    joint: Joint
    names: tuple[str, ...]
    rows: Array
    turning: tuple[bool, ...]


@final
class Motions:
    """A basis of the twists of all bodies that a network allows, orthonormal where lengths are counted by `length`.

    locked: joints that do not move, or single coordinates (joint, number) of them.
    """

    def __init__(self, network: MechanismNetwork, locked: Sequence[Coordinate] = ()) -> None:
        self.network = network
        self.length = size_of(network.definition)
        m, G = network.definition, network.kinestatics.constraints()
        locked = several(locked, "locked")
        moves = np.concatenate([np.arange(6) >= (0 if isinstance(part, Body) else 3) for part in m.bodies])
        units = np.where(np.tile(np.arange(6) < 3, len(m.bodies)), 1.0, self.length)
        rows = [G, *(self._over_all(rate_rows(network, one))[:, moves] for one in locked)]
        scaled = np.vstack(rows) * units[moves]
        count = rank(scaled) if locked else network.rank()
        self._rows = unit_rows(scaled)[0]
        N = range_and_complement(self._rows.T, rank=count)[1]
        full = np.zeros((len(units), N.shape[1]))
        full[moves] = units[moves, None] * N
        self.twists = full.reshape(len(m.bodies), 6, -1)
        self._number = {part.name: k for k, part in enumerate(m.bodies)}

    @property
    def mobility(self) -> int:
        """How many independent motions there are."""
        return self.twists.shape[2]

    def independence(self) -> Array:
        """Singular values of the rows, each of length 1, that count as independent; the smallest one last."""
        return singular_values(self._rows)[: self._rows.shape[1] - self.mobility]

    def of(self, carrier: Carrier) -> Array:
        """Twists of a body in the world, one column for each motion; zero for the ground, (6, mobility)."""
        still = np.zeros((6, self.mobility))
        return still if isinstance(carrier, Ground) else self.twists[self._number[carrier.name]]

    def between(self, a: Carrier, b: Carrier) -> Array:
        """Twists of a against b, (6, mobility)."""
        return self.of(a) - self.of(b)

    def rates(self, part: RateRows) -> Array:
        """Rates of coordinates, (k, mobility)."""
        return part.rows @ self.between(part.joint.child, part.joint.parent)

    def _over_all(self, part: RateRows) -> Array:
        bodies, blank = self.network.definition.bodies, np.zeros_like(part.rows)
        signs = {part.joint.child.name: part.rows, part.joint.parent.name: -part.rows}
        return np.hstack([signs.get(body.name, blank) for body in bodies])


def several(given: Iterable[Coordinate], what: str) -> list[Coordinate]:
    """Joints or coordinates of joints, given as a list."""
    if isinstance(given, str | Joint) or not isinstance(given, Iterable):
        raise ModelError(f"{what} takes several joints, e.g. {what}=[{getattr(given, 'name', given)!r}].")
    return list(given)


def size_of(m: Definition) -> float:
    """What counts as one unit of length in a mechanism [m]."""
    return typical_length(Kinematics(m.bodies, m.joints, [joint.joint.rows for joint in m.joints]))


def carrier_of(m: Definition, given: Carrier | str, where: str) -> Carrier:
    """The body, particle or ground that is meant."""
    name = given if isinstance(given, str) else getattr(given, "name", repr(given))
    if name == m.ground.name:
        return m.ground
    if name not in m.parts:
        raise unknown_name(name, [*(part.name for part in m.bodies), m.ground.name], f"{where} of mechanism {m.name!r}")
    part = m.parts[name]
    if not isinstance(part, Body | Particle):
        raise ModelError(f"{where} asks for {kind_of(part)} {name!r}: give a body, a particle or 'ground'.")
    return part


def rate_rows(network: MechanismNetwork, given: Coordinate) -> RateRows:
    """All freedoms of a joint, or the one coordinate (joint, number) of it."""
    m = network.definition
    one, number = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
    name = one if isinstance(one, str) else getattr(one, "name", repr(one))
    if name not in m.parts:
        raise unknown_name(name, (joint.name for joint in m.joints), f"mechanism {m.name!r}")
    joint = m.parts[name]
    if not isinstance(joint, Joint):
        raise ModelError(f"{kind_of(joint)} {name!r} has no coordinates: give a joint, or (joint, number).")
    pair = network.kinestatics.pairs[name]
    if pair.freedom == 0:
        raise ModelError(f"joint {name!r} is {joint.joint.kind} and has no freedom: nothing to drive, lock or read.")
    coordinates = joint.joint.coordinates
    rows: Array = np.asarray(np.linalg.pinv(pair.S), dtype=np.float64)
    turning = [isinstance(part, Angle) for part in coordinates]
    turning += [True] * (pair.freedom - len(turning))
    names = [name] if pair.freedom == 1 else [f"{name}.{k}" for k in range(pair.freedom)]
    if number is not None:
        k = whole(number)
        if k is None or not 0 <= k < len(coordinates):
            raise ModelError(f"coordinate {number!r} of joint {name!r} is none: it has {len(coordinates)}, from 0 on.")
        return RateRows(joint, (names[k],), rows[k : k + 1], (turning[k],))
    return RateRows(joint, tuple(names), rows, tuple(turning))
