"""Mechanisms M1 to M7 and M9 of the screw-theoretic acceptance tests, each simulated in at least two ways.

Reference of all of them is DOP853 on the accelerations of the assembled mechanism; the second way is a differential
equation or a quadrature by hand, and the director scheme, extrapolated.
"""

from __future__ import annotations

import numpy as np
import pytest
from index1_reference import Index1
from mechanism_models import bennett, bennett_joints, cylindrical_pair
from scipy.integrate import quad, solve_ivp
from scipy.special import ellipk

import visviva as vv

pytestmark = pytest.mark.slow
G = 9.81


def solved(rate, start, t):
    """An ordinary differential equation to rounding."""
    found = solve_ivp(rate, (0, t), start, "DOP853", rtol=1e-13, atol=1e-14)
    assert found.success
    return found.y[:, -1]


def extrapolated(end, h):
    """Two runs of order 2 as one of order 4."""
    return (4 * end(h / 2) - end(h)) / 3


def final(m, t_end, h, *names, integrator=None):
    """The last values of some quantities, as one vector."""
    run = vv.simulate(m, t_end=t_end, h=h, integrator=integrator, every=round(t_end / h))
    return np.concatenate([np.ravel(run[name][-1]) for name in names])


def rod(m, name, a, b, mass=1.0):
    """A thin rod between two points: J = diag(1e-3, m l²/12, m l²/12) about its axis and across."""
    a, b = np.array(a, float), np.array(b, float)
    along = (b - a) / np.linalg.norm(b - a)
    lateral = mass * (b - a) @ (b - a) / 12
    J = lateral * np.eye(3) + (1e-3 - lateral) * np.outer(along, along)
    return m.body(name, mass=mass, inertia=J, at=(a + b) / 2)


# -- M1: free body -----------------------------------------------------------------------------------------------------

M1_TWIST = np.array([0.1, 2, 0.1, 1, 0, 0.5])


def free_body():
    m = vv.Mechanism("M1")
    m.body("body", mass=2.0, inertia=(2, 3, 4), twist=M1_TWIST)
    return m


def test_free_body_M1():
    """Ṗ = ad_Tᵀ P in body axes, by hand and by index-1 accelerations; P_v² = 5 and P_ω·P_v = 0.8 are Casimirs."""
    inertia = np.array([2, 3, 4, 2, 2, 2.0])

    def momentum_rate(_, P):
        w, v = np.split(P / inertia, 2)
        return np.concatenate([np.cross(P[:3], w) + np.cross(P[3:], v), np.cross(P[3:], w)])

    P = solved(momentum_rate, inertia * M1_TWIST, 10.0)
    expected = (-0.471885, -1.927805, 0.341083, 0.981652, -0.328929, -0.422097)
    np.testing.assert_allclose(P / inertia, expected, atol=6e-7)
    assert P[3:] @ P[3:] == pytest.approx(5, rel=1e-11)
    assert P[:3] @ P[3:] == pytest.approx(0.8, rel=1e-11)
    reference = Index1(free_body())
    np.testing.assert_allclose(reference.twist(reference.states(10.0)[-1], "body"), P / inertia, atol=1e-9)
    assert reference.model.H(reference.x0) == pytest.approx(7.28, rel=1e-14)


def test_free_body_M1_by_the_director_scheme():
    """Momentum (.2, 6, .4, 2, 0, 1) to rounding; error of the pose 2.44e-4, 6.09e-5, 1.52e-5, of order 2."""
    m, reference = free_body(), Index1(free_body())
    exact = reference.pose(reference.states(1.0)[-1], "body")
    for h, error in ((0.02, 2.44e-4), (0.01, 6.09e-5), (0.005, 1.52e-5)):
        run = vv.simulate(m, t_end=1.0, h=h)
        spatial = np.broadcast_to([0.2, 6, 0.4, 2, 0, 1], (len(run.t), 6))
        np.testing.assert_allclose(run["momentum"], spatial, atol=1e-14 * np.sqrt(len(run.t)) * 6)
        gap = np.concatenate([run["body.r"][-1] - exact[0], (run["body.R"][-1] - exact[1]).ravel()])
        assert np.abs(gap).max() == pytest.approx(error, rel=5e-3)


# -- M2, M3: pendulums -------------------------------------------------------------------------------------------------


def pendulum(links):
    """Rods of 1 kg and 1 m in a row, hinged about z, released horizontally."""
    m = vv.Mechanism("pendulum", gravity=(0, -G, 0))
    parent = m.ground
    for i in range(links):
        child = rod(m, f"rod{i}", (i, 0, 0), (i + 1, 0, 0))
        m.revolute(f"hinge{i}", parent, child, at=(i, 0, 0), axis=(0, 0, 1))
        parent = child
    return m


