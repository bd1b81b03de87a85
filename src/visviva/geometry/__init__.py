"""Mathematics without physics: Lie groups, frames, spatial vectors, projective geometry, screws, inertia."""

from visviva.geometry import conventions, projective, screws
from visviva.geometry.frames import Pose, seen_from_source, seen_from_target
from visviva.geometry.group import AbstractLieGroup, LogBranch
from visviva.geometry.hat import skew, skew2, vee, vee2
from visviva.geometry.isometry import is_positive_isometry
from visviva.geometry.pose_group import AbstractPose
from visviva.geometry.product import Product
from visviva.geometry.rn import Rn
from visviva.geometry.rotation_group import AbstractRotation
from visviva.geometry.se2 import SE2
from visviva.geometry.se3 import SE3
from visviva.geometry.so2 import SO2
from visviva.geometry.so3 import SO3
from visviva.geometry.so3xr3 import SO3xR3
from visviva.geometry.spatial import Momentum, Twist, Wrench, power

__all__ = [
    "SE2",
    "SE3",
    "SO2",
    "SO3",
    "AbstractLieGroup",
    "AbstractPose",
    "AbstractRotation",
    "LogBranch",
    "Momentum",
    "Pose",
    "Product",
    "Rn",
    "SO3xR3",
    "Twist",
    "Wrench",
    "conventions",
    "is_positive_isometry",
    "power",
    "projective",
    "screws",
    "seen_from_source",
    "seen_from_target",
    "skew",
    "skew2",
    "vee",
    "vee2",
]
