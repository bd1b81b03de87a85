"""A bicopter loops upside down within the limits of its rotors, from half a metre and a quarter turn beside it."""

import sys
from functools import lru_cache
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import visviva as vv
from visviva.geometry import SO3

control = vv.control
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
body = {"m": 1.0, "inertia": (0.018, 0.006, 0.02), "l_y": 0.25, "l_z": 0.12, "beta": np.deg2rad(15)}
l_y, l_z, s, c = body["l_y"], body["l_z"], np.sin(body["beta"]), np.cos(body["beta"])

m = vv.Mechanism("bicopter", gravity=(0, 0, -9.81))
m.wrench("rotors", m.body("craft", mass=body["m"], inertia=body["inertia"]))
l = l_y * c - l_z * s
B = [[0, l, 0, -l], [l_z, 0, l_z, 0], [-l_y, 0, l_y, 0], [1, 0, 1, 0], [0, s, 0, -s], [0, c, 0, c]]  # (4.150)
rotors = {"rotors": control.Thrusters(np.array(B, dtype=float), ("side1", "lift1", "side2", "lift2"))}

# thrusts of 2 to 14 N that tilt by 30°: (F sin θ, F cos θ) within a sector, above 2 N, below six chords of the arc
half = np.deg2rad(30) / 6
rows = [(np.cos(np.pi / 6), -0.5), (-np.cos(np.pi / 6), -0.5)]
normals = [(np.sin(a), np.cos(a)) for a in half * np.arange(-5, 6, 2)]
one = np.array([*rows, (0, -1), *normals])
bounds = np.array([0, 0, -2, *[14 * np.cos(half)] * 6])
limits = np.kron(np.eye(2), one), np.tile(bounds, 2)

own = control.matching.bicopter((-8, -9, -10, -11), **body, heading=(6.0, 1.0))  # (4.154)
numbers = own.stiffness, own.damping, own.s, own.h, *own.Theta[:2]
assert np.allclose(numbers, (17.60, 7.515, 0.04394, 0.13236, 1.928e-3, 8.307e-3), rtol=3e-4)
gains = {("ground", "craft"): own.gains()}
law = control.tracking(m, gains, actuators=rotors, limits=limits)
match = law.matching()
assert max(np.abs(match.Lambda_D).max(), np.abs(match.Lambda_K).max()) < 1e-9

# the flat output runs round a circle of 1.5 m in 2 s: upside down at the top, where ρ Ω² > g
circle = control.circle(1.5, np.pi, normal="x", toward="-z")
flight = control.flat.bicopter(
    control.path([circle[1], circle[2]]), mass=1.0, inertia=body["inertia"], arms=(l_y, l_z), tilt=body["beta"]
)
goal = lru_cache(None)(control.reference(m, {"craft": flight.pose}))
q_R, v_R, _ = goal(0.0)
X, turn = law.d.pose("craft", q_R), SO3.exp([0, 0, np.pi / 2])
start = np.concatenate([X.r + 0.5, SO3(X.R @ turn.R).as_quat()])
velocity = np.concatenate([turn.R.T @ v_R[:3], turn.R.T @ v_R[3:]])  # that of the reference, in other axes

# at 200 Hz; thrusts that are held turn with the craft, which is why ports are asked more often
loop = law.at(goal, period=5e-3, record=True)
run = vv.simulate(m, t_end=2.5, h=2.5e-3, initial=(start, velocity), sampled=vv.Sampled(loop, period=2.5e-3))
t, found = np.array(loop.times), loop.evaluations
W, u = np.array([e.W for e in found]), np.array([e.u for e in found])
acting = np.array([len(e.active) > 0 for e in found])
off = np.linalg.norm(run["craft.r"] - flight.pose.position(run.t), axis=1)
assert np.allclose(W[[0, 200, 400]], (7.50, 0.072, 0.0147), rtol=0.02)
assert off[800] < 0.05  # after the first loop
assert (u @ limits[0].T <= limits[1] + 1e-9).all()
assert t[acting].max() < 1.5
assert (t[acting] < 0.6).sum() > 0.8 * acting.sum()

# three loops in compiled code, at 500 Hz
late = vv.simulate(m, t_end=6.0, h=2e-3, initial=(start, velocity), sampled=vv.Sampled(law.at(goal), period=2e-3))
far = np.linalg.norm(late["craft.r"] - flight.pose.position(late.t), axis=1)
assert far[-1] < 0.008

# by particles it is thrown off: it turns faster than its heading is stiff (4.78)
points = control.tracking(m, gains, "particle", actuators=rotors, limits=limits)
lost = vv.simulate(m, t_end=3.0, h=2e-3, initial=(start, velocity), sampled=vv.Sampled(points.at(goal), period=2e-3))
assert np.linalg.norm(lost["craft.r"] - flight.pose.position(lost.t), axis=1).max() > 2

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(9.6, 3.1), layout="constrained")
left.plot(*flight.pose.position(np.linspace(0, 2, 100))[:, [1, 2]].T, "k:", lw=1)
left.plot(*run["craft.r"][:, [1, 2]].T, "0.7", lw=0.8)
for k in range(0, len(run.t), 50):
    r, R = run["craft.r"][k], run["craft.R"][k]
    left.plot(*np.transpose([r - l_y * R[:, 1], r + l_y * R[:, 1]])[[1, 2]], "C0", lw=2)
    left.plot(*np.transpose([r, r + l_z * R[:, 2]])[[1, 2]], "C1", lw=1)
left.set(aspect="equal", xlabel="y [m]", ylabel="z [m]", title="every 0.125 s")
middle.semilogy(t, W, label=r"$\bar W$ [J]")
middle.semilogy(run.t, off, label="distance [m]")
middle.fill_between(t, 1e-3, 10, where=acting, color="C3", alpha=0.25, lw=0, label="limits act")
middle.set(xlabel="t [s]", ylim=(3e-3, 10), title="energy of the error")
middle.legend(frameon=False, fontsize=7)
corners = np.array([(F * np.sin(a), F * np.cos(a)) for F, a in [(14, b) for b in half * np.arange(-6, 7, 2)]])
low = 2 * np.tan(np.pi / 6)
right.plot(*np.vstack([corners, (low, 2), (-low, 2), corners[:1]]).T, "k", lw=1)
for k in (0, 2):
    right.plot(u[:, k], u[:, k + 1], ".", ms=2, label=f"rotor {k // 2 + 1}")
right.set(aspect="equal", xlabel="side [N]", ylabel="lift [N]", title="thrusts at the ticks")
right.legend(frameon=False, fontsize=7)

out.mkdir(parents=True, exist_ok=True)
figure.savefig(out / "track_bicopter.png", dpi=110)
last = t[acting].max()
print(f"{1e3 * off[800]:.0f} mm off after a loop; limits act at {acting.sum()} of {len(t)} ticks, until {last:.2f} s")
