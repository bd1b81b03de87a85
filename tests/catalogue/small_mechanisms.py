"""Small mechanisms with every kind of joint, spring and port, and the inputs that drive them."""

from __future__ import annotations

import numpy as np

import visviva as vv
from visviva.geometry import SE3

DOWN = (0, 0, -9.81)
BOX = {"mass": 1.0, "inertia": (0.03, 0.09, 0.08)}


def one_body(name, **options):
    m = vv.Mechanism(name, gravity=DOWN)
    return m, m.body("a", **BOX, at=(0.5, 0.2, 0), **options)


def double_pendulum():
    """Skew axes, a damped spring, friction, a motor with a torsion spring, a load: all that can act."""
    m = vv.Mechanism("double pendulum", gravity=DOWN)
    a = m.body("upper arm", **BOX, at=(0.5, 0, 0))
    b = m.body("b", **BOX, at=(1.3, 0, 0), com=(0.2, 0.1, 0.05))
    m.revolute("hinge", m.ground, a, at=(0, 0, 0), axis=(0, 1, 0), friction=0.05, rate=0.7)
    m.revolute("elbow", a, b, at=(1, 0, 0), axis=(0.3, 1, 0.4), rate=1.0)
    m.spring("cord", m.ground, b, k=10.0, length=0.5, damping=0.2, at_a=(0, 1, 1), at_b=(1.8, 0, 0))
    m.torque("motor", "elbow")
    m.torsion("coil", "elbow", k=3.0, angle=0.3, damping=0.1)
    m.wrench("load", b)
    return m, {"motor": 0.3, "load": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)}


def slider():
    m, a = one_body("slider")
    m.prismatic("guide", m.ground, a, at=(0, 0, 0), axis=(1, 0.5, 0.7), rate=0.3, friction=0.2)
    m.force("push", "guide")
    return m, {"push": 0.5}


def sleeve():
    m, a = one_body("sleeve")
    m.cylindrical("shaft", m.ground, a, at=(0, 0, 0), axis=(1, 0.5, 0.7), rate=(0.3, 0.2), friction=(0.1, 0.2))
    m.force("push", "shaft")
    m.torque("motor", "shaft")
    return m, {"push": 0.5, "motor": 0.1}


def cardan():
    m, a = one_body("cardan")
    m.universal("cross", m.ground, a, at=(0, 0, 0), axes=((0, 0, 1), (0, 1, 0)), rate=(2.0, 0.5))
    return m, {}


def cardan_with_a_massless_cross():
    m, a = one_body("cross")
    m.body("cross", massless=True)
    m.revolute("u", m.ground, "cross", at=(0, 0, 0), axis=(0, 0, 1), rate=2.0)
    m.revolute("v", "cross", a, at=(0, 0, 0), axis=(0, 1, 0), rate=0.5)
    return m, {}


def plate():
    m, a = one_body("plate")
    m.planar("table", m.ground, a, at=(0, 0, 0), normal=(0, 1, 1), rate=(2.0, 0.5, 0.3), friction=(0.1, 0.5, 0.05))
    m.torque("motor", "table")
    return m, {"motor": 0.2}


def balls():
    m, a = one_body("balls", twist=(1, 2, 3, 0, 0, 0))
    b = m.body("b", mass=2.0, inertia=(0.03, 0.09, 0.08), at=(1.5, 0.2, 0))
    m.spherical("socket", m.ground, a, at=(0.5, 0.2, 0))
    m.spherical("ball", a, b, at=(1, 0.2, 0))
    return m, {}


def weld():
    m, a = one_body("weld")
    b = m.body("b", mass=2.0, inertia=(0.03, 0.09, 0.08), at=(1.5, 0.2, 0))
    m.revolute("hinge", m.ground, a, at=(0, 0.2, 0), axis=(0, 1, 0.3))
    m.fixed("seam", a, b, at=(1, 0.2, 0))
    return m, {}


def rods():
    m, a = one_body("rods")
    p = m.particle("bob", mass=2.0, at=(1.5, 0.2, 0))
    m.distance("rod", m.ground, a, at_a=(0, 0.2, 0), at_b=(0.2, 0.2, 0.1))
    m.distance("string", a, p)
    m.spherical("seat", a, m.particle("bead", mass=0.3, at=(0.1, 0.1, 0.1)))
    m.wrench("wind", p)
    return m, {"wind": (0.1, 0.2, 0.3)}


