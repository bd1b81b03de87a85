"""Where a motion comes near a singular configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.mechanism.linkage import CHUNK
from visviva.mechanism.singular import regularity

if TYPE_CHECKING:
    from visviva.results.run import Run


def loop_margin(run: Run) -> Array:
    """How far the loops of a mechanism are from a singular configuration at the nodes of a run, (N+1,).

    It is the smallest singular value of the independent rows of loops, see `Linkage.margin`: near zero, the mechanism
    passes a configuration in which it may branch off or lock.
    """
    if run.motion is None:
        raise ModelError(f"the run of {run.model.name!r} is not one of a mechanism: it has no loops of joints.")
    linkage, q = run.motion.linkage, run.motion.configurations
    kept = regularity(linkage, q[0]).kept
    chunks = np.array_split(q, max(1, len(q) // CHUNK))
    return np.concatenate([linkage.margin(linkage.kinematics.place(part), kept) for part in chunks])
