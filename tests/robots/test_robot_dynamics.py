"""Robots read from files move as the same robots elsewhere: Pinocchio, and a plain sum over links."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import visviva as vv

DATA = Path(__file__).parent.parent / "data" / "urdf"
G = np.array([0.0, 0.0, -9.81])
PLATE = """
<robot name="plate on a lift">
  <link name="base"/>
  <link name="lift"><inertial><origin xyz="0.1 0 0"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="up" type="prismatic"><parent link="base"/><child link="lift"/><origin rpy="0.3 0.2 0.1"/>
    <axis xyz="1 2 2"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <link name="plate"><inertial><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><mass value="1.5"/>
    <inertia ixx="0.02" ixy="0.001" ixz="0.002" iyy="0.03" iyz="-0.001" izz="0.04"/></inertial></link>
  <joint name="table" type="{kind}"><parent link="lift"/><child link="plate"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.5 -0.2 0.3"/><axis xyz="0 0 1"/></joint>
</robot>
"""


@cache
def form_of(source, **options):
    return vv.analytical(vv.read_urdf(source, **options))


def pinocchio_of(source, floating=False, **options):
    pin = pytest.importorskip("pinocchio")
    text = source if isinstance(source, str) else source.read_text()
    root = (pin.JointModelFreeFlyer(),) if floating else ()
    model = pin.buildModelFromXML(text, *root, **options)
    model.gravity.linear = G
    return pin, model, model.createData()


def columns(model, names):
    """Where Pinocchio has the velocities of joints."""
    return [k for name in names for k in range(model.joints[model.getJointId(name)].idx_v,
            model.joints[model.getJointId(name)].idx_v + model.joints[model.getJointId(name)].nv)]  # fmt: skip


def agree(mine, theirs, tolerance=1e-10):
    assert_allclose(mine, theirs, rtol=0, atol=tolerance * max(1.0, np.abs(theirs).max()))


@pytest.mark.parametrize("seed", range(3))
def test_an_arm_of_seven_joints_has_the_dynamics_of_pinocchio(seed):
    form, (pin, model, data) = form_of(DATA / "arm.urdf"), pinocchio_of(DATA / "arm.urdf")
    rng = np.random.default_rng(seed)
    q, v, a, tau = rng.uniform(-2, 2, (4, 7))
    assert [name[:-2] for name in form.q_names] == model.names.tolist()[1:]
    q_pin = np.append(q[:6], [np.cos(q[6]), np.sin(q[6])])  # a continuous joint has (cos, sin) there
    M = pin.crba(model, data, q_pin)
    agree(form.mass_matrix(q), np.triu(M) + np.triu(M, 1).T)
    agree(form.inverse_dynamics(q, 0 * v, 0 * v), pin.computeGeneralizedGravity(model, data, q_pin))
    agree(form.inverse_dynamics(q, v, a), pin.rnea(model, data, q_pin, v, a))
    agree(form.accelerations(q, v, tau=tau), pin.aba(model, data, q_pin, v, tau))
    agree(form.accelerations(q, v, u=tau), pin.aba(model, data, q_pin, v, tau))  # its ports are the torques


def test_frames_of_links_are_where_pinocchio_has_them():
    robot = vv.read_urdf(DATA / "arm.urdf")
    pin, model, data = pinocchio_of(DATA / "arm.urdf")
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    for link in robot.description.links:
        X = data.oMf[model.getFrameId(link, pin.FrameType.BODY)]
        part = robot[robot.link_names[link]]
        R, r = (part.R_WF, part.r_WF) if isinstance(part, type(robot["tool"])) else (part.R_WB, part.r_WB)
        assert_allclose(r, X.translation, atol=1e-14)
        assert_allclose(R, X.rotation, atol=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_a_floating_robot_has_the_dynamics_of_pinocchio(seed):
    form, (pin, model, data) = form_of(DATA / "rover.urdf", floating=True), pinocchio_of(DATA / "rover.urdf", True)
    rng = np.random.default_rng(seed)
    r, Q, angles = rng.normal(size=3), rng.normal(size=4), rng.uniform(-1, 1, 4)
    Q /= np.linalg.norm(Q)
    q = np.concatenate([r, Q, angles])  # ours: (w, x, y, z), theirs (x, y, z, w)
    left, right, pan, tilt = angles
    q_pin = np.concatenate([r, Q[[1, 2, 3, 0]], [0.0], [np.cos(left), np.sin(left)], [np.cos(right), np.sin(right)]])
    q_pin = np.append(q_pin, [pan, tilt])
    order = [3, 4, 5, 0, 1, 2, *columns(model, ["axle.left", "axle.right", "pan", "tilt"])]
    v = rng.normal(size=10)
    v_pin = np.zeros(model.nv)
    v_pin[order] = v
    M = pin.crba(model, data, q_pin)
    agree(form.mass_matrix(q), (np.triu(M) + np.triu(M, 1).T)[np.ix_(order, order)])
    damping = np.array([0.0] * 6 + [0.02, 0.02, 0.0, 0.0])
    rest = pin.rnea(model, data, q_pin, v_pin, np.zeros(model.nv))[order] + damping * v
    agree(form.inverse_dynamics(q, v, np.zeros(10)), rest)


@pytest.mark.parametrize("kind", ["planar", "floating"])
def test_planar_and_floating_joints_have_the_dynamics_of_pinocchio(kind):
    text = PLATE.replace("{kind}", kind)
    form, (pin, model, data) = form_of(text), pinocchio_of(text)
    rng = np.random.default_rng(5)
    up, angle, x, y = rng.uniform(-1, 1, 4)
    if kind == "planar":  # velocities of theirs are in the axes of the plate, ours along those of the table
        q, q_pin = np.array([up, x, y, angle]), np.array([up, x, y, np.cos(angle), np.sin(angle)])
        turn = np.eye(4)
        turn[1:3, 1:3] = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
    else:
        Q = rng.normal(size=4)
        Q /= np.linalg.norm(Q)
        q, q_pin = np.concatenate([[up, x, y, 0.3], Q]), np.concatenate([[up, x, y, 0.3], Q[[1, 2, 3, 0]]])
        turn = np.eye(7)[[0, 4, 5, 6, 1, 2, 3]]
    M = pin.crba(model, data, q_pin)
    agree(form.mass_matrix(q), turn.T @ (np.triu(M) + np.triu(M, 1).T) @ turn)
    weight = turn.T @ pin.computeGeneralizedGravity(model, data, q_pin)
    agree(form.inverse_dynamics(q, np.zeros(len(turn)), np.zeros(len(turn))), weight)


def rotation(axis, angle):
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def pose(element):
    X = np.eye(4)
    origin = None if element is None else element.find("origin")
    if origin is not None:
        roll, pitch, yaw = map(float, origin.get("rpy", "0 0 0").split())
        X[:3, :3] = rotation([0, 0, 1], yaw) @ rotation([0, 1, 0], pitch) @ rotation([1, 0, 0], roll)
        X[:3, 3] = list(map(float, origin.get("xyz", "0 0 0").split()))
    return X


def by_summation(path, q):
    """M and gravity forces of a fixed tree of hinges and slides: Σ over links of Jacobians, in world axes."""
    robot = ET.parse(path).getroot()
    joints = {joint.find("child").get("link"): joint for joint in robot.findall("joint")}
    moving = [j.get("name") for j in robot.findall("joint") if j.get("type") != "fixed"]
    M, gravity = np.zeros((len(moving), len(moving))), np.zeros(len(moving))
    for link in robot.findall("link"):
        chain, name = [], link.get("name")
        while name in joints:
            chain.insert(0, joints[name])
            name = joints[name].find("parent").get("link")
        X, screws = np.eye(4), []
        for joint in chain:
            X = X @ pose(joint)
            if joint.get("type") == "fixed":
                continue
            axis = np.array(list(map(float, joint.find("axis").get("xyz").split())))
            axis, k = axis / np.linalg.norm(axis), moving.index(joint.get("name"))
            slides = joint.get("type") == "prismatic"
            screws.append((k, slides, X[:3, :3] @ axis, X[:3, 3].copy()))
            if slides:
                X[:3, 3] += q[k] * X[:3, :3] @ axis
            else:
                X[:3, :3] = X[:3, :3] @ rotation(axis, q[k])
        inertial = link.find("inertial")
        if inertial is None:
            continue
        X = X @ pose(inertial)
        m, i = float(inertial.find("mass").get("value")), inertial.find("inertia")
        J = np.array([[float(i.get("i" + "".join(sorted(a + b)))) for b in "xyz"] for a in "xyz"])
        v, w = np.zeros((3, len(moving))), np.zeros((3, len(moving)))
        for k, slides, axis, at in screws:
            v[:, k] = axis if slides else np.cross(axis, X[:3, 3] - at)
            w[:, k] = 0 if slides else axis
        M += m * v.T @ v + w.T @ X[:3, :3] @ J @ X[:3, :3].T @ w
        gravity -= m * v.T @ G
    return moving, M, gravity


@pytest.mark.parametrize("file", ["arm", "gripper"])
def test_mass_matrix_and_weight_are_sums_over_the_links_of_the_file(file):
    form = form_of(DATA / f"{file}.urdf")
    q = np.random.default_rng(1).uniform(-1, 1, form.n)
    moving, M, gravity = by_summation(DATA / f"{file}.urdf", q)
    names = [name.removesuffix(".q").removesuffix("_joint") for name in form.q_names]
    assert names == moving
    agree(form.mass_matrix(q), M, 1e-13)
    agree(form.inverse_dynamics(q, 0 * q, 0 * q), gravity, 1e-13)


def test_joints_that_mimic_move_as_their_leader_says():
    form = form_of(DATA / "gripper.urdf")
    left, v = 0.01, np.array([0.1, 0.02, 0.02, -12.5 * 0.02])
    q = np.array([0.2, left, left, 0.3 - 12.5 * left])
    _, M, gravity = by_summation(DATA / "gripper.urdf", q)
    T = np.array([[1, 0], [0, 1], [0, 1], [0, -12.5]])
    a = form.accelerations(q, v)
    agree(a, T @ a[:2])
    passive = np.array([3.0 * v[0], 0.5 * v[1] + 0.2 * v[1] / np.hypot(v[1], 0.01), 0, 0])
    inertial = form.bias(q, v)
    agree(a[:2], np.linalg.solve(T.T @ M @ T, -T.T @ (gravity + passive + inertial)))


def test_a_run_of_a_gripper_keeps_its_couplings_and_its_books():
    robot = vv.read_urdf(DATA / "gripper.urdf")
    force = 9.81 * 1.07
    run = vv.simulate(robot, t_end=0.2, h=0.002, inputs={"lift_force": force, "left_joint_force": 1.0})
    assert run.audit().ok
    assert_allclose(run["right_finger.q"], run["left_joint.q"], atol=1e-12)
    assert_allclose(run["thumb_hinge.q"], 0.3 - 12.5 * run["left_joint.q"], atol=1e-11)
    assert run["left_joint.q"][-1] > 0.01
