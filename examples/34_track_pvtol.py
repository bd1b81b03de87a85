"""An aircraft with two rotors in a plane has the poles it is given, and flies where its flat output is sent."""

import sys
from functools import lru_cache
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import visviva as vv

control = vv.control
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
mass, Theta, arm, beta = 1.0, 0.02, 0.25, np.deg2rad(15)
epsilon = Theta * np.tan(beta) / (mass * arm)
assert np.isclose(epsilon, 0.0214359, atol=1e-7)

m = vv.Mechanism("PVTOL", gravity=(0, -9.81, 0))
craft = m.body("craft", mass=mass, inertia=(0.01, 0.01, Theta))
m.planar("plane", m.ground, craft, at=(0, 0, 0), normal="z")
m.wrench("rotors", craft)
s, c = np.sin(beta), np.cos(beta)
wrenches = np.array([[0, 0], [0, 0], [arm * c, -arm * c], [s, -s], [c, c], [0, 0]])
rotors = {"rotors": control.Thrusters(wrenches, ("right", "left"))}

# gains from four poles (4.141)-(4.142), with p3² in Π where p3 is printed; moments are about their centres
found = control.matching.pvtol((-3, -4, -5, -6), epsilon=epsilon, mass=1.7)
numbers = found.stiffness, found.damping, found.s, found.h, found.Theta[2], found.Pi[2]
assert np.allclose(numbers, (6.11678, 5.81094, 0.119484, 0.537752, 0.0697178, 6.97545), rtol=1e-5)
gains = {("ground", "craft"): found.gains()}
law = control.tracking(m, gains, actuators=rotors)
match = law.matching()
wanted = [-6, -5, -4, -3, -1.7091 - 0.8228j, -1.7091 + 0.8228j]
assert np.allclose(np.sort_complex(match.poles), wanted, atol=1e-4)
assert max(np.abs(match.Lambda_D).max(), np.abs(match.Lambda_K).max()) < 1e-10

# three metres across and two up, from rest to rest, tilting as (4.132), (4.133) say with their signs corrected
y = control.polynomial([0.0, epsilon], [3.0, 2.0 + epsilon], 2.0, degree=9)
flight = control.flat.pvtol(y, height=epsilon, plane="xy")
goal = lru_cache(None)(control.reference(m, {"craft": flight.pose}))  # laws ask for the same times in each run
assert max(np.abs(law.feasibility(*goal(t))).max() for t in np.linspace(0, 2, 21)) < 1e-6

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(9.6, 3.0), layout="constrained")
worst, ends = {}, {}
for approach in ("particle", "body", "energy"):
    own = control.tracking(m, gains, approach, actuators=rotors)
    exact = vv.simulate(m, t_end=4.0, h=0.01, inputs=own.at(goal))
    wanted = np.array([own.d.pose("craft", goal(t).q).r for t in exact.t])
    worst[approach] = np.linalg.norm(exact["craft.r"] - wanted, axis=1).max()
    run = vv.simulate(m, t_end=4.0, h=0.01, initial={"craft.r": (-0.4, 0.5, 0)}, inputs=own.at(goal))
    off = np.linalg.norm(run["craft.r"] - wanted, axis=1)
    ends[approach] = off[-1]
    middle.plot(run.t, off, label=approach)
    read = control.StateReading(own.d)
    b = [own.evaluate(*read({n: run[n][k] for n in read.names}), *goal(run.t[k])).b_tilde for k in range(0, 401, 10)]
    right.plot(run.t[::10], np.linalg.norm(b, axis=1), label=approach)
    if approach == "body":
        for k in range(0, 401, 20):
            r, R = run["craft.r"][k], run["craft.R"][k]
            left.plot(*np.transpose([r - R[:, 0] * arm, r + R[:, 0] * arm])[:2], "C0", lw=2)
        left.plot(*wanted[:, :2].T, "k:", lw=1)
left.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="every 0.2 s, from 0.64 m beside")
middle.set(xlabel="t [s]", ylabel="distance [m]", title="error of the position")
middle.legend(frameon=False)
right.set(xlabel="t [s]", ylabel=r"$|\tilde b|$", title="what inputs cannot do")
assert max(worst.values()) < 1e-3
assert max(ends.values()) < 0.02

out.mkdir(parents=True, exist_ok=True)
figure.savefig(out / "track_pvtol.png", dpi=110)
far = 1e3 * max(ends.values())
print(f"3.6 m in 2 s within {1e3 * max(worst.values()):.2f} mm; from beside it ends {far:.0f} mm away")
