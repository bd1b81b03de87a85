"""Mobility and redundancy against counts known by hand."""

from __future__ import annotations

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
