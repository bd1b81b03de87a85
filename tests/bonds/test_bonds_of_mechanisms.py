"""Bond graphs of mechanisms: their structure, moduli against the mechanism, and Kane's graphs of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.bonds.kane import FIGURES
from visviva.mechanism.port_values import relative_twist, twist_of, world_twist

FINE = vv.DOP853(tolerance=1e-11)


def arm(friction=0.05):
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    upper = m.body("upper", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(0.5, 0, 0))
    lower = m.body("lower", mass=0.7, inertia=(0.1, 0.1, 0.2), at=(1.5, 0, 0.2))
    m.revolute("hip", m.ground, upper, at=(0, 0, 0), axis=(0, 1, 0), friction=friction, rate=0.7)
    m.revolute("knee", upper, lower, at=(1, 0, 0), axis=(0, 1, 0), rate=-1.1)
    return m


def kinds(graph):
    return {label: element.shown for label, element in graph.elements.items()}


def test_bodies_joints_and_friction_have_their_elements():
    graph = vv.bond_graph(arm())
    assert kinds(graph) == {
        "upper": "1", "upper.M": "I", "upper.ad": "MGY", "upper.g": "MSe", "lower": "1", "lower.M": "I",
        "lower.ad": "MGY", "lower.g": "MSe", "hip.F": "0", "hip.child": "MTF", "hip.rate": "1", "hip.S": "MTF",
        "hip.friction": "R", "knee.F": "0", "knee.parent": "MTF", "knee.child": "MTF", "knee.rate": "1", "knee.S": "MTF",
    }  # fmt: skip
    assert {graph.widths[bond.name] for bond in graph.at("upper")} == {6}
    assert graph.widths[graph.bond("hip.S", "in").name] == 1
    assert graph.causality.derivative == ("upper.M", "lower.M")
    assert not graph.causality.loops


def test_flows_of_the_graph_are_those_of_the_mechanism():
    """Rates of joints through S and the transformers give the twists of the bodies."""
    m = arm()
    motion = m.assemble()[0]
    graph = vv.bond_graph(m)
    modulus = {label: np.asarray(e.given) for label, e in graph.elements.items() if e.kind == "TF"}
    upper, lower = m.parts["upper"], m.parts["lower"]
    hip = modulus["hip.S"] @ [0.7]
    assert_allclose(modulus["hip.child"] @ hip, twist_of(upper, motion), atol=1e-12)
    knee = modulus["knee.parent"] @ twist_of(upper, motion) + modulus["knee.S"] @ [-1.1]
    assert_allclose(knee, world_twist(lower, motion), atol=1e-12)
    assert_allclose(modulus["knee.child"] @ knee, twist_of(lower, motion), atol=1e-12)


def test_gyroscopic_matrix_and_weight():
    m = arm()
    motion = m.assemble()[0]
    graph = vv.bond_graph(m)
    G, V = np.asarray(graph.elements["lower.ad"].given), twist_of(m.parts["lower"], motion)
    M = np.asarray(graph.elements["lower.M"].given)
    P = M @ V
    expected = np.concatenate([np.cross(V[:3], P[:3]) + np.cross(V[3:], P[3:]), np.cross(V[:3], P[3:])])
    assert_allclose(G @ V, expected, atol=1e-12)  # M V' + G V = F
    assert_allclose(V @ G @ V, 0.0, atol=1e-14)
    assert_allclose(graph.elements["lower.g"].given[3:], [0, 0, -0.7 * 9.81], atol=1e-12)


def test_springs_motors_and_inputs():
    m = arm(friction=0.0)
    m.spring("s", m.ground, "lower", k=10.0, length=0.5, damping=0.1, at=((0, 0, 1), (1.5, 0, 0.2)))
    m.torque("push", "hip")
    m.motor("drive", "knee", resistance=1.0, inductance=0.1, k=0.2)
    m.wrench("load", "lower")
    graph = vv.bond_graph(m)
    found = kinds(graph)
    assert found["s"] == "0"
    assert found["s.U"] == "C"
    assert found["s.D"] == "R"
    assert found["push"] == "Se"
    assert [found[f"drive{part}"] for part in ("", ".i", ".L", ".R", ".k")] == ["Se", "1", "I", "R", "GY"]
    assert found["load"] == "Se"
    assert graph.widths[graph.bond("load").name] == 6
    assert graph.domains[graph.bond("drive.L").name] == "electric"
    motion = m.assemble()[0]
    Y = np.asarray(graph.elements["s.child"].given) @ twist_of(m.parts["lower"], motion)
    d = np.array([1.5, 0, 0.2]) - np.array([0, 0, 1])
    v = world_twist(m.parts["lower"], motion)
    assert_allclose(Y, [d @ (v[3:] + np.cross(v[:3], [1.5, 0, 0.2]))], atol=1e-12)  # of ½ d·d
    assert_allclose(relative_twist(m.parts["s"], motion), v)
    assert_allclose(graph.elements["s.D"].given, 0.1 / (d @ d), rtol=1e-12)


def test_loops_and_particles_impose_wrenches():
    m = arm()
    m.revolute("foot", "lower", m.ground, at=(2, 0, 0), axis=(0, 1, 0))
    graph = vv.bond_graph(m)
    assert graph.elements["foot.F"].free
    assert all(graph.causality.strokes[bond.name] != "foot.F" for bond in graph.at("foot.F"))
    rope = vv.Mechanism("rope", gravity=(0, 0, -9.81))
    tip = rope.particle("tip", mass=0.1, at=(1, 0, 0))
    rope.distance("rod", rope.ground, tip, at=((0, 0, 0), (1, 0, 0)))
    graph = vv.bond_graph(rope)
    assert graph.widths[graph.bond("tip.m").name] == 3
    assert graph.causality.derivative == ()


def test_snapshot_is_read_and_not_simulated():
    with pytest.raises(vv.ModelError, match=r"is known at one configuration only: the graph can be read"):
        vv.bond_graph(arm()).flow()


def test_refusals():
    m = arm()
    m.gear("g", "hip", "knee", ratio=2.0)
    with pytest.raises(vv.ModelError, match="constraints beyond its joints: gear 'g'"):
        vv.bond_graph(m)
    with pytest.raises(vv.ModelError, match=r"constraints that its joint velocities do not satisfy .*'g"):
        vv.bond_graph(m, figure=4)
    warm = arm()
    warm.thermal("iron", capacity=10.0)
    with pytest.raises(vv.ModelError, match="thermal node 'iron'|'iron' of mechanism"):
        vv.bond_graph(warm)
    driven = arm()
    driven.motor("drive", "knee", resistance=1.0, inductance=0.1, k=0.2)
    with pytest.raises(vv.ModelError, match="has states that are no motion"):
        vv.bond_graph(driven, figure=4)
    with pytest.raises(vv.ModelError, match="has no bodies"):
        vv.bond_graph(vv.Mechanism("empty"))


@pytest.mark.parametrize("figure", FIGURES)
def test_kane_graphs_have_the_rates_of_the_mechanism(figure):
    m = arm()
    form = vv.analytical(m, "minimal")
    flow = vv.bond_graph(m, figure=figure).flow()
    q, xi = form.initial.q + [0.2, -0.3], np.array([0.7, -1.1])
    momentum = figure in (3, 4)
    first = np.concatenate([q, form.mass_matrix(q) @ xi if momentum else xi])
    found = flow.rates(0.0, np.zeros(0), first, np.zeros(1))[0]
    xi_dot = form.accelerations(q, xi)
    assert_allclose(found[:2], xi, rtol=1e-12)
    if momentum:
        step = 1e-6
        ahead, back = (form.mass_matrix(q + s * xi) for s in (step, -step))
        expected = form.mass_matrix(q) @ xi_dot + (ahead - back) @ xi / (2 * step)
        assert_allclose(found[2:], expected, rtol=1e-7)
    else:
        assert_allclose(found[2:], xi_dot, rtol=1e-10)


@pytest.mark.parametrize("figure", [1, 2, 4, 5])
def test_free_body_spins_as_the_mechanism_does(figure):
    """Quaternions in q: the graph integrates q̇ = Q ξ as it stands."""
    m = vv.Mechanism("free")
    body = m.body("body", mass=2.0, inertia=(1.0, 2.0, 3.0), twist=(0.1, 2.0, 0.2, 0.3, 0.0, 0.1))
    m.free("six", m.ground, body)
    form = vv.analytical(m, "kane-velocity")
    start = form.initial
    graph = vv.bond_graph(m, figure=figure)
    flow = graph.flow()
    y = form.mass_matrix(start.q) @ start.xi if figure == 4 else start.xi
    values = dict(zip(flow.plan.independent, np.concatenate([start.q, y]), strict=True))
    run = vv.simulate(flow, 0.5, 0.25, initial=values)
    reference = vv.simulate(form, 0.5, 0.25, integrator=FINE)
    assert_allclose(run["xi.f"][-1], reference["xi"][-1], atol=1e-8)
    assert not vv.bond_graph(m, figure=2).laws.states[0].names == ()


@pytest.mark.slow
@pytest.mark.parametrize("figure", FIGURES)
def test_arm_moves_as_the_mechanism_does(figure):
    m = arm()
    form = vv.analytical(m, "minimal")
    flow = vv.bond_graph(m, figure=figure).flow()
    start = form.initial
    y = form.mass_matrix(start.q) @ start.xi if figure in (3, 4) else start.xi
    values = dict(zip(flow.plan.independent, np.concatenate([start.q, y]), strict=True))
    run = vv.simulate(flow, 1.0, 0.25, initial=values)
    reference = vv.simulate(form, 1.0, 0.25, integrator=FINE)
    assert_allclose(run["xi.f"][-1], reference["xi"][-1], atol=1e-7)
