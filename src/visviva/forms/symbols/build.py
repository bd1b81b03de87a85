"""symbols: the equations of a mechanism as SymPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva._suggestions import helpful
from visviva.errors import ModelError
from visviva.forms.calculus.hamel import Hamel
from visviva.forms.calculus.particles import ParticleSystem
from visviva.forms.component_equations import ComponentEquations
from visviva.forms.hamiltonian.port_hamiltonian import PortHamiltonian
from visviva.forms.kane.forms import KaneForm
from visviva.forms.kane.system import KaneSystem
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.rigid.system import RigidSystem
from visviva.forms.symbols.acting import Acting
from visviva.forms.symbols.by_components import hamel_equations, hamiltonian_equations
from visviva.forms.symbols.director_build import director_equations
from visviva.forms.symbols.directors import DirectorEquations
from visviva.forms.symbols.equations import SymbolicEquations
from visviva.forms.symbols.frames import ad, frames_of
from visviva.forms.symbols.inertia import Carried, Inertia
from visviva.forms.symbols.lagrangian import lagrangian_equations
from visviva.forms.symbols.parameters import Parameters, tidy
from visviva.forms.symbols.places import TreePlaces
from visviva.forms.symbols.rigid import of_rigid_system
from visviva.forms.symbols.rigid_kane import kane_of_rigid
from visviva.forms.symbols.rows import constraint_rows, drive_rates
from visviva.forms.symbols.steps import Steps, matrix_of, zeros
from visviva.forms.symbols.tree import tree_symbols
from visviva.forms.symbols.variables import variables_of
from visviva.mechanism import Definition, definition_of
from visviva.model import Model
from visviva.views.equations_names import Label

FORMS = ("minimal", "kane-velocity", "kane-momentum", "lagrange", "hamilton", "directors")
KANE = {"minimal": "velocity", "kane-velocity": "velocity", "kane-momentum": "momentum"}


@helpful
def symbols(
    m: Any,
    form: str = "minimal",
    *,
    numeric: bool = False,
    simplify: bool | None = None,
) -> SymbolicEquations | DirectorEquations | ComponentEquations:
    """The equations of motion of a mechanism or a rigid system as SymPy expressions, to read, print and compile.

    m:        a Mechanism, its `vv.analytical` form or Model; a RigidSystem, a ParticleSystem; a `vv.kane` system or one
              of its forms, a PortHamiltonian, a Lagrangian (`vv.lagrangian`, `forms.Hamel`), whose equations are listed
              by components: a `ComponentEquations`. So are those of poses that depend on time, in Kane's forms.

    form:     "minimal":        M ξ̇ + c = f - Zᵀλ;
              "kane-velocity":  A ξ̇ + D ξ = f - Zᵀλ;        "kane-momentum": ṗ = f + Dᵀξ - Zᵀλ;
              "lagrange":       ṗ - ∂T + ∂V = Q - Zᵀλ;       "hamilton": the same, solved for ṗ, with ξ = M⁻¹p; both
                                with Hamel's term γ_ij^k ξʲ p_k where velocities are no rates;
              "directors":      the port-Hamiltonian DAE of a mechanism in centres of mass and directors.
    numeric:  numbers in place of symbols for masses, lengths, stiffnesses.
    simplify: whether expressions are expanded and simplified; by default where they are short.

    Lengths, masses and coefficients are symbols by the names of their parts, directions are numbers. What is long is a
    list of short definitions, never expanded.

    Source:  Konz, sections 2.2, 3.4 and 3.5; Phillips and Amirouche, sections 2 to 4; Latussek, Kinon, Betsch (24).
    """
    if form not in FORMS:
        raise ModelError(f"there is no symbolic form {form!r}; there are {', '.join(FORMS)}.")
    if isinstance(m, ParticleSystem):
        m = m.flow
    listed = by_components(m, form)
    if listed is not None:
        return listed.with_numbers() if numeric else listed
    if isinstance(m, RigidSystem):
        if form == "directors":
            raise ModelError("a RigidSystem has no director form: directors are those of the bodies of a Mechanism.")
        return of_rigid_system(m, form, numeric, simplify)
    if isinstance(m, MinimalForm):
        m = m.definition
    if isinstance(m, Model) and m.definition is not None:
        m = m.definition
    m = definition_of(m)
    if not isinstance(m, Definition):
        raise ModelError(
            "symbols() takes a Mechanism, a RigidSystem, a ParticleSystem, a KaneSystem, a PortHamiltonian or a "
            f"Lagrangian, got {type(m).__name__}.\n"
            "Systems of the language have vv.equations(system)."
        )
    if form == "directors":
        return director_equations(m, numeric)
    return of_mechanism(MinimalForm(m), form, numeric, simplify)


def by_components(m: Any, form: str) -> ComponentEquations | None:
    """Equations of what is no tree of bodies with constraints, or moves by itself; None for the others."""
    if isinstance(m, KaneForm):
        m, form = m.system, m.form if form == "minimal" else form
    if isinstance(m, RigidSystem) and m.has_clock:
        m = kane_of_rigid(m)
    if form == "directors" and isinstance(m, KaneSystem | PortHamiltonian | Hamel | Model):
        if isinstance(m, Model) and m.definition is not None:
            return None
        raise ModelError(
            f"a {type(m).__name__} has no director form: directors are those of the bodies of a Mechanism."
        )
    match m:
        case KaneSystem():
            return m.equations(KANE.get(form, form))
        case PortHamiltonian():
            return hamiltonian_equations(m)
        case Hamel():
            return hamel_equations(m, form)
        case Model() if m.coordinates:
            return lagrangian_equations(m)
    return None


def of_mechanism(source: MinimalForm, form: str, numeric: bool, simplify: bool | None) -> SymbolicEquations:
    """The equations of a mechanism on its spanning tree."""
    steps = Steps()
    v = variables_of(source, steps)
    parameters = Parameters(steps, numeric)
    gravity = _gravity(source, parameters)
    tree = tree_symbols(source.spanning, v, parameters, steps)
    frames = frames_of(tree.edges, v.xi, steps)
    bodies = [
        Carried(place.carrier.name, k, tree.mass[k], tree.com[k], tree.inertia[k])
        for k, place in enumerate(source.spanning.places)
        if place.last and (tree.mass[k] != 0 or any(tree.inertia[k].ravel()))
    ]
    inertia = Inertia(bodies, frames, v.xi, steps)
    places = TreePlaces(source, v, tree, frames, parameters, steps)
    acting = Acting(places)
    inertia.tied = tuple(acting.inertias)
    if any(gravity):
        acting.pull("gravity", *inertia.weight(gravity))
    drive_rates(places, acting.s_dot)
    return SymbolicEquations(
        name=source.name,
        form=form,
        q=tuple(v.q),
        xi=tuple(v.xi),
        xi_dot=tuple(v.xi_dot),
        p=tuple(v.p),
        s=tuple(v.s),
        u=tuple(v.u),
        t=v.t,
        A=matrix_of(tree.A),
        rows=tuple(constraint_rows(places)),
        values=parameters.values,
        units=parameters.units | v.units,
        names=v.names,
        commutation=lambda: commutation(source),
        steps=steps,
        inertia=inertia,
        simplify=simplify,
        acting=acting.forces,
        stored=acting.potentials,
        slope=acting.slope,
        states=acting.s_dot,
        rank=source.rank,
    )


def _gravity(source: MinimalForm, parameters: Parameters) -> Any:
    """The acceleration in world axes; one number along an axis is called g."""
    return parameters.vector(tidy(source.definition.gravity), Label("g"), "m/s²")


def commutation(source: MinimalForm) -> Any:
    """γ_ij^k = (ad(e_i) e_j)_k of balls and free links, zero else, (n, n, n); Konz (3.49), (3.50)."""
    import sympy

    gamma = zeros(source.n, source.n, source.n)
    for link, place in zip(source.tree.links, source.spanning.places, strict=True):
        if link.kind not in ("ball", "free"):
            continue
        size = place.xi.stop - place.xi.start
        units = np.array([[sympy.Integer(i == j) for j in range(6)] for i in range(6)], dtype=object)[:size]
        for i, a in enumerate(units):
            for j, b in enumerate(units):
                gamma[place.xi.start + i, place.xi.start + j, place.xi] = ad(a, b)[:size]
    return gamma
