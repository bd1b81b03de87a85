"""Springs against numbers found otherwise: published motion, frequencies in closed form, an ODE solver."""

from __future__ import annotations

import numpy as np
import pytest
from index1_reference import Index1
from numpy.testing import assert_allclose
from spring_models import SPRINGS

import visviva as vv
from visviva.geometry import SO3

NUMPY = vv.PHMP(compiled=False)


def two_bodies():
    """M6: two free bodies and a spring tr(G (I - R)) + ½ pᵀ K p, relaxed at a distance of 1 m."""
    m, R = vv.Mechanism("M6"), SO3.exp(np.array([0, 0, 0.5]))
    first = m.body("first", mass=1.0, inertia=(0.1, 0.2, 0.3), twist=(0, 0, 0.3, 0, 0.1, 0))
    second = m.body(
        "second", mass=2.0, inertia=(0.2, 0.1, 0.2), at=(1.2, 0.1, 0), rotation=R, twist=(0.2, 0, 0, 0, 0, 0.4)
    )
    ends = m.frame("f1", first, at=(0, 0, 0)), m.frame("f2", second, at=(1.2, 0.1, 0), rotation=R)
    m.trace_spring("s", *ends, G=(1, 2, 3), K=(10, 20, 30), rest=(np.eye(3), (1, 0, 0)))
    return m


@pytest.mark.slow
def test_two_bodies_and_a_spring_move_as_published():
    """M6 of Stramigioli, Maschke, Bidard, as tabulated in our notes: energy, momentum and positions after 5 s."""
    runs = [vv.simulate(two_bodies(), t_end=5.0, h=h, integrator=NUMPY) for h in (0.0125, 0.00625)]
    assert_allclose(runs[0]["energy"], 0.8497523143, rtol=1e-10)
    momentum = (0.1151033, -0.940823, 0.09, 0, 0.1, 0.8)
    assert_allclose(runs[0]["momentum"], np.broadcast_to(momentum, runs[0]["momentum"].shape), atol=5e-8)
    for name, expected in (("first", (0.790151, 0.361771, 0.576508)), ("second", (0.804924, 0.169115, 1.711746))):
        coarse, fine = (run[f"{name}.r"][-1] for run in runs)
        assert_allclose(fine + (fine - coarse) / 3, expected, atol=1e-5)


def seen(K, M, amplitude, h, steps):
    """A mode of ½ ξᵀKξ with mass M under the midpoint rule: amplitude cos(ω_h t), ω_h = (2/h) atan(h ω/2)."""
    w = 2 / h * np.arctan(0.5 * h * np.sqrt(K / M))
    return amplitude * np.cos(w * h * np.arange(steps + 1))


@pytest.mark.parametrize("axis", range(6))
def test_a_body_on_a_bushing_has_six_frequencies(axis):
    K, M, small = np.array([3.0, 4.0, 5.0, 50.0, 60.0, 70.0]), np.array([0.1, 0.2, 0.3, 2.0, 2.0, 2.0]), 1e-5
    m, xi = vv.Mechanism("bushing"), np.zeros(6)
    xi[axis] = small
    R = SO3.exp(xi[:3])
    b = m.body("b", mass=2.0, inertia=M[:3], at=xi[3:], rotation=R)
    m.bushing("s", m.frame("rest", m.ground, at=(0, 0, 0)), m.frame("f", b, at=xi[3:], rotation=R), K=K)
    run = vv.simulate(m, t_end=0.5, h=0.02, integrator=NUMPY)
    moved = run["b.r"][:, axis - 3] if axis > 2 else run["b.R"][:, (axis + 2) % 3, (axis + 1) % 3]
    assert_allclose(moved, seen(K[axis], M[axis], small, 0.02, 25), atol=1e-5 * small)


def test_a_mass_on_a_spring_of_a_length_oscillates_about_it():
    m = vv.Mechanism("spring")
    m.particle("p", mass=2.0, at=(0, 0, 0.7 + 1e-6))
    m.spring("s", m.ground, "p", k=30.0, length=0.7, at_a=(0, 0, 0))
    run = vv.simulate(m, t_end=1.0, h=0.04, integrator=NUMPY)
    assert_allclose(run["p.r"][:, 2] - 0.7, seen(30.0, 2.0, 1e-6, 0.04, 25), atol=1e-11)


def test_a_rotor_on_a_torsion_spring_oscillates_about_its_rest():
    m = vv.Mechanism("rotor")
    b = m.body("b", mass=1.0, inertia=(0.3, 0.3, 0.5))
    m.torsion("s", m.revolute("hinge", m.ground, b, at=(0, 0, 0), axis=(0, 0, 1)), k=3.0, angle=1e-6)
    run = vv.simulate(m, t_end=1.0, h=0.04, integrator=NUMPY)
    assert_allclose(run["hinge.q"] - 1e-6, seen(3.0, 0.5, -1e-6, 0.04, 25), atol=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("name", SPRINGS)
def test_springs_converge_to_the_motion_of_their_equations(name):
    """DOP853 on the accelerations: the same equations, another way; order 2 by extrapolation."""
    m, t = SPRINGS[name](), 0.2
    reference = Index1(m)
    exact = reference.states([t])[-1]
    ends = []
    for h in (0.005, 0.0025):
        run = vv.simulate(m, t_end=t, h=h, integrator=NUMPY)
        ends.append(np.concatenate([run.record.x[-1, run.model.layout.x[f"{body.name}.q"]] for body in m.bodies]))
    layout = reference.model.layout.x
    expected = np.concatenate([exact[layout[f"{body.name}.q"]] for body in m.bodies])
    coarse, fine = (np.abs(end - expected).max() for end in ends)
    assert 3.9 < coarse / fine < 4.1
    assert_allclose((4 * ends[1] - ends[0]) / 3, expected, atol=0.05 * fine + 1e-7)
