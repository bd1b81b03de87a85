"""Bodies, joints and two bodies with a joint: the printed equations come out, for both groups and every lower pair.

What is expected is written with cross products, from the paper's section 3 and its (22), (24) and (31) with Ad(o⁻¹):
the velocity of a point is v + ω x r, a force at r has the moment r x f, and both are seen from a turned frame.
"""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from paper_systems import with_other_ports
from sympy import Matrix, eye, zeros

from visviva.geometry import SE3
from visviva.library.multibody import LOWER_PAIRS, joint, multibody, rigid_body
from visviva.views.equations import equations

O1 = SE3.exp([0.3, -0.2, 0.5, 0.4, 0.1, -0.3])
O2 = SE3.exp([-0.1, 0.7, 0.2, -0.5, 0.2, 0.6])
FRICTION = {"planar": [0.1, 0.2, 0.3], "cylindrical": [[0.2, 0.1], [0.1, 0.4]]}
GROUPS = ("SE3", "SO3xR3")
CHANGES = pytest.mark.parametrize(
    "change", [lambda s: s, lambda s: s.flatten(), with_other_ports], ids=["as_is", "flat", "renamed"]
)


def a_joint(kind, group="SE3", **options):
    pitch = {"pitch": 0.2} if kind == "screw" else {}
    return joint(kind, O1, O2, group=group, friction=FRICTION.get(kind, 0.3), **pitch, **options)


def a_body(group="SE3", **options):
    return rigid_body(2.0, [1.0, 1.5, 2.0], gravity=(0.5, 0, -9.81), group=group, **options)


def two_bodies(kind, group="SE3"):
    return multibody("mbs", {"b1": a_body(group), "b2": a_body(group)}, {"j": (a_joint(kind, group), "b1", "b2")})


# -- the paper's maps


def pose(symbols):
    """R and r of embedding coordinates."""
    return Matrix(3, 3, symbols[3:]).T, Matrix(symbols[:3])


def offset(eqs, box, given):
    """R and r of an offset, in the parameters of its box."""
    R = Matrix(3, 3, lambda i, k: eqs.parameters.get(f"{box}.R{i + 1}{k + 1}", given.R[i, k]))
    return R, Matrix([eqs.parameters[f"{box}.r{i + 1}"] for i in range(3)])


def relative(kind, q, eqs, box):
    """R and r of I(q_r), and u_r as a twist of C2 in C2; section 5.1 with the axis z."""

    def about_z(c, s):
        return Matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]])

    if kind == "spherical":
        return Matrix(3, 3, q).T, zeros(3, 1), lambda u: Matrix([*u, 0, 0, 0])
    if kind == "planar":
        R = Matrix([[q[2], q[4], 0], [q[3], q[5], 0], [0, 0, 1]])
        return R, Matrix([q[0], q[1], 0]), lambda u: Matrix([0, 0, u[0], u[1], u[2], 0])
    if kind == "cylindrical":
        R = Matrix([[q[0], q[2], 0], [q[1], q[3], 0], [0, 0, 1]])
        return R, Matrix([0, 0, q[4]]), lambda u: Matrix([0, 0, u[0], 0, 0, u[1]])
    if kind == "revolute":
        return (
            Matrix([[q[0], q[2], 0], [q[1], q[3], 0], [0, 0, 1]]),
            zeros(3, 1),
            lambda u: Matrix([0, 0, u[0], 0, 0, 0]),
        )
    if kind == "prismatic":
        return eye(3), Matrix([0, 0, q[0]]), lambda u: Matrix([0, 0, 0, 0, 0, u[0]])
    h = eqs.parameters[f"{box}.pitch"]
    return (
        about_z(sympy.cos(q[0]), sympy.sin(q[0])),
        Matrix([0, 0, h * q[0]]),
        lambda u: Matrix([0, 0, u[0], 0, 0, h * u[0]]),
    )


def moved(R, r, u, R_I=None):
    """The velocity u of a frame A at the frame B = A (R, r), in B; on SO(3) x R³, with R_I of A, ν stays inertial."""
    w, v = Matrix(u[:3]), Matrix(u[3:])
    if R_I is None:
        return Matrix([*(R.T * w), *(R.T * (v + w.cross(r)))])
    return Matrix([*(R.T * w), *(v + R_I * w.cross(r))])


