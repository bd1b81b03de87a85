"""Equations of motion in other forms than the Model's, at the same state."""

from __future__ import annotations

import numpy as np

from visviva._arrays import Array
from visviva.bonds.of_models import bond_graph as graph_of
from visviva.compiler import compile
from visviva.forms.minimal.form import MinimalForm
from visviva.forms.minimal.momentum import MomentumForm
from visviva.forms.symbols import SymbolicEquations
from visviva.forms.symbols import symbols as symbols_of
from visviva.testing.readings.instant import Instant, close


def directors(now: Instant) -> None:
    """The Model in directors: v = N(q) V, hence v̇ = N V̇ + Ṅ V."""
    model = compile(now.case.mechanism, "directors")
    x, expected, units = np.zeros(model.layout.size), [], []
    for variable in model.variables:
        if variable.name not in model.kinetic:
            x[model.layout.x[variable.name]] = now.x[now.model.layout.x[variable.name]]
    for body, V_dot in zip(now.case.mechanism.bodies, now.split_by_body(now.v_dot), strict=True):
        q, V, space = now.motion.q[body.name], now.motion.V[body.name], now.model.spaces[f"{body.name}.q"]
        x[model.layout.x[f"{body.name}.v"]] = space.lift(q) @ V
        expected.append(space.lift(q) @ V_dot + space.drift(q, V))
        units.append(np.where(np.arange(len(q)) < 3, now.units.length, 1.0) / now.units.time**2)
    unit, found = np.concatenate(units), model.accelerations(x, u=now.u, u_dot=now.u_dot)
    close(found.v_dot / unit, np.concatenate(expected) / unit, "accelerations", accuracy=now.accuracy)
    now.same_energy(float(model.H(x)))


def minimal(now: Instant) -> None:
    """V̇ = S ξ̇ + Ṡ ξ; energy and its rate."""
    _same_form(now, "minimal")
    if not now.case.mechanism.thermals:  # there energy and exergy differ
        now.same_energy(now.form.energy(now.q, now.xi, now.s))
        now.same_power(now.form.power(0.0, now.q, now.xi, now.s))


def _same_form(now: Instant, kind: str) -> None:
    form = MinimalForm(now.case.mechanism, kind, now.case.inputs)
    found = form.solve(form.at(now.q, now.xi, now.s), now.u, now.u_dot)
    now.same_accelerations(found.V_dot)
    now.same_states(found.s_dot)


def hamel(now: Instant) -> None:
    """Inertia forces by commutation coefficients."""
    _same_form(now, "hamel")


def kane(now: Instant) -> None:
    """Inertia forces A ξ̇ + D ξ."""
    _same_form(now, "kane-velocity")


def partially_lagrangian(now: Instant) -> None:
    """Inertia forces by momenta and the gradient of kinetic energy."""
    _same_form(now, "partially-lagrangian")


def momenta(now: Instant) -> None:
    """ṗ = d(M ξ)/dt = M ξ̇ + Ṁ ξ."""
    form = MomentumForm(now.case.mechanism.definition, now.case.inputs)
    p_dot, s_dot = form.rates(0.0, now.q, form.momenta(now.q, now.xi), now.s)
    point = now.form.at(now.q, now.xi, now.s)
    unit = now.units.power / now.xi_unit
    expected, force = point.M @ now.xi_dot, point.force(now.u)
    size = float(np.abs(expected / unit).max() + np.abs(force / unit).max())
    close(p_dot / unit, (expected + point.kane.A_dot @ now.xi) / unit, "momenta", size, now.accuracy)
    now.same_states(s_dot)


def symbols(now: Instant) -> None:
    """The generated function of accelerations, energies and rates of other states."""
    m = now.case.mechanism
    e = symbols_of(m)
    assert isinstance(e, SymbolicEquations), "they are those of minimal velocities"
    point = now.form.at(now.q, now.xi, now.s)
    ports = sum(port.width for port in m.ports)
    laws = [now.form.inputs.laws[e.names[symbol]] for symbol in e.u[ports::2]]
    u = np.concatenate([now.u[:ports], *((law.rate(0.0), law.acceleration(0.0)) for law in laws)])
    now.same_accelerations(point.S @ e.accelerations(now.q, now.xi, now.s, u) + point.S_dot @ now.xi)
    T, V, s_dot = e.function("T", "V", "s_dot")(now.q, now.xi, now.s, u, 0.0)
    now.same_energy(T + V, heat=sum(node.capacity * node.temperature for node in m.thermals))
    now.same_states(np.asarray(s_dot))


def bond_graph(now: Instant) -> None:
    """Rates of all states of the graph, its energy and power."""
    form = now.form
    flow = graph_of(now.case.mechanism, inputs=now.case.inputs).flow()
    states = dict(zip((*form.q_names, *form.xi_names, *form.s_names), (*now.q, *now.xi, *now.s), strict=True))
    for variable in form.model.variables:
        values = now.x[form.model.layout.x[variable.name]]
        own = [variable.name] if len(values) == 1 else [f"{variable.name}[{k}]" for k in range(len(values))]
        states = dict(zip(own, values, strict=True)) | states
    y, t = np.array([states[name] for name in flow.plan.independent]), np.zeros(1)
    found = dict(zip(flow.plan.independent, flow.rates(0.0, np.zeros(0), y, t)[0], strict=True))
    rates = np.concatenate([form.q_dot(now.q, now.xi), now.xi_dot, now.s_dot])
    units = np.concatenate([_rate_units(now), now.xi_unit / now.units.time, now.s_unit / now.units.time])
    names = (*form.q_names, *form.xi_names, *form.s_names)
    assert {*form.q_names} <= {*found}, "coordinates are states of the graph"
    shown = [k for k, name in enumerate(names) if name in found]
    size = float(np.abs(rates / units).max())
    close([found[names[k]] / units[k] for k in shown], (rates / units)[shown], "rates", size)
    if not now.case.mechanism.thermals:  # there the energy of the graph is no exergy
        now.same_energy(flow.energy(np.zeros(0), y, t), 1e-10)
        now.same_power(flow.power(0.0, np.zeros(0), y, t))


def _rate_units(now: Instant) -> Array:
    """Of q̇, whose balls and free links have quaternions."""
    units = []
    for link in now.form.tree.links:
        size = {"free": [now.units.length] * 3 + [1.0] * 4, "ball": [1.0] * 4, "slider": [now.units.length]}
        units += size.get(link.kind, [1.0] if link.kind == "hinge" else [])
    return np.array(units) / now.units.time
