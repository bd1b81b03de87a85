"""Reports of what is no mechanism: rigid systems, bond graphs, flows, Kane's systems; and equilibria of mechanisms."""

from __future__ import annotations

import re

import numpy as np
import pytest
from kane_systems import SYSTEMS
from latex_syntax import check_document
from messages import says
from rigid_models import hinge_chain
from symbolic_models import double_pendulum

import visviva as vv
from visviva import bonds, demo
from visviva.errors import ModelError
from visviva.forms.minimal.form import MinimalForm
from visviva.reports.resting import stationary


def words(report):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", report.html))


def table(report, caption):
    tables = [block for section in report.sections for block in section.blocks if hasattr(block, "rows")]
    return next(one for one in tables if one.caption.startswith(caption))


# -- other models ------------------------------------------------------------------------------------------------------


def test_a_rigid_system():
    system = hinge_chain([1.0, 0.8])
    report = vv.report(system, "lagrange")
    assert [section.title for section in report.sections] == [
        "System", "Parameters", "Coordinates and velocities", "Equations of motion", "Energies",
        "Small motions about the start",
    ]  # fmt: skip
    assert "rod1" in words(report)
    check_document(report.latex)
    with pytest.raises(ModelError, match=says("a RigidSystem has no director form")):
        vv.report(system, "directors")


def test_a_bond_graph():
    graph = vv.BondGraph(
        "oscillator",
        {"F": bonds.Se(1.0), "v": bonds.one(), "m": bonds.I(2.0), "k": bonds.C(0.1), "d": bonds.R(0.3)},
        ["F -> v -> m", "v -> k", "v -> d"],
        domain="translation",
    )
    report = vv.report(graph)
    check_document(report.latex)
    assert report.html.count("<svg") == 1
    assert table(report, "Elements").rows[1] == ("v", "1", "F, m, k, d")
    assert table(report, "Bonds").rows[1] == ("2", "v", "m", "m")
    assert r"\dot{p_{m}} &= " in report.latex
    resistors = {"F": bonds.Se(1.0), "d": bonds.R(0.3)}
    assert "Nothing stores energy" in words(vv.report(vv.BondGraph("none", resistors, ["F -> d"], domain="electric")))


def test_a_flow_of_functions():
    flow = vv.HandFlow(
        lambda t, q, xi: [-np.sin(q[0]) - 0.1 * xi[0]],
        1,
        energy=lambda q, xi: xi[0] ** 2 / 2 - np.cos(q[0]),
        names=("theta", "omega"),
        name="pendulum",
    )
    report = vv.report(flow)
    check_document(report.latex)
    assert r"\dot{\omega} &= - \sin \theta - 0.1 \omega" in report.latex
    assert r"H &= \frac{1}{2} \omega^{2} - \cos \theta" in report.latex
    warm = vv.HandFlow(lambda t, q, xi, s: ([s[0] * q[0]], [xi[0] ** 2]), 1, extra=1)
    assert r"\dot{s}_{1} &= \xi_{1}^{2}" in vv.report(warm).latex
    switch = vv.HandFlow(lambda t, q, xi: [-1.0 if q[0] > 0 else 1.0], 1)
    assert "known as numbers only" in words(vv.report(switch))
    short = vv.HandFlow(lambda t, q, xi: [q[0]], 2)
    with pytest.raises(ModelError, match=says("must be 2 numbers, got 1")):
        vv.report(short)


def test_kanes_systems():
    system = next(iter(SYSTEMS.values()))()
    report = vv.report(system)
    check_document(report.latex)
    assert report.sections[0].title == "Equations"


def test_forms_and_models_of_a_mechanism_are_the_mechanism():
    from test_report import oscillator

    m = double_pendulum()
    for other in (vv.analytical(m), vv.compile(m)):
        assert vv.report(other).title == "double pendulum"
    assert len(vv.symbols(vv.analytical(m)).q) == 2
    with pytest.raises(ModelError, match=says("cannot read a Model of a system of the language: give the system")):
        vv.report(vv.compile(oscillator()))


# -- equilibria --------------------------------------------------------------------------------------------------------


