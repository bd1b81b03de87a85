"""A quadcopter has the poles it is given about both axes, follows its flat output, and loops with limited rotors."""

import sys
from functools import lru_cache
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import visviva as vv
from visviva.geometry import SO3

control = vv.control
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
mass, l, g = 1.001, 0.24, 9.81

m = vv.Mechanism("quadcopter", gravity=(0, 0, -g))
m.wrench("rotors", m.body("craft", mass=mass, inertia=(0.0179, 0.018, 0.0307)))
places = [(l, 0, 0), (0, l, 0), (-l, 0, 0), (0, -l, 0)]
rotors = {"rotors": control.thrusters(places, (0, 0, 1), drag=0.01701 * np.array([-1, 1, -1, 1]))}

# matched gains (4.148): l̄ = h̄, Θ̄_x = Θ̄_y = m̄ s̄(h̄ - s̄), Ῡ_x = Ῡ_y = 0, Π̄_x = Π̄_y = m̄ g(h̄ - s̄) about centres
own = control.matching.quadcopter((-6, -7, -8, -9), heading=(5.0, 0.9))
assert np.allclose(own.Theta[:2], own.mass * own.s * (own.h - own.s))
assert np.allclose(own.Pi[:2], own.mass * g * (own.h - own.s))
gains = {("ground", "craft"): own.gains()}
law = control.tracking(m, gains, actuators=rotors)
match = law.matching()
assert max(np.abs(match.Lambda_D).max(), np.abs(match.Lambda_K).max()) < 1e-10
assert np.allclose(match.u_R, 2.455, atol=5e-4)
real = np.sort(match.poles.real[np.abs(match.poles.imag) < 1e-6])
assert np.allclose(real, np.repeat((-9, -8, -7, -6), 2), atol=1e-4)

# what of the template four thrusts cannot do, at a constant velocity without turning: (4.149) with the factor 1/h̄
rng = np.random.default_rng(5)
R, yaw, v = SO3.exp([0.5, -0.3, 0.8]), SO3.exp([0, 0, 0.4]), rng.normal(size=6)
q, q_R = (np.concatenate([rng.normal(size=3), X.as_quat()]) for X in (R, yaw))
e = law.evaluate(q, v, q_R, [0, 0, 0, *rng.normal(size=3)], np.zeros(6))
R_E, w, residual = yaw.R.T @ R.R, v[:3], np.zeros(6)
for k in (0, 1):
    residual[3 + k] = (own.Theta[2] * w[k] * w[2] - own.Pi[2] / 2 * (R_E[k, 2] + R_E[2, k])) / own.h
assert np.abs(e.b_tilde - residual).max() < 1e-10

# a looping of 2 m from rest to rest, without a heading (5.70), from half a metre beside it; rotors push with 0 to 12 N
angle = control.polynomial(0.0, 2 * np.pi, 2.5, degree=9)
circle = control.circle(1.0, angle, centre=(0, 0, 1.0), normal="y", toward="-z")
flight = control.flat.quadcopter(circle, heading=None)
goal = lru_cache(None)(control.reference(m, {"craft": flight}))  # laws ask for the same times in each run
assert max(np.abs(law.feasibility(*goal(t))).max() for t in np.linspace(0, 2.5, 17)) < 1e-8
assert flight(1.25).R[2, 2] < -0.999  # upside down at the top

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(9.6, 3.1), layout="constrained")
worst, ends = {}, {}
for approach in ("particle", "body", "energy"):
    one = control.tracking(m, gains, approach, actuators=rotors, limits={"rotors": (0.0, 12.0)})
    ticks = vv.Sampled(one.at(goal), period=2e-3)
    on = vv.simulate(m, t_end=2.5, h=2e-3, sampled=ticks)
    worst[approach] = np.linalg.norm(on["craft.r"] - circle(on.t), axis=1).max()
    run = vv.simulate(m, t_end=3.5, h=2e-3, initial={"craft.r": (-0.3, 0.4, 0)}, sampled=ticks)
    off = np.linalg.norm(run["craft.r"] - circle(run.t), axis=1)
    ends[approach] = off[-1]
    middle.plot(run.t, off, label=approach)
    if approach != "body":
        continue
    left.plot(*circle(np.linspace(0, 2.5, 100))[:, [0, 2]].T, "k:", lw=1)
    left.plot(*run["craft.r"][:, [0, 2]].T, "0.7", lw=0.8)
    for k in range(0, len(run.t), 75):
        r, R = run["craft.r"][k], run["craft.R"][k]
        left.plot(*np.transpose([r - l * R[:, 0], r + l * R[:, 0]])[[0, 2]], "C0", lw=2)
        left.plot(*np.transpose([r, r + 0.12 * R[:, 2]])[[0, 2]], "C1", lw=1)
    read = control.StateReading(one.d)
    found = [one.evaluate(*read({n: run[n][k] for n in read.names}), *goal(run.t[k])) for k in range(0, len(run.t), 25)]
    assert all((e.u >= -1e-9).all() and (e.u <= 12 + 1e-9).all() for e in found)
    right.plot(run.t[::25], [e.u for e in found], lw=1)
left.set(aspect="equal", xlabel="x [m]", ylabel="z [m]", title="every 0.15 s, from beside")
middle.set(xlabel="t [s]", ylabel="distance [m]", title="error of the position")
middle.legend(frameon=False)
right.set(xlabel="t [s]", ylabel="[N]", title="thrusts", ylim=(-0.5, 12.5))

out.mkdir(parents=True, exist_ok=True)
figure.savefig(out / "track_quadcopter.png", dpi=110)
assert max(worst.values()) < 0.04
assert max(ends.values()) < 5e-3
far = 1e3 * max(ends.values())
print(f"a loop within {1e3 * max(worst.values()):.0f} mm; from 0.5 m beside it ends {far:.0f} mm away")
