"""Kane's six multibond graphs: elements, widths, strokes, port equations, and the motion that follows from them."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from kane_systems import (
    disc,
    double_pendulum,
    driven_pendulum,
    euler_body,
    free_body,
    shaken_pendulum,
    sleigh,
    snakeboard,
)
from numpy.testing import assert_allclose

import visviva as vv
from visviva.bonds.kane import FIGURES
from visviva.bonds.text import port_equations

FINE = vv.DOP853(tolerance=1e-11)
SLEIGH = ([0.0, 0.0, 0.0], [2.0, 1.0])


def start(system, q, xi, figure):
    point = system.at(q, xi)
    velocities = point.p if figure in (3, 4) else point.xi
    names = [f"p_{name}" for name in system.velocities] if figure in (3, 4) else system.velocities
    return dict(zip(system.coordinates, q, strict=True)) | dict(zip(names, velocities, strict=True))


def structure(graph):
    return {
        "elements": {label: element.shown for label, element in graph.elements.items()},
        "widths": [graph.widths[bond.name] for bond in graph.bonds],
        "bonds": [(bond.tail, bond.head, graph.causality.strokes[bond.name]) for bond in graph.bonds],
    }


def test_figure_1_has_masses_that_differentiate():
    found = structure(vv.bond_graph(sleigh(), figure=1))
    assert found["elements"] == {
        "q_dot": "1",
        "Q": "MTF",
        "xi": "1",
        "partials": "MTF",
        "v": "1",
        "masses": "I",
        "spin": "MGY",
    }
    assert found["widths"] == [2, 3, 2, 3, 3, 3]
    assert found["bonds"] == [
        ("xi", "Q", "xi"),
        ("Q", "q_dot", "Q"),
        ("xi", "partials", "xi"),
        ("partials", "v", "partials"),
        ("v", "masses", "v"),
        ("v", "spin", "v"),
    ]
    assert vv.bond_graph(sleigh(), figure=1).causality.derivative == ("masses",)


@pytest.mark.parametrize(("figure", "kind"), [(2, "T*"), (4, "NIC"), (5, "NIC")])
def test_stores_have_integral_causality(figure, kind):
    graph = vv.bond_graph(sleigh(), figure=figure)
    found = structure(graph)
    assert found["elements"] == {"q_dot": "1", "Q": "MTF", "xi": "1", "T": kind}
    assert found["widths"] == [2, 3, 2, 2]
    assert found["bonds"][2:] == [("xi", "T", "T"), ("xi", "T", "xi")]  # the I-port answers with the flow
    assert not graph.causality.derivative


@pytest.mark.parametrize("figure", [3, 6])
def test_holonomic_graphs_have_an_ic_at_the_rates(figure):
    found = structure(vv.bond_graph(double_pendulum(), figure=figure))
    assert found["elements"] == {"xi": "1", "V": "C", "T": "IC"}
    assert found["bonds"] == [("xi", "V", "xi"), ("xi", "T", "T"), ("xi", "T", "xi")]


@pytest.mark.parametrize("figure", [1, 2, 4, 5])
def test_sleigh_moves_as_published(figure):
    graph = vv.bond_graph(sleigh(), figure=figure)
    run = vv.simulate(graph.flow(), 3.0, 0.5, initial=start(sleigh(), *SLEIGH, figure))
    assert_allclose(run["xi.f"][-1], [0.0817319482, 1.9067226139], rtol=0, atol=2e-10)
    assert np.ptp(run["energy"]) < 1e-9


CASES = {
    "double pendulum": (double_pendulum, [0.3, -0.4], [1.0, 0.5]),
    "free body": (free_body, [0, 0, 0, 1.0, 0, 0, 0], [0.5, 1.5, -0.4, 0.3, 0.2, 0.1]),
    "euler body": (euler_body, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.3, -0.2, 0.1, 0.5, 0.7, -0.4]),
    "disc": (disc, [1.2, 0.3, 0.0, 0.1], [0.4, 0.5, -3.0]),
    "snakeboard": (snakeboard, [0, 0, 0.1, 0.2, 0.3, -0.25], [0.5, 1.0, 0.2, -0.3]),
}


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("name", [*list(CASES)[:-1], pytest.param("snakeboard", marks=pytest.mark.slow)])
def test_graph_has_the_rates_of_the_model(name, figure):
    """At one instant: all rates, accelerations or forces, and the energy."""
    make, q, xi = CASES[name]
    system = make()
    if figure in (3, 6) and not system.holonomic:
        with pytest.raises(vv.ModelError, match=f"figure {figure} is of holonomic systems"):
            vv.bond_graph(system, figure=figure)
        return
    flow = vv.bond_graph(system, figure=figure).flow()
    first = flow.checked(start(system, q, xi, figure))
    found = dict(zip(flow.plan.independent, flow.rates(0.0, first.q, first.xi, first.s)[0], strict=True))
    point = system.at(q, xi)
    rates = dict(zip(system.coordinates, point.q_dot, strict=True))
    if figure in (3, 4):
        rates |= {f"p_{v}": rate for v, rate in zip(system.velocities, point.p_dot, strict=True)}
    else:
        rates |= dict(zip(system.velocities, point.xi_dot, strict=True))
    for state, rate in rates.items():
        assert_allclose(found[state], rate, rtol=1e-10, atol=1e-10, err_msg=state)
    assert_allclose(flow.energy(first.q, first.xi, first.s), point.energy, rtol=1e-12)


@pytest.mark.parametrize("figure", FIGURES)
def test_double_pendulum_moves_as_by_its_form(figure):
    system, q, xi = double_pendulum(), [0.3, -0.4], [1.0, 0.5]
    run = vv.simulate(vv.bond_graph(system, figure=figure).flow(), 0.2, 0.1, initial=start(system, q, xi, figure))
    reference = vv.simulate(system.form("velocity"), 0.2, 0.1, initial=(q, xi), integrator=FINE)
    assert_allclose([run[name][-1] for name in system.coordinates], reference["q"][-1], atol=1e-8)
    assert_allclose(run["xi.f"][-1], reference["xi"][-1], atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("figure", [1, 2, 4, 5])
def test_free_body_moves_as_by_its_form(figure):
    make, q, xi = CASES["free body"]
    system = make()
    run = vv.simulate(vv.bond_graph(system, figure=figure).flow(), 1.0, 0.25, initial=start(system, q, xi, figure))
    reference = vv.simulate(system.form("momentum"), 1.0, 0.25, initial=(q, xi), integrator=FINE)
    assert_allclose(run["xi.f"][-1], reference["xi"][-1], atol=1e-8)


def test_port_equations_are_those_of_the_paper():
    system = double_pendulum()
    texts = port_equations(vv.bond_graph(system, figure=3))["T"]
    assert texts[:2] == ["p' = e2", "p = A f2"]
    assert "A = [[4/3, cos(a - b)/2], [cos(a - b)/2, 1/3]]" in texts
    law = vv.bond_graph(system, figure=3).laws.of("T", "effort")
    slope = [-system.T.diff(x) for x in system.symbols.q]  # ∂T/∂q of T(q, p) is minus that of T*(q, q̇)
    at = dict(zip((*system.symbols.q, *system.symbols.xi), (0.3, -0.4, 1.2, 0.7), strict=True))
    assert_allclose([float(a.subs(at)) for a in law.values], [float(b.subs(at)) for b in slope], rtol=1e-13)
    nic = vv.bond_graph(sleigh(), figure=4).laws.of("T", "effort")
    assert all(sympy.expand(sympy.trigsimp(a + b)) == 0 for a, b in zip(nic.values, sleigh().gyration, strict=True))


def test_forms_by_name_and_impressed_forces():
    system = vv.kane(
        "block",
        q="x",
        bodies={"block": vv.KaneBody(mass=2.0, v=lambda xi: [xi.x_dot, 0, 0])},
        tau={"x_dot": lambda xi, d: -d * xi.x_dot},
        V=lambda q, k: 0.5 * k * q.x**2,
        parameters={"d": 0.3, "k": 2.0},
    )
    reference = vv.simulate(system.form("velocity"), 1.0, 0.5, initial=([1.0], [0.2]), integrator=FINE)
    for figure, form in FIGURES.items():
        graph = vv.bond_graph(system, form=form)
        assert graph.name == f"block, figure {figure}"
        assert graph.elements["tau"].shown == "MSe"
        run = vv.simulate(graph.flow(), 1.0, 0.5, initial=start(system, [1.0], [0.2], figure))
        assert_allclose(run["x"][-1], reference["q"][-1, 0], atol=1e-9)


@pytest.mark.parametrize("figure", FIGURES)
def test_known_velocities_have_reactions(figure):
    """Rates of unknown velocities by (47) or (49), reactions by (48), and the rate of what is known is its law's."""
    system, t, q, xi = driven_pendulum(), 0.7, [0.2, 0.9], [1.3]
    graph = vv.bond_graph(system, figure=figure)
    point = system.at(q, xi, t)
    flow, momentum = graph.flow(), figure in (3, 4)
    names = [f"p_{name}" for name in system.velocities] if momentum else system.velocities
    states = dict(zip((*system.coordinates, *names), (*q, *(point.p if momentum else point.xi)), strict=True))
    y = np.array([states[name] for name in flow.plan.independent])
    found = dict(zip(flow.plan.independent, flow.rates(t, np.zeros(0), y, np.zeros(1))[0], strict=True))
    assert_allclose(found[names[1]], (point.p_dot if momentum else point.xi_dot)[0], rtol=1e-12)
    if not momentum:
        assert_allclose(found["u"], -0.3 * 49 * np.sin(7 * t), rtol=1e-12)
    reaction = flow.evaluation(t, y).value(("e", graph.bond("f_known").name))
    assert_allclose(reaction, [point.drives["u"]], rtol=1e-12)
    assert_allclose(flow.power(t, np.zeros(0), y, np.zeros(1)), point.power, rtol=1e-12)


