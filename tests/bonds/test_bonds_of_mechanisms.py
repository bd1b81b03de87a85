"""Bond graphs of mechanisms: their structure, moduli against the mechanism, and Kane's graphs of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo
from visviva.bonds.kane import FIGURES
from visviva.mechanism.port_values import relative_twist, twist_of, world_twist

FINE = vv.DOP853(tolerance=1e-11)


def arm(friction=0.05, rates=(0.7, -1.1)):
    m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
    upper = m.body("upper", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(0.5, 0, 0))
    lower = m.body("lower", mass=0.7, inertia=(0.1, 0.1, 0.2), at=(1.5, 0, 0.2))
    m.revolute("hip", m.ground, upper, at=(0, 0, 0), axis=(0, 1, 0), friction=friction, rate=rates[0])
    m.revolute("knee", upper, lower, at=(1, 0, 0), axis=(0, 1, 0), rate=rates[1])
    return m


def kinds(graph):
    return {label: element.shown for label, element in graph.elements.items()}


def test_bodies_joints_and_friction_have_their_elements():
    graph = vv.bond_graph(arm())
    assert kinds(graph) == {
        "upper": "1", "upper.M": "I", "upper.ad": "MGY", "upper.g": "MSe", "lower": "1", "lower.M": "I",
        "lower.ad": "MGY", "lower.g": "MSe", "hip.F": "0", "hip.child": "MTF", "hip.rate": "1", "hip.S": "MTF",
        "hip.friction": "R", "knee.F": "0", "knee.parent": "MTF", "knee.child": "MTF", "knee.rate": "1",
        "knee.S": "MTF",
    }  # fmt: skip
    assert {graph.widths[bond.name] for bond in graph.at("upper")} == {6}
    assert graph.widths[graph.bond("hip.S", "in").name] == 1
    assert graph.causality.derivative == ("upper.M", "lower.M")
    assert not graph.causality.loops


def at_start(graph):
    """The graph as it starts: what laws are there, by element."""
    flow = graph.flow()
    x = np.array([graph.initial.get(name, 0.0) for name in flow.laws.names])
    return lambda label, role="matrix": flow.laws.of(label, role).numbers(0.0, x)


def test_flows_of_the_graph_are_those_of_the_mechanism():
    """Rates of joints through S and the transformers give the twists of the bodies."""
    m = arm()
    motion = m.assemble()[0]
    modulus = at_start(vv.bond_graph(m))
    upper, lower = m.parts["upper"], m.parts["lower"]
    hip = modulus("hip.S") @ [0.7]
    assert_allclose(modulus("hip.child") @ hip, twist_of(upper, motion), atol=1e-12)
    knee = modulus("knee.parent") @ twist_of(upper, motion) + modulus("knee.S") @ [-1.1]
    assert_allclose(knee, world_twist(lower, motion), atol=1e-12)
    assert_allclose(modulus("knee.child") @ knee, twist_of(lower, motion), atol=1e-12)


def test_gyroscopic_matrix_and_weight():
    m = arm()
    motion = m.assemble()[0]
    graph = vv.bond_graph(m)
    law = at_start(graph)
    G, V = law("lower.ad"), twist_of(m.parts["lower"], motion)
    M = np.asarray(graph.elements["lower.M"].given)
    P = M @ V
    expected = np.concatenate([np.cross(V[:3], P[:3]) + np.cross(V[3:], P[3:]), np.cross(V[:3], P[3:])])
    assert_allclose(G @ V, expected, atol=1e-12)  # M V' + G V = F
    assert_allclose(V @ G @ V, 0.0, atol=1e-14)
    assert_allclose(law("lower.g", "output")[3:], [0, 0, -0.7 * 9.81], atol=1e-12)
    assert_allclose(law("lower.g", "energy"), 0.7 * 9.81 * 0.2, atol=1e-12)


def test_springs_motors_and_inputs():
    m = arm(friction=0.0)
    m.spring("s", m.ground, "lower", k=10.0, length=0.5, damping=0.1, at_a=(0, 0, 1), at_b=(1.5, 0, 0.2))
    m.torque("push", "hip")
    m.motor("drive", "knee", resistance=1.0, inductance=0.1, k=0.2)
    m.wrench("load", "lower")
    graph = vv.bond_graph(m)
    found = kinds(graph)
    assert [found[f"s{part}"] for part in ("", ".b", ".rate", ".C", ".R")] == ["0", "MTF", "1", "C", "R"]
    assert found["push"] == "Se"
    assert [found[f"drive{part}"] for part in ("", ".i", ".L", ".R", ".k")] == ["Se", "1", "I", "R", "GY"]
    assert [found["load"], found["load.axes"]] == ["Se", "MTF"]
    assert graph.widths[graph.bond("load").name] == 6
    assert graph.domains[graph.bond("drive.L").name] == "electric"
    motion = m.assemble()[0]
    law = at_start(vv.bond_graph(m, inputs={}))
    Y = law("s.b") @ twist_of(m.parts["lower"], motion)
    d = np.array([1.5, 0, 0.2]) - np.array([0, 0, 1])
    v = world_twist(m.parts["lower"], motion)
    assert_allclose(Y, [d @ (v[3:] + np.cross(v[:3], [1.5, 0, 0.2]))], atol=1e-12)  # of ½ d·d
    assert_allclose(relative_twist(m.parts["s"], motion), v)
    assert_allclose(law("s.R"), [[0.1 / (d @ d)]], rtol=1e-12)
    assert graph.initial["s.y"] == pytest.approx(d @ d / 2)
    assert_allclose(law("load.axes") @ np.concatenate([v[:3], v[3:] + np.cross(v[:3], [1.5, 0, 0.2])]),
                    twist_of(m.parts["lower"], motion), atol=1e-12)  # fmt: skip


def test_inputs_are_sources_without_a_law_or_functions_of_time():
    m = arm()
    m.torque("push", "hip")
    with pytest.raises(vv.ModelError, match="push of 'arm' are inputs without a law"):
        vv.bond_graph(m).flow()
    law = vv.bond_graph(m, inputs={"push": lambda t: 2.0 * t}).flow().laws.of("push", "output")
    assert_allclose(law.numbers(0.5, np.zeros(0)), [1.0])
    with pytest.raises(vv.ModelError, match="inputs name 'pull', but the ports of 'arm' are: push"):
        vv.bond_graph(m, inputs={"pull": 1.0})
    with pytest.raises(vv.ModelError, match="that depend on its state have no element in its graph"):
        vv.bond_graph(m, inputs={"push": lambda t, x: -x["upper.v"][1]})


def test_loops_close_by_wrenches():
    graph = vv.bond_graph(demo.four_bar())
    assert graph.elements["C"].free
    assert graph.widths[graph.at("C")[0].name] == 2  # three of five rows follow from the other hinges
    assert all(graph.causality.strokes[bond.name] != "C" for bond in graph.at("C"))
    rope = vv.Mechanism("rope", gravity=(0, 0, -9.81))
    tip = rope.particle("tip", mass=0.1, at=(1, 0, 0))
    rope.distance("rod", rope.ground, tip, at_a=(0, 0, 0), at_b=(1, 0, 0))
    graph = vv.bond_graph(rope)
    assert graph.widths[graph.bond("tip.m").name] == 3
    assert graph.causality.derivative == ("tip.m",)
    run = vv.simulate(graph, 0.5, 0.1)
    place = np.stack([run[f"tip.q[{k}]"] for k in range(3)], axis=-1)
    assert_allclose(np.linalg.norm(place - place[0] + [1, 0, 0], axis=1), 1.0, atol=1e-8)
    assert np.ptp(run["energy"]) < 1e-8


def test_efforts_of_closures_are_reactions():
    """Of a drive the torque that it gives, by the reactions of the minimal form; of a gear that of its teeth."""
    m = arm(rates=(None, None))
    m.drive("shake", "hip", rate=lambda t: np.cos(3.0 * t))
    m.gear("gear", "hip", "knee", ratio=-2.0)
    form = vv.analytical(m)
    reactions = form.reactions(*form.initial)
    graph = vv.bond_graph(m)
    assert kinds(graph)["shake.f"] == "Sf"
    assert kinds(graph)["gear.hip"] == kinds(graph)["gear.knee"] == "TF"
    flow = graph.flow()
    at = flow.evaluation(0.0, flow.checked(None).xi)
    for name in ("shake", "gear"):
        assert_allclose(at.value(("e", graph.at(name)[0].name)), reactions[name], rtol=1e-10)
    figure = vv.bond_graph(m, figure=4)
    flow = figure.flow()
    at = flow.evaluation(0.0, flow.checked(None).xi)
    for name in ("shake", "gear"):
        assert_allclose(at.value(("e", figure.at(f"e_{name}")[0].name)), reactions[name], rtol=1e-10)


def test_a_wrench_leaves_the_rows_of_its_body_alone():
    """A rod at a point off the centre of mass: its row has a moment, whatever acts on the body."""
    m = vv.Mechanism("kite", gravity=(0, 0, -9.81))
    turned = vv.geometry.SO3.exp([0.4, -0.2, 0.3])
    m.body("kite", mass=1.2, inertia=(0.15, 0.2, 0.11), at=(1, 0.3, 0.2), com=(0.02, -0.04, 0.05), rotation=turned)
    m.distance("string", m.ground, "kite", at_a=(0.7, 0.1, 0.1), at_b=(1, 0.4, 0.2))
    m.wrench("wind", "kite")
    inputs = {"wind": (0.3, -0.2, 0.1, 1.0, 2.0, -0.5)}
    form, flow = vv.analytical(m, inputs=inputs), vv.bond_graph(m, inputs=inputs).flow()
    q, _, s = form.initial
    q, xi, s = form.projected(0.0, q, np.arange(1.0, 7.0), s)
    states = dict(zip((*form.q_names, *form.xi_names), (*q, *xi), strict=True))
    y = np.array([states[name] for name in flow.plan.independent])
    found = dict(zip(flow.plan.independent, flow.rates(0.0, np.zeros(0), y, np.zeros(1))[0], strict=True))
    assert_allclose([found[name] for name in form.xi_names], form.rates(0.0, q, xi, s)[0], rtol=1e-10, atol=1e-10)


def test_heat_of_friction_warms_a_node():
    """One spinning body, friction to a node and on to the environment: in closed form for the spin."""
    m = vv.Mechanism("brake", gravity=(0, 0, 0), theta0=290.0)
    iron = m.thermal("iron", capacity=20.0, temperature=300.0, conductance_to_environment=0.5)
    disc = m.body("disc", mass=1.0, inertia=(1.0, 1.0, 2.0))
    m.revolute("axle", m.ground, disc, at=(0, 0, 0), axis=(0, 0, 1), rate=5.0, friction=0.4, heat_to=iron)
    graph = vv.bond_graph(m)
    assert kinds(graph)["axle.friction"] == "RS"
    assert kinds(graph)["iron.wall"] == "RS"
    run = vv.simulate(graph, 2.0, 0.5)
    assert_allclose(run["axle.rate"], 5.0 * np.exp(-0.2 * run.t), rtol=1e-8)
    B = 0.4 * 25 / (0.5 - 0.4 * 20)  # c θ' = d ω² - k (θ - θ0)
    theta = 290.0 + (10.0 - B) * np.exp(-0.5 / 20 * run.t) + B * np.exp(-0.4 * run.t)
    assert_allclose(300.0 * np.exp(run["iron.s"] / 20), theta, rtol=1e-8)
    assert_allclose(run["iron.e"], theta, rtol=1e-8)


@pytest.mark.parametrize("rate", [0.8, -0.3])
def test_stops_push_and_lose_energy_where_they_touch(rate):
    """Beyond the end of its range, going in and coming out."""
    m = arm(friction=0.0)
    m.stop("end", "knee", -0.5, 0.5, stiffness=200.0, damping=30.0)
    form = vv.analytical(m)
    q, xi = np.array([0.1, 0.53]), np.array([0.4, rate])
    flow = vv.bond_graph(m).flow()
    states = dict(zip((*form.q_names, *form.xi_names, "end.angle"), (*q, *xi, q[1]), strict=True))
    y = np.array([states[name] for name in flow.plan.independent])
    found = dict(zip(flow.plan.independent, flow.rates(0.0, np.zeros(0), y, np.zeros(1))[0], strict=True))
    xi_dot = form.rates(0.0, q, xi, np.zeros(0))[0]
    assert_allclose([found[name] for name in form.xi_names], xi_dot, rtol=1e-10)
    assert_allclose(flow.power(0.0, np.zeros(0), y, np.zeros(1)), form.power(0.0, q, xi, np.zeros(0)), rtol=1e-9)


def test_parts_that_only_the_ground_joins():
    m = vv.Mechanism("two", gravity=(0, 0, -9.81))
    for name, x in (("a", 0.0), ("b", 3.0)):
        m.body(name, mass=1.0, inertia=(1, 1, 1), at=(x + 1, 0, 0))
        m.revolute(f"hinge {name}", m.ground, name, at=(x, 0, 0), axis=(0, 1, 0))
    graph = vv.bond_graph(m)
    assert kinds(graph)["ground.f"] == "Sf"
    flow = graph.flow()
    found = dict(zip(flow.plan.independent, flow.rates(0.0, np.zeros(0), flow.checked(None).xi, np.zeros(1))[0],
                     strict=True))  # fmt: skip
    assert_allclose([found["hinge a.rate"], found["hinge b.rate"]], 9.81 / 2, rtol=1e-12)


def test_start_off_a_constraint_is_refused():
    m = arm(rates=(None, None))
    m.gear("gear", "hip", "knee", ratio=2.0)
    with pytest.raises(vv.ModelError, match="flows at 0-junction 'gear' of 'arm' do not balance at the start, by"):
        vv.simulate(vv.bond_graph(m), 0.1, 0.1, initial={"hip.rate": 1.0})


def test_singular_start_is_refused():
    """A parallelogram that is folded into a line."""
    m = vv.Mechanism("folded")
    for name, a, b in (("crank", 0.0, 1.0), ("coupler", 1.0, 3.0), ("rocker", 2.0, 3.0)):
        m.body(name, mass=1.0, inertia=(1, 1, 1), at=((a + b) / 2, 0, 0))
    ends = (("A", "ground", "crank", 0.0), ("B", "crank", "coupler", 1.0), ("C", "coupler", "rocker", 3.0))
    for name, parent, child, x in (*ends, ("D", "ground", "rocker", 2.0)):
        m.revolute(name, parent, child, at=(x, 0, 0), axis=(0, 1, 0))
    for figure in (None, 4):
        with pytest.raises(vv.ModelError, match="is at a singular configuration as assembled"):
            vv.bond_graph(m, figure=figure)


def test_refusals():
    driven = arm()
    driven.motor("drive", "knee", resistance=1.0, inductance=0.1, k=0.2)
    with pytest.raises(vv.ModelError, match=r"has states that are no motion, drive\.flux"):
        vv.bond_graph(driven, figure=4)
    with pytest.raises(vv.ModelError, match="has no bodies"):
        vv.bond_graph(vv.Mechanism("empty"))
    with pytest.raises(vv.ModelError, match=r"vv\.bond_graph\(m, inputs=\.\.\.\)"):
        vv.simulate(vv.bond_graph(arm()), 1.0, 0.1, inputs={"motor": 1.0})


@pytest.mark.parametrize("figure", FIGURES)
def test_kane_graphs_have_the_rates_of_the_mechanism(figure):
    m = arm()
    form = vv.analytical(m, "minimal")
    flow = vv.bond_graph(m, figure=figure).flow()
    q, xi = form.initial.q + np.array([0.2, -0.3]), np.array([0.7, -1.1])
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


@pytest.mark.parametrize("figure", [1, 4, *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 5))])
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


@pytest.mark.parametrize("conductance", [0.5, 0.0])
def test_a_thermal_node_that_nothing_heats_is_a_part_of_the_graph_by_itself(conductance):
    """The environment joins it with the others: it cools as it does in the mechanism."""
    m = arm()
    m.thermal("oil", capacity=2.0, temperature=350.0, conductance_to_environment=conductance)
    graph = vv.bond_graph(m)
    assert "ground" not in graph.elements
    assert str(graph.draw())
    s = vv.simulate(graph, 0.5, 0.05, integrator=FINE)["oil.s"][-1]
    expected = vv.simulate(vv.analytical(m), 0.5, 0.05, integrator=FINE)["oil.s"][-1]
    assert_allclose(s, expected, atol=1e-10)
    assert (s < -0.01) == bool(conductance)


def test_a_body_that_is_fixed_to_the_ground_is_held_by_it():
    """Its joint has no rate, so that the ground, which does not move, is the other end of its wrench."""
    m = vv.Mechanism("clamped", gravity=(0, 0, -9.81))
    m.body("frame", mass=1.0, inertia=(0.1, 0.2, 0.25), at=(0.5, 0, 0))
    m.fixed("clamp", "ground", "frame", at=(0, 0, 0))
    m.body("pendulum", mass=0.7, inertia=(0.1, 0.1, 0.15), at=(1.5, 0, 0.2))
    m.revolute("hinge", "frame", "pendulum", at=(1, 0, 0), axis=(0, 1, 0), rate=0.4)
    graph = vv.bond_graph(m)
    assert [bond.other("ground") for bond in graph.at("ground")] == ["ground.f", "clamp.F"]
    end = vv.simulate(graph, 0.5, 0.05, integrator=FINE)["hinge.q"][-1]
    assert_allclose(end, vv.simulate(vv.analytical(m), 0.5, 0.05, integrator=FINE)["hinge.q"][-1], atol=1e-9)


@pytest.mark.parametrize("figure", FIGURES)
def test_what_is_driven_needs_no_inertia_in_kanes_figures(figure):
    m = vv.Mechanism("quarter car", gravity=(0, 0, -9.81))
    road = m.body("road", massless=True, at=(0, 0, 0))
    car = m.body("car", mass=2.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, 1.0))
    m.prismatic("bump", m.ground, road, at=(0, 0, 0), axis=(0, 0, 1))
    m.prismatic("lift", road, car, at=(0, 0, 0.5), axis=(0, 0, 1))
    m.spring("k", road, car, k=200.0, length=1.1)
    m.drive("motor", "bump", rate=lambda t: 0.3 * np.cos(2 * t))
    form, graph = vv.analytical(m), vv.bond_graph(m, figure=figure)
    flow = graph.flow()
    force = flow.evaluation(0.0, flow.checked(None).xi).value(("e", graph.bond("f_motor").name))
    assert_allclose(force, form.reactions(*form.initial)["motor"], rtol=1e-10)
    run, reference = (vv.simulate(each, 0.3, 0.05, integrator=FINE) for each in (graph, form))
    assert_allclose(run["lift.q"][-1], reference["lift.q"][-1], rtol=0, atol=1e-12)
