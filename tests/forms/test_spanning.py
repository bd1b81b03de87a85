"""Spanning trees of mechanisms: coordinates are those of the joints, whichever way the tree runs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from samples import sample

import visviva as vv
from visviva import demo
from visviva.forms.minimal.form import MinimalForm
from visviva.geometry import SE3
from visviva.mechanism.parts import Ground
from visviva.mechanism.spanning.spanning import spanning, strength

J = np.array([[0.3, 0.02, -0.01], [0.02, 0.4, 0.03], [-0.01, 0.03, 0.35]])
PLACE, AXIS = (0.8, 0.2, 0.1), (0.2, -0.4, 1.0)
JOINTS = {
    "revolute": {"at": PLACE, "axis": AXIS},
    "prismatic": {"at": PLACE, "axis": AXIS},
    "cylindrical": {"at": PLACE, "axis": AXIS},
    "screw": {"at": PLACE, "axis": AXIS, "pitch": 0.13},
    "universal": {"at": PLACE, "axes": ((1, 0, 0.5), (0.2, 1, -0.4))},
    "planar": {"at": PLACE, "normal": AXIS},
    "fixed": {"at": PLACE},
}


def two_bodies(kind, *, reverse):
    m = vv.Mechanism(kind)
    m.body("arm", mass=1.0, inertia=J, at=(0.3, 0, 0), com=(0.1, 0.2, 0))
    m.spherical("base", m.ground, "arm", at=(0, 0, 0))
    m.body("hand", mass=1.0, inertia=J, at=(1, 0.2, 0.3), rotation=vv.geometry.SO3.exp([0.2, 0.3, -0.4]))
    getattr(m, kind)("joint", *(("hand", "arm") if reverse else ("arm", "hand")), **JOINTS[kind])
    return m


def frame_pose(form, x, joint, end):
    """World pose of the joint's frame on one end."""
    if isinstance(end, Ground):
        return SE3(*joint.frame_on(end))
    q = x[form.model.layout.x[f"{end.name}.q"]]
    X_WC = SE3(q[3:].reshape(3, 3).T, q[:3])
    return X_WC @ SE3(end.R_WC, end.r_WC).inverse() @ SE3(*joint.frame_on(end))


@pytest.mark.parametrize("reverse", [False, True], ids=["along", "against"])
@pytest.mark.parametrize("kind", JOINTS)
def test_coordinates_are_those_of_the_joint(kind, reverse):
    """The child is at X_PC(q) of the joint's own definition, and its rates are the joint's."""
    form = vv.analytical(two_bodies(kind, reverse=reverse))
    joint = next(joint for joint in form.definition.joints if joint.name == "joint")
    assert (form.spanning.places[-1].carrier is joint.parent) is reverse
    rng = np.random.default_rng(1)
    q = form.advance_q(form.initial.q, rng.normal(size=form.n))
    xi = rng.normal(size=form.n)
    own, rates = np.zeros(joint.joint.nv), np.zeros(joint.joint.nv)
    for k, name in enumerate(form.q_names):
        if name.startswith("joint"):
            own[int(name[8:-1]) if "[" in name else 0] = q[k]
    for k, name in enumerate(form.xi_names):
        if name.startswith("joint"):
            rates[int(name[11:-1]) if "[" in name else 0] = xi[k]
    X_PC = joint.joint.X_PC(own)

    def relative(q):
        x = form.x(q, xi)
        return frame_pose(form, x, joint, joint.parent).inverse() @ frame_pose(form, x, joint, joint.child)

    X = relative(q)
    np.testing.assert_allclose(X.matrix, X_PC.matrix, atol=1e-14)
    h = 1e-6
    twist = ((relative(form.advance_q(q, -h * xi)).inverse()) @ relative(form.advance_q(q, h * xi))).log() / (2 * h)
    np.testing.assert_allclose(twist, joint.joint.S(own) @ rates, atol=1e-8)