def massless_drive():
    """A pendulum on a pivot whose motion u = (0.2 sin 3t)˙ is driven, and which has no inertia of its own."""

    def v(q, xi):
        return [xi.u + np.cos(q.a) * xi.a_dot, np.sin(q.a) * xi.a_dot]

    return vv.kane(
        "massless drive",
        q=("x", "y", "a"),
        xi=("u", "w", "a_dot"),
        q_dot=lambda xi: [xi.u, xi.w, xi.a_dot],
        bodies={"bob": vv.KaneBody(mass=1.5, v=v)},
        V=lambda q, g: -1.5 * g * np.cos(q.a) + 2.0 * (q.y - q.x) ** 2,
        known={"u": lambda t: 0.6 * np.cos(3 * t), "w": lambda t: 0.1 * t},  # w moves no mass, u none at right angles
        parameters={"g": 9.81},
    )


def swelling():
    """A potential that depends on time, with velocities that do not."""
    return vv.kane(
        "swelling",
        q="x",
        bodies={"block": vv.KaneBody(mass=2.0, v=lambda xi: [xi.x_dot, 0])},
        V=lambda q, t: (3 + np.sin(2 * t)) * q.x**2 / 2,
    )


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize(
    ("make", "q", "xi"),
    [(massless_drive, [0.0, 0.3, 0.9], [1.3]), (shaken_pendulum, [0.9], [1.3]), (swelling, [0.4], [-0.7])],
)
def test_only_the_part_of_the_mass_matrix_that_is_unknown_need_be_regular(make, q, xi, figure):
    """(46)-(50) where A is singular, by a drive without inertia or by explicit time, at the time of a later instant."""
    system, t = make(), 0.7
    graph, point, momentum = vv.bond_graph(system, figure=figure), system.at(q, xi, t), figure in (3, 4)
    flow = graph.flow()
    states = dict(zip((*system.coordinates, *system.columns), (*q, *point.xi), strict=True))
    states |= {"time": t, "time_dot": 1.0}
    states |= {f"p_{name}": point.p[system.columns.index(name)] for name in system.unknown}
    y = np.array([states[name] for name in flow.plan.independent])
    found = dict(zip(flow.plan.independent, flow.rates(t, np.zeros(0), y, np.zeros(1))[0], strict=True))
    for name, xi_dot, p_dot in zip(system.unknown, point.xi_dot, point.p_dot, strict=True):
        key, rate = (f"p_{name}", p_dot) if momentum else (name, xi_dot)
        assert_allclose(found[key], rate, rtol=1e-11)
    for name, rate in zip(system.coordinates, point.q_dot, strict=True):
        assert_allclose(found[name], rate, rtol=1e-12, atol=1e-14)
    reactions = flow.evaluation(t, y).value(("e", graph.bond("f_known").name))
    wanted = [*point.drives.values()] if "time" in point.drives or system.prescribed else [0.0]
    wanted[-1] += point.potential_t
    assert_allclose(reactions, wanted, rtol=1e-11, atol=1e-11)
    assert_allclose(flow.energy(np.zeros(0), y, np.array([t])), point.energy, rtol=1e-12)
    assert_allclose(flow.power(t, np.zeros(0), y, np.zeros(1)), point.power, rtol=1e-11)


