"""Minimal velocities: the equations of motion in the forms of analytical mechanics."""

from visviva.forms.parameterisation import Parameterisation

__all__ = ["Parameterisation"]
