"""Examples of Konz, section 4.7: prismatic, revolute, orientation, plane, SCARA, robot arm."""

from __future__ import annotations

import numpy as np
import plants
import pytest
from numpy.testing import assert_allclose
from plants import c, closed_loop, hold, random_gains, random_state

import visviva as vv
from visviva.geometry import SO3

APPROACHES = ("particle", "body", "energy")


# -- E1, prismatic (4.7.1) --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("approach", APPROACHES)
@pytest.mark.parametrize("key", ["rail", ("ground", "cart")])
def test_poles_of_a_sliding_body_are_those_of_its_gains(approach, key):
    law = c.tracking(plants.cart(), {key: c.gains(2.0, 5.0, 7.0)}, approach)
    assert_allclose(np.sort_complex(law.matching().poles), np.sort_complex(np.roots([2.0, 5.0, 7.0])), atol=1e-9)
    e = law.evaluate([0.3], [0.4], [0.1], [-0.2], [0.5])
    assert e.u == pytest.approx(3.0 * (0.5 - 5.0 / 2.0 * 0.6 - 7.0 / 2.0 * 0.2), rel=1e-12)
    assert pytest.approx(0.5 * 2.0 * 0.6**2 + 0.5 * 7.0 * 0.2**2, rel=1e-12) == e.W


# -- E2, revolute (4.7.2) ---------------------------------------------------------------------------------------------


def spun(law, rate, error=0.3, t_end=20.0):
    """Error after a time, of a reference that turns at a constant rate."""

    def goal(t):
        return np.array([rate * t]), np.array([rate]), np.zeros(1)

    T, Q, _ = closed_loop(law, goal, np.array([error]), np.array([rate]), t_end, 5e-2)
    return (Q[:, 0] - rate * T + np.pi) % (2 * np.pi) - np.pi


@pytest.mark.parametrize("key", ["axle", ("ground", "wheel")])
@pytest.mark.parametrize(("rate", "poles"), [(1.9, (-0.5 + 0.374j, -0.5 - 0.374j)), (2.1, (0.312, -1.312))])
def test_particles_lose_stiffness_with_the_speed_of_a_turning_reference(key, rate, poles):
    three = (0, 0, 0)
    gains = (
        c.gains(1.0, 1.0, 4.0)
        if key == "axle"
        else c.gains((0, three, (0, 0, 1)), (0, three, (0, 0, 1)), (0, three, (0, 0, 4)))
    )
    law = c.tracking(plants.wheel(), {key: gains}, "particle")
    h = 1e-6

    def a(e, de):
        return law.evaluate([e], [rate + de], [0.0], [rate], [0.0]).a[0]

    K, D = -(a(h, 0) - a(-h, 0)) / (2 * h), -(a(0, h) - a(0, -h)) / (2 * h)
    found = np.roots([1.0, D, K])
    assert_allclose(np.sort_complex(found), np.sort_complex(np.array(poles, dtype=complex)), atol=1e-3)
    assert pytest.approx(4.0 - rate**2, abs=1e-6) == K


@pytest.mark.slow
@pytest.mark.parametrize("rate", [1.9, 2.1])
def test_body_and_energy_based_revolute_loops_converge_at_any_speed(rate):
    gains = {"axle": c.gains(1.0, 1.0, 4.0)}
    for approach in ("body", "energy"):
        assert abs(spun(c.tracking(plants.wheel(), gains, approach), rate)[-1]) < 1e-3
    particle = spun(c.tracking(plants.wheel(), gains, "particle"), rate)
    assert (abs(particle[-1]) < 1e-2) == (rate < 2.0)


def test_energy_rate_of_a_revolute_particle_loop_is_4_77b():
    Th, Up, Pi = 1.3, 0.7, 4.0
    law = c.tracking(plants.wheel(), {"axle": c.gains(Th, Up, Pi)}, "particle")
    th, w, w_R, a_R = 0.8, 1.1, -0.6, 0.9
    e = law.evaluate([th], [w], [0.0], [w_R], [a_R])
    wanted_a = a_R * np.cos(th) + w_R**2 * np.sin(th) - (Up * (w - w_R * np.cos(th)) + Pi * np.sin(th)) / Th
    assert e.a == pytest.approx(wanted_a, rel=1e-12)
    assert pytest.approx(Th / 2 * (w**2 - 2 * w * w_R * np.cos(th) + w_R**2) + Pi * (1 - np.cos(th)), rel=1e-12) == e.W


