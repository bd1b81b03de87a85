"""Commutation coefficients, scalar fields, connection and linearisation on redundant coordinates; T2-T4, T11."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from parameterisations import LEVI_CIVITA, arm, circle, euler_angles, moved, rotation

from visviva import ModelError
from visviva.forms import Parameterisation, coordinates
from visviva.forms.calculus.commutation import changed_commutation, commutation, commutation_slope, symbolic_commutation
from visviva.forms.calculus.connection import Metric, connection_coefficients
from visviva.forms.calculus.fields import Field
from visviva.forms.calculus.linear import linearised
from visviva.forms.calculus.stabilisation import projectors
from visviva.geometry import SE3, SO3, skew

RNG = np.random.default_rng(7)
ROTATIONS = {"matrix": rotation("matrix"), "quaternion": rotation("quaternion"), "angles": euler_angles()}
PLACES = {
    "matrix": SO3.exp([0.3, -0.8, 0.5]).R.T.ravel(),
    "quaternion": np.array([0.5, -0.1, 0.7, 0.5]),
    "angles": np.array([0.4, -0.9, 2.0]),
}


# -- examples of the text ------------------------------------------------------------------------------------------


def test_the_circle_has_one_velocity_that_is_integrable():
    p, q = circle(2.0), 2.0 * np.array([np.cos(1.0), np.sin(1.0)])
    p.check(q)
    assert p.n == 1
    assert commutation(p, q) == pytest.approx(0.0, abs=1e-15)


def test_rotation_matrices_have_six_independent_conditions():
    p, q = ROTATIONS["matrix"], PLACES["matrix"]
    assert np.linalg.matrix_rank(p.Phi(q)) == 6
    assert p.n == 3
    R, w = q.reshape(3, 3).T, np.array([0.3, -0.2, 0.9])
    np.testing.assert_allclose((p.A(q) @ w).reshape(3, 3).T, R @ skew(w), atol=1e-15)
    np.testing.assert_allclose(p.A(q).T @ p.A(q), 2 * np.eye(3), atol=1e-15)


@pytest.mark.parametrize("by", ["matrix", "quaternion"])
def test_projectors_split_all_directions(by):
    """(2.10): Y A = I, Y Φᵀ = 0, A Y + Ψ Φ = I."""
    p, q = ROTATIONS[by], PLACES[by] / (1 if by == "matrix" else np.linalg.norm(PLACES[by]))
    Y, Psi = projectors(p, q)
    np.testing.assert_allclose(Y @ p.A(q), np.eye(3), atol=1e-13)
    np.testing.assert_allclose(Y @ p.Phi(q).T, 0, atol=1e-13)
    np.testing.assert_allclose(p.A(q) @ Y + Psi @ p.Phi(q), np.eye(p.size_q), atol=1e-13)


@pytest.mark.parametrize("by", ROTATIONS)
def test_rotations_commute_by_levi_civita_in_all_coordinates(by):
    gamma = commutation(ROTATIONS[by], PLACES[by])
    np.testing.assert_allclose(gamma, LEVI_CIVITA, atol=1e-13)
    a = RNG.normal(size=3)
    np.testing.assert_allclose(np.einsum("ijk,i->kj", gamma, a), skew(a), atol=1e-12)  # row k, column j


def test_poses_commute_by_the_lie_bracket():
    """(3.49): 18 values, and [γ_ij^k ξʲ] = -ad(ξ)ᵀ."""
    p = coordinates.joined({("ground", "body"): coordinates.free("b", by="matrix")})
    gamma, xi = commutation(p, moved(p)), RNG.normal(size=6)
    assert (np.abs(gamma) > 1e-12).sum() == 18
    np.testing.assert_allclose(np.einsum("ijk,j->ik", gamma, xi), -SE3.ad(xi).T, atol=1e-13)


def test_plane_poses():
    p = coordinates.joined({("ground", "body"): coordinates.planar("b")})
    w, vx, vy = range(3)
    expected = np.zeros((3, 3, 3))
    expected[vy, w, vx] = expected[w, vx, vy] = 1  # γ_23^1 = γ_31^2 = 1 in the order (v_x, v_y, ω)
    np.testing.assert_allclose(commutation(p, moved(p)), expected - expected.swapaxes(0, 1), atol=1e-14)


def test_world_velocities_of_a_body_leave_the_block_of_rotations():
    """ξ' = (ω, ṙ), that is v = Rᵀ ṙ."""
    p = coordinates.joined({("ground", "body"): coordinates.free("b", by="matrix")})

    def B(q):
        R = np.array([q[3:6], q[6:9], q[9:12]]).T
        return np.block([[np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), R.T]])

    gamma = commutation(p.with_velocities([f"u{k}" for k in range(6)], B), moved(p))
    np.testing.assert_allclose(gamma[:3, :3, :3], LEVI_CIVITA, atol=1e-13)
    gamma[:3, :3, :3] = 0
    np.testing.assert_allclose(gamma, 0, atol=1e-13)


