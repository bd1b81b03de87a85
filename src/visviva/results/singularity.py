"""Where a motion comes near a singular configuration."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.errors import ModelError
from visviva.mechanism.linkage import CHUNK, Linkage
from visviva.mechanism.singular import NEAR, loosest_loop, regularity
from visviva.numerics.saddle import FEW
from visviva.results.reader import Reader

if TYPE_CHECKING:
    from visviva.model import Model
    from visviva.results.motion import MechanismMotion
    from visviva.results.run import Run

SAMPLE, SAMPLE_OF_MANY = 1000, 20  # nodes looked at for a warning; fewer where matrices are large
PASSED = 0.75  # of the change from node to node: a margin below leaves no room for one more step


def loop_margin(run: Run) -> Array:
    """How far the loops of a mechanism are from a singular configuration at the nodes of a run, (N+1,).

    It is the smallest singular value of the rows of loops that does not vanish anyway, see `Linkage.margin`: near zero,
    the mechanism passes a configuration in which it may branch off or lock. 1 without loops.
    """
    if run.motion is None:
        raise ModelError(f"the run of {run.model.name!r} is not one of a mechanism: it has no loops of joints.")
    return _margins(run.motion)


def margin_readers(motion: MechanismMotion) -> dict[str, Reader]:
    """The margin as a quantity, where there are loops."""
    return {"loop_margin": Reader(partial(_margins, motion), "1")} if motion.linkage.topology.loops else {}


def singular_text(model: Model, x: Array, below: float) -> str:
    """Which loop of a mechanism is how near a singular configuration at a state, if its margin is below a bound."""
    if model.definition is None:
        return ""
    linkage = Linkage(model.definition)
    q = np.concatenate([x[model.layout.x[f"{body.name}.q"]] for body in linkage.bodies])
    return _text(linkage, q, below)


def singular_warning(run: Run) -> str:
    """Where the run came nearest to a singular configuration, if that is too near; empty else."""
    motion = run.motion
    if motion is None or not motion.linkage.topology.loops:
        return ""
    linkage, q = motion.linkage, motion.configurations
    nodes = len(q)
    kept = np.unique(np.linspace(0, nodes - 1, SAMPLE if _is_small(linkage) else SAMPLE_OF_MANY).astype(int))
    margin = _margins(motion, kept)
    nearest = int(margin.argmin())
    around = np.arange(kept[max(0, nearest - 1)], kept[min(len(kept) - 1, nearest + 1)] + 1)
    if len(around) <= SAMPLE:
        kept, margin = around, _margins(motion, around)
        nearest = int(margin.argmin())
    change = float(np.abs(np.diff(margin[max(0, nearest - 1) : nearest + 2])).max(initial=0.0))
    bound = max(NEAR, PASSED * change)
    text = _text(linkage, q[kept[nearest]], bound)
    return f"at t = {run.record.t[kept[nearest]]:.4g} s {text}: there the motion may branch off or lock" if text else ""


def _text(linkage: Linkage, q: Array, below: float) -> str:
    if not linkage.topology.loops:
        return ""
    found = regularity(linkage, q)
    if found.margin >= below:
        return ""
    names = ", ".join(map(repr, loosest_loop(linkage, q, found.kept)))
    return f"the loop of {names} is near a singular configuration (margin {found.margin:.2g}, where 0 is singular)"


def _is_small(linkage: Linkage) -> bool:
    return linkage.kinematics.n + linkage.kinematics.m <= FEW


def _margins(motion: MechanismMotion, nodes: Array | slice = slice(None)) -> Array:
    linkage, q = motion.linkage, motion.configurations
    kept = regularity(linkage, q[0]).kept
    chosen = q[nodes]
    chunks = np.array_split(chosen, max(1, len(chosen) // CHUNK))
    return np.concatenate([linkage.margin(linkage.kinematics.place(part), kept) for part in chunks])