@pytest.mark.parametrize("figure", [2, 3, 4])
def test_momenta_of_known_velocities_are_no_states(figure):
    """Nothing is asked for them at the start, and the motion is that of the form."""
    system = driven_pendulum()
    graph = vv.bond_graph(system, figure=figure)
    point = system.at([0.0, 0.4], [0.0])
    (name,) = system.unknown
    own = {f"p_{name}": point.p[system.velocities.index(name)]} if figure in (3, 4) else {name: 0.0}
    run = vv.simulate(graph, 0.5, 0.1, initial=dict(zip(system.coordinates, [0.0, 0.4], strict=True)) | own)
    assert not {f"p_{known}" for known in system.prescribed} & set(graph.laws.names)
    reference = vv.simulate(system.form("velocity"), 0.5, 0.1, initial=([0.0, 0.4], [0.0]), integrator=FINE)
    assert_allclose([run[each][-1] for each in system.coordinates], reference["q"][-1], atol=1e-9)


def test_refusals():
    with pytest.raises(vv.ModelError, match="there is no figure 7"):
        vv.bond_graph(sleigh(), figure=7)
    with pytest.raises(vv.ModelError, match="no graph of the form 'newton'"):
        vv.bond_graph(sleigh(), form="newton")
    with pytest.raises(vv.ModelError, match=r"figure= or form=, not both"):
        vv.bond_graph(sleigh(), figure=1, form="unreduced")
    with pytest.raises(vv.ModelError, match="has no counterpart"):
        vv.bond_graph(sleigh(), figure=2).system()
