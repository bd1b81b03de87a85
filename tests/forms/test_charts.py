"""Ready-made coordinates of joints: what they promise, joint by joint."""

from __future__ import annotations

import numpy as np
import pytest
from parameterisations import arm, moved

from visviva.geometry import SE3

P = arm()
Q = moved(P, seed=4)
XI = np.random.default_rng(5).normal(size=P.n)
JOINTS = {edge.b: edge for edge in P.edges}


@pytest.mark.parametrize("name", JOINTS)
def test_the_jacobian_is_the_rate_of_the_pose(name):
    edge, h = JOINTS[name], 1e-6
    ahead, behind = (edge.pose(Q + s * h * P.q_dot(Q, XI)) for s in (1, -1))
    rate = SE3.vee(np.linalg.inv(edge.pose(Q)) @ (ahead - behind) / (2 * h))
    np.testing.assert_allclose(edge.jacobian(Q) @ XI, rate, atol=2e-9)
    assert not edge.bias(Q, XI).any()


@pytest.mark.parametrize("name", JOINTS)
@pytest.mark.parametrize("size", [1.0, 1e-3, 1e-8])
def test_advancing_is_the_exponential_of_the_motion(name, size):
    edge = JOINTS[name]
    chart, q = edge.joint.chart, Q[edge.read]
    delta = size * XI[edge.move]
    ahead = chart.advance(q, delta)
    np.testing.assert_allclose(chart.pose(ahead), chart.pose(q) @ SE3.exp(chart.S @ delta).matrix, atol=1e-14)
    np.testing.assert_allclose(chart.phi.value(ahead), 0, atol=2e-15)


@pytest.mark.parametrize("name", JOINTS)
def test_local_coordinates_have_the_rate_of_the_motion(name):
    """d/dt of advance(q, δ) is A ξ with δ̇ = inverse_tangent(δ, ξ)."""
    edge, h = JOINTS[name], 1e-6
    chart, q, delta, xi = edge.joint.chart, Q[edge.read], 0.3 * XI[edge.move], XI[edge.move][::-1]
    step = h * chart.inverse_tangent(delta, xi)
    rate = (chart.advance(q, delta + step) - chart.advance(q, delta - step)) / (2 * h)
    np.testing.assert_allclose(rate, chart.A.value(chart.advance(q, delta)) @ xi, atol=2e-9)


@pytest.mark.parametrize("name", JOINTS)
def test_restoring_makes_conditions_decay_twice_as_fast(name):
    """φ̇ = -2 φ along it, to first order in φ; and it leads to the nearest configuration."""
    edge = JOINTS[name]
    chart, q = edge.joint.chart, Q[edge.read]
    off = q + 1e-5 * np.linspace(1, 2, len(q))
    phi = chart.phi.value(off)
    np.testing.assert_allclose(chart.phi.slope(off) @ chart.restoring(off), -2 * phi, atol=1e-8)
    near = chart.nearest(off)
    np.testing.assert_allclose(chart.phi.value(near), 0, atol=1e-14)
    tangent = chart.A.value(near)
    np.testing.assert_allclose(tangent.T @ (off - near), 0, atol=1e-14)


@pytest.mark.parametrize("name", ["f", "c", "e"])
def test_poses_turn_also_off_unit_length(name):
    """(c, s) and quaternions give rotations at any length, and A their rates."""
    edge, h = JOINTS[name], 1e-6
    chart, q = edge.joint.chart, 1.2 * Q[edge.read]
    R = chart.pose(q)[:3, :3]
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-14)
    xi = XI[edge.move]
    ahead, behind = (chart.pose(q + s * h * chart.A.value(q) @ xi)[:3, :3] for s in (1, -1))
    w = SE3.vee(np.linalg.inv(chart.pose(q)) @ np.pad(ahead - behind, ((0, 1), (0, 1))) / (2 * h))[:3]
    np.testing.assert_allclose(w, (chart.S @ xi)[:3], atol=1e-8)