def test_symbols_give_the_same():
    p = rotation("quaternion")
    q = sympy.symbols(p.coordinates, real=True)
    gamma = symbolic_commutation(p.A_map.expressions(q), list(q))
    w, x, y, z = q
    unit = {w: sympy.sqrt(1 - x**2 - y**2 - z**2)}
    np.testing.assert_array_equal(np.vectorize(lambda e: float(sympy.simplify(e.subs(unit))))(gamma), LEVI_CIVITA)


# -- general laws --------------------------------------------------------------------------------------------------


def twisted():
    """Rotations in velocities that depend on the configuration, and a parameterisation without any symmetry."""
    mixed = rotation("quaternion").with_velocities(
        ("a", "b", "c"), lambda q: [[1, q.r_x, 0], [0, 2 + q.r_y, q.r_z], [q.r_w, 0, 1]]
    )
    curved = Parameterisation(
        ("x", "y", "z"),
        ("a", "b", "c"),
        A=lambda q: [[np.cos(q.y), q.z, 0], [q.x * q.z, 1 + q.x**2, np.sin(q.y)], [0, q.y, 2 + np.cos(q.z)]],
        q0=(0.1, 0.2, 0.3),
    )
    return {"mixed": (mixed, PLACES["quaternion"]), "curved": (curved, np.array([0.3, -0.4, 0.5]))}


TWISTED = twisted()


def mass(q):
    """Some positive definite matrix that depends on the first three coordinates."""
    L = np.array([[2 + q[0] ** 2, 0, 0], [q[1], 1 + np.cos(q[2]), 0], [q[0] * q[1], np.sin(q[2]), 3 + q[1]]])
    return L @ L.T


def potential(q):
    return q[0] ** 2 * q[1] - np.cos(q[2]) + q[0] * q[2]


@pytest.mark.parametrize("name", TWISTED)
def test_derivatives_along_velocities_commute_by_gamma(name):
    p, q = TWISTED[name]
    V = Field(p, potential)
    H = V.second(q)
    np.testing.assert_allclose(H - H.T, commutation(p, q) @ V.gradient(q), atol=1e-13)


@pytest.mark.parametrize("name", TWISTED)
def test_second_derivatives_are_those_of_a_motion(name):
    from scipy.integrate import solve_ivp

    p, q = TWISTED[name]
    V, xi, h = Field(p, potential), np.array([0.3, -0.5, 0.7]), 1e-3
    reach = solve_ivp(lambda _, x: p.q_dot(x, xi), (0, h), q, rtol=1e-13, atol=1e-15).y[:, -1]
    expansion = h * V.gradient(q) @ xi + 0.5 * h**2 * xi @ V.second(q) @ xi
    assert V.value(reach) - V.value(q) == pytest.approx(expansion, abs=20 * h**3)
    assert V.value(reach) - V.value(q) != pytest.approx(h * V.gradient(q) @ xi, abs=20 * h**3)


@pytest.mark.parametrize("name", TWISTED)
def test_slopes_of_gamma_are_differences_of_it(name):
    p, q = TWISTED[name]
    h, slope = 1e-5, commutation_slope(p, q)
    for l, direction in enumerate(p.A(q).T):
        ahead, behind = (commutation(p, q + s * h * direction) for s in (1, -1))
        np.testing.assert_allclose(slope[..., l], (ahead - behind) / (2 * h), atol=1e-8)


