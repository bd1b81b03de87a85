"""The builder refuses what makes no sense, and says in the user's names what, why, and what to do instead."""

from __future__ import annotations

import pytest
from messages import says

import visviva as vv
from visviva.mechanism.names import RESERVED
from visviva.mechanism.parts import Body, Frame, Joint, Particle

BOX = vv.inertia.box(1.0, (0.1, 0.2, 0.3))


def arm() -> vv.Mechanism:
    """A rod on a hinge, with a particle at its tip on a ball joint."""
    m = vv.Mechanism("arm")
    rod = m.body("rod", inertia=BOX)
    tip = m.particle("tip", mass=0.1, at=(1, 0, 0))
    m.revolute("hinge", m.ground, rod, at=(0, 0, 0), axis=(0, 0, 1))
    m.spherical("ball", rod, tip, at=(1, 0, 0))
    return m


@pytest.fixture
def m() -> vv.Mechanism:
    return arm()


# -- names ------------------------------------------------------------------------------------------------------


ADDERS = {
    "body": lambda m, name: m.body(name, inertia=BOX),
    "particle": lambda m, name: m.particle(name, mass=1.0, at=(0, 0, 0)),
    "frame": lambda m, name: m.frame(name, "rod", at=(0, 0, 0)),
    "joint": lambda m, name: m.revolute(name, m.ground, "rod", at=(0, 0, 0), axis=(0, 0, 1)),
    "ball joint": lambda m, name: m.spherical(name, m.ground, "rod", at=(0, 0, 0)),
    "torque": lambda m, name: m.torque(name, "hinge"),
    "wrench": lambda m, name: m.wrench(name, "rod"),
}
every_adder = pytest.mark.parametrize("add", ADDERS.values(), ids=ADDERS.keys())


@every_adder
@pytest.mark.parametrize("taken", ["rod", "tip", "hinge"])
def test_a_name_is_given_once(m, add, taken):
    with pytest.raises(vv.ModelError, match=says(f"'{taken}' is taken already", "unique", "use another")):
        add(m, taken)


@every_adder
@pytest.mark.parametrize("name", ["rod.r", "a*", "what?", "[x]"])
def test_a_name_cannot_look_like_a_result_or_a_pattern(m, add, name):
    with pytest.raises(vv.ModelError, match=says(repr(name), "characters . * ? [ ]", "use another name")):
        add(m, name)


@every_adder
@pytest.mark.parametrize("name", sorted(RESERVED))
def test_a_name_cannot_be_that_of_a_result(m, add, name):
    with pytest.raises(vv.ModelError, match=says(repr(name), "is reserved")):
        add(m, name)


@every_adder
@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_a_name_is_a_text(m, add, name):
    with pytest.raises(vv.ModelError, match=says("must be a non-empty string", repr(name))):
        add(m, name)


@every_adder
def test_what_is_refused_is_not_added(m, add):
    before = dict(m.parts)
    with pytest.raises(vv.ModelError):
        add(m, "rod")
    assert m.parts == before


def test_the_first_argument_of_a_mechanism_is_its_name():
    with pytest.raises(vv.ModelError, match=says("is its name", "(0, 0, -9.81)", "gravity is a keyword")):
        vv.Mechanism((0, 0, -9.81))


# -- references to parts ----------------------------------------------------------------------------------------


REFERENCES = {
    "m[...]": lambda m, ref: m[ref],
    "parent": lambda m, ref: m.revolute("x", ref, "rod", at=(0, 0, 0), axis=(0, 0, 1)),
    "child": lambda m, ref: m.spherical("x", m.ground, ref, at=(0, 0, 0)),
    "frame": lambda m, ref: m.frame("x", ref, at=(0, 0, 0)),
    "torque": lambda m, ref: m.torque("x", ref),
    "wrench": lambda m, ref: m.wrench("x", ref),
}


@pytest.mark.parametrize("refer", REFERENCES.values(), ids=REFERENCES.keys())
def test_an_unknown_name_comes_with_a_suggestion(m, refer):
    with pytest.raises(vv.ModelError, match=says("mechanism 'arm' has no 'hinje'", "Did you mean 'hinge'?")):
        refer(m, "hinje")


def test_without_a_near_name_all_are_listed(m):
    with pytest.raises(vv.ModelError, match=says("has no 'xyzzy'", "Known: ball, ground, hinge, rod, tip")):
        m["xyzzy"]


@pytest.mark.parametrize("part", ["rod", "ground"])
@pytest.mark.parametrize("refer", [REFERENCES["parent"], REFERENCES["child"], REFERENCES["frame"]])
def test_a_part_of_another_mechanism_is_refused(m, refer, part):
    with pytest.raises(vv.ModelError, match=says(f"'{part}'", "no part of mechanism 'arm'")):
        refer(m, arm()[part])


def test_a_part_of_another_mechanism_is_called_by_its_name_and_not_by_its_numbers(m):
    with pytest.raises(vv.ModelError) as caught:
        m.revolute("x", m.ground, arm()["rod"], at=(0, 0, 0), axis=(0, 0, 1))
    assert "array(" not in str(caught.value)


