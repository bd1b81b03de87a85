"""Minimal velocities: the equations of motion in the forms of analytical mechanics."""

from visviva.forms.constraints import Acceleration, Geometric, Kinematic, Pfaffian
from visviva.forms.damping import Damping
from visviva.forms.flow import Flow, HandFlow
from visviva.forms.loops import Loop
from visviva.forms.minimal import MinimalForm
from visviva.forms.moments import Moments
from visviva.forms.momentum import MomentumForm
from visviva.forms.of_mechanisms import analytical
from visviva.forms.parameterisation import Parameterisation
from visviva.forms.rigid_system import RigidSystem
from visviva.forms.schemes import DOP853, RK4, BalancedGauss8, Gauss8, Relaxed
from visviva.forms.stiffness import Stiffness
from visviva.forms.tree import Link, Tree

__all__ = [
    "DOP853",
    "RK4",
    "Acceleration",
    "BalancedGauss8",
    "Damping",
    "Flow",
    "Gauss8",
    "Geometric",
    "HandFlow",
    "Kinematic",
    "Link",
    "Loop",
    "MinimalForm",
    "Moments",
    "MomentumForm",
    "Parameterisation",
    "Pfaffian",
    "Relaxed",
    "RigidSystem",
    "Stiffness",
    "Tree",
    "analytical",
]
