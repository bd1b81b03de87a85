"""Bond graphs of systems whose states are rotations and poses."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo
from visviva.bonds.groups import lift, space_of
from visviva.geometry.embedding import ProductSpace, origin
from visviva.language import Quantity, compose, reversible, storage
from visviva.language.spaces import state_space
from visviva.library.multibody import rigid_body

SPACES = ("R3", "SO2", "SO3", "SE2", "SE3", "SO3xR3", "SO3xR")
START = (0.1, 4.0, 0.2, 0.5, 0.0, 0.3)


@pytest.mark.parametrize("name", SPACES)
def test_rates_of_coordinates_are_those_of_the_space(name):
    space = state_space(name).embedding
    rng = np.random.default_rng(3)
    x = space.retract(origin(space), rng.normal(size=space.dim))
    symbols = [sympy.Symbol(f"x{k}", real=True) for k in range(space.size)]
    N = sympy.Matrix(lift(space, symbols)).subs(dict(zip(symbols, x, strict=True)))
    assert_allclose(np.array(N, dtype=float), space.lift(x), atol=1e-14)
    assert isinstance(space, ProductSpace) == (name == "SO3xR")


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_free_body_moves_as_the_mechanism_does(group):
    body = rigid_body(2.0, (1.0, 2.0, 3.0), group=group)
    open_ports = {port: (f"body.{port}",) for port in body.outer}
    graph = vv.bond_graph(compose("flight", {"body": body}, open_ports))
    assert graph.domains[graph.bond("body.ke").name] == "spatial"
    assert graph.elements["body.pe"].kind == "C"
    start = {f"p_body.ke_{k + 1}": p for k, p in enumerate(START)}
    run = vv.simulate(graph, 1.0, 0.25, initial=start)
    m = vv.Mechanism("flight", gravity=(0, 0, -9.81))
    m.body("b", mass=2.0, inertia=(1.0, 2.0, 3.0), twist=np.array(START) / [1, 2, 3, 2, 2, 2])
    form = vv.analytical(m)
    reference = vv.simulate(form, 1.0, 0.25, integrator=vv.DOP853(tolerance=1e-11))
    pose = form.x(reference["q"][-1], reference["xi"][-1])[form.model.layout.x["b.q"]]
    found = np.array([run[f"q_body.pe_{k + 1}"][-1] for k in range(12)])
    assert_allclose(found, pose, atol=1e-7)
    assert np.ptp(run["energy"]) < 1e-7


def test_equations_are_those_of_euler():
    body = rigid_body(2.0, (1.0, 2.0, 3.0), gravity=(0, 0, 0))
    equations = vv.bond_graph(compose("body", {"b": body}, {"p": ("b.p",)})).equations()
    J2, J3, p1, p2, p3 = (sympy.Symbol(name, real=True) for name in
                              ("J2_b.ke", "J3_b.ke", "p_b.ke_1", "p_b.ke_2", "p_b.ke_3"))  # fmt: skip
    assert sympy.simplify(equations.rates[p1] - (p2 * p3 / J3 - p3 * p2 / J2)) == 0
    R = [[sympy.Symbol(f"q_b.pe_{4 + i + 3 * j}", real=True) for j in range(3)] for i in range(3)]
    assert sympy.simplify(equations.rates[R[0][0]] - (R[0][1] * p3 / J3 - R[0][2] * p2 / J2)) == 0


def test_attitude_with_a_potential():
    """A gyroscope on a pivot: V = w·R e3, so that the torque in its axes is -w' × e3 with w' = Rᵀw."""
    attitude, spin = Quantity("SO3", "attitude"), Quantity("so3*", "angular momentum")
    w = np.array([0.3, -0.2, 2.0])
    system = compose(
        "gyroscope",
        {
            "pe": storage({"q": attitude}, H=lambda x: w @ x.q.R[:, 2]),
            "ke": storage({"p": spin}, H=lambda x: (x.p[0] ** 2 + x.p[1] ** 2 / 2 + x.p[2] ** 2 / 3) / 2),
            "kin": reversible({"q": attitude, "p": spin}, J=np.block([[np.zeros((3, 3)), np.eye(3)],
                                                                    [-np.eye(3), np.zeros((3, 3))]])),
        },
        {"q": ("pe.q", "kin.q"), "p": ("ke.p", "kin.p")},
    )  # fmt: skip
    flow = vv.bond_graph(system).flow()
    R = vv.geometry.SO3.exp([0.4, -0.7, 0.2]).R
    states = {f"q_pe_{k + 1}": x for k, x in enumerate(R.T.ravel())}
    y = np.array([states.get(name, 0.0) for name in flow.plan.independent])
    rates = dict(zip(flow.plan.independent, flow.rates(0.0, np.zeros(0), y, np.zeros(1))[0], strict=True))
    torque = [rates[f"p_ke_{k + 1}"] for k in range(3)]
    assert_allclose(torque, -np.cross([0, 0, 1], R.T @ w), atol=1e-14)


def test_loop_with_a_motor_has_a_graph():
    """Joints that hold relative poses of all kinds: the graph is there to be read."""
    graph = vv.bond_graph(demo.motor_loop())
    spaces = {label: space_of(element) for label, element in graph.elements.items()}
    assert sum(space is not None for space in spaces.values()) >= 3
    assert "N f" in str(graph)
    with pytest.raises(vv.ModelError, match="inputs= are those of the ports of a Mechanism"):
        vv.bond_graph(demo.motor_loop(), inputs={"motor": 1.0})


def test_start_and_files():
    graph = vv.bond_graph(compose("body", {"b": rigid_body(2.0, (1.0, 2.0, 3.0))}, {"p": ("b.p",)}))
    assert [graph.initial[f"q_b.pe_{k + 1}"] for k in range(12)] == [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]
    assert "N f" in str(graph)
    with pytest.raises(vv.ModelError, match=r"C 'b.pe' of 'body' has a law that was made from a model"):
        graph.to_dict()
    plain = vv.BondGraph("g", {"F": vv.bonds.Se(1.0), "m": vv.bonds.I(2.0)}, ["F -> m"], initial={"p_m": 3.0})
    assert vv.BondGraph.from_dict(plain.to_dict()).flow().checked(None).xi == [3.0]
    with pytest.raises(vv.ModelError, match="has no 'p_n'"):
        vv.BondGraph("g", plain.elements, ["F -> m"], initial={"p_n": 3.0}).flow().checked(None)