def angle_of(reference, x, body):
    """Absolute angle of a body about z, in (-π, π]."""
    R = reference.pose(x, body)[1]
    return np.arctan2(R[..., 1, 0], R[..., 0, 0])


def test_rod_pendulum_M2():
    """θ̈ = -3g/2 cos θ: θ(1) = -3.1334180448; back, at rest, after 4 K(½) √(2/(3g)) = 1.9333348544 s."""
    by_hand = solved(lambda _, y: (y[1], -1.5 * G * np.cos(y[0])), (0, 0), 1.0)
    assert by_hand[0] == pytest.approx(-3.1334180448, abs=6e-11)
    m, period = pendulum(1), 4 * ellipk(0.5) * np.sqrt(2 / (3 * G))
    assert period == pytest.approx(1.9333348544, abs=6e-11)
    reference = Index1(m)
    first, back = reference.states([1.0, period])
    assert angle_of(reference, first, "rod0") == pytest.approx(by_hand[0], abs=1e-9)
    assert angle_of(reference, back, "rod0") == pytest.approx(0, abs=1e-9)
    assert reference.twist(back, "rod0")[2] == pytest.approx(0, abs=1e-9)
    ours = extrapolated(lambda h: final(m, 1.0, h, "hinge0.q", "hinge0.rate"), 2e-3)
    np.testing.assert_allclose(ours, by_hand, atol=1e-8)


def test_the_hinge_of_a_rod_released_horizontally_carries_a_quarter_of_its_weight():
    m = pendulum(1)
    run = vv.simulate(m, t_end=0.01, h=1e-3)
    np.testing.assert_allclose(np.linalg.norm(run["hinge0.reaction"][0, 3:]), G / 4, rtol=1e-12)


def test_double_pendulum_M3():
    """Absolute angles from M(θ) θ̈ = f, written down for two uniform rods."""

    def rate(_, y):
        (a, b), (p, q) = y[:2], y[2:]
        c, s = np.cos(a - b), np.sin(a - b)
        M = np.array([[4 / 3, c / 2], [c / 2, 1 / 3]])
        f = (-1.5 * G * np.cos(a) - s / 2 * q**2, -0.5 * G * np.cos(b) + s / 2 * p**2)
        return np.concatenate([y[2:], np.linalg.solve(M, f)])

    by_hand = solved(rate, np.zeros(4), 1.0)
    np.testing.assert_allclose(by_hand, (-2.7785125650, -2.3851873499, -3.4065175330, -0.5160454721), atol=6e-11)
    m = pendulum(2)
    reference = Index1(m)
    x = reference.states(1.0)[-1]
    found = [angle_of(reference, x, f"rod{i}") for i in range(2)] + [reference.twist(x, f"rod{i}")[2] for i in range(2)]
    np.testing.assert_allclose(found, by_hand, atol=1e-9)
    joints = extrapolated(lambda h: final(m, 1.0, h, "hinge0.q", "hinge1.q", "hinge0.rate", "hinge1.rate"), 1e-3)
    absolute = (joints[0], joints[0] + joints[1], joints[2], joints[2] + joints[3])
    np.testing.assert_allclose(absolute, by_hand, atol=1e-7)


# -- M4, M5: loops -----------------------------------------------------------------------------------------------------


def parallelogram():
    m = vv.Mechanism("M4", gravity=(0, -G, 0))
    c, s = np.cos(-np.pi / 6), np.sin(-np.pi / 6)
    points = {"A": (0, 0, 0), "B": (c, s, 0), "C": (c + 2, s, 0), "D": (2, 0, 0)}
    rod(m, "left", points["A"], points["B"])
    rod(m, "coupler", points["B"], points["C"], 2.0)
    rod(m, "right", points["C"], points["D"])
    ends = {"A": ("ground", "left"), "B": ("left", "coupler"), "C": ("coupler", "right"), "D": ("ground", "right")}
    for name, (parent, child) in ends.items():
        m.revolute(name, parent, child, at=points[name], axis=(0, 0, 1))
    return m


def test_parallelogram_M4():
    """(8/3) θ̈ = -3 g cos θ from -30°; rank 17 of 20 rows."""
    by_hand = solved(lambda _, y: (y[1], -9 / 8 * G * np.cos(y[0])), (-np.pi / 6, 0), 0.5)
    assert by_hand[0] == pytest.approx(-1.5460910800, abs=6e-11)
    m = parallelogram()
    reference = Index1(m)
    x = reference.states(np.array([0.0, 0.5]))
    assert (len(reference.rows), reference.redundant) == (17, 3)
    assert [reference.model.accelerations(state).rank for state in x] == [17, 17]
    assert (m.mobility(), m.redundant()) == (1, {"D": 3})
    assert angle_of(reference, x[-1], "left") - np.pi / 6 == pytest.approx(by_hand[0], abs=1e-8)
    energy = reference.model.H(x)
    assert abs(energy[-1] - energy[0]) <= 1e-9
    ours = extrapolated(lambda h: final(m, 0.5, h, "A.q", "A.rate"), 2e-3)
    np.testing.assert_allclose(ours, (by_hand[0] + np.pi / 6, by_hand[1]), atol=1e-8)
    assert vv.simulate(m, t_end=0.5, h=5e-3).audit().drift <= 1e-10


