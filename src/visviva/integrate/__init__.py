"""Integrators as a user sees them, and the only time loop."""

from visviva.integrate.adaptive import Adaptive
from visviva.integrate.collocation import EnergyCollocation
from visviva.integrate.discrete_gradient import DiscreteGradient, LieMidpoint
from visviva.integrate.equilibrium import Equilibrium, equilibrium
from visviva.integrate.estimate import Estimate, estimate
from visviva.integrate.ggl_form import GGLForm, ggl_form
from visviva.integrate.inputs import BadInput
from visviva.integrate.integrator import AbstractIntegrator
from visviva.integrate.newton import Newton
from visviva.integrate.phmp import PHMP
from visviva.integrate.phmpggl import PHMPGGL
from visviva.integrate.rollouts.result import Rollouts
from visviva.integrate.sampled import Sampled
from visviva.integrate.simulation import simulate
from visviva.integrate.simulator import Simulator
from visviva.integrate.suzuki import Suzuki4

INTEGRATORS: tuple[AbstractIntegrator, ...] = (PHMP(), PHMPGGL(), DiscreteGradient())

__all__ = [
    "INTEGRATORS",
    "PHMP",
    "PHMPGGL",
    "AbstractIntegrator",
    "Adaptive",
    "BadInput",
    "DiscreteGradient",
    "EnergyCollocation",
    "Equilibrium",
    "Estimate",
    "GGLForm",
    "LieMidpoint",
    "Newton",
    "Rollouts",
    "Sampled",
    "Simulator",
    "Suzuki4",
    "equilibrium",
    "estimate",
    "ggl_form",
    "simulate",
]