def carried(R, r, F, R_I=None):
    """The dual: a wrench F at B, in B, as the wrench at A, in A."""
    m, f = Matrix(F[:3]), Matrix(F[3:])
    if R_I is None:
        return Matrix([*(R * m + r.cross(R * f)), *(R * f)])
    return Matrix([*(R * m + r.cross(R_I.T * f)), *f])


def gyroscopic(p, u, group):
    """ad_uᵀ p, (15)."""
    p_w, p_v, w, v = Matrix(p[:3]), Matrix(p[3:]), Matrix(u[:3]), Matrix(u[3:])
    if group == "SO3xR3":
        return Matrix([*p_w.cross(w), 0, 0, 0])
    return Matrix([*(p_w.cross(w) + p_v.cross(v)), *p_v.cross(w)])


def same(found, expected):
    difference = Matrix([found] if not isinstance(found, sympy.MatrixBase) else found) - Matrix(expected)
    assert difference.applyfunc(sympy.expand) == zeros(*difference.shape)


def friction_of(eqs, box, n):
    mu = lambda i, k: eqs.parameters.get(f"{box}.mu{min(i, k) + 1}{max(i, k) + 1}", 0)  # noqa: E731
    return Matrix([[eqs.parameters[f"{box}.mu"]]]) if n == 1 else Matrix(n, n, mu)


# -- (22)


@pytest.mark.parametrize("group", GROUPS)
@CHANGES
def test_a_body_has_the_printed_equations(group, change):
    eqs = equations(change(a_body(group)))
    p, u, f_q, f = eqs.states["p"], eqs.efforts["p"], eqs.efforts["q"], eqs.variables.outer_flows["p"].entries
    same(eqs.rates["q"], u) if group == "SE3" else same(eqs.rates["q"], Matrix(u) + Matrix(eqs.outer["q"]["f"]))
    same(eqs.rates["p"], gyroscopic(p, u, group) - Matrix(f_q) + Matrix(f))
    same(eqs.outer["p"]["e"], u)
    J1, J2, J3, m = (eqs.parameters[f"ke.{name}"] for name in ("J1", "J2", "J3", "m"))
    same(eqs.where["u"], [p[0] / J1, p[1] / J2, p[2] / J3, p[3] / m, p[4] / m, p[5] / m])
    R, w = pose(eqs.states["q"])[0], Matrix([eqs.parameters["pe.w1"], 0, eqs.parameters["pe.w3"]])
    same(eqs.where["f_q"], [0, 0, 0, *(-R.T * w if group == "SE3" else -w)])
    assert eqs.values[eqs.parameters["pe.w3"]] == 2.0 * -9.81


def test_a_potential_is_added_to_gravity():
    eqs = equations(a_body(potential=lambda x, k: 0.5 * k * (x.q.r @ x.q.r) + x.q.R[0, 1], k=3.0))
    R, r = pose(eqs.states["q"])
    k, w = eqs.parameters["pe.k"], Matrix([eqs.parameters["pe.w1"], 0, eqs.parameters["pe.w3"]])
    turn = [R[0, 2], 0, -R[0, 0]]  # of R_12: column 2 moves with ω x e_2 = (-ω_3, 0, ω_1)
    same(eqs.where["f_q"], [*turn, *(R.T * (k * r - w))])


def test_an_inertia_with_products_shows_its_inverse():
    J = np.array([[1.0, 0.1, 0.0], [0.1, 1.5, 0.2], [0.0, 0.2, 2.0]])
    eqs = equations(rigid_body(2.0, J))
    p = np.arange(1.0, 7.0)
    numbers = dict(zip(eqs.states["p"], p, strict=True)) | eqs.values
    found = np.array(eqs.where["u"].subs(numbers), dtype=float).ravel()
    np.testing.assert_allclose(found, [*np.linalg.solve(J, p[:3]), *(p[3:] / 2)], rtol=1e-14)


# -- (31)


