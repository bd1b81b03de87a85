"""How power is exchanged: Dirac and Onsager structures, their composition, and the kinestatics of mechanisms."""

from visviva.structure.composition import close, compose, direct_sum, transformer, wire
from visviva.structure.dirac import Dirac
from visviva.structure.graph import graph_structure, incidence
from visviva.structure.implicit import Implicit
from visviva.structure.kinestatics import Kinestatics
from visviva.structure.linear_condition import LinearCondition
from visviva.structure.onsager import Onsager
from visviva.structure.pairs import (
    Pair,
    cylindrical,
    distance,
    fixed,
    free,
    helical,
    planar,
    point_on_line,
    point_on_plane,
    prismatic,
    revolute,
    spherical,
    universal,
)

__all__ = [
    "Dirac",
    "Implicit",
    "Kinestatics",
    "LinearCondition",
    "Onsager",
    "Pair",
    "close",
    "compose",
    "cylindrical",
    "direct_sum",
    "distance",
    "fixed",
    "free",
    "graph_structure",
    "helical",
    "incidence",
    "planar",
    "point_on_line",
    "point_on_plane",
    "prismatic",
    "revolute",
    "spherical",
    "transformer",
    "universal",
    "wire",
]
