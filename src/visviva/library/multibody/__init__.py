"""Rigid bodies, particles, joints and springs as composites of the language."""

from visviva.library.multibody.body import ground, rigid_body
from visviva.library.multibody.conditions import twist_rows
from visviva.library.multibody.coordinates import coordinate_spring, coordinate_stop, rate_coupling
from visviva.library.multibody.joint import joint
from visviva.library.multibody.pairs import LOWER_PAIRS
from visviva.library.multibody.particle import massless_body, particle
from visviva.library.multibody.ports import force_port, freedom_port, wrench_port
from visviva.library.multibody.rows import SPIN
from visviva.library.multibody.system import multibody
from visviva.library.multibody.tie import spring, tie

__all__ = [
    "LOWER_PAIRS",
    "SPIN",
    "coordinate_spring",
    "coordinate_stop",
    "force_port",
    "freedom_port",
    "ground",
    "joint",
    "massless_body",
    "multibody",
    "particle",
    "rate_coupling",
    "rigid_body",
    "spring",
    "tie",
    "twist_rows",
    "wrench_port",
]
