"""Symbolic equations: textbook forms, the laws between their matrices, and what has no symbols."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from messages import says
from numpy.testing import assert_allclose
from symbolic_models import double_pendulum, random_state, six_joint_arm, top

import visviva as vv
from visviva.errors import ModelError
from visviva.forms.symbols import DirectorEquations, SymbolicEquations

FORMS = ("minimal", "kane-velocity", "kane-momentum", "lagrange", "hamilton")


def zero(expression):
    return sympy.simplify(expression) == sympy.zeros(*expression.shape)


# -- textbook ----------------------------------------------------------------------------------------------------------


def test_a_double_pendulum_is_that_of_textbooks():
    e = vv.symbols(double_pendulum(friction=0.1))
    p, (q1, q2), (w1, w2) = e.parameters, e.q, e.xi
    g, m1, m2, l, a, b = (p[name] for name in ("g", "m_one", "m_two", "l_2", "l_c_one", "l_c_two"))
    J1, J2 = p["J_one_zz"], p["J_two_zz"]
    cross = J2 + m2 * b**2 + m2 * l * b * sympy.cos(q2)
    M = sympy.Matrix(
        [
            [J1 + J2 + m1 * a**2 + m2 * (l**2 + b**2 + 2 * l * b * sympy.cos(q2)), cross],
            [cross, J2 + m2 * b**2],
        ]
    )
    h = m2 * l * b * sympy.sin(q2)
    c = sympy.Matrix([-h * (2 * w1 * w2 + w2**2), h * w1**2])
    pull = m2 * g * b * sympy.cos(q1 + q2)
    f = sympy.Matrix([(m1 * a + m2 * l) * g * sympy.cos(q1) + pull - p["d_1"] * w1, pull])
    assert zero(e.M - M)
    assert zero(e.c - c)
    assert zero(e.f - f)
    assert zero(e.D - sympy.Matrix([[-h * w2, -h * (w1 + w2)], [h * w1, 0]]))
    assert not e.definitions()
    assert e.values[l] == 1.0
    assert e.values[a] == 0.5
    assert e.units[g] == "m/s²"


def test_angles_about_opposite_axes_are_subtracted():
    m = vv.Mechanism("opposite", gravity=(0, 0, -9.81))
    m.body("one", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(0.5, 0, 0))
    m.body("two", mass=0.7, inertia=(0.1, 0.2, 0.3), at=(1.5, 0, 0))
    m.revolute("1", m.ground, "one", at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute("2", "one", "two", at=(1, 0, 0), axis=(0, -1, 0))
    e, form = vv.symbols(m), vv.analytical(m)
    q1, q2 = e.q
    assert {f.args[0] for f in e.f.atoms(sympy.cos)} <= {q1, q1 - q2, q2 - q1}
    q, xi = [0.4, -0.9], [1.1, 0.6]
    M, f = e.function("M", "f")(q, xi)
    assert_allclose(M, form.mass_matrix(q), rtol=1e-12)
    assert_allclose(f, form.forces(q, xi), rtol=1e-12)


def test_lagranges_equations_are_those_of_its_energies():
    """d/dt ∂L/∂q̇ - ∂L/∂q by SymPy's own derivatives of T - V."""
    e = vv.symbols(double_pendulum(), "lagrange")
    L, rates = e.T - e.V, dict(zip(e.q, e.xi, strict=True))
    for k, (q, w) in enumerate(zip(e.q, e.xi, strict=True)):
        p = L.diff(w)
        p_dot = sum(p.diff(x) * v for x, v in rates.items()) + sum(
            p.diff(v) * a for v, a in zip(e.xi, e.xi_dot, strict=True)
        )
        left = p_dot - L.diff(q)
        ours = (e.M * sympy.Matrix(e.xi_dot) + e.c)[k] + e.V_q[k]
        assert sympy.simplify(left - ours) == 0
        assert sympy.simplify(e.T_q[k] - e.T.diff(q)) == 0
        assert sympy.simplify(e.V_q[k] - e.V.diff(q)) == 0
        assert sympy.simplify(e.momenta[k] - p) == 0
    assert zero(e.Q)


def test_a_body_that_flies_has_eulers_equations():
    m = vv.Mechanism("body")
    m.body("body", mass=2.0, inertia=(0.3, 0.4, 0.5), at=(1, 2, 3))
    e = vv.symbols(m)
    p = e.parameters
    J = sympy.diag(*(p[f"J_body_{axis}"] for axis in ("xx", "yy", "zz")))
    w, v = sympy.Matrix(e.xi[:3]), sympy.Matrix(e.xi[3:])
    assert sympy.diag(J, *[p["m_body"]] * 3) == e.M
    assert zero(e.c - sympy.Matrix([*w.cross(J * w), *(p["m_body"] * w.cross(v))]))
    quaternion = sympy.Matrix(e.q[3:])
    assert sympy.simplify((e.q_dot[3:, :].T * quaternion)[0]) == 0  # its length stays