@pytest.mark.parametrize("nothing", [None, 7, ("rod",)])
@pytest.mark.parametrize("refer", [*REFERENCES.values()][1:], ids=[*REFERENCES][1:])
def test_what_is_no_part_at_all_is_refused(m, refer, nothing):
    with pytest.raises(vv.ModelError, match=says("'x'", repr(nothing), "no part of mechanism 'arm'")):
        refer(m, nothing)


def test_a_handle_and_its_name_mean_the_same(m):
    assert m["ground"] is m.ground
    by_name = m.revolute("a", "ground", "rod", at=(0, 0, 0), axis=(0, 0, 1))
    by_handle = m.revolute("b", m.ground, m["rod"], at=(0, 0, 0), axis=(0, 0, 1))
    assert (by_name.parent, by_name.child) == (by_handle.parent, by_handle.child)


# -- what may sit on what ---------------------------------------------------------------------------------------


PLACES = {
    "body with itself": (
        lambda m: m.revolute("x", "rod", "rod", at=(0, 0, 0), axis=(0, 0, 1)),
        ("joint 'x' connects 'rod' with itself", "must differ"),
    ),
    "ground with itself": (
        lambda m: m.spherical("x", "ground", m.ground, at=(0, 0, 0)),
        ("joint 'x' connects 'ground' with itself", "must differ"),
    ),
    "joint on a joint": (
        lambda m: m.spherical("x", "hinge", "rod", at=(0, 0, 0)),
        ("joint 'x' cannot hold joint 'hinge'", "give a body, particle or ground"),
    ),
    "hinge on a particle": (
        lambda m: m.revolute("x", "ground", "tip", at=(1, 0, 0), axis=(0, 0, 1)),
        ("joint 'x' is revolute", "'tip' is a particle", "no orientation", "spherical joint, or make it a body"),
    ),
    "torque on a ball joint": (
        lambda m: m.torque("motor", "ball"),
        ("torque 'motor' refers to joint 'ball'", "no coordinate", "revolute"),
    ),
    "torque on a body": (
        lambda m: m.torque("motor", "rod"),
        ("torque 'motor' refers to body 'rod'", "m.wrench"),
    ),
    "torque on the ground": (lambda m: m.torque("motor", m.ground), ("torque 'motor'", "'ground'", "give a joint")),
    "wrench on the ground": (
        lambda m: m.wrench("load", m.ground),
        ("wrench 'load'", "'ground'", "a body or a particle"),
    ),
    "wrench on a joint": (
        lambda m: m.wrench("load", "hinge"),
        ("wrench 'load'", "joint 'hinge'", "a body or a particle"),
    ),
    "wrench in axes of a joint": (
        lambda m: m.wrench("load", "rod", frame="hinge"),
        ("wrench 'load'", "'hinge'", "'world' or 'body' axes"),
    ),
    "wrench in axes of a particle": (
        lambda m: m.wrench("load", "tip", frame="body"),
        ("wrench 'load'", "'tip'", "particle, which has none", "frame='world'"),
    ),
    "frame on a particle": (
        lambda m: m.frame("tool", "tip", at=(1, 0, 0)),
        ("frame 'tool'", "particle 'tip'", "a body or the ground"),
    ),
}


@pytest.mark.parametrize(("build", "parts"), PLACES.values(), ids=PLACES.keys())
def test_parts_sit_where_they_can(m, build, parts):
    with pytest.raises(vv.ModelError, match=says(*parts)):
        build(m)


def test_a_ball_joint_away_from_its_particle_cannot_be_assembled(m):
    message = says(
        "joint 'x'", "(0.0, 2.0, 0.0)", "particle 'tip'", "(1.0, 0.0, 0.0)", "2.24 m away", "put the joint where"
    )
    with pytest.raises(vv.AssemblyError, match=message):
        m.spherical("x", "ground", "tip", at=(0, 2, 0))


def test_what_was_built_is_there_in_the_order_of_building(m):
    m.frame("tool", "rod", at=(1, 0, 0))
    m.torque("motor", "hinge")
    m.wrench("load", "tip")
    assert [part.name for part in m.bodies] == ["rod", "tip"]
    assert [joint.name for joint in m.joints] == ["hinge", "ball"]
    assert [frame.name for frame in m.frames] == ["tool"]
    assert [(port.name, port.width) for port in m.ports] == [("motor", 1), ("load", 3)]
    kinds = {"rod": Body, "tip": Particle, "hinge": Joint, "tool": Frame}
    assert all(isinstance(m[name], kind) for name, kind in kinds.items())
    assert repr(m) == "<Mechanism 'arm': 2 bodies, 2 joints, 2 ports>"


@pytest.mark.parametrize("use", [vv.compile, vv.Mechanism.assemble], ids=["compile", "assemble"])
def test_a_mechanism_without_bodies_cannot_move(use):
    with pytest.raises(vv.ModelError, match=says("mechanism 'void' has no bodies", "m.body(...)")):
        use(vv.Mechanism("void"))
