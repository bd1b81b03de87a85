"""bond_graph: the bond graph of whatever has one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from visviva._suggestions import helpful
from visviva.bonds.graph import BondGraph
from visviva.bonds.kane import FIGURES, AbstractMotion, kane_graph
from visviva.errors import ModelError
from visviva.forms.calculus.hamel import Hamel
from visviva.forms.calculus.particles import ParticleSystem
from visviva.forms.hamiltonian.port_hamiltonian import PortHamiltonian
from visviva.forms.kane.forms import KaneForm
from visviva.forms.kane.system import KaneSystem
from visviva.forms.rigid.system import RigidSystem
from visviva.language import Composite
from visviva.mechanism import Definition, definition_of
from visviva.model import Model

OF_FORMS = {"velocity": 2, "momentum": 4, "partially-lagrangian": 5, "lagrange": 6, "hamilton": 3}


@helpful
def bond_graph(
    subject: Any, *, figure: int | None = None, form: str | None = None, inputs: Mapping[str, Any] | None = None
) -> BondGraph:
    """The bond graph of a system of the language, of a mechanism, or of Kane's equations.

    subject: a Composite: one element for each storage, junctions and couplings in between.
             A Mechanism: bodies, joints, springs and dampers with multibonds of twists and wrenches.
             A KaneSystem, a RigidSystem, a ParticleSystem, or a Mechanism with figure or form: one of the six
             multibond graphs of Phillips and Amirouche.
             A Lagrangian, of `vv.lagrangian` or `forms.Hamel`: figures 2 to 6.
             A PortHamiltonian: a store with H(x), its structure J as a gyrator, losses and ports.
    figure:  1 to 6; but for a Mechanism 4 by default, and that of its form for `kane(...).form(...)`.
    form:    the same by name, "unreduced", "kane-velocity", "hamilton", "kane-momentum", "partially-lagrangian",
             "lagrange".
    inputs:  of a Mechanism, PortHamiltonian or Lagrangian, by port: numbers or functions of time, as for `simulate`;
             zero in Kane's graphs where they are left out, sources without a law in the others.
    """
    chosen, subject = _figure(figure, form), definition_of(subject)
    if inputs is not None and not isinstance(subject, Definition | PortHamiltonian | Model):
        raise ModelError(
            "inputs= are those of the ports of a Mechanism, PortHamiltonian or Lagrangian; others have sources with "
            "laws of their own."
        )
    if isinstance(subject, Composite):
        if chosen is not None:
            raise ModelError(f"{subject.name!r} is a composite; figures and forms are those of Kane's equations.")
        from visviva.bonds.from_system import from_system

        return from_system(subject)
    if isinstance(subject, PortHamiltonian):
        if chosen is not None:
            raise ModelError(f"{subject.name!r} is port-Hamiltonian; figures and forms are those of Kane's equations.")
        from visviva.bonds.of_hamiltonian import hamiltonian_graph

        return hamiltonian_graph(subject, inputs)
    motion: AbstractMotion
    if isinstance(subject, KaneForm):
        subject, chosen = subject.system, chosen or OF_FORMS[subject.form]
    if isinstance(subject, ParticleSystem):
        subject = subject.flow
    if isinstance(subject, KaneSystem):
        from visviva.bonds.kane_symbols import SymbolicMotion

        motion = SymbolicMotion(subject)
    elif isinstance(subject, Hamel) or (isinstance(subject, Model) and subject.coordinates):
        from visviva.bonds.kane_lagrangian import LagrangianMotion, parts_of_hamel, parts_of_model

        parts = parts_of_hamel(subject) if isinstance(subject, Hamel) else parts_of_model(subject, inputs)
        motion = LagrangianMotion(parts)
    elif isinstance(subject, RigidSystem):
        from visviva.bonds.kane_rigid import RigidMotion

        motion = RigidMotion(subject)
    elif isinstance(subject, Definition):
        if chosen is None:
            from visviva.bonds.of_mechanisms import mechanism_graph

            return mechanism_graph(subject, inputs)
        from visviva.bonds.kane_numbers import NumericMotion

        motion = NumericMotion(subject, inputs)
    else:
        raise ModelError(
            "bond_graph() takes a Composite, a Mechanism, a KaneSystem, a RigidSystem, a ParticleSystem, a Lagrangian "
            f"or a PortHamiltonian, got {type(subject).__name__}."
        )
    return kane_graph(motion, 4 if chosen is None else chosen)


def _figure(figure: int | None, form: str | None) -> int | None:
    if figure is not None and form is not None:
        raise ModelError(f"give figure= or form=, not both: figure {figure} is {FIGURES.get(figure)!r}.")
    if form is not None:
        known = {name: number for number, name in FIGURES.items()}
        if form not in known:
            raise ModelError(f"there is no graph of the form {form!r}; there are {', '.join(known)}.")
        return known[form]
    if figure is not None and figure not in FIGURES:
        raise ModelError(f"there is no figure {figure!r}; Kane's equations have the figures 1 to 6.")
    return figure
