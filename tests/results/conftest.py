"""Runs that several tests read."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv

G = 9.81


def build_machine() -> vv.Mechanism:
    """One of each: bodies with skew frames away from their centres, particle, frames, friction, ports, both joints."""
    m = vv.Mechanism("machine", gravity=(0, 0, -G))
    turn = vv.geometry.SO3.exp((0.4, -0.3, 0.6))
    tensor = [[0.10, 0.01, 0.0], [0.01, 0.12, -0.02], [0.0, -0.02, 0.09]]
    m.body("rod", mass=1.5, inertia=tensor, com=(0.2, -0.1, 0.3), at=(0.5, 0.1, 0), rotation=turn)
    m.body("arm", inertia=vv.inertia.box(0.8, (0.6, 0.1, 0.2)), at=(1.3, 0, 0.1))
    m.particle("tip", mass=0.3, at=(1.6, 0, 0))
    m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=(0.1, 1, 0.2), rate=1.0, friction=0.2)
    m.revolute("elbow", "rod", "arm", at=(1, 0, 0), axis=(1, 0.5, 0.3), rate=-2.0)
    m.spherical("ball", "arm", "tip", at=(1.6, 0, 0))
    m.frame("tool", "rod", at=(0.9, 0.2, -0.1), rotation=vv.geometry.SO3.exp((0, 1, 0.2)))
    m.frame("base", m.ground, at=(0, 0, 2), rotation=turn)
    m.torque("motor", "elbow")
    m.wrench("load", "arm")
    return m


INPUTS = {
    "motor": lambda t: 0.5 * np.cos(3 * t),
    "load": (0.1, -0.2, 0.3, 1.0, 0.5, -0.4),
}


def build_pendulum(**hinge) -> vv.Mechanism:
    """M2: a rod, m = l = 1, on a hinge about z, released horizontally under gravity -y."""
    m = vv.Mechanism("pendulum", gravity=(0, -G, 0))
    m.body("rod", mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, "rod", at=(0, 0, 0), axis=(0, 0, 1), **hinge)
    return m


def build_rotor(rate: float, **hinge) -> vv.Mechanism:
    """A disc that turns about its own axis, without gravity."""
    m = vv.Mechanism("rotor")
    m.body("disc", inertia=vv.inertia.cylinder(2.0, 1.0, 0.2))
    m.revolute("axle", m.ground, "disc", at=(0, 0, 0), axis=(0, 0, 1), rate=rate, **hinge)
    return m


@pytest.fixture(scope="session")
def machine_run() -> vv.Run:
    return vv.simulate(build_machine(), t_end=0.5, h=0.01, inputs=INPUTS)


@pytest.fixture
def machine():
    return build_machine


@pytest.fixture
def inputs():
    return INPUTS


@pytest.fixture
def pendulum():
    return build_pendulum


@pytest.fixture
def rotor():
    return build_rotor
