"""Minimal velocities: the equations of motion in the forms of analytical mechanics."""

from visviva.forms.commutation import changed_commutation, commutation, commutation_slope
from visviva.forms.connection import Metric
from visviva.forms.constraints import Acceleration, Geometric, Kinematic, Pfaffian
from visviva.forms.damping import Damping
from visviva.forms.fields import Field
from visviva.forms.flow import Flow, HandFlow
from visviva.forms.hamel import Hamel
from visviva.forms.hamel_flow import HamelFlow
from visviva.forms.hamel_symbols import HamelEquations, HamiltonEquations, symbolic_equations, symbolic_hamilton
from visviva.forms.hamilton import AbstractHamiltonian, Hamiltonian, Legendre, hamilton_rates
from visviva.forms.linear import Linearisation, linearised
from visviva.forms.loops import Loop
from visviva.forms.minimal import MinimalForm
from visviva.forms.moments import Moments
from visviva.forms.momentum import MomentumForm
from visviva.forms.of_mechanisms import analytical
from visviva.forms.parameterisation import Parameterisation
from visviva.forms.particles import ParticleMotion, ParticleSystem, Tie
from visviva.forms.rigid_system import RigidSystem
from visviva.forms.schemes import DOP853, RK4, BalancedGauss8, Gauss8, Relaxed
from visviva.forms.stabilisation import (
    independent_rows,
    nearest_configuration,
    projectors,
    restoring_rate,
    stabilised_rate,
)
from visviva.forms.stiffness import Stiffness
from visviva.forms.tracking import computed_torque, particle_tracking_force
from visviva.forms.tree import Link, Tree

__all__ = [
    "DOP853",
    "RK4",
    "AbstractHamiltonian",
    "Acceleration",
    "BalancedGauss8",
    "Damping",
    "Field",
    "Flow",
    "Gauss8",
    "Geometric",
    "Hamel",
    "HamelEquations",
    "HamelFlow",
    "HamiltonEquations",
    "Hamiltonian",
    "HandFlow",
    "Kinematic",
    "Legendre",
    "Linearisation",
    "Link",
    "Loop",
    "Metric",
    "MinimalForm",
    "Moments",
    "MomentumForm",
    "Parameterisation",
    "ParticleMotion",
    "ParticleSystem",
    "Pfaffian",
    "Relaxed",
    "RigidSystem",
    "Stiffness",
    "Tie",
    "Tree",
    "analytical",
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
    "symbolic_hamilton",
]
