"""How power is exchanged: Dirac and Onsager structures, their composition, and the kinestatics of mechanisms."""

from visviva.structure.composition import close, compose, direct_sum, wire
from visviva.structure.dirac import Dirac
from visviva.structure.graph import graph_structure, incidence
from visviva.structure.kinestatics import Kinestatics
from visviva.structure.onsager import Onsager
from visviva.structure.pairs import (
    Pair,
    cylindrical,
    fixed,
    free,
    helical,
    planar,
    prismatic,
    revolute,
    spherical,
)

__all__ = [
    "Dirac",
    "Kinestatics",
    "Onsager",
    "Pair",
    "close",
    "compose",
    "cylindrical",
    "direct_sum",
    "fixed",
    "free",
    "graph_structure",
    "helical",
    "incidence",
    "planar",
    "prismatic",
    "revolute",
    "spherical",
    "wire",
]
