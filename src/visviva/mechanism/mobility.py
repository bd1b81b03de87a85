"""Mobility and redundancy of a mechanism as built, from the rank of its joints' rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.geometry.nullspace import split
from visviva.mechanism.assembly import joint_velocity_rows
from visviva.mechanism.coordinates import space_of

if TYPE_CHECKING:
    from visviva.mechanism.mechanism import Mechanism


def mobility(m: Mechanism) -> int:
    """Dimension of the velocities that satisfy all joints."""
    rows = joint_velocity_rows(m)
    n = sum(space_of(part).dim for part in m.bodies)
    return n - split(np.concatenate([np.zeros((0, n)), *rows.values()])).rank


def redundant(m: Mechanism) -> dict[str, int]:
    """Per joint, in the order of building, the rows that add nothing to the rank of those before them."""
    taken: list[Array] = []
    found, rank = {}, 0
    for name, rows in joint_velocity_rows(m).items():
        taken.append(rows)
        now = split(np.concatenate(taken)).rank
        if now < rank + len(rows):
            found[name] = rank + len(rows) - now
        rank = now
    return found
