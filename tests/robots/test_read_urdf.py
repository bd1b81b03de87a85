"""What becomes of the elements of a URDF."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv
from visviva.mechanism.parts import Body, Frame

DATA = Path(__file__).parent.parent / "data" / "urdf"
UNIT = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def robot_of(*parts, **options):
    return vv.read_urdf('<robot name="test">' + "".join(parts) + "</robot>", **options)


def link(name, inside=UNIT):
    return f'<link name="{name}">{inside}</link>'


def joint(name, parent, child, kind="revolute", inside=""):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def test_roll_pitch_and_yaw_are_about_fixed_axes():
    robot = robot_of(
        link("a"), link("b"), joint("j", "a", "b", inside='<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="0 0 2"/>')
    )
    about = {axis: vv.geometry.SO3.exp(np.eye(3)[k] * angle).R for k, (axis, angle) in
             enumerate({"x": 0.1, "y": 0.2, "z": 0.3}.items())}  # fmt: skip
    R = about["z"] @ about["y"] @ about["x"]
    assert_allclose(robot["b"].R_WB, R, atol=1e-15)
    assert_allclose(robot["b"].r_WB, (1, 2, 3))
    assert_allclose(robot["j"].R_W[:, 2], R[:, 2], atol=1e-15)


def test_a_quaternion_of_version_1_2_is_in_the_order_x_y_z_w():
    robot = robot_of(link("a"), link("b"), joint("j", "a", "b", inside='<origin quat_xyzw="0 0 1 1"/>'))
    assert_allclose(robot["b"].R_WB, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)


def test_a_joint_without_axis_turns_about_x():
    robot = robot_of(link("a"), link("b"), joint("j", "a", "b"))
    assert_allclose(robot["j"].R_W[:, 2], (1, 0, 0), atol=1e-15)


def test_the_frame_of_an_inertia_may_be_turned_and_moved():
    inertial = '<inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><mass value="2"/>'
    inertial += '<inertia ixx="1" ixy="0.1" ixz="0.2" iyy="2" iyz="0.3" izz="2.5"/></inertial>'
    body = robot_of(link("a"), link("b", inertial), joint("j", "a", "b"))["b"]
    assert body.mass == 2
    assert_allclose(body.com, (1, 2, 3))
    assert_allclose(body.J, [[2, -0.1, -0.3], [-0.1, 1, 0.2], [-0.3, 0.2, 2.5]], atol=1e-15)


def test_links_on_fixed_joints_are_frames_and_their_mass_is_that_of_the_body():
    robot = vv.read_urdf(DATA / "arm.urdf")
    assert isinstance(robot["flange"], Frame)
    assert isinstance(robot["tool"], Frame)
    assert robot["tool"].carrier is robot["link7"]
    assert robot["link7"].mass == pytest.approx(robot.description.links["link7"].inertia.mass + 0.4)
    assert robot["base"].carrier is robot.ground


def test_welds_can_be_kept_for_their_reactions():
    robot = vv.read_urdf(DATA / "arm.urdf", merge=False)
    assert isinstance(robot["flange"], Body)
    assert robot["flange_joint"].joint.kind == "fixed"
    assert robot["tool"].carrier is robot["flange"]  # it has no mass
    merged = vv.read_urdf(DATA / "arm.urdf")
    ends = [vv.simulate(each, t_end=0.05, h=0.005)["tool.r"][-1] for each in (robot, merged)]
    assert_allclose(*ends, atol=1e-9)


def test_a_floating_root_is_a_body_that_falls():
    robot = robot_of(link("a"), floating=True)
    run = vv.simulate(robot, t_end=1.0, h=0.1)
    assert_allclose(run["a.r"][-1], (0, 0, -9.81 / 2), atol=1e-12)


def test_links_without_mass_at_the_ends_are_frames_and_their_joints_stay():
    robot = robot_of(link("a"), link("b"), link("c", ""), link("d", ""), joint("j", "a", "b"), joint("k", "b", "c"),
                     joint("l", "c", "d", "fixed"))  # fmt: skip
    assert robot["c"].carrier is robot["d"].carrier is robot["b"]
    assert "k" not in robot.parts
    assert any("'k'" in note and "q = 0" in note for note in robot.notes)


def test_links_without_mass_between_joints_move_with_what_hangs_on_them():
    robot = vv.read_urdf(DATA / "rover.urdf", floating=True)
    assert robot["mast_yaw"].mass == 0
    run = vv.simulate(robot, t_end=0.05, h=0.005, inputs={"pan_torque": 0.01})
    assert run.audit().ok
    assert abs(run["pan.q"][-1]) > 1e-4


def test_a_massless_finger_that_mimics_another_moves():
    robot = robot_of(link("a"), link("b"), link("c", ""), joint("j", "a", "b"),
                     joint("k", "a", "c", inside='<mimic joint="j" multiplier="2" offset="0.1"/>'))  # fmt: skip
    run = vv.simulate(robot, t_end=0.1, h=0.01, inputs={"j_torque": 1.0})
    assert_allclose(run["k.q"], 2 * run["j.q"] + 0.1, atol=1e-12)


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_what_mimics_is_built_at_its_offset_and_moves_nothing_else(kind):
    robot = robot_of(link("a"), link("b"), link("c"), link("d"), joint("j", "a", "b"),
                     joint("k", "b", "c", kind=kind, inside='<mimic joint="j" multiplier="2" offset="0.1"/>'),
                     joint("l", "c", "d", inside='<mimic joint="k" multiplier="-3" offset="0.2"/>'))  # fmt: skip
    _motion, report = robot.assemble()
    assert str(report) == "nothing had to change"
    sim = vv.Simulator(robot, h=0.01)
    assert (sim["j.q"], sim["k.q"]) == (0.0, 0.1)
    assert_allclose(sim["l.q"], -0.1, atol=1e-15)
    sim.reset({"j.q": 0.5})
    assert_allclose((sim["j.q"], sim["k.q"], sim["l.q"]), (0.5, 1.1, -3.1), atol=1e-12)


def test_a_multiplier_of_zero_holds_a_joint_at_its_offset():
    robot = robot_of(link("a"), link("b"), link("c"), joint("j", "a", "b"),
                     joint("k", "b", "c", inside='<mimic joint="j" multiplier="0" offset="0.2"/>'))  # fmt: skip
    assert_allclose(vv.simulate(robot, t_end=0.1, h=0.01)["k.q"], 0.2, atol=1e-12)


def test_names_that_a_mechanism_cannot_have_are_changed_and_said():
    robot = robot_of(link("arm.1"), link("energy"), link("b"), joint("b", "arm.1", "b"), joint("b.1", "b", "energy"))
    assert robot.link_names == {"arm.1": "arm_1", "b": "b", "energy": "energy_link"}
    assert robot.joint_names == {"b": "b_joint", "b.1": "b_1"}
    assert "joint 'b' is called 'b_joint'" in robot.notes


def test_every_joint_that_moves_by_itself_has_a_port():
    assert [port.name for port in vv.read_urdf(DATA / "gripper.urdf").ports] == ["lift_force", "left_joint_force"]
    assert not vv.read_urdf(DATA / "gripper.urdf", inputs=False).ports
    robot = robot_of(link("a"), link("b"), joint("j", "a", "b", "planar"))
    assert [(port.name, port.width) for port in robot.ports] == [("j_wrench", 6)]


def test_limits_are_data_and_stops_only_when_asked_for():
    robot = vv.read_urdf(DATA / "arm.urdf")
    assert not robot.stops
    assert robot.limits["joint1"] == vv.robots.Limits(-2.9, 2.9, 100, 2)
    assert robot.limits["joint7"] == vv.robots.Limits(None, None, 40, 2)  # continuous
    stopped = vv.read_urdf(DATA / "arm.urdf", stops=(1e4, 10.0))
    assert [stop.name for stop in stopped.stops] == [f"joint{k}_stop" for k in range(1, 7)]
    assert (stopped.stops[0].low, stopped.stops[0].high) == (-2.9, 2.9)
    assert [s.name for s in vv.read_urdf(DATA / "arm.urdf", stops={"joint2": (1e4, 0.0)}).stops] == ["joint2_stop"]
    with pytest.raises(vv.ModelError, match=r"joints with limits.*has no 'joint7'. Did you mean"):
        vv.read_urdf(DATA / "arm.urdf", stops={"joint7": (1.0, 1.0)})
    with pytest.raises(vv.ModelError, match=r"\(stiffness, damping\), got 5"):
        vv.read_urdf(DATA / "arm.urdf", stops={"joint2": 5.0})


def test_dry_friction_is_regularised_and_said():
    robot = vv.read_urdf(DATA / "gripper.urdf", v_reg=0.002)
    (law,) = robot["left_joint"].laws
    assert law.v_reg == 0.002
    assert law.evaluate(np.array(1.0), np.array(300.0)) == pytest.approx(0.7, rel=1e-4)
    assert any("regularised below rates of 0.002" in note for note in robot.notes)


def test_a_massless_root_cannot_float():
    with pytest.raises(vv.ModelError, match="root link 'a' has no mass"):
        robot_of(link("a", ""), link("b"), joint("j", "a", "b"), floating=True)


def test_a_robot_of_which_nothing_moves_is_refused():
    with pytest.raises(vv.ModelError, match="nothing of the robot 'test' moves"):
        robot_of(link("a"))


def test_links_without_mass_on_one_line_are_refused_by_name():
    coaxial = [link("a"), link("b", ""), link("c"), joint("j", "a", "b"), joint("k", "b", "c")]
    with pytest.raises(vv.ModelError, match="'b' has no mass"):
        vv.simulate(robot_of(*coaxial), t_end=0.1, h=0.01)


def test_shapes_are_kept_for_pictures_and_meshes_are_not_opened():
    robot = vv.read_urdf(DATA / "arm.urdf")
    (box,) = robot.shapes["link1"]
    assert (box.kind, box.half.tolist()) == ("box", [0.04, 0.03, 0.1])
    (mesh,) = robot.shapes["link4"]
    assert (mesh.kind, mesh.mesh) == ("mesh", "package://arm/meshes/link.stl")
    assert robot.shapes["ground"][0].kind == "cylinder"
    assert robot.shapes["ground"][0].colour == (0.4, 0.4, 0.5)


def test_what_is_not_read_is_said():
    robot = vv.read_urdf(DATA / "gripper.urdf")
    assert "not read: <transmission> (1)" in robot.notes


def test_limits_in_degrees_and_a_start_beyond_them_are_said():
    def limited(low, high):
        limit = f'<limit lower="{low}" upper="{high}" effort="1" velocity="1"/>'
        return robot_of(link("a"), link("b"), joint("j", "a", "b", inside=limit)).notes

    assert limited(-90, 90) == ("limits of 'j', -90 to 90 rad, seem to be degrees",)
    assert limited(0.5, 1.0) == ("q = 0 of 'j', as built, is outside of its limits, 0.5 to 1",)
    assert limited(-1, 1) == ()


@pytest.mark.parametrize(("offset", "low", "notes"), [(0.5, 0.2, 0), (3.0, -1.0, 1), (0.0, 0.2, 1)])
def test_limits_of_what_mimics_are_judged_where_it_is_built(offset, low, notes):
    inside = f'<mimic joint="j" offset="{offset}"/><limit lower="{low}" upper="1" effort="1" velocity="1"/>'
    robot = robot_of(link("a"), link("b"), link("c"), joint("j", "a", "b"), joint("k", "b", "c", inside=inside))
    said = [note for note in robot.notes if "outside of its limits" in note]
    assert len(said) == notes


def inertial(mass, *moments):
    names = zip(("ixx", "iyy", "izz"), moments, strict=True)
    tensor = " ".join(f'{name}="{value}"' for name, value in names)
    return f'<inertial><mass value="{mass}"/><inertia {tensor} ixy="0" ixz="0" iyz="0"/></inertial>'


def test_only_what_moves_as_one_must_have_the_inertia_of_a_body():
    parts = link("a"), link("b", inertial(1, 1, 1, 1)), link("c", inertial(0.1, 0.1, 0, 0)), joint("j", "a", "b")
    body = robot_of(*parts, joint("k", "b", "c", "fixed"))["b"]
    assert_allclose(body.J, np.diag([1.1, 1, 1]), atol=1e-15)
    assert body.mass == 1.1


def test_an_inertia_that_no_body_has_can_be_replaced_by_the_nearest():
    parts = link("a"), link("b", inertial(1, 1, 1, 3)), joint("j", "a", "b")
    with pytest.raises(vv.ModelError, match="triangle"):
        robot_of(*parts)
    robot = robot_of(*parts, repair=True)
    assert_allclose(robot["b"].J, np.diag([1.5, 1.5, 3.0]), atol=1e-14)  # E = diag(1.5, 1.5, -0.5) without its last
    assert "no body has the inertias of 'b': the nearest that one has were taken" in robot.notes


def test_what_a_fixed_joint_has_no_use_for_is_not_asked_for():
    idle = '<axis xyz="0 0 0"/><dynamics damping="1"/><limit lower="1" upper="-1"/><mimic joint="j"/>'
    robot = robot_of(link("a"), link("b"), link("c"), joint("j", "a", "b"), joint("k", "b", "c", "fixed", idle))
    assert robot["b"].mass == 2
