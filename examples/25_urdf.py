"""A URDF becomes a mechanism with its limits and mimicking joints, and a loop that no URDF has is one line more."""

import numpy as np

import visviva as vv

MASS = '<inertial><origin xyz="0.25 0 0"/><mass value="1"/><inertia ixx="0.001" ixy="0" ixz="0" iyy="0.02" iyz="0" '
LINK = '<link name="{}">' + MASS + 'izz="0.02"/></inertial></link>'
HINGE = """<joint name="{}" type="revolute"><parent link="{}"/><child link="{}"/><origin xyz="{} 0 0" rpy="0 {} 0"/>
<axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="50" velocity="3"/>{}</joint>"""
URDF = f"""<robot name="parallelogram">
<link name="base"/>{LINK.format("crank")}{LINK.format("coupler")}{LINK.format("rocker")}<link name="tip"/>
{HINGE.format("left", "base", "crank", 0, -1.5707963267948966, '<dynamics damping="0.1"/>')}
{HINGE.format("elbow", "crank", "coupler", 0.5, 1.5707963267948966, "")}
{HINGE.format("right", "base", "rocker", 0.5, -1.5707963267948966, '<mimic joint="left"/>')}
<joint name="weld" type="fixed"><parent link="coupler"/><child link="tip"/><origin xyz="0.5 0 0"/></joint></robot>"""

robot = vv.read_urdf(URDF)
assert robot.limits["left"].effort == 50
assert robot.mobility() == 2  # left, with right beside it, and the elbow
robot.spherical("pin", "rocker", "tip")  # at the frame of the link: the loop is closed
assert robot.mobility() == 1
run = vv.simulate(robot, t_end=1.0, h=0.005, inputs={"left_torque": lambda t: 2.0 * np.sin(5 * t)})
assert run.audit().ok
assert np.abs(run["tip.R"] - np.eye(3)).max() < 1e-9  # a parallelogram: the coupler only shifts
print(f"{robot}: tip from {run['tip.r'][0].round(3)} to {run['tip.r'][-1].round(3)} m, {run['work'][-1]:.3f} J")
