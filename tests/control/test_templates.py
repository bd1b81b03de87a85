"""Laws of the closed-loop templates: gradients, transport, energy rates, equality at rest, covariance."""

from __future__ import annotations

import numpy as np
import plants
import pytest
from numpy.testing import assert_allclose
from plants import at_rest, c, random_gains, random_state

import visviva as vv
from visviva.control.kinematics import Ad, inverse
from visviva.control.templates import body_coriolis
from visviva.errors import ModelError
from visviva.geometry import SE3, SO3
from visviva.geometry.hat import skew
from visviva.geometry.inertia.euler import euler_tensor, inertia_tensor
from visviva.geometry.moments import axial2, matrix_of_moments, moment_wrench, moments_of_matrix

APPROACHES = ("particle", "body", "energy")


def free(approach, seed=3, **options):
    return c.tracking(plants.free_body(), {("ground", "body"): random_gains(seed)}, approach, **options)


def arm_law(approach, seed=3):
    gains = {("ground", "tool"): random_gains(seed), ("ground", "link3"): random_gains(seed + 1)}
    return c.tracking(plants.robot_arm(), gains, approach)


def workspace(approach, seed=3, **options):
    return c.tracking(plants.robot_arm(), {("ground", "tool"): random_gains(seed)}, approach, **options)


# -- A1: operators ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_operators_satisfy_the_identities_3_82_and_3_84(seed):
    rng = np.random.default_rng(seed)
    A, A4, b, xi, eta = (rng.normal(size=s) for s in ((3, 3), (4, 4), 3, 6, 6))
    assert_allclose(axial2(skew(b) @ A), inertia_tensor(A) @ b, atol=1e-12)
    assert_allclose(euler_tensor(inertia_tensor(A)), A, atol=1e-12)
    A4[3] = 0  # the bottom row is not seen by vee2
    P = rng.normal(size=(4, 4))
    P = P + P.T
    assert_allclose(moment_wrench(SE3.hat(xi) @ P), matrix_of_moments(P) @ xi, atol=1e-12)
    assert_allclose(moments_of_matrix(matrix_of_moments(P)), P, atol=1e-12)
    assert np.trace(SE3.hat(xi) @ P @ SE3.hat(eta).T) == pytest.approx(eta @ matrix_of_moments(P) @ xi)


@pytest.mark.parametrize("seed", range(5))
def test_rate_of_the_adjoint_of_an_error_is_minus_ad_times_it(seed):
    rng, h = np.random.default_rng(seed), 1e-4
    xi, X = rng.normal(size=6), SE3.exp(rng.normal(size=6))

    def A(s):
        return Ad(inverse((X @ SE3.exp(s * xi)).matrix))

    rate = (8 * (A(h) - A(-h)) - (A(2 * h) - A(-2 * h))) / (12 * h)
    assert_allclose(rate, -SE3.ad(xi) @ A(0.0), atol=1e-9)


# -- kinematics -------------------------------------------------------------------------------------------------------


def test_motion_of_a_pair_is_that_of_its_relative_pose():
    d = vv.dynamics(plants.robot_arm())
    q, v, *_ = random_state(d, 1)
    pairs = [("ground", "tool"), ("link2", "tool"), ("tool", "link4"), ("tool", "ground")]
    from visviva.control.kinematics import pair_motion

    x, h = pair_motion(d, pairs, q, v), 1e-5
    steps = {s: pair_motion(d, pairs, d.integrate(q, s * v), v) for s in (h, -h)}
    for k in range(len(pairs)):
        G_dot = (steps[h].G[k] - steps[-h].G[k]) / (2 * h)
        assert_allclose(SE3.vee(inverse(x.G[k]) @ G_dot), x.J[k] @ v, atol=1e-9)
        assert_allclose((steps[h].J[k] - steps[-h].J[k]) / (2 * h), x.J_dot[k], atol=1e-8)


# -- A2 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("law", [free("body"), arm_law("body"), workspace("body")], ids=["free", "arm", "work space"])
def test_spring_forces_are_the_gradient_of_the_potential(law):
    d, h = law.d, 1e-4
    q, v, q_R, v_R, a_R = random_state(d, 2)
    f = law.template.at(q, v, q_R, v_R, a_R).template.f_K
    V = [[law.template.potential(d.integrate(q, s * h * e), q_R) for s in (1, -1, 2, -2)] for e in np.eye(d.nv)]
    V = np.array(V)
    assert_allclose((8 * (V[:, 0] - V[:, 1]) - (V[:, 2] - V[:, 3])) / (12 * h), f, atol=1e-7)
    assert_allclose(law.template.potential_gradient(q, q_R), f, atol=1e-12)


