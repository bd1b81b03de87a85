"""From a thousand attitudes and spins a body comes to its reference; Euler angles throw it off again where they end.

What does not come are three half turns and what moves towards them, a set without volume: no continuous law has none.
"""

import sys
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import visviva as vv
from visviva.geometry import SO3

control = vv.control
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
zero, inertia = (0, 0, 0), np.array([0.2, 0.3, 0.4])
Theta, Upsilon, Pi = np.array([0.3, 0.4, 0.5]), np.ones(3), np.array([2.0, 3.0, 4.0])

m = vv.Mechanism("satellite")
m.wrench("hand", m.body("satellite", mass=3.0, inertia=inertia))
hand = {"hand": control.Thrusters(np.eye(6), ("mx", "my", "mz", "fx", "fy", "fz"))}
gains = control.gains((1, zero, Theta), (4, zero, Upsilon), (4, zero, Pi))
law = control.tracking(m, {("ground", "satellite"): gains}, "body", actuators=hand)
d = law.d

# half turns about the principal axes of Π are in balance, with V̄ = 2 Π_i (4.7.3)
points = law.template.critical_points(starts=40)
assert np.allclose([p.V for p in points], [0, *(2 * Pi)], atol=1e-9)
assert [p.falling for p in points] == [0, 1, 2, 3]


def euler(now):
    """Computed torque in Euler angles, R = Rz(φ) Ry(β) Rx(α), towards R_R = Ry(90°)."""
    R, w = now["satellite.R"], now["satellite.twist"][:3]
    sb, cb = -R[2, 0], np.sqrt(R[0, 0] ** 2 + R[1, 0] ** 2)
    a, b, f = np.arctan2(R[2, 1], R[2, 2]), np.arctan2(sb, cb), np.arctan2(R[1, 0], R[0, 0])
    sa, ca = np.sin(a), np.cos(a)
    f_ = (sa * w[1] + ca * w[2]) / cb
    b_, a_ = ca * w[1] - sa * w[2], w[0] + sb * f_
    A, B, F = -5 * a_ - 7 * a, -5 * b_ - 7 * (b - np.pi / 2), -5 * f_ - 7 * f
    w_dot = np.array(
        [
            A - sb * F - cb * b_ * f_,
            ca * B + sa * cb * F - sa * a_ * b_ + ca * cb * a_ * f_ - sa * sb * b_ * f_,
            -sa * B + ca * cb * F - ca * a_ * b_ - sa * cb * a_ * f_ - ca * sb * b_ * f_,
        ]
    )
    return {"hand": np.concatenate([R @ (inertia * w_dot + np.cross(w, inertia * w)), np.zeros(3)])}


def angles(R):
    """Of rotations, by their skew part and trace."""
    axis = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]])
    return np.arctan2(np.linalg.norm(axis, axis=0), np.trace(R, axis1=-2, axis2=-1) - 1)


# a thousand starts, any attitude, spins of some 3 rad/s about each axis, each under the law inside of its steps
rng, many = np.random.default_rng(0), 1000
turns = rng.normal(size=(many, 4))
q = np.concatenate([np.zeros((many, 3)), turns / np.linalg.norm(turns, axis=1, keepdims=True)], axis=1)
v = np.concatenate([3 * rng.normal(size=(many, 3)), np.zeros((many, 3))], axis=1)
sim = vv.Simulator(m, h=0.03, integrator=vv.RK4(), inputs=law.at(d.q_built))
runs = sim.rollout((q, v), steps=400, record="satellite.R", every=4)
R = runs["satellite.R"]
assert runs.ok.all()
assert angles(R[:, -1]).max() < 1e-3

# errors of the body-based law are autonomous (4.22): they are the same about a reference that tumbles
tumbling = control.turn("y", control.path(lambda t: t)) @ control.turn("x", control.path(lambda t: np.sin(2 * t)))
goal = control.reference(
    m, {"satellite": control.pose(control.path(lambda t: [np.cos(t), np.sin(t), 0 * t]), tumbling)}
)
q_R, v_R, _ = goal(0.0)
few = 20
X = [d.pose("satellite", q_R) @ d.pose("satellite", own) for own in q[:few]]
q2 = np.array([np.concatenate([own.r, SO3(own.R).as_quat()]) for own in X])
v2 = np.array([spin + d.pose("satellite", own).inverse().Ad() @ v_R for own, spin in zip(q[:few], v, strict=False)])
beside = vv.Simulator(m, h=0.01, integrator=vv.RK4(), inputs=law.at(goal))
moving = beside.rollout((q2, v2), steps=480, record="satellite.R", every=12)
assert moving.ok.all()
R_R = np.array([d.pose("satellite", goal(t).q).R for t in moving.t])
same = np.abs(np.swapaxes(R_R, 1, 2) @ moving["satellite.R"] - R[:few, : len(R_R)]).max()
assert same < 1e-4

