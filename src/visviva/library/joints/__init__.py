"""Joints as data: one file each, with chain of motions, constraint rows, coordinates and glyph."""

from visviva.library.joints.cylindrical import Cylindrical
from visviva.library.joints.distance import Distance
from visviva.library.joints.fixed import Fixed
from visviva.library.joints.free import Free
from visviva.library.joints.joint import AbstractJoint
from visviva.library.joints.motions import AbstractMotion, Ball, Chain, Flight, Reach, Shift, Turn
from visviva.library.joints.planar import Planar
from visviva.library.joints.point_on_line import PointOnLine
from visviva.library.joints.point_on_plane import PointOnPlane
from visviva.library.joints.prismatic import Prismatic
from visviva.library.joints.revolute import Revolute
from visviva.library.joints.rzeppa import Rzeppa
from visviva.library.joints.scalars import (
    MEET,
    TURN,
    Angle,
    Family,
    Length,
    Product,
    Scalar,
    Sum,
    Vector,
    along,
    along_child,
    cosine,
    rod,
)
from visviva.library.joints.screw import Screw
from visviva.library.joints.spherical import Spherical
from visviva.library.joints.twists import AXES, SPIN_OF_CHILD, Twist
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
    Rzeppa(),
)

__all__ = [
    "AXES",
    "JOINTS",
    "MEET",
    "SPIN_OF_CHILD",
    "TURN",
    "AbstractJoint",
    "AbstractMotion",
    "Angle",
    "Ball",
    "Chain",
    "Cylindrical",
    "Distance",
    "Family",
    "Fixed",
    "Flight",
    "Free",
    "Length",
    "Planar",
    "PointOnLine",
    "PointOnPlane",
    "Prismatic",
    "Product",
    "Reach",
    "Revolute",
    "Rzeppa",
    "Scalar",
    "Screw",
    "Shift",
    "Spherical",
    "Sum",
    "Turn",
    "Twist",
    "Universal",
    "Vector",
    "along",
    "along_child",
    "cosine",
    "rod",
]