def test_q_is_zero_as_built_and_counts_turns():
    m = two_bodies("cylindrical", reverse=True)
    form = vv.analytical(m)
    np.testing.assert_allclose(form.initial.q, [1, 0, 0, 0, 0, 0], atol=1e-14)
    q = form.initial.q + np.array([0, 0, 0, 0, 0.0, 0])
    at = form.q_names.index("joint.q[0]")
    q[at] = 15.0
    m.torsion("spring", "joint", k=1.0)
    form = vv.analytical(m)
    x = form.x(q, np.zeros(form.n))
    assert x[form.model.layout.x["spring.angle"]] == 15.0
    np.testing.assert_allclose(form.coordinates(x).q, q, atol=1e-12)


@pytest.mark.parametrize("seed", [101, 102, 104, 107, 131, 132, 135, 138])  # with one loop or two, four bars among them
def test_no_other_tree_leaves_fewer_rows_to_its_loops(seed):
    m = sample(seed, 4).mechanism
    found = spanning(m)
    left = sum(strength(joint.joint) if joint.joint.carries else 1 for joint in found.cut)
    usable = [joint for joint in m.joints if joint.joint.carries]
    total = sum(max(strength(joint.joint), 1) for joint in m.joints if joint.joint.rows)
    best = 0
    for count in range(len(usable) + 1):
        for some in itertools.combinations(usable, count):
            if _is_forest(some):
                best = max(best, sum(strength(joint.joint) for joint in some))
    assert left == total - best


def _is_forest(joints):
    leader = {}

    def find(name):
        while leader.setdefault(name, name) != name:
            name = leader[name]
        return name

    for joint in joints:
        a, b = find(joint.parent.name), find(joint.child.name)
        if a == b:
            return False
        leader[a] = b
    return True


def test_loops_are_cut_where_they_are_weakest():
    assert [joint.name for joint in spanning(demo.slider_crank()).cut] == ["ball"]
    assert [joint.joint.kind for joint in spanning(demo.stewart()).cut] == ["spherical"] * 5
    four_bar = spanning(demo.four_bar())
    assert [joint.name for joint in four_bar.cut] == ["B"] or [joint.name for joint in four_bar.cut] == ["C"]
    assert four_bar.held == {"A", "B", "C", "D"} - {joint.name for joint in four_bar.cut}


def test_links_are_as_the_tree_says():
    """Parents first, masses on the links that carry bodies only, names of joint and part between."""
    form = vv.analytical(two_bodies("planar", reverse=False))
    links = form.tree.links
    assert [link.kind for link in links] == ["ball", "slider", "slider", "hinge"]
    assert [link.parent for link in links] == [-1, 0, 1, 2]
    assert [link.mass for link in links] == [1.0, 0.0, 0.0, 1.0]
    assert links[1].name == "hand on joint, part 1"
    assert links[3].name == "hand"
    assert form.spanning.held == {"base", "joint"}


def test_what_nothing_holds_flies():
    m = vv.Mechanism("flock")
    m.body("bird", mass=1.0, inertia=J, at=(1, 2, 3), twist=(0, 0, 1, 0.1, 0.2, 0.3))
    m.particle("fly", mass=0.1, at=(3, 2, 1), velocity=(1, 0, 0))
    form = vv.analytical(m)
    assert [link.kind for link in form.tree.links] == ["free", "slider", "slider", "slider"]
    np.testing.assert_allclose(form.initial.q, [1, 2, 3, 1, 0, 0, 0, 3, 2, 1], atol=1e-15)
    np.testing.assert_allclose(form.initial.xi, [0, 0, 1, 0.1, 0.2, 0.3, 1, 0, 0], atol=1e-15)
    assert form.q_names[:3] == ("bird.q[0]", "bird.q[1]", "bird.q[2]")
    assert form.xi_names[-1] == "fly.rate[2]"


def test_a_screw_needs_no_row_for_its_lead():
    form = vv.analytical(two_bodies("screw", reverse=False))
    assert not form.open.constraints
    assert form.tree.links[-1].pitch == 0.13
    assert isinstance(form, MinimalForm)
