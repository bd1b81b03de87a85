"""Mobility and redundancy against counts known by hand."""

from __future__ import annotations

import pytest
from catalogue import free_pair, pair_with

import visviva as vv
from visviva.demo import double_pendulum, four_bar


def test_trees_have_the_mobility_of_their_joints():
    assert double_pendulum().mobility() == 2
    assert pair_with().redundant() == {}
    assert free_pair().mobility() == 6 + 1 + 0 + 0  # a free body, a hinge; the particle sits on the body
    m = vv.Mechanism()
    m.particle("p", mass=1.0, at=(0, 0, 0))
    assert m.mobility() == 3


def test_the_planar_four_bar_in_space():
    m = four_bar()
    assert m.mobility() == 1
    assert m.redundant() == {"D": 3}


def doubled(first, second):
    """A door on two joints that share an axis."""
    m = vv.Mechanism("door", gravity=(0, 0, -9.81))
    m.body("door", inertia=vv.inertia.box(20.0, (1, 0.04, 2)), at=(0.5, 0, 0))
    for name, kind, z in (("low", first, -0.8), ("top", second, 0.8)):
        if kind == "spherical":
            m.spherical(name, m.ground, "door", at=(0, 0, z))
        else:
            getattr(m, kind)(name, m.ground, "door", at=(0, 0, z), axis=(0, 0, 1))
    return m


@pytest.mark.parametrize(
    ("first", "second", "redundant"),
    [("revolute", "revolute", 5), ("revolute", "spherical", 3), ("revolute", "cylindrical", 4)],
)
def test_a_door_on_two_coaxial_joints_still_turns(first, second, redundant):
    """All rows of the second joint, or all but those that its kind leaves, follow from the first."""
    m = doubled(first, second)
    assert m.mobility() == 1
    assert m.redundant() == {"top": redundant}
    m.torque("push", "low")
    run = vv.simulate(m, t_end=0.5, h=0.01, inputs={"push": 5.0})
    assert run.audit().ok
    inertia = 20.0 * ((1.0 + 0.04**2) / 12 + 0.25)
    assert run["low.q"][-1] == pytest.approx(0.5 * 5.0 / inertia * 0.25, rel=1e-4)
