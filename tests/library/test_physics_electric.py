"""Circuits and machines against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from physics_systems import charging, leaking, motor, rlc

import visviva as vv
from visviva.language import compose
from visviva.library import electric, thermal


def test_a_capacitor_discharges_through_a_resistor():
    run = vv.simulate(leaking(electric.conductor(0.01)), t_end=0.2, h=1e-3, initial={"q": 1e-3})
    np.testing.assert_allclose(run["q"][:, 0], 1e-3 * np.exp(-run.t / 0.1), atol=1e-8)


def test_a_battery_gives_twice_what_the_capacitor_takes():
    """q = C U (1 - exp(-t/RC)); of U q drawn, half is stored in the end and half is heat."""
    run = vv.simulate(charging(), t_end=2.0, h=5e-3, initial={"drawn": 0.0, "q": 0.0})
    np.testing.assert_allclose(run["q"][:, 0], 5e-3 * (1 - np.exp(-run.t / 0.1)), atol=1e-5)
    np.testing.assert_allclose(run["drawn"], -run["q"], atol=1e-15)
    assert run["energy.cap"][-1] == pytest.approx(0.0125, rel=1e-6)
    assert 300.0 * run["s"][-1, 0] == pytest.approx(0.0125, rel=1e-6)


def test_a_series_circuit_rings_and_warms():
    """q̈ + (R/L) q̇ + q/(L C) = 0; all that was stored heats the body in the end."""
    R, L, C = 2.0, 0.5, 0.1
    run = vv.simulate(rlc(R, L, C), t_end=2.0, h=4e-3, initial={"phi": 0.0, "q": 0.5, "s": 0.0})
    a, w = R / (2 * L), np.sqrt(1 / (L * C) - (R / (2 * L)) ** 2)
    exact = 0.5 * np.exp(-a * run.t) * (np.cos(w * run.t) + a / w * np.sin(w * run.t))
    np.testing.assert_allclose(run["q"][:, 0], exact, atol=1e-4)
    stored = run["energy.coil"] + run["energy.cap"]
    warmed = thermal.temperature(run["s"][:, 0], 4.0) - 300.0
    np.testing.assert_allclose(4.0 * warmed, stored[0] - stored, atol=1e-10)


def test_a_nonlinear_capacitor_keeps_its_energy_in_a_loop():
    boxes = {"coil": electric.inductor(0.5), "cap": electric.nonlinear_capacitor(0.1, 50.0), "loop": electric.series()}
    system = compose("lc", boxes, {"phi": ("coil.phi", "loop.phi"), "q": ("cap.q", "loop.q")})
    run = vv.simulate(system, t_end=1.0, h=5e-3, initial={"phi": 0.0, "q": 0.5})
    energy = 0.5**2 / 0.2 + 50 * 0.5**4 / 4
    assert np.abs(run["phi"]).max() == pytest.approx(np.sqrt(energy), rel=1e-3)  # φ²/(2L) with L = 1/2


def test_a_diode_lets_a_capacitor_down():
    """C u̇ = -i_s (exp(u/v_T) - 1) has the solution y = 1 - (1 - y0) exp(-t/τ), y = exp(-u/v_T), τ = C v_T/i_s."""
    i_s, v_T, C = 1e-6, 0.025, 1e-3
    for u0 in (0.05, -0.2):
        run = vv.simulate(leaking(electric.diode(i_s, v_T), C), t_end=50.0, h=0.25, initial={"q": C * u0})
        y = 1 - (1 - np.exp(-u0 / v_T)) * np.exp(-run.t * i_s / (C * v_T))
        np.testing.assert_allclose(run["q"][:, 0] / C, -v_T * np.log(y), atol=1e-5)


@pytest.mark.parametrize("u", [0.0, 1e-12, -1e-12, 1e-3, -1e-3, 0.6, -0.6, -100.0])
def test_the_conductance_of_a_diode_is_exact_at_any_voltage(u):
    i_s, v_T = 1e-9, 0.02585
    M = electric.diode(i_s, v_T).M
    value = M.numeric(300.0)(np.array([0.0, 0.0, u, 0.0]))[0, 0] / 300.0  # states q, s, efforts u, θ - θ0
    exact = i_s / v_T if u == 0 else i_s * np.expm1(u / v_T) / u
    assert value == pytest.approx(exact, rel=1e-13)


def test_a_motor_runs_at_its_no_load_speed_and_stalls_at_its_torque():
    U, R, K, d, inertia = 12.0, 0.8, 0.05, 1e-4, 5e-4
    start = {"drawn": 0.0, "phi": 0.0, "p": 0.0}
    free = vv.simulate(motor(), t_end=2.0, h=0.01, initial=start)
    speed = U * K / (K**2 + R * d)
    assert free["p"][-1, 0] / inertia == pytest.approx(speed, rel=1e-3)
    stalled = vv.simulate(motor(), t_end=2.0, h=0.01, initial=start, inputs={"p": -K * U / R})
    assert stalled["p"][-1, 0] / inertia == pytest.approx(0.0, abs=1e-3 * speed)
    assert stalled["phi"][-1, 0] / 2e-3 == pytest.approx(U / R, rel=1e-3)
    drawn = -stalled["energy.battery"][-1]
    assert drawn == pytest.approx(12.0 * -stalled["drawn"][-1, 0], rel=1e-12)


def test_a_transformer_shows_a_resistor_with_its_ratio_squared():
    """A coil with a resistor R behind a ratio n decays as with n² R, here with a small coil on the far side too."""
    n, R, L = 3.0, 2.0, 1.0
    boxes = {
        "la": electric.inductor(L),
        "lb": electric.inductor(L),
        "tr": electric.transformer(n),
        "res": electric.resistor(R),
        "env": thermal.environment(),
    }
    junctions = {"a": ("la.phi", "tr.a"), "b": ("lb.phi", "tr.b", "res.phi"), "s": ("res.s", "env.s")}
    run = vv.simulate(compose("coupled", boxes, junctions), t_end=1.0, h=5e-3, initial={"a": 1.0, "b": n})
    assert run.audit().ok
    np.testing.assert_allclose(run["b"], n * run["a"], atol=1e-12)
    np.testing.assert_allclose(run["a"][:, 0], np.exp(-(n**2) * R / (L + n**2 * L) * run.t), atol=1e-5)


def test_a_current_source_charges_a_node():
    boxes = {"source": electric.current_source(0.2), "cap": electric.capacitor(0.1), "node": electric.parallel()}
    system = compose("charged", boxes, {"phi": ("source.phi", "node.phi"), "q": ("cap.q", "node.q")})
    run = vv.simulate(system, t_end=1.0, h=0.1, initial={"phi": 0.0, "q": 0.0})
    np.testing.assert_allclose(run["q"][:, 0], 0.2 * run.t, atol=1e-14)
    np.testing.assert_allclose(run["energy.source"], -run["energy.cap"], atol=1e-14)


def test_two_loops_meet_at_a_node():
    """Coil a charges the capacitor, coil b discharges it: of equal coils the sum of currents stays, the rest rings."""
    boxes = {
        "la": electric.inductor(1.0),
        "lb": electric.inductor(1.0),
        "cap": electric.capacitor(0.5),
        "node": electric.parallel(a=1, b=-1),
    }
    junctions = {"a": ("la.phi", "node.a"), "b": ("lb.phi", "node.b"), "q": ("cap.q", "node.q")}
    run = vv.simulate(compose("filter", boxes, junctions), t_end=1.0, h=2e-3, initial={"a": 1.0, "b": 0.0, "q": 0.0})
    np.testing.assert_allclose(run["a"] + run["b"], 1.0, atol=1e-13)
    np.testing.assert_allclose((run["a"] - run["b"])[:, 0], np.cos(2.0 * run.t), atol=1e-4)
