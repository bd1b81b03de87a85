"""Bond graphs of Lagrangians and port-Hamiltonian systems: rates, energy and power are those of the system."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import forms
from visviva.forms import coordinates
from visviva.forms.hamiltonian.body_structure import rigid_body
from visviva.forms.hamiltonian.port_hamiltonian import PortHamiltonian

FINE = vv.DOP853(tolerance=1e-11)


def crane():
    """A trolley with a load, friction and a force, in a magnetic field that bends the motion."""
    return vv.lagrangian(
        "crane",
        ("x", "a"),
        L=lambda q, v, m, g: (
            (2 + m) * v.x**2 / 2 + m * v.x * v.a * np.cos(q.a) + m * v.a**2 / 2 + m * g * np.cos(q.a) + q.a**2 * v.x / 3
        ),
        damping=np.diag([0.3, 0.1]),
        inputs={"push": [1.0, 0.0]},
        parameters={"m": 1.2, "g": 9.81},
        q0=[0.1, 0.4],
        v0=[0.2, -0.3],
    )


def push(t):
    return 2.0 * np.sin(3 * t)


@pytest.mark.parametrize("figure", [2, 3, 4, 5, 6])
def test_figures_of_a_lagrangian_move_as_its_model(figure):
    model = crane()
    graph = vv.bond_graph(model, figure=figure, inputs={"push": push})
    q, v = np.array([0.1, 0.4]), np.array([0.2, -0.3])
    M = np.array([[3.2, 1.2 * np.cos(q[1])], [1.2 * np.cos(q[1]), 1.2]])
    names, values = (("p_x_dot", "p_a_dot"), M @ v) if figure in (3, 4) else (("x_dot", "a_dot"), v)
    start = dict(zip(("x", "a", *names), (*q, *values), strict=True))
    run = vv.simulate(graph, 1.0, 0.1, initial=start, integrator=FINE)
    coarse, fine = (vv.simulate(model, 1.0, h, inputs={"push": push}) for h in (2e-3, 1e-3))
    for name in ("x", "a"):
        limit = (4 * fine[name][-1] - coarse[name][-1]) / 3  # of order 4 where both are of order 2
        assert_allclose(run[name][-1], limit, rtol=0, atol=2e-9)
    assert run.audit().drift < 1e-9


@pytest.mark.parametrize("figure", [2, 3, 4, 5, 6])
def test_figures_of_a_lagrangian_start_where_it_does(figure):
    model = crane()
    graph = vv.bond_graph(model, figure=figure)
    run = vv.simulate(graph, 0.1, 0.05, integrator=FINE)
    assert_allclose([run["x"][0], run["a"][0]], [0.1, 0.4], rtol=1e-15)
    moved = vv.simulate(model, 0.1, 1e-3)
    assert_allclose([run["x"][-1], run["a"][-1]], [moved["x"][-1], moved["a"][-1]], rtol=0, atol=1e-6)


def test_figures_of_a_lagrangian_in_spins_start_at_its_configuration():
    p = coordinates.joined({("ground", "top"): coordinates.spherical("r")})
    graph = vv.bond_graph(forms.Hamel(p, lambda q, xi: xi[0] ** 2 + xi[1] ** 2 + xi[2] ** 2, name="top"), figure=4)
    run = vv.simulate(graph, 0.1, 0.05)
    assert_allclose([run[name][0] for name in p.coordinates], p.q0)


def test_a_constraint_closes_a_junction():
    """A pendulum in x and y on g = 0."""
    model = vv.lagrangian(
        "pendulum",
        ("x", "y"),
        M=[1.0, 1.0],
        V=lambda q: 9.81 * q.y,
        g={"rod": lambda q: [(q.x**2 + q.y**2 - 1) / 2]},
        q0=[0.6, -0.8],
        v0=[0.8, 0.6],
    )
    graph = vv.bond_graph(model, figure=4)
    start = {"x": 0.6, "y": -0.8, "p_x_dot": 0.8, "p_y_dot": 0.6}
    run = vv.simulate(graph, 0.5, 0.05, initial=start, integrator=FINE)
    angle = vv.HandFlow(lambda t, q, xi: -9.81 * np.sin(q), n=1)
    reference = vv.simulate(angle, 0.5, 0.05, initial=([np.arctan2(0.6, 0.8)], [1.0]), integrator=FINE)
    a = reference["q"][-1, 0]
    assert_allclose([run["x"][-1], run["y"][-1]], [np.sin(a), -np.cos(a)], atol=1e-9)


@pytest.mark.parametrize("figure", [2, 4, 5])
def test_figures_of_a_lagrangian_in_spins(figure):
    """A heavy top in its own spin: what T does not generate are the commutation coefficients."""
    p = coordinates.joined({("ground", "top"): coordinates.spherical("r")})
    inertia = np.array([0.5, 0.7, 0.3])

    def L(q, xi):
        _, x, y, _ = q
        height = 1 - 2 * (x * x + y * y)
        return sum(J * e**2 for J, e in zip(inertia, xi, strict=True)) / 2 - 2.0 * height

    system = forms.Hamel(p, L, name="top")
    graph, flow = vv.bond_graph(system, figure=figure), system.flow
    q = np.array([0.8, 0.36, 0.0, 0.48])
    xi = np.array([0.4, -0.3, 2.0])
    names = [f"p_{each}" for each in p.velocities] if figure == 4 else p.velocities
    states = dict(zip((*p.coordinates, *names), (*q, *(inertia * xi if figure == 4 else xi)), strict=True))
    made = graph.flow()
    y = np.array([states[name] for name in made.plan.independent])
    found = dict(zip(made.plan.independent, made.rates(0.0, np.zeros(0), y, np.zeros(1))[0], strict=True))
    wanted = flow.rates(0.0, q, xi, np.zeros(0))[0] * (inertia if figure == 4 else 1.0)
    assert_allclose([found[name] for name in names], wanted, rtol=1e-11, atol=1e-12)
    with pytest.raises(vv.ModelError, match="of holonomic systems"):
        vv.bond_graph(system, figure=3)


def test_what_energies_do_not_tell_is_refused():
    with pytest.raises(vv.ModelError, match="do not tell masses and their velocities: figure 1"):
        vv.bond_graph(crane(), figure=1).laws  # noqa: B018
    fast = vv.lagrangian("fast", "x", L=lambda q, v: -np.sqrt(1 - v.x**2), q0=[0.0])
    with pytest.raises(vv.ModelError, match="not quadratic in the velocities"):
        vv.bond_graph(fast)


def duffing(**more):
    return PortHamiltonian(
        ("q", "p"),
        lambda x: 2 * x.q**2 + x.p**2 / 4 + x.q**4,
        [[0, 1], [-1, 0]],
        R=lambda x: [[0, 0], [0, 0.4 + 0.1 * x.q**2]],
        G=lambda x: [[0], [1 + x.q]],
        inputs=("push",),
        name="duffing",
        **more,
    )


def test_graph_of_a_port_hamiltonian_system_has_its_rates():
    system = duffing()
    graph = vv.bond_graph(system, inputs={"push": push})
    assert {label: element.shown for label, element in graph.elements.items()} == {
        "f": "1", "H": "I", "J": "GY", "R": "R", "G": "MTF", "u": "Se",
    }  # fmt: skip
    flow, x, t = graph.flow(), np.array([0.7, -0.4]), 0.3
    rates, y = system.rates(x, [push(t)])
    assert_allclose(flow.rates(t, np.zeros(0), x, np.array([t]))[0], rates, rtol=1e-13)
    supplied = y @ [push(t)] - system.dissipated(x)
    assert_allclose(flow.power(t, np.zeros(0), x, np.array([t])), supplied, rtol=1e-12)
    assert_allclose(flow.energy(np.zeros(0), x, np.array([t])), system.H.value(x), rtol=1e-14)


def test_graph_of_a_rigid_body_keeps_its_casimirs():
    body = rigid_body(np.diag([1.0, 2, 3, 1, 1, 1]))
    x = np.concatenate([np.eye(3).ravel(), np.zeros(3), [1.0, 2, 3], np.zeros(3)])
    run = vv.simulate(vv.bond_graph(body, inputs={}), 1.0, 0.1, initial=dict(zip(body.states, x, strict=True)))
    R = np.array([run[f"x{k}"][-1] for k in range(9)]).reshape(3, 3)
    assert_allclose(R @ R.T, np.eye(3), atol=1e-8)
