"""Joints as data: one file each, with motion subspace, relative pose and constraint rows."""

from visviva.library.joints.joint import AbstractJoint, Dot, Meet
from visviva.library.joints.revolute import Revolute
from visviva.library.joints.spherical import Spherical

JOINTS: tuple[AbstractJoint, ...] = (Revolute(), Spherical())

__all__ = ["JOINTS", "AbstractJoint", "Dot", "Meet", "Revolute", "Spherical"]
