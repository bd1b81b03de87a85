"""report: a model as one page to read."""

from __future__ import annotations

from typing import Any

from visviva.errors import ModelError
from visviva.language import AbstractSystem
from visviva.mechanism import Mechanism
from visviva.model import Model
from visviva.reports.of_mechanisms import mechanism_report
from visviva.reports.of_systems import system_report
from visviva.reports.report import Report


def report(m: Any, form: str = "minimal", *, numeric: bool = False) -> Report:
    """A report of a mechanism or of a system of the language, to read in a browser or to print.

    Of a mechanism: its picture, bodies and joints, parameters with units, coordinates and velocities, the equations of
    motion, energies, mobility, and the equilibrium next to its start with what stays at rest there. Of a system: its
    pattern, components, parameters, states, reduced equations and energies.

    form, numeric: of the equations of a mechanism, see `vv.symbols`.

    `.save("x.html")` writes one file that needs no other, `.save("x.tex")` the LaTeX source with its pictures.
    """
    if isinstance(m, Model) and m.mechanism is not None:
        m = m.mechanism
    if isinstance(m, Mechanism):
        return mechanism_report(m, form, numeric)
    if isinstance(m, AbstractSystem):
        return system_report(m)
    raise ModelError(f"report() takes a Mechanism or a system of the language, got {type(m).__name__}.")
