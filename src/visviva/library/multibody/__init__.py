"""Rigid bodies and lower pairs as composites of the language."""

from visviva.library.multibody.body import ground, rigid_body
from visviva.library.multibody.joint import joint
from visviva.library.multibody.pairs import LOWER_PAIRS
from visviva.library.multibody.system import multibody

__all__ = ["LOWER_PAIRS", "ground", "joint", "multibody", "rigid_body"]
