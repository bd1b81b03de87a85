"""Robots from files: `vv.read_urdf`.

read_urdf           a Mechanism from a URDF file
read_description    what the file says, as plain data
Robot, Description, Limits
"""

from visviva.robots.description import Description, Limits
from visviva.robots.read import read_urdf
from visviva.robots.robot import Robot
from visviva.robots.urdf import read_description

__all__ = ["Description", "Limits", "Robot", "read_description", "read_urdf"]
