"""visviva: model, simulate and control mechanical systems so that every joule is accounted for.

    import visviva as vv

The public names are imported on first use, so that `import visviva` costs little more than NumPy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as _numpy  # noqa: F401 - the only library imported eagerly

__version__ = "0.1.0"

if TYPE_CHECKING:
    from visviva import bonds as bonds
    from visviva import control as control
    from visviva import copter as copter
    from visviva import forms as forms
    from visviva import geometry as geometry
    from visviva import language as language
    from visviva import library as library
    from visviva import robots as robots
    from visviva import testing as testing
    from visviva.bonds.graph import BondGraph as BondGraph
    from visviva.bonds.of_models import bond_graph as bond_graph
    from visviva.compiler import analyse as analyse
    from visviva.compiler import compile as compile
    from visviva.compiler import consistent as consistent
    from visviva.compiler import lagrangian as lagrangian
    from visviva.compiler.connect import connect as connect
    from visviva.errors import ArgumentError as ArgumentError
    from visviva.errors import AssemblyError as AssemblyError
    from visviva.errors import ConvergenceError as ConvergenceError
    from visviva.errors import Interrupted as Interrupted
    from visviva.errors import ModelError as ModelError
    from visviva.errors import RunWarning as RunWarning
    from visviva.errors import UntoldError as UntoldError
    from visviva.errors import VisvivaError as VisvivaError
    from visviva.forms import Parameterisation as Parameterisation
    from visviva.forms import RigidSystem as RigidSystem
    from visviva.forms import analytical as analytical
    from visviva.forms import coordinates as coordinates
    from visviva.forms import springs as springs
    from visviva.forms.dynamics.handle import Dynamics as Dynamics
    from visviva.forms.dynamics.handle import dynamics as dynamics
    from visviva.forms.flows.flow import Flow as Flow
    from visviva.forms.flows.hand_flow import HandFlow as HandFlow
    from visviva.forms.flows.schemes import DOP853 as DOP853
    from visviva.forms.flows.schemes import RK4 as RK4
    from visviva.forms.flows.schemes import BalancedGauss8 as BalancedGauss8
    from visviva.forms.flows.schemes import Gauss8 as Gauss8
    from visviva.forms.flows.schemes import Relaxed as Relaxed
    from visviva.forms.hamiltonian.lagrangian_box import lagrangian_box as lagrangian_box
    from visviva.forms.kane.body import KaneBody as KaneBody
    from visviva.forms.kane.description import kane as kane
    from visviva.forms.symbols import symbols as symbols
    from visviva.geometry import inertia as inertia
    from visviva.geometry import screws as screws
    from visviva.integrate import PHMP as PHMP
    from visviva.integrate import PHMPGGL as PHMPGGL
    from visviva.integrate import Adaptive as Adaptive
    from visviva.integrate import DiscreteGradient as DiscreteGradient
    from visviva.integrate import EnergyCollocation as EnergyCollocation
    from visviva.integrate import Estimate as Estimate
    from visviva.integrate import GGLForm as GGLForm
    from visviva.integrate import LieMidpoint as LieMidpoint
    from visviva.integrate import Newton as Newton
    from visviva.integrate import Rollouts as Rollouts
    from visviva.integrate import Sampled as Sampled
    from visviva.integrate import Simulator as Simulator
    from visviva.integrate import Suzuki4 as Suzuki4
    from visviva.integrate import estimate as estimate
    from visviva.integrate import ggl_form as ggl_form
    from visviva.integrate import simulate as simulate
    from visviva.language.jumping import Jumping as Jumping
    from visviva.library import joints as joints
    from visviva.linear import LinearSystem as LinearSystem
    from visviva.linear import equilibrium as equilibrium
    from visviva.linear import linearise as linearise
    from visviva.linear import linearize as linearize
    from visviva.linear import root_locus as root_locus
    from visviva.mechanism import Mechanism as Mechanism
    from visviva.mechanism import friction as friction
    from visviva.model import Model as Model
    from visviva.model import State as State
    from visviva.model import rhs as rhs
    from visviva.reports import Report as Report
    from visviva.reports import report as report
    from visviva.results import Audit as Audit
    from visviva.results import Run as Run
    from visviva.results.kinestatics import kinestatics as kinestatics
    from visviva.results.sweep import sweep as sweep
    from visviva.results.trajectory import Trajectory as Trajectory
    from visviva.robots import Robot as Robot
    from visviva.robots import read_urdf as read_urdf
    from visviva.views import draw as draw
    from visviva.views import equations as equations

_HOME = {
    "ArgumentError": "visviva.errors",
    "AssemblyError": "visviva.errors",
    "ConvergenceError": "visviva.errors",
    "Interrupted": "visviva.errors",
    "ModelError": "visviva.errors",
    "RunWarning": "visviva.errors",
    "UntoldError": "visviva.errors",
    "VisvivaError": "visviva.errors",
    "BondGraph": "visviva.bonds.graph",
    "bond_graph": "visviva.bonds.of_models",
    "analyse": "visviva.compiler",
    "analytical": "visviva.forms",
    "compile": "visviva.compiler",
    "connect": "visviva.compiler.connect",
    "consistent": "visviva.compiler",
    "Adaptive": "visviva.integrate",
    "Jumping": "visviva.language.jumping",
    "lagrangian": "visviva.compiler",
    "lagrangian_box": "visviva.forms.hamiltonian.lagrangian_box",
    "Parameterisation": "visviva.forms",
    "RigidSystem": "visviva.forms",
    "DiscreteGradient": "visviva.integrate",
    "EnergyCollocation": "visviva.integrate",
    "Estimate": "visviva.integrate",
    "LieMidpoint": "visviva.integrate",
    "Newton": "visviva.integrate",
    "Rollouts": "visviva.integrate",
    "Sampled": "visviva.integrate",
    "Simulator": "visviva.integrate",
    "PHMP": "visviva.integrate",
    "PHMPGGL": "visviva.integrate",
    "Suzuki4": "visviva.integrate",
    "equilibrium": "visviva.linear",
    "estimate": "visviva.integrate",
    "GGLForm": "visviva.integrate",
    "ggl_form": "visviva.integrate",
    "simulate": "visviva.integrate",
    "Dynamics": "visviva.forms.dynamics.handle",
    "dynamics": "visviva.forms.dynamics.handle",
    "BalancedGauss8": "visviva.forms.flows.schemes",
    "DOP853": "visviva.forms.flows.schemes",
    "Flow": "visviva.forms.flows.flow",
    "Gauss8": "visviva.forms.flows.schemes",
    "HandFlow": "visviva.forms.flows.hand_flow",
    "RK4": "visviva.forms.flows.schemes",
    "Relaxed": "visviva.forms.flows.schemes",
    "KaneBody": "visviva.forms.kane.body",
    "kane": "visviva.forms.kane.description",
    "symbols": "visviva.forms.symbols",
    "LinearSystem": "visviva.linear",
    "linearise": "visviva.linear",
    "linearize": "visviva.linear",
    "root_locus": "visviva.linear",
    "Mechanism": "visviva.mechanism",
    "Model": "visviva.model",
    "State": "visviva.model",
    "rhs": "visviva.model",
    "Report": "visviva.reports",
    "report": "visviva.reports",
    "Robot": "visviva.robots",
    "read_urdf": "visviva.robots",
    "Audit": "visviva.results",
    "draw": "visviva.views",
    "equations": "visviva.views",
    "Run": "visviva.results",
    "kinestatics": "visviva.results.kinestatics",
    "sweep": "visviva.results.sweep",
    "Trajectory": "visviva.results.trajectory",
}
_MODULES = {
    "bonds": "visviva.bonds",
    "control": "visviva.control",
    "copter": "visviva.copter",
    "coordinates": "visviva.forms.calculus.coordinates",
    "forms": "visviva.forms",
    "robots": "visviva.robots",
    "friction": "visviva.mechanism.friction",
    "geometry": "visviva.geometry",
    "inertia": "visviva.geometry.inertia",
    "language": "visviva.language",
    "joints": "visviva.library.joints",
    "library": "visviva.library",
    "screws": "visviva.geometry.screws",
    "springs": "visviva.forms.springs",
    "testing": "visviva.testing",
}

__all__ = ["__version__", *sorted(_HOME), *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value: Any = importlib.import_module(_MODULES[name])
    elif name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
    else:
        from visviva._suggestions import missing_attribute, nearest

        near = nearest(name, __all__)
        hint = f". Did you mean {' or '.join(f'vv.{one}' for one in near)}?" if near else ""
        raise missing_attribute(f"module 'visviva' has no attribute {name!r}{hint}", name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
