"""A six-joint arm is led by its joints or by its tool, and the energy of its error falls all along the reference."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import visviva as vv
from visviva.geometry import SO3

control = vv.control
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
l1, l2, l3 = 0.3, 0.6, 0.5

m = vv.Mechanism("arm", gravity=(0, 0, -9.81))
at = np.cumsum([(0, 0, 0), (l1, 0, 0), (0, 0, l2), (l3, 0, 0), (0, 0, 0), (0, 0, 0)], axis=0)
below = m.ground
for i, axis in enumerate("zyyxyx"):  # (4.112)
    link = m.body(f"link{i}", mass=2.0 - 0.25 * i, inertia=(0.02, 0.03, 0.025), at=at[i], com=(0.05, 0.01 * i, 0.03))
    m.revolute(f"joint{i}", below, link, at=at[i], axis=axis)
    m.torque(f"motor{i}", f"joint{i}")
    below = link
m.frame("tool", below, at=at[-1] + (0.12, 0.03, -0.05), rotation=SO3.exp([0.3, -0.2, 0.5]))
d = vv.dynamics(m)

# where it is singular (4.116): θ3 = π/2, θ5 = 0, or the wrist above the base
rng = np.random.default_rng(0)
for q in rng.uniform(-2, 2, (5, 6)):
    det = -l2 * l3 * (l1 + l2 * np.sin(q[1]) + l3 * np.cos(q[1] + q[2])) * np.cos(q[2]) * np.sin(q[4])
    assert np.isclose(-np.linalg.det(d.jacobian("tool", q, "body")), det, atol=1e-10)  # (ω; v): six rows exchanged

# a quarter of a circle while the tool turns, from a start beside it
near = d.coordinates({"joint1": 0.5, "joint2": 0.3, "joint4": 0.9})
X = d.pose("tool", near)
angle = control.polynomial(0.0, np.pi / 2, 1.5)
place = control.circle(0.3, angle, centre=X.r - (0.3, 0, 0), normal="z", toward="x")
goal = control.reference(d, {"tool": control.pose(place, control.turn("z", angle) @ X.R)}, near=near)
start = near + np.array([0.3, -0.2, 0.25, 0.4, -0.3, 0.5])

about_tool = control.gains(  # 1 kg, poles -4 of shifts; moments about the tool
    mass=(1.0, (0, 0, 0), 0.05), damping=(8.0, (0, 0, 0), 0.4), stiffness=(16.0, (0, 0, 0), 0.8)
)
by_joint = {f"joint{i}": control.gains(1.0, 8.0, 16.0) for i in range(6)}
laws = {
    "joints": control.tracking(d, by_joint, "energy"),
    "tool, body": control.tracking(d, {("ground", "tool"): about_tool}, "body"),
    "tool, energy": control.tracking(d, {("ground", "tool"): about_tool}, "energy"),
}
q, q_R = start, near
assert laws["tool, energy"].template.transport_defect(q, q_R) < 1e-10  # J⁻¹ Ad J_R


def printed(q, v, q_R, v_R):
    """(4.115) without Ad."""
    return np.linalg.solve(d.jacobian("tool", q, "body"), d.jacobian("tool", q_R, "body")), np.zeros((6, 6))


refused = ""
try:
    control.tracking(d, {("ground", "tool"): about_tool}, "energy", transport=printed)
except vv.ModelError as error:
    refused = str(error)
assert "violates ∇_R V̄ = -Qᵀ∇V̄ (4.30)" in refused

figure = plt.figure(figsize=(9.6, 3.3), layout="constrained")
space, graph, errors = (figure.add_subplot(1, 3, k, projection="3d" if k == 1 else None) for k in (1, 2, 3))
space.plot(*place(np.linspace(0, 1.5, 60)).T, "k:", label="reference")
ends = {}
for name, law in laws.items():
    run = vv.simulate(m, t_end=2.5, h=0.01, initial=(start, np.zeros(6)), inputs=law.at(goal), integrator=vv.RK4())
    q, v = (np.stack([run[f"joint{i}.{what}"] for i in range(6)], axis=1) for what in ("q", "rate"))
    found = [law.evaluate(q[k], v[k], *goal(run.t[k])) for k in range(0, len(run.t), 10)]
    W, rates = np.array([e.W for e in found]), np.array([(e.W_dot, e.W_dot_template) for e in found])
    assert np.allclose(*rates.T, rtol=1e-7, atol=1e-9)  # one pair that determines all velocities: also by bodies
    assert (np.diff(W) < 0).all()
    r = np.linalg.norm(run["tool.r"] - place(run.t), axis=1)
    ends[name] = r[-1]
    space.plot(*run["tool.r"].T, label=name)
    graph.semilogy(run.t[::10], W / W[0])
    errors.semilogy(run.t, r, label=name)
bones = [(0, 0, 0), *(d.pose(f"link{i}", near).r for i in (1, 2, 3)), X.r]
space.plot(*np.transpose(bones), "o-", color="0.7", ms=3)
space.set(xlabel="x", ylabel="y", title="the tool [m]")
space.tick_params(labelsize=6, pad=-2)
graph.set(xlabel="t [s]", title="energy of the error, of that at the start")
errors.set(xlabel="t [s]", title="distance of the tool [m]")
errors.legend(frameon=False, fontsize=8)
assert max(ends.values()) < 2e-3

out.mkdir(parents=True, exist_ok=True)
figure.savefig(out / "track_arm.png", dpi=110)
print(f"the tool ends {1e3 * max(ends.values()):.1f} mm beside its path; energy falls all the way in {len(laws)} laws")