# -- E3, orientation (4.7.3) ------------------------------------------------------------------------------------------

PI = np.array([2.0, 3.0, 4.0])


def orientation(approach):
    three = (0, 0, 0)
    gains = c.gains((0, three, (0.3, 0.4, 0.5)), (0, three, (1.0, 1.0, 1.0)), (0, three, PI))
    return c.tracking(plants.top(), {("ground", "top"): gains}, approach, weight=np.ones(6))


def test_critical_points_of_an_orientation_are_half_turns_about_principal_axes():
    law = orientation("body")
    points = law.template.critical_points(starts=40)
    assert_allclose([p.V for p in points], [0.0, *(2 * PI)], atol=1e-9)
    assert [p.falling for p in points] == [0, 1, 2, 3]
    assert [p.kind for p in points] == ["minimum", "saddle", "saddle", "maximum"]
    for i, p in enumerate(points[1:]):
        assert_allclose(SO3.from_quat(p.q).R, 2 * np.outer(np.eye(3)[i], np.eye(3)[i]) - np.eye(3), atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("approach", APPROACHES)
def test_orientation_converges_from_nearly_a_half_turn_and_stays_at_one(approach):
    law = orientation(approach)
    d, still = law.d, np.zeros(3)
    goal = hold(d, np.array(d.q_built))
    for degrees, reached in ((179.0, True), (180.0, False)):
        q = d.coordinates({"ball": SO3.exp(np.deg2rad(degrees) * np.eye(3)[0])})
        if degrees == 180.0:
            q = np.array([0.0, 1.0, 0.0, 0.0])
        _, Q, _ = closed_loop(law, goal, q, still, 10.0 if reached else 1.0, 4e-2)
        assert (abs(abs(Q[-1, 0]) - 1.0) < 1e-4) == reached


# -- E4, plane (4.7.4, 4.7.5) -----------------------------------------------------------------------------------------


def plane_law(approach):
    gains = c.gains((1.0, (0, 0, 0), (0, 0, 1.0)), (4.0, (0, 0, 0), (0, 0, 4.0)), (4.0, (0, 0, 0), (0, 0, 20.0)))
    return c.tracking(plants.plate(), {("ground", "plate"): gains}, approach, weight=np.ones(6))


def turning(d):
    k = d.names.index("plane.rate[0]")

    def goal(t):
        v = np.zeros(3)
        v[k] = np.pi
        return d.coordinates({"plane": (np.pi * t, 0.0, 0.0)}), v, np.zeros(3)

    return goal


@pytest.mark.slow
@pytest.mark.parametrize(
    ("approach", "W_r", "norms"),
    [
        ("particle", 2.0, (3 * np.exp(-2), 7 * np.exp(-6))),
        ("body", 2.0 + np.pi**2 / 2, (np.exp(-2) * np.hypot(3, np.pi), np.exp(-6) * np.hypot(7, 3 * np.pi))),
        ("energy", 2.0 + np.pi**2 / 2, (0.3743, 0.1351)),
    ],
)
def test_translation_beside_a_turning_reference(approach, W_r, norms):
    law = plane_law(approach)
    d, goal = law.d, turning(law.d)
    at = d.coordinates({"plane": (0.0, 1.0, 0.0)})  # one metre along the first axis of the plane
    r0 = d.pose("plate", at).r
    W = law.evaluate(at, np.zeros(3), *goal(0.0)).W - np.pi**2 / 2  # less that of turning
    assert pytest.approx(W_r, abs=1e-6) == W
    T, Q, V = closed_loop(law, goal, at, np.zeros(3), 3.0, 1e-2)
    r = d.pose("plate", Q).r
    for t, norm in zip((1.0, 3.0), norms, strict=True):
        assert np.linalg.norm(r[round(t / 1e-2)]) == pytest.approx(norm, abs=1e-4)
    energies = [law.evaluate(q, v, *goal(t)).W for t, q, v in zip(T[::20], Q[::20], V[::20], strict=True)]
    if approach == "particle":  # turning particles gain energy from the reference, translation does not
        shifts = [d.names.index(f"plane.rate[{i}]") for i in (1, 2)]
        energies = [v[shifts] @ v[shifts] / 2 + 2 * x @ x for v, x in zip(V[::20], r[::20], strict=True)]
    assert (np.diff(energies) < 0).all()
    if approach == "particle":
        across = np.cross(r0, (0, 0, 1))
        assert np.abs(r @ across).max() < 1e-9  # straight in space
    assert {"particle": 0.4060, "body": 0.5879, "energy": 0.3743}[approach] == pytest.approx(norms[0], abs=1e-4)


def test_roots_of_translation_beside_a_turning_reference():
    """ë + ω × ė + 4 ė + 4 e = 0 in axes of the reference: -0.537 ± 0.576i, -3.463 ± 3.718i; and -2 four times."""
    found = {}
    for approach in APPROACHES:
        law = plane_law(approach)
        d, goal = law.d, turning(law.d)
        q_R, v_R, a_R = goal(0.0)
        A, h = np.zeros((4, 4)), 1e-5
        A[:2, 2:] = np.eye(2)
        for k in range(4):
            e = h * np.eye(4)[k]
            sides = []
            for s in (1, -1):
                p, p_dot = s * e[:2], s * e[2:]  # error in axes of the reference, and its rate
                q = d.coordinates({"plane": (0.0, *p)})
                v = np.zeros(3)
                v[[d.names.index(f"plane.rate[{i}]") for i in range(3)]] = (
                    np.pi,
                    *(p_dot + np.pi * np.array([-p[1], p[0]])),
                )
                a = law.evaluate(q, v, q_R, v_R, a_R).a
                world = a[[d.names.index(f"plane.rate[{i}]") for i in (1, 2)]]
                turn = np.array([[0, -1], [1, 0]])
                sides.append(world - 2 * np.pi * turn @ p_dot + np.pi**2 * p)
            A[2:, k] = (sides[0] - sides[1]) / (2 * h)
        found[approach] = np.linalg.eigvals(A)
    energy = np.sort_complex(found["energy"])
    assert_allclose(energy, [-3.463 - 3.718j, -3.463 + 3.718j, -0.537 - 0.576j, -0.537 + 0.576j], atol=1e-3)
    assert_allclose(np.poly(found["body"]), np.poly([-2.0] * 4), atol=1e-5)
    rotated = found["particle"]  # those of space, seen from axes that turn: -2 ± iπ, twice
    assert_allclose(np.poly(rotated), np.poly([-2 + 1j * np.pi] * 2 + [-2 - 1j * np.pi] * 2).real, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("approach", "norms"), [("particle", (0.4060, 0.01735)), ("body", (0.5879, 0.02910)), ("energy", (0.3743, 0.1351))]
)
def test_a_sampled_run_comes_near_to_the_loop_in_continuous_time(approach, norms):
    law = plane_law(approach)
    sampled = vv.Sampled(law.at(turning(law.d)), period=4e-3)
    run = vv.simulate(plants.plate(), t_end=3.0, h=4e-3, initial={"plane.q": (0.0, 1.0, 0.0)}, sampled=sampled)
    assert_allclose(np.linalg.norm(run["plate.r"][[250, 750]], axis=1), norms, atol=6e-3)
    assert run.audit().ok


# -- E5, SCARA (4.7.6) ------------------------------------------------------------------------------------------------

L1, L2 = 0.4, 0.3


def by_joints(approach):
    return c.tracking(plants.scara(), {"first": c.gains(0.5, 2.0, 3.0), "second": c.gains(0.4, 1.5, 2.0)}, approach)


def by_tool(approach, mass=1.0):
    own = c.point_gains((L2, 0, 0), mass=mass, damping=4.0 * mass, stiffness=5.0 * mass)
    return c.tracking(plants.scara(), {("ground", "two"): own}, approach)


def test_scara_equations_are_4_102():
    d = vv.dynamics(plants.scara())
    q, v = np.array([0.3, -1.1]), np.array([0.7, -0.4])
    m2, sx, sy = 1.2, 0.12, 0.02
    T1, T2 = 0.03 + 2.0 * 0.15**2, 0.015 + m2 * (sx**2 + sy**2)
    a = m2 * L1 * (sx * np.cos(q[1]) - sy * np.sin(q[1]))
    a_ = -m2 * L1 * (sx * np.sin(q[1]) + sy * np.cos(q[1]))
    assert_allclose(d.mass_matrix(q), [[T1 + T2 + m2 * L1**2 + 2 * a, T2 + a], [T2 + a, T2]], atol=1e-10)
    assert_allclose(d.bias(q, v), [a_ * (2 * v[0] * v[1] + v[1] ** 2), -a_ * v[0] ** 2], atol=1e-10)


def test_scara_joint_loops_are_decoupled_pendulums():
    for approach in ("body", "energy"):
        law = by_joints(approach)
        q, v, q_R, v_R, a_R = random_state(law.d, 3)
        e, de = q - q_R, v - v_R
        wanted = a_R - np.array([2.0 / 0.5, 1.5 / 0.4]) * de - np.array([3.0 / 0.5, 2.0 / 0.4]) * np.sin(e)
        assert_allclose(law.evaluate(q, v, q_R, v_R, a_R).a, wanted, atol=1e-10)


def test_joint_gains_are_those_of_the_pairs_that_joints_make():
    three = (0, 0, 0)

    def about_z(*moments):
        return c.gains(*((0, three, (0, 0, k)) for k in moments))

    pairs = {("ground", "one"): about_z(0.5, 2.0, 3.0), ("one", "two"): about_z(0.4, 1.5, 2.0)}
    for approach in APPROACHES:
        x = random_state(by_joints(approach).d, 3)
        own, other = by_joints(approach).evaluate(*x), c.tracking(plants.scara(), pairs, approach).evaluate(*x)
        assert_allclose(own.u, other.u, atol=1e-10)
        assert_allclose([own.W, own.W_dot], [other.W, other.W_dot], rtol=1e-10)


@pytest.mark.parametrize("approach", APPROACHES)
def test_scara_tool_obeys_a_linear_equation_by_particles_and_by_energy(approach):
    law = by_tool(approach)
    d = law.d
    q, v, q_R, v_R, a_R = (
        np.array([0.2, 0.9]),
        np.array([0.5, -0.7]),
        np.array([-0.3, 1.2]),
        np.array([0.4, 0.6]),
        np.array([0.3, -0.8]),
    )
    a = law.evaluate(q, v, q_R, v_R, a_R).a

    def tool(q, v, a):
        J = d.jacobian("tool", q)[3:]
        return d.pose("tool", q).r, J @ v, J @ a + d.bias_acceleration("tool", q, v)[3:]

    e, de, dde = (x - y for x, y in zip(tool(q, v, a), tool(q_R, v_R, a_R), strict=True))
    off = np.abs(dde + 4.0 * de + 5.0 * e).max()
    assert off < 1e-10 if approach != "body" else off > 1e-2


def test_scara_determinants():
    law, still = by_tool("particle", 1.7), np.zeros(2)
    q = np.array([0.4, 0.8])
    M = law.template.at(q, still, q, still, still).template.M_bar
    assert np.linalg.det(M) == pytest.approx((1.7 * L1 * L2 * np.sin(0.8)) ** 2, rel=1e-10)
    J = law.d.jacobian("tool", q)[3:5]
    assert np.linalg.det(J) == pytest.approx(L1 * L2 * np.sin(0.8), rel=1e-10)


def test_scara_potentials_have_2_1_3_and_1_1_2_critical_points():
    q_R = np.array([0.0, np.pi / 2])
    joints = by_joints("body").template.critical_points(q_R, starts=60)
    assert c.census(joints) == {"minimum": 1, "maximum": 1, "saddle": 2, "degenerate": 0}
    tool = by_tool("particle").template.critical_points(q_R, starts=80)
    assert c.census(tool) == {"minimum": 2, "maximum": 1, "saddle": 3, "degenerate": 0}
    angles = (np.array([p.q for p in tool]) + np.pi) % (2 * np.pi) - np.pi
    low = angles[np.argsort([abs(a[1] - np.pi / 2) for a in angles[:2]])]
    assert_allclose(low, [[0.0, np.pi / 2], [1.2870, -np.pi / 2]], atol=1e-4)
    assert pytest.approx(0.72 * 5.0, abs=1e-9) == tool[-1].V
    assert_allclose(angles[-1], [-2.498, 0.0], atol=1e-3)


@pytest.mark.slow
def test_scara_tool_arrives_with_either_elbow_and_joints_with_the_right_one_only():
    q_R, start, still = np.array([0.0, np.pi / 2]), np.array([1.0, -1.2]), np.zeros(2)
    d = by_joints("body").d
    goal = hold(d, q_R)
    for law, right in ((by_joints("body"), True), (by_tool("particle"), False)):
        _, Q, _ = closed_loop(law, goal, start, still, 7.0, 2e-2)
        assert_allclose(d.pose("tool", Q[-1]).r, d.pose("tool", q_R).r, atol=1e-4)
        assert (abs(Q[-1, 1] - np.pi / 2) < 1e-2) == right


# -- E6, robot arm (4.7.7) --------------------------------------------------------------------------------------------


def arm_determinant(q, l1=0.3, l2=0.6, l3=0.5):
    return -l2 * l3 * (l1 + l2 * np.sin(q[1]) + l3 * np.cos(q[1] + q[2])) * np.cos(q[2]) * np.sin(q[4])


def test_determinant_of_the_arm_is_4_116():
    d = vv.dynamics(plants.robot_arm())
    order = [3, 4, 5, 0, 1, 2]  # (v; ω): an even number of exchanges of rows keeps the sign or not, see below
    sign = np.linalg.det(np.eye(6)[order])
    for seed in range(5):
        q = random_state(d, seed)[0]
        det = np.linalg.det(d.jacobian("tool", q, "body")) * sign
        assert det == pytest.approx(arm_determinant(q), abs=1e-10)
    for k, value in ((4, 0.0), (2, np.pi / 2)):
        q = random_state(d, 1)[0]
        q[k] = value
        assert abs(np.linalg.det(d.jacobian("tool", q, "body"))) < 1e-12


def test_work_space_transport_of_the_arm_satisfies_4_46_and_its_determinant():
    law = c.tracking(plants.robot_arm(), {("ground", "tool"): random_gains(2)}, "energy")
    d = law.d
    q, v, q_R, v_R, a_R = random_state(d, 4)
    assert law.template.transport_defect(q, q_R) < 1e-10
    t = law.template.at(q, v, q_R, v_R, a_R).template
    X_E = d.pose("tool", q_R).inverse() @ d.pose("tool", q)
    J, J_R = d.jacobian("tool", q, "body"), d.jacobian("tool", q_R, "body")
    assert_allclose(J @ t.v_E, J @ v - X_E.inverse().Ad() @ J_R @ v_R, atol=1e-9)
    body = c.tracking(plants.robot_arm(), {("ground", "tool"): random_gains(2)}, "body").evaluate(q, v, q_R, v_R, a_R)
    assert pytest.approx(t.T, rel=1e-9) == body.T


def test_work_space_loop_of_the_arm_is_that_of_a_free_body():
    """The tool accelerates as a free body under the same law does."""
    gains = random_gains(2)
    m = vv.Mechanism("free tool")
    m.wrench("hand", m.body("tool", mass=1.0, inertia=(1, 1, 1)))
    for approach in APPROACHES:
        arm = c.tracking(plants.robot_arm(), {("ground", "tool"): gains}, approach)
        free = c.tracking(m, {("ground", "tool"): gains}, approach)
        d, x = arm.d, random_state(arm.d, 4)

        def lifted(q, v, a, d=d):
            X, J = d.pose("tool", q), d.jacobian("tool", q, "body")
            return plants.pose_coordinates(X.r, X.R), J @ v, J @ a + d.bias_acceleration("tool", q, v, "body")

        (q, v, _), (q_R, v_R, a_R) = lifted(x[0], x[1], 0 * x[1]), lifted(*x[2:])
        a = free.evaluate(q, v, q_R, v_R, a_R).a
        assert_allclose(lifted(x[0], x[1], arm.evaluate(*x).a)[2], a, atol=1e-8 * np.abs(a).max())
