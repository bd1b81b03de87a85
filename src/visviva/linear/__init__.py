"""Linear systems: small motions about equilibria and steady motions, their modes and responses."""

from visviva.linear.linearise import linearise
from visviva.linear.modes import Mode, Modes
from visviva.linear.second_order import SecondOrder
from visviva.linear.system import LinearSystem

__all__ = ["LinearSystem", "Mode", "Modes", "SecondOrder", "linearise"]
