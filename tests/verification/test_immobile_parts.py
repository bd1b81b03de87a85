"""Parts that joints hold in place while springs pull at them: nothing moves there, and nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest

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


def four_bar(m, name, base, origin, R):
    """Three bars on four parallel hinges in a plane, three rows too many; the name of the bar across."""
    corners = np.array([(0, 0, 0), (0.1, 0.5, 0), (0.8, 0.7, 0), (0.9, 0, 0)]) @ R.matrix.T + origin
    ring = [base, *(f"{name}_{i}" for i in range(3)), base]
    for link, a, b in zip(ring[1:4], corners, corners[1:], strict=False):
        m.body(link, mass=1.0, inertia=(0.1, 0.15, 0.2), com=(0.05, 0.0, -0.02), at=0.5 * (a + b), rotation=R)
    for i, corner in enumerate(corners):
        m.revolute(f"{name}_hinge{i}", ring[i], ring[i + 1], at=corner, axis=R.matrix[:, 2])
    return ring[2]


def test_an_immobile_loop_under_load_runs_in_numpy():
    """Two four-bars, one of them held by a rod so that it cannot move, on an arm that does; springs pull at both."""
    m = vv.Mechanism("held", gravity=(1.0, -2.0, -9.81))
    m.body("arm", mass=2.0, inertia=(0.1, 0.2, 0.2), at=(0.5, 0, 0), twist=(0.2, 0.5, -0.3, 0, 0, 0))
    m.spherical("ball", m.ground, "arm", at=(0, 0, 0))
    turned = vv.geometry.SO3.exp([0.3, -0.8, 0.4])
    moving = four_bar(m, "loop0", "arm", np.array([1.0, 0.2, 0.1]), turned)
    held = four_bar(m, "loop1", m.ground, np.array([-1.0, 0.5, 0.3]), turned @ vv.geometry.SO3.exp([0.5, 0.2, 0.0]))
    m.distance("rod", m.ground, held, at_a=(-2.0, 1.0, 0.0), at_b=m.parts[held].r_WC)
    m.spring("pull", moving, held, k=50.0, length=0.3, damping=0.5)
    m.spring("load", m.ground, held, k=200.0, length=0.5, at_a=(0, 3.0, 0), at_b=m.parts[held].r_WC)
    motion = m.assemble(fixed=())[0]
    run = vv.simulate(m, 0.1, 0.02, integrator=vv.PHMP(compiled=False), initial=motion)
    still = run[f"{held}.r"]
    np.testing.assert_allclose(still, np.broadcast_to(still[0], still.shape), rtol=0, atol=1e-13)
    assert np.abs(run["arm.r"] - run["arm.r"][0]).max() > 0.01
    assert run.audit().g <= 1e-12
    assert run.audit().first_law <= 1e-12
    fast = vv.simulate(m, 0.1, 0.02, initial=motion)
    np.testing.assert_allclose(run["arm.r"], fast["arm.r"], rtol=0, atol=1e-9)
