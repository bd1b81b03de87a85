"""Flows whose equations are written out by hand, and the same motions by SciPy, which knows nothing of groups."""

import numpy as np
from scipy.integrate import solve_ivp

import visviva as vv
from visviva.geometry.quaternion import matrix_of

J = np.diag([0.5, 0.8, 1.1]) + 0.1
MASS, COM, GRAVITY = 1.3, np.array([0.1, -0.2, 0.5]), np.array([0.0, 0.0, -9.81])
J_FIXED = J + MASS * (COM @ COM * np.eye(3) - np.outer(COM, COM))  # about the tip of the top


def quaternion_rate(q, w):
    """q (0, ω)/2."""
    return 0.5 * np.concatenate([[-q[1:] @ w], q[0] * w + np.cross(q[1:], w)])


def top(damping=0.0, motor=0.0):
    """A heavy top about a fixed point, damped and driven by a torque motor sin 3t about its axis z."""

    def torque(t, w):
        return np.array([0.0, 0.0, motor * np.sin(3 * t)]) - damping * w

    def rates(t, q, w):
        weight = np.cross(COM, MASS * matrix_of(q).T @ GRAVITY)
        return np.linalg.solve(J_FIXED, weight - np.cross(w, J_FIXED @ w) + torque(t, w))

    def energy(q, w):
        return 0.5 * w @ J_FIXED @ w - MASS * GRAVITY @ matrix_of(q) @ COM

    return vv.HandFlow(rates, configuration=["ball"], energy=energy, power=lambda t, q, w: torque(t, w) @ w, name="top")


TOP_START = np.array([1.0, 0.0, 0.0, 0.0]), np.array([2.0, 0.3, 1.0])


def flyer(stiffness=4.0, damping=0.0):
    """A free body with a spring from a point of it to the origin of the world, which makes it tumble."""
    at = np.array([0.3, 0.1, -0.2])

    def pull(q, xi):
        R = matrix_of(q[3:])
        speed = R @ (xi[3:] + np.cross(xi[:3], at))
        return R.T @ (-stiffness * (q[:3] + R @ at) - damping * speed)

    def rates(t, q, xi):
        w, v, f = xi[:3], xi[3:], pull(q, xi)
        w_dot = np.linalg.solve(J, np.cross(at, f) - np.cross(w, J @ w))
        return np.concatenate([w_dot, f / MASS - np.cross(w, v)])

    def energy(q, xi):
        end = q[:3] + matrix_of(q[3:]) @ at
        return 0.5 * xi[:3] @ J @ xi[:3] + 0.5 * MASS * xi[3:] @ xi[3:] + 0.5 * stiffness * end @ end

    def power(t, q, xi):
        speed = xi[3:] + np.cross(xi[:3], at)
        return -damping * speed @ speed

    return vv.HandFlow(rates, configuration=["free"], energy=energy, power=power, name="flyer")


FLYER_START = np.array([1.0, 0.2, 0.0, 1.0, 0.0, 0.0, 0.0]), np.array([1.0, -2.0, 0.5, 0.3, 0.5, -0.4])


def reference(flow, start, t_end):
    """(q, ξ) at t_end by SciPy's DOP853 in the redundant coordinates themselves."""
    size, free = flow.size_q, flow.size_q == 7

    def f(t, y):
        q, xi = y[:size], y[size:]
        turn = quaternion_rate(q[-4:], xi[:3])
        q_dot = np.concatenate([matrix_of(q[3:]) @ xi[3:], turn]) if free else turn
        return np.concatenate([q_dot, flow.rates(t, q, xi, np.zeros(0))[0]])

    found = solve_ivp(f, (0, t_end), np.concatenate(start), method="DOP853", rtol=3e-14, atol=1e-14)
    return found.y[:size, -1], found.y[size:, -1]
