"""The mechanism builder: bodies, joints and loops, as built, with consistent initial motion."""

from visviva.mechanism.assembly import AssemblyReport, Motion, assemble
from visviva.mechanism.mechanism import Mechanism

__all__ = ["AssemblyReport", "Mechanism", "Motion", "assemble"]
