"""Loops that move although counting says that they cannot: their geometry makes some constraints follow from others."""

from __future__ import annotations

import numpy as np

import visviva as vv
from visviva._arrays import Array
from visviva.demo.linkage import bar
from visviva.geometry import SE3

ALPHA, BETA, A = np.deg2rad(30), np.deg2rad(70), 1.0  # twists and the first length of Bennett's linkage
B = A * np.sin(BETA) / np.sin(ALPHA)  # its condition: a/sin α = b/sin β


def bennett_hinges(theta: float = 0.7) -> tuple[Array, Array]:
    """Points (5, 3) and axes (5, 3) of the hinges of Bennett's linkage at the angle θ of the first; the loop closes.

    Frames follow each other by R_z(θ_i) T_x(a_i) R_x(α_i), with θ_3 = -θ_1, θ_4 = -θ_2 and
    tan(θ_1/2) tan(θ_2/2) = sin((α + β)/2)/sin((α - β)/2), up to the sign of a hinge's direction.
    """
    ratio = np.sin((ALPHA + BETA) / 2) / np.sin((BETA - ALPHA) / 2)
    second = 2 * np.arctan(ratio / np.tan(theta / 2))
    frame, frames = SE3.identity(), [SE3.identity()]
    angles, lengths, twists = (theta, second, -theta, -second), (A, B, A, B), (ALPHA, BETA, ALPHA, BETA)
    for angle, length, twist in zip(angles, lengths, twists, strict=True):
        frame = (
            frame @ SE3.exp([0, 0, angle, 0, 0, 0]) @ SE3.exp([0, 0, 0, length, 0, 0]) @ SE3.exp([twist, 0, 0, 0, 0, 0])
        )
        frames.append(frame)
    return np.array([X.r for X in frames]), np.array([X.R[:, 2] for X in frames])


def bennett() -> vv.Mechanism:
    """Bennett's linkage: four hinges, no two of them parallel or meeting, and it turns all the way round.

    Three bodies have 18 freedoms and four hinges take 20; three rows follow from the others.
    """
    m = vv.Mechanism("Bennett linkage")
    points, axes = bennett_hinges()
    ring = ("ground", "first", "second", "third", "ground")
    for name, a, b in zip(ring[1:4], points, points[1:], strict=False):
        m.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), at=(a + b) / 2)
    for i, name in enumerate(("h1", "h2", "h3", "h4")):
        m.revolute(name, ring[i], ring[i + 1], at=points[i], axis=axes[i], rate=1.0 if i == 0 else None)
    return m


def sarrus() -> vv.Mechanism:
    """Sarrus' linkage: two pairs of plates fold in planes at right angles, and the platform keeps to a straight line.

    Six hinges take 30 freedoms of five bodies' 30, yet one is left.
    """
    m = vv.Mechanism("Sarrus linkage", gravity=(0, 0, -9.81))
    m.body("platform", inertia=vv.inertia.box(2.0, (0.8, 0.7, 0.04)), at=(0, 0, 1.2))
    for side, out, axis in (("x", (1, 0, 0), (0, 1, 0)), ("y", (0, 1, 0), (-1, 0, 0))):
        foot, knee, head = (
            np.array([reach * out[0], reach * out[1], z]) for reach, z in ((0.35, 0), (0.8, 0.6), (0.35, 1.2))
        )
        lower, upper = bar(m, f"lower {side}", foot, knee, 0.7), bar(m, f"upper {side}", knee, head, 0.7)
        m.revolute(f"foot {side}", m.ground, lower, at=foot, axis=axis)
        m.revolute(f"knee {side}", lower, upper, at=knee, axis=axis)
        m.revolute(f"head {side}", upper, "platform", at=head, axis=axis)
    m.frame("centre", "platform", at=(0, 0, 1.2))
    return m
