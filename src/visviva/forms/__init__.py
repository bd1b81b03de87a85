"""Minimal velocities: the equations of motion in the forms of analytical mechanics."""

from visviva.forms.calculus import attitude, coordinates
from visviva.forms.calculus.commutation import changed_commutation, commutation, commutation_slope
from visviva.forms.calculus.connection import Metric
from visviva.forms.calculus.fields import Field
from visviva.forms.calculus.hamel import Hamel
from visviva.forms.calculus.hamel_flow import HamelFlow
from visviva.forms.calculus.hamel_symbols import (
    HamelEquations,
    HamiltonEquations,
    symbolic_equations,
    symbolic_hamilton,
)
from visviva.forms.calculus.hamilton import AbstractHamiltonian, Hamiltonian, Legendre, hamilton_rates
from visviva.forms.calculus.linear import Linearisation, linearised
from visviva.forms.calculus.parameterisation import Parameterisation
from visviva.forms.calculus.particles import ParticleMotion, ParticleSystem, Tie
from visviva.forms.calculus.stabilisation import (
    independent_rows,
    nearest_configuration,
    projectors,
    restoring_rate,
    stabilised_rate,
)
from visviva.forms.calculus.tracking import computed_torque, particle_tracking_force
from visviva.forms.flows.flow import Flow
from visviva.forms.flows.hand_flow import HandFlow
from visviva.forms.flows.schemes import DOP853, RK4, BalancedGauss8, Gauss8, Relaxed
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.momentum import MomentumForm
from visviva.forms.minimal.of_mechanisms import analytical
from visviva.forms.rigid.constraints import Acceleration, Geometric, Kinematic, Pfaffian
from visviva.forms.rigid.damping import Damping
from visviva.forms.rigid.loops import Loop
from visviva.forms.rigid.moments import Moments
from visviva.forms.rigid.stiffness import Stiffness
from visviva.forms.rigid.system import RigidSystem
from visviva.forms.trees.dynamics import TreeDynamics
from visviva.forms.trees.loops import TreeLoop
from visviva.mechanism.spanning.tree import Link, Tree

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
    "TreeDynamics",
    "TreeLoop",
    "analytical",
    "attitude",
    "changed_commutation",
    "commutation",
    "commutation_slope",
    "computed_torque",
    "coordinates",
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
