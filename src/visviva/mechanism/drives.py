"""Drives must be free to do what they prescribe: nothing else may determine it."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.errors import AssemblyError
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.singular import regularity

PART = 1e-6  # of the largest multiplier of a self-stress: less is rounding


def check_drives(linkage: Linkage, q: Array) -> None:
    """An error that names a drive and what determines its motion already: joints, constraints, or another drive.

    Then there is a state of self-stress in which it takes part, at this configuration and near by.
    """
    driven = {part.name for part in linkage.conditions.conditions if part.law is not None}
    if not driven:
        return
    kept = regularity(linkage, q).kept
    for Y in linkage.stresses(linkage.kinematics.place(q), kept).T:
        size = np.abs(Y) * linkage.row_scale
        names = dict.fromkeys(linkage.names[k] for k in np.flatnonzero(size > PART * size.max()))
        taking = [name for name in names if name in driven]
        if taking:
            others = ", ".join(repr(name) for name in names if name != taking[-1])
            raise AssemblyError(
                f"drive {taking[-1]!r} of mechanism {linkage.name!r} prescribes what is determined without it,\n"
                f"by {others}. Remove one of them, or let a torque or force act there instead of a drive."
            )
