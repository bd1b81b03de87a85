"""Parts that joints hold in place while springs pull at them: nothing moves there, and nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest
from random_mechanisms import random_mechanism

import visviva as vv

SCHEMES = [vv.PHMP(compiled=False), vv.PHMPGGL(), vv.DiscreteGradient(compiled=False), vv.PHMP()]


@pytest.mark.parametrize("scheme", SCHEMES, ids=["PHMP", "PHMPGGL", "LieMidpoint", "compiled"])
def test_a_bracket_carries_its_load(scheme):
    """Welded to the ground: its reaction is its weight and the force of the spring, whatever swings elsewhere."""
    m = vv.Mechanism("bracket", gravity=(0, 0, -9.81))
    bracket = m.body("bracket", inertia=vv.inertia.box(2.0, (0.3, 0.2, 0.1)), at=(0, 0, 1))
    arm = m.body("arm", inertia=vv.inertia.rod(1.0, 1.0, axis="x"), at=(0.5, 0, 0))
    m.fixed("weld", m.ground, bracket)
    m.revolute("hinge", m.ground, arm, at=(0, 0, 0), axis=(0, 1, 0))
    m.spring("rope", m.ground, bracket, k=100.0, length=1.0, at_a=(0, 0, 3), at_b=(0, 0, 1))
    run = vv.simulate(m, 0.2, 0.02, integrator=scheme)
    np.testing.assert_allclose(run["bracket.r"], np.broadcast_to([0, 0, 1.0], (11, 3)), rtol=0, atol=1e-14)
    np.testing.assert_allclose(run["weld.reaction"][:, 3:], np.broadcast_to([0, 0, 2 * 9.81 - 100], (11, 3)), atol=1e-9)
    assert run["hinge.q"][-1] > 0.2
    assert run.audit().ok


def test_an_immobile_loop_under_load_runs_in_numpy():
    """Two four-bars, one of them held by rods so that it cannot move, and pulled at by springs."""
    sample = random_mechanism(306, 10, loops=4)
    run = vv.simulate(
        sample.mechanism, 0.1, 0.02, integrator=vv.PHMP(compiled=False), initial=sample.motion, inputs=sample.inputs
    )
    held = run["loop1_1.r"]
    np.testing.assert_allclose(held, np.broadcast_to(held[0], held.shape), rtol=0, atol=1e-13)
    assert run.audit().g <= 1e-12
    assert run.audit().first_law <= 1e-12
    fast = vv.simulate(sample.mechanism, 0.1, 0.02, initial=sample.motion, inputs=sample.inputs)
    np.testing.assert_allclose(run["b0.r"], fast["b0.r"], rtol=0, atol=1e-9)
