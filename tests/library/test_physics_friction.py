"""Friction laws: terminal speeds, stopping times, heat, temperature."""

from __future__ import annotations

import numpy as np
import pytest
from physics_systems import DRY, STICKY, brake, sliding

import visviva as vv
from visviva.library import friction, thermal


def law(component, v, theta=300.0):
    """The force of a friction component at speeds v."""
    v = np.asarray(v, dtype=float)
    zero = np.zeros_like(v)
    y = np.stack([zero, zero, v, zero + theta - 300.0], axis=-1)  # states p, s, efforts v, θ - θ0
    return component.M.numeric(300.0)(y)[..., 0, 0] * v / theta


def test_the_force_is_the_law():
    v = np.array([-1.0, -0.1, -1e-3, 0.0, 1e-3, 0.1, 1.0])
    F_c, F_s, v_st, v_reg, d = 1.0, 1.5, 0.2, 0.02, 0.1
    dry = v / np.sqrt(v**2 + v_reg**2)
    np.testing.assert_allclose(law(friction.viscous(d), v), d * v, rtol=1e-14)
    np.testing.assert_allclose(law(friction.coulomb(F_c, v_reg=v_reg, d=d), v), F_c * dry + d * v, rtol=1e-13)
    exact = (F_c + (F_s - F_c) * np.exp(-((v / v_st) ** 2))) * dry + d * v
    np.testing.assert_allclose(law(STICKY, v), exact, rtol=1e-13)


def test_the_regularisation_speed_is_a_parameter_that_can_be_read():
    assert STICKY.M.parameters["v_reg"][1] == 0.02
    assert DRY.M.parameters["v_reg"][1] == 0.05


@pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # long steps
@pytest.mark.parametrize("F", [0.5, 1.5])
def test_a_pushed_mass_creeps_below_the_dry_force_and_runs_above(F):
    """Terminal speed: F = F_c v/√(v² + v_reg²) + d v."""
    F_c, v_reg, d = 1.0, 0.01, 0.5
    push = {"p": F}
    rub = friction.coulomb(F_c, v_reg=v_reg, d=d)
    run = vv.simulate(sliding(rub), t_end=15.0, h=0.1, initial={"p": 0.0}, inputs=push)
    assert run.audit().ok
    v = run["p"][-1, 0]
    assert law(rub, v) == pytest.approx(F, rel=1e-3)
    assert v < v_reg if F_c > F else v == pytest.approx((F - F_c) / d, rel=1e-2)


def test_dry_friction_stops_a_mass_in_the_time_of_a_constant_force():
    """p falls linearly, to zero at m v/F_c; v_reg rounds the end only."""
    run = vv.simulate(sliding(friction.coulomb(2.0, v_reg=1e-3)), t_end=1.0, h=5e-3, initial={"p": 1.0})
    falling = run.t < 0.45
    np.testing.assert_allclose(run["p"][falling, 0], 1.0 - 2.0 * run.t[falling], atol=1e-3)
    assert abs(run["p"][-1, 0]) < 1e-3
    assert 300.0 * run["s"][-1, 0] == pytest.approx(0.5, rel=1e-4)  # all of it became heat


def test_warm_friction_is_weaker():
    assert law(DRY, 1.0, 340.0) == pytest.approx(np.exp(-1) * law(DRY, 1.0), rel=1e-12)
    assert law(friction.viscous(2.0, factor=lambda theta: theta / 300), 1.0, 330.0) == pytest.approx(2.2)
    run = vv.simulate(brake(DRY, c=0.05, k=0.01), t_end=2.0, h=0.02, initial={"p": 2.0, "disc": 0.0})
    cold = vv.simulate(brake(DRY, c=50.0, k=0.01), t_end=2.0, h=0.02, initial={"p": 2.0, "disc": 0.0})
    assert run.audit().ok
    assert thermal.temperature(run["disc"][:, 0], 0.05).max() > 315.0
    assert run["p"][-1, 0] > cold["p"][-1, 0] + 0.05  # the hot brake fades
