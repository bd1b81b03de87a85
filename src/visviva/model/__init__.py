"""The seam: a model in the form E(x) (ξ, ẇ) = (J(x) - R(x, z)) z + B(x) u, and its states."""

from visviva.model.feedback import Feedback
from visviva.model.index1 import Accelerations
from visviva.model.layout import Junction, Reservoir, Variable
from visviva.model.model import Model
from visviva.model.rhs import rhs
from visviva.model.rows import RowKind
from visviva.model.state import State
from visviva.model.storage import Energy, Kinetic, Linear, QuadraticEnergy
from visviva.model.structure import Dissipation, Port, Routing, Rows, canonical

__all__ = [
    "Accelerations",
    "Dissipation",
    "Energy",
    "Feedback",
    "Junction",
    "Kinetic",
    "Linear",
    "Model",
    "Port",
    "QuadraticEnergy",
    "Reservoir",
    "Routing",
    "RowKind",
    "Rows",
    "State",
    "Variable",
    "canonical",
    "rhs",
]
