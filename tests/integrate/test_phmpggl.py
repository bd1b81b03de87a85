"""PHMPGGL in NumPy: when a step counts as solved."""

from __future__ import annotations

import numpy as np

import visviva as vv


def test_a_body_that_joints_hold_still_does_not_hinder_the_steps_of_others():
    """Its momentum is rounding: what is missed of M (q1 - q0)/h = M v̄ + Gᵀγ counts by the reactions that cancel."""
    m = vv.Mechanism("arm on a carriage that is locked", gravity=[1.0, 2.0, -9.81])
    m.body("carriage", mass=0.1, inertia=[1e-4, 2e-4, 1.5e-4], at=[0.3, 0.1, 0.2])
    m.prismatic("rail", "ground", "carriage", at=[0.2, 0.1, 0.2], axis=[1, 2, 2])
    m.constraint("lock", "carriage", g=lambda a: a.r @ np.array([0.7, 0.6, 0.2]) - 0.31)
    m.body("arm", mass=0.5, inertia=[2e-4, 3e-4, 4e-4], at=[0.9, 0.1, 0.2], twist=[1.0, 20.0, 3.0, 0.0, 0.0, 0.0])
    m.spherical("ball", "carriage", "arm", at=[0.8, 0.1, 0.1])
    motion, _ = m.assemble(fixed=())
    run = vv.simulate(m, 0.05, 0.01, integrator=vv.PHMPGGL(compiled=False), initial=motion)
    assert run.record.iterations.max() <= 8
    assert run.audit().ok
