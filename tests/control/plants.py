"""Mechanisms of the dissertation's examples, and closed loops in continuous time."""

from __future__ import annotations

from functools import cache

import numpy as np

import visviva as vv
from visviva.geometry import SE3, SO3
from visviva.geometry.moments import matrix_of_moments

c = vv.control
G = 9.81


# -- plants -----------------------------------------------------------------------------------------------------------


@cache
def cart():
    m = vv.Mechanism("cart")
    body = m.body("cart", mass=3.0, inertia=(1, 1, 1))
    m.prismatic("rail", m.ground, body, axis="x")
    m.force("push", "rail")
    return m


@cache
def wheel(inertia=2.0):
    m = vv.Mechanism("wheel")
    body = m.body("wheel", mass=3.0, inertia=(1, 1, inertia))
    m.revolute("axle", m.ground, body, axis="z", at=(0, 0, 0))
    m.torque("motor", "axle")
    return m


@cache
def top():
    """A body that only turns."""
    m = vv.Mechanism("top")
    body = m.body("top", mass=3.0, inertia=(0.2, 0.3, 0.4))
    m.spherical("ball", m.ground, body, at=(0, 0, 0))
    m.wrench("hand", body)
    return m


@cache
def free_body(com=(0.02, -0.03, 0.05)):
    m = vv.Mechanism("free body", gravity=(0, 0, -G))
    J = np.array([[0.2, 0.01, 0.02], [0.01, 0.3, -0.03], [0.02, -0.03, 0.25]])
    body = m.body("body", mass=1.5, inertia=J, com=com)
    m.wrench("hand", body)
    return m


@cache
def plate():
    m = vv.Mechanism("plate")
    body = m.body("plate", mass=2.0, inertia=(0.01, 0.02, 0.03))
    m.planar("plane", m.ground, body, at=(0, 0, 0), normal="z")
    m.wrench("hand", body)
    return m


@cache
def scara(l1=0.4, l2=0.3):
    """Two hinges about z; the frame of the second link is at its hinge, the tool at l2."""
    m = vv.Mechanism("scara")
    one = m.body("one", mass=2.0, inertia=(0.01, 0.02, 0.03), com=(0.15, 0, 0))
    two = m.body("two", mass=1.2, inertia=(0.005, 0.01, 0.015), at=(l1, 0, 0), com=(0.12, 0.02, 0))
    m.revolute("first", m.ground, one, at=(0, 0, 0), axis="z")
    m.revolute("second", one, two, at=(l1, 0, 0), axis="z")
    m.torque("t1", "first")
    m.torque("t2", "second")
    m.frame("tool", two, at=(l1 + l2, 0, 0))
    return m


@cache
def robot_arm(l1=0.3, l2=0.6, l3=0.5):
    """The arm of Konz (4.112), a tool on its last body."""
    m = vv.Mechanism("robot arm", gravity=(0, 0, -G))
    at = np.cumsum([(0, 0, 0), (l1, 0, 0), (0, 0, l2), (l3, 0, 0), (0, 0, 0), (0, 0, 0)], axis=0)
    below, axes = m.ground, "zyyxyx"
    for i in range(6):
        link = m.body(
            f"link{i + 1}", mass=2.0 - 0.25 * i, inertia=(0.02, 0.03, 0.025), at=at[i], com=(0.05, 0.01 * i, 0.03)
        )
        m.revolute(f"theta{i + 1}", below, link, at=at[i], axis=axes[i])
        m.torque(f"tau{i + 1}", f"theta{i + 1}")
        below = link
    m.frame("tool", below, at=at[-1] + (0.12, 0.03, -0.05), rotation=SO3.exp([0.3, -0.2, 0.5]))
    return m


@cache
def two_masses(k=10.0, m1=1.3, m2=1.0):
    m = vv.Mechanism("two masses")
    one = m.body("one", mass=m1, inertia=(1, 1, 1))
    two = m.body("two", mass=m2, inertia=(1, 1, 1), at=(1.0, 0, 0))
    m.prismatic("z1", m.ground, one, axis="x")
    m.prismatic("z2", m.ground, two, axis="x")
    m.spring("spring", one, two, k=k, length=1.0)
    m.force("push", "z1")
    return m


@cache
def pvtol(m_=1.0, Theta=0.02, l_A=0.25, beta=np.pi / 12):
    """In the x-y plane, gravity along -y; (4.129)."""
    m = vv.Mechanism("PVTOL", gravity=(0, -G, 0))
    body = m.body("craft", mass=m_, inertia=(0.01, 0.01, Theta))
    m.planar("plane", m.ground, body, at=(0, 0, 0), normal="z")
    m.wrench("rotors", body)
    s, co = np.sin(beta), np.cos(beta)
    rotors = c.Thrusters(
        np.array([[0, 0], [0, 0], [l_A * co, -l_A * co], [s, -s], [co, co], [0, 0]]), ("right", "left")
    )
    return m, {"rotors": rotors}, Theta * np.tan(beta) / (m_ * l_A)


