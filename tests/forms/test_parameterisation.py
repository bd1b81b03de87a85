"""Three ways to give a parameterisation agree; what is not one is refused with names."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from parameterisations import arm, circle, moved

import visviva as vv
from visviva import AssemblyError, ModelError
from visviva.forms import Parameterisation, coordinates
from visviva.forms.calculus.edges import adjoint
from visviva.forms.calculus.graph import frame_graph
from visviva.geometry import SE3

XI = np.array([0.7])


def hinge_by_function():
    def pose(q):
        zero, one = 0 * q.hip_c, 1 + 0 * q.hip_c
        rows = [[q.hip_c, -q.hip_s, zero, 2 * q.hip_c], [q.hip_s, q.hip_c, zero, 2 * q.hip_s]]
        return np.array([*rows, [zero, zero, one, zero], [zero, zero, zero, one]])

    return Parameterisation(
        ("hip_c", "hip_s"),
        ("hip_rate",),
        A=lambda q: [[-q.hip_s], [q.hip_c]],
        phi=lambda q: [q.hip_c**2 + q.hip_s**2 - 1],
        edges={("ground", "leg"): pose},
        q0=(1, 0),
    )


def hinge_by_symbols():
    c, s = sympy.symbols("hip_c hip_s", real=True)
    X = sympy.Matrix([[c, -s, 0, 2 * c], [s, c, 0, 2 * s], [0, 0, 1, 0], [0, 0, 0, 1]])
    A, edges = sympy.Matrix([-s, c]), {("ground", "leg"): X}
    return Parameterisation((c, s), ("hip_rate",), A=A, phi=[c**2 + s**2 - 1], edges=edges, q0=(1, 0))


def hinge_by_joint():
    to = np.eye(4)
    to[0, 3] = 2.0
    return coordinates.joined({("ground", "leg"): coordinates.revolute("hip", by="pair", to=to)})


WAYS = {"function": hinge_by_function, "symbols": hinge_by_symbols, "joint": hinge_by_joint}


@pytest.mark.parametrize("way", WAYS)
def test_a_hinge_is_the_same_in_three_ways(way):
    p, q = WAYS[way](), np.array([np.cos(0.4), np.sin(0.4)])
    (edge,) = p.edges
    assert (p.coordinates, p.velocities, p.frames) == (("hip_c", "hip_s"), ("hip_rate",), ("ground", "leg"))
    np.testing.assert_allclose(p.A(q), [[-q[1]], [q[0]]], atol=1e-15)
    np.testing.assert_allclose(p.Phi(q), [2 * q], atol=1e-15)
    np.testing.assert_allclose(edge.pose(q)[:2, 3], 2 * q, atol=1e-15)
    np.testing.assert_allclose(edge.jacobian(q), np.array([[0, 0, 1, 0, 2, 0]]).T, atol=1e-15)
    np.testing.assert_allclose(edge.bias(q, XI), np.zeros(6), atol=1e-14)


@pytest.mark.parametrize("way", WAYS)
def test_other_velocities_change_jacobian_and_bias(way):
    """ξ = B(q) ξ' with B = 1 + s²: the twist is J B ξ', and its rate without ξ̇' is J Ḃ ξ'."""
    p = WAYS[way]().with_velocities(("u",), lambda q: [[1 + q.hip_s**2]])
    angle, u = 0.4, np.array([0.7])
    q = np.array([np.cos(angle), np.sin(angle)])
    rate, J = 1 + q[1] ** 2, np.array([0, 0, 1, 0, 2, 0])
    (edge,) = p.edges
    np.testing.assert_allclose(edge.jacobian(q)[:, 0], J * rate, atol=1e-14)
    slope = 2 * q[1] * q[0] * (rate * u[0])  # d/dt B
    np.testing.assert_allclose(edge.bias(q, u), J * slope * u[0], atol=1e-14)
    np.testing.assert_allclose(p.q_ddot(q, u, np.zeros(1)), _second_rate(p, q, u), atol=1e-7)


def _second_rate(p, q, xi, h=1e-5):
    """d/dt of A ξ along the motion, by differences."""
    ahead, behind = (q + s * h * p.q_dot(q, xi) for s in (1, -1))
    return (p.q_dot(ahead, xi) - p.q_dot(behind, xi)) / (2 * h)


def test_jacobians_and_biases_of_a_pose_that_is_not_a_joint():
    """A wheel that rolls along x, its pose bent by jets: J and J̇ ξ by differences of poses."""

    def pose(q):
        c, s, zero = np.cos(q.turn), np.sin(q.turn), 0 * q.turn
        return np.array([[c, s, zero, 0.3 * q.turn + q.x**2], [-s, c, zero, s * q.x], [0, 0, 1, q.x**3], [0, 0, 0, 1]])

    p = Parameterisation(
        ("turn", "x"),
        ("u", "v"),
        A=lambda q: [[1, q.x], [0, np.cos(q.turn)]],
        edges={("ground", "wheel"): pose},
        q0=(0, 0),
    )
    (edge,), q, xi, h = p.edges, np.array([0.5, 0.3]), np.array([0.8, -1.3]), 1e-4

    def at(t):
        """q(t) with constant ξ, to third order, so that differences of it are exact enough."""
        from scipy.integrate import solve_ivp

        return solve_ivp(lambda _, x: p.q_dot(x, xi), (0, t), q, rtol=1e-12, atol=1e-14).y[:, -1]

    def twist(x):
        return edge.jacobian(x) @ xi

    behind, ahead = at(-h), at(h)
    rate = SE3.vee(np.linalg.inv(edge.pose(q)) @ (edge.pose(ahead) - edge.pose(behind)) / (2 * h))
    np.testing.assert_allclose(twist(q), rate, atol=1e-6)
    np.testing.assert_allclose(edge.bias(q, xi), (twist(ahead) - twist(behind)) / (2 * h), atol=1e-6)
    back = _flipped(edge)
    rate = (back.jacobian(ahead) - back.jacobian(behind)) @ xi / (2 * h)
    np.testing.assert_allclose(back.bias(q, xi), rate, atol=1e-6)
    assert np.abs(rate).max() > 0.1


def test_the_inverse_edge_undoes_the_edge():
    p = hinge_by_function()
    X = p.edges[0]
    (back,) = frame_graph([_flipped(X)]).tree
    q, u = np.array([0.6, 0.8]), np.array([1.3])
    np.testing.assert_allclose(back.pose(q), X.pose(q), atol=1e-15)
    np.testing.assert_allclose(back.jacobian(q), X.jacobian(q), atol=1e-14)
    np.testing.assert_allclose(back.bias(q, u), X.bias(q, u), atol=1e-13)
    flipped = _flipped(X)
    np.testing.assert_allclose(flipped.jacobian(q), -adjoint(X.pose(q)) @ X.jacobian(q), atol=1e-15)


def _flipped(edge):
    from visviva.forms.calculus.edges import InverseEdge

    return InverseEdge(edge.b, edge.a, edge)


def test_frames_hang_in_the_order_of_the_tree_and_loops_are_left():
    eye = np.eye(4)
    edges = {("hand", "arm"): eye, ("ground", "arm"): eye, ("ground", "hand"): eye}
    p = Parameterisation(("x",), ("u",), A=[[1]], edges=edges, q0=(0,))
    assert p.frames == ("ground", "arm", "hand")
    assert [(edge.a, edge.b) for edge in p.graph.tree] == [("ground", "arm"), ("ground", "hand")]
    assert [(edge.a, edge.b) for edge in p.graph.loops] == [("hand", "arm")]


def test_it_is_a_public_name():
    assert vv.Parameterisation is Parameterisation
    assert vv.coordinates is coordinates


def test_every_joint_in_a_row_is_consistent():
    p = arm()
    p.check(moved(p))
    assert p.size_q - np.linalg.matrix_rank(p.Phi(moved(p))) == p.n


# -- what is refused ---------------------------------------------------------------------------------------------


def given(**changes):
    """The circle with some changes."""
    q, xi = changes.pop("q", ("x", "y")), changes.pop("xi", ("w",))
    own = {"A": lambda q: [[-q.y], [q.x]], "phi": lambda q: [q.x**2 + q.y**2 - 1], "q0": (1.0, 0.0)}
    return Parameterisation(q, xi, **(own | changes))


EYE = np.eye(4)
SCALED = np.diag([2.0, 1, 1, 1])


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"q0": (1.0, 0.1)}, AssemblyError, r"phi\[0\] is 1.000e-02 at x = 1, y = 0.1"),
        ({"q0": (1.0,)}, ModelError, r"q0 must have shape \(2\)|q0 must have shape \(2,\)"),
        ({"A": lambda q: [[q.y], [q.x]], "q0": (0.6, 0.8)}, ModelError, r"velocity 'w' changes phi\[0\] at the rate"),
        ({"xi": ("w", "u"), "A": lambda q: [[-q.y, -q.y], [q.x, q.x]]}, ModelError, "A has rank 1 for 2 velocities"),
        (
            {"phi": lambda q: [0 * q.x]},
            ModelError,
            "phi has 0 independent rows for 2 coordinates and 1 velocities, 1 are",
        ),
        ({"A": lambda q: [-q.y, q.x]}, ModelError, r"A must have shape \(2, 1\), got \(2,\)"),
        ({"edges": {("ground", "arm"): SCALED}}, ModelError, "pose of edge 'ground' -> 'arm' is not a rotation"),
        ({"edges": {("arm", "hand"): EYE}}, ModelError, "no edges lead from 'ground' to 'arm', 'hand'"),
        ({"edges": {("arm", "arm"): EYE}}, ModelError, "the edge 'arm' -> 'arm' joins a frame with itself"),
        ({"edges": {"arm": EYE}}, ModelError, r"an edge is given by two frames such as \('ground', 'arm'\), got 'arm'"),
        ({"q": ("x", "x")}, ModelError, "the coordinate 'x' has a name that is taken"),
        ({"xi": ("x",)}, ModelError, "the velocity 'x' has a name that is taken"),
        ({"q": ("x", "T")}, ModelError, "a coordinate cannot be called 'T'"),
        ({"q": ("x", "2y")}, ModelError, "a coordinate cannot be called '2y'"),
    ],
)
def test_what_is_no_parameterisation_is_refused(changes, error, message):
    with pytest.raises(error, match=message):
        given(**changes)


def test_velocities_with_a_nonholonomic_condition_are_refused():
    """A skate that cannot slip sideways reaches three dimensions with two velocities."""
    with pytest.raises(ModelError, match=r"velocities 'v' and 'w', .*\n.*nonholonomic"):
        Parameterisation(
            ("x", "y", "angle"),
            ("v", "w"),
            A=lambda q: [[np.cos(q.angle), 0], [np.sin(q.angle), 0], [0, 1]],
            q0=(0, 0, 0),
        )


def test_fewer_velocities_than_coordinates_without_phi_are_fine_where_they_are_integrable():
    p = Parameterisation(("x", "y"), ("w",), A=lambda q: [[-q.y], [q.x]], q0=(1, 0))
    assert p.n == 1


def test_a_change_of_velocities_must_be_invertible():
    with pytest.raises(ModelError, match="A has rank 0 for 1 velocities: 'u' moves nothing"):
        circle().with_velocities(("u",), [[0.0]])
    with pytest.raises(ModelError, match="1 velocities are replaced by 2"):
        circle().with_velocities(("u", "v"), [[1.0, 1.0]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: coordinates.revolute("hip", axis=(0, 0, 0)), "axis of joint 'hip' is zero"),
        (lambda: coordinates.revolute("hip", by="turns"), "by='angle' or by='pair', got 'turns'"),
        (lambda: coordinates.spherical("hip", by="angles"), "one of quaternion, matrix, got 'angles'"),
        (lambda: coordinates.free("hip", at=SCALED), "at of joint 'hip' is not a rotation"),
    ],
)
def test_a_wrong_joint_is_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()
