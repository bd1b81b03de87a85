"""linearise(): the linear system of whatever has equations of motion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from visviva._suggestions import helpful
from visviva.bonds.graph import BondGraph
from visviva.compiler import compile
from visviva.errors import ModelError
from visviva.forms.flows.flow import Flow, FlowState
from visviva.forms.flows.flowing import AbstractFlowing
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.momentum import MomentumForm
from visviva.forms.minimal.point import Point
from visviva.integrate.inputs import AllInputs
from visviva.language import Composite
from visviva.linear.control_laws import Operating, held_at, law_of_inputs, places_of
from visviva.linear.drives import driven_inputs, form_with_drives_at_rest
from visviva.linear.listed import listed
from visviva.linear.model_mechanics import momenta_of
from visviva.linear.momenta import in_momenta
from visviva.linear.motion import about
from visviva.linear.of_flows import FlowEquations
from visviva.linear.of_mechanisms import MechanismEquations
from visviva.linear.of_models import linearise_model
from visviva.linear.of_states import linearise_states
from visviva.linear.rest import rest
from visviva.linear.shapes import Shapes
from visviva.linear.system import LinearSystem
from visviva.mechanism import Definition, definition_of
from visviva.model import Model
from visviva.model.control_law import AbstractControlLaw, AbstractHoldingLaw


@helpful
def linearise(
    m: Any,
    at: Any = None,
    *,
    inputs: Sequence[str] | AbstractControlLaw | AbstractHoldingLaw | None = None,
    outputs: Iterable[str] | None = None,
    operating: Operating = None,
    velocities: Sequence[str] | None = None,
    steady: bool = False,
    residual_ok: bool = False,
) -> LinearSystem:
    """Small motions of a mechanism, or of other equations, as a linear system on independent velocities.

    m:           a Mechanism, with loops, redundant joints, rolling, drives, motors and all; its `vv.analytical` form,
                 in momenta too; a composite of the language, a `vv.BondGraph` that has one, or any Model; a
                 `vv.RigidSystem`, a `forms.ParticleSystem`, a `vv.kane` system, a port-Hamiltonian system, a Lagrangian
                 in minimal velocities (`forms.Hamel`), or any flow, such as `vv.HandFlow`.
    at:          an equilibrium (default: the one that `vv.equilibrium` finds), of a mechanism values by the names of a
                 run ({"hinge.q": 0.3}, at rest unless rates are given or it is steady), a run or `run.final`, the first
                 result of `m.assemble()`, or coordinates and velocities (q, ξ), which flows need; of a Model also
                 values by variable.
    inputs:      which ports are inputs; default: all. Drives are followed exactly and are none, unless they are named:
                 "<drive>.position", ".rate" or ".acceleration" (the name alone is its rate); those that are stand
                 still at the state, unless it is a steady motion or any instant. Or a control law, law.at(goal), that
                 closes a loop, about its reference where at= says nothing else; a tracking law alone holds the state
                 at=. All ports are inputs then, beside what the law gives.
    outputs:     what is seen, by the names that runs use ("tip.r", "hinge.q", "arm.twist"), states, or "<port>.y",
                 which makes power with the input of a port; default: all states.
    operating:   values of inputs at the state, by port name: numbers, or laws u(t, x, z) that close a loop; or a
                 control law, with inputs= the names of those that are seen.
    velocities:  which velocities are independent; default: chosen by pivots.
    steady:      linearise about a steady motion: constant rates, and coefficients that do not change along it; of a
                 Model, where only variables change on which nothing depends.
    residual_ok: linearise about any instant of any motion, with the coefficients of that instant.

    Derivatives are extrapolated central differences with an estimate of their error, refused where it exceeds 1e-6;
    it is mostly below 1e-10. Damping, gyroscopic and circulatory parts below 1e-9 of the rest are zero.
    """
    inputs, operating = law_of_inputs(inputs, operating)
    inputs, outputs, velocities = (
        None if names is None else listed(names, what)
        for names, what in ((inputs, "inputs"), (outputs, "outputs"), (velocities, "velocities"))
    )
    if isinstance(m, BondGraph):
        m = m.system()
    if isinstance(m, AbstractFlowing):
        m, at = lowered(m, at)
    subject: Any = m.definition if isinstance(m, Model) and m.definition is not None else definition_of(m)
    if isinstance(operating, AbstractHoldingLaw):
        operating = held_at(operating, subject, at, steady)
    if isinstance(subject, Definition | MinimalForm):
        drives, inputs = driven_inputs(subject if isinstance(subject, Definition) else subject.definition, inputs)
        anywhere = steady or residual_ok
        form = _form(subject, operating, () if anywhere else drives)
        near = None
        if isinstance(operating, AbstractControlLaw):
            at, near = places_of(operating, at, anywhere)
        found = _mechanism(MechanismEquations(form, outputs, drives), at, steady, residual_ok, velocities, near)
    elif isinstance(m, Model | Composite):
        _refuse(m, velocities=velocities)
        found = linearise_model(compile(m), at, outputs, operating, steady, residual_ok, momenta_of(m))
    elif isinstance(m, MomentumForm):
        _refuse(m, operating=operating, steady=steady, residual_ok=residual_ok)
        found = _momentum(m, at, inputs, outputs, velocities)
    elif isinstance(m, Flow) and not m.size_q:
        _refuse(m, operating=operating, velocities=velocities)
        found = linearise_states(m, at, outputs, steady, residual_ok)
    elif isinstance(m, Flow):
        _refuse(m, operating=operating)
        flow = FlowEquations(m, outputs)
        found = about(flow, flow.start(at, steady), steady, residual_ok, velocities).system
    else:
        raise ModelError(
            "linearise() takes a Mechanism, a RigidSystem, a ParticleSystem, a KaneSystem, a PortHamiltonian, a "
            f"composite, a BondGraph, a Model or a flow, got {type(m).__name__}."
        )
    return found.select(inputs) if inputs is not None else found


def lowered(m: AbstractFlowing, at: Any) -> tuple[Any, Any]:
    """The Model of a description that runs as one by default, else its flow; and the state in its terms."""
    model = m.model_for(None)
    if model is None:
        return m.flow, at
    return model, None if at is None else m.model_start(at)


def _refuse(m: Any, **options: Any) -> None:
    """An error for options that belong to other subjects."""
    for name, value in options.items():
        if value:
            raise ModelError(f"linearise() of a {type(m).__name__} has no {name}=: it is for mechanisms in velocities.")


def _form(m: Any, operating: AllInputs | None, at_rest: Iterable[str]) -> MinimalForm:
    """Of a mechanism, with operating values of inputs by name and some drives at rest, or the form that it is."""
    if not isinstance(m, MinimalForm):
        return form_with_drives_at_rest(m, operating, at_rest)
    if operating:
        raise ModelError("a form has its inputs already: give operating= to the mechanism, or inputs= to the form.")
    return m


def _momentum(
    m: MomentumForm,
    at: Any,
    inputs: Sequence[str] | None,
    outputs: Sequence[str] | None,
    velocities: Sequence[str] | None,
) -> LinearSystem:
    """In momenta, about rest: p = M N η of the independent velocities η."""
    form, to_p = m.minimal, dict(zip(m.minimal.xi_names, m.p_names, strict=True))
    if driven_inputs(form.definition, inputs)[0]:
        raise ModelError(
            f"momenta of {m.name!r} depend on the rates of its drives: linearise its velocity form for them."
        )
    to_rate = {p: rate for rate, p in to_p.items()}
    named = None if outputs is None else tuple(to_rate.get(name, name) for name in outputs)
    if isinstance(at, FlowState | Sequence) and len(parts := _parts(at)) > 1:
        at = (parts[0], m.velocities(*parts[:2]), *parts[2:])
    equations = MechanismEquations(form, named, {})
    ref = rest(equations) if at is None else equations.start(at, steady=False)
    found = about(equations, ref, steady=False, residual_ok=False, velocities=velocities)
    eta = [equations.velocities[k] for k in found.basis.choice.eta]
    T = (equations.mass(ref.q) @ found.basis.N)[found.basis.choice.eta]
    shown = eta if outputs is None else [to_rate[name] for name in outputs if name in to_rate]
    return in_momenta(found.system, {name: to_p[name] for name in eta}, T, shown)


def _parts(at: Any) -> Sequence[Any]:
    return (at.q, at.xi, at.s) if isinstance(at, FlowState) else at


def _mechanism(
    equations: MechanismEquations,
    at: Any,
    steady: bool,
    residual_ok: bool,
    velocities: Sequence[str] | None,
    near: Any = None,
) -> LinearSystem:
    """near: where an equilibrium is looked for, where at is None."""
    ref = rest(equations, near) if at is None and not steady else equations.start(at, steady)
    found = about(equations, ref, steady, residual_ok, velocities)
    S = Point(equations.form, ref.q, np.zeros(equations.n), ref.s).S
    shapes = Shapes(equations.form, ref.q, ref.s, found.basis.H, found.basis.N, S)
    return replace(found.system, shapes=shapes)
