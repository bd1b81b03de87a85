"""Updates are plain functions of arrays: compiled as they stand, they give the same numbers."""

import numba
import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.copter import force as cf
from visviva.copter import quadcopter, tricopter


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
        for mine, compiled in zip(
            np.atleast_1d(function(*arguments)), np.atleast_1d(numba.njit(function)(*arguments)), strict=True
        ):
            assert_allclose(compiled, mine, rtol=1e-14, err_msg=function.__name__)
