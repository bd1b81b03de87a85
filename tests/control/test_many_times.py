"""Paths and references at many times at once: the numbers that they have one by one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import ModelError, control

RAMP = control.polynomial(0.1, 1.2, 2.0, degree=7)
MOVE = control.polynomial(np.array([0.0, 0, 1]), np.array([1.0, 2, 3]), 1.5, degree=9)
CURVE = control.spline(np.array([[0.0, 0, 0], [1, 0.5, 0], [1, 1, 1], [0, 1, 2]]), [0.0, 0.7, 1.4, 2.0])
ROUND = control.spline(np.array([0.0, 1.0, 0.5, 0.0]), [0.0, 0.5, 1.5, 2.0], closed=True)
OWN = control.path(lambda t: [np.cos(t), np.sin(2 * t) ** 2, np.exp(-t) / (1 + t * t), np.tanh(t), np.arctan2(t, 2)])
THERE = control.joined(MOVE, control.hold(np.array([1.0, 2, 3]), 0.117), MOVE + np.array([1.0, 2, 2])).delayed(0.013)
PATHS = {
    "polynomial": MOVE,
    "spline": CURVE,
    "repeated": ROUND,
    "joined": control.joined(control.hold(np.array([0.0, 0, 1]), 0.5), MOVE, control.hold(np.array([1.0, 2, 3]))),
    "circle": control.circle(0.5, RAMP, normal="y"),
    "lissajous": control.lissajous([1.0, 0.5], [0.3, 0.7]),
    "stretched and delayed": control.joined(MOVE, control.hold(np.array([1.0, 2, 3]), 0.5)).stretched(1.3).delayed(0.2),
    "by a clock": CURVE.timed(control.polynomial(0.0, 2.0, 3.0)),
    "rate": MOVE.rate(2),
    "function": OWN,
    "of functions": OWN.mapped(lambda x: np.sqrt(x[0] * x[0] + 2) * x[1:] - (1.5 + x[3]) ** 2.5 + np.hypot(x[2], 1)),
    "line": control.line([0.0, 1.0], [1.0, 2.0]),
    "matrix": control.turn((1, 2, 3), RAMP).matrix,
    "turns": (control.turn("z", RAMP) @ control.turn("y", 0.3)).matrix,
    "rotation vector": control.rotation_vector(lambda t: [0.1 * t, np.sin(t), 0.2]).matrix,
    "slerp": control.slerp(np.eye(3), control.turn("x", 1.0)(1.0), 1.5).matrix,
    "quadcopter": control.flat.quadcopter(OWN[:3], 0.2).rotation.matrix,
    "transported": control.flat.quadcopter(OWN[:3], None).rotation.matrix,
    "transported over jumps": control.flat.quadcopter(THERE, None).rotation.matrix,
    "transported from rest": control.flat.quadcopter(MOVE, None).rotation.matrix,
}


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
@pytest.mark.parametrize("order", [0, 3])
def test_paths_are_those_of_each_time(path, order):
    begin, end = (x if np.isfinite(x) else y for x, y in zip(path.ends, (-0.5, 3.0), strict=True))
    t = np.concatenate([np.linspace(begin, end, 37), path.breaks, [end + 0.1, begin - 0.1, begin]])
    many, each = path.series(t, order), np.array([path.series(float(one), order).c for one in t])
    assert many.shape == path.shape
    assert many.c.shape == (order + 1, len(t), *path.shape)
    assert_allclose(many.c, np.swapaxes(each, 0, 1), rtol=1e-12, atol=1e-12 * np.abs(each).max())
    assert_allclose(path(t, order), [path(float(one), order) for one in t], rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize("path", [OWN[:3], THERE], ids=["smooth", "with jumps"])
def test_nodes_that_many_times_have_found_are_those_found_one_by_one(path):
    """Axes without turn about z depend on the way there."""
    one, other = (control.flat.quadcopter(path, None) for _ in range(2))
    t = np.linspace(-0.5, 3.3, 61)
    each = np.array([other.twist(float(x)).c for x in t[::-1]])[::-1]
    assert_allclose(one.twist(t).c, np.swapaxes(each, 0, 1), rtol=1e-11, atol=1e-11)


def test_what_is_wrong_at_one_of_many_times_is_said_of_it():
    with pytest.raises(ModelError, match="asked for at t = 3 s, and ends at 2 s with a speed"):
        control.line(0.0, 1.0, duration=2.0)([0.5, 3.0])
    with pytest.raises(ModelError, match="falls freely at t = 1 s"):
        control.flat.quadcopter(lambda t: [0 * t, 0 * t, -9.81 / 2 * t**2]).rotation.matrix(np.array([1.0, 2.0]))


def test_references_are_those_of_each_time():
    m = vv.Mechanism("flier", gravity=(0, 0, -9.81))
    body = m.body("body", mass=1.0, inertia=(0.1, 0.2, 0.3))
    m.body("head", mass=0.1, inertia=(0.01, 0.02, 0.03), at=(0, 0, 0.5))
    m.spherical("neck", body, "head", at=(0, 0, 0.4))
    m.body("arm", mass=0.1, inertia=(0.01, 0.02, 0.03), at=(0.5, 0, 0))
    m.revolute("elbow", body, "arm", at=(0.3, 0, 0), axis=(0, 1, 0))
    pose = control.pose(MOVE, control.turn("z", RAMP))
    goals = {"body": pose, "neck": control.turn((1, 1, 0), RAMP), "elbow": RAMP}
    reference, t = control.reference(m, goals), np.linspace(-0.1, 2.1, 23)
    for many, each in zip(reference.sample(t), zip(*map(reference, t), strict=True), strict=True):
        assert_allclose(many, each, rtol=1e-12, atol=1e-12)