@pytest.mark.parametrize("kind", LOWER_PAIRS)
@CHANGES
def test_a_joint_has_the_printed_equations(kind, change):
    eqs = equations(
        change(a_joint(kind, potential=lambda x, k: k * np.ravel(getattr(x.q_r, "R", x.q_r))[0] ** 2, k=3.0))
    )
    expect_joint(eqs, kind, "SE3", "", *(eqs.variables.outer_efforts[at].entries for at in ("p_1", "p_2")))
    lam = eqs.multipliers["hc"]
    R, r, _ = relative(kind, eqs.states["q_r"], eqs, "hc")
    same(eqs.outer["p_1"]["f"], carried(*offset(eqs, "o1", O1), carried(R, r, lam)))
    same(eqs.outer["p_2"]["f"], -carried(*offset(eqs, "o2", O2), lam))


def expect_joint(eqs, kind, group, path, u_1, u_2):
    """Rate, balance, constraint and entropy of a joint between bodies with velocities u_1 and u_2."""
    u_r, lam, q_r = eqs.efforts[f"{path}p_r"], eqs.multipliers[f"{path}hc"], eqs.states[f"{path}q_r"]
    R, r, i = relative(kind, q_r, eqs, f"{path}hc")
    mu, n = friction_of(eqs, f"{path}mf", len(u_r)), len(u_r)
    same(eqs.rates[f"{path}q_r"], u_r)
    i_T = Matrix([i([int(a == k) for a in range(n)]).dot(Matrix(lam)) for k in range(n)])
    if group == "SO3xR3":
        R_I1, R_I2 = (pose(eqs.states[at])[0] for at in ("q_b1", "q_b2"))
        R_C1 = R_I1 * offset(eqs, f"{path}o1", O1)[0].subs(twins(eqs, path))
        spread = sympy.diag(eye(3), R_C1 * R)
        i_T = Matrix([(spread * i([int(a == k) for a in range(n)])).dot(Matrix(lam)) for k in range(n)])
        C1 = moved(R, r, moved(*offset(eqs, f"{path}o1", O1), u_1, R_I1), R_C1)
        C2 = moved(*offset(eqs, f"{path}o2", O2), u_2, R_I2)
        same(eqs.constraints[f"{path}hc"], C1 - C2 + spread * i(u_r))
    else:
        C1 = moved(R, r, moved(*offset(eqs, f"{path}o1", O1), u_1))
        C2 = moved(*offset(eqs, f"{path}o2", O2), u_2)
        same(eqs.constraints[f"{path}hc"], C1 - C2 + i(u_r))
    same(eqs.algebraic[f"{path}p_r"], Matrix(eqs.efforts[f"{path}q_r"]) + i_T + mu * Matrix(u_r))
    theta0 = sympy.Symbol("theta_0", positive=True)
    same(eqs.rates[f"{path}s"], [Matrix(u_r).dot(mu * Matrix(u_r)) / theta0])


def twins(eqs, path):
    """The rotation of o1 is a parameter of the offset, and of the constraint where it turns translations."""
    names = [f"R{i}{k}" for i in "123" for k in "123" if f"{path}hc.R11" in eqs.parameters]
    return {eqs.parameters[f"{path}o1.{name}"]: eqs.parameters[f"{path}hc.{name}"] for name in names}


# -- section 6


@pytest.mark.parametrize("kind", LOWER_PAIRS)
@pytest.mark.parametrize("group", GROUPS)
def test_two_bodies_and_a_joint_have_the_printed_equations(kind, group):
    eqs = equations(two_bodies(kind, group))
    direct = group == "SO3xR3"
    at_q = ["q_b1", "q_b2"] if direct else ["b1.q", "b2.q"]
    u, p = [eqs.efforts[at] for at in ("p_b1", "p_b2")], [eqs.states[at] for at in ("p_b1", "p_b2")]
    expect_joint(eqs, kind, group, "j.", *u)
    lam = eqs.multipliers["j.hc"]
    R, r, _ = relative(kind, eqs.states["j.q_r"], eqs, "j.hc")
    R_I1, R_I2 = (pose(eqs.states[at])[0] if direct else None for at in at_q)
    R_C1 = R_I1 * offset(eqs, "j.o1", O1)[0].subs(twins(eqs, "j.")) if direct else None
    F = [
        -carried(*offset(eqs, "j.o1", O1), carried(R, r, lam, R_C1), R_I1),
        carried(*offset(eqs, "j.o2", O2), lam, R_I2),
    ]
    for k in range(2):
        same(eqs.rates[at_q[k]], u[k])
        same(eqs.rates[f"p_b{k + 1}"], gyroscopic(p[k], u[k], group) - Matrix(eqs.efforts[at_q[k]]) + F[k])
    assert len(eqs.rows) == 4 + 2 + 2