def test_velocities_of_a_ball_have_the_coefficients_of_rotations():
    e = vv.symbols(top())
    ball = np.array(e.gamma[:3, :3, :3], dtype=int)
    for i, j, k in np.ndindex(3, 3, 3):
        assert ball[i, j, k] == sympy.LeviCivita(i, j, k)
    assert not np.any(e.gamma[3:] != 0)


def test_christoffel_symbols_of_a_double_pendulum():
    """c_i = Γ_ijk ξʲ ξᵏ and ∂_k M_ij = Γ_ijk + Γ_jik."""
    e = vv.symbols(double_pendulum())
    G, M = e.Gamma, e.M
    for i in range(2):
        assert sympy.simplify(sum(G[i, j, k] * e.xi[j] * e.xi[k] for j in range(2) for k in range(2)) - e.c[i]) == 0
        for j in range(2):
            for k in range(2):
                assert sympy.simplify(M[i, j].diff(e.q[k]) - G[i, j, k] - G[j, i, k]) == 0


def test_the_connection_of_a_ball_gives_its_inertia_forces():
    m = top()
    form, e = vv.analytical(m), vv.symbols(m)
    q, xi, _ = random_state(form)
    G, c = e.function("Gamma", "c")(q, xi)
    assert_allclose(np.einsum("ijk,j,k", G, xi, xi), c, rtol=1e-12)
    h = 1e-5
    for k, along in enumerate(np.eye(form.n)):
        ahead, behind = (form.mass_matrix(form.advance_q(q, sign * h * along)) for sign in (1, -1))
        assert_allclose((ahead - behind) / (2 * h), G[:, :, k] + G[:, :, k].T, rtol=0, atol=1e-8)


def test_kanes_matrices_are_the_numeric_ones():
    m = top()
    form, e = vv.analytical(m), vv.symbols(m, "kane-momentum")
    q, xi, _ = random_state(form)
    D, gyration, p, T_q = e.function("D", "gyration", "momenta", "T_q")(q, xi)
    kane = form.at(q, xi).kane
    assert_allclose(D, kane.D, rtol=0, atol=1e-13)
    assert_allclose(gyration, kane.gyration, rtol=0, atol=1e-13)
    assert_allclose(p, kane.p, rtol=0, atol=1e-13)
    assert_allclose(T_q, _slopes(form, q, xi), rtol=0, atol=1e-8)


def _slopes(form, q, xi, h=1e-5):
    """∂_i T at constant ξ, by differences."""
    energies = [
        [form.kinetic_energy(form.advance_q(q, sign * h * along), xi) for sign in (1, -1)] for along in np.eye(form.n)
    ]
    return (np.array(energies) @ [1, -1]) / (2 * h)


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_accelerate_alike(form):
    m = double_pendulum(friction=0.1)
    analytical = vv.analytical(m)
    q, xi, s = random_state(analytical)
    assert_allclose(vv.symbols(m, form).accelerations(q, xi), analytical.accelerations(q, xi, s), rtol=1e-12)


def test_components_are_the_equations_in_full():
    e = vv.symbols(double_pendulum())
    first, second = e.as_sympy()
    assert sympy.simplify(first.lhs - (e.M * sympy.Matrix(e.xi_dot) + e.c)[0]) == 0
    assert second.rhs == e.f[1]
    momentum = vv.symbols(double_pendulum(), "hamilton").as_sympy()
    assert str(momentum[0].lhs) == "p_1_dot"
    assert sympy.simplify(momentum[1].rhs - (e.f + e.gyration)[1]) == 0


# -- size --------------------------------------------------------------------------------------------------------------


def test_a_robot_is_a_list_of_short_definitions():
    e = vv.symbols(six_joint_arm())
    parts = [*e.definitions().values(), *e.M, *e.c, *e.f]
    assert len(e.definitions()) < 400
    assert max(part.count_ops() for part in parts) < 120
    known = {*e.q, *e.xi, *e.u, *e.values}
    for symbol, value in e.definitions().items():
        assert value.free_symbols <= known
        known.add(symbol)


def test_a_chain_of_balls_grows_with_the_square_of_its_length():
    """Rotations between the parts of a motion have names: without them each ball would multiply terms by five."""

    def size(balls: int) -> int:
        m = vv.Mechanism("chain", gravity=(0, 0, -9.81))
        for k in range(balls):
            m.body(f"b{k}", mass=1.0 + k, inertia=(0.1, 0.2, 0.25), at=(k + 0.5, 0.1, 0.2))
            m.spherical(f"j{k}", f"b{k - 1}" if k else "ground", f"b{k}", at=(k, 0, 0))
        e = vv.symbols(m)
        listed = [*e.inertia.M.ravel(), *e.inertia.c, *e.steps.table.values()]
        return sum(1 for value in listed for _ in sympy.preorder_traversal(value))

    assert size(4) < 2.5 * size(3) < 20_000


