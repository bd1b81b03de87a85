"""Beside a turning reference errors of particles are straight, those of bodies spiral, and energy always falls."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import visviva as vv

control = vv.control
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(9.6, 3.0), layout="constrained")
zero = (0, 0, 0)

# the plane (4.7.4, 4.7.5): the reference turns about a fixed point with π rad/s, the plate starts 1 m beside it
m = vv.Mechanism("plate")
plate = m.body("plate", mass=2.0, inertia=(0.01, 0.02, 0.03))
m.planar("plane", m.ground, plate, at=zero, normal="z")
m.wrench("hand", plate)
hand = {"hand": control.Thrusters(np.eye(6)[:, [2, 3, 4]], ("turn", "along", "across"))}
gains = control.gains((1, zero, (0, 0, 1)), (4, zero, (0, 0, 4)), (4, zero, (0, 0, 20)))
goal = control.reference(m, {"plane": control.path(lambda t: [np.pi * t, 0 * t, 0 * t])})
beside = (0.0, -1.0, 0.0)  # of the joint, whose axes are -y and x: the plate is at (0, 1)

# e, or in axes of the reference r_E, as a complex number: z̈ + p1 ż + p0 z = 0 (4.98)
loops = {"particle": (False, 4), "body": (True, 4), "energy": (True, 4 + 1j * np.pi)}
norms = {"particle": (0.4060, 0.01735), "body": (0.5879, 0.02910), "energy": (0.3743, 0.1351)}
for approach, (turning, p1) in loops.items():
    law = control.tracking(m, {("ground", "plate"): gains}, approach, actuators=hand)
    run = vv.simulate(m, t_end=3.0, h=5e-3, initial={"plane.q": beside}, inputs=law.at(goal))
    r, r_norm = run["plate.r"], np.linalg.norm(run["plate.r"], axis=1)
    W = law.evaluate(law.d.coordinates({"plane": beside}), np.zeros(3), *goal(0.0)).W - np.pi**2 / 2  # of turning
    assert abs(W - (2 if approach == "particle" else 6.934802)) < 1e-6
    assert np.allclose(r_norm[[200, 600]], norms[approach], atol=1e-4)

    z0 = complex(*r[0, :2])
    a, b = np.roots([1, p1, 4]) + np.array([1e-7, -1e-7])  # apart, where they are double
    c = np.linalg.solve([[1, 1], [a, b]], [z0, -1j * np.pi * z0 if turning else 0])
    z = (c[0] * np.exp(a * run.t) + c[1] * np.exp(b * run.t)) * (np.exp(1j * np.pi * run.t) if turning else 1)
    assert np.abs(z - (r[:, 0] + 1j * r[:, 1])).max() < 2e-4
    left.plot(r[:, 0], r[:, 1], label=approach)
    if approach == "energy":
        assert np.allclose(np.sort_complex([a, b]), [-3.463 - 3.718j, -0.537 + 0.576j], atol=1e-3)
    if approach == "particle":
        straight = np.abs(np.cross(r, r[0])).max()
        assert straight < 1e-9
left.plot(0, 0, "k.")
left.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="plate, seen from space")
left.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)

# space (4.7.5): a body with all gains apart from its centre of mass, along a screw that tumbles
m = vv.Mechanism("body", gravity=(0, 0, -9.81))
inertia = [[0.2, 0.01, 0.02], [0.01, 0.3, -0.03], [0.02, -0.03, 0.25]]
m.wrench("hand", m.body("body", mass=1.5, inertia=inertia, com=(0.02, -0.03, 0.05)))
hand = {"hand": control.Thrusters(np.eye(6), ("mx", "my", "mz", "fx", "fy", "fz"))}
gains = control.gains(
    mass=control.moments(1.0, (0.1, 0, 0.05), (0.3, 0.4, 0.5), about="centre"),
    damping=control.moments(4.0, (0, 0.1, 0), (2.5, 2.5, 3.0), about="centre"),
    stiffness=control.moments(6.0, (0.05, 0, 0.2), (9.0, 12.0, 15.0), about="centre"),
)
spin = control.turn("z", control.path(lambda t: 3 * t)) @ control.turn("x", control.path(lambda t: np.sin(2 * t)))
goal = control.reference(m, {"body": control.pose(control.path(lambda t: [np.cos(t), np.sin(t), 0.2 * t]), spin)})
q = np.array([0.0, 0.5, -0.5, *vv.geometry.SO3.exp([1.5, 1.0, -1.2]).as_quat()])
kinds = {"particle": None, "body": None, "energy": "twist", "energy (centre)": "centre"}
falling = {}
for name, transport in kinds.items():
    approach = name.split()[0]
    law = control.tracking(m, {("ground", "body"): gains}, approach, transport=transport, actuators=hand)
    run = vv.simulate(m, t_end=4.0, h=0.01, initial=(q, np.zeros(6)), inputs=law.at(goal), integrator=vv.RK4())
    read = control.StateReading(law.d)
    found = [law.evaluate(*read({one: run[one][k] for one in read.names}), *goal(run.t[k])) for k in range(0, 401, 4)]
    W = np.array([e.W for e in found])
    rates = np.array([(e.W_dot, e.W_dot_template) for e in found])
    falling[name] = bool(np.allclose(*rates.T, rtol=1e-6, atol=1e-9))  # Ẇ = -v_Eᵀ D̄ v_E (4.23), (4.32)
    assert W[-1] < 0.02 * W[0]
    middle.semilogy(run.t[::4], W, label=name)
    right.plot(run.t[::4], rates[:, 0] - rates[:, 1], label=name)
assert falling == {"particle": False, "body": True, "energy": True, "energy (centre)": True}
middle.set(xlabel="t [s]", ylabel="$\\bar W$ [J]", title="free body: energy of the error")
middle.legend(frameon=False, fontsize=7)
right.set(xlabel="t [s]", ylabel="[W]", title="its rate less that of damping")

out.mkdir(parents=True, exist_ok=True)
figure.savefig(out / "track_bodies.png", dpi=110)
named = ", ".join(name for name in falling if falling[name])
print(f"particles leave their line by {straight:.0e} m; energy falls as damping says for {named}")