@cache
def quadcopter(l=0.24):
    m = vv.Mechanism("quadcopter", gravity=(0, 0, -G))
    body = m.body("craft", mass=1.001, inertia=(0.0179, 0.018, 0.0307))
    m.wrench("rotors", body)
    points = [(l, 0, 0), (0, l, 0), (-l, 0, 0), (0, -l, 0)]
    return m, {"rotors": c.thrusters(points, (0, 0, 1), drag=0.01701 * np.array([-1, 1, -1, 1]))}


@cache
def octocopter():
    """Pairs of rotors on each of four arms, which turn against each other: eight inputs for four directions."""
    m, _ = quadcopter()
    points = np.repeat([(0.24, 0, 0), (0, 0.24, 0), (-0.24, 0, 0), (0, -0.24, 0)], 2, axis=0)
    return m, {"rotors": c.thrusters(points, (0, 0, 1), drag=0.01701 * np.array([-1, 1] * 4))}


BICOPTER = {"m": 1.0, "inertia": (0.018, 0.006, 0.02), "l_y": 0.25, "l_z": 0.12, "beta": np.pi / 12}


@cache
def bicopter():
    p = BICOPTER
    m = vv.Mechanism("bicopter", gravity=(0, 0, -G))
    body = m.body("craft", mass=p["m"], inertia=p["inertia"])
    m.wrench("rotors", body)
    s, co = np.sin(p["beta"]), np.cos(p["beta"])
    l = p["l_y"] * co - p["l_z"] * s
    B = np.array(
        [
            [0, l, 0, -l], [p["l_z"], 0, p["l_z"], 0], [-p["l_y"], 0, p["l_y"], 0],
            [1, 0, 1, 0], [0, s, 0, -s], [0, co, 0, co],
        ]
    )  # fmt: skip
    return m, {"rotors": c.Thrusters(B, ("side1", "lift1", "side2", "lift2"))}


# -- states -----------------------------------------------------------------------------------------------------------


def random_state(d, seed, size=0.6):
    """(q, v, q_R, v_R, a_R)."""
    rng = np.random.default_rng(seed)
    q, q_R = (d.integrate(np.array(d.q_built), size * rng.normal(size=d.nv)) for _ in range(2))
    return q, rng.normal(size=d.nv), q_R, rng.normal(size=d.nv), rng.normal(size=d.nv)


def random_moments(rng, size=1.0):
    """P' of random points with positive weights: P and P' are both definite."""
    return vv.geometry.moments.moment_matrix(size * rng.uniform(0.5, 1.5, 6), rng.normal(size=(6, 3)))


def random_gains(seed):
    rng = np.random.default_rng(seed)
    return c.gains(*(random_moments(rng) for _ in range(3)))


def at_rest(x):
    return x[0], x[1], x[2], 0 * x[3], 0 * x[4]


def pose_coordinates(r, R):
    return np.concatenate([r, SO3(np.asarray(R, dtype=float)).as_quat()])


# -- closed loops -----------------------------------------------------------------------------------------------------


def closed_loop(law, goal, q, v, t_end, h, u_hold=False):
    """(t, q, v) of the loop with a law that is asked at all times; RK4 on coordinates, quaternions normalised."""
    d = law.d
    balls = [at for _, at in d.tree.dynamics.quaternions]

    def unit(q):
        q = q.copy()
        for at in balls:
            q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
        return q

    def rate(t, q, v):
        q = unit(q)
        e = law.evaluate(q, v, *goal(t))
        return d.form.q_dot(q, v), e.a

    n = round(t_end / h)
    T, Q, V = [0.0], [q], [v]
    for k in range(n):
        t = k * h
        a1, b1 = rate(t, q, v)
        a2, b2 = rate(t + h / 2, q + h / 2 * a1, v + h / 2 * b1)
        a3, b3 = rate(t + h / 2, q + h / 2 * a2, v + h / 2 * b2)
        a4, b4 = rate(t + h, q + h * a3, v + h * b3)
        q, v = unit(q + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)), v + h / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
        T.append(t + h), Q.append(q), V.append(v)
    return np.array(T), np.array(Q), np.array(V)


def hold(d, q_R):
    still = np.zeros(d.nv)
    return lambda t: (q_R, still, still)


def konz(P):
    """A 6×6 matrix or a vector in the dissertation's order (v; ω), from ours (ω; v)."""
    order = [3, 4, 5, 0, 1, 2]
    P = np.asarray(P)
    return P[order] if P.ndim == 1 else P[np.ix_(order, order)]


def spatial(P):
    return matrix_of_moments(np.asarray(P))


def transform(q, at=0):
    return SE3(SO3.from_quat(q[at + 3 : at + 7]).R, q[at : at + 3])
