"""Systems by hand in Kane's way, with a start each: plane and spatial, holonomic and not, driven and not."""

from __future__ import annotations

from functools import cache

import numpy as np

from visviva import KaneBody, kane

SLEIGH = {"m": 1.0, "J": 0.5, "a": 0.4}
DISC = {"m": 2.0, "rho": 0.3, "C": 0.09, "A1": 0.045, "g": 9.81}
BOARD = {"M": 3.0, "J": 0.2, "Mr": 1.0, "Jr": 0.1, "Mw": 0.5, "Jw": 0.02, "l": 0.4}


@cache
def sleigh():
    """Chaplygin's sleigh, M8: the blade at (x, y), the centre of mass a ahead of it."""

    def v(q, xi, a):
        c, s = np.cos(q.theta), np.sin(q.theta)
        return [xi.v * c - a * xi.w * s, xi.v * s + a * xi.w * c]

    return kane(
        "sleigh",
        q=("x", "y", "theta"),
        xi=("w", "v"),
        q_dot=lambda q, xi: [xi.v * np.cos(q.theta), xi.v * np.sin(q.theta), xi.w],
        bodies={"sleigh": KaneBody(mass=lambda m: m, v=v, w=lambda xi: xi.w, inertia=lambda J: J)},
        parameters=SLEIGH,
    )


@cache
def disc():
    """A disc that rolls, in axes e1 horizontal, e2 up the disc, e3 its axis, which are not those of the body."""

    def q_dot(q, xi, rho):
        s, sp, cp = np.sin(q.theta), np.sin(q.psi), np.cos(q.psi)
        x = rho * (xi.w1 * s * sp - xi.w3 * cp)
        y = rho * (-xi.w1 * s * cp - xi.w3 * sp)
        return [xi.w1, xi.w2 / s, x, y]

    return kane(
        "disc",
        q=("theta", "psi", "x", "y"),
        xi=("w1", "w2", "w3"),
        q_dot=q_dot,
        bodies={
            "disc": KaneBody(
                mass=lambda m: m,
                v=lambda xi, rho: [-rho * xi.w3, 0, rho * xi.w1],
                w=lambda xi: [xi.w1, xi.w2, xi.w3],
                inertia=lambda A1, C: [A1, A1, C],
                axes=lambda q, xi: [xi.w1, xi.w2, xi.w2 * np.cos(q.theta) / np.sin(q.theta)],
            )
        },
        V=lambda q, m, g, rho: m * g * rho * np.sin(q.theta),
        parameters=DISC,
    )


def _forward(q, l):
    """(ẋ, ẏ, θ̇) that both wheel sets of the snakeboard allow, the cross product of their rows."""
    f, r = q.theta + q.alpha, q.theta + q.beta
    a = np.array([-np.sin(f), np.cos(f), l * np.cos(q.alpha)], dtype=object)
    b = np.array([-np.sin(r), np.cos(r), -l * np.cos(q.beta)], dtype=object)
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


@cache
def snakeboard():
    """Board, rotor and two wheel sets; four velocities for six coordinates. Motors on the rotor and the wheels."""

    def q_dot(q, xi, l):
        return [*(part * xi.s1 for part in _forward(q, l)), xi.wr, xi.wf, xi.wb]

    def at(side):
        def v(q, xi, l):
            x, y, theta = (part * xi.s1 for part in _forward(q, l))
            return [x - side * l * np.sin(q.theta) * theta, y + side * l * np.cos(q.theta) * theta]

        return v

    def turning(own):
        return lambda q, xi, l: _forward(q, l)[2] * xi.s1 + (getattr(xi, own) if own else 0)

    return kane(
        "snakeboard",
        q=("x", "y", "theta", "psi", "alpha", "beta"),
        xi=("s1", "wr", "wf", "wb"),
        q_dot=q_dot,
        bodies={
            "board": KaneBody(mass=lambda M: M, v=at(0), w=turning(None), inertia=lambda J: J),
            "rotor": KaneBody(mass=lambda Mr: Mr, v=at(0), w=turning("wr"), inertia=lambda Jr: Jr),
            "front": KaneBody(mass=lambda Mw: Mw, v=at(1), w=turning("wf"), inertia=lambda Jw: Jw),
            "back": KaneBody(mass=lambda Mw: Mw, v=at(-1), w=turning("wb"), inertia=lambda Jw: Jw),
        },
        tau={
            "wr": lambda t: 0.5 * np.sin(2 * t),
            "wf": lambda t: 0.02 * np.cos(3 * t),
            "wb": lambda t: -0.03 * np.cos(3 * t),
        },
        parameters=BOARD,
    )


