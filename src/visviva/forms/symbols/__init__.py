"""Equations of mechanisms and parameterisations as SymPy expressions, printed as in a paper, and as generated code."""
