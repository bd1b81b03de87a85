"""Motions without inertia: held by joints they are fine, else body and direction are named."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.compiler.massless import check_massless_motion
from visviva.mechanism.linkage import Linkage

BOX = vv.inertia.box(1.0, (0.1, 0.2, 0.3))
NEEDLE = vv.inertia.rod(1.0, 1.0, axis="x")


def check(m: vv.Mechanism) -> None:
    linkage = Linkage(m)
    check_massless_motion(linkage, linkage.kinematics.as_built)


def needles(n: int, last: str) -> vv.Mechanism:
    """Thin rods in a row, held by hinges across, and the last one by a ball."""
    m = vv.Mechanism("needles")
    above = m.ground
    for k in range(n):
        rod = m.body(f"n{k}", inertia=NEEDLE, at=(k + 0.5, 0, 0))
        if k == n - 1 and last == "ball":
            m.spherical(f"j{k}", above, rod, at=(k, 0, 0))
        else:
            m.revolute(f"j{k}", above, rod, at=(k, 0, 0), axis=(0, 1, 0))
        above = rod
    return m


def cardan(at: tuple[float, float, float]) -> vv.Mechanism:
    """Two shafts joined by a cross without mass."""
    m = vv.Mechanism("cardan")
    m.body("in", inertia=BOX, at=(-1, 0, 0))
    m.body("cross", massless=True, at=at)
    m.body("out", inertia=BOX, at=(1, 0, 0))
    m.revolute("shaft", m.ground, "in", at=(-1, 0, 0), axis=(1, 0, 0), rate=2.0)
    m.revolute("yoke", "in", "cross", at=(0, 0, 0), axis=(0, 1, 0))
    m.revolute("fork", "cross", "out", at=(0, 0, 0), axis=(0, 0, 1))
    return m


@pytest.mark.parametrize("n", [1, 2, 60])
def test_joints_may_hold_the_spin_of_needles(n):
    check(needles(n, "hinge"))


@pytest.mark.parametrize("n", [1, 2, 60])
def test_a_needle_that_can_spin_is_named_with_its_axis(n):
    with pytest.raises(vv.ModelError, match=rf"body 'n{n - 1}' can spin about its axis \[-?1\.0, -?0\.0, -?0\.0\]"):
        check(needles(n, "ball"))


def test_needles_that_can_only_spin_together_are_found():
    """Welded in a line, between two balls on it."""
    m = vv.Mechanism()
    m.body("a", inertia=NEEDLE, at=(0.5, 0, 0))
    m.body("b", inertia=NEEDLE, at=(1.5, 0, 0))
    m.spherical("left", m.ground, "a", at=(0, 0, 0))
    m.fixed("weld", "a", "b", at=(1, 0, 0))
    with pytest.raises(vv.ModelError, match=r"'[ab]' can spin about its axis"):
        check(m)
    m.revolute("right", m.ground, "b", at=(2, 0, 0), axis=(0, 1, 0))
    check(m)


def test_a_body_without_mass_may_be_held_by_joints():
    m = cardan((0, 0, 0))
    check(m)
    assert m.mobility() == 3
    motion, _ = m.assemble()
    assert_allclose(motion.V["cross"][:3], (2, 0, 0), rtol=0, atol=1e-12)


def test_a_body_without_mass_that_can_move_is_named():
    m = vv.Mechanism("loose")
    m.body("sled", massless=True)
    m.prismatic("rail", m.ground, "sled", at=(0, 0, 0), axis=(0, 1, 0))
    match = r"body 'sled' has no mass, and its joints let it move along \[-?0\.0, -?1\.0"
    with pytest.raises(vv.ModelError, match=match):
        check(m)
    with pytest.raises(vv.ModelError, match="'sled' has no mass"):
        vv.simulate(m, t_end=0.1, h=0.1)


def test_a_body_without_mass_on_one_hinge_can_turn():
    m = vv.Mechanism("loose")
    m.body("stub", massless=True)
    m.revolute("pin", m.ground, "stub", at=(0.3, 0, 0), axis=(0, 1, 0))
    with pytest.raises(
        vv.ModelError, match=r"'stub' has no mass, and its joints let it turn about \[-?0\.0, -?1\.0"
    ) as end:
        check(m)
    assert "Let joints on two sides hold it, or give it mass and inertia" in str(end.value)
    assert "cylinder" not in str(end.value)


def test_nothing_is_asked_of_bodies_with_inertia():
    m = vv.Mechanism()
    m.body("a", inertia=BOX)
    check(m)
    assert np.isfinite(Linkage(m).metric).all()
