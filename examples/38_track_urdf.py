"""An arm of seven joints, read from a URDF, tracks with its tool within the efforts that the file has."""

import sys
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import visviva as vv

control = vv.control
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")

LINK = """<link name="link{0}"><inertial><origin xyz="0 0 0.12"/><mass value="{1}"/>
<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial></link>"""
JOINT = """<joint name="joint{0}" type="revolute"><parent link="{1}"/><child link="link{0}"/><origin xyz="0 0 {2}"/>
<axis xyz="{3}"/><limit lower="-2.9" upper="2.9" effort="{4}" velocity="3"/><dynamics damping="0.5"/></joint>"""
axes = ["0 0 1", "0 1 0", "0 0 1", "0 -1 0", "0 0 1", "0 1 0", "0 0 1"]
links = "".join(LINK.format(k + 1, 4.0 - 0.5 * k) for k in range(7))
joints = "".join(
    JOINT.format(
        k + 1, f"link{k}" if k else "base", 0.3 if k % 2 == 0 else 0.15, axes[k], [80, 80, 50, 50, 20, 10, 10][k]
    )
    for k in range(7)
)
tool = """<link name="tool"/><joint name="weld" type="fixed"><parent link="link7"/><child link="tool"/>
<origin xyz="0.05 0 0.1"/></joint>"""
robot = vv.read_urdf(f'<robot name="seven"><link name="base"/>{links}{joints}{tool}</robot>', gravity=(0, 0, -9.81))

# gains of the pose of the tool, and weak ones of joints: springs of both hold the seventh freedom
pose = control.gains(mass=(1.0, (0, 0, 0), 0.05), damping=(14.0, (0, 0, 0), 0.7), stiffness=(49.0, (0, 0, 0), 2.45))
weak = {f"joint{k}": control.gains(mass=0.002, damping=0.02, stiffness=0.05) for k in range(1, 8)}
efforts = {
    f"joint{k}_torque": (-robot.limits[f"joint{k}"].effort, robot.limits[f"joint{k}"].effort) for k in range(1, 8)
}
law = control.tracking(robot, {("ground", "tool"): pose, **weak}, limits=efforts)
d = law.d

# a triangle of the tool, its direction kept; what it leaves open moves with the least kinetic energy
near = d.coordinates({"joint2": 0.5, "joint4": 1.4, "joint6": 1.0, "joint3": 0.2})
X = d.pose("tool", near)
corners = X.r + np.array([(0, 0, 0), (0, 0.2, 0), (0, 0, -0.2), (0, 0, 0)])
sides = [control.polynomial(a, b, 0.6) for a, b in pairwise(corners)]
path = control.joined(*sides)
goal = lru_cache(None)(control.reference(robot, {"tool": control.pose(path, X.R)}, near=near, rest="least"))
start = d.coordinates({"joint2": 0.5, "joint4": 1.3, "joint6": 1.2, "joint3": 0.1, "joint1": 0.2})
ticks = vv.Sampled(law.at(goal), period=4e-3)
run = vv.simulate(robot, t_end=1.8, h=4e-3, initial=(start, np.zeros(7)), sampled=ticks)
off = np.linalg.norm(run["tool.r"] - path(run.t), axis=1)
torques = np.stack([run[f"joint{k}_torque.u"].ravel() for k in range(1, 8)], axis=1)
most = np.array([robot.limits[f"joint{k}"].effort for k in range(1, 8)])
assert off[-1] < 5e-4
assert run.audit().ok
assert (np.abs(torques) <= most + 1e-9).all()

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(9.6, 3.0), layout="constrained")
left.plot(*corners[:, 1:].T, "k:", lw=1)
left.plot(*run["tool.r"][:, 1:].T, "C3")
left.set(aspect="equal", xlabel="y [m]", ylabel="z [m]", title="the tool, seen along x")
middle.semilogy(run.t, off)
middle.set(xlabel="t [s]", ylabel="[m]", title="distance from the reference")
right.plot(run.t[1:], torques / most, lw=1)
right.set(xlabel="t [s]", title="torques, in efforts of the file", ylim=(-1.05, 1.05))

out.mkdir(parents=True, exist_ok=True)
figure.savefig(out / "track_urdf.png", dpi=110)
share = np.abs(torques / most).max()
print(f"{1e3 * off[0]:.0f} mm beside its path at first, {1e3 * off[-1]:.2f} mm at the end; {share:.0%} of the efforts")
