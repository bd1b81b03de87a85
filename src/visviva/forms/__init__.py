"""Minimal velocities: the equations of motion in the forms of analytical mechanics."""

from visviva.forms.constraints import Acceleration, Geometric, Kinematic, Pfaffian
from visviva.forms.damping import Damping
from visviva.forms.loops import Loop
from visviva.forms.moments import Moments
from visviva.forms.parameterisation import Parameterisation
from visviva.forms.rigid_system import RigidSystem
from visviva.forms.stiffness import Stiffness

__all__ = [
    "Acceleration",
    "Damping",
    "Geometric",
    "Kinematic",
    "Loop",
    "Moments",
    "Parameterisation",
    "Pfaffian",
    "RigidSystem",
    "Stiffness",
]
