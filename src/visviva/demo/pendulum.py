"""Pendulums."""

from __future__ import annotations

import visviva as vv


def pendulum() -> vv.Mechanism:
    """A rod on a hinge that rubs, released from the horizontal."""
    m = vv.Mechanism("pendulum", gravity=(0, 0, -9.81))
    arm = m.body("arm", inertia=vv.inertia.cylinder(1.0, 0.03, 1.0, axis="x"), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, arm, at=(0, 0, 0), axis=(0, 1, 0), friction=0.05)
    return m


def double_pendulum() -> vv.Mechanism:
    """Two rods on skew hinges, released from the horizontal: a spatial motion."""
    m = vv.Mechanism("double pendulum", gravity=(0, 0, -9.81))
    upper = m.body("upper", inertia=vv.inertia.cylinder(1.0, 0.03, 1.0, axis="x"), at=(0.5, 0, 0))
    lower = m.body("lower", inertia=vv.inertia.cylinder(1.0, 0.03, 1.0, axis="x"), at=(1.5, 0, 0))
    m.revolute("shoulder", m.ground, upper, at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute("elbow", upper, lower, at=(1, 0, 0), axis=(0.4, 1, 0.3))
    m.frame("tip", lower, at=(2, 0, 0))
    return m
