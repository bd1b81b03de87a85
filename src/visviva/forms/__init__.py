"""Minimal velocities: the equations of motion in the forms of analytical mechanics."""

from visviva.forms.commutation import changed_commutation, commutation, commutation_slope
from visviva.forms.connection import Metric
from visviva.forms.fields import Field
from visviva.forms.hamel import Hamel
from visviva.forms.hamel_symbols import HamelEquations, symbolic_equations
from visviva.forms.hamilton import AbstractHamiltonian, Hamiltonian, Legendre, hamilton_rates
from visviva.forms.linear import Linearisation, linearised
from visviva.forms.parameterisation import Parameterisation
from visviva.forms.particles import ParticleMotion, ParticleSystem, Tie
from visviva.forms.stabilisation import (
    independent_rows,
    nearest_configuration,
    projectors,
    restoring_rate,
    stabilised_rate,
)
from visviva.forms.tracking import computed_torque, particle_tracking_force

__all__ = [
    "AbstractHamiltonian",
    "Field",
    "Hamel",
    "HamelEquations",
    "Hamiltonian",
    "Legendre",
    "Linearisation",
    "Metric",
    "Parameterisation",
    "ParticleMotion",
    "ParticleSystem",
    "Tie",
    "changed_commutation",
    "commutation",
    "commutation_slope",
    "computed_torque",
    "hamilton_rates",
    "independent_rows",
    "linearised",
    "nearest_configuration",
    "particle_tracking_force",
    "projectors",
    "restoring_rate",
    "stabilised_rate",
    "symbolic_equations",
]
