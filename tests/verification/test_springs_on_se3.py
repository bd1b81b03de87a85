"""M6, two free bodies and a spatial spring, in other formulations than mechanisms: minimal velocities, and bodies and
spring as port-Hamiltonian elements whose spring has a pose of its own."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import visviva as vv
from visviva.forms.hamiltonian.body_structure import rigid_body
from visviva.forms.rigid.moments import Moments
from visviva.geometry import SE3, SO3

ENERGY, MOMENTUM = 0.8497523143, (0.1151033, -0.940823, 0.09, 0, 0.1, 0.8)
ENDS = np.array([(0.790151, 0.361771, 0.576508), (0.804924, 0.169115, 1.711746)])
INERTIA = [np.diag([0.1, 0.2, 0.3, 1, 1, 1]), np.diag([0.2, 0.1, 0.2, 2, 2, 2])]
BODIES = [rigid_body(inertia) for inertia in INERTIA]
START = [SE3.identity(), SE3(SO3.exp([0, 0, 0.5]).R, np.array([1.2, 0.1, 0]))]
TWISTS = [np.array([0, 0, 0.3, 0, 0.1, 0]), np.array([0.2, 0, 0, 0, 0, 0.4])]
LAW = vv.springs.ChordEnergy.trace((1, 2, 3), (10, 20, 30), SE3(np.eye(3), np.array([1.0, 0, 0])))


def test_in_minimal_velocities():
    p = vv.coordinates.joined({("ground", f"b{i}"): vv.coordinates.free(f"b{i}") for i in (1, 2)})
    masses = {
        "b1": Moments.from_parts(1.0, moment=(0.1, 0.2, 0.3)),
        "b2": Moments.from_parts(2.0, moment=(0.2, 0.1, 0.2)),
    }
    system = vv.RigidSystem(p, bodies=masses, springs=[vv.springs.Spring("b1", "b2", LAW)])
    q = np.concatenate([np.concatenate([X.r, X.rotation.as_quat()]) for X in START])
    run = vv.simulate(system, t_end=5.0, h=0.05, integrator=vv.DOP853(), initial=(q, np.concatenate(TWISTS)))
    assert run["energy"][0] == pytest.approx(ENERGY, abs=6e-11)
    assert_allclose(run["energy"], ENERGY, atol=1e-9)
    assert_allclose([run["q"][-1, :3], run["q"][-1, 7:10]], ENDS, atol=6e-7)


def elements(t, x):
    """Two bodies and the spring's own pose, with its port joined to theirs: x = (X1, P1, X2, P2, X_12)."""
    states = x[:18], x[18:36]
    X2, X = pose(x[18:]), pose(x[36:])
    wrench = X2.coAd() @ LAW.wrench(X)  # on the spring, in the ground's frame
    (rates1, V1), (rates2, V2) = (
        body.rates(state, W) for body, state, W in zip(BODIES, states, (wrench, -wrench), strict=True)
    )
    V_12 = X2.inverse().Ad() @ (V2 - V1)
    X_dot = X.matrix @ SE3.hat(V_12)
    assert V_12 @ LAW.wrench(X) == pytest.approx((V2 - V1) @ wrench)  # the network keeps power
    return np.concatenate([rates1, rates2, X_dot[:3, :3].ravel(), X_dot[:3, 3]])


def pose(x):
    return SE3(x[:9].reshape(3, 3), x[9:12])


def energy(x):
    kinetic = sum(P @ np.linalg.solve(I, P) / 2 for P, I in zip((x[12:18], x[30:36]), INERTIA, strict=True))
    return kinetic + LAW.energy(pose(x[36:]))


@pytest.mark.slow
def test_by_elements_whose_spring_has_a_pose_of_its_own():
    """The pose of the spring, integrated, stays that of the bodies; X_12 (X_1⁻¹ X_2)⁻¹ is a Casimir function."""
    parts = [np.concatenate([X.R.ravel(), X.r, I @ V]) for X, I, V in zip(START, INERTIA, TWISTS, strict=True)]
    between = START[0].inverse() @ START[1]
    x0 = np.concatenate([*parts, between.R.ravel(), between.r])
    assert energy(x0) == pytest.approx(ENERGY, abs=6e-11)
    x = solve_ivp(elements, (0, 5), x0, method="DOP853", rtol=1e-10, atol=1e-10).y[:, -1]
    X1, X2 = pose(x), pose(x[18:])
    assert_allclose([X1.r, X2.r], ENDS, atol=6e-7)
    assert energy(x) == pytest.approx(ENERGY, abs=1e-8)
    momentum = X1.coAd() @ x[12:18] + X2.coAd() @ x[30:36]
    assert_allclose(momentum, MOMENTUM, atol=6e-7)
    assert_allclose((pose(x[36:]) @ (X1.inverse() @ X2).inverse()).matrix, np.eye(4), atol=1e-8)
