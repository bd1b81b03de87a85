"""Mechanisms of the literature, built as a user would: the three examples of Latussek, Kinon, Betsch (section 7), and
loops that have more joint rows than they need.
"""

from __future__ import annotations

import itertools

import numpy as np

import visviva as vv

E1, E2, E3 = np.eye(3)


# -- Latussek, Kinon, Betsch, section 7 --------------------------------------------------------------------------------


def cylindrical_pair(*, w=(-1.0, -1.5, 0.0), turn=100.0, slide=35.5, offset=-11.0):
    """Two free bodies that turn about and slide along the axis e3 of the first, section 7.1.

    The signs of the angular velocities are those of the paper's data; its text has w = (1, 1.5, 0), turn = -100.
    """
    m = vv.Mechanism("flying pair")
    w, v, r = np.array(w), np.array([0, 50.0, 0]), offset * E3
    A = m.body("A", mass=4.0, inertia=(304, 304, 8), twist=(*w, *v))
    twist = (*(w + turn * E3), *(v + np.cross(w, r) + slide * E3))
    B = m.body("B", mass=3.0, inertia=(18.75, 18.75, 19.5), at=r, twist=twist)
    m.cylindrical("pair", A, B, at=r, axis=E3)
    return m


BARS = {"one": (5, 0, 0), "two": (0, 5, 0), "three": (-5, 0, 0), "four": (0, -5, 0)}
CORNERS = {"a": (5, 5, 0), "b": (-5, 5, 0), "c": (-5, -5, 0), "d": (5, -5, 0)}


def free_four_bar():
    """Four bars in a free loop of spherical joints, a wrench on the first, section 7.2."""
    m = vv.Mechanism("four bars")
    along_x, along_y = (5 / 3, 505 / 6, 505 / 6), (505 / 6, 5 / 3, 505 / 6)
    for name, at in BARS.items():
        m.body(name, mass=10.0, inertia=along_y if at[0] else along_x, at=at)
    ring = [*BARS, "one"]
    for (joint, at), parent, child in zip(CORNERS.items(), ring, ring[1:], strict=False):
        m.spherical(joint, parent, child, at=at)
    m.wrench("load", "one")
    return m


def ramp(t):
    """Moment 6 f and force 8 f along x, f rising to 100 at 0.5 s and falling to 0 at 1 s."""
    f = max(0.0, 200 * t if t <= 0.5 else 200 * (1 - t))
    return np.array([6 * f, 0, 0, 8 * f, 0, 0])


CRANK_PIN, ROD_PIN, SLIDER = np.array([0, 0.1, 0.12]), np.array([0, 0.1, 0.2]), np.array([0.2, 0, 0])
ROD = np.array([2.0, -1, -2]) / 3
PIN = np.cross(ROD, E1) / np.linalg.norm(np.cross(ROD, E1))


def slider_crank(*, pins=(E1, PIN), rate=6.0):
    """Crank, connecting rod and slider in space, section 7.3: four joints of four kinds, no redundant row.

    The rod's moments are 4e-4 about its axis and 4e-3 about the other two; `pins` are the axes of the universal joint
    on the slider and on the rod.
    """
    m = vv.Mechanism("slider-crank", gravity=(0, 0, -9.81))
    crank = m.body("crank", mass=0.12, inertia=(1e-4, 1e-4, 1e-5), at=(CRANK_PIN + ROD_PIN) / 2)
    axes = np.column_stack([ROD, PIN, np.cross(ROD, PIN)])
    rod = m.body("rod", mass=0.5, inertia=(4e-4, 4e-3, 4e-3), at=(ROD_PIN + SLIDER) / 2, rotation=axes)
    slider = m.body("slider", mass=2.0, inertia=(1e-4, 1e-4, 1e-4), at=SLIDER)
    m.revolute("crankshaft", m.ground, crank, at=CRANK_PIN, axis=E1, rate=rate)
    m.spherical("ball", crank, rod, at=ROD_PIN)
    m.universal("cross", slider, rod, at=SLIDER, axes=pins)
    m.prismatic("guide", m.ground, slider, at=SLIDER, axis=E1)
    return m


# -- loops with more rows than they need -------------------------------------------------------------------------------


def bar(m, name, a, b, mass=1.0):
    """A round bar between two points."""
    a, b = np.array(a, float), np.array(b, float)
    length = float(np.linalg.norm(b - a))
    inertia = vv.inertia.cylinder(mass, 0.05, length, axis=(b - a) / length)
    return m.body(name, inertia=inertia, at=(a + b) / 2)


def planar_four_bar(gravity=(0, -9.81, 0), rate=2.0):
    """Crank 1, coupler 2, rocker 2.5 on a base of 3 m, four hinges in space: 20 rows of rank 17."""
    m = vv.Mechanism("planar four-bar", gravity=gravity)
    angle = 1.1
    A, D, B = np.zeros(3), np.array([3.0, 0, 0]), np.array([np.cos(angle), np.sin(angle), 0])
    d = D - B
    along = (2.0**2 - 2.5**2 + d @ d) / (2 * np.linalg.norm(d))
    d /= np.linalg.norm(d)
    C = B + along * d + np.sqrt(2.0**2 - along**2) * np.array([-d[1], d[0], 0])
    bar(m, "crank", A, B)
    bar(m, "coupler", B, C, 2.0)
    bar(m, "rocker", C, D, 1.5)
    for name, parent, child, at in (
        ("a", m.ground, "crank", A),
        ("b", "crank", "coupler", B),
        ("c", "coupler", "rocker", C),
        ("d", m.ground, "rocker", D),
    ):
        m.revolute(name, parent, child, at=at, axis=E3, rate=rate if name == "a" else None)
    return m


