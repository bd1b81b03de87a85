"""Motions of a form that constraints leave, with errors in the names of its velocities."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.numerics import constrained as solves
from visviva.numerics.constrained import Constrained, NoInertia
from visviva.numerics.rank import velocity_units

SHARE = 0.1  # of the fastest velocity: those below are not named


def constrained(
    M: Array,
    Z: Array,
    b: Array,
    z: Array,
    names: Sequence[str],
    owner: str,
    rank: int | None = None,
    terms: Array | None = None,
    decide: Callable[[], int | None] | None = None,
    sizes: Array | None = None,
) -> Constrained:
    """`numerics.constrained`, where an error names the velocities of a motion without inertia.

    terms: sizes of the terms of each entry of Z, (m, n).   sizes: of the increments (n,), see `velocity_units`.
    """
    unit = velocity_units(np.diagonal(M), sizes=sizes)
    rows = None if terms is None else np.linalg.norm(terms * unit, axis=1)
    try:
        return solves.constrained(M, Z, b, z, unit, rows, rank, decide)
    except NoInertia as light:
        motion = np.abs(light.motion)
        moving = [name for name, part in zip(names, motion, strict=True) if part > SHARE * motion.max()]
        raise ModelError(
            f"{owner} has a motion without inertia, in {', '.join(moving)}: its acceleration is undetermined.\n"
            "Give what moves there mass and inertia, or hold it by a joint."
        ) from None
