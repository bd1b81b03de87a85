"""Equations of mechanisms and parameterisations as SymPy expressions, printed as in a paper, and as generated code."""

from visviva.forms.symbols.build import symbols
from visviva.forms.symbols.code import GeneratedFunction
from visviva.forms.symbols.directors import DirectorEquations
from visviva.forms.symbols.equations import SymbolicEquations
from visviva.forms.symbols.rows import ConstraintRows

__all__ = ["ConstraintRows", "DirectorEquations", "GeneratedFunction", "SymbolicEquations", "symbols"]
