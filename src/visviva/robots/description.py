"""A robot as its file describes it: links, joints, limits, pictures. Plain data, in the names of the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import numpy as np

from visviva._arrays import Array
from visviva.geometry import SE3

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
TURNING, SLIDING = ("revolute", "continuous"), ("prismatic",)
SINGLE = (*TURNING, *SLIDING)  # with one coordinate


@final
@dataclass(frozen=True, eq=False)
class Geometry:
    """What a link looks like.

    kind: "box", "cylinder", "sphere", "capsule" or "mesh".
    size: extents of a box; radius and length of a cylinder or capsule (along z, without its caps), radius of a sphere
          [m]; scale of a mesh.
    mesh: the path of a mesh as the file has it: nothing opens it.
    X_L:  its pose in the link's frame.   colour: (r, g, b, a) of its material, if that has one.
    """

    kind: str
    size: tuple[float, ...]
    X_L: SE3
    mesh: str | None = None
    colour: tuple[float, float, float, float] | None = None


@final
@dataclass(frozen=True, eq=False)
class MassData:
    """Mass [kg], centre of mass and inertia about it [kg m²], as given: no body need have them.

    com, J: in the frame of the link.
    """

    mass: float
    com: Array  # (3,)
    J: Array  # (3, 3)

    def moved(self, X: SE3) -> MassData:
        """The same in a frame in which this one is at X."""
        return MassData(self.mass, X.act(self.com), X.R @ self.J @ X.R.T)

    def __add__(self, other: MassData) -> MassData:
        """Two as one, given in the same frame: J = J_a + J_b + μ (|d|² I - d dᵀ), μ = m_a m_b / m."""
        mass, d = self.mass + other.mass, other.com - self.com
        part = other.mass / mass if mass > 0 else 0.0
        steiner = self.mass * part * (d @ d * np.eye(3) - np.outer(d, d))
        return MassData(mass, self.com + part * d, self.J + other.J + steiner)


@final
@dataclass(frozen=True, eq=False)
class Link:
    """A rigid link.   inertia: None where it has neither mass nor inertia.   where: how errors call it."""

    name: str
    inertia: MassData | None
    visuals: tuple[Geometry, ...]
    where: str


@final
@dataclass(frozen=True)
class Limits:
    """Bounds of a joint's coordinate [rad, m], torque or force [N m, N] and rate [rad/s, m/s]; None where not given."""

    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None


@final
@dataclass(frozen=True)
class Mimic:
    """q = multiplier · q of the joint named + offset."""

    joint: str
    multiplier: float
    offset: float


@final
@dataclass(frozen=True, eq=False)
class Joint:
    """A joint.   X_P: its frame, and that of the child at q = 0, in the parent link.   axis: unit vector in it.

    damping: [N m s/rad, N s/m].   friction: dry [N m, N].   where: how errors call it.
    """

    name: str
    kind: str
    parent: str
    child: str
    X_P: SE3
    axis: Array  # (3,)
    limits: Limits | None
    mimic: Mimic | None
    damping: float
    friction: float
    where: str


@final
@dataclass(frozen=True, eq=False)
class Description:
    """A tree of links.

    links:  by name, parents before children.   joints: by name, in the order of the links that they carry.
    root:   the link that no joint carries.   above: the joint that carries each other link, by the link's name.
    ignored: what the file has beside that, and how often.
    """

    name: str
    links: dict[str, Link]
    joints: dict[str, Joint]
    root: str
    ignored: dict[str, int] = field(default_factory=dict)

    @property
    def above(self) -> dict[str, Joint]:
        """The joint that carries each link but the root."""
        return {joint.child: joint for joint in self.joints.values()}
