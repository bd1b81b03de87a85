"""Modules: their names, handles, parameters, looks and first velocities, and what is refused."""

from __future__ import annotations

import fnmatch
import pickle
from pathlib import Path

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ModelError
from visviva.geometry import SE3, SO3
from visviva.mechanism.names import split_name
from visviva.mechanism.shapes import Shape

URDF = Path(__file__).parents[1] / "data" / "urdf"
GRAVITY = (0.0, 0.0, -9.81)
POSE = SE3(SO3.exp([0.3, -0.5, 1.2]).R, np.array([0.4, 0.1, 1.0]))


def finger(**options) -> vv.Mechanism:
    m = vv.Mechanism("finger", **options)
    m.thermal("oil", capacity=20.0)
    m.body("tip", mass=0.3, inertia=(0.01, 0.02, 0.03), at=(0, 0, -0.2))
    law = vv.friction.coulomb(0.02, v_reg=0.1)
    m.revolute("hinge", m.ground, "tip", at=(0, 0, 0), axis=(0, 1, 0), friction=law, heat_to="oil")
    m.frame("pad", "tip", at=(0, 0, -0.4))
    m.torque("tendon", "hinge")
    return m


def palm() -> vv.Mechanism:
    m = vv.Mechanism("hand", gravity=GRAVITY)
    m.body("palm", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.frame("flange", "palm", at=POSE.r, rotation=POSE.R)
    return m


def hand() -> vv.Mechanism:
    m = palm()
    m.include(finger(), "left", on="flange")
    m.include(finger(), "right", on="palm", at=(-0.4, 0, 0))
    return m


# -- names and places -----------------------------------------------------------------------------------------------


def test_parts_go_by_prefixed_names_and_are_reached_by_the_handle():
    m = palm()
    left = m.include(finger(), "left", on="flange")
    assert left["hinge"] is left.hinge is m["left.hinge"]
    assert left.names == ["ground", "oil", "tip", "hinge", "pad", "tendon"]
    assert {"hinge", "tip"} <= set(dir(left))
    assert repr(left) == "<module 'left' of mechanism 'hand': ground, oil, tip, hinge, pad, tendon>"
    assert m.modules == {"left": left}
    assert [port.name for port in m.ports] == ["left.tendon"]
    assert left.hinge.heat_to is left.oil
    assert left.hinge.parent is m["palm"]


def test_the_ground_of_a_module_is_a_frame_at_the_mount():
    m = hand()
    for name, pose in (("left", POSE), ("right", SE3(np.eye(3), np.array([-0.4, 0, 0])))):
        frame = m[f"{name}.ground"]
        assert frame.carrier is m["palm"]
        assert np.array_equal(frame.R_WF, pose.R)
        assert np.array_equal(frame.r_WF, pose.r)
        np.testing.assert_allclose(m[f"{name}.pad"].r_WF, pose.R @ (0, 0, -0.4) + pose.r, atol=1e-15)


def test_a_body_carries_a_module_at_its_own_frame_if_nothing_else_is_said():
    m = vv.Mechanism()
    m.body("plate", mass=1.0, inertia=(1, 1, 1), at=POSE.r, rotation=POSE.R)
    left, right = m.include(finger(), "left", on="plate"), m.include(finger(), "right", on="plate", at=(1, 2, 3))
    assert np.array_equal(left.ground.R_WF, POSE.R)
    assert np.array_equal(left.ground.r_WF, POSE.r)
    assert np.array_equal(right.ground.R_WF, POSE.R)
    assert np.array_equal(right.ground.r_WF, (1, 2, 3))


def test_further_parts_attach_to_parts_of_modules():
    m = hand()
    left, right = m.modules["left"], m.modules["right"]
    m.spring("cord", left.pad, "right.pad", k=10.0)
    m.gear("gear", left.hinge, right.hinge, ratio=-1.0)
    m.include(finger(), "third", on=left.pad)
    assert m["third.hinge"].parent is left.tip
    run = vv.simulate(m, t_end=0.05, h=0.01, initial={"left.hinge.rate": 1.0}, inputs={"left.tendon": 0.1})
    assert run.audit().ok
    np.testing.assert_allclose(run["left.hinge.rate"][0], 1.0)
    np.testing.assert_allclose(run["right.hinge.rate"][0], -1.0)


def test_modules_of_modules_go_by_dots():
    m = vv.Mechanism("robot", gravity=GRAVITY)
    arm = m.include(hand(), "arm", at=(0, 0, 1))
    assert arm.left.hinge is arm["left.hinge"] is m["arm.left.hinge"]
    assert set(m.modules) == {"arm", "arm.left", "arm.right"}
    assert arm.left.ground.carrier is arm.palm
    np.testing.assert_allclose(arm.left.ground.r_WF, POSE.r + np.array([0, 0, 1]))
    assert m.with_parameters({"arm.left.tip.mass": 2.0})["arm.left.tip"].mass == 2.0


def test_states_by_dotted_names():
    m = hand()
    motion, _ = m.assemble(at={"left.hinge.q": 0.3, ("right.hinge", 0): -0.2, "left.oil.temperature": 310.0})
    run = vv.simulate(m, t_end=0.01, h=0.01, initial={"left.hinge.q": 0.3, "left.oil.temperature": 310.0})
    assert run["left.hinge.q"][0] == pytest.approx(0.3, abs=1e-12)
    assert run["left.oil.temperature"][0] == pytest.approx(310.0)
    assert motion.angles["right.hinge"] == pytest.approx(-0.2, abs=1e-12)
    with pytest.raises(ModelError, match=r"no state 'left\.hinge\.w'\. Did you mean 'left\.hinge"):
        m.assemble(at={"left.hinge.w": 0.3})


def odd_names() -> vv.Mechanism:
    """Parts that are called as the words of results are."""
    module = vv.Mechanism("odd")
    module.body("quick", mass=1.0, inertia=(1, 1, 1), at=(0.5, 0, 0))
    module.body("friction", mass=1.0, inertia=(1, 1, 1), at=(1.5, 0, 0))
    module.revolute("rate", module.ground, "quick", at=(0, 0, 0), axis=(0, 1, 0), friction=0.1)
    module.revolute("q", "quick", "friction", at=(1, 0, 0), axis=(0, 1, 0))
    m = vv.Mechanism("host", gravity=GRAVITY)
    m.include(module, "a")
    return m


def test_parts_that_are_called_as_words_of_results():
    m = odd_names()
    run = vv.simulate(m, t_end=0.02, h=0.01, initial={"a.rate.q": 0.2, "a.q.rate": 0.3})
    assert run["a.rate.q"][0] == pytest.approx(0.2)
    assert run["a.q.rate"][0] == pytest.approx(0.3)
    assert set(fnmatch.filter(run.names, "a.rate.*.power")) == {"a.rate.a.quick.power"}
    assert vv.linearise(m, at={"a.rate.q": np.pi / 2}).states == ("a.rate.q", "a.q.q", "a.rate.rate", "a.q.rate")
    assert vv.analytical(m, form="kane-momentum").p_names == ("a.rate.p", "a.q.p")
    units = " ".join(str(m.parameters).split())
    assert "a.rate.friction 0.1 N m s/rad" in units
    assert "a.friction.mass 1 kg" in units


def test_the_longest_part_that_a_name_begins_with_is_meant():
    parts = {"left", "left.hinge", "left.hinge.stop"}
    assert split_name("left.hinge.q[1]", parts) == ("left.hinge", "q[1]")
    assert split_name("left.hinge.stop", parts) == ("left.hinge.stop", "")
    assert split_name("left.r", parts) == ("left", "r")
    assert split_name("right.arm.r", parts) == ("right", "arm.r")


def test_robots_from_files_are_modules_too():
    """A gripper at the end of an arm, with what both look like."""
    arm, gripper = (vv.read_urdf(URDF / f"{name}.urdf") for name in ("arm", "gripper"))
    m = vv.Mechanism("cell", gravity=arm.gravity)
    left = m.include(arm, "arm", at=(0, 1, 0))
    hand = m.include(gripper, "hand", on=left[arm.bodies[-1].name])
    assert hand.ground.carrier is left[arm.bodies[-1].name]
    assert len(m.bodies) == len(arm.bodies) + len(gripper.bodies)
    count = sum(len(found) for robot in (arm, gripper) for found in robot.shapes.values())
    assert sum(map(len, m.shapes.values())) == count
    assert vv.simulate(m, t_end=0.005, h=0.001).audit().ok


def test_a_module_does_not_see_what_is_added_later():
    module, m = finger(), palm()
    m.include(module, "left", on="flange")
    module.particle("bead", mass=1.0, at=(0, 0, 0))
    assert "left.bead" not in m.parts
    assert "left.bead" not in m.with_parameters({"left.tip.mass": 1.0}).parts


# -- looks and first velocities -------------------------------------------------------------------------------------


def box(at) -> Shape:
    return Shape("box", np.ones(3), np.eye(3), np.array(at, dtype=float))


def test_shapes_come_along_and_those_of_the_ground_go_to_the_carrier():
    module, m = finger(), palm()
    module.shapes = {"tip": (box((0, 0, -0.2)),), "ground": (box((0, 0, 0.1)),)}
    m.shapes = {"palm": (box((0, 0, 0)),)}
    m.include(module, "left", on="flange")
    assert [len(m.shapes[name]) for name in ("palm", "left.tip")] == [2, 1]
    np.testing.assert_allclose(m.shapes["left.tip"][0].r_WS, POSE.R @ (0, 0, -0.2) + POSE.r)
    np.testing.assert_allclose(m.shapes["palm"][1].R_WS, POSE.R)
    other = m.with_parameters({"flange.at": (0, 0, 3)})
    assert [len(other.shapes[name]) for name in ("palm", "left.tip")] == [2, 1]
    np.testing.assert_allclose(other.shapes["left.tip"][0].r_WS, POSE.R @ (0, 0, -0.2) + (0, 0, 3))
    same = m.with_parameters({"palm.mass": 3.0, "gravity": (0, 0, -1)})
    assert [len(same.shapes[name]) for name in ("palm", "left.tip")] == [2, 1]


def moving() -> vv.Mechanism:
    m = vv.Mechanism("swarm")
    m.body(
        "stone", mass=1.0, inertia=(1, 2, 3), at=(0, 1, 0), rotation=SO3.exp([0.2, 0, 0.3]), twist=(1, 2, 3, 4, 5, 6)
    )
    m.particle("grain", mass=1.0, at=(1, 0, 0), velocity=(1, 2, 3))
    return m


def test_first_velocities_are_turned_with_the_module():
    m = vv.Mechanism()
    on = m.include(moving(), "swarm", at=POSE.r, rotation=POSE.R)
    assert np.array_equal(on.stone.twist, (1, 2, 3, 4, 5, 6))
    np.testing.assert_allclose(on.grain.velocity, POSE.R @ (1, 2, 3))


def test_first_velocities_are_against_a_carrier_that_moves():
    """A swarm at rest against a carrier moves with it as one rigid body."""
    twist = np.array([0.3, -0.2, 0.5, 1.0, 0.4, -0.7])
    module = vv.Mechanism()
    module.body("stone", mass=1.0, inertia=(1, 2, 3), at=(0, 1, 0), rotation=SO3.exp([0.2, 0, 0.3]), twist=np.zeros(6))
    module.particle("grain", mass=1.0, at=(1, 0, 0), velocity=(0, 0, 0))
    m = vv.Mechanism()
    ship = m.body("ship", mass=1.0, inertia=(1, 1, 1), at=POSE.r, rotation=POSE.R, twist=twist)
    on = m.include(module, "swarm", on=ship, at=(2, 1, 0))
    omega, v = POSE.R @ twist[:3], POSE.R @ twist[3:]
    for r, found in (
        (on.grain.r_W, on.grain.velocity),
        (on.stone.r_WB, on.stone.R_WB @ on.stone.twist[3:]),
    ):
        np.testing.assert_allclose(found, v + np.cross(omega, r - POSE.r), atol=1e-14)
    np.testing.assert_allclose(on.stone.R_WB @ on.stone.twist[:3], omega, atol=1e-14)


# -- parameters -----------------------------------------------------------------------------------------------------


def test_parameters_are_those_of_the_module_under_its_prefix():
    m = hand()
    assert m.parameters["left.tip.mass"] == 0.3
    assert m.parameters["left.hinge.friction.level"] == 0.02
    assert np.array_equal(m.parameters["right.at"], (-0.4, 0, 0))
    assert "left.hinge.friction.level 0.02 N m" in " ".join(str(m.parameters).split())
    other = m.with_parameters({"left.tip.mass": 2.0, "left.hinge.friction.level": 0.5, "right.at": (0, 1, 0)})
    assert other["left.tip"].mass == 2.0
    assert other["right.tip"] is not m["right.tip"]
    assert dict(other["left.hinge"].laws[0].arguments)["level"] == 0.5
    assert np.array_equal(other["right.tip"].r_WB, (0, 1, -0.2))
    assert set(other.modules) == {"left", "right"}
    assert other["left.hinge"].child is other["left.tip"]
    assert m["left.tip"].mass == 0.3


def test_modules_that_no_change_reaches_are_shared():
    m = hand()
    other = m.with_parameters({"left.tip.mass": 2.0})
    assert other["right.tip"] is m["right.tip"]
    assert other["left.tip"] is not m["left.tip"]


def test_gravity_and_environment_change_with_the_host():
    m = vv.Mechanism("host", gravity=GRAVITY)
    m.include(finger(gravity=GRAVITY), "left")
    other = m.with_parameters({"gravity": (0, 0, -1.6), "theta0": 280.0})
    assert other["left.oil"].temperature == 280.0
    again = other.with_parameters({"left.tip.mass": 1.0})
    assert np.array_equal(again.gravity, (0, 0, -1.6))
    assert again["left.tip"].mass == 1.0


def test_a_body_that_is_called_friction_has_numbers():
    module = vv.Mechanism()
    module.body("friction", mass=1.0, inertia=(1, 1, 1))
    m = vv.Mechanism()
    m.include(module, "left")
    assert m.with_parameters({"left.friction.mass": 2.0})["left.friction"].mass == 2.0


def test_a_host_travels_in_files():
    m = pickle.loads(pickle.dumps(hand()))
    assert m.modules["left"].hinge is m["left.hinge"]
    assert m.with_parameters({"left.tip.mass": 2.0})["left.tip"].mass == 2.0


def test_wrong_parameters_of_a_module():
    with pytest.raises(ModelError, match=r"no parameter 'left\.tip\.mas'\. Did you mean 'left\.tip\.mass'"):
        hand().with_parameters({"left.tip.mas": 1.0})
    with pytest.raises(ModelError, match=r"'left\.on' of mechanism 'hand' is no number"):
        hand().with_parameters({"left.on": "palm"})


# -- own functions ----------------------------------------------------------------------------------------------------


def test_rows_and_functions_of_parts_are_shared_with_other_numbers():
    """Nothing is traced or compiled again for other numbers."""
    module = vv.Mechanism()
    module.body("ball", mass=1.0, inertia=(1, 1, 1), at=(0, 0, 0.3))
    module.constraint("height", "ball", g=lambda b: b.r[2] - 0.3)
    module.velocity_constraint("rolls", "ball", A=lambda b: [[0, -0.3, 0, 1, 0, 0], [0.3, 0, 0, 0, 1, 0]])
    m = vv.Mechanism()
    m.include(module, "left", at=POSE.r, rotation=POSE.R)
    other = m.with_parameters({"left.ball.mass": 2.0})
    assert other["left.height"].function is m["left.height"].function
    assert other["left.rolls"].twists.law is m["left.rolls"].twists.law


# -- what is refused --------------------------------------------------------------------------------------------------


def test_taken_names():
    m = hand()
    with pytest.raises(ModelError, match="the name 'left' is taken already"):
        m.include(finger(), "left")
    with pytest.raises(ModelError, match="the name 'palm' is taken already"):
        m.include(finger(), "palm")
    with pytest.raises(ModelError, match="the name 'left' is taken already"):
        m.particle("left", mass=1.0, at=(0, 0, 0))
    with pytest.raises(ModelError, match="has one of the characters"):
        m.include(finger(), "a.b")


def test_a_mechanism_does_not_include_itself():
    m = hand()
    with pytest.raises(ModelError, match="'hand' cannot include itself as 'copy': build the module first"):
        m.include(m, "copy")


def test_an_empty_module():
    with pytest.raises(ModelError, match=r"module 'third' \('nothing'\) is empty"):
        hand().include(vv.Mechanism("nothing"), "third")


def test_what_is_no_module():
    with pytest.raises(ModelError, match=r"takes a vv.Mechanism and its prefix, got 'left' first"):
        vv.Mechanism().include("left", finger())


def test_unknown_and_impossible_mounts():
    m = hand()
    m.particle("bead", mass=1.0, at=(0, 0, 0))
    with pytest.raises(ModelError, match=r"has no 'flang'. Did you mean 'flange'"):
        m.include(finger(), "third", on="flang")
    with pytest.raises(ModelError, match="module 'third' cannot be mounted on particle 'bead': give a frame, body"):
        m.include(finger(), "third", on="bead")
    with pytest.raises(ModelError, match="module 'third' is placed by frame 'flange' already: leave out at and"):
        m.include(finger(), "third", on="flange", at=(0, 0, 0))
    with pytest.raises(ModelError, match=r"'left' of mechanism 'hand' is a module: name a part of it, 'left.ground'"):
        m.include(finger(), "third", on="left")
    with pytest.raises(ModelError, match="made by another mechanism"):
        m.include(finger(), "third", on=hand()["palm"])
    assert not [name for name in m.parts if name.startswith("third")]


def test_another_gravity():
    m = vv.Mechanism("host", gravity=GRAVITY)
    with pytest.raises(ModelError, match=r"built with gravity \(0, -9.81, 0\), mechanism 'host' has \(0, 0, -9.81\)"):
        m.include(finger(gravity=(0, -9.81, 0)), "left")
    m.include(finger(gravity=(0, -9.81, 0)), "wall", rotation=SO3.exp([np.pi / 2, 0, 0]))
    m.include(finger(gravity=GRAVITY), "right", rotation=POSE.R)


def test_another_environment():
    with pytest.raises(ModelError, match="has an environment of theta0 = 280 K, mechanism 'host' one of 300 K"):
        vv.Mechanism("host").include(finger(theta0=280.0), "left")


def test_first_velocities_against_a_carrier_whose_own_are_open():
    m = palm()
    with pytest.raises(ModelError, match="'stone' of module 'swarm' has an initial twist against the module's ground"):
        m.include(moving(), "swarm", on="palm")
    assert "swarm.ground" not in m.parts
    assert not m.modules


def test_what_a_module_does_not_have():
    left = hand().modules["left"]
    with pytest.raises(ModelError, match=r"module 'left' of mechanism 'hand' has no 'hing'. Did you mean 'hinge'"):
        left["hing"]
    with pytest.raises(AttributeError, match=r"a module has no attribute 'hing'. Did you mean 'hinge'"):
        left.hing  # noqa: B018
