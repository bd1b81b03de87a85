"""Mobility and redundancy of a mechanism as assembled, from the rank of its joints' rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva.mechanism.assembly import linkage_of
from visviva.mechanism.box import refuse_ties
from visviva.mechanism.linkage import Dependence, Linkage
from visviva.mechanism.positions import close

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition


def mobility(m: Definition) -> int:
    """Dimension of the velocities that satisfy all joints."""
    linkage, found = _dependence(m)
    return linkage.kinematics.n - int(found.kept.sum())


def redundant(m: Definition) -> dict[str, int]:
    """Per joint that closes a loop, the rows that follow from all others, where there are some."""
    linkage, found = _dependence(m)
    return left_out(linkage, found)


def left_out(linkage: Linkage, found: Dependence) -> dict[str, int]:
    """Numbers of dependent rows by the names of their joints or conditions."""
    counts: dict[str, int] = {}
    for k in np.flatnonzero(~found.kept):
        name = linkage.names[k]
        counts[name] = counts.get(name, 0) + 1
    return counts


def _dependence(m: Definition) -> tuple[Linkage, Dependence]:
    refuse_ties(m, "its mobility")
    linkage = linkage_of(m)
    q = close(linkage, linkage.kinematics.as_built)
    return linkage, linkage.dependence(linkage.kinematics.place(q))
