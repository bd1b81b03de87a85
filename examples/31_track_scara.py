"""A SCARA led by its tool arrives with either elbow, one led by its joints with the right one."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import visviva as vv

control = vv.control
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
l1, l2 = 0.4, 0.3

m = vv.Mechanism("scara")
one = m.body("one", mass=2.0, inertia=(0.01, 0.02, 0.03), com=(0.15, 0, 0))
two = m.body("two", mass=1.2, inertia=(0.005, 0.01, 0.015), at=(l1, 0, 0), com=(0.12, 0.02, 0))
m.revolute("first", m.ground, one, at=(0, 0, 0), axis="z")
m.revolute("second", one, two, at=(l1, 0, 0), axis="z")
m.torque("t1", "first")
m.torque("t2", "second")
m.frame("tool", two, at=(l1 + l2, 0, 0))

by_joint = {"first": control.gains(0.5, 3.0, 5.0), "second": control.gains(0.4, 2.4, 4.0)}
by_tool = {("ground", "two"): control.point_gains((l2, 0, 0), mass=1.0, damping=6.0, stiffness=10.0)}
laws = {"joints": control.tracking(m, by_joint), "tool": control.tracking(m, by_tool, "energy")}
d = laws["tool"].d

# springs of joints have one minimum, those of the tool two (figure 4.12)
q_R = np.array([0.0, np.pi / 2])
figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.1), layout="constrained")
grid = np.linspace(-3.6, 2 * np.pi - 3.6, 61)
marks = {"minimum": "o", "saddle": "x", "maximum": "^"}
census = {}
for ax, (name, law) in zip(axes, laws.items(), strict=False):
    points = law.template.critical_points(q_R, starts=80)
    census[name] = {kind: n for kind, n in control.census(points).items() if n}
    V = [[law.template.potential(np.array([x, y]), q_R) for x in grid] for y in grid]
    ax.contour(grid, grid, V, levels=np.linspace(0.02, 0.98, 14) * np.max(V), linewidths=0.7, cmap="Blues_r")
    for kind, mark in marks.items():
        at = np.array([p.q for p in points if p.kind == kind])
        at = (at + 3.6) % (2 * np.pi) - 3.6
        ax.plot(*at.T, mark, color="C3", ms=6, label=f"{kind}: {len(at)}")
    ax.set(xlabel="first [rad]", ylabel="second [rad]", title=f"springs of the {name}", aspect="equal")
    ax.legend(fontsize=6, loc="upper right", frameon=True, facecolor="white", framealpha=0.9)
assert census["joints"] == {"minimum": 1, "maximum": 1, "saddle": 2}
assert census["tool"] == {"minimum": 2, "maximum": 1, "saddle": 3}
low = np.array([(p.q + np.pi) % (2 * np.pi) - np.pi for p in points if p.kind == "minimum"])
assert np.abs(low - [1.2870, -np.pi / 2]).max(axis=1).min() < 1e-4
assert abs(points[-1].V - 0.72 * 10) < 1e-9

# at rest until 1 s, along a line until 4 s, at rest again; from a start in the basin of the other elbow
A, B = np.array([0.4, 0.3, 0.0]), np.array([0.1, 0.5, 0.0])
line = control.joined(control.hold(A, 1.0), control.polynomial(A, B, 3.0), control.hold(B, 2.0))
goal = control.reference(m, {"tool": line}, near={"first": 0.0, "second": np.pi / 2})
for name, law in laws.items():
    run = vv.simulate(m, t_end=6.0, h=5e-3, initial={"first.q": 1.0, "second.q": -1.2}, inputs=law.at(goal))
    off = np.linalg.norm(run["tool.r"][-1] - B)
    assert off < 1e-3
    assert np.sign(run["second.q"][-1]) == (1 if name == "joints" else -1)
    axes[2].plot(*run["tool.r"][:, :2].T, label=f"by {name}")
    elbow = run["two.r"][-1, :2]
    axes[2].plot(*np.transpose([(0, 0), elbow, run["tool.r"][-1, :2]]), "o-", color="0.6", lw=2, ms=3, zorder=0)
    if name == "tool":  # m ë + d ė + k e = 0 of the tool (4.111)
        e = run["tool.r"] - line(run.t)
        a, b = np.roots([1, 6, 10])
        c = np.linalg.solve([[1, 1], [a, b]], [e[0], 0 * e[0]])
        exact = (c[0] * np.exp(a * run.t)[:, None] + c[1] * np.exp(b * run.t)[:, None]).real
        linear = np.abs(e - exact).max()
        assert linear < 1e-4
axes[2].plot(*np.transpose([A, B])[:2], "k:", label="reference")
axes[2].set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="both tools arrive")
axes[2].legend(fontsize=6)

still = np.zeros(2)
M_bar = laws["tool"].evaluate([0.4, 0.8], still, q_R, still, still).M_bar
assert np.isclose(np.linalg.det(M_bar), (l1 * l2 * np.sin(0.8)) ** 2, rtol=1e-10)
assert np.isclose(np.linalg.det(d.jacobian("tool", [0.4, 0.8])[3:5]), l1 * l2 * np.sin(0.8), rtol=1e-10)

out.mkdir(parents=True, exist_ok=True)
figure.savefig(out / "track_scara.png", dpi=110)
print(f"springs of the tool have {census['tool']['minimum']} minima; its error is linear to {linear:.0e} m")
