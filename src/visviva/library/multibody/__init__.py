"""Rigid bodies, particles, joints and springs as composites of the language."""

from visviva.library.multibody.body import ground, rigid_body
from visviva.library.multibody.joint import joint
from visviva.library.multibody.pairs import LOWER_PAIRS
from visviva.library.multibody.particle import massless_body, particle
from visviva.library.multibody.ports import force_port, freedom_port, freedom_spring, wrench_port
from visviva.library.multibody.system import multibody
from visviva.library.multibody.tie import spring, tie

__all__ = [
    "LOWER_PAIRS",
    "force_port",
    "freedom_port",
    "freedom_spring",
    "ground",
    "joint",
    "massless_body",
    "multibody",
    "particle",
    "rigid_body",
    "spring",
    "tie",
    "wrench_port",
]
