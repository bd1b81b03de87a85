"""What acts along a coordinate of a joint acts along its secant: over a step its rate is (q1 - q0)/h, exactly.

Hence the work of a constant torque or force is that times the way, and a viscous coefficient is the law that it stands
for, in every scheme, at any step size. The parent tumbles, so that no axis stays where it is.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import visviva as vv

pytestmark = pytest.mark.filterwarnings("ignore::visviva.RunWarning")  # steps of any length, and screws in PHMPGGL
SCHEMES = {
    "PHMP": vv.PHMP(),
    "PHMP in NumPy": vv.PHMP(compiled=False),
    "PHMPGGL": vv.PHMPGGL(),
    "PHMPGGL in NumPy": vv.PHMPGGL(compiled=False),
    "Lie": vv.LieMidpoint(),
    "Lie in NumPy": vv.LieMidpoint(compiled=False),
}
COMPOSED = {"Suzuki4": vv.Suzuki4(), "Suzuki4 of Lie": vv.Suzuki4(vv.LieMidpoint())}
ALONG_Z = {"at": (0.1, 0.0, 0.2), "axis": (0.2, 0.1, 1.0)}
JOINTS = {
    "revolute": (ALONG_Z, 1),
    "prismatic": (ALONG_Z, 1),
    "cylindrical": (ALONG_Z, 2),
    "screw": (ALONG_Z | {"pitch": 0.05}, 1),
    "planar": ({"at": (0.1, 0.0, 0.2), "normal": (0.2, 0.1, 1.0)}, 3),
    "universal": ({"at": (0.1, 0.0, 0.2), "axes": ((0, 0, 1), (1, 0, 0))}, 2),
    "point_on_plane": ({"at": (0.1, 0.0, 0.2), "normal": (0.2, 0.1, 1.0)}, 2),
    "point_on_line": (ALONG_Z, 1),
    "spherical": ({"at": (0.1, 0.0, 0.2)}, 1),
}
TURNING = ("revolute", "cylindrical", "screw", "planar")
SLIDING = ("prismatic", "cylindrical", "point_on_line")


def tumbling(kind, friction=0.0):
    """A joint between two bodies, the parent of which tumbles on a ball and spins against the child."""
    m = vv.Mechanism("tumbling", gravity=(0, 0, -9.81))
    a = m.body("a", mass=1.0, inertia=(0.1, 0.2, 0.25), twist=(2.0, -3.0, 6.0, 0, 0, 0))
    b = m.body("b", mass=0.4, inertia=(0.03, 0.05, 0.06), at=(0.2, 0.1, 0.3))
    m.spherical("ball", m.ground, a, at=(0, 0, 0))
    place, freedoms = JOINTS[kind]
    each = friction if kind == "spherical" or freedoms == 1 else [friction] * freedoms
    getattr(m, kind)("joint", a, b, friction=each, **place)
    return m


def simulated(m, scheme, steps=4, h=0.05, **inputs):
    return vv.simulate(m, t_end=steps * h, h=h, integrator=(SCHEMES | COMPOSED)[scheme], inputs=inputs)


def coordinate(run, k=0):
    q = run["joint.q"]
    return q if q.ndim == 1 else q[:, k]


@pytest.mark.parametrize("scheme", [*SCHEMES, *COMPOSED])
@pytest.mark.parametrize("kind", TURNING)
def test_the_work_of_a_constant_torque_is_that_torque_times_the_angle(kind, scheme):
    m = tumbling(kind)
    m.torque("drive", "joint")
    run = simulated(m, scheme, drive=0.3)
    turned = coordinate(run) - coordinate(run)[0]
    assert np.abs(np.diff(turned)).max() > 0.2
    assert_allclose(run["drive.work"], 0.3 * turned, rtol=0, atol=1e-13 * max(1.0, np.abs(turned).max()))
    assert run.audit().first_law <= 1e-13


@pytest.mark.parametrize("scheme", ["PHMP", "PHMPGGL", "Lie", *COMPOSED])
@pytest.mark.parametrize("kind", SLIDING)
def test_the_work_of_a_constant_force_is_that_force_times_the_way(kind, scheme):
    m = tumbling(kind)
    m.force("push", "joint")
    run = simulated(m, scheme, push=2.0)
    way = coordinate(run, -1) - coordinate(run, -1)[0]
    assert np.abs(way).max() > 0.02
    assert_allclose(run["push.work"], 2.0 * way, rtol=0, atol=1e-13 * max(1.0, np.abs(way).max()))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_work_of_a_constant_force_in_the_world_is_that_of_its_way(scheme):
    m = tumbling("revolute")
    m.wrench("wind", "b")
    force = np.array([1.0, -2.0, 0.5])
    run = simulated(m, scheme, wind=np.concatenate([np.zeros(3), force]))
    way = run["b.r"] - run["b.r"][0]
    assert_allclose(run["wind.work"], way @ force, rtol=0, atol=1e-13)


EACH = [(kind, scheme) for kind in JOINTS for scheme in SCHEMES if kind in (*TURNING, "universal") or scheme == "PHMP"]


@pytest.mark.parametrize(("kind", "scheme"), EACH)
def test_a_viscous_coefficient_is_the_law_that_it_stands_for(kind, scheme):
    """Both give the same run, and the heat Σ d (Δq/h)² h of all coordinates of the joint."""
    h = 0.05
    number, law = (simulated(tumbling(kind, given), scheme, 4, h) for given in (0.05, lambda rate: 0.05 * rate))
    size = np.maximum(np.abs(number.record.x).max(0), 1.0)
    assert_allclose(law.record.x / size, number.record.x / size, rtol=0, atol=2e-12)
    assert_allclose(law["heat.joint"], number["heat.joint"], rtol=1e-10, atol=1e-13)
    assert number["heat.joint"][-1] > 1e-3
    assert number.audit().first_law <= 1e-13
    if kind != "spherical":
        steps = np.diff(number["joint.q"], axis=0).reshape(len(number.t) - 1, -1)
        assert_allclose(number["heat.joint"][1:], np.cumsum(0.05 * (steps**2).sum(1) / h), rtol=1e-11, atol=1e-14)


def test_a_number_is_the_viscous_law_of_that_number():
    number, law = (simulated(tumbling("universal", given), "PHMP") for given in (0.05, vv.friction.viscous(0.05)))
    assert_array_equal(number.record.x, law.record.x)


@pytest.mark.parametrize("kind", ["revolute", "cylindrical", "universal"])
@pytest.mark.parametrize("pair", [("PHMP", "PHMP in NumPy"), ("PHMPGGL", "PHMPGGL in NumPy"), ("Lie", "Lie in NumPy")])
def test_compiled_steps_with_friction_and_torque_are_those_in_numpy(kind, pair):
    runs = []
    for scheme in pair:
        m = tumbling(kind, 0.05)
        inputs = {}
        if kind in TURNING:
            m.torque("drive", "joint")
            inputs["drive"] = lambda t: 0.3 * np.cos(3.0 * t)
        runs.append(simulated(m, scheme, **inputs))
    fast, plain = runs
    assert (fast.engine, plain.engine) == ("compiled", "NumPy")
    assert_allclose(fast.record.x, plain.record.x, rtol=0, atol=1e-10 * np.abs(plain.record.x).max())


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "NumPy"])
def test_the_midpoint_rule_of_any_model_acts_along_secants(compiled):
    """Inputs by feedback leave the engine of mechanisms: the joints of compiled models and of NumPy."""
    m = tumbling("revolute", 0.05)
    m.torque("drive", "joint")
    m.wrench("wind", "a")
    inputs = {"drive": 0.3, "wind": lambda t, x, z: np.concatenate([-0.1 * x["a.v"][:3], np.zeros(3)])}
    run = vv.simulate(m, t_end=0.2, h=0.05, integrator=vv.LieMidpoint(compiled=compiled), inputs=inputs)
    assert run.engine == ("compiled" if compiled else "NumPy")
    turned, steps = run["joint.q"] - run["joint.q"][0], np.diff(run["joint.q"])
    assert_allclose(run["drive.work"], 0.3 * turned, rtol=0, atol=1e-13)
    assert_allclose(run["heat.joint"][1:], np.cumsum(0.05 * steps**2 / 0.05), rtol=1e-11, atol=1e-14)
    assert run.audit().first_law <= 1e-13


@pytest.mark.parametrize("feedback", [False, True], ids=["engine of mechanisms", "any model"])
def test_the_compiled_matrix_knows_how_axes_turn(feedback):
    """Steps of a radian with a large torque: as few iterations as with a matrix by differences."""
    m = tumbling("revolute", 0.5)
    m.torque("drive", "joint")
    m.wrench("wind", "a")
    inputs = {"drive": 3.0}
    if feedback:
        inputs["wind"] = lambda t, x, z: np.concatenate([-0.1 * x["a.v"][:3], np.zeros(3)])
    fast, plain = (
        vv.simulate(m, t_end=2.0, h=0.2, integrator=vv.LieMidpoint(compiled=compiled), inputs=inputs)
        for compiled in (True, False)
    )
    assert np.abs(np.diff(fast["joint.q"])).max() > 1.0
    assert fast.record.iterations.mean() <= plain.record.iterations.mean() + 0.5
