"""Conditions of a mechanism as rows over the twists of its bodies in the world."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva._arrays import Array
from visviva.geometry.hat import skew
from visviva.mechanism.assembly import Motion, coordinates
from visviva.mechanism.linkage import Linkage
from visviva.mechanism.parts import Body, Particle
from visviva.mechanism.placement import principal_pose
from visviva.structure import LinearCondition

if TYPE_CHECKING:
    from visviva.mechanism.definition import Definition


def linear_conditions(m: Definition, motion: Motion) -> dict[str, LinearCondition]:
    """Couplings, rolling, drives and other conditions by name, at a motion; a lead is in the pair of its screw."""
    own = {name for joint in m.joints for name in joint.sum_names}
    if not any(part.name not in own for part in m.conditions):
        return {}
    linkage = Linkage(m)
    C = linkage.conditions.dense(coordinates(linkage, motion))
    columns = dict(zip((body.name for body in linkage.bodies), linkage.kinematics.columns, strict=True))
    found = {}
    for part, at in zip(linkage.conditions.conditions, linkage.conditions.rows, strict=True):
        if part.name not in own:
            rows = {body.name: C[at, columns[body.name]] @ _velocity_by_twist(body, motion) for body in part.movers}
            found[part.name] = LinearCondition(rows, driven=part.law is not None)
    return found


def _velocity_by_twist(part: Body | Particle, motion: Motion) -> Array:
    """V over the twist in the world at its origin: (Rᵀω; v + ω × r) of a body at r, v of a particle."""
    if isinstance(part, Particle):
        return np.hstack([np.zeros((3, 3)), np.eye(3)])
    X = principal_pose(part, motion)
    return np.block([[X.R.T, np.zeros((3, 3))], [-skew(X.r), np.eye(3)]])
