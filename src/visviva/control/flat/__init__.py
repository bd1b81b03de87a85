"""Flat outputs: motions of under-actuated machines, all of their coordinates from the path of a few."""

from visviva.control.flat.planar import PlanarFlight, bicopter, pvtol
from visviva.control.flat.quadcopter import Tilt, quadcopter, tilt
from visviva.control.flat.two_masses import TwoMasses, two_masses

__all__ = ["PlanarFlight", "Tilt", "TwoMasses", "bicopter", "pvtol", "quadcopter", "tilt", "two_masses"]