def test_gamma_changes_with_the_velocities():
    p, (mixed, q) = rotation("quaternion"), TWISTED["mixed"]
    B_map = mixed.A_map.B
    dB = B_map.slope(q) @ p.A(q)
    np.testing.assert_allclose(
        commutation(mixed, q), changed_commutation(commutation(p, q), B_map.value(q), dB), atol=1e-13
    )


@pytest.mark.parametrize("name", TWISTED)
def test_the_connection_is_compatible_with_the_metric_and_without_torsion(name):
    p, q = TWISTED[name]
    metric = Metric(p, mass)
    G, gamma = metric.connection(q), commutation(p, q)
    np.testing.assert_allclose(metric.slope(q), G + G.swapaxes(0, 1), atol=1e-12)
    raised = metric.raised(q)
    torsion = raised.swapaxes(1, 2) - raised  # Γ^k_ji - Γ^k_ij = γ_ij^k
    np.testing.assert_allclose(torsion, np.moveaxis(gamma, 2, 0), atol=1e-12)


@pytest.mark.parametrize("name", TWISTED)
def test_the_covariant_hessian_is_a_symmetric_tensor(name):
    p, q = TWISTED[name]
    H = Field(p, potential).hessian(q, Metric(p, mass))
    np.testing.assert_allclose(H, H.T, atol=1e-12)


def test_the_covariant_hessian_does_not_depend_on_the_velocities():
    p, (mixed, q) = rotation("quaternion"), TWISTED["mixed"]
    B = mixed.A_map.B.value(q)

    def changed(q):
        B = np.array([[1, q[1], 0], [0, 2 + q[2], q[3]], [q[0], 0, 1]])
        return B.T @ mass(q) @ B

    own = Field(p, potential).hessian(q, Metric(p, mass))
    other = Field(mixed, potential).hessian(q, Metric(mixed, changed))
    np.testing.assert_allclose(other, B.T @ own @ B, atol=1e-12)


def test_critical_points_of_rotations():
    """V = -tr(P R) with P = diag(2.5, 1.5, -0.5): λ = (1, 2, 4); T7."""
    p = rotation("matrix")
    V = Field(p, lambda q: -(2.5 * q.r_xx + 1.5 * q.r_yy - 0.5 * q.r_zz))
    turns = [np.diag(s) for s in ([1.0, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1])]
    places = [R.T.ravel() for R in turns]
    assert [V.value(q) for q in places] == pytest.approx([-3.5, -1.5, 0.5, 4.5])
    eigenvalues = [np.linalg.eigvalsh(V.second(q)).round(12).tolist() for q in places]
    assert eigenvalues == [[1, 2, 4], [-1, 1, 3], [-2, -1, 2], [-4, -3, -2]]
    assert [V.kind(q) for q in places] == ["minimum", "saddle", "saddle", "maximum"]
    flat = Field(p, lambda q: -(3 * q.r_xx))
    assert flat.kind(places[0]) == "degenerate"
    with pytest.raises(ModelError, match=r"V has no critical point here: along 'r_w[xyz]' it changes by"):
        V.kind(SO3.exp([0.1, 0.2, 0.3]).R.T.ravel())


def test_a_matrix_that_is_not_symmetric_is_no_metric():
    with pytest.raises(ModelError, match=r"M is not symmetric at \('a', 'b'\): 1 and 0"):
        Metric(TWISTED["curved"][0], [[1, 1, 0], [0, 1, 0], [0, 0, 1]])


# -- linearisation -------------------------------------------------------------------------------------------------


def euler_top(xi, xi_dot):
    Theta = np.array([1.0, 2.0, 3.0])
    return Theta * xi_dot + np.array([xi[1] * xi[2] * (3 - 2), xi[2] * xi[0] * (1 - 3), xi[0] * xi[1] * (2 - 1)])