@pytest.mark.parametrize("transport", ["twist", "centre"])
def test_transport_maps_of_a_free_body_satisfy_4_30(transport):
    law = free("energy", transport=transport)
    for seed in range(4):
        q, _, q_R, *_ = random_state(law.d, seed)
        assert law.template.transport_defect(q, q_R) < 1e-12


def test_transport_maps_of_a_free_body_are_4_42_and_4_43():
    gains = random_gains(3)
    h = gains.stiffness[:3, 3] / gains.stiffness[3, 3]
    q, v, q_R, v_R, a_R = random_state(vv.dynamics(plants.free_body()), 4)
    X_E = plants.transform(q_R).inverse() @ plants.transform(q)
    R = X_E.R.T
    wanted = {"twist": X_E.inverse().Ad(), "centre": np.block([[R, np.zeros((3, 3))], [skew(h) @ R - R @ skew(h), R]])}
    for kind, Q in wanted.items():
        t = free("energy", transport=kind).template.at(q, v, q_R, v_R, a_R).template
        assert_allclose(t.v_E, v - Q @ v_R, atol=1e-12)


@pytest.mark.parametrize(
    "law",
    [
        free("energy"),
        free("energy", transport="centre"),
        workspace("energy"),
        c.tracking(
            plants.scara(), {("ground", "two"): c.point_gains((0.3, 0, 0), mass=1, damping=2, stiffness=3)}, "energy"
        ),
    ],
    ids=["Ad", "centre", "work space", "tool point"],
)
def test_rates_of_transport_maps_are_their_differences(law):
    d, h = law.d, 1e-5
    q, v, q_R, v_R, a_R = random_state(d, 5, 0.4)
    if d.nv == 2:
        q, q_R = np.array([0.2, 0.9]), np.array([-0.3, 1.3])
    from visviva.control.templates import Reference, errors

    def at(s):
        t = law.template
        x_q, r_q = d.integrate(q, s * v), d.integrate(q_R, s * v_R)
        x, R = t.motion(x_q, v), Reference(t.motion(r_q, v_R), v_R, a_R)
        return t.map_at(x_q, v, r_q, v_R, x, R, errors(x, R, v, np.zeros(0)))

    assert_allclose((at(h).Q - at(-h).Q) / (2 * h), at(0.0).Q_dot, atol=2e-7 * max(1, np.abs(at(0.0).Q_dot).max()))


def test_the_printed_transport_map_4_115_is_refused():
    law = workspace("energy")
    d = law.d

    def printed(q, v, q_R, v_R):
        J, J_R = d.jacobian("tool", q, "body"), d.jacobian("tool", q_R, "body")
        return np.linalg.solve(J, J_R), np.zeros((6, 6))

    with pytest.raises(ModelError, match=r"violates ∇_R V̄ = -Qᵀ∇V̄ \(4\.30\) by"):
        workspace("energy", transport=printed)


def test_two_pairs_of_one_chain_have_no_transport_map():
    with pytest.raises(
        ModelError, match="Take approach='body', gains of pairs and joints that each velocity belongs to"
    ):
        arm_law("energy")


