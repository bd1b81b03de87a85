"""The pen of a five-bar, a closed loop, tracks half a circle with the poles of a point, and the loop stays closed."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import visviva as vv

control = vv.control
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")

m = vv.Mechanism("five bar", gravity=(0, 0, -9.81))
points = np.array([(-0.2, 0, 0), (-0.5, 0, 0.4), (0, 0, 0.9), (0.5, 0, 0.4), (0.2, 0, 0)], dtype=float)
bars = [m.body(f"bar{k}", mass=1.0, inertia=(0.02,) * 3, at=(points[k] + points[k + 1]) / 2) for k in range(4)]
ends = [m.ground, *bars, m.ground]
for k, name in enumerate("ABCDE"):
    m.revolute(name, ends[k], ends[k + 1], at=points[k], axis="y")
m.torque("left", "A")
m.torque("right", "E")
m.frame("pen", bars[1], at=points[2])

# two independent velocities, chosen by rank; gains of a point, and the law is that of any other mechanism
pen = {("ground", "pen"): control.gains(mass=1, damping=16, stiffness=64)}
law = control.tracking(m, pen, "energy", independent="rank")
assert law.d.nv == 2
assert np.allclose(law.matching().poles, -8, atol=1e-3)

angle = control.polynomial(0.0, np.pi, 0.6, degree=7)
circle = control.circle(0.12, angle, centre=(0, 0, 0.78), normal="y", toward="z")
goal = control.reference(law.d, {"pen": circle})
start = {"pen.r": (0.1, 0, 0.8)}
ticks = vv.Sampled(law.at(goal, compiled=False), period=2.5e-3)  # laws on loops are asked in Python
run = vv.simulate(m, t_end=0.6, h=2.5e-3, initial=start, sampled=ticks)
e = run["pen.r"] - circle(run.t)
exact = np.outer((1 + 8 * run.t) * np.exp(-8 * run.t), e[0])  # ë + 16 ė + 64 e = 0
off, audit = np.abs(e - exact).max(), run.audit()
assert audit.ok
assert off < 0.003
assert np.linalg.norm(e[-1]) < 0.008

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(9.6, 3.0), layout="constrained")
for k in range(0, len(run.t), 20):
    joints = [
        points[0],
        *(run[f"bar{i}.r"][k] + run[f"bar{i}.R"][k] @ ((points[i + 1] - points[i]) / 2) for i in range(3)),
        points[4],
    ]
    left.plot(*np.array(joints)[:, [0, 2]].T, "o-", color="0.75", lw=1, ms=2)
left.plot(*circle(np.linspace(0, 0.6, 100))[:, [0, 2]].T, "k:", lw=1)
left.plot(*run["pen.r"][:, [0, 2]].T, "C3")
left.set(aspect="equal", xlabel="x [m]", ylabel="z [m]", title="the pen, and the bars every 0.05 s")
middle.plot(run.t, e[:, [0, 2]], label=("x", "z"))
middle.plot(run.t, exact[:, [0, 2]], "k:", lw=1)
middle.set(xlabel="t [s]", ylabel="error [m]", title="error, and that of a point (dotted)")
middle.legend(frameon=False)
right.plot(run.t[1:], run["left.u"], label="left")
right.plot(run.t[1:], run["right.u"], label="right")
right.set(xlabel="t [s]", ylabel="[N m]", title="torques at 400 Hz")
right.legend(frameon=False)

out.mkdir(parents=True, exist_ok=True)
figure.savefig(out / "track_five_bar.png", dpi=110)
far = 1e3 * np.linalg.norm(e[-1])
print(f"the pen is {1e3 * off:.1f} mm off the error of a point, {far:.2f} mm off its path at the end")
