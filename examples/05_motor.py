"""A motor on a hinge: the work of its torque is the energy gained plus the heat of the bearing, to rounding."""

import numpy as np

import visviva as vv

m = vv.Mechanism("flywheel")
wheel = m.body("wheel", inertia=vv.inertia.cylinder(8.0, 0.15, 0.05, axis="z"))
m.revolute("axle", m.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), friction=0.004)
m.torque("motor", "axle")
run = vv.simulate(m, t_end=20.0, h=0.02, inputs={"motor": lambda t: 0.5 * np.sin(0.1 * np.pi * t)})

work, heat = run["motor.work"][-1], run["heat.axle"][-1]
gained = run["energy"][-1] - run["energy"][0]
assert abs(work - gained - heat) < 1e-12 * run.energy_scale
print(f"work {work:.9f} J = gained {gained:.9f} J + heat {heat:.9f} J")
