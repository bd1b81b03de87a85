"""Energies of the relative pose on a mechanism: the user's own, and those with 21 parameters."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import ModelError
from visviva.geometry import SE3

SCHEMES = [vv.PHMP(compiled=False), vv.LieMidpoint(compiled=False)]
FRAME = np.array([0.5, 0.0, 0.1])


def energy(R, p):
    """Quadratic, of fourth degree, and transcendental terms in rotation and position together."""
    return 5 * (p @ p) + 2 * (1 - R[2, 2]) ** 2 + 0.3 * np.sin(p[0]) * R[0, 1] + np.exp(0.4 * R[1, 0])


def two_bodies(add, gravity=(0, 0, 0)):
    m = vv.Mechanism("pair", gravity=gravity)
    a = m.body("a", mass=1.0, inertia=(0.1, 0.2, 0.25), at=(0.1, 0, 0), twist=(0.1, 0.3, 0.2, 0.5, 0, 1))
    b = m.body("b", mass=2.0, inertia=(0.2, 0.2, 0.25), at=(1, 0, 0), com=(0.1, 0, 0), twist=(0, 0.3, 1, 0, 0.2, 1))
    add(m, a, b)
    return m


def relative(run, k):
    """Pose of the frame on b in the one on a, which coincided as built."""
    A, B = (SE3(run[f"{name}.R"][k], run[f"{name}.r"][k]) for name in "ab")
    frame = SE3(np.eye(3), FRAME)
    on_a, on_b = (SE3(np.eye(3), np.array(r)).inverse() @ frame for r in ((0.1, 0, 0), (1.0, 0, 0)))
    return (A @ on_a).inverse() @ B @ on_b


def own(m, a, b, **more):
    m.pose_spring("law", a, b, energy=energy, at=FRAME, **more)


@pytest.fixture(scope="module")
def runs():
    return [vv.simulate(two_bodies(own), t_end=0.6, h=0.03, integrator=scheme) for scheme in SCHEMES]


@pytest.mark.parametrize("which", range(len(SCHEMES)))
def test_energy_and_momentum_are_kept_to_rounding(runs, which):
    run = runs[which]
    assert np.ptp(run["energy"]) < 1e-13 * run["energy"].max()
    assert np.ptp(run["energy.law"]) > 0.1  # it has been at work
    p = 1.0 * run["a.r"] + 2.0 * (run["b.r"] + run["b.R"] @ [0.1, 0, 0])
    assert_allclose(np.diff(p, axis=0), np.broadcast_to(p[1] - p[0], (len(p) - 1, 3)), atol=1e-13)


@pytest.mark.parametrize("which", range(len(SCHEMES)))
def test_energy_and_wrench_are_those_of_the_law(runs, which):
    """The same function in `springs.GivenEnergy`, differentiated by jets; the wrench there is that on the spring."""
    run, law = runs[which], vv.springs.GivenEnergy(energy)
    for k in (0, 7, 20):
        X = relative(run, k)
        assert run["energy.law"][k] == pytest.approx(law.energy(X), abs=1e-12)
        assert_allclose(run["law.wrench"][k], -law.wrench(X), atol=1e-11)


def test_the_first_law_closes_with_damping():
    for scheme in SCHEMES:
        m = two_bodies(lambda m, a, b: own(m, a, b, D=[0.1, 0.2, 0.3, 1, 1, 2]), gravity=(0, 0, -9.81))
        audit = vv.simulate(m, t_end=0.3, h=0.03, integrator=scheme).audit()
        assert audit.ok
        assert audit.first_law < 1e-14
        assert audit.components["law"].exergy_destroyed > 0.01


def test_a_trace_spring_written_down_moves_as_the_built_in_one():
    G, K = np.diag([1.0, 2, 3]), np.diag([10.0, 20, 30])
    laws = (
        lambda m, a, b: m.trace_spring("s", a, b, G=G, K=K, at=FRAME),
        lambda m, a, b: m.pose_spring(
            "s", a, b, energy=lambda R, p: np.trace(G @ (np.eye(3) - R)) + 0.5 * (p @ K @ p), at=FRAME
        ),
    )
    first, second = (vv.simulate(two_bodies(law), t_end=0.3, h=0.03, integrator=SCHEMES[0]) for law in laws)
    assert_allclose(second["b.r"], first["b.r"], atol=1e-12)
    assert_allclose(second["a.R"], first["a.R"], atol=1e-12)


def test_any_stiffness_at_rest_is_allowed():
    """21 numbers: the energy is that of `ChordEnergy.general`, K its Hessian at rest, and it is kept."""
    A = np.random.default_rng(5).normal(size=(6, 6))
    K, rest = 3 * A @ A.T + np.eye(6), SE3.exp([0.2, -0.1, 0.3, 0.1, 0.2, 0])
    m = two_bodies(lambda m, a, b: m.stiffness("s", a, b, K=K, at=FRAME, rest=rest))
    run = vv.simulate(m, t_end=0.3, h=0.03, integrator=SCHEMES[0])
    law = vv.springs.ChordEnergy.general(K, rest)
    assert_allclose(law.hessian(rest), K, atol=1e-12)
    for k in (0, 10):
        X = relative(run, k)
        assert run["energy.s"][k] == pytest.approx(law.energy(X), rel=1e-12)
        assert_allclose(run["s.wrench"][k], -law.wrench(X), atol=1e-10)
    assert np.ptp(run["energy"]) < 1e-13 * run["energy"].max()


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (5.0, "must be a function of the rotation R and the position p"),
        (lambda R: R[0, 0], "2 arguments"),
        (lambda R, p, k: k * (p @ p), "2 arguments"),
        (lambda R, p: p, "must be one number, got shape"),
        (lambda R, p: 3.0, "is constant"),
        (lambda R, p: max(p[0], 0.0), "compares|branches"),
    ],
)
def test_what_is_no_energy_is_refused(given, found):
    m = vv.Mechanism("m")
    b = m.body("b", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(ModelError, match=found):
        m.pose_spring("law", m.ground, b, energy=given)


def test_particles_have_no_pose():
    m = vv.Mechanism("m")
    with pytest.raises(ModelError, match="pose spring 'law' holds the particle 'p'"):
        m.pose_spring("law", m.ground, m.particle("p", mass=1, at=(0, 0, 0)), energy=energy)


def test_heat_needs_damping():
    m = vv.Mechanism("m")
    b, node = m.body("b", mass=1.0, inertia=(1, 1, 1)), m.thermal("oil", capacity=1.0)
    with pytest.raises(ModelError, match="has heat_to, but no damping"):
        m.pose_spring("law", m.ground, b, energy=energy, heat_to=node)


def test_a_start_outside_the_domain_names_the_spring():
    m = vv.Mechanism("m")
    m.body("b", mass=1.0, inertia=(1, 1, 1))
    m.pose_spring("law", m.ground, "b", energy=lambda R, p: np.log(p[0]))
    with pytest.raises(vv.AssemblyError, match=r"spring 'law' is not finite[\s\S]*domain of its energy"):
        vv.simulate(m, t_end=0.1, h=0.05)
