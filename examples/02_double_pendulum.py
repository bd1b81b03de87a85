"""The tip of a double pendulum wanders through space; its energy stays where it was, step by step."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import visviva as vv

out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)

m = vv.Mechanism("double pendulum", gravity=(0, 0, -9.81))
rod = vv.inertia.cylinder(1.0, 0.03, 1.0, axis="x")
upper = m.body("upper", inertia=rod, at=(0.5, 0, 0))
lower = m.body("lower", inertia=rod, at=(1.5, 0, 0))
m.revolute("shoulder", m.ground, upper, at=(0, 0, 0), axis=(0, 1, 0))
m.revolute("elbow", upper, lower, at=(1, 0, 0), axis=(0.4, 1, 0.3))
m.frame("joint", upper, at=(1, 0, 0))
m.frame("tip", lower, at=(2, 0, 0))
run = vv.simulate(m, t_end=6.0, h=0.01)

figure = plt.figure(figsize=(9.0, 3.4), layout="constrained")
left, right = figure.subfigures(1, 2)
space = left.add_subplot(projection="3d", position=(0, 0, 1, 1))
space.plot(*run["tip.r"].T, color="#e08a1e", lw=0.9)
for i, shade in zip(range(0, 240, 8), np.linspace(0.15, 1.0, 30), strict=True):
    corners = np.array([np.zeros(3), run["joint.r"][i], run["tip.r"][i]])
    space.plot(*corners.T, color="#2f4bc4", lw=1.6, alpha=shade)
space.view_init(elev=16, azim=-68)
space.set_box_aspect(np.ptp(run["tip.r"], axis=0), zoom=1.25)
space.set_axis_off()
energy, closure = right.subplots(2, 1, sharex=True, height_ratios=(2, 1))
kinetic, potential = run.kinetic_and_potential()
energy.plot(run.t, kinetic, color="#2f4bc4", label="kinetic")
energy.plot(run.t, potential, color="#e08a1e", label="potential")
energy.plot(run.t, run["energy"], color="black", label="total")
energy.set_ylabel("energy [J]")
energy.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
off = abs(run["energy"] - run["energy"][0]) / run.energy_scale
closure.semilogy(run.t, np.maximum(off, 1e-18), "k.", ms=2)
closure.set(ylim=(3e-19, 1e-13), xlabel="time [s]", ylabel="change,\nrelative")
for axes in (energy, closure):
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
figure.savefig(out / "double_pendulum.png", dpi=100)

drift = np.ptp(run["energy"]) / run.energy_scale
assert drift < 1e-12
print(f"energy moved by {drift:.1e} of {run.energy_scale:.1f} J, the tip by {np.ptp(run['tip.r'], axis=0).max():.1f} m")
