"""The director equations as symbols: the matrices of the paper, and those of the model."""

from __future__ import annotations

import numpy as np
import sympy
from numpy.testing import assert_allclose
from symbolic_models import double_pendulum

import visviva as vv
from visviva.mechanism.coordinates import POSES


def test_a_body_has_the_matrices_of_the_paper():
    """E_i = ½ (J_j + J_k - J_i) (31), six internal constraints (26), J skew (24)."""
    m = vv.Mechanism("body", gravity=(0, 0, -9.81))
    m.body("body", mass=2.0, inertia=(0.3, 0.4, 0.5))
    m.wrench("load", "body")
    e = vv.symbols(m, "directors")
    assert_allclose([float(e.M[k, k].subs(e.values)) for k in range(0, 12, 3)], [2.0, 0.3, 0.2, 0.1], rtol=1e-15)
    phi, d = sympy.Matrix(e.q[:3]), [sympy.Matrix(e.q[3 * k : 3 * k + 3]) for k in (1, 2, 3)]
    expected = [*((d[k].dot(d[k]) - 1) / 2 for k in range(3)), d[0].dot(d[1]), d[0].dot(d[2]), d[1].dot(d[2])]
    assert [sympy.expand(a - b) for a, b in zip(e.g, expected, strict=True)] == [0] * 6
    assert sympy.expand(e.G - e.g.jacobian(list(e.q))) == sympy.zeros(6, 12)
    assert e.J == -e.J.T
    assert e.J.shape == (30, 30)
    assert e.E[:12, :12] == sympy.eye(12)
    assert e.E[24:, 24:] == sympy.zeros(6)
    assert e.parameters["m_body"] * e.parameters["g"] * phi[2] == e.V
    assert list(e.z[12:24]) == list(e.v)
    moment, force = sympy.Matrix(e.u[:3]), sympy.Matrix(e.u[3:])
    push = e.B_v * sympy.Matrix(e.u)
    assert push[:3, :] == force  # (32)
    for k in range(3):
        assert sympy.expand(push[3 + 3 * k : 6 + 3 * k, :] - moment.cross(d[k]) / 2) == sympy.zeros(3, 1)


def test_hinges_have_the_rows_of_the_model():
    m = double_pendulum(friction=0.2)
    e, model = vv.symbols(m, "directors"), vv.compile(m, "directors")
    assert [part.name for part in e.rows] == ["one.directors", "two.directors", "1", "2"]
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=(2, 24))  # anywhere: all of it is polynomial
    M, G, g, V_q = e.function("M", "G", "g", "V_q")(q, v)
    x = np.zeros(model.layout.size)
    x[:24], x[24:] = q, v
    first = model.layout.dim
    assert_allclose(M, model.E(x)[24:48, 24:48], rtol=1e-13)
    names = [name for name, _ in model.kinds]
    order = [names.index(part.name) + k for part in e.rows for k in range(len(part.z))]
    assert_allclose(G, model.C(x)[order][:, 24:48], rtol=0, atol=1e-13)
    assert_allclose(g, model.g(x)[order], rtol=0, atol=1e-13)
    assert_allclose(V_q, model.z(x)[:24], rtol=0, atol=1e-13)
    assert first == 48


def test_accelerations_are_those_of_the_model():
    """M v̇ + Gᵀλ = f, G v̇ = -Ġ v, at a rigid motion."""
    m = double_pendulum(friction=0.2)
    e, model = vv.symbols(m, "directors"), vv.compile(m, "directors")
    form = vv.analytical(m)
    lie = form.x([0.3, -0.8], [1.2, 0.5])
    q = np.concatenate([lie[form.model.layout.x[f"{name}.q"]] for name in ("one", "two")])
    V = [lie[form.model.layout.x[f"{name}.v"]] for name in ("one", "two")]
    v = np.concatenate([POSES.lift(q[12 * k : 12 * k + 12]) @ V[k] for k in range(2)])
    x = np.concatenate([q, v])
    M, f, G = e.function("M", "f", "G")(q, v)
    h = 1e-6
    drift = (e.function("G")(q + h * v, v) - e.function("G")(q - h * v, v)) @ v / (2 * h)
    k = len(G)
    left = np.block([[M, G.T], [G, np.zeros((k, k))]])
    v_dot = np.linalg.lstsq(left, np.concatenate([f, -drift]), rcond=None)[0][:24]
    assert_allclose(v_dot, model.accelerations(x).v_dot, rtol=0, atol=1e-6)


def test_it_prints_its_constraints_by_joint():
    e = vv.symbols(double_pendulum(), "directors")
    text = str(e)
    assert "  M v_dot = -dV/dq - G^T lam" in text
    assert "g_one.directors = " in text
    assert "  g_2 = " in text
    assert r"\nabla V" in e.latex()
    assert "R_v v" not in e.latex()
    assert "R_v v" in vv.symbols(double_pendulum(friction=1.0), "directors").latex()


def test_it_says_what_all_its_matrices_are():
    m = double_pendulum(friction=1.0)
    m.motor("motor", "2", resistance=1.0, inductance=0.1, k=0.2)
    m.torque("push", "1")
    e = vv.symbols(m, "directors")
    text = str(e)
    for line in ("(R_v)_", "(B_v)_", "(h_v)_", "s_dot = "):
        assert f"\n  {line}" in text
    for line in ("\n(R_v)_{", "\n(B_v)_{", "\n(h_v)_{", "\n\\dot{s} &= "):
        assert line in e.latex()
    assert "+ B_v u + h_v" in text
    motor = vv.Mechanism("motor")
    motor.body("rotor", mass=1.0, inertia=(1, 1, 1))
    motor.revolute("shaft", motor.ground, "rotor", at=(0, 0, 0), axis=(0, 0, 1))
    motor.motor("drive", "shaft", resistance=1.0, inductance=0.1, k=0.2)
    assert "B_v u" not in str(vv.symbols(motor, "directors"))  # a voltage is no force