# the exceptional set: bodies that start on half turns stay there, and on their stable manifolds they come to rest there
halves = np.concatenate([np.zeros((3, 4)), np.eye(3)], axis=1)
still = sim.rollout((halves, np.zeros((3, 6))), steps=400, record="satellite.R", every=4)
assert still.ok.all()
assert np.abs(angles(still["satellite.R"]) - np.pi).max() < 1e-12
slope = (Upsilon[0] / 2 + np.sqrt(Upsilon[0] ** 2 / 4 + Theta[0] * Pi[0])) / Theta[0]
back = [np.array([np.pi - 1e-6, 1e-6 * slope])]


def rate(y):
    """Θ φ̈ + Υ φ̇ + Π sin φ = 0, backwards."""
    return -np.array([y[1], -(Upsilon[0] * y[1] + Pi[0] * np.sin(y[0])) / Theta[0]])


for _ in range(1050):  # by midpoints
    back.append(back[-1] + 4e-3 * rate(back[-1] + 2e-3 * rate(back[-1])))
manifold = np.array(back)
manifold = manifold[manifold[:, 1] < 8]
around = [*((x, 6.0) for x in np.linspace(-3.0, 1.5, 8)), *((x, 0.0) for x in (-2.9, -1.5, 1.5, 2.9)), manifold[-1]]
phi, spin = np.transpose(around)
nothing = np.zeros_like(phi)
q1 = np.stack([nothing, nothing, nothing, np.cos(phi / 2), np.sin(phi / 2), nothing, nothing], axis=1)
v1 = np.stack([spin, *[nothing] * 5], axis=1)
about_x = sim.rollout((q1, v1), steps=200, record=("satellite.R", "satellite.twist"))
angle = np.unwrap(np.arctan2(about_x["satellite.R"][..., 2, 1], about_x["satellite.R"][..., 2, 2]), axis=1)
assert np.abs(angle[-1] - np.pi).min() < 2e-3  # what starts on the manifold comes to the half turn

# Euler angles, of which roll and yaw are one where the body stands upright: the same errors, towards a pitch of 90°
upright = SO3.exp([0, np.pi / 2, 0])
figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.1), layout="constrained")
thrown, torque = [], 0.0
for k in range(50):
    X = SO3(upright.R @ SO3.from_quat(q[k, 3:]).R)
    start = np.concatenate([np.zeros(3), X.as_quat()]), v[k]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vv.RunWarning)  # steps that are too long for it
        run = vv.simulate(
            m, t_end=8.0, h=0.01, initial=start, sampled=vv.Sampled(euler, period=0.01), integrator=vv.RK4()
        )
    e = np.rad2deg(angles(upright.R.T @ run["satellite.R"]))
    near = np.argmax(e < 5)  # its first time within 5°
    thrown.append(e[near:].max())
    torque = max(torque, np.abs(run["hand.u"]).max())
    axes[2].plot(run.t, e, color="C1", lw=0.5, alpha=0.6)
axes[2].set(xlabel="t [s]", title="Euler angles, to a pitch of 90°", ylim=(0, 184))
axes[0].plot(runs.t, np.rad2deg(angles(R)).T, color="C0", lw=0.3, alpha=0.25)
axes[0].plot(still.t, np.rad2deg(angles(still["satellite.R"])).T[:, :1], "C3", lw=2, label="half turns stay")
axes[0].set(
    xlabel="t [s]", ylabel="angle of the error [°]", title="1000 starts: all arrive", ylim=(0, 184), xlim=(0, 8)
)
axes[0].legend(frameon=False, fontsize=7, loc="center right")
axes[1].plot(angle[:-1].T, about_x["satellite.twist"][:-1, :, 0].T, color="C0", lw=0.7)
axes[1].plot(*manifold.T, "C3", lw=2, label="comes to the half turn")
axes[1].plot(np.pi, 0, "o", color="C3", ms=5)
axes[1].set(xlabel="angle about x [rad]", ylabel="its rate [rad/s]", title="the exception, about x", ylim=(-5, 8))
axes[1].legend(frameon=False, fontsize=7)

out.mkdir(parents=True, exist_ok=True)
figure.savefig(out / "track_attitude.png", dpi=110)
far, arrived = int((np.array(thrown) > 30).sum()), int((angles(R[:, -1]) < 1e-3).sum())
assert arrived == many
assert far > 5
print(f"{arrived} of {many} arrive; Euler angles throw {far} of {len(thrown)} off again, with up to {torque:.0f} N m")
