import numpy as np
from numpy.testing import assert_allclose
from rigid_models import tree

from visviva.forms.rigid.body_motion import after, between, edge_motion
from visviva.geometry.se3 import SE3

SYSTEM, Q, XI = tree()
P = SYSTEM.parameterisation


def curve(t):
    """q(t) through Q with ξ constant, to second order."""
    A_dot = P.A_map.along(Q, P.A(Q) @ XI, np.zeros_like(Q))[1]
    return Q + t * P.A(Q) @ XI + t * t / 2 * A_dot @ XI


def pose(frame, t):
    return SYSTEM.frames(curve(t))[frame].matrix


def test_twists_and_biases_are_derivatives_of_poses():
    h = 1e-4
    for name, frame in SYSTEM.instant(Q, XI).frames.items():
        X0, Xm, Xp = pose(name, 0), pose(name, -h), pose(name, h)
        back = frame.X.inverse().matrix
        V_hat = back @ (Xp - Xm) / (2 * h)
        assert_allclose(SE3.vee(V_hat), frame.V, atol=1e-6)
        assert_allclose(frame.J @ XI, frame.V, atol=1e-12)
        bias = SE3.vee(back @ (Xp - 2 * X0 + Xm) / h**2 - SE3.hat(frame.V) @ SE3.hat(frame.V))
        assert_allclose(bias, frame.B, atol=2e-5)


def test_relative_motion_is_the_inverse_of_composition():
    frames = SYSTEM.instant(Q, XI).frames
    for a in frames.values():
        for b in frames.values():
            again = after(a, between(a, b))
            for part in ("J", "V", "B"):
                assert_allclose(getattr(again, part), getattr(b, part), atol=1e-12)
            assert_allclose(again.X.matrix, b.X.matrix, atol=1e-12)
            there, back = between(a, b), between(b, a)
            assert_allclose(back.J, -there.X.Ad() @ there.J, atol=1e-12)
            assert_allclose(back.B, -there.X.Ad() @ there.B, atol=1e-12)


def test_printed_rules_of_composition_fail():
    """Konz (3.94b), (3.102), (3.104), (3.122): X_ba for X_ab in Ad, and R_ba for R_ab in the inverse."""
    edge = next(edge for edge in P.graph.tree if edge.a == "b")
    ab, a = edge_motion(edge, Q, XI), SYSTEM.instant(Q, XI).frames["b"]
    c = after(a, ab)
    for wrong in (ab.X, a.X, a.X.inverse()):
        assert np.abs(wrong.Ad() @ a.J + ab.J - c.J).max() > 0.1
    assert_allclose(ab.X.inverse().Ad() @ a.J + ab.J, c.J, atol=1e-12)
    R, r = ab.X.R, ab.X.r
    assert_allclose(ab.X.inverse().r, -R.T @ r, atol=1e-14)
    assert np.abs(ab.X.inverse().r + R @ r).max() > 0.1  # -R_baᵀ r_ab, as printed


def test_the_bias_needs_the_bracket():
    """Konz (3.122c): d/dt Ad turns with the twist of the edge."""
    edge = next(edge for edge in P.graph.tree if edge.a == "b")
    ab, a = edge_motion(edge, Q, XI), SYSTEM.instant(Q, XI).frames["b"]
    b, A = after(a, ab), ab.X.inverse().Ad()
    assert np.abs(A @ a.B + ab.B - b.B).max() > 0.1
    back = -ab.X.Ad() @ ab.V  # the twist of a relative to b, in a
    assert_allclose(A @ (a.B + SE3.ad(back) @ a.V) + ab.B, b.B, atol=1e-12)
    assert np.abs(A @ (a.B + SE3.ad(ab.V) @ a.V) + ab.B - b.B).max() > 0.1  # the twist of the wrong frame