def test_simplification_changes_no_value():
    m = double_pendulum(friction=0.1)
    q, xi = [0.3, -0.8], [1.2, 0.4]
    short, long = (vv.symbols(m, simplify=choice).function("M", "c", "f", "T", "V") for choice in (True, False))
    for a, b in zip(short(q, xi), long(q, xi), strict=True):
        assert_allclose(a, b, rtol=1e-13)
    assert vv.symbols(m, simplify=False).definitions()


def test_expanded_expressions_have_no_definitions():
    e = vv.symbols(double_pendulum(), simplify=False)
    M = e.expanded(e.M)
    assert M.free_symbols <= {*e.q, *e.values}
    assert zero(M - vv.symbols(double_pendulum()).M.subs({}))
    assert e.expanded(e.T).free_symbols <= {*e.q, *e.xi, *e.values}


# -- parameters --------------------------------------------------------------------------------------------------------


def test_a_parameter_stands_for_its_number():
    """Another mass of the second rod is another number of two parameters."""
    q, xi = [0.3, -0.8], [1.2, 0.4]
    evaluate = vv.symbols(double_pendulum()).function("M", "c", "f")
    other = double_pendulum(m_two=1.9)
    given = {"m_two": 1.9, "J_two_zz": 1.9 * 0.75**2 / 12}
    form = vv.analytical(other)
    M, c, f = evaluate(q, xi, parameters=given)
    assert_allclose(M, form.mass_matrix(q), rtol=1e-12)
    assert_allclose(c, form.bias(q, xi), rtol=1e-12)
    assert_allclose(f, form.forces(q, xi), rtol=1e-12)


def test_numbers_stand_in_place_of_parameters():
    e = vv.symbols(double_pendulum(), numeric=True)
    assert not e.parameters
    assert e.M.free_symbols <= set(e.q)
    form = vv.analytical(double_pendulum())
    assert_allclose(e.function("M")([0.3, -0.8], [0, 0]), form.mass_matrix([0.3, -0.8]), rtol=1e-12)
    assert "cos(q_2) + 1.16458" in str(e)


def test_equal_names_stay_apart():
    m = vv.Mechanism("names")
    for name in ("a", "a 1"):
        m.body(name, mass=1.0, inertia=(1, 1, 1))
        m.revolute(f"{name} hinge", m.ground, name, at=(1, 0, 0), axis=(0, 0, 1))
    e = vv.symbols(m)
    symbols = [*e.q, *e.xi, *e.xi_dot, *e.p, *e.values]
    assert len({str(symbol) for symbol in symbols}) == len(symbols)


# -- what has no symbols -----------------------------------------------------------------------------------------------


def test_bad_requests_are_refused():
    m = double_pendulum()
    with pytest.raises(ModelError, match=says("no symbolic form 'newton'; there are minimal")):
        vv.symbols(m, "newton")
    with pytest.raises(ModelError, match=says("PortHamiltonian or a Lagrangian, got int")):
        vv.symbols(3)
    with pytest.raises(ModelError, match=says("no bodies")):
        vv.symbols(vv.Mechanism("empty"))


def test_a_drive_by_a_table_is_an_input():
    """Its rate and the derivative of that are arguments; what they are is known as numbers only."""
    m = double_pendulum()
    m.drive("motor", "1", rate=lambda t: float(np.interp(t, [0, 1], [0, 2])))
    e, form = vv.symbols(m), vv.analytical(m)
    assert [e.names[symbol] for symbol in e.u] == ["motor", "d/dt motor"]
    assert [e.spelling[symbol] for symbol in e.u] == [
        r"\dot{\sigma}_{\mathrm{motor}}",
        r"\ddot{\sigma}_{\mathrm{motor}}",
    ]
    q, xi, s = form.initial
    xi = np.array([1.0, 0.3])  # at t = 0.5 s
    u, u_dot = form.inputs_at(0.5, form.at(q, xi, s))
    expected = form.solve(form.at(q, xi, s), u, u_dot).xi_dot
    assert_allclose(e.accelerations(q, xi, s, [1.0, 2.0], 0.5), expected, rtol=1e-9)
    assert_allclose(e.function("r", "z", "s_dot")(q, xi, s, [1.0, 2.0])[2], [1.0])
    with pytest.raises(ModelError, match=says("u of the function of 'double pendulum' must have 2 entries")):
        e.accelerations(q, xi, s)


def test_models_of_mechanisms_have_those_of_the_mechanism():
    e = vv.symbols(vv.compile(double_pendulum()))
    assert isinstance(e, SymbolicEquations)
    assert len(e.q) == 2
    assert isinstance(vv.symbols(double_pendulum(), "directors"), DirectorEquations)
