"""From descriptions to models."""

from visviva.compiler.compile import compile
from visviva.compiler.massless import check_massless_motion
from visviva.compiler.mechanism import FORMS, compile_mechanism, initial_x, lie_state

__all__ = ["FORMS", "check_massless_motion", "compile", "compile_mechanism", "initial_x", "lie_state"]
