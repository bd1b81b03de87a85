"""Bond graphs of systems of the language: what they look like, and that the way back gives the same motion."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.bonds.domains import domain_of
from visviva.language import Quantity, compose, reversible, storage
from visviva.library import electric, hydraulic, rotation, thermal, translation
from visviva.library.quantities import displacement, momentum

FINE = vv.DOP853(tolerance=1e-11)


def warm_oscillator():
    boxes = {
        "spring": translation.spring(1.5),
        "mass": translation.mass(1.0),
        "kin": translation.kinematic(),
        "d": translation.damper(0.2),
        "body": thermal.capacity(2.0),
        "wall": thermal.conduction(0.5),
        "env": thermal.environment(290.0),
    }
    junctions = {
        "q": ("spring.q", "kin.q"),
        "p": ("mass.p", "kin.p", "d.p"),
        "s": ("d.s", "body.s", "wall.s1"),
        "s_env": ("wall.s2", "env.s"),
    }
    return compose("warm", boxes, junctions), {"q": 1.0, "p": 0.0, "s": 0.1}


def lever():
    boxes = {
        "a": translation.mass(1.0),
        "b": translation.mass(2.0),
        "l": translation.lever(2.0),
        "s": translation.spring(3.0),
        "kin": translation.kinematic(),
    }
    junctions = {"pa": ("a.p", "l.a", "kin.p"), "pb": ("b.p", "l.b"), "q": ("s.q", "kin.q")}
    return compose("lever", boxes, junctions), {"pa": 0.0, "pb": 0.0, "q": 0.4}


def motor():
    boxes = {
        "L": electric.inductor(0.5),
        "bat": electric.voltage_source(2.0),
        "ser": electric.series(bat=-1),
        "R": electric.resistor(1.0),
        "m": electric.motor(0.3),
        "J": rotation.inertia(0.2),
        "env": thermal.environment(),
    }
    junctions = {
        "phi": ("L.phi", "ser.phi", "R.phi", "m.phi"),
        "qb": ("bat.q", "ser.bat"),
        "p": ("J.p", "m.p"),
        "s": ("R.s", "env.s"),
    }
    return compose("motor", boxes, junctions), {"phi": 0.0, "qb": 0.0, "p": 0.1}


def two_masses():
    boxes = {
        "a": translation.mass(1.0),
        "b": translation.mass(2.0),
        "s": translation.hard_spring(2.0, 5.0),
        "k": translation.kinematic(a=1, b=-1),
    }
    return compose("two", boxes, {"pa": ("a.p", "k.a"), "pb": ("b.p", "k.b"), "q": ("s.q", "k.q")}), {
        "pa": 1.0,
        "pb": 0.0,
        "q": 0.0,
    }


def nested():
    """A pendulum in a box, whose arm works a spring through a lever arm that depends on its angle."""
    arm = reversible(
        {"a": momentum, "b": displacement, "q": displacement.state},
        J=lambda x, l: [[0, -l * np.cos(x.q)], [l * np.cos(x.q), 0]],
        l=0.5,
    )
    inner = compose(
        "inner",
        {"mass": translation.mass(2.0), "held": translation.spring(1.0), "kin": translation.kinematic()},
        {"p": ("mass.p", "kin.p"), "q": ("held.q", "kin.q")},
        outer=("p", "q"),
    )
    junctions = {"p": ("inner.p", "arm.a"), "q": ("inner.q", "arm.q"), "y": ("k.q", "arm.b")}
    return compose("nested", {"inner": inner, "arm": arm, "k": translation.spring(4.0)}, junctions), {
        "p": 0.5,
        "q": 0.2,
        "y": 0.1,
    }


def tanks():
    boxes = {
        "t1": hydraulic.tank(0.1),
        "t2": hydraulic.tank(0.2),
        "pipe": hydraulic.inertance(1e6),
        "line": hydraulic.line(a=1, b=-1),
        "r": hydraulic.laminar(1e6),
        "env": thermal.environment(),
    }
    junctions = {
        "a": ("t1.V", "line.a"),
        "b": ("t2.V", "line.b"),
        "g": ("pipe.Gam", "line.Gam", "r.Gam"),
        "s": ("r.s", "env.s"),
    }
    return compose("tanks", boxes, junctions), {"a": 0.05, "b": 0.0, "g": 0.0}


def gyrators():
    """Three ports that one J couples, and one that a row of constraints ties to two others."""
    J = np.array([[0, 1.0, -2.0], [-1.0, 0, 0.5], [2.0, -0.5, 0]])
    boxes = {
        "a": translation.mass(1.0),
        "b": translation.mass(2.0),
        "c": translation.mass(3.0),
        "d": translation.mass(4.0),
        "G": reversible({"a": momentum, "b": momentum, "c": momentum}, J=J),
        "T": reversible({"a": momentum, "b": momentum, "d": momentum}, C=[[1.0, 2.0, -1.0]]),
    }
    junctions = {"a": ("a.p", "G.a", "T.a"), "b": ("b.p", "G.b", "T.b"), "c": ("c.p", "G.c"), "d": ("d.p", "T.d")}
    return compose("gyrators", boxes, junctions), {"a": 1.0, "b": 0.4, "c": -0.2, "d": 4 * (1.0 + 0.4)}


def relaxation():
    """A capacitor in a loop without a coil, and a conductor across it: currents follow from voltages."""
    boxes = {
        "C": electric.capacitor(0.2),
        "bat": electric.voltage_source(2.0),
        "ser": electric.series(bat=-1, c=1),
        "R": electric.resistor(3.0),
        "G": electric.conductor(0.5),
        "env": thermal.environment(),
    }
    junctions = {
        "q": ("C.q", "ser.c", "G.q"),
        "qb": ("bat.q", "ser.bat"),
        "phi": ("ser.phi", "R.phi"),
        "s": ("R.s", "G.s", "env.s"),
    }
    return compose("relaxation", boxes, junctions), {"q": 0.1, "qb": 0.0}


SYSTEMS = [relaxation, warm_oscillator, lever, motor, two_masses, nested, tanks, gyrators]


def state_names(system):
    flat = system.flatten()
    found = {}
    for name, junction in flat.junctions.items():
        for box, _ in junction.ends:
            if flat.boxes[box].kind == "storage":
                found[name] = ("p_" if domain_of(junction.quantity)[1] else "q_") + box
    return found


@pytest.mark.parametrize("make", SYSTEMS)
def test_way_there_and_back_is_the_same_motion(make):
    system, start = make()
    names = {junction: name.replace(".", "_") for junction, name in state_names(system).items()}
    back = vv.bond_graph(system).system()
    one = vv.simulate(system, 0.3, 0.01, initial=start)
    two = vv.simulate(back, 0.3, 0.01, initial={names[junction]: value for junction, value in start.items()})
    for junction, name in names.items():
        scale = max(1e-12, np.abs(one[junction]).max())
        assert_allclose(two[name], one[junction], rtol=0, atol=1e-10 * scale, err_msg=junction)
    assert_allclose(two["energy"] - two["energy"][0], one["energy"] - one["energy"][0], atol=1e-10 * one.energy_scale)


@pytest.mark.parametrize("make", SYSTEMS)
def test_graph_itself_has_this_motion(make):
    system, start = make()
    graph = vv.bond_graph(system)
    flow = graph.flow()
    names = state_names(system)
    first = {names[j]: v for j, v in start.items() if names[j] in flow.plan.independent}
    run = vv.simulate(flow, 0.3, 0.05, initial=first, integrator=FINE)
    reference = vv.simulate(system, 0.3, 0.005, initial=start, integrator=vv.EnergyCollocation())
    for junction, name in names.items():
        if name in run.names:
            scale = max(1e-12, np.abs(reference[junction]).max())
            assert_allclose(run[name][-1], reference[junction][-1, 0], rtol=0, atol=3e-7 * scale, err_msg=name)


def test_symplectic_gyrator_is_absorbed():
    graph = vv.bond_graph(warm_oscillator()[0])
    kinds = {label: element.kind for label, element in graph.elements.items()}
    assert kinds == {"mass": "I", "spring": "C", "d": "RS", "body": "C", "wall": "RS", "env": "Se", "p": "1", "s": "0"}
    ends = {(bond.tail, bond.head) for bond in graph.bonds}
    assert ("p", "spring") in ends
    assert ("p", "mass") in ends
    assert graph.domains[graph.bond("spring").name] == "translation"
    assert graph.domains[graph.bond("body").name] == "thermal"


def test_couplings_become_transformers_and_gyrators():
    kinds = {label: element.kind for label, element in vv.bond_graph(gyrators()[0]).elements.items()}
    assert [kinds[name] for name in ("G", "G_2", "G_3", "T_rows", "T")] == ["GY", "GY", "GY", "0", "TF"]
    graph = vv.bond_graph(motor()[0])
    assert graph.elements["m"].kind == "GY"
    assert graph.elements["m"].parameters == {"K": 0.3}
    assert graph.elements["bat"].kind == "Se"
    assert vv.bond_graph(lever()[0]).causality.derivative == ("b",)
    assert vv.bond_graph(nested()[0]).elements["arm"].shown == "MTF"


def test_outer_ports_are_sources():
    boxes = {"spring": translation.spring(1.5), "mass": translation.mass(1.0), "kin": translation.kinematic()}
    system = compose("osc", boxes, {"q": ("spring.q", "kin.q"), "p": ("mass.p", "kin.p")}, outer=("p",))
    graph = vv.bond_graph(system)
    assert graph.elements["u_p"].kind == "Se"

    def push(t):
        return np.sin(3 * t)

    one = vv.simulate(system, 1.0, 0.01, initial={"q": 1.0, "p": 0.0}, inputs={"p": push})
    two = vv.simulate(graph.system(), 1.0, 0.01, initial={"q_spring": 1.0}, inputs={"u_p": push})
    assert_allclose(two["p_mass"], one["p"], atol=1e-12)


def test_heat_goes_where_the_system_puts_it():
    system, start = warm_oscillator()
    graph = vv.bond_graph(system)
    assert graph.theta0 == 290.0
    run = vv.simulate(graph.flow(), 1.0, 0.05, initial={"q_spring": 1.0, "q_body": 0.1}, integrator=FINE)
    assert_allclose(run["body.e"], 300 * np.exp(run["q_body"] / 2.0), rtol=1e-12)
    assert start["s"] == 0.1


def test_row_over_one_port_is_a_source_that_holds_it():
    held = reversible({"p": momentum}, C=[[1.0]])
    system = compose("held", {"m": translation.mass(1.0), "h": held}, {"p": ("m.p", "h.p")})
    graph = vv.bond_graph(system)
    assert graph.elements["h"].kind == "Sf"
    assert graph.causality.derivative == ("m",)


def test_what_has_no_graph_says_so():
    mixed = reversible({"q": displacement, "p": momentum}, C=[[1.0, 2.0]])
    system = compose(
        "mixed",
        {"s": translation.spring(1.0), "m": translation.mass(1.0), "c": mixed},
        {"q": ("s.q", "c.q"), "p": ("m.p", "c.p")},
    )
    with pytest.raises(vv.ModelError, match="'c' ties momenta and displacements in one row"):
        vv.bond_graph(system)
    pose = Quantity("SE3", "pose")
    height = storage({"q": pose}, H=lambda x: 9.81 * x.q.r[2])
    lone = compose("lone", {"h": height, "f": reversible({"q": pose}, C=np.eye(6))}, {"q": ("h.q", "f.q")})
    with pytest.raises(vv.ModelError, match="derivative causality"):
        vv.bond_graph(lone).flow()
    with pytest.raises(vv.ModelError, match=r"takes a Composite, a Mechanism, a KaneSystem.* got int"):
        vv.bond_graph(3)
    with pytest.raises(vv.ModelError, match="is a composite; figures and forms are those of Kane's equations"):
        vv.bond_graph(system, figure=2)