def bennett_inertia(angle):
    """A(θ1) with E = ½ A θ̇1²: rates of the hinges from the null vector of their screws, energy of the links."""
    axes, points, _ = bennett_joints(angle)
    screws = np.array([np.concatenate([z, np.cross(r, z)]) for z, r in zip(axes, points, strict=True)])
    rates = np.linalg.svd(screws.T)[2][-1]
    rates = rates / rates[0]
    total = 0.0
    for k in range(3):  # link k moves by the hinges up to its own
        w, v = np.split(rates[: k + 1] @ screws[: k + 1], 2)
        centre = (points[k] + points[k + 1]) / 2
        velocity = v + np.cross(w, centre)
        total += velocity @ velocity + 0.1 * w @ w
    return total


def test_bennett_M5():
    """θ1(1) = 1.596082442 from t = ∫ √(A/2E) dθ1, E = 0.3869794180; four skew hinges, one degree of freedom."""
    axes, points, angles = bennett_joints(0.7)
    assert angles[1] == pytest.approx(2.8184807987, abs=6e-11)
    screws = np.array([np.concatenate([z, np.cross(r, z)]) for z, r in zip(axes, points, strict=True)])
    sizes = np.linalg.svd(screws.T, compute_uv=False)
    np.testing.assert_allclose(sizes[:3], (2.466186, 1.544177, 0.971769), atol=6e-7)
    assert sizes[3] < 1e-14
    E = 0.5 * bennett_inertia(0.7)
    np.testing.assert_allclose(E, 0.3869794180, atol=6e-11)
    t, _ = quad(lambda angle: np.sqrt(bennett_inertia(angle) / (2 * E)), 0.7, 1.596082442, epsabs=1e-12, epsrel=1e-12)
    assert t == pytest.approx(1.0, abs=2e-9)
    m = bennett()
    assert (m.mobility(), m.redundant()) == (1, {"hinge4": 3})
    reference = Index1(m)
    x = reference.states(1.0)[-1]
    assert reference.model.H(x) == pytest.approx(E, abs=1e-9)
    axis = bennett_joints(1.596082442)[1][1]  # the far end of the first link
    near, R = reference.pose(x, "first")
    np.testing.assert_allclose(near + R @ (points[1] - (points[0] + points[1]) / 2), axis, atol=5e-9)
    ours = extrapolated(lambda h: final(m, 1.0, h, "hinge1.q"), 5e-3)
    np.testing.assert_allclose(0.7 + ours, 1.596082442, atol=1e-7)


# -- M6: two bodies and a spatial spring -------------------------------------------------------------------------------


def spring_pair():
    m = vv.Mechanism("M6")
    c, s = np.cos(0.5), np.sin(0.5)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    first = m.body("first", mass=1.0, inertia=(0.1, 0.2, 0.3), twist=(0, 0, 0.3, 0, 0.1, 0))
    second = m.body(
        "second", mass=2.0, inertia=(0.2, 0.1, 0.2), at=(1.2, 0.1, 0), rotation=R, twist=(0.2, 0, 0, 0, 0, 0.4)
    )
    seat = m.frame("seat", first, at=(1, 0, 0))
    head = m.frame("head", second, at=(1.2, 0.1, 0), rotation=R)
    m.trace_spring("spring", seat, head, G=np.diag([1, 2, 3]), K=np.diag([10, 20, 30]))
    return m


