"""Joints as data: one file each, with motion subspace, relative pose, constraint rows and coordinates."""

from visviva.library.joints.cylindrical import Cylindrical
from visviva.library.joints.distance import Distance
from visviva.library.joints.fixed import Fixed
from visviva.library.joints.free import Free
from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.planar import Planar
from visviva.library.joints.point_on_line import PointOnLine
from visviva.library.joints.point_on_plane import PointOnPlane
from visviva.library.joints.prismatic import Prismatic
from visviva.library.joints.revolute import Revolute
from visviva.library.joints.scalars import (
    MEET,
    TURN,
    Angle,
    Family,
    Product,
    Scalar,
    Vector,
    along,
    along_child,
    cosine,
    rod,
)
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
    "MEET",
    "TURN",
    "AbstractJoint",
    "Angle",
    "Cylindrical",
    "Distance",
    "Family",
    "Fixed",
    "Free",
    "Planar",
    "PointOnLine",
    "PointOnPlane",
    "Prismatic",
    "Product",
    "Revolute",
    "Scalar",
    "Screw",
    "Spherical",
    "Universal",
    "Vector",
    "along",
    "along_child",
    "cosine",
    "rod",
]
