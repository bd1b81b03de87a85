"""The kinestatic network of a mechanism at an instant of a run."""

from __future__ import annotations

import numpy as np

from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.mechanism import Definition, Mechanism, definition_of
from visviva.mechanism.assembly import Motion, StateLike, motion_at
from visviva.mechanism.inventory import whole
from visviva.mechanism.network import MechanismNetwork, kinestatics_of
from visviva.results.run import Run


@helpful
def kinestatics(
    subject: Mechanism | Definition | Run,
    at: StateLike | None = None,
    *,
    motion: StateLike | None = None,
    node: int | None = None,
) -> MechanismNetwork:
    """Twists and wrenches that a mechanism allows, its screws, transmission and mobility: see `MechanismNetwork`.

    subject: a mechanism, or a run of one.
    at:      of a mechanism: values by name, the first result of `m.assemble()`, or an instant of a run such as
             `run.final`; default: as assembled. `motion` is its older name.
    node:    of a run: the number of an instant in `run.t`, with its velocities; default: the last one.
    """
    at = motion if at is None else at
    if isinstance(subject, Run):
        if at is not None:
            raise ModelError("the motions of a run are its nodes: give node=..., and leave out at.")
        return _at_node(subject, node)
    subject = definition_of(subject)
    if not isinstance(subject, Definition):
        raise ModelError(f"kinestatics takes a mechanism or a run of one, got {type(subject).__name__}.")
    if node is not None:
        raise ModelError(f"mechanism {subject.name!r} has no nodes: node=... belongs to a run.")
    return kinestatics_of(subject, at)


def _at_node(run: Run, node: int | None) -> MechanismNetwork:
    if run.motion is None:
        raise ModelError(f"the run of {run.model.name!r} is not one of a mechanism: it has no joints to look at.")
    count, k = len(run.t), whole(-1 if node is None else node)
    if k is None or not -count <= k < count:
        raise ModelError(f"node of a run is a whole number from {-count} to {count - 1}, got {node!r}.")
    linkage, columns = run.motion.linkage, run.motion.columns
    names = [turn.name for turn in run.motion.model.turns]
    angles = dict(zip(names, np.asarray(run.record.angles)[k].tolist(), strict=True))
    rest = motion_at(linkage, run.motion.configurations[k], angles)
    V = {body.name: run.motion.tangent_velocities[k, columns[body.name]] for body in linkage.bodies}
    return kinestatics_of(run.motion.definition, Motion(rest.q, V, rest.angles))
