"""report: a model as one page to read."""

from __future__ import annotations

from typing import Any

from visviva._suggestions import helpful
from visviva.bonds import BondGraph
from visviva.errors import ModelError
from visviva.forms.calculus.hamel import Hamel
from visviva.forms.calculus.particles import ParticleSystem
from visviva.forms.flows.hand_flow import HandFlow
from visviva.forms.hamiltonian.port_hamiltonian import PortHamiltonian
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.rigid.system import RigidSystem
from visviva.forms.symbols.build import by_components
from visviva.language import AbstractSystem
from visviva.mechanism import Definition, definition_of
from visviva.model import Model
from visviva.reports.of_bond_graphs import bond_report
from visviva.reports.of_flows import component_report, flow_report
from visviva.reports.of_mechanisms import mechanism_report
from visviva.reports.of_rigid_systems import rigid_report
from visviva.reports.of_systems import system_report
from visviva.reports.report import Report


@helpful
def report(m: Any, form: str = "minimal", *, numeric: bool = False) -> Report:
    """A report of a model, to read in a browser or to print.

    Of a mechanism: its picture, bodies and joints, parameters with units, coordinates and velocities, the equations of
    motion, energies, mobility, equilibria with their stability, and the modes of small motions about the one next to
    its start. Of a `vv.RigidSystem` the same in its own coordinates. Of a system of the language: its pattern,
    components, parameters, states, reduced equations and energies. Of a `vv.BondGraph`: its picture, causality and
    state equations. Of a `vv.HandFlow`, a `vv.kane` system, a port-Hamiltonian system and a Lagrangian: their
    equations.

    form, numeric: of the equations of a mechanism or rigid system, see `vv.symbols`.

    `.save("x.html")` writes one file that needs no other, `.save("x.tex")` the LaTeX source with its pictures.
    """
    m = m.flow if isinstance(m, ParticleSystem) else definition_of(m)
    match m:
        case Definition():
            return mechanism_report(m, form, numeric)
        case MinimalForm():
            return mechanism_report(m.definition, form, numeric)
        case Model() if m.definition is not None:
            return mechanism_report(m.definition, form, numeric)
        case BondGraph():
            return bond_report(m)
        case AbstractSystem():
            return system_report(m)
        case HandFlow():
            return flow_report(m)
    listed = by_components(m, form)
    if listed is not None:
        return component_report(listed.with_numbers() if numeric else listed, _titled(m, listed.form))
    match m:
        case RigidSystem():
            return rigid_report(m, form, numeric)
        case Model():
            raise ModelError("report() cannot read a Model of a system of the language: give the system itself.")
    raise ModelError(
        "report() takes a Mechanism, a system of the language, a RigidSystem, a ParticleSystem, a BondGraph, a "
        f"HandFlow, a KaneSystem, a PortHamiltonian or a Lagrangian; got {type(m).__name__}."
    )


def _titled(m: Any, form: str) -> str:
    if isinstance(m, PortHamiltonian):
        return "A port-Hamiltonian system."
    if isinstance(m, Hamel | Model):
        return f"A Lagrangian system; equations in {form.capitalize()}'s form."
    moving = " of bodies whose poses depend on time," if isinstance(m, RigidSystem) else ""
    return f"Kane's equations{moving} in {form} form."
