"""Estimators in flight: compiled, they give what they give in Python."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

from visviva.copter.estimation import (
    attitude_observer,
    compiled,
    correct_attitude,
    correct_kalman,
    correct_position,
    force_bias,
    kalman_filter,
    latency_estimator,
    position_observer,
    predict_attitude,
    predict_kalman,
    predict_position,
    rate_observer,
    update_force_bias,
    update_latency,
    update_rate,
)

T_S = 0.005


@pytest.mark.slow
def test_they_are_imported_without_a_compiler():
    code = "import sys, visviva.copter.estimation; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_one_update_compiles_with_what_it_calls(flight):
    p, fast = latency_estimator(0.034), compiled(update_latency)
    s, other = p.start(), p.start()
    for sent, received in ((0.1, 5.1), (0.2, 5.21), (0.15, 5.3), (0.3, np.nan), (0.3, 5.32)):
        assert_allclose(fast(p, s, received, sent), update_latency(p, other, received, sent))
    assert_allclose(s, other)


def tick(p, s, t, w, a, torque, force):
    """What an agent does at each tick."""
    rate, attitude, position, bias, _, kalman = p
    sr, sa, sp, sf, _, sk = s
    update_rate(rate, sr, w, torque)
    predict_attitude(attitude, sa, t, w)
    predict_position(position, sp, t, sa[7:11], a)
    update_force_bias(bias, sf, a, sp[13:16], sp[10:13], sa[7:11], force)
    predict_kalman(kalman, sk, t, w, a)


def frame(p, s, received, sent, r, q):
    """And when a frame has arrived."""
    _, attitude, position, _, latency, kalman = p
    _, sa, sp, _, sl, sk = s
    t = update_latency(latency, sl, received, sent)
    found = correct_attitude(attitude, sa, t, q)
    return found + 10 * correct_position(position, sp, t, r, sa[11:15]) + 100 * correct_kalman(kalman, sk, t, r, q)


@pytest.mark.slow
def test_an_agent_of_all_of_them(flight):
    p = (
        rate_observer([0.0179, 0.018, 0.0307]),
        attitude_observer(0.5),
        position_observer(),
        force_bias(1.0, 0.3),
        latency_estimator(0.034),
        kalman_filter(),
    )
    plain, fast = ((p[0].start(), *(each.start() for each in p[1:])) for _ in range(2))
    arriving = {k: t for t, k in flight.frames(2.0, np.random.default_rng(0))}
    quick_tick, quick_frame = compiled(tick), compiled(frame)
    for k in range(400):
        w, a = flight.imu(k * T_S)
        given = (k * T_S, w, a if k % 50 else np.nan * a, np.zeros(3), a)
        tick(p, plain, *given)
        quick_tick(p, fast, *given)
        if k in arriving:
            t = arriving[k]
            given = (k * T_S, t - 1000.0, flight.r(t), flight.q(t))
            assert frame(p, plain, *given) == quick_frame(p, fast, *given) == 0
    for one, other in zip(plain, fast, strict=True):
        assert_allclose(one, other, rtol=1e-12, atol=1e-13)
    assert plain[1][0] > 15


@pytest.mark.slow
def test_what_was_compiled_inside_of_another_function_can_be_called_later(tmp_path):
    """What only compiled code calls has no entry for Python: kept, it would crash the next process that calls it."""
    common = (
        "from visviva.copter import tricopter; from visviva.copter.force import *;"
        "from visviva.copter.estimation import compiled; import numpy as np;"
        "p = tilt_force(tricopter()); wanted = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 12.0]);"
    )
    outer = "compiled(filter_tilt_force)(p, tilt_force_start(p, np.full(3, 4.0)), wanted)"
    inner = "one, two = compiled(invert_tilt_force)(p, wanted), invert_tilt_force(p, wanted)"
    environment = {**os.environ, "VISVIVA_CACHE_DIR": str(tmp_path)}
    for code in (outer, f"{inner}; assert all(np.allclose(a, b) for a, b in zip(one, two))"):
        done = subprocess.run([sys.executable, "-c", common + code], timeout=120, env=environment, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
