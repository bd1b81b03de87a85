"""The mechanism builder: bodies, joints and loops, as built, with consistent initial motion."""

from visviva.mechanism.analysis import Analysis
from visviva.mechanism.assembly import AssemblyReport, Motion, assemble
from visviva.mechanism.mechanism import Mechanism

__all__ = ["Analysis", "AssemblyReport", "Mechanism", "Motion", "assemble"]
