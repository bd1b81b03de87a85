"""Two bodies that fly, joined by every kind of spring and damper: momentum is kept, energy too but for the heat."""

from __future__ import annotations

import numpy as np

import visviva as vv
from visviva.geometry import SO3

K6 = np.diag([3.0, 4.0, 5.0, 50.0, 60.0, 70.0])
K6[0, 4] = K6[4, 0] = 7.0
K6[1, 2] = K6[2, 1] = -1.0
K6[3, 5] = K6[5, 3] = 10.0
TURNED = SO3.exp(np.array([0.4, -0.2, 0.7]))


def flying(name):
    m = vv.Mechanism(name)
    a = m.body("a", inertia=vv.inertia.box(2.0, (1.0, 0.5, 0.2)), com=(0.1, 0, 0), twist=(1, 2, -3, 0.4, 0, 0.2))
    b = m.body("b", inertia=vv.inertia.cylinder(1.0, 0.2, 0.8), at=(1, 0, 0.1), twist=(0, 1, 0.5, 0, -0.3, 0.1))
    return m, a, b


def spring(**how):
    m, a, b = flying("spring")
    m.spring("s", a, b, at_a=(0.4, 0.2, 0.1), at_b=(0.8, 0.1, 0.1), **how)
    return m


def particles(**how):
    m = vv.Mechanism("particles")
    p = m.particle("p", mass=1.0, at=(0, 0, 0), velocity=(0, 1, 0))
    q = m.particle("q", mass=2.0, at=(1, 0, 0.2), velocity=(0.3, 0, 0))
    m.spring("s", p, q, **how)
    return m


def bushing(**how):
    m, a, b = flying("bushing")
    m.bushing("s", a, b, at=(0.5, 0, 0), rotation=TURNED, **how)
    return m


def trace_spring():
    m, a, b = flying("trace spring")
    G = np.diag([1.0, 2.0, 3.0]) + 0.2
    m.trace_spring("s", a, b, G=G, K=(10, 20, 30), at=(0.5, 0, 0), rest=(TURNED, (0.1, 0.2, 0)))
    return m


def point_springs(**how):
    m, a, b = flying("point springs")
    ends = [(0.4, 0, 0), (0.4, 0.2, 0), (0.4, 0, 0.3)], [(0.7, 0, 0.1), (0.5, 0.3, 0.1), (0.4, 0, 0.35)]
    m.point_springs("s", a, b, k=(10, 20, 30), at_parent=ends[0], at_child=ends[1], **how)
    return m


def torsion(rate=6.0, **how):
    m = vv.Mechanism("torsion")
    a = m.body("a", inertia=vv.inertia.box(2.0, (1.0, 0.5, 0.2)), twist=(1, 2, -3, 0.4, 0, 0.2))
    b = m.body("b", inertia=vv.inertia.cylinder(1.0, 0.2, 0.8), at=(1, 0, 0.1))
    hinge = m.revolute("hinge", a, b, at=(0.5, 0, 0), axis=(0, 1, 0.2), rate=rate)
    m.torsion("s", hinge, **how)
    return m


def quartic(length):
    return 20 * np.exp(-length) + 30 * length**4


CONSERVATIVE = {
    "linear spring": lambda: spring(k=50.0, length=0.5),
    "spring of no length": lambda: spring(k=50.0, length=0.0),
    "given energy of the length": lambda: spring(energy=quartic),
    "spring of particles": lambda: particles(k=20.0, length=0.8),
    "bushing": lambda: bushing(K=K6),
    "trace spring": trace_spring,
    "point springs": point_springs,
    "torsion": lambda: torsion(k=2.0, angle=0.3),
    "given energy of the angle": lambda: torsion(energy=lambda angle: angle**2 + np.cos(3 * angle)),
}
DAMPED = {
    "damped spring": lambda: spring(k=50.0, length=0.5, damping=3.0),
    "damper alone": lambda: spring(damping=3.0),
    "damped bushing": lambda: bushing(K=np.diag(K6), D=(0.1, 0.2, 1.0, 1.0, 2.0, 3.0)),
    "damped point springs": lambda: point_springs(damping=(0.1, 1.0, 2.0)),
    "damped torsion": lambda: torsion(k=2.0, damping=0.2),
}
SPRINGS = CONSERVATIVE | DAMPED
