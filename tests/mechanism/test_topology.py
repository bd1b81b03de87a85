"""The tree of a mechanism and the joints that close loops; what nothing mentions is an error."""

from __future__ import annotations

import numpy as np
import pytest
from large_mechanisms import chain, four_bars, net

import visviva as vv
from visviva.mechanism.topology import topology

BOX = vv.inertia.box(1.0, (0.1, 0.2, 0.3))


def of(m: vv.Mechanism):
    return topology(m.bodies, m.joints)


def test_a_chain_is_a_tree():
    t = of(chain(5))
    assert t.order.tolist() == [0, 1, 2, 3, 4]
    assert t.parent.tolist() == [5, 0, 1, 2, 3]
    assert t.depth.tolist() == [1, 2, 3, 4, 5]
    assert t.loops == t.roots == ()


def test_the_joint_that_came_last_closes_the_loop():
    m = four_bars(2)
    t = of(m)
    assert [m.joints[k].name for k in t.loops] == ["D0", "D1"]
    assert t.groups == ((3,), (7,))
    assert sorted(t.cycle(6, 2)) == [0, 1, 2]


def test_loops_with_common_tree_joints_belong_together():
    t = of(net(3))
    assert len(t.loops) == 4 + 1  # meshes, and the way round through the ground
    assert len(t.groups) == 1


def test_rods_close_loops_whenever_they_were_built():
    m = vv.Mechanism()
    for k in range(2):
        m.body(f"b{k}", inertia=BOX, at=(k + 0.5, 0, 0))
    m.distance("rod", "b0", "b1")
    m.distance("stay", m.ground, "b1", at_a=(0, 0, 1))
    m.revolute("hinge", m.ground, "b0", at=(0, 0, 0), axis=(0, 0, 1))
    m.spherical("ball", "b0", "b1", at=(1, 0, 0))
    t = of(m)
    assert [m.joints[k].name for k in t.loops] == ["rod", "stay"]


def test_trees_that_fly_have_a_root_of_their_own():
    m = vv.Mechanism()
    for k in range(4):
        m.body(f"b{k}", inertia=BOX, at=(k, 0, 0))
    m.spherical("one", "b3", "b2", at=(2.5, 0, 0))
    m.spherical("two", "b2", "b1", at=(1.5, 0, 0))
    m.free("zero", m.ground, "b0")
    t = of(m)
    assert t.roots == (0, 1)
    assert t.parent.tolist() == [-1, -1, 1, 2]


# -- what nothing mentions --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["body", "particle"])
def test_what_nothing_mentions_is_named_with_the_way_out(kind):
    m = chain(2)
    m.body("loose", inertia=BOX) if kind == "body" else m.particle("loose", mass=1.0, at=(0, 0, 0))
    way_out = r"m.free\('loose flies', m.ground, 'loose'"
    match = rf"{kind} 'loose' of mechanism 'chain' is connected with nothing(.|\n)*{way_out}"
    for ask in (m.assemble, m.mobility, lambda: vv.simulate(m, t_end=0.1, h=0.1)):
        with pytest.raises(vv.ModelError, match=match):
            ask()


def test_what_is_meant_to_fly_may():
    m = chain(2)
    m.body("thrown", inertia=BOX, twist=np.ones(6))
    m.particle("shot", mass=1.0, at=(0, 0, 0), velocity=(1, 0, 0))
    m.body("pushed", inertia=BOX)
    m.wrench("push", "pushed")
    m.body("said", inertia=BOX)
    m.free("flies", m.ground, "said")
    m.body("sprung", inertia=BOX)
    m.spring("spring", m.ground, "sprung", k=1.0, at_a=(0, 0, 3))
    assert m.mobility() == 6 + 5 * 6 - 3
    alone = vv.Mechanism()
    alone.body("a", inertia=BOX)
    alone.body("b", inertia=BOX)
    assert alone.mobility() == 12
