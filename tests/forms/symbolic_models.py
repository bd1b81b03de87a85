"""Mechanisms that several tests of symbols use."""

from __future__ import annotations

import numpy as np

import visviva as vv

AXES = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0))


def double_pendulum(m_two=0.7, **more):
    """Two rods along x that hang on hinges about y."""
    m = vv.Mechanism("double pendulum", gravity=(0, 0, -9.81))
    m.body("one", mass=1.0, inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5, 0, 0))
    m.body("two", mass=m_two, inertia=vv.inertia.rod(m_two, 0.75, axis="x"), at=(1.375, 0, 0))
    m.revolute("1", m.ground, "one", at=(0, 0, 0), axis=(0, 1, 0), **more)
    m.revolute("2", "one", "two", at=(1, 0, 0), axis=(0, 1, 0))
    return m


def six_joint_arm():
    """A robot with six hinges, motors and friction."""
    m, x, below = vv.Mechanism("arm", gravity=(0, 0, -9.81)), 0.0, "ground"
    for k, axis in enumerate(AXES):
        mass = 3.0 - 0.3 * k
        inertia = vv.inertia.box(mass, (0.3, 0.1, 0.12))
        m.body(f"link{k + 1}", inertia=inertia, at=(x + 0.15, 0.01 * k, 0.02))
        m.revolute(f"joint{k + 1}", below, f"link{k + 1}", at=(x, 0, 0), axis=axis, friction=0.1)
        m.torque(f"motor{k + 1}", f"joint{k + 1}")
        x, below = x + 0.3, f"link{k + 1}"
    return m


def top():
    """A body on a ball, and a hinge on it."""
    m = vv.Mechanism("top", gravity=(0.3, 0, -9.81))
    m.body("top", mass=2.0, inertia=(0.3, 0.4, 0.5), at=(0.1, 0.2, 0.3), com=(0, 0, 0.5))
    m.spherical("tip", m.ground, "top", at=(0.1, 0.2, 0.3))
    m.body("wheel", mass=0.5, inertia=(0.1, 0.1, 0.2), at=(0.1, 0.2, 1.3), com=(0.1, 0, 0))
    m.revolute("axle", "top", "wheel", at=(0.1, 0.2, 1.3), axis=(1, 0, 0))
    return m


def random_state(form, seed=0, size=0.3):
    rng = np.random.default_rng(seed)
    q = form.advance_q(form.initial.q, size * rng.normal(size=form.n))
    return form.projected(0.0, q, rng.normal(size=form.n), form.initial.s)