BENNETT = {"twists": np.radians([30.0, 70.0]), "lengths": np.array([1.0, np.sin(np.radians(70)) / 0.5])}


def bennett_joints(angle):
    """Axes and points of the four hinges, for the angle of the first: frames R_z(θ_i) T_x(a_i) R_x(α_i) in a row."""
    alpha, a = BENNETT["twists"][[0, 1, 0, 1]], BENNETT["lengths"][[0, 1, 0, 1]]
    second = 2 * np.arctan2(
        np.sin(0.5 * (alpha[1] + alpha[0])), np.sin(0.5 * (alpha[1] - alpha[0])) * np.tan(angle / 2)
    )
    angles = np.array([angle, second, 2 * np.pi - angle, 2 * np.pi - second])
    R, r = np.eye(3), np.zeros(3)
    axes, points = [], []
    for theta, length, twist in zip(angles, a, alpha, strict=True):
        axes.append(R[:, 2])
        points.append(r)
        R = R @ _about(theta, 2)
        r = r + length * R[:, 0]
        R = R @ _about(twist, 0)
    np.testing.assert_allclose(np.c_[R, r], np.eye(3, 4), atol=1e-14)  # the loop closes
    return np.array(axes), np.array(points), angles


def bennett(rate=1.0):
    """Four skew hinges that turn all the same: 3 links of 1 kg, J = 0.1 I at mid-link, the fourth is the ground."""
    m = vv.Mechanism("Bennett")
    axes, points, _ = bennett_joints(0.7)
    ring = ["ground", "first", "second", "third", "ground"]
    for name, a, b in zip(ring[1:4], points, points[1:], strict=False):
        m.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), at=(a + b) / 2)
    for i, (parent, child) in enumerate(itertools.pairwise(ring)):
        m.revolute(f"hinge{i + 1}", parent, child, at=points[i], axis=axes[i], rate=rate if i == 0 else None)
    return m


SARRUS = {"length": 1.0, "link": 0.8, "platform": 2.0, "angle": 0.9}


def sarrus():
    """Two legs of two links and three parallel hinges each, in planes at right angles: the platform keeps to a line."""
    m = vv.Mechanism("Sarrus", gravity=(0, 0, -9.81))
    length, angle = SARRUS["length"], SARRUS["angle"]
    m.body("platform", mass=SARRUS["platform"], inertia=(0.3, 0.4, 0.5), at=2 * length * np.sin(angle) * E3)
    for leg, out, axis in (("x", E1, E2), ("y", E2, E1)):
        foot = 0.5 * out
        knee = foot + length * (np.cos(angle) * out + np.sin(angle) * E3)
        head = foot + 2 * length * np.sin(angle) * E3
        lower, upper = (
            bar(m, f"lower_{leg}", foot, knee, SARRUS["link"]),
            bar(m, f"upper_{leg}", knee, head, SARRUS["link"]),
        )
        m.revolute(f"foot_{leg}", m.ground, lower, at=foot, axis=axis)
        m.revolute(f"knee_{leg}", lower, upper, at=knee, axis=axis)
        m.revolute(f"head_{leg}", upper, "platform", at=head, axis=axis)
    return m


# -- trees -------------------------------------------------------------------------------------------------------------


def skew_tree(friction=0.0):
    """A branching tree with joints of six kinds, no axis parallel to another."""
    m = vv.Mechanism("tree", gravity=(1.0, -2.0, -9.0))
    J = np.array([[0.3, 0.02, -0.01], [0.02, 0.4, 0.03], [-0.01, 0.03, 0.35]])
    trunk = m.body("trunk", mass=2.0, inertia=J, at=(0.5, 0.1, -0.2), com=(0.05, 0, 0.02))
    left = m.body("left", mass=1.0, inertia=0.5 * J, at=(1.2, 0.6, 0.1), rotation=_about(0.7, 2))
    right = m.body("right", mass=1.5, inertia=0.7 * J, at=(1.1, -0.5, 0.3), rotation=_about(-0.4, 0))
    cart = m.body("cart", mass=0.8, inertia=0.2 * J, at=(1.9, -0.4, 0.2))
    wheel = m.body("wheel", mass=0.5, inertia=0.1 * J, at=(1.8, 0.9, 0.4))
    tail = m.body("tail", mass=0.4, inertia=0.1 * J, at=(0.2, 0.3, -1.0))
    m.universal("root", m.ground, trunk, at=(0, 0, 0), axes=(E2, E3), rate=(0.4, -0.3))
    m.revolute("elbow", trunk, left, at=(0.9, 0.3, 0), axis=(0.2, 1, 0.5), rate=1.5, friction=friction)
    m.spherical("shoulder", trunk, right, at=(0.8, -0.2, 0.1))
    m.prismatic("rail", right, cart, axis=(1, 0.3, 0.2), rate=0.2, friction=friction)
    losses = (friction, friction, friction)
    m.cylindrical("sleeve", left, wheel, at=(1.7, 0.8, 0.4), axis=(0.1, 0.4, 1), rate=(3.0, -0.1), friction=losses[:2])
    m.planar("table", trunk, tail, at=(0.2, 0.2, -0.8), normal=(0.1, 0, 1), rate=(0.5, 0.1, -0.2), friction=losses)
    return m


def _about(angle, i):
    """Rotation by an angle about a coordinate axis."""
    j, k = (i + 1) % 3, (i + 2) % 3
    R = np.eye(3)
    R[j, j] = R[k, k] = np.cos(angle)
    R[j, k], R[k, j] = -np.sin(angle), np.sin(angle)
    return R
