"""Springs on SE(3): energies of a pose with their wrenches and Hessians, `vv.springs.ChordEnergy.trace(G, K)`.

ChordEnergy       quadratic in the matrix of the pose: trace springs, 17 and 21 parameters; smooth everywhere
LogarithmEnergy   quadratic in the logarithm: bushings
LineEnergy        between two points, with a length
GivenEnergy       any function of R and r
Spring            one of them between two frames of a `RigidSystem`
ProductSE3        the inner product with 21 parameters
points_with       points that have given moments
TraceFunction     c - tr(P R) with all its critical points
"""

from visviva.forms.springs.abstract import AbstractPoseEnergy
from visviva.forms.springs.chord import ChordEnergy
from visviva.forms.springs.constellation import Minimum, points_with
from visviva.forms.springs.given import GivenEnergy
from visviva.forms.springs.line import LineEnergy
from visviva.forms.springs.logarithm import LogarithmEnergy
from visviva.forms.springs.spring import Spring
from visviva.geometry.product_se3 import ProductSE3
from visviva.geometry.trace_function import CriticalSet, TraceFunction

__all__ = [
    "AbstractPoseEnergy",
    "ChordEnergy",
    "CriticalSet",
    "GivenEnergy",
    "LineEnergy",
    "LogarithmEnergy",
    "Minimum",
    "ProductSE3",
    "Spring",
    "TraceFunction",
    "points_with",
]
