"""Minimal velocities: the equations of motion in the forms of analytical mechanics."""

from visviva.forms.parameterisation import Parameterisation

__all__ = ["Parameterisation"]
from visviva.forms.minimal import MinimalForm
from visviva.forms.momentum import MomentumForm
from visviva.forms.of_mechanisms import analytical
from visviva.forms.tree import Link, Tree

__all__ = ["Link", "MinimalForm", "MomentumForm", "Tree", "analytical"]