def point_in_a_plane():
    m, a = one_body("point in a plane", twist=(1, 0, 0, 0.3, 0, 0))
    m.point_on_plane("floor", m.ground, a, at=(0, 0.2, 0), normal=(0, 0.3, 1))
    return m, {}


def bead():
    m, a = one_body("bead", twist=(1, 2, 0.2, 0, 0, 0))
    m.point_on_line("wire", m.ground, a, at=(0.5, 0.2, 0), axis=(1, 0.3, 1))
    m.force("push", "wire")
    return m, {"push": 0.3}


def four_bar():
    """Plane, and so over-constrained in space; a spring about one of its hinges."""
    m = vv.Mechanism("four-bar", gravity=(0, -9.81, 0))
    corners = np.array([(0, 0, 0), (0, 1, 0), (2, 1.3, 0), (2.2, 0, 0)], dtype=float)
    links = ("ground", "crank", "coupler", "rocker", "ground")
    for name, a, b in zip(links[1:-1], corners, corners[1:], strict=False):
        m.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), at=(a + b) / 2)
    for k, corner in enumerate(corners):
        options = {"rate": 1.0, "friction": 0.1} if k == 0 else {}
        m.revolute("ABCD"[k], links[k], links[k + 1], at=corner, axis=(0, 0, 1), **options)
    m.torsion("coil", "B", k=2.0)
    return m, {}


def bennett():
    """Bennett's linkage, links R_z(θ) T_x R_x: four hinges, one mobility that no count of constraints sees."""
    alpha, beta, theta = np.radians(30), np.radians(70), 0.7
    b = np.sin(beta) / np.sin(alpha)
    other = 2 * np.arctan(np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2) / np.tan(theta / 2))
    X, frames = SE3.identity(), []
    for angle, length, twist in (
        (theta, 1.0, alpha),
        (other, b, beta),
        (2 * np.pi - theta, 1.0, alpha),
        (2 * np.pi - other, b, beta),
    ):
        frames.append(X)
        X = X @ SE3.exp([0, 0, angle, 0, 0, 0]) @ SE3.exp([0, 0, 0, length, 0, 0]) @ SE3.exp([twist, 0, 0, 0, 0, 0])
    m = vv.Mechanism("Bennett")
    links = ("ground", "l1", "l2", "l3", "ground")
    for k in range(3):
        m.body(links[k + 1], mass=1.0, inertia=(0.1, 0.1, 0.1), at=(frames[k].r + frames[k + 1].r) / 2)
    for k, frame in enumerate(frames):
        rate = {"rate": 1.0} if k == 0 else {}
        m.revolute(f"j{k + 1}", links[k], links[k + 1], at=frame.r, axis=frame.R[:, 2], **rate)
    return m, {}


def sprung_pair():
    m = vv.Mechanism("sprung pair")
    a = m.body("a", **BOX, twist=(0, 0, 0.3, 0, 0.1, 0))
    b = m.body("b", mass=2.0, inertia=(0.03, 0.09, 0.08), at=(1.2, 0.1, 0), twist=(0.2, 0, 0, 0, 0, 0.4))
    m.spring("cord", a, b, k=10.0, length=0.8, damping=0.3, at_a=(0.2, 0, 0.1), at_b=(1, 0, 0.1))
    m.trace_spring("rubber", a, b, G=np.diag([1.0, 2, 3]), K=np.diag([10.0, 20, 30]), at=(1, 0, 0))
    return m, {}


def bushing():
    m, a = one_body("bushing", twist=(1, 2, 0.2, 0, 0, 0))
    m.bushing("mount", m.ground, a, K=(3.0, 4, 5, 100, 110, 120), D=(0.1, 0.1, 0.1, 1, 1, 1))
    return m, {}


CATALOGUE = {
    make.__name__: make
    for make in (
        double_pendulum,
        slider,
        sleeve,
        cardan,
        cardan_with_a_massless_cross,
        plate,
        balls,
        weld,
        rods,
        point_in_a_plane,
        bead,
        four_bar,
        bennett,
        sprung_pair,
        bushing,
    )
}