def turned_top(q, xi, xi_dot):
    """Euler's equations with a torque that depends on the attitude, R[2, :]."""
    return euler_top(xi, xi_dot) + np.array([q[2] * q[5], q[8] ** 2, q[2]])


def test_linearisation_about_a_motion_of_rotations():
    """f along R(t) exp(ε(t)) against f̄ + F0 ε + F1 ε̇ + F2 ε̈, by shrinking ε."""
    p = rotation("matrix")
    w, w_dot = np.array([0.4, -0.7, 0.3]), np.array([0.2, 0.5, -0.6])
    R = SO3.exp([0.3, 0.2, -0.5]).R
    a, b, c = RNG.normal(size=(3, 3))
    linear = linearised(p, turned_top, R.T.ravel(), w, w_dot)
    step = linear.F0 @ a + linear.F1 @ b + linear.F2 @ c
    errors = []
    for size in (1e-3, 1e-4):
        q, xi, xi_dot = _nearby(R, w, w_dot, size * a, size * b, size * c)
        errors.append(np.abs(turned_top(q, xi, xi_dot) - linear.f - size * step).max() / size)
    assert errors[0] < 1e-2
    assert errors[1] == pytest.approx(errors[0] / 10, rel=0.1)


def _nearby(R, w, w_dot, eps, eps_dot, eps_ddot):
    """R exp(ε), its velocity and acceleration: ω' = exp(-ε) ω + dexp(ε) ε̇, its rate by differences in time."""

    def velocity(t):
        e, e_dot = eps + t * eps_dot + t * t / 2 * eps_ddot, eps_dot + t * eps_ddot
        return SO3.exp(-e).R @ (w + t * w_dot) + SO3.dexp(e) @ e_dot

    h = 1e-5
    return (R @ SO3.exp(eps).R).T.ravel(), velocity(0.0), (velocity(h) - velocity(-h)) / (2 * h)


def test_linearisation_where_gamma_depends_on_the_place():
    """With A(q) of no symmetry, ε from q = q̄ + A(q̄) ε, against differences along a pair of curves."""
    p, q0 = TWISTED["curved"]

    def f(q, xi, xi_dot):
        return np.array([q.x * xi_dot[0] + xi[1] * xi[2], xi[0] ** 2 * q.y + xi_dot[1], q.z + xi_dot[2] * xi[0]])

    xi, xi_dot = np.array([0.5, -0.2, 0.4]), np.array([0.1, 0.3, -0.5])
    a, b, c = RNG.normal(size=(3, 3))
    linear = linearised(p, f, q0, xi, xi_dot)
    step = linear.F0 @ a + linear.F1 @ b + linear.F2 @ c

    from scipy.integrate import solve_ivp

    def reference(t):
        """The motion with ξ(t) = ξ + t ξ̇."""
        rates = lambda s, x: p.q_dot(x, xi + s * xi_dot)  # noqa: E731
        return solve_ivp(rates, (0, t), q0, rtol=1e-13, atol=1e-15).y[:, -1] if t else q0

    h, size = 1e-3, 1e-5
    grid = np.array([-2, -1, 0, 1, 2]) * h
    eps = a + grid[:, None] * b + grid[:, None] ** 2 / 2 * c
    q = np.array([x + p.A(x) @ (size * e) for x, e in zip(map(reference, grid), eps, strict=True)])
    q_dot = np.array([1, -8, 0, 8, -1]) @ q / (12 * h)
    q_ddot = np.array([-1, 16, -30, 16, -1]) @ q / (12 * h**2)
    Y = np.linalg.inv(p.A(q[2]))
    near_xi = Y @ q_dot
    near_rate = Y @ (q_ddot - p.q_ddot(q[2], near_xi, np.zeros(3)))

    class Named(np.ndarray):
        x, y, z = (property(lambda self, k=k: self[k]) for k in range(3))

    change = (f(q[2].view(Named), near_xi, near_rate) - linear.f) / size
    np.testing.assert_allclose(change, step, atol=2e-3)