@pytest.mark.parametrize("kind", LOWER_PAIRS)
@pytest.mark.parametrize("group", GROUPS)
def test_neither_flattening_nor_other_port_names_change_the_equations(kind, group):
    system = two_bodies(kind, group)
    expected = equations(system).as_sympy()
    assert equations(system.flatten()).as_sympy() == expected
    assert equations(with_other_ports(system)).as_sympy() == expected


@pytest.mark.parametrize("kind", LOWER_PAIRS)
def test_the_constraint_is_that_of_the_adjoint_maps(kind):
    """(24) and (31) at 50 random points with Ad of the group itself, which knows R Rᵀ = I."""
    eqs = equations(a_joint(kind))
    flat = eqs.variables.flat
    q_r, u_r = eqs.states["q_r"], eqs.efforts["p_r"]
    u_1, u_2 = (eqs.variables.outer_efforts[at].entries for at in ("p_1", "p_2"))
    R, r, i = relative(kind, q_r, eqs, "hc")
    parameters = list(eqs.values)
    arguments = [*q_r, *u_r, *u_1, *u_2, *eqs.multipliers["hc"], *parameters]
    evaluate = sympy.lambdify(arguments, [R, r, i(u_r), eqs.constraints["hc"], eqs.outer["p_1"]["f"]], "numpy")
    space, rng = flat.junctions["q_r"].quantity.space.embedding, np.random.default_rng(0)
    start = np.concatenate([np.eye(2).ravel(), [0.0]]) if kind == "cylindrical" else _identity(kind)
    for _ in range(50):
        q = space.retract(start, rng.uniform(-2, 2, space.dim))
        u = rng.normal(size=len(u_r) + 12)
        lam = rng.normal(size=6)
        R_n, r_n, i_n, C, F = evaluate(*q, *u, *lam, *eqs.values.values())
        Ad = SE3(np.array(R_n, float), np.array(r_n, float).ravel()).inverse().Ad() @ O1.inverse().Ad()
        twist_1, twist_2 = u[len(u_r) : len(u_r) + 6], u[len(u_r) + 6 :]
        expected = Ad @ twist_1 - O2.inverse().Ad() @ twist_2 + np.ravel(i_n)
        np.testing.assert_allclose(np.ravel(C), expected, rtol=0, atol=1e-12)
        np.testing.assert_allclose(np.ravel(F), Ad.T @ lam, rtol=0, atol=1e-12)


def _identity(kind):
    plane, space = np.eye(2).ravel(), np.eye(3).ravel()
    return {"spherical": space, "planar": np.r_[0.0, 0.0, plane], "revolute": plane}.get(kind, np.zeros(1))


# -- reading


def test_two_bodies_read_like_the_paper():
    text = str(equations(two_bodies("revolute"))).splitlines()
    assert text[1:9] == [
        "  q_b1^-1 q_b1' = u_b1",
        "  p_b1' = J_lp_b1 u_b1 - f_q_b1 - C_o1^T C_hc_p_j1^T lambda_hc",
        "  q_b2^-1 q_b2' = u_b2",
        "  p_b2' = J_lp_b2 u_b2 + C_o2^T lambda_hc - f_q_b2",
        "  q_r^-1 q_r' = u_r",
        "  s' = mu*u_r**2/theta_0",
        "  0 = lambda_hc_3 + mu*u_r",
        "  0 = C_hc_p_j1 C_o1 u_b1 - C_o2 u_b2 + C_hc_p_r u_r",
    ]


@pytest.mark.parametrize("kind", LOWER_PAIRS)
def test_latex_becomes_mathml(kind):
    convert = pytest.importorskip("latex2mathml.converter").convert
    latex = equations(two_bodies(kind)).latex().replace("aligned", "split")
    assert r"\dot{p}_{b1} &= J_{\mathrm{lp},b1} u_{b1} - f_{q,b1}" in latex
    assert convert(latex).count("<mtr>") > 70
    assert latex.count("{") == latex.count("}")


def test_rate_symbols_print_with_a_dot():
    (rate, *_) = equations(a_body()).as_sympy()[6:]
    assert sympy.latex(rate.lhs) == r"\dot{p}_{1}"
