"""Mechanisms that several tests start from."""

from __future__ import annotations

import pytest

import visviva as vv


@pytest.fixture
def m() -> vv.Mechanism:
    """A rod, a plate and a particle at the origin of the world."""
    box = vv.inertia.box(1.0, (0.1, 0.2, 0.3))
    m = vv.Mechanism("arm")
    m.body("rod", inertia=box, at=(0.3, 0, 0), com=(0.1, 0, 0))
    m.body("plate", inertia=box, at=(0, 0.5, 0))
    m.particle("dot", mass=0.1, at=(0, 0, 0))
    return m
