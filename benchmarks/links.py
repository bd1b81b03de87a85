"""A chain link by link, as tools with joint coordinates want it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

import visviva as vv
from visviva._arrays import Array
from visviva.mechanism.parts import Body


@final
@dataclass(frozen=True, eq=False)
class Link:
    """A body whose frame L sits at its joint, with principal axes; P is the frame L of the link before, or the world.

    kind: of the joint.   axis: its direction in L, if it turns about one.   com: the centre of mass in L.
    """

    body: Body
    kind: str
    R_PL: Array  # (3, 3), as built
    r_PL: Array  # (3,), as built
    axis: Array  # (3,)
    com: Array  # (3,)


def links(m: vv.Mechanism) -> Iterator[Link]:
    """From the ground to the end; each joint holds the body before and the next one."""
    before, R_WP, r_WP = m.ground, np.eye(3), np.zeros(3)
    for joint in m.joints:
        body = joint.child
        if joint.parent is not before or not isinstance(body, Body):
            raise ValueError(f"joint {joint.name!r} does not continue a chain of bodies at {before.name!r}")
        R_WJ, r_WJ = joint.frame_on(body)
        R_WL = body.R_WC
        yield Link(
            body=body,
            kind=joint.joint.kind,
            R_PL=R_WP.T @ R_WL,
            r_PL=R_WP.T @ (r_WJ - r_WP),
            axis=R_WL.T @ R_WJ[:, 2],
            com=R_WL.T @ (body.r_WC - r_WJ),
        )
        before, R_WP, r_WP = body, R_WL, r_WJ