def test_at_rest_the_linearisation_has_no_gamma():
    p = rotation("matrix")
    linear = linearised(p, turned_top, p.q0)
    np.testing.assert_allclose(linear.F2, np.diag([1.0, 2, 3]))
    np.testing.assert_allclose(linear.F1, 0, atol=1e-15)
    h = 1e-6
    zero = np.zeros(3)
    for i, direction in enumerate(p.A(p.q0).T):
        ahead, behind = (turned_top(p.q0 + s * h * direction, zero, zero) for s in (1, -1))
        np.testing.assert_allclose(linear.F0[:, i], (ahead - behind) / (2 * h), atol=1e-9)


# -- misprints -----------------------------------------------------------------------------------------------------


def test_the_printed_connection_breaks_compatibility():
    """(3.31) prints -γ_kj^s M_si; the velocities' part of the force agrees, ∂_k M_ij = Γ_ijk + Γ_jik does not."""
    p, q = TWISTED["curved"]
    metric, gamma = Metric(p, mass), commutation(p, q)
    M, dM, right = metric.value(q), metric.slope(q), metric.connection(q)
    turned = np.einsum("ijs,sk->ijk", gamma, M)
    printed = right + np.einsum("jki->ijk", turned) / 2 - np.einsum("kji->ijk", turned) / 2
    xi = RNG.normal(size=3)
    np.testing.assert_allclose(printed @ xi @ xi, right @ xi @ xi, atol=1e-12)
    assert np.abs(dM - printed - printed.swapaxes(0, 1)).max() > 0.1
    np.testing.assert_allclose(connection_coefficients(M, dM, gamma), right, atol=1e-14)


def test_the_printed_hessian_is_not_symmetric():
    """(2.16) prints Γ^k_ij: the quadratic form is right, the matrix is not symmetric."""
    p, q = TWISTED["curved"]
    V, metric = Field(p, potential), Metric(p, mass)
    printed = V.second(q) - np.einsum("kij,k->ij", metric.raised(q), V.gradient(q))
    right, xi = V.hessian(q, metric), RNG.normal(size=3)
    assert xi @ printed @ xi == pytest.approx(xi @ right @ xi)
    assert np.abs(printed - printed.T).max() > 0.1


def test_the_printed_product_of_projectors_has_no_meaning():
    """ "Yᵀ Φ = 0" of section 2.1 multiplies (ν, n) with (m, ν); Y Φᵀ = 0 holds."""
    p, q = ROTATIONS["matrix"], PLACES["matrix"]
    Y, _ = projectors(p, q)
    with pytest.raises(ValueError, match="matmul"):
        Y.T @ p.Phi(q)
    np.testing.assert_allclose(Y @ p.Phi(q).T, 0, atol=1e-14)


def test_the_printed_conditions_of_rotations_are_wrong():
    """(2.6): the fifth product of the printed determinant is R_y^x R_z^y R_x^z, and its sixth row is spurious."""
    R = SO3.exp([0.3, -0.8, 0.5]).R
    x, y, z = R.T  # columns
    first = x[0] * y[1] * z[2] + y[0] * z[1] * x[2] + z[0] * x[1] * y[2]
    last = x[0] * z[1] * y[2] + z[0] * y[1] * x[2]
    assert first - last - y[0] * x[1] * z[2] == pytest.approx(1.0)
    assert abs(first - last - y[0] * z[1] * x[2] - 1) > 0.1
    assert abs(x[1] * z[0] + x[1] * z[1] + x[2] * z[1]) > 0.1


def test_the_printed_order_of_indices_gives_the_transpose():
    """Example 3: [γ_ij^k aⁱ] is â with row k, column j; with row j, column k it is -â."""
    a = RNG.normal(size=3)
    printed = np.einsum("ijk,i->jk", LEVI_CIVITA, a)
    np.testing.assert_allclose(printed, -skew(a))
    np.testing.assert_allclose(printed.T, skew(a))


def test_every_joint_has_constant_gamma():
    p = arm()
    np.testing.assert_allclose(commutation(p, moved(p, seed=1)), commutation(p, moved(p, seed=2)), atol=1e-12)
    np.testing.assert_allclose(commutation_slope(p, moved(p, seed=1)), 0, atol=1e-11)
