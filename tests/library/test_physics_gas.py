"""Ideal gases: equation of state, adiabates, equilibrium behind a piston."""

from __future__ import annotations

import numpy as np
import pytest
from physics_systems import AIR, GASES, STICKY, spring_of_gas, two_gases

import visviva as vv
from visviva.language import compose
from visviva.library import gas, thermal


def test_the_efforts_of_a_gas_are_its_temperature_and_pressure():
    x = np.array([AIR.entropy(400.0, 0.02), 0.02])
    assert AIR.temperature(x) == pytest.approx(400.0, rel=1e-13)
    assert AIR.pressure(x) == pytest.approx(gas.R * 400.0 / 0.02, rel=1e-13)
    system = compose("vessel", {"air": AIR.system()}, {"gas": ("air.gas",), "s": ("air.s",)})
    model = vv.compile(system)
    effort = model.storages[0].dH(x)
    np.testing.assert_allclose(effort, [400.0 - model.theta0, -AIR.pressure(x)], rtol=1e-12)


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # long steps
@pytest.mark.parametrize("h", [0.1, 0.01, 0.001])
def test_without_heat_the_pressure_follows_the_adiabate_at_any_step(h):
    """p V^γ is constant, not only as h -> 0: the entropy stays, and U(s, V) is what is stored."""
    start = AIR.initial("air", "gas", 300.0, 0.02) | {"p": 0.0, "q": 0.0}
    run = vv.simulate(spring_of_gas(), t_end=30 * h, h=h, initial=start)
    V = run["gas"][:, 1]
    invariant = AIR.pressure(run["gas"]) * V**AIR.gamma
    np.testing.assert_allclose(invariant, invariant[0], rtol=1e-12)
    np.testing.assert_allclose(V - 0.02, 0.01 * run["q"][:, 0], atol=1e-15)
    assert np.ptp(V) > 1e-4 * h  # it moved


def test_the_energies_of_both_boxes_are_the_internal_energy():
    run = vv.simulate(two_gases(), t_end=0.1, h=0.01, initial=GASES)
    for box, junction in (("a", "ga"), ("b", "gb")):
        U = AIR.n * AIR.c_v * AIR.temperature(run[junction])
        np.testing.assert_allclose(run[f"energy.{box}.exergy"] + run[f"energy.{box}.entropy"], U, rtol=1e-12)
        np.testing.assert_allclose(run[junction][:, 0], run[f"{box}.entropy"][:, 0], atol=1e-12)


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # long steps
def test_two_equal_gases_share_the_volume_and_the_energy_in_the_end():
    run = vv.simulate(two_gases(k=100.0), t_end=10.0, h=0.05, initial=GASES)
    assert run.audit().ok
    final = (320.0 + 290.0) / 2
    assert AIR.temperature(run["ga"])[-1] == pytest.approx(final, abs=0.1)
    assert AIR.temperature(run["gb"])[-1] == pytest.approx(final, abs=0.1)
    np.testing.assert_allclose(run["ga"][-1, 1], 0.025, atol=1e-5)
    np.testing.assert_allclose(run["ga"][:, 1] + run["gb"][:, 1], 0.05, rtol=1e-14)


def test_dry_friction_of_a_piston_makes_entropy_in_every_step():
    run = vv.simulate(two_gases(STICKY), t_end=0.2, h=5e-3, initial=GASES)
    assert run.audit().ok
    assert np.diff(run["a.entropy"][:, 0] + run["b.entropy"][:, 0]).min() > 0


def test_a_gas_heats_through_its_wall():
    """At constant volume the gas is a body of capacity n c_v."""
    boxes = {"air": AIR.system(), "wall": thermal.conduction(10.0), "env": thermal.environment()}
    system = compose("oven", boxes, {"gas": ("air.gas",), "s": ("air.s", "wall.s1"), "s_env": ("wall.s2", "env.s")})
    run = vv.simulate(system, t_end=4.0, h=0.05, initial=AIR.initial("air", "gas", 400.0, 0.02))
    exact = 300.0 + 100.0 * np.exp(-10.0 / (AIR.n * AIR.c_v) * run.t)
    np.testing.assert_allclose(AIR.temperature(run["gas"]), exact, atol=0.01)
    assert AIR.gamma == pytest.approx(1.4)
