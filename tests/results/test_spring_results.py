"""Results of springs: lengths, tensions, angles, torques and wrenches, with the signs that they are given."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
from spring_models import K6, bushing, point_springs, spring, torsion

import visviva as vv

NUMPY = vv.PHMP(compiled=False)


def test_length_and_tension_of_a_spring():
    run = vv.simulate(spring(k=50.0, length=0.5), t_end=0.1, h=0.02, integrator=NUMPY)
    assert_allclose(run["s.length"][0], np.hypot(0.4, 0.1), rtol=1e-14)
    assert_allclose(run["s.force"], 50.0 * (run["s.length"] - 0.5), rtol=1e-12)
    assert_allclose(run["energy.s"], 25.0 * (run["s.length"] - 0.5) ** 2, rtol=1e-12)


def test_a_damper_pulls_when_it_grows():
    m = vv.Mechanism("m")
    m.particle("p", mass=1.0, at=(1, 0, 0), velocity=(2, 1, 0))
    m.spring("s", m.ground, "p", damping=3.0, at_a=(0, 0, 0))
    run = vv.simulate(m, t_end=0.01, h=0.01, integrator=NUMPY)
    assert_allclose(run["s.force"][0], 6.0)


def test_angle_and_torque_of_a_torsion_spring():
    run = vv.simulate(torsion(k=2.0, angle=0.3, damping=0.5), t_end=0.1, h=0.02, integrator=NUMPY)
    assert_allclose(run["s.torque"], 2.0 * (run["hinge.q"] - 0.3) + 0.5 * run["hinge.rate"], rtol=1e-12)


def test_the_wrench_of_a_bushing_is_minus_its_stiffness_at_small_displacements():
    m = vv.Mechanism("m")
    b = m.body("b", mass=1.0, inertia=(1, 1, 1))
    m.frame("here", m.ground, at=(1e-6, 0, 0))
    m.frame("there", b, at=(0, 2e-6, 0))
    m.bushing("s", "here", "there", K=K6)
    run = vv.simulate(m, t_end=0.001, h=0.001, integrator=NUMPY)
    assert_allclose(run["s.wrench"][0], -K6 @ [0, 0, 0, -1e-6, 2e-6, 0], atol=1e-10)


def test_wrenches_drive_the_bodies_that_feel_them():
    """Newton's law of the child, from momenta: the wrench of a spring is what changes them."""
    for make in (lambda: bushing(K=K6, D=np.ones(6)), lambda: point_springs(damping=0.3)):
        m, h = make(), 1e-4
        run = vv.simulate(m, t_end=2 * h, h=h, integrator=NUMPY)
        part = m["s"]
        f = run["s.wrench"][1, 3:]
        R_WB = run["b.R"][1]  # the frames of body b are those of the world as built
        force = R_WB @ part.R_W @ f
        speed = np.einsum("nij,nj->ni", run["b.R"], run["b.twist"][:, 3:])
        assert_allclose(force, 1.0 * (speed[2] - speed[0]) / (2 * h), rtol=1e-5, atol=1e-5)


def test_on_the_ground_the_wrench_is_that_of_the_reaction():
    m = vv.Mechanism("m")
    b = m.body("b", mass=1.0, inertia=(1, 1, 1), at=(0.1, 0, 0))
    m.frame("f", b, at=(0.1, 0, 0))
    m.frame("w", m.ground, at=(0, 0, 0))
    m.bushing("s", "f", "w", K=(1, 1, 1, 10, 10, 10))
    run = vv.simulate(m, t_end=0.001, h=0.001, integrator=NUMPY)
    assert_allclose(run["s.wrench"][0], [0, 0, 0, 1.0, 0, 0], atol=1e-12)  # the ground is pulled to the body
