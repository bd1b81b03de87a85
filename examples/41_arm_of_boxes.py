"""Motor, gearbox and brake of an arm are composites of the language: their heat warms one housing, none gets lost."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import visviva as vv
from visviva.demo.boxed_arm import boxed_arm

out = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
out.mkdir(parents=True, exist_ok=True)

m = boxed_arm()
run = vv.simulate(m, t_end=2.0, h=2.5e-4, inputs={"motor": lambda t: 12.0 * np.sin(np.pi * t)}, integrator=vv.PHMP())

audit = run.audit()
assert run.engine == "compiled"
assert audit.ok
assert not audit.warnings  # steps resolve how the brake grips
assert audit.first_law < 1e-13

made = {name: run[f"heat.{name}"][-1] for name in ("motor", "gearbox", "brake")}
warm = run["housing.temperature"][-1] - run["housing.temperature"][0]
print(
    ", ".join(f"{name} destroys {heat:.2f} J" for name, heat in made.items())
    + f"; the housing warms by {warm:.3f} K, and the energy of a step is missed by {audit.first_law:.0e} of its terms"
)

fig, axes = plt.subplots(1, 3, figsize=(11, 3), layout="constrained")
axes[0].plot(run.t, run["shoulder.q"], label="shoulder")
axes[0].plot(run.t, run["elbow.q"], label="elbow")
axes[0].set(xlabel="t [s]", ylabel="angle [rad]")
axes[0].legend()
axes[1].plot(run.t_mid, run["gearbox.b.force"])
axes[1].set(xlabel="t [s]", ylabel="torque of the gearbox [N m]")
axes[2].plot(run.t, run["motor.winding.temperature"], label="winding")
axes[2].plot(run.t, run["housing.temperature"], label="housing")
axes[2].set(xlabel="t [s]", ylabel="temperature [K]")
axes[2].legend()
fig.savefig(out / "arm_of_boxes.png", dpi=100)
run.sankey(what="energy", path=out / "arm_of_boxes_energy.png")