@cache
def double_pendulum():
    """M3: two rods of mass and length one, angles against the horizontal, velocities their rates."""

    def end(angle, rate):
        return np.array([-np.sin(angle) * rate, np.cos(angle) * rate], dtype=object)

    def upper(q, xi):
        return 0.5 * end(q.a, xi.a_dot)

    def lower(q, xi):
        return end(q.a, xi.a_dot) + 0.5 * end(q.b, xi.b_dot)

    return kane(
        "double pendulum",
        q=("a", "b"),
        bodies={
            "upper": KaneBody(mass=1.0, v=upper, w=lambda xi: xi.a_dot, inertia=1 / 12),
            "lower": KaneBody(mass=1.0, v=lower, w=lambda xi: xi.b_dot, inertia=1 / 12),
        },
        V=lambda q, g: g * (1.5 * np.sin(q.a) + 0.5 * np.sin(q.b)),
        parameters={"g": 9.81},
    )


def _turned(q):
    """R of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ],
        dtype=object,
    )


@cache
def free_body():
    """M1: position and quaternion, twist in body axes."""

    def q_dot(q, xi):
        w, x, y, z = q[3:]
        a, b, c = xi[:3]
        turn = [-x * a - y * b - z * c, w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a]
        return [*(_turned(q[3:]) @ xi[3:]), *(0.5 * np.array(turn, dtype=object))]

    return kane(
        "free body",
        q=("rx", "ry", "rz", "qw", "qx", "qy", "qz"),
        xi=("w1", "w2", "w3", "v1", "v2", "v3"),
        q_dot=q_dot,
        bodies={
            "body": KaneBody(mass=2.0, v=lambda xi: xi[3:], w=lambda xi: xi[:3], inertia=(2, 3, 4), axes="body"),
        },
    )


def euler_axes(q, xi):
    """Body components of ω for R = R_y(a) R_x(b) R_z(c)."""
    sb, cb, sc, cc = np.sin(q.b), np.cos(q.b), np.sin(q.c), np.cos(q.c)
    return [
        xi.a_dot * cb * sc + xi.b_dot * cc,
        xi.a_dot * cb * cc - xi.b_dot * sc,
        -xi.a_dot * sb + xi.c_dot,
    ]


@cache
def euler_body():
    """M1 in coordinates: position and three angles, velocities their rates; ω in body axes, v in world axes."""
    return kane(
        "Euler body",
        q=("x", "y", "z", "a", "b", "c"),
        bodies={
            "mass": KaneBody(mass=2.0, v=lambda xi: [xi.x_dot, xi.y_dot, xi.z_dot]),
            "body": KaneBody(w=euler_axes, inertia=(2, 3, 4), axes="body"),
        },
    )


@cache
def driven_pendulum():
    """The pivot's height is a coordinate, its velocity is known; friction in the joint."""
    return kane(
        "driven pendulum",
        q=("y", "theta"),
        xi=("u", "w"),
        q_dot=lambda xi: [xi.u, xi.w],
        bodies={"bob": _bob(lambda q, xi, t: xi.u)},
        V=lambda q, m, l, g: m * g * (q.y - l * np.cos(q.theta)),
        tau={"w": lambda xi, d: -d * xi.w},
        known={"u": lambda t: 0.3 * 7 * np.cos(7 * t)},
        parameters={"m": 1.2, "l": 0.7, "g": 9.81, "d": 0.05},
    )


@cache
def shaken_pendulum():
    """The same with the height of the pivot as a function of time, and one coordinate."""
    return kane(
        "shaken pendulum",
        q="theta",
        bodies={"bob": _bob(lambda q, xi, t: 0.3 * 7 * np.cos(7 * t), "theta_dot")},
        V=lambda q, t, m, l, g: m * g * (0.3 * np.sin(7 * t) - l * np.cos(q.theta)),
        tau={"theta_dot": lambda xi, d: -d * xi.theta_dot},
        parameters={"m": 1.2, "l": 0.7, "g": 9.81, "d": 0.05},
    )


def _bob(pivot, rate="w"):
    def v(q, xi, t, l):
        w = getattr(xi, rate)
        return [l * np.cos(q.theta) * w, l * np.sin(q.theta) * w + pivot(q, xi, t)]

    return KaneBody(mass=lambda m: m, v=v)


SYSTEMS = {
    "sleigh": sleigh,
    "disc": disc,
    "snakeboard": snakeboard,
    "double pendulum": double_pendulum,
    "free body": free_body,
    "Euler body": euler_body,
    "driven pendulum": driven_pendulum,
    "shaken pendulum": shaken_pendulum,
}
KANE = ("velocity", "momentum", "partially-lagrangian")
HOLONOMIC = ("lagrange", "hamilton")


def states(system, seed=0, count=2):
    """Generic states (t, q, ξ)."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield (
            rng.uniform(0.2, 2.0),
            rng.uniform(0.3, 1.2, len(system.coordinates)),
            rng.normal(size=len(system.unknown)),
        )