def test_a_double_pendulum_has_four_equilibria():
    found = table(vv.report(double_pendulum()), "Equilibria").rows
    g, m1, m2, l, a, b = 9.81, 1.0, 0.7, 1.0, 0.5, 0.375
    energies = sorted(-g * ((m1 * a + m2 * l) * up + m2 * b * down) for up in (1, -1) for down in (1, -1))
    assert [float(row[2]) for row in found] == pytest.approx(energies, rel=1e-5)
    assert [row[3] for row in found] == ["stable", "unstable", "unstable", "unstable"]


def test_a_loop_has_those_of_all_its_branches():
    """Both ways of assembling a four-bar, each with a lowest and a highest place of its weights."""
    found = table(vv.report(demo.four_bar()), "Equilibria").rows
    assert sorted(row[-2] for row in found) == ["stable", "stable", "unstable", "unstable"]
    form = MinimalForm(demo.four_bar())
    for q in stationary(form):
        point = form.at(q, np.zeros(3))
        f, Z = form.forces(q, np.zeros(3)), point.Z
        assert np.abs(f - Z.T @ np.linalg.lstsq(Z.T, f, rcond=None)[0]).max() < 1e-6
        assert np.abs(form.open.g(point.x)).max() < 1e-8


def turntable(gravity):
    m = vv.Mechanism("turntable", gravity=(0, 0, -gravity))
    m.body("table", mass=1, inertia=(1, 1, 1))
    m.revolute("post", m.ground, "table", axis=(0, 0, 1), at=(0, 0, 0))
    m.body("bob", mass=1, inertia=(0.1, 0.1, 0.1), at=(1, 0, 0))
    m.revolute("pin", "table", "bob", at=(0.5, 0, 0), axis=(0, 1, 0))
    return m


@pytest.mark.parametrize("gravity", [0.0, 9.81])
def test_places_that_are_not_alone_are_not_listed(gravity):
    """About a vertical axis every angle is as good as any other."""
    assert len(stationary(MinimalForm(turntable(gravity)))) == 0
    assert len(table(vv.report(turntable(gravity)), "Equilibria").rows) == 1


def test_what_cannot_move_says_so():
    m = vv.Mechanism("stiff")
    m.body("b", mass=1, inertia=(1, 1, 1))
    m.fixed("weld", m.ground, "b")
    report = vv.report(m)
    assert "Nothing can move." in words(report)
    check_document(report.latex)
    e = vv.symbols(m)
    assert e.accelerations([], []).shape == (0,)
    assert [part.shape for part in e.function()([], [])] == [(0, 0), (0,), (0,), (0, 0), (0,)]


# -- units -------------------------------------------------------------------------------------------------------------


def test_everything_has_a_unit():
    from feature_mechanisms import FEATURES

    own = {"springs_along_lines", "torsions", "potential_of_a_hinge", "pose_spring", "warm_law_of_friction"}
    for name in ("gears_and_racks", "motors", "stops", "laws_of_friction", "bushing", "ports", "couplers"):
        e = vv.symbols(FEATURES[name]())
        bare = [str(symbol) for symbol in (*e.values, *e.q, *e.xi, *e.s, *e.u) if not e.units[symbol]]
        assert not bare or name in own, (name, bare)


def test_units_are_those_of_mechanics():
    from feature_mechanisms import FEATURES

    def units(name):
        e = vv.symbols(FEATURES[name]())
        return {str(symbol): unit for symbol, unit in e.units.items()}

    found = units("bushing")
    assert (found["K00_rubber"], found["K03_rubber"], found["K33_rubber"]) == ("N m", "N", "N/m")
    found = units("gears_and_racks")
    assert (found["i_gear"], found["i_rack"]) == ("1", "m/rad")
    found = units("motors")
    assert (found["psi_motor"], found["S_winding"], found["u_motor"]) == ("V s", "J/K", "V")
    found = units("ports")
    assert (found["u_load_1"], found["u_load_4"], found["u_push"], found["u_twist"]) == ("N m", "N", "N", "N m")
    found = units("drives_by_numbers")
    assert (found["sigmadot_turn"], found["sigmadotdot_turn"]) == ("rad/s", "rad/s²")
    found = units("stops")
    assert found["beta_wrist.stop"] == "s/rad"
