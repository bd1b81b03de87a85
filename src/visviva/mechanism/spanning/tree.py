"""Trees: frames that hang on each other by joints of one kind each, without loops.

Coordinates of a tree, link by link: hinge 1 (angle), slider 1, ball 4 (quaternion of the link in the joint frame),
free 7 (position of the link's origin in the joint frame, then quaternion), fixed 0. Velocities: hinge 1, slider 1,
ball 3 (ω in link axes), free 6 ((ω; v) in link axes).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import numpy as np

from visviva._arrays import Array, freeze


@final
@dataclass(frozen=True, eq=False)
class Link:
    """A frame that moves relative to its parent's; the frame is the joint's, after its motion, z along the axis.

    name:    of the body, or of joint and part for a frame between the parts of a joint.
    parent:  index of a link before it, -1: ground.
    kind:    "hinge" (turns about z, and shifts `pitch` per radian), "slider" (along z), "ball", "free", "fixed".
    X_PJ:    pose of the joint's frame at q = 0 in the parent's link frame.
    mass:    of the body carried [kg], 0 for none.   com: in the link frame.
    inertia: about the centre of mass, in link axes [kg m²].
    pitch:   of a hinge [m/rad].   X_LB: pose of the user's body frame in the link frame.
    """

    name: str
    parent: int
    kind: str
    X_PJ: Array  # (4, 4)
    mass: float
    com: Array  # (3,)
    inertia: Array  # (3, 3)
    pitch: float = 0.0
    X_LB: Array = field(default_factory=lambda: np.eye(4))  # (4, 4)

    def __post_init__(self) -> None:
        freeze(self, "X_PJ", "com", "inertia", "X_LB")


@final
@dataclass(frozen=True, eq=False)
class Tree:
    """Links, parents before children, in a field of gravity: an acceleration [m/s²] in world axes."""

    links: tuple[Link, ...]
    gravity: Array  # (3,)

    def __post_init__(self) -> None:
        freeze(self, "gravity")
