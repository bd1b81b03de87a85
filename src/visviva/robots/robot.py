"""Robot: a mechanism that was read from a file, and what the file says beyond it."""

from __future__ import annotations

from typing import final

from numpy.typing import ArrayLike

from visviva.mechanism import Mechanism
from visviva.robots.description import Description, Limits


@final
class Robot(Mechanism):
    """A Mechanism, and the description that it was made from.

    description: all that was read, in the names of the file.
    link_names:  of the body or frame of each link, by the name that the file has.
    joint_names: of the joint of each joint that moves, the same.
    limits:      of joints by the name of the joint here: lower, upper [rad, m], effort [N m, N], velocity [rad/s, m/s].
    notes:       what was done with the file that one should know: names changed, links without mass, what was ignored.
    """

    def __init__(self, description: Description, *, gravity: ArrayLike) -> None:
        Mechanism.__init__(self, description.name, gravity=gravity)
        self.description = description
        self.link_names: dict[str, str] = {}
        self.joint_names: dict[str, str] = {}
        self.limits: dict[str, Limits] = {}
        self.notes: tuple[str, ...] = ()
