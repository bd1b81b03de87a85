"""Port-Hamiltonian systems: power balance, Jacobi identity, Casimir functions, canonical form; the rigid body, A11."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva import ModelError
from visviva.forms.hamiltonian.body_structure import rigid_body
from visviva.forms.hamiltonian.port_hamiltonian import PortHamiltonian
from visviva.forms.rigid.moments import Moments
from visviva.geometry import SE3, skew

RNG = np.random.default_rng(8)
INERTIA = Moments.from_points(RNG.uniform(1, 2, 6), RNG.normal(size=(6, 3))).spatial()
THETA = np.array([1.0, 2, 3])


def hat(x):
    return np.array([[0 * x[0], -x[2], x[1]], [x[2], 0 * x[0], -x[0]], [-x[1], x[0], 0 * x[0]]])


def top(**more):
    """The free rotation of a body: ẋ = x̂ ∂H of the angular momentum x."""
    return PortHamiltonian(3, lambda x: x[0] ** 2 / 2 + x[1] ** 2 / 4 + x[2] ** 2 / 6, hat, **more)


def state_of(X, P):
    return np.concatenate([X.R.ravel(), X.r, P])


def weight(R, r):
    return 3.0 * (r[2] + 0.1 * R[2, 0] - 0.2 * R[2, 1] + 0.3 * R[2, 2])


def test_what_comes_in_is_stored_or_dissipated():
    """Ḣ = y·u - ∂H·R ∂H; y has as many entries as u, not as x (18)."""
    B = RNG.normal(size=(3, 3))
    system = top(R=B @ B.T, G=lambda x: np.array([[1.0, 0], [x[0], 1], [0, 2]]))
    x, u = RNG.normal(size=3), RNG.normal(size=2)
    rates, y = system.rates(x, u)
    assert y.shape == (2,)
    dH = x / THETA
    assert dH @ rates == pytest.approx(y @ u - system.dissipated(x))
    assert system.dissipated(x) > 0
    assert_allclose(top().rates(x)[0], np.cross(x, dH), atol=1e-15)


def test_the_jacobi_identity_tells_brackets_from_other_skew_matrices():
    x = RNG.normal(size=3)
    assert_allclose(top().jacobi(x), 0, atol=1e-14)
    bent = PortHamiltonian(3, lambda x: x[0], lambda x: hat(np.array([x[1], x[2] ** 2, x[0]])))
    assert np.abs(bent.jacobi(x)).max() > 0.1


def test_casimir_functions_are_in_the_kernel():
    system, x = top(), RNG.normal(size=3)
    assert system.rank(x) == 2
    assert_allclose(np.abs(system.casimir_gradients(x)[:, 0]), np.abs(x) / np.linalg.norm(x), atol=1e-14)
    assert_allclose(system.casimir_defect(lambda x: x @ x, x), 0, atol=1e-14)
    assert np.abs(system.casimir_defect(lambda x: x[0], x)).max() > 0.1


@pytest.mark.parametrize("n", [2, 3, 6, 7])
def test_canonical_form_has_half_the_rank(n):
    """(20) with rank J = 2m: with the printed m = rank J there would be more rows than states."""
    M = RNG.normal(size=(n, n))
    system, x = PortHamiltonian(n, lambda x: x[0], M - M.T), np.zeros(n)
    T, m = system.canonical(x), system.rank(x) // 2
    form = np.zeros((n, n))
    form[:m, m : 2 * m], form[m : 2 * m, :m] = np.eye(m), -np.eye(m)
    assert_allclose(T @ system.J(x) @ T.T, form, atol=1e-12)
    assert 2 * system.rank(x) > n


def test_the_canonical_form_at_equal_frequencies():
    J = np.kron(np.eye(3), [[0.0, 2], [-2, 0]])
    system = PortHamiltonian(6, lambda x: x[0], J)
    T = system.canonical(np.zeros(6))
    form = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.eye(3), np.zeros((3, 3))]])
    assert_allclose(T @ J @ T.T, form, atol=1e-13)


# -- rigid body ------------------------------------------------------------------------------------------------------


def products(x, of):
    R = np.array(list(x))[:9].reshape(3, 3)
    return (R @ R.T if of == "rows" else R.T @ R)[np.triu_indices(3)]


def test_the_rigid_body_has_a_poisson_bracket_in_eighteen_coordinates():
    """Rank 12 and the six entries of R Rᵀ as Casimir functions, on rotations and on any matrix."""
    body = rigid_body(INERTIA)
    on, off = state_of(SE3.exp(RNG.normal(size=6)), RNG.normal(size=6)), RNG.normal(size=18)
    for x in (on, off):
        assert_allclose(body.jacobi(x), 0, atol=1e-13)
        assert body.rank(x) == 12
        assert body.casimir_gradients(x).shape == (18, 6)
        assert_allclose(body.casimir_defect(lambda x: products(x, "rows"), x), 0, atol=1e-13)
    # RᵀR is constant on rotations, where it is the identity, and no Casimir function of the bracket
    assert np.abs(body.casimir_defect(lambda x: products(x, "columns"), off)).max() > 0.1
    T = body.canonical(on)
    assert_allclose(T @ body.J(on) @ T.T, _form(18, 6), atol=1e-12)


def _form(n, m):
    form = np.zeros((n, n))
    form[:m, m : 2 * m], form[m : 2 * m, :m] = np.eye(m), -np.eye(m)
    return form


def test_the_opposite_sign_of_the_gyroscopic_term_is_no_bracket():
    body, x = rigid_body(INERTIA), state_of(SE3.exp(RNG.normal(size=6)), RNG.normal(size=6))

    def flipped(x):
        J = body.J_map.function(x)
        J[12:, 12:] = -J[12:, 12:]
        return J

    assert np.abs(PortHamiltonian(18, lambda x: x[0], flipped).jacobi(x)).max() > 0.1


def test_the_rigid_body_moves_by_newton_and_euler():
    """Ẋ = X V̂, Ṗ = ad(V)ᵀ P - TLᵀ dE + Adᵀ W, y = Ad V; and the power balance."""
    body, X, P, W = rigid_body(INERTIA, weight), SE3.exp(RNG.normal(size=6)), *RNG.normal(size=(2, 6))
    x = state_of(X, P)
    rates, y = body.rates(x, W)
    V = np.linalg.solve(INERTIA, P)
    X_dot = X.matrix @ SE3.hat(V)
    assert_allclose(rates[:9], X_dot[:3, :3].ravel(), atol=1e-13)
    assert_allclose(rates[9:12], X_dot[:3, 3], atol=1e-13)
    f = X.R.T @ [0, 0, 3.0]
    pull = np.concatenate([np.cross([0.1, -0.2, 0.3], f), f])
    assert_allclose(rates[12:], SE3.ad(V).T @ P - pull + X.Ad().T @ W, atol=1e-13)
    assert_allclose(y, X.Ad() @ V, atol=1e-13)
    assert body.H.slope(x) @ rates == pytest.approx(y @ W)


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda: PortHamiltonian(2, lambda x: x[0], np.eye(2)).J([0, 0]), "J must be skew"),
        (lambda: PortHamiltonian(2, lambda x: x[0], np.eye(3)), r"J must have shape \(2, 2\)"),
        (lambda: top(R=-np.eye(3)).rates([1, 2, 3]), "R must be positive semidefinite"),
        (lambda: top(G=np.eye(3)).rates([1, 2, 3], [1]), "u must have shape"),
        (lambda: top().rates([1, 2]), "x must have shape"),
        (lambda: rigid_body(np.zeros((6, 6))), "inertia must be positive definite"),
        (lambda: rigid_body(np.eye(3)), r"inertia must have shape \(6, 6\)"),
    ],
)
def test_wrong_systems_are_refused(make, found):
    with pytest.raises(ModelError, match=found):
        make()


def test_the_momentum_matrix_is_the_dual_bracket():
    P, V = RNG.normal(size=(2, 6))
    wedge = np.block([[skew(P[:3]), skew(P[3:])], [skew(P[3:]), np.zeros((3, 3))]])
    assert_allclose(wedge @ V, SE3.ad(V).T @ P, atol=1e-14)
    x = state_of(SE3.identity(), P)
    assert_allclose(rigid_body(INERTIA).J(x)[12:, 12:], wedge, atol=1e-15)


@pytest.mark.parametrize("bent", [False, True])
def test_structure_that_is_skew_to_rounding_runs(bent):
    a = 0.1 + 0.2  # 0.3 and a rounding

    def J(x):
        f = 1 + x.q**2 if bent else 1.0
        return [[1e-17, a * f], [-0.3 * f, 0]]

    def H(x):
        return x.q**2 / 2 + x.p**2 / 2

    run = vv.simulate(PortHamiltonian(("q", "p"), H, J if bent else J(None)), 1.0, 0.1, initial=[1.0, 0.0])
    assert run.audit().ok
    assert_allclose(run["energy"], 0.5, rtol=1e-13)


@pytest.mark.parametrize("wrong", [1e-8, 1e-13])
def test_structure_that_is_not_skew_is_refused_in_its_names(wrong):
    system = PortHamiltonian(("q", "p"), lambda x: x.q**2 + x.p**2, lambda x: [[0, 1], [-1 + wrong * x.q, 0]])
    with pytest.raises(vv.ModelError, match=r"must be skew, .* of 'q' and 'p' is left"):
        vv.simulate(system, 1.0, 0.1, initial=[1.0, 0.0])


def test_linearised_system_that_cannot_be_traced_keeps_its_inputs():
    def H(x):
        return (x.q**2 + 2 * x.p**2) / 2 if float(getattr(x.q, "value", x.q)) < 1e9 else 0.0 * x.q

    def system(energy):
        return PortHamiltonian(("q", "p"), energy, [[0, 1], [-1, 0]], G=lambda x: [[0], [3 + x.q]], inputs=("push",))

    blind = vv.linearise(system(H), at=[0, 0])
    seen = vv.linearise(system(lambda x: (x.q**2 + 2 * x.p**2) / 2), at=[0, 0])
    assert (blind.states, blind.inputs) == (("q", "p"), ("push",))
    assert_allclose(blind.B, [[0], [3]])
    assert seen.inputs == blind.inputs
    assert_allclose(seen.B, blind.B, atol=1e-12)
    assert_allclose(seen.A, blind.A, atol=1e-9)
    assert vv.linearise(system(H), at=[0, 0], inputs=[]).inputs == ()
