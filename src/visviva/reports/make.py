"""report: a model as one page to read."""

from __future__ import annotations

from typing import Any

from visviva._suggestions import helpful
from visviva.bonds import BondGraph
from visviva.errors import ModelError
from visviva.forms.flows.hand_flow import HandFlow
from visviva.forms.kane.system import KaneSystem
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.rigid.system import RigidSystem
from visviva.language import AbstractSystem
from visviva.mechanism import Mechanism
from visviva.model import Model
from visviva.reports.of_bond_graphs import bond_report
from visviva.reports.of_flows import flow_report, kane_report
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
    state equations. Of a `vv.HandFlow` and of a system of `forms.kane`: their equations.

    form, numeric: of the equations of a mechanism or rigid system, see `vv.symbols`.

    `.save("x.html")` writes one file that needs no other, `.save("x.tex")` the LaTeX source with its pictures.
    """
    match m:
        case Mechanism():
            return mechanism_report(m, form, numeric)
        case MinimalForm():
            return mechanism_report(m.mechanism, form, numeric)
        case Model() if m.mechanism is not None:
            return mechanism_report(m.mechanism, form, numeric)
        case RigidSystem():
            return rigid_report(m, form, numeric)
        case BondGraph():
            return bond_report(m)
        case AbstractSystem():
            return system_report(m)
        case HandFlow():
            return flow_report(m)
        case KaneSystem():
            return kane_report(m, "velocity" if form == "minimal" else form.removeprefix("kane-"))
        case Model():
            raise ModelError("report() cannot read a Model of a system of the language: give the system itself.")
    raise ModelError(
        f"report() takes a Mechanism, a system of the language, a RigidSystem, a BondGraph, a HandFlow or a KaneSystem;"
        f" got {type(m).__name__}."
    )
