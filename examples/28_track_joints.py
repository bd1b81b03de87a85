"""A slide and a hinge follow their references with the poles of their gains; by particles a fast hinge lags behind."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import visviva as vv

control = vv.control
out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(9.6, 3.0), layout="constrained")


def machine(kind, inertia):
    """One body on one joint, and an input."""
    m = vv.Mechanism(kind)
    body = m.body("body", mass=inertia, inertia=(inertia,) * 3)
    (m.prismatic if kind == "slide" else m.revolute)("joint", m.ground, body, at=(0, 0, 0), axis="z")
    (m.force if kind == "slide" else m.torque)("input", "joint")
    return m


# prismatic (4.7.1): error poles are the roots of 2 λ² + 12 λ + 18, whatever the mass and the reference
path = control.path(lambda t: 0.5 * np.sin(2 * t))
worst = 0.0
for mass in (1.0, 5.0, 25.0):
    law = control.tracking(machine("slide", mass), {"joint": control.gains(mass=2, damping=12, stiffness=18)})
    assert np.allclose(law.matching().poles, -3, atol=1e-6)
    goal = control.reference(law.d, {"joint": path})
    start = {"joint.q": 0.4, "joint.rate": 1.0}
    run = vv.simulate(law.d.definition, t_end=3.0, h=5e-3, initial=start, inputs=law.at(goal))
    error = run["joint.q"] - path(run.t)
    worst = max(worst, np.abs(error - 0.4 * (1 + 3 * run.t) * np.exp(-3 * run.t)).max())
    left.plot(run.t, error, ["-", "--", ":"][int(mass > 1) + int(mass > 5)], label=f"{mass:g} kg")
left.set(xlabel="t [s]", ylabel="error [m]", title="slide: poles -3, -3, any mass")
left.legend(frameon=False)
assert worst < 2e-5

# revolute (4.7.2), Θ = 1, Υ = 1, Π = 4: by particles the stiffness is Π/Θ - θ̇_R² (4.78)
wheel, gains = machine("hinge", 2.0), {"joint": control.gains(mass=1, damping=1, stiffness=4)}
poles = {1.9: (-0.5 - 0.374j, -0.5 + 0.374j), 2.1: (-1.312, 0.312)}
for rate, wanted in poles.items():
    lag = max(0.0, 2 * np.arctan((rate**2 - 4) / rate))  # where the loop of particles has its rest
    goal = control.reference(wheel, {"joint": control.line(0.0, rate)})
    for approach in ("particle", "body", "energy"):
        law = control.tracking(wheel, gains, approach)

        def a(e, e_dot, law=law, rate=rate):
            """Acceleration of the loop at a small error."""
            return law.evaluate([e], [rate + e_dot], [0], [rate], [0]).a[0]

        loop = np.roots([1, -(a(0, 1e-6) - a(0, -1e-6)) / 2e-6, -(a(1e-6, 0) - a(-1e-6, 0)) / 2e-6])
        assert np.allclose(
            np.sort_complex(loop), wanted if approach == "particle" else np.roots([1, 1, 4])[::-1], atol=1e-3
        )
        run = vv.simulate(wheel, t_end=24.0, h=0.02, initial={"joint.q": 0.3, "joint.rate": rate}, inputs=law.at(goal))
        error = run["joint.q"] - rate * run.t
        assert abs(error[-1] - lag * (approach == "particle")) < 2e-3
        if approach != "energy":
            middle.plot(run.t, error, "-" if rate > 2 else "--", label=f"{approach}, {rate} rad/s")
middle.set(xlabel="t [s]", ylabel="error [rad]", title="hinge at a constant rate", xlim=(0, 18))
middle.legend(frameon=False, fontsize=7)

# the reference of figure 4.5, from many starts: equilibria of the error at whole turns, saddles half-way
swing = control.path(lambda t: np.pi / 2 * np.sin(2 * np.pi * t / 2.5))  # at most 3.948 rad/s, hence Π/Θ > 15.6
law = control.tracking(wheel, {"joint": control.gains(1, 4, 20)}, "energy")
goal = control.reference(wheel, {"joint": swing})
for q in np.linspace(-3.0, 3.0, 9):
    start = {"joint.q": q, "joint.rate": swing(0.0, 1) + 6 * np.sign(q)}
    run = vv.simulate(wheel, t_end=8.0, h=0.01, initial=start, inputs=law.at(goal))
    e, e_dot = run["joint.q"] - swing(run.t), run["joint.rate"] - swing(run.t, 1)
    assert abs(np.sin(e[-1] / 2)) < 1e-3, (q, e[-1])
    right.plot(e, e_dot, color="C0", lw=0.8)
right.plot([-np.pi, np.pi], [0, 0], "x", color="C3")
right.set(xlabel="error [rad]", ylabel="its rate [rad/s]", title="hinge on the swing of figure 4.5")

out.mkdir(parents=True, exist_ok=True)
figure.savefig(out / "track_joints.png", dpi=110)
print(f"the slide is {worst:.0e} m off its poles; particles at 2.1 rad/s stay {lag:.3f} rad ahead, bodies converge")
