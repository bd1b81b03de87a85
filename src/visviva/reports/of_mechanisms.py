"""The report of a mechanism."""

from __future__ import annotations

from visviva.errors import ModelError
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.symbols.build import FORMS, of_mechanism
from visviva.forms.symbols.director_build import director_equations
from visviva.forms.symbols.directors import DirectorEquations
from visviva.forms.symbols.equations import SymbolicEquations
from visviva.mechanism import Definition
from visviva.mechanism.mobility import mobility as mobility_of
from visviva.reports.blocks import Section
from visviva.reports.equilibrium_section import equilibria
from visviva.reports.of_systems import system_report
from visviva.reports.parts_section import mobility, parts
from visviva.reports.report import Report
from visviva.reports.symbol_sections import energies, equations, parameters, variables

TITLES = {
    "minimal": "minimal velocities",
    "kane-velocity": "Kane's velocity form",
    "kane-momentum": "Kane's momentum form",
    "lagrange": "Lagrange's form",
    "hamilton": "Hamilton's form",
    "directors": "directors",
}


def mechanism_report(m: Definition, form: str, numeric: bool) -> Report:
    """All sections."""
    check_form(form)
    if m.boxes:
        return _with_boxes(m)
    source = MinimalForm(m)
    e: SymbolicEquations | DirectorEquations
    e = director_equations(m, numeric) if form == "directors" else of_mechanism(source, form, numeric, None)
    counts = f"{len(m.bodies)} bodies, {len(m.joints)} joints, mobility {mobility_of(m)}"
    return Report(
        m.name,
        f"A mechanism of {counts}; equations in {TITLES[form]}.",
        (
            Section("Mechanism", tuple(parts(m))),
            Section("Parameters", tuple(parameters(e))),
            Section("Coordinates and velocities", tuple(variables(e, source.initial))),
            Section("Equations of motion", tuple(equations(e))),
            Section("Energies", tuple(energies(e))),
            Section("Mobility", tuple(mobility(m))),
            Section("Equilibria and modes", tuple(equilibria(m, source))),
        ),
    )


def _with_boxes(m: Definition) -> Report:
    """Of a mechanism with boxes: what it is made of, and the equations of each box."""
    boxes = ", ".join(repr(box.name) for box in m.boxes)
    counted = not any(box.may_tie for box in m.boxes)
    freedoms = f", mobility {mobility_of(m)}" if counted else ""
    counts = f"{len(m.bodies)} bodies, {len(m.joints)} joints{freedoms}, and box {boxes}"
    inside = [
        Section(f"Box {box.name}: {part.title.lower()}", part.blocks)
        for box in m.boxes
        for part in system_report(box.system).sections
    ]
    return Report(
        m.name,
        f"A mechanism of {counts}; equations are those of the boxes, at the rates of the joints that they sit on.",
        (
            Section("Mechanism", tuple(parts(m))),
            *inside,
            *([Section("Mobility", tuple(mobility(m)))] if counted else []),
        ),
    )


def check_form(form: str) -> None:
    """An error unless there is such a form."""
    if form not in FORMS:
        raise ModelError(f"there is no symbolic form {form!r}; there are {', '.join(FORMS)}.")