# -- A3 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_coriolis_matrix_of_a_body_is_skew_linear_and_gives_its_gyroscopic_wrench(seed):
    rng = np.random.default_rng(seed)
    M_, V, U = plants.random_moments(rng), rng.normal(size=6), rng.normal(size=6)
    M, C = matrix_of_moments(M_), body_coriolis(M_, V)
    assert_allclose(C, -C.T, atol=1e-12)
    assert_allclose(C @ V, -SE3.ad(V).T @ M @ V, atol=1e-12)
    assert_allclose(body_coriolis(M_, 2 * V - U), 2 * C - body_coriolis(M_, U), atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_coriolis_matrix_of_a_body_is_that_of_its_connection(seed):
    """Γ_kij of the left-invariant metric M: ½ (M[i, j] + M terms), by Koszul's formula on se(3)."""
    rng = np.random.default_rng(seed)
    M_, V = plants.random_moments(rng), rng.normal(size=6)
    M = matrix_of_moments(M_)
    basis, E = np.eye(6), body_coriolis(M_, V)
    koszul = np.zeros((6, 6))  # (∇_V X)·Y of left-invariant fields, with their constant coefficients
    for i in range(6):
        for j in range(6):
            X, Y = basis[i], basis[j]
            koszul[j, i] = ((SE3.ad(V) @ X) @ M @ Y - (SE3.ad(X) @ Y) @ M @ V + (SE3.ad(Y) @ V) @ M @ X) / 2
    assert_allclose(koszul, -koszul.T, atol=1e-12)
    assert_allclose(koszul, E, atol=1e-12)


# -- A4 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [free, workspace], ids=["free", "work space"])
@pytest.mark.parametrize("approach", APPROACHES)
def test_without_an_error_the_template_asks_for_the_reference_acceleration(make, approach):
    law = make(approach)
    _, _, q_R, v_R, a_R = random_state(law.d, 6)
    t = law.template.at(q_R, v_R, q_R, v_R, a_R).template
    assert_allclose(t.b_bar, -t.M_bar @ a_R, atol=1e-12 * np.abs(t.M_bar).max())
    assert abs(t.W) < 1e-12


@pytest.mark.parametrize("make", [free, workspace], ids=["free", "work space"])
def test_templates_are_one_at_a_reference_at_rest(make):
    laws = [make(approach) for approach in APPROACHES]
    x = at_rest(random_state(laws[0].d, 7))
    found = [law.template.at(*x).template for law in laws]
    for one in found[1:]:
        assert_allclose(one.b_bar, found[0].b_bar, atol=1e-11)
        assert_allclose([one.V, one.T], [found[0].V, found[0].T], rtol=1e-12)
    moving = random_state(laws[0].d, 7)
    b = [law.template.at(*moving).template.b_bar for law in laws]
    assert min(np.linalg.norm(b[i] - b[j]) for i, j in ((0, 1), (1, 2), (0, 2))) > 1e-2


# -- A5 ---------------------------------------------------------------------------------------------------------------


def moved(law, x, a, s):
    """State and reference after a time s."""
    q, v, q_R, v_R, a_R = x
    d = law.d
    return (
        d.integrate(q, s * v + s * s / 2 * a),
        v + s * a,
        d.integrate(q_R, s * v_R + s * s / 2 * a_R),
        v_R + s * a_R,
        a_R,
    )


@pytest.mark.parametrize(
    ("make", "approach"),
    [
        *((make, approach) for make in (free, workspace) for approach in APPROACHES),
        (arm_law, "particle"),
        (arm_law, "body"),
    ],
)
def test_predicted_rate_of_energy_is_its_difference(make, approach):
    law = make(approach)
    x = random_state(law.d, 8)
    a, h = law.evaluate(*x).a, 1e-4
    W = [law.template.at(*moved(law, x, a, s * h)).template.W for s in (1, -1)]
    e = law.evaluate(*x)
    assert (W[0] - W[1]) / (2 * h) == pytest.approx(e.W_dot, rel=1e-6)


@pytest.mark.parametrize(("make", "approach"), [(free, "body"), (free, "energy"), (workspace, "energy")])
@pytest.mark.parametrize("seed", range(3))
def test_energy_of_errors_falls_as_damping_says(make, approach, seed):
    law = make(approach, seed)
    e = law.evaluate(*random_state(law.d, seed))
    assert e.W_dot == pytest.approx(e.W_dot_template, rel=1e-9)
    assert e.W_dot < 0


def test_energy_of_particles_falls_so_for_a_reference_at_rest_alone():
    law = free("particle")
    x = random_state(law.d, 8)
    moving, still = law.evaluate(*x), law.evaluate(*at_rest(x))
    assert still.W_dot == pytest.approx(still.W_dot_template, rel=1e-9)
    assert abs(moving.W_dot - moving.W_dot_template) > 0.1 * abs(moving.W_dot_template)


def test_energy_of_several_bodies_does_not_fall_so_in_the_body_based_template():
    law = arm_law("body")
    e = law.evaluate(*random_state(law.d, 8))
    assert abs(e.W_dot - e.W_dot_template) > 1e-3 * abs(e.W_dot)


def test_a_template_with_the_error_in_place_of_the_velocity_in_its_coriolis_matrix_does_not_pass():
    """The printed (4.34) has ξ_E^k for ξ^k: then C̄ + C̄ᵀ is not the rate of M̄."""
    law = workspace("energy")
    d, h = law.d, 1e-5
    q, v, *_ = random_state(d, 3)
    from visviva.control.templates import coriolis

    P = law.template.parameters
    M = [law.template.linear(d.integrate(q, s * v))[0] for s in (h, -h)]
    M_dot = (M[0] - M[1]) / (2 * h)
    right, wrong = (coriolis(P, law.template.motion(q, w)) for w in (v, 0.3 * v))
    assert_allclose(right + right.T, M_dot, atol=1e-7 * np.abs(M_dot).max())
    assert np.abs(wrong + wrong.T - M_dot).max() > 0.1 * np.abs(M_dot).max()


# -- A6 ---------------------------------------------------------------------------------------------------------------


def absolute_scara(l1=0.4):
    """The SCARA with another tree: its second link by absolute position and angle, the first one hung on it."""
    m = vv.Mechanism("absolute scara")
    two = m.body("two", mass=1.2, inertia=(0.005, 0.01, 0.015), at=(l1, 0, 0), com=(0.12, 0.02, 0))
    one = m.body("one", mass=2.0, inertia=(0.01, 0.02, 0.03), com=(0.15, 0, 0))
    m.planar("place", m.ground, two, at=(l1, 0, 0), normal="z")
    m.revolute("second", two, one, at=(l1, 0, 0), axis="z")
    m.revolute("first", m.ground, one, at=(0, 0, 0), axis="z")
    m.wrench("hand", one)
    m.wrench("hand2", two)
    return m


@pytest.mark.parametrize("approach", ["particle", "body"])
def test_bodies_accelerate_alike_in_two_choices_of_coordinates(approach):
    gains = {("ground", "two"): random_gains(1), ("one", "two"): random_gains(2), ("ground", "one"): random_gains(4)}
    tree = c.tracking(plants.scara(), gains, approach)
    loop = c.tracking(absolute_scara(), gains, approach, independent="rank", weight=np.ones(12))
    assert loop.d.loops is not None

    def same(q, v, a):
        """Coordinates, velocities and accelerations of the same motion in the other mechanism."""
        e, t = loop.d, tree.d
        near = e.solve_pose({"one": t.pose("one", q), "two": t.pose("two", q)}, near=e.q_built)
        A = np.concatenate([e.jacobian(name, near, "body") for name in ("one", "two")])
        b = np.concatenate([t.jacobian(name, q, "body") @ v for name in ("one", "two")])
        w = np.linalg.lstsq(A, b, rcond=None)[0]
        rates = [
            t.jacobian(n, q, "body") @ a
            + t.bias_acceleration(n, q, v, "body")
            - e.bias_acceleration(n, near, w, "body")
            for n in ("one", "two")
        ]
        return near, w, np.linalg.lstsq(A, np.concatenate(rates), rcond=None)[0]

    q, v, q_R, v_R, a_R = random_state(tree.d, 9)
    x, w, _ = same(q, v, np.zeros(2))
    first, second = tree.evaluate(q, v, q_R, v_R, a_R), loop.evaluate(x, w, *same(q_R, v_R, a_R))
    assert_allclose(second.W, first.W, rtol=1e-10)
    assert_allclose(second.W_dot, first.W_dot, rtol=1e-10)
    assert_allclose(second.a, same(q, v, first.a)[2], atol=1e-10 * np.abs(first.a).max())


def test_gains_move_with_their_frame():
    """The same points, told in another frame of the body: M̄ and b̄ do not change."""
    m = plants.robot_arm().snapshot()
    m.frame("other", "link6", at=(0.4, 0.5, 0.6), rotation=SO3.exp([1.0, 0.2, -0.4]))
    d = vv.dynamics(m)
    q0 = np.array(d.q_built)
    X = (d.pose("other", q0).inverse() @ d.pose("tool", q0)).matrix
    own = random_gains(5)
    other = c.gains(*(X @ P @ X.T for P in (own.mass, own.damping, own.stiffness)))
    x = random_state(d, 3)
    for approach in APPROACHES:
        one = c.tracking(d, {("ground", "tool"): own}, approach).evaluate(*x)
        two = c.tracking(d, {("ground", "other"): other}, approach).evaluate(*x)
        assert_allclose(two.u, one.u, rtol=1e-9)
        assert_allclose(two.W, one.W, rtol=1e-10)
