"""Updates are plain functions of arrays: compiled as they stand, they give the same numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.copter import force as cf
from visviva.copter import quadcopter, tricopter
from visviva.copter.estimation import compiled
from visviva.copter.force import filter_rotor_force, observe_propellers, track_speeds


@pytest.mark.slow
def test_every_update_compiles_and_gives_the_same_numbers():
    tri, quad, rng = tricopter(), quadcopter(), np.random.default_rng(0)
    p, s, r = cf.propellers(quad.rotors), cf.servos(tri.rotors), cf.rc_filter()
    t, f = cf.tilt_force(tri), cf.rotor_force(quad)
    wish = np.array([0.1, -0.2, 0.05, 1.0, -0.5, 12.0])
    cases = [
        (cf.observe_propellers, (p, cf.propellers_start(p, 400.0), rng.uniform(300, 500, 4), rng.uniform(2, 5, 4))),
        (cf.track_speeds, (p, cf.propellers_start(p, 400.0), rng.uniform(300, 500, 4), rng.uniform(300, 500, 4))),
        (cf.simulate_servos, (s, rng.uniform(-1, 1, 6), rng.uniform(-1, 1, 3))),
        (cf.tilt_force_speeds, (t, np.array([3.0, 4.0, 5.0]))),
        (cf.invert_tilt_force, (t, wish)),
        (cf.made_tilt_force, (t, rng.uniform(300, 500, 3), rng.uniform(-0.5, 0.5, 3))),
        (cf.filter_rotor_force, (f, cf.rotor_force_start(f, 400.0), wish[2:])),
        (cf.made_rotor_force, (f, rng.uniform(300, 500, 4), rng.uniform(-5, 5, 4))),
        (cf.filter_rc, (r, rng.uniform(-1, 1, (2, 4)), rng.uniform(-1, 1, 2))),
    ]
    for function, arguments in cases:
        mine, twin = (np.concatenate(np.atleast_2d(f(*arguments))) for f in (function, compiled(function)))
        assert_allclose(twin, mine, rtol=1e-14, err_msg=function.__name__)
    x = np.array([3.0, 4.0, 5.0])
    mine = np.concatenate(cf.filter_tilt_force(t, x, wish))
    assert_allclose(np.concatenate(compiled(cf.filter_tilt_force)(t, x, wish)), mine, rtol=1e-14)


def period(p, f, observer, force, current, measured, wanted):
    """One period of a quadcopter's force control: f_D[k] and what was measured to the currents of the next period."""
    observer = observe_propellers(p, observer, measured, current)
    ahead = filter_rotor_force(f, force, wanted)
    n = len(measured)
    return observer, ahead, track_speeds(p, observer, force[:n], ahead[:n])


@pytest.mark.slow
def test_a_period_of_force_control_is_one_compiled_function_that_makes_the_wanted_force():
    quad, rng = quadcopter(), np.random.default_rng(1)
    p, f = cf.propellers(quad.rotors), cf.rotor_force(quad)
    one = compiled(period)
    w = np.full(4, quad.hover_speed)
    observer, force = cf.propellers_start(p, w), cf.rotor_force_start(f, w)
    current, mean = (p.p_P1 * w**2 + p.p_P3) / p.p_P2, w
    wanted, made = np.array([0.2, -0.1, 0.03, 11.0]), []
    for _ in range(800):
        held, before = current, w
        observer, force, current = one(p, f, observer, force, held, mean, wanted)
        for _ in range(5):  # the plant, steps of 1 ms
            w = w + p.T_S / 5 * (p.p_P2 * held - 1.2 * p.p_P3 - p.p_P1 * w**2)  # more friction than in the data sheet
        made.append(cf.made_rotor_force(f, w, (w - before) / p.T_S))
        mean = (w + before) / 2 + 0.5 * rng.standard_normal(4)
    off = np.mean(made[-400:], axis=0) - wanted
    assert (np.abs(off) < [3e-3, 3e-3, 2e-3, 2e-2]).all(), off  # [N m, N]
