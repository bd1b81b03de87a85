"""Joints as data: one file each, with motion subspace, relative pose and constraint rows."""

from visviva.library.joints.joint import AbstractJoint, Along, AlongChild, Dot, Meet, Rod, Row
from visviva.library.joints.revolute import Revolute
from visviva.library.joints.spherical import Spherical

JOINTS: tuple[AbstractJoint, ...] = (Revolute(), Spherical())

__all__ = ["JOINTS", "AbstractJoint", "Along", "AlongChild", "Dot", "Meet", "Revolute", "Rod", "Row", "Spherical"]
