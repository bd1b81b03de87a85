"""From descriptions to models."""

from visviva.compiler.analysis import Analysis, analyse
from visviva.compiler.compile import compile
from visviva.compiler.consistent import check_consistent, consistent
from visviva.compiler.lagrangian import lagrangian
from visviva.compiler.massless import check_massless_motion
from visviva.compiler.mechanism import FORMS, compile_mechanism, initial_x, lie_state
from visviva.compiler.system import compile_system

__all__ = [
    "FORMS",
    "Analysis",
    "analyse",
    "check_consistent",
    "check_massless_motion",
    "compile",
    "compile_mechanism",
    "compile_system",
    "consistent",
    "initial_x",
    "lagrangian",
    "lie_state",
]