def test_two_bodies_and_a_spring_M6():
    """E = .8497523143; momentum; both places after 5 s, from the spring's own state and from the poses."""
    m = spring_pair()
    reference = Index1(m)
    assert reference.model.H(reference.x0) == pytest.approx(0.8497523143, abs=6e-11)
    x = reference.states(5.0)[-1]
    expected = np.array([(0.790151, 0.361771, 0.576508), (0.804924, 0.169115, 1.711746)])
    found = np.array([reference.pose(x, name)[0] for name in ("first", "second")])
    np.testing.assert_allclose(found, expected, atol=6e-7)
    assert reference.model.H(x) == pytest.approx(0.8497523143, abs=1e-9)
    (r1, R1), (r2, R2) = (reference.pose(x, name) for name in ("first", "second"))
    turn, gap = R1.T @ R2, R1.T @ (r2 - r1) - (1, 0, 0)
    energy = np.trace(np.diag([1, 2, 3]) @ (np.eye(3) - turn)) + 0.5 * gap @ (np.array([10, 20, 30]) * gap)
    assert reference.model.energies(x)["spring"] == pytest.approx(energy, abs=1e-9)
    run = vv.simulate(m, t_end=5.0, h=5e-3)
    momentum = np.broadcast_to([0.1151033, -0.940823, 0.09, 0, 0.1, 0.8], (len(run.t), 6))
    np.testing.assert_allclose(run["momentum"], momentum, atol=6e-7)
    np.testing.assert_allclose(run["momentum"], np.broadcast_to(run["momentum"][0], momentum.shape), atol=1e-12)
    np.testing.assert_allclose(run["energy"], run["energy"][0], rtol=1e-12)
    ours = extrapolated(lambda h: final(m, 5.0, h, "first.r", "second.r"), 5e-3)
    np.testing.assert_allclose(ours.reshape(2, 3), found, atol=2e-6)


# -- M7, M9 ------------------------------------------------------------------------------------------------------------


def heavy_top():
    """m = 1, l = ½, J = (.1, .1, .05), 60° from the vertical, precession 2, ω3 = 56.05."""
    c, s = np.cos(np.pi / 3), np.sin(np.pi / 3)
    R = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    w = R.T @ (0, 0, 2.0)
    w[2] = 56.05
    m = vv.Mechanism("M7", gravity=(0, 0, -G))
    top = m.body("top", mass=1.0, inertia=(0.1, 0.1, 0.05), com=(0, 0, 0.5), rotation=R, twist=(*w, 0, 0, 0))
    m.spherical("pivot", m.ground, top, at=(0, 0, 0))
    return m


def test_steady_precession_M7():
    """m g l = Ω (J3 ω3 - J1 Ω cos θ) with J1 about the pivot: cos θ(2) = ½, azimuth 4 rad."""
    assert pytest.approx(G / 2, rel=1e-14) == 2 * (0.05 * 56.05 - (0.1 + 0.25) * 2 * 0.5)
    m = heavy_top()
    reference = Index1(m)
    for azimuth, axis, error in (
        (1.0, reference.pose(reference.states(0.5, rtol=1e-10)[-1], "top")[1][:, 2], 1e-8),
        (4.0, final(m, 2.0, 5e-4, "top.R", integrator=vv.Suzuki4(vv.PHMP())).reshape(3, 3)[:, 2], 1e-6),
    ):
        expected = (np.sqrt(0.75) * np.cos(azimuth), np.sqrt(0.75) * np.sin(azimuth), 0.5)
        np.testing.assert_allclose(axis, expected, atol=error)
    run = vv.simulate(m, t_end=0.5, h=1e-3)
    z = run["top.R"][:, :, 2]
    azimuth = np.arctan2(z[-1, 1], z[-1, 0])
    np.testing.assert_allclose((abs(z[-1, 2] - 0.5), abs(azimuth - 1.0)), (3.0e-5, 3.6e-6), rtol=0.05)
    spin = run["momentum"][:, 2]
    np.testing.assert_allclose(spin, spin[0], rtol=1e-13)


def test_flying_cylindrical_pair_M9():
    """E = 108664.84375, momentum; u(.1) = 3.56851732; PH-MP at h = 1e-3: 2.5e-5 off, rates of constraints 7e-3."""
    m = cylindrical_pair(w=(1, 1.5, 0), turn=-100.0, offset=0.0)
    reference = Index1(m)
    assert reference.model.H(reference.x0) == pytest.approx(108664.84375, rel=1e-14)
    x = reference.states(0.1)[-1]
    (r_A, R_A), (r_B, _) = reference.pose(x, "A"), reference.pose(x, "B")
    assert R_A[:, 2] @ (r_B - r_A) == pytest.approx(3.56851732, abs=6e-9)
    run = vv.simulate(m, t_end=0.1, h=1e-3)
    momentum = np.broadcast_to([322.75, 484.125, -1950, 0, 350, 106.5], (len(run.t), 6))
    np.testing.assert_allclose(run["momentum"], momentum, rtol=0, atol=1e-12 * 1950)
    np.testing.assert_allclose(run["energy"], 108664.84375, rtol=1e-14)
    assert np.abs(run["g"]).max() <= 3e-14
    place = np.concatenate([run["A.r"][-1] - r_A, run["B.r"][-1] - r_B])
    assert np.linalg.norm(place) == pytest.approx(2.5e-5, rel=0.5)
    assert 1e-3 < np.abs(run["g_v"]).max() < 5e-2
    assert np.abs(vv.simulate(m, t_end=0.1, h=1e-3, integrator=vv.PHMPGGL())["g_v"]).max() <= 1e-11
