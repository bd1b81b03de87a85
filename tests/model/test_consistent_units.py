"""Whether a start is consistent does not depend on the units of rates and forces."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv
from visviva.compiler.consistent import _least


def rubbing(force):
    """Two bodies on balls, the second of which rubs by a law of this size [N m], with masses to match."""
    m = vv.Mechanism("rubbing", gravity=(0.0, 0.0, -9.81))
    inertia = vv.inertia.rod(force, 1.0, axis="x")
    m.body("a", mass=force, inertia=inertia, at=(0.5, 0, 0), twist=(0.1, 0.2, 0.3, 0.0, 0.15, -0.1))
    m.body("b", mass=force, inertia=inertia, at=(1.5, 0, 0), twist=(0.3, -0.2, 0.1, 0.0, 0.35, -0.1))
    m.spherical("root", m.ground, "a", at=(0, 0, 0))
    law = vv.friction.stribeck(coulomb=force, static=1.4 * force, speed=0.5, v_reg=0.1)
    m.spherical("ball", "a", "b", at=(1, 0, 0), friction=law)
    return m


@pytest.mark.parametrize("force", [1e-14, 1.0, 1e14])
def test_starts_are_judged_alike_whatever_the_unit_of_force_is(force):
    """A state that satisfies all joints is taken as it is, and one that does not is refused, for forces of any size."""
    m = rubbing(force)
    system, start = m.system(), m.system_state(m.assemble()[0])
    kept = vv.consistent(system, start, fixed=tuple(start))
    for name, value in start.items():
        np.testing.assert_array_equal(kept[name], value)
    name = next(name for name in start if name.startswith(("p_b", "b.p")))
    wrong = start | {name: start[name] + force * np.eye(len(start[name]))[-1] * 1e-3}
    with pytest.raises(vv.AssemblyError, match="violates"):
        vv.consistent(system, wrong, fixed=tuple(start))


@pytest.mark.parametrize("seed", range(3))
def test_rows_that_outnumber_their_unknowns_are_solved_as_others_are(seed):
    """Of 20 rows with 8 unknowns no weights sum up to one, and those of 3 rows with 8 more go apart from theirs."""
    dice = np.random.default_rng(seed)
    K, w = np.zeros((23, 16)), dice.normal(size=16)
    K[:, :8], K[20:, 8:] = dice.normal(size=(23, 8)), dice.normal(size=(3, 8))
    right = K @ w
    np.testing.assert_allclose(K @ _least(K, right), right, rtol=0, atol=1e-14 * np.abs(right).max())


@pytest.mark.parametrize("capacity", [1e-19, 1e-6, 10.0])
def test_composites_step_with_nodes_of_any_heat_capacity(capacity):
    """Temperatures grow exponentially with entropies: differences of a step must not heat a small node without end."""
    m = vv.Mechanism("warm", gravity=(0, 0, -9.81))
    node = m.thermal("node", capacity=capacity, conductance_to_environment=1e-3 * capacity)
    m.body("a", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(0.5, 0, 0))
    m.revolute("hinge", m.ground, "a", at=(0, 0, 0), axis=(0, 1, 0), friction=1e-3 * capacity, heat_to=node)
    run = vv.simulate(m.system(), 0.03, 0.01, integrator=vv.DiscreteGradient(compiled=False))
    assert run.audit().first_law <= 1e-13
