"""Trees of bodies at random, and what may act on them, one kind at a time or all together."""

from __future__ import annotations

import numpy as np

import visviva as vv

STICKY = vv.friction.stribeck(coulomb=0.3, static=0.5, speed=0.5, v_reg=0.3, viscous=0.01)
JOINTS = ("revolute", "prismatic", "screw", "cylindrical", "universal", "planar", "spherical", "free")


def tree(seed=0, kinds=JOINTS, particle=True, frictions=None):
    """Bodies b0, b1, … that hang on each other or on the ground by joints j0, j1, … of some kinds, and a particle."""
    rng = np.random.default_rng(seed)
    m = vv.Mechanism("tree", gravity=(0.3, -0.2, -9.81))
    ends = [m.ground]
    for k, kind in enumerate(kinds):
        at = rng.normal(size=3)
        B = 0.3 * rng.normal(size=(3, 3))
        second = B @ B.T + 0.02 * np.eye(3)
        inertia = np.trace(second) * np.eye(3) - second
        body = m.body(f"b{k}", mass=rng.uniform(0.5, 2.0), inertia=inertia, at=at, com=0.2 * rng.normal(size=3))
        parent = m.ground if kind == "free" else ends[int(rng.integers(max(0, k - 2), k + 1))]
        joined(m, rng, f"j{k}", kind, parent, body, at, (frictions or {}).get(kind, 0.0))
        ends.append(body)
    if particle:
        m.particle("p", mass=0.7, at=rng.normal(size=3), velocity=rng.normal(size=3))
    return m


def joined(m, rng, name, kind, parent, child, at, friction):
    at, axis = at + 0.3 * rng.normal(size=3), rng.normal(size=3)
    rate = rng.normal(size={"cylindrical": 2, "universal": 2, "planar": 3}.get(kind))
    match kind:
        case "revolute" | "prismatic" | "cylindrical":
            getattr(m, kind)(name, parent, child, at=at, axis=axis, rate=rate, friction=friction)
        case "screw":
            m.screw(name, parent, child, at=at, axis=axis, pitch=0.3, rate=rate, friction=friction)
        case "universal":
            axes = axis, np.cross(axis, rng.normal(size=3))
            m.universal(name, parent, child, at=at, axes=axes, rate=rate, friction=friction)
        case "planar":
            m.planar(name, parent, child, at=at, normal=axis, rate=rate, friction=friction)
        case "spherical":
            m.spherical(name, parent, child, at=at, friction=friction)
        case "free":
            m.free(name, parent, child)


def spring(m):
    m.spring("line", "b0", "b4", k=20.0, damping=0.4)
    m.spring("rope", m.ground, "p", at_a=(0, 0, 3), k=15.0, length=0.5)


def hardening(m):
    m.spring("hard", "b1", "p", energy=lambda l: 3.0 * (l - 1.0) ** 2 + 0.5 * l**4)


def line_damper(m):
    m.spring("dash", "b6", "b7", at_a=(0.1, 0.2, 0.3), damping=2.0)


def torsion(m):
    m.torsion("coil", "j0", k=4.0, angle=0.3, damping=0.2)
    m.torsion("pendulous", "j3", energy=lambda a: 2.0 * (1 - np.cos(a - 0.2)), damping=0.1)


def point_springs(m):
    m.point_springs("many", "b4", "b6", k=[3.0, 5.0], at_parent=np.eye(3)[:2], at_child=2 * np.eye(3)[1:], damping=0.3)


def bushing(m):
    m.bushing("rubber", "b2", "b3", K=(1, 2, 3, 8, 7, 9), D=(0.1, 0.2, 0.2, 0.1, 0.3, 0.2), at=(0.2, 0.1, 0))


def trace_spring(m):
    G = np.diag([1.0, 2.0, 3.0])
    m.trace_spring("trace", m.ground, "b7", G=G, K=5 * np.eye(3))


def stiffness(m):
    A = np.random.default_rng(2).normal(size=(4, 4))
    m.stiffness("moments", "b5", "b6", K=A @ A.T)


def drag(m):
    m.damper("fins", m.ground, "b7", d=[0.5, 0.8], points=np.random.default_rng(3).normal(size=(2, 3)))
    m.damper("drop", m.ground, "p", d=0.3)


def stops(m):
    m.stop("limit", "j0", -0.02, 0.03, stiffness=80.0, damping=3.0, width=0.01)
    m.stop("buffer", "j1", -0.02, 0.02, stiffness=300.0, damping=5.0, width=0.01)


def inputs(m):
    m.wrench("hand", "b4")
    m.wrench("wind", "p")
    m.torque("motor", "j0")
    m.force("piston", "j1")


KINDS = {
    part.__name__: part
    for part in (
        spring, hardening, line_damper, torsion, point_springs, bushing, trace_spring, stiffness, drag, stops, inputs
    )
}  # fmt: skip
FRICTIONS = {
    "revolute": STICKY,
    "prismatic": 0.4,
    "cylindrical": (0.1, STICKY),
    "universal": (STICKY, 0.2),
    "planar": (0.3, STICKY, 0.1),
    "spherical": STICKY,
}
GIVEN = {
    "hand": lambda t: [np.sin(3 * t), 0.5, -1.0, 2.0, np.cos(5 * t), 1.0],
    "wind": lambda t: [1.0, np.exp(-t), 0.0],
    "motor": lambda t: 2.0 * np.cos(7 * t),
    "piston": 1.5,
}


def acted_on(*names, **options):
    """A tree with some of what acts."""
    m = tree(**options)
    for name in names:
        KINDS[name](m)
    return m
