"""Audits of flows: balances measured by the quadrature of the steps, constraints, and nothing that was not measured."""

from __future__ import annotations

import numpy as np
import pytest
from kane_systems import disc, driven_pendulum, shaken_pendulum, sleigh
from numpy.testing import assert_allclose

import visviva as vv
from visviva import demo
from visviva.forms import coordinates
from visviva.forms.flows import account
from visviva.forms.hamiltonian.port_hamiltonian import PortHamiltonian

EXACT = vv.BalancedGauss8()


@pytest.mark.parametrize("form", ["velocity", "momentum"])
@pytest.mark.parametrize(
    ("make", "start"),
    [
        (sleigh, ([0, 0, 0], [2.0, 1.0])),
        (disc, ([1.2, 0.3, 0, 0.1], [0.4, 0.5, -3.0])),
        (driven_pendulum, ([0.0, 0.4], [0.2])),
        (shaken_pendulum, ([0.4], [0.2])),
    ],
)
def test_balance_of_kanes_equations_closes(make, start, form):
    found = vv.simulate(make().form(form), 0.5, 0.02, initial=start, integrator=EXACT).audit()
    assert found.exact
    assert found.ok
    assert found.roundings < 64
    assert found.first_law < 1e-13
    assert sum(part.energy_in for part in found.components.values()) == pytest.approx(0.0, abs=1e-12 * found.unit)


def test_a_power_that_is_wrong_is_found():
    right, wrong = (
        vv.HandFlow(
            lambda t, q, xi: -4 * q - 0.2 * xi,
            n=1,
            energy=lambda q, xi: float(2 * q @ q + xi @ xi / 2),
            power=lambda t, q, xi, d=d: float(-d * xi @ xi),
        )
        for d in (0.2, 0.1)
    )
    audits = [vv.simulate(flow, 5.0, 0.05, initial=([1.0], [0.0])).audit() for flow in (right, wrong)]
    assert audits[0].drift < 1e-11
    assert audits[1].drift > 1e-2
    assert "keeps energy to its accuracy only" in str(audits[1])


def test_work_is_that_of_the_motion():
    run = vv.simulate(driven_pendulum().form(), 0.5, 0.02, initial=([0.0, 0.4], [0.2]))
    found = run.audit()
    assert_allclose(found.components["stored"].stored, run["energy"][-1] - run["energy"][0], rtol=1e-9)
    assert_allclose(-found.components["supplied"].energy_in, run["energy"][-1] - run["energy"][0], rtol=1e-8)


def test_nothing_is_zero_that_was_not_measured():
    found = vv.simulate(vv.HandFlow(lambda t, q, xi: -q, n=1), 1.0, 0.1, initial=([1.0], [0.0])).audit()
    assert found.first_law is None
    assert found.drift is None
    assert found.second_law is None
    assert found.components == {}
    assert "energy was not measured: the flow has no energy" in str(found)
    still = vv.simulate(sleigh().form(), 0.0, 0.1, initial=([0, 0, 0], [2.0, 1.0])).audit()
    assert still.vacuous["first_law"] == "no step was made"


def test_constraints_are_measured():
    p = coordinates.joined({("ground", "body"): coordinates.spherical("turn")})
    system = vv.RigidSystem(p, bodies={"body": vv.forms.Moments.from_parts(1.0, (0, 0, 0.3), (0.4, 0.3, 0.2))})
    found = vv.simulate(system, 0.5, 0.05, initial=(p.q0, [1.0, 2.0, 0.5])).audit()
    assert 0 <= found.g < 1e-13
    assert "g" not in found.vacuous
    loop = vv.simulate(vv.analytical(demo.four_bar()), 0.05, 0.01).audit()
    assert 0 < loop.g < 1e-9
    assert loop.g_v < 1e-9
    graph = vv.simulate(vv.bond_graph(demo.four_bar(), figure=4), 0.05, 0.01).audit()
    assert 0 < graph.g_v < 1e-6
    assert graph.g is None
    assert graph.unmeasured["g"] == "all rows are on velocities, and know no positions"


def test_long_runs_settle_their_account_on_the_way(monkeypatch):
    whole = vv.simulate(sleigh().form(), 1.0, 0.01, initial=([0, 0, 0], [2.0, 1.0]), integrator=vv.RK4())
    monkeypatch.setattr(account, "WAITING", 7)
    parts = vv.simulate(sleigh().form(), 1.0, 0.01, initial=([0, 0, 0], [2.0, 1.0]), integrator=vv.RK4())
    one, other = whole.audit(), parts.audit()
    assert (one.steps, one.first_law, one.drift) == (other.steps, other.first_law, other.drift)
    assert one.steps == 100
    assert np.isclose(one.drift, other.drift)


def hamiltonian(zero):
    return PortHamiltonian(
        ("q", "p"),
        lambda x: x.q**2 / 2 + x.p**2 / 2 + x.q**4 + zero,
        [[0, 1], [-1, 0]],
        R=[[0, 0], [0, 0.1]],
        G=np.zeros((2, 0)),
    )


def by_hand(zero):
    return vv.HandFlow(lambda t, q, xi: -4 * q, n=1, energy=lambda q, xi: float(2 * q @ q + xi @ xi / 2) + zero)


RUNS = {
    "port-Hamiltonian": (lambda zero: hamiltonian(zero), {"q": 1.0, "p": 0.0}),
    "bond graph": (lambda zero: vv.bond_graph(hamiltonian(zero)), {"q": 1.0, "p": 0.0}),
    "Kane": (
        lambda zero: vv.kane(
            "oscillator",
            q="x",
            bodies={"b": vv.KaneBody(mass=2.0, v=lambda xi: [xi.x_dot, 0])},
            V=lambda q: q.x**2 + zero,
        ),
        ([1.0], [0.0]),
    ),
    "by hand": (by_hand, ([1.0], [0.0])),
}


@pytest.mark.parametrize("name", RUNS)
def test_figures_do_not_depend_on_where_energies_count_from(name):
    make, start = RUNS[name]
    one, other = (vv.simulate(make(zero), 2.0, 0.1, initial=start, integrator=vv.RK4()).audit() for zero in (0.0, 1e5))
    assert one.first_law > 1e-9
    for figure in ("energy_scale", "unit", "first_law", "drift"):
        assert_allclose(getattr(other, figure), getattr(one, figure), rtol=1e-3, atol=1e-13)


def test_scale_of_states_that_exchange_energy_is_what_they_exchange():
    system = PortHamiltonian(("q", "p"), lambda x: x.q**2 / 2 + x.p**2 / 2 + 1e3, [[0, 1], [-1, 0]])
    found = vv.simulate(system, 7.0, 0.05, initial=[2.0, 0.0], integrator=vv.DOP853(tolerance=1e-12)).audit()
    assert_allclose(found.energy_scale, 4.0, rtol=2e-3)  # 2 J from q to p


def test_what_a_flow_by_hand_does_not_tell_is_not_measured():
    found = vv.simulate(by_hand(0.0), 1.0, 0.1, initial=([1.0], [0.0])).audit()
    assert found.g is None
    assert found.g_v is None
    assert found.unmeasured["g"] == "the flow does not tell its constraints"
    assert set(found.components) == {"stored"}
    assert "power" in found.unmeasured["supplied"]
    assert any(line.startswith("supplied") and "not measured" in line for line in str(found).splitlines())


def test_rates_of_rolling_are_measured_by_the_speed_of_the_motion():
    found = vv.simulate(vv.analytical(demo.rolling_disc()), 0.05, 0.005).audit()
    assert found.g_v < 1e-12
