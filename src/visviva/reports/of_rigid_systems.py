"""The report of a rigid system: equations in the coordinates of its own parameterisation."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from visviva.errors import ModelError
from visviva.forms.flows.flow import FlowState
from visviva.forms.rigid.system import RigidSystem
from visviva.forms.symbols.rigid import of_rigid_system
from visviva.reports.blocks import Block, Section, Table
from visviva.reports.equilibrium_section import modes
from visviva.reports.numbers import number, vector
from visviva.reports.of_mechanisms import TITLES, check_form
from visviva.reports.report import Report
from visviva.reports.symbol_sections import energies, equations, parameters, variables


def rigid_report(system: RigidSystem, form: str, numeric: bool) -> Report:
    """All sections."""
    check_form(form)
    if form == "directors":
        raise ModelError("a RigidSystem has no director form: directors are those of the bodies of a Mechanism.")
    p, e = system.parameterisation, of_rigid_system(system, form, numeric, None)
    start = FlowState(0.0, np.asarray(p.q0, dtype=np.float64), np.zeros(p.n), np.zeros(0))
    return Report(
        system.name,
        f"A system of {len(system.bodies)} bodies on {len(p.frames) - 1} frames; equations in {TITLES[form]}.",
        (
            Section("System", tuple(_parts(system))),
            Section("Parameters", tuple(parameters(e))),
            Section("Coordinates and velocities", tuple(variables(e, start))),
            Section("Equations of motion", tuple(equations(e))),
            Section("Energies", tuple(energies(e))),
            Section("Small motions about the start", tuple(modes(system, (start.q, start.xi)))),
        ),
    )


def _parts(system: RigidSystem) -> Iterator[Block]:
    rows = []
    for frame, moments in system.bodies.items():
        com = moments.first / moments.total if moments.total else np.zeros(3)
        rows.append((frame, number(moments.total), vector(com), vector(np.diag(moments.spatial()[:3, :3]))))
    yield Table(
        "Bodies by frame: mass, centre of mass and moments about the origin of the frame, in its axes.",
        ("frame", "mass [kg]", "centre of mass [m]", "moments [kg m²]"),
        tuple(rows),
        frozenset({1}),
    )
    edges = tuple((edge.a, edge.b, type(edge).__name__) for edge in system.parameterisation.edges)
    yield Table("Edges of the graph of frames.", ("from", "to", "kind"), edges)
    others = [("spring", f"{one.a} – {one.b}") for one in system.springs]
    others += [("damper", f"{one.a} – {one.b}") for one in system.dampers]
    others += [(type(one).__name__.lower(), one.name) for one in system.every_constraint]
    if others:
        yield Table("Springs, dampers and constraints.", ("what", "of"), tuple(others))
