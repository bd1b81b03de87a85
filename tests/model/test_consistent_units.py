"""Whether a start is consistent does not depend on the units of rates and forces."""

from __future__ import annotations

import numpy as np
import pytest

import visviva as vv


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
