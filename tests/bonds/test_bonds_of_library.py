"""Every primitive system of the library as a bond graph and back: the same motion, energy and entropy."""

from __future__ import annotations

import numpy as np
import pytest
from library_systems import LIBRARY, two_gases
from numpy.testing import assert_allclose
from test_bonds_of_systems import state_names

import visviva as vv
from visviva.bonds import GY, BondGraph, C, R, Se, one, zero
from visviva.language import Quantity, compose, reversible, storage

QUICK = ("damped_stops", "stribeck", "gear", "cylinder", "current source", "conduction", "forced convection")
CASES = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow, id=name) for name in LIBRARY]


@pytest.mark.parametrize("name", CASES)
def test_way_there_and_back(name):
    system, start = LIBRARY[name]()
    names = state_names(system)
    one = vv.simulate(system, 0.2, 0.01, initial=start)
    two = vv.simulate(vv.bond_graph(system).system(), 0.2, 0.01, initial={names[j]: v for j, v in start.items()})
    for junction, state in names.items():
        assert_allclose(two[state], one[junction], rtol=0, atol=1e-12 * np.abs(one[junction]).max(), err_msg=state)
    assert_allclose(np.diff(two["energy"]), np.diff(one["energy"]), rtol=0, atol=1e-12 * one.energy_scale)
    assert_allclose(np.diff(two["entropy"]), np.diff(one["entropy"]), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_graph_itself_moves_like_that(name):
    system, start = LIBRARY[name]()
    names, flow = state_names(system), vv.bond_graph(system).flow()
    first = {names[j]: v for j, v in start.items() if names[j] in flow.plan.independent}
    run = vv.simulate(flow, 0.1, 0.05, initial=first, integrator=vv.DOP853(tolerance=1e-11))
    reference = vv.simulate(system, 0.1, 0.0025, initial=start, integrator=vv.EnergyCollocation())
    for junction, state in names.items():
        if state in run.names:
            scale = np.abs(reference[junction]).max()
            assert_allclose(run[state][-1], reference[junction][-1, 0], rtol=0, atol=1e-6 * scale, err_msg=state)


def test_gases_are_simulated_by_their_graph():
    """Their entropies meet at thermal 1-junctions, which the language has not: the graph moves as the model does."""
    system, start = two_gases()
    graph = vv.bond_graph(system)
    with pytest.raises(vv.ModelError, match=r"1-junction 'a.contact_rows' of 'two gases' has thermal bonds"):
        graph.system()
    first = {"p_piston": 0.0}
    for side in "ab":
        first |= {f"q_{side}.exergy_{k + 1}": value for k, value in enumerate(start[f"g{side}"])}
        first[f"q_{side}.entropy"] = start[f"{side}.entropy"]
    run = vv.simulate(graph, 0.05, 0.01, initial=first, integrator=vv.DOP853(tolerance=1e-11))
    reference = vv.simulate(system, 0.05, 0.0005, initial=start, integrator=vv.EnergyCollocation())
    assert_allclose(run["p_piston"][-1], reference["p"][-1, 0], rtol=1e-6)
    assert_allclose([run[f"q_a.exergy_{k}"][-1] for k in (1, 2)], reference["ga"][-1], rtol=1e-8)


def test_skew_matrix_of_one_port_is_a_gyrator_with_one_bond():
    """A charge in a magnetic field: ṗ = J v with J = B (0 1; -1 0), so the velocity turns by -B t/m."""
    velocity = Quantity("R2", "momentum")
    mass = storage({"p": velocity}, H=lambda x, m: (x.p[0] ** 2 + x.p[1] ** 2) / (2 * m), m=2.0)
    field = reversible({"p": velocity}, J=lambda B: np.array([[0, B], [-B, 0]]), B=3.0)
    system = compose("charge", {"m": mass, "B": field}, {"p": ("m.p", "B.p")})
    graph = vv.bond_graph(system)
    assert graph.elements["B"].kind == "GY"
    assert len(graph.at("B")) == 1
    run = vv.simulate(graph, 0.4, 0.1, initial={"p_m_1": 1.0}, integrator=vv.DOP853(tolerance=1e-11))
    assert_allclose([run["p_m_1"][-1], run["p_m_2"][-1]], [np.cos(0.6), -np.sin(0.6)], atol=1e-10)
    two = vv.simulate(graph.system(), 0.4, 0.01, initial={"p_m": [1.0, 0.0]})
    assert_allclose(two["p_m"][-1], [np.cos(0.6), -np.sin(0.6)], atol=1e-4)


def test_second_storage_at_a_junction_follows_the_first_in_a_system():
    elements = {"u": Se(1.0), "a": one(), "r": R(1.0), "z": zero(), "b": C(1.0), "c": C(2.0)}
    system = BondGraph("two", elements, ["u -> a -> r", "a -> z -> b", "z -> c"]).system()
    run = vv.simulate(system, 0.2, 0.02)
    assert run["q_b"][-1, 0] > 0.05
    assert_allclose(run["q_c"], 2 * run["q_b"], rtol=1e-10, atol=1e-12)


def test_gyrator_matrix_between_displacements_is_not_transposed():
    G = [[1.0, 0.5], [-0.3, 2.0]]
    elements = {"a": zero(), "c": C(np.eye(2)), "G": GY(G), "b": zero(), "d": C(2 * np.eye(2))}
    graph = BondGraph("g", elements, ["a -> c", "a -> G -> b", "b -> d"])
    end = vv.simulate(graph, 0.2, 0.1, initial={"q_c_1": 1.0, "q_d_2": 0.5}, integrator=vv.DOP853(tolerance=1e-11))
    start = {"q_c": [1.0, 0.0], "q_d": [0.0, 0.5]}
    run = vv.simulate(graph.system(), 0.2, 0.005, initial=start, integrator=vv.EnergyCollocation())
    for name in ("q_c", "q_d"):
        assert_allclose(run[name][-1], [end[f"{name}_1"][-1], end[f"{name}_2"][-1]], atol=1e-7)
