"""The mechanism builder: bodies, joints and loops, as built, with consistent initial motion."""

from visviva.mechanism.analysis import Analysis
from visviva.mechanism.assembly import AssemblyReport, Motion, assemble
from visviva.mechanism.definition import Definition
from visviva.mechanism.mechanism import Mechanism, definition_of

__all__ = ["Analysis", "AssemblyReport", "Definition", "Mechanism", "Motion", "assemble", "definition_of"]
