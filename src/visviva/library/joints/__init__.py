"""Joints as data: one file each, with motion subspace, relative pose, constraint rows and coordinates."""

from visviva.library.joints.cylindrical import Cylindrical
from visviva.library.joints.distance import Distance
from visviva.library.joints.fixed import Fixed
from visviva.library.joints.free import Free
from visviva.library.joints.joint import (
    TURN,
    AbstractJoint,
    Along,
    AlongChild,
    Angle,
    Coordinate,
    Dot,
    Meet,
    Rod,
    Row,
)
from visviva.library.joints.planar import Planar
from visviva.library.joints.point_on_line import PointOnLine
from visviva.library.joints.point_on_plane import PointOnPlane
from visviva.library.joints.prismatic import Prismatic
from visviva.library.joints.revolute import Revolute
from visviva.library.joints.screw import Screw
from visviva.library.joints.spherical import Spherical
from visviva.library.joints.universal import Universal

JOINTS: tuple[AbstractJoint, ...] = (
    Fixed(),
    Revolute(),
    Prismatic(),
    Cylindrical(),
    Screw(0.3),
    Universal(),
    Spherical(),
    Planar(),
    Free(),
    Distance(1.5),
    PointOnPlane(),
    PointOnLine(),
)

__all__ = [
    "JOINTS",
    "TURN",
    "AbstractJoint",
    "Along",
    "AlongChild",
    "Angle",
    "Coordinate",
    "Cylindrical",
    "Distance",
    "Dot",
    "Fixed",
    "Free",
    "Meet",
    "Planar",
    "PointOnLine",
    "PointOnPlane",
    "Prismatic",
    "Revolute",
    "Rod",
    "Row",
    "Screw",
    "Spherical",
    "Universal",
]
