"""Parameterisations that the tests share."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from visviva.forms import Parameterisation, coordinates

LEVI_CIVITA = np.zeros((3, 3, 3))
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    LEVI_CIVITA[_i, _j, _k], LEVI_CIVITA[_j, _i, _k] = 1.0, -1.0


def circle(radius=1.0):
    return Parameterisation(
        ("x", "y"),
        ("w",),
        A=lambda q: [[-q.y], [q.x]],
        phi=lambda q: [q.x**2 + q.y**2 - radius**2],
        q0=(radius, 0.0),
    )


def rotation(by):
    """Rotations by matrix or quaternion, from the ready-made joints."""
    return coordinates.joined({("ground", "body"): coordinates.spherical("r", by=by)})


def euler_angles():
    """(roll, pitch, yaw) with body angular velocities: A = Y⁻¹."""

    def A(q):
        sa, ca, tb, cb = np.sin(q.roll), np.cos(q.roll), np.tan(q.pitch), np.cos(q.pitch)
        return np.array([[1, sa * tb, ca * tb], [0, ca, -sa], [0, sa / cb, ca / cb]])

    return Parameterisation(("roll", "pitch", "yaw"), ("wx", "wy", "wz"), A=A, q0=(0.1, 0.2, 0.3))


def moved(p, size=1.0, seed=0):
    """A configuration of joints away from the one as built."""
    q, rng = p.q0.copy(), np.random.default_rng(seed)
    for edge in p.edges:
        chart = edge.joint.chart
        q[edge.read] = chart.advance(q[edge.read], size * rng.normal(size=len(chart.velocities)))
    return q


def arm():
    """Every kind of joint in a row, with poses between."""
    at = np.eye(4)
    at[:3, 3] = (0.1, -0.2, 0.3)
    to = np.eye(4)
    to[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    to[:3, 3] = (0.4, 0.0, 0.1)
    kinds = {
        "a": coordinates.free("a", by="matrix", at=at, to=to),
        "b": coordinates.free("b", to=to),
        "c": coordinates.planar("c", at=at, to=to),
        "d": coordinates.spherical("d", by="matrix", at=at, to=to),
        "e": coordinates.spherical("e", to=to),
        "f": coordinates.revolute("f", axis=(1, 2, 0), by="pair", at=at, to=to),
        "g": coordinates.revolute("g", axis=(0, 1, 1), to=to),
        "h": coordinates.prismatic("h", axis=(0, 3, 4), to=to),
        "i": coordinates.fixed(at=at, to=to),
    }
    names = ["ground", *kinds]
    return coordinates.joined({(a, b): kinds[b] for a, b in pairwise(names)})
