"""Lines, tanks and cylinders against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from physics_systems import line, press

import visviva as vv
from visviva.language import compose
from visviva.library import hydraulic, thermal


def test_flow_in_a_pipe_decays_as_hagen_and_poiseuille_say():
    R = hydraulic.poiseuille(eta=1e-3, length=2.0, radius=2e-3)
    assert pytest.approx(8e-3 * 2.0 / (np.pi * 1.6e-11)) == R
    L = 1000.0 * 2.0 / (np.pi * 4e-6)
    boxes = {"column": hydraulic.inertance(L), "friction": hydraulic.laminar(R), "env": thermal.environment()}
    system = compose("pipe", boxes, {"Gam": ("column.Gam", "friction.Gam"), "s": ("friction.s", "env.s")})
    run = vv.simulate(system, t_end=1.0, h=5e-3, initial={"Gam": 100.0})
    np.testing.assert_allclose(run["Gam"][:, 0], 100.0 * np.exp(-R / L * run.t), rtol=1e-4)


def test_turbulent_flow_decays_hyperbolically():
    """L Q̇ = -b Q² has Q = Q0/(1 + b Q0 t/L)."""
    boxes = {"column": hydraulic.inertance(2.0), "friction": hydraulic.turbulent(3.0), "env": thermal.environment()}
    system = compose("pipe", boxes, {"Gam": ("column.Gam", "friction.Gam"), "s": ("friction.s", "env.s")})
    for sign in (1, -1):
        run = vv.simulate(system, t_end=2.0, h=0.01, initial={"Gam": 2.0 * sign})
        np.testing.assert_allclose(run["Gam"][:, 0], sign * 2.0 / (1 + 1.5 * run.t), atol=1e-4)


def test_two_vessels_come_to_one_pressure():
    C = 1e-8
    run = vv.simulate(line(hydraulic.laminar(1e7), C=C), t_end=2.0, h=0.01, initial={"a": 3e-3, "b": 0.0, "Gam": 0.0})
    np.testing.assert_allclose(run["a"] + run["b"], 3e-3, rtol=1e-13)
    assert run["a"][-1, 0] / C == pytest.approx(run["b"][-1, 0] / (2 * C), rel=1e-3)


def test_a_tank_swings_with_the_column_below_it():
    """ω² = ρ g/(A L)."""
    A, L = 0.1, 1e5
    boxes = {"tank": hydraulic.tank(A), "column": hydraulic.inertance(L), "node": hydraulic.node()}
    system = compose("surge", boxes, {"V": ("tank.V", "node.V"), "Gam": ("column.Gam", "node.Gam")})
    run = vv.simulate(system, t_end=2.0, h=0.01, initial={"V": 0.01, "Gam": 0.0})
    np.testing.assert_allclose(run["V"][:, 0], 0.01 * np.cos(np.sqrt(9810.0 / (A * L)) * run.t), atol=1e-6)


def test_a_pump_of_constant_flow_fills_a_vessel():
    boxes = {"pump": hydraulic.flow_source(1e-4), "vessel": hydraulic.compliance(1e-8), "node": hydraulic.node()}
    system = compose("filling", boxes, {"Gam": ("pump.Gam", "node.Gam"), "V": ("vessel.V", "node.V")})
    run = vv.simulate(system, t_end=1.0, h=0.1, initial={"Gam": 0.0, "V": 0.0})
    np.testing.assert_allclose(run["V"][:, 0], 1e-4 * run.t, rtol=1e-12)
    np.testing.assert_allclose(run["energy.pump"], -run["energy.vessel"], atol=1e-12)


def test_a_press_lifts_at_the_speed_that_the_hose_allows():
    """v = (p - m g/A)/(R A): what the load leaves of the pressure drives the flow v A through the hose."""
    start = {"pump": 0.0, "V": 981.0 / 0.01 * 1e-9, "p": 0.0, "q": 0.0}
    run = vv.simulate(press(), t_end=1.0, h=0.02, initial=start)
    assert run.audit().ok
    v = (2e5 - 981.0 / 0.01) / (1e7 * 0.01)
    assert run["p"][-1, 0] / 100.0 == pytest.approx(v, rel=1e-3)
    assert run["energy.pump"][-1] == pytest.approx(2e5 * run["pump"][-1, 0], rel=1e-12)
