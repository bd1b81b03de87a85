"""The linkage of a mechanism in its model: where another reading of the same rows is asked about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.mechanism.linkage import Linkage

if TYPE_CHECKING:
    from visviva.model.model import Model


def configuration(model: Model, linkage: Linkage, x: Array) -> Array:
    """The coordinates of all bodies of a mechanism, from a state of its model in any form."""
    return np.concatenate([x[..., model.layout.x[f"{body.name}.q"]] for body in linkage.bodies], axis=-1)


def linkage_in(model: Model) -> Linkage | None:
    """Joints and conditions of a mechanism, if these and the directors of bodies are all the constraints of a model."""
    if model.definition is None:
        return None
    names = {part.name for part in model.definition.joints} | {part.name for part in model.definition.conditions}
    boxes = {part.name for part in model.definition.boxes}  # their rows follow from the motion, and do not bind it
    inside = boxes.intersection
    if any(not inside(junction.name.split(".")[:1]) for junction in model.junctions):
        return None
    known = all(part.internal or part.name in names or inside(part.name.split(".")[:1]) for part in model.constraints)
    return Linkage(model.definition) if known else None


def linked_rank(model: Model, x: Array) -> int | None:
    """Number of independent constraint rows at a state of a mechanism's model, directors among them."""
    linkage = linkage_in(model)
    if linkage is None or sum(part.rows for part in model.constraints if not part.internal) != linkage.m:
        return None
    own = sum(part.rows for part in model.constraints if part.internal)
    return own + linkage.rank(linkage.kinematics.place(configuration(model, linkage, x)))
