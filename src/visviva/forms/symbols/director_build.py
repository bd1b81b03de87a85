"""Director equations of a mechanism, built from its parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from visviva.compiler import compile_mechanism
from visviva.forms.calculus.moving import Moving, dot, stacked
from visviva.forms.minimal.model_states import ModelStates
from visviva.forms.symbols.acting import Acting
from visviva.forms.symbols.director_places import DirectorPlaces
from visviva.forms.symbols.directors import DirectorEquations
from visviva.forms.symbols.parameters import Parameters
from visviva.forms.symbols.rows import ConstraintRows, constraint_rows, drive_rates
from visviva.forms.symbols.steps import Steps, matrix_of, zeros
from visviva.forms.symbols.variables import Register, Variables
from visviva.mechanism import Definition
from visviva.mechanism.parts import Body
from visviva.mechanism.spanning.spanning import Spanning
from visviva.mechanism.spanning.tree import Tree
from visviva.views.equations_names import Label


def director_equations(m: Definition, numeric: bool) -> DirectorEquations:
    """The equations of a mechanism."""
    import sympy

    model = compile_mechanism(m, "directors")
    states = ModelStates(model, Spanning(Tree((), m.gravity), (), {}, frozenset(), ()))
    steps = Steps()
    parameters = Parameters(steps, numeric)
    variables = _variables(m, states, steps)
    names = tuple(dict.fromkeys(part.name for part in model.constraints))
    inner = {f"{body.name}.directors" for body in m.bodies}
    places = DirectorPlaces(m, states, variables, tuple(name for name in names if name not in inner), parameters, steps)
    gravity = parameters.vector(m.gravity, Label("g"), "m/s²")
    masses = places.masses()
    acting = Acting(places)
    if any(gravity):
        acting.pull("gravity", *_weight(places, masses, gravity))
    drive_rates(places, acting.s_dot)
    rows = (*_internal(places), *constraint_rows(places))
    lam = [steps.symbol(Label("lambda", (part.name, str(k + 1)))) for part in rows for k in range(len(part.z))]
    total = sum(acting.forces.values(), zeros(places.n))
    u = list(variables.u)
    B = np.array([[sympy.sympify(force).diff(one) for one in u] for force in total], dtype=object)
    return DirectorEquations(
        name=m.name,
        q=tuple(variables.q),
        v=tuple(variables.xi),
        lam=tuple(lam),
        s=tuple(variables.s),
        u=tuple(variables.u),
        t=variables.t,
        M=sympy.diag(*masses),
        V=sum(acting.potentials.values(), sympy.Integer(0)),
        V_q=matrix_of(acting.slope),
        R_v=matrix_of(acting.R),
        B_v=matrix_of(B.reshape(places.n, len(u))),
        h_v=matrix_of(acting.driven),
        s_dot=matrix_of(acting.s_dot),
        rows=rows,
        values=parameters.values,
        units=parameters.units | variables.units,
        names=variables.names,
        steps=steps,
    )


def _variables(m: Definition, states: ModelStates, steps: Steps) -> Variables:
    register, q, v = Register(steps), list[Any](), list[Any]()
    for body in m.bodies:
        labels = [Label("phi", (body.name, str(i + 1))) for i in range(3)]
        if isinstance(body, Body):
            labels += [Label("d", (body.name, f"{k + 1}{i + 1}")) for k in range(3) for i in range(3)]
        else:
            labels = [Label("r", label.subscripts) for label in labels]
        units = ["m"] * 3 + ["1"] * 9
        for k, (label, unit) in enumerate(zip(labels, units, strict=False)):
            q.append(register.symbol(f"{body.name}.q[{k}]", label, unit=unit))
            v.append(register.symbol(f"{body.name}.v[{k}]", label, dots=1, unit=f"{unit}/s"))
    names = [
        name if at.stop - at.start == 1 else f"{name}[{k}]"
        for name, at in states.s.items()
        for k in range(at.stop - at.start)
    ]
    none = np.array([], dtype=object)
    s, u, t, driven, boxes = register.others(m, names)
    return Variables(
        np.array(q, dtype=object),
        np.array(v, dtype=object),
        none,
        none,
        s,
        u,
        t,
        register.names,
        register.units,
        driven,
        boxes,
    )


def _internal(places: DirectorPlaces) -> Iterator[ConstraintRows]:
    """½(d_i·d_i - 1) and d_i·d_j; (26)."""
    for body in places.m.bodies:
        if isinstance(body, Body):
            d = places.principal(body)
            pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
            y = stacked([_half(dot(d[i], d[j])) if i == j else dot(d[i], d[j]) for i, j in pairs])
            yield ConstraintRows(f"{body.name}.directors", "holonomic", y.value, y.row, zeros(6), -y.bias)


def _half(y: Moving) -> Moving:
    return Moving((y.value - 1) / 2, y.row / 2, y.rate / 2, y.bias / 2)


def _weight(places: DirectorPlaces, masses: Any, gravity: Any) -> tuple[Any, Any]:
    """Force m g on the centres of mass, and V = -Σ m g·φ."""
    force, V = zeros(places.n), 0
    for body in places.m.bodies:
        centre = places.centre(body)
        first = int(np.flatnonzero(centre.row[0])[0])
        force = force + masses[first] * (centre.row.T @ gravity)
        V -= masses[first] * (gravity @ centre.value)
    return force, V
