"""The energy of a flywheel becomes pressure: the ram of a screw press stops where the wheel has given up its own."""

import numpy as np

import visviva as vv
from visviva.demo import screw_press

m = screw_press()
run = vv.simulate(m, t_end=0.5, h=0.002)

force, depth = -run["blank.force"].min(), -run["guide.q"].min()
pitch = 0.05 / (2 * np.pi)
assert np.abs(run["spindle.r"][:, 2] - run["spindle.r"][0, 2] - pitch * run["nut.q"]).max() < 1e-15
assert run.audit().ok
print(f"pressed {1e3 * depth:.1f} mm deep with up to {1e-3 * force:.1f} kN; {run['heat'][-1]:.1f} J became heat")
